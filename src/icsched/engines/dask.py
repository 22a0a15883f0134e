"""Dask: its order, as a peer to compare with."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from icsched._native import Ids
from icsched.dag import Dag
from icsched.errors import EngineError

Key = TypeVar("Key", str, int)


def dask_order(dag: Dag) -> Ids:
    """Return the order in which Dask would prefer to run the tasks of *dag*.

    It is that of ``dask.order`` on tasks named by their ids: Dask breaks ties by hash, and
    numbers hash alike in every process. Raises EngineError without dask.

    >>> dask_order(Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})).tolist()[::3]
    [0, 3]
    """
    graph = dask_graph({task: dag.parents(task).tolist() for task in range(len(dag))})
    from dask.order import order

    ranks = order(graph)
    return np.array(sorted(ranks, key=ranks.__getitem__), np.int32)


def dask_graph(parents_of: Mapping[Key, Iterable[Key]]) -> dict[Key, Any]:
    """Return tasks and their parents as the graph that Dask takes; raises EngineError without it.

    >>> list(dask_graph({"a": [], "b": ["a"]})["b"].dependencies)
    ['a']
    """
    try:
        from dask.task_spec import Task, TaskRef
    except ImportError as error:
        raise EngineError("dask: not installed, expected pip install icsched[dask]") from error

    return {task: Task(task, max, *map(TaskRef, above)) for task, above in parents_of.items()}
