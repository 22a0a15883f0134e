"""Clusters of tasks for workers of unequal power (paper 000), one strategy per module."""

from icsched.serve.clusters.model import Cluster, residual, set_apart
from icsched.serve.clusters.server import (
    CLUSTER_STRATEGIES,
    ClusterServer,
    best_cluster,
    plan_clusters,
)

__all__ = [
    "CLUSTER_STRATEGIES",
    "Cluster",
    "ClusterServer",
    "best_cluster",
    "plan_clusters",
    "residual",
    "set_apart",
]
