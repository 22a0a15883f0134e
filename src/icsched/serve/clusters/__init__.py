"""Clusters of tasks for workers of unequal power.

They follow Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for Task-Hungry Computing
Platforms". docs/cluster.md lists the parts of the paper that icsched uses.
"""

from icsched.serve.clusters.cluster_server import (
    CLUSTERERS,
    Cluster,
    ClusterServer,
    best_cluster,
    plan_clusters,
    set_apart,
)
from icsched.serve.clusters.clusterers import Clusterer, Ground, NamedClusterer
from icsched.serve.clusters.frontier import Frontier

__all__ = [
    "CLUSTERERS",
    "Cluster",
    "ClusterServer",
    "Clusterer",
    "Frontier",
    "Ground",
    "NamedClusterer",
    "best_cluster",
    "plan_clusters",
    "set_apart",
]
