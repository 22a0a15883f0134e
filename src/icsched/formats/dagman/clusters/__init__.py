"""Clusters written for DAGMan: one DAGMan job runs the jobs of a cluster, one after the other."""

from icsched.formats.dagman.clusters.write import write_clustered

__all__ = ["write_clustered"]
