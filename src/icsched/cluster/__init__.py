"""Clusters of tasks for workers of unequal power (paper 000), one strategy per module."""

from icsched.cluster.donor import is_universal_donor
from icsched.cluster.model import Cluster, residual, set_apart
from icsched.cluster.server import CLUSTER_STRATEGIES, ClusterServer, cluster, plan_clusters

__all__ = [
    "CLUSTER_STRATEGIES",
    "Cluster",
    "ClusterServer",
    "cluster",
    "is_universal_donor",
    "plan_clusters",
    "residual",
    "set_apart",
]
