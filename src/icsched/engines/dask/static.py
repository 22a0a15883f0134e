"""Priorities for Dask's own scheduler: an approximation of an order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from numbers import Real
from statistics import fmean
from typing import TYPE_CHECKING, Any

from icsched.dag import Dag
from icsched.errors import ArgumentError, not_installed
from icsched.orders import prioritize
from icsched.pebble import Order, RunTimes

if TYPE_CHECKING:
    from dask.task_spec import GraphNode
    from dask.typing import Key

    Nodes = Mapping[Key, GraphNode]

_MOST_NAMED = 12  # kinds of tasks, in a message


def static_priorities(
    graph: Any, *, order: str | Order = "auto", run_times: RunTimes | None = None
) -> Callable[[Hashable], int]:
    """Return a function from keys of *graph* to priorities, bigger first; 0 for all other keys.

    Give it to Dask: ``client.compute(delayed, priority=...)``, or ``client.get(graph, keys,
    priority=...)``. *graph* is a collection of Dask (delayed, array, bag, dataframe), a list or
    tuple of them, or a graph of Dask. *order* and *run_times* are as for `icsched.prioritize`, and
    *run_times* by name may also name kinds of tasks: "inc" for all keys ``inc-...``.

    Dask follows priorities only in part, and only if its scheduler was started with the setting
    ``distributed.scheduler.rootish-taskgroup: 0``. Dask cannot fuse arrays that have a priority by
    key. Raises EngineError without Dask, ArgumentError for wrong arguments, CycleError for a graph
    that has a cycle.

    >>> graph = {"a": (int, 1), "b": (int, 2), "c": (abs, "b"), "d": (abs, "b")}
    >>> priority = static_priorities(graph, order="prio")
    >>> sorted(graph, key=priority, reverse=True), priority("other")
    (['b', 'a', 'c', 'd'], 0)
    """
    nodes = _nodes(graph)
    plan = prioritize(_dag(nodes), order, run_times=_seconds(nodes, run_times))
    # The scheduler calls it, and may have no icsched.
    return defaultdict(int, plan.priorities).__getitem__


def _nodes(graph: Any) -> Nodes:
    """Return the tasks of a graph, of a collection, or of a list of collections."""
    try:
        from dask._task_spec import convert_legacy_graph
        from dask.base import compute, is_dask_collection
    except ImportError as error:
        raise not_installed("dask.distributed", "dask") from error
    found: dict[Key, GraphNode] = {}
    if isinstance(graph, Mapping) and not is_dask_collection(graph):
        found.update(convert_legacy_graph(graph))
        return found
    if not (is_dask_collection(graph) or isinstance(graph, list | tuple)):
        expected = "a graph or a collection of Dask, or a list of collections"
        raise ArgumentError(f"graph: expected {expected}, got {type(graph).__name__}")

    def note(expression: Any, keys: Iterable[Key], **_: object) -> list[None]:
        found.update(convert_legacy_graph(expression.__dask_graph__()))
        return [None for _ in keys]

    compute(graph, scheduler=note)  # Dask optimises the collections, and computes nothing
    return found


def _dag(nodes: Nodes) -> Dag:
    """Return tasks as a dag, without results that a cluster has already; raises CycleError."""
    ids: dict[Any, int] = {name: number for number, name in enumerate(nodes)}
    # Dependencies are sets: the order of a set is another one in the next process.
    return Dag(
        {
            name: sorted((one for one in node.dependencies if one in ids), key=ids.__getitem__)
            for name, node in nodes.items()
        }
    )


def _seconds(nodes: Nodes, run_times: RunTimes | None) -> RunTimes | None:
    """Return the seconds of each task: its own, or those of its kind, as Dask names kinds.

    Only run times by name can name kinds; others are returned as they are. Data of the graph, and
    other names for results, take no time. Other tasks without run time get the mean of the given
    run times, because Dask makes tasks whose names a user does not know. Raises ArgumentError if
    the run times name neither a task nor a kind of the graph.
    """
    from dask.task_spec import Alias, DataNode
    from dask.utils import key_split

    if not isinstance(run_times, Mapping):
        return run_times
    found: dict[Hashable, float] = {}
    for name in nodes:
        seconds = run_times.get(name, run_times.get(key_split(name)))
        if seconds is not None:
            found[name] = seconds
    if nodes and not found:
        kinds = sorted({repr(key_split(name)) for name in nodes})
        expected = f"names of tasks, or of kinds: {_few(kinds)}"
        raise ArgumentError(f"run_times: expected {expected}; got {_few(map(repr, run_times))}")
    for task, seconds in found.items():
        if isinstance(seconds, Real) and not seconds >= 0:
            raise ArgumentError(f"run time of {task!r}: expected 0 or more, got {seconds}")
    numbers = [seconds for seconds in found.values() if isinstance(seconds, Real)]
    mean = fmean(numbers) if numbers else 0.0
    for name, node in nodes.items():
        found.setdefault(name, 0.0 if isinstance(node, Alias | DataNode) else mean)
    return found


def _few(words: Iterable[str]) -> str:
    """Return some words with commas."""
    listed = list(words)
    return ", ".join(listed[:_MOST_NAMED]) + (", ..." if len(listed) > _MOST_NAMED else "")
