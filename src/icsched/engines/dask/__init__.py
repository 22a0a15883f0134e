"""Dask (the extra ``dask``): its order, priorities for it, and its workers for runs and studies."""

from icsched.engines.dask.crew import DASK, dask_crew
from icsched.engines.dask.order import DASK_ORDER, dask_graph, dask_order
from icsched.engines.dask.static import static_priorities
from icsched.engines.dask.study import study_cluster

__all__ = [
    "DASK",
    "DASK_ORDER",
    "dask_crew",
    "dask_graph",
    "dask_order",
    "static_priorities",
    "study_cluster",
]
