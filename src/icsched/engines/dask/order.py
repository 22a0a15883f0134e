"""Dask's own order, to compare with."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.errors import not_installed
from icsched.orders import NamedOrder

Key = TypeVar("Key", str, int)


def dask_order(dag: Dag) -> Ids:
    """Return the order in which Dask would prefer to run the tasks of *dag*.

    The order is that of ``dask.order`` on tasks named by their ids, because Dask breaks ties by
    hash, and numbers have the same hash in every process. Raises EngineError without dask.

    >>> dask_order(Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})).tolist()[::3]
    [0, 3]
    """
    graph = dask_graph({task: dag.parent_rows[task].tolist() for task in range(len(dag))})
    from dask.order import order

    ranks = order(graph)
    return np.array(sorted(ranks, key=ranks.__getitem__), np.int32)


DASK_ORDER = NamedOrder("dask", "as Dask would order the jobs", dask_order, extra="dask")


def dask_graph(parents_of: Mapping[Key, Iterable[Key]]) -> dict[Key, Any]:
    """Return tasks and their parents as a graph for Dask; raises EngineError without dask.

    >>> list(dask_graph({"a": [], "b": ["a"]})["b"].dependencies)
    ['a']
    """
    try:
        from dask.task_spec import Task, TaskRef
    except ImportError as error:
        raise not_installed("dask", "dask") from error

    return {task: Task(task, max, *map(TaskRef, above)) for task, above in parents_of.items()}
