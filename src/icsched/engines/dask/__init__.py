"""Dask (the extra ``dask``): its order, a cluster for a study, and runs in an order of icsched."""

from icsched.engines.dask.crew import DASK, dask_crew
from icsched.engines.dask.loop import compute
from icsched.engines.dask.order import DASK_ORDER, dask_graph, dask_order
from icsched.engines.dask.static import static_priorities
from icsched.engines.dask.study import study_cluster

__all__ = [
    "DASK",
    "DASK_ORDER",
    "compute",
    "dask_crew",
    "dask_graph",
    "dask_order",
    "static_priorities",
    "study_cluster",
]
