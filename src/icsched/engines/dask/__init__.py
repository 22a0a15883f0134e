"""Dask (the extra ``dask``): its order to compare with, and a cluster to compute a study on."""

from icsched.engines.dask.order import DASK_ORDER, dask_graph, dask_order
from icsched.engines.dask.study import study_cluster

__all__ = ["DASK_ORDER", "dask_graph", "dask_order", "study_cluster"]
