"""Servers that hand out tasks one by one, in batches, in clusters, or by the rules of games."""

from icsched.serve.batch_server import BatchServer
from icsched.serve.clusters import (
    CLUSTERERS,
    Cluster,
    ClusterServer,
    best_cluster,
    plan_clusters,
)
from icsched.serve.games import BatchedGame, ClientGame, IdealGame
from icsched.serve.sorter import Sorter

__all__ = [
    "CLUSTERERS",
    "BatchServer",
    "BatchedGame",
    "ClientGame",
    "Cluster",
    "ClusterServer",
    "IdealGame",
    "Sorter",
    "best_cluster",
    "plan_clusters",
]
