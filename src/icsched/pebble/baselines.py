"""Simple orders, which a better order is compared with.

Each function takes any graph that `prioritize` takes. It returns task ids, first to run first, and
breaks ties by task id. Of a workflow these are the tasks that are left to run, by the ids of
`Workflow.dag`.
"""

from collections.abc import Iterable
from types import NoneType
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from icsched import _native, checks
from icsched.arrays import Floats, Ids, expected_time, ranks_of, wrong_times
from icsched.dag import Dag, Graph, PerTask, values_by_id
from icsched.errors import ArgumentError
from icsched.pebble.residual import Residual

RunTimes: TypeAlias = PerTask

_NOT_NUMBERS = str, bytes, NoneType  # which numpy would read as numbers


def fifo_order(graph: Graph) -> Ids:
    """Run tasks in the order in which they become eligible, sources by id.

    A plain queue does this, and so does DAGMan without priorities. O(tasks + arcs).

    >>> fifo_order(Dag({"a": [], "b": ["a"], "c": []})).tolist()
    [0, 2, 1]
    """
    left = Residual.of(graph)
    return left.ids(left.dag.fifo_order)


def lifo_order(graph: Graph) -> Ids:
    """Run the task that became eligible last; of several, the one with the smallest id.

    >>> lifo_order(Dag({"a": [], "b": ["a"], "c": []})).tolist()
    [0, 1, 2]
    """
    left = Residual.of(graph)
    dag = left.dag
    missing, stack = dag.in_degrees.tolist(), dag.sources.tolist()[::-1]
    offsets, targets = dag.child_rows.offsets.tolist(), dag.child_rows.targets.tolist()
    order = []
    while stack:
        task = stack.pop()
        order.append(task)
        for child in reversed(targets[offsets[task] : offsets[task + 1]]):
            missing[child] -= 1
            if not missing[child]:
                stack.append(child)
    return left.ids(np.array(order, np.int32))


def level_order(graph: Graph) -> Ids:
    """Run level by level. The level of a task is its longest path from a source.

    >>> level_order(Dag({"a": [], "b": ["a"], "c": []})).tolist()
    [0, 2, 1]
    """
    left = Residual.of(graph)
    return left.ids(np.argsort(left.dag.levels, kind="stable").astype(np.int32))


def critical_path_order(graph: Graph, *, run_times: RunTimes | None = None) -> Ids:
    """Run the task with the longest remaining path first; the path includes the task itself.

    Paths are measured in *run_times*: one nonnegative number per task, or a mapping from names
    to numbers; 1 for each task by default. Raises ArgumentError for other run times.

    >>> critical_path_order(Dag({"a": [], "b": [], "c": ["b"]})).tolist()
    [1, 0, 2]
    """
    left = Residual.of(graph)
    paths = remaining_paths(left.dag, left.values("run_times", run_times))
    return left.ids(priority_order(left.dag, -paths))


def remaining_paths(dag: Dag, run_times: RunTimes | None = None) -> Floats:
    """Return the length of the longest path from each task to a sink, the task itself included.

    Paths are measured as in `critical_path_order`.

    >>> remaining_paths(Dag({"a": [], "b": ["a"], "c": ["a"]}), [1, 2, 5]).tolist()
    [6.0, 2.0, 5.0]
    """
    weights = checked_run_times(dag, run_times)
    back = np.ascontiguousarray(dag.fifo_order[::-1])
    return _native.longest_paths(dag.parent_rows, back, weights) + weights


def checked_run_times(dag: Dag, run_times: RunTimes | None) -> Floats:
    """Return *run_times* as an array, 1 for each task by default; raises ArgumentError.

    >>> checked_run_times(Dag({"a": [], "b": ["a"]}), {"b": 3, "a": 2}).tolist()
    [2.0, 3.0]
    """
    if run_times is None:
        return np.ones(len(dag))
    values = values_by_id(dag, "run_times", run_times)
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    is_row = getattr(values, "ndim", 1) == 1 and isinstance(values, Iterable)
    if kind in "OSU" and is_row and not isinstance(values, str | bytes):
        times = list(values)
        if any(issubclass(kind, _NOT_NUMBERS) for kind in set(map(type, times))):  # soon known
            for name, time in zip(dag.names, times, strict=False):
                if isinstance(time, _NOT_NUMBERS):
                    raise ArgumentError(f"run time of {name!r}: expected a number, got {time!r}")
    try:
        weights = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError):
        raise ArgumentError("run_times: expected numbers, one per task") from None
    if weights.shape != (len(dag),):
        raise ArgumentError(f"run_times: expected {len(dag)} numbers, got shape {weights.shape}")
    bad = wrong_times(weights)
    if len(bad):
        time = float(weights[bad[0]])
        expected = f"expected {expected_time(time)}, got {time}"
        raise ArgumentError(f"run time of {dag.names[bad[0]]!r}: {expected}")
    return weights


def random_order(graph: Graph, *, seed: int) -> Ids:
    """Run the eligible task that comes first in a random shuffle of all tasks, at every step.

    Raises ArgumentError unless *seed* is a nonnegative integer.

    >>> chain = Dag({"a": [], "b": ["a"], "c": ["b"]})
    >>> random_order(chain, seed=1).tolist()
    [0, 1, 2]
    """
    left = Residual.of(graph)
    rng = np.random.default_rng(checks.whole_number("seed", seed, least=0))
    return left.ids(priority_order(left.dag, rng.permutation(len(left.dag))))


def priority_order(graph: Graph, keys: ArrayLike) -> Ids:
    """Run the eligible task with the smallest key, at every step.

    *keys* has one number per task; equal keys go by id. Raises ArgumentError for other keys.
    O(arcs + tasks log tasks).

    >>> priority_order(Dag({"a": [], "b": [], "c": []}), [2, 0, 1]).tolist()
    [1, 2, 0]
    """
    left = Residual.of(graph)
    dag, array = left.dag, np.asarray(left.values("keys", keys))
    if array.shape != (len(dag),):
        raise ArgumentError(f"keys: expected {len(dag)} numbers, got shape {array.shape}")
    if array.dtype.kind not in "biuf":
        raise ArgumentError(f"keys: expected {len(dag)} numbers, got {array.dtype}")
    ranks = ranks_of(np.argsort(array, kind="stable").astype(np.int32))
    return left.ids(_native.priority_order(dag.child_rows, dag.parent_rows, ranks))
