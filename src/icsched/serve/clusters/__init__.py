"""Clusters of tasks for workers of unequal power, with one module for each clusterer.

The paper on clusters is Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for Task-Hungry
Computing Platforms". docs/cluster.md says what icsched takes from it.
"""

from icsched.serve.clusters.clusterer import Clusterer, Ground, NamedClusterer
from icsched.serve.clusters.model import Cluster, set_apart
from icsched.serve.clusters.server import ClusterServer, best_cluster, plan_clusters
from icsched.serve.clusters.table import CLUSTERERS

__all__ = [
    "CLUSTERERS",
    "Cluster",
    "ClusterServer",
    "Clusterer",
    "Ground",
    "NamedClusterer",
    "best_cluster",
    "plan_clusters",
    "set_apart",
]
