"""Graphs of Dask, and mappings of callables, as flat tasks with their parents."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Real
from statistics import fmean
from typing import TYPE_CHECKING, Any

from icsched.calls import FunctionCall, Known, Result, Several, call_of, is_call, known_names, made
from icsched.dag import Dag
from icsched.errors import ArgumentError, UnknownTaskError, not_installed
from icsched.pebble import RunTimes

if TYPE_CHECKING:
    from dask.task_spec import GraphNode
    from dask.typing import Key

# Shuffles from peer to peer need the keys of the whole graph on the scheduler from the start.
BY_TASKS = {"dataframe.shuffle.method": "tasks", "array.rechunk.method": "tasks"}
BARRIER = "shuffle-barrier-"  # how the key of a shuffle from peer to peer begins
_MOST_NAMED = 12  # kinds of tasks, in a message
ANNOTATIONS = ("allow_other_workers", "resources", "retries", "workers")  # kept for each task


@dataclass(frozen=True)
class Tasks:
    """Tasks for a cluster: `nodes` by name, what `wanted` names, and Dask's terms for each."""

    nodes: Mapping[Key, GraphNode]
    wanted: tuple[Key, ...]
    terms: Mapping[Key, Mapping[str, object]] = field(default_factory=dict)

    def parents(self, name: Key) -> list[Key]:
        """Return the parents of a task, without results that the cluster has already."""
        return [above for above in self.nodes[name].dependencies if above in self.nodes]

    def dag(self) -> Dag[Key]:
        """Return the tasks as a dag; raises CycleError."""
        ids: dict[Any, int] = {name: number for number, name in enumerate(self.nodes)}
        # Dependencies are sets: the order of a set is another one in the next process.
        return Dag({name: sorted(self.parents(name), key=ids.__getitem__) for name in self.nodes})


def tasks_of(graph: Any) -> Tasks:
    """Return the tasks of a mapping, of a collection of Dask, or of a list of collections.

    Raises EngineError without Dask, ArgumentError for anything else.
    """
    seen: list[Tasks] = []

    def note(expression: Any, keys: Iterable[Key], **_: object) -> list[None]:
        seen.append(tasks_of_expression(expression, keys))
        return [None for _ in keys]

    if is_mapping(graph):
        return tasks_of_mapping(graph, None)
    computed(graph, note)
    return seen[0] if seen else Tasks({}, ())


def is_mapping(graph: Any) -> bool:
    """Whether *graph* is a mapping of tasks; raises EngineError without Dask."""
    try:
        from dask.base import is_dask_collection
    except ImportError as error:
        raise not_installed("dask.distributed", "dask") from error
    return isinstance(graph, Mapping) and not is_dask_collection(graph)


def computed(graph: Any, schedule: Callable[..., list[Any]]) -> Any:
    """Return what `dask.compute` makes of collections by *schedule*; raises ArgumentError."""
    from dask import config
    from dask.base import compute, is_dask_collection

    if not (is_dask_collection(graph) or isinstance(graph, list | tuple)):
        expected = "a mapping, a collection of Dask, or a list of collections"
        raise ArgumentError(f"graph: expected {expected}, got {type(graph).__name__}")
    with config.set(BY_TASKS):
        return compute(graph, scheduler=schedule)[0]


def tasks_of_mapping(graph: Mapping[Key, object], results: Iterable[Key] | None) -> Tasks:
    """Return the tasks that *results* need, by default all tasks; then the sinks are wanted.

    Raises UnknownTaskError for a result that the graph does not have.

    >>> tasks = tasks_of_mapping({"a": (int, "3"), "b": (max, "a", 7), "c": list}, None)
    >>> tasks.wanted, tasks.parents("b")
    (('b', 'c'), ['a'])
    """
    names = known_names(graph)
    nodes = _nodes({name: _called(name, work, names) for name, work in graph.items()})
    terms = dict(_by_task(_layer_annotations(graph)))
    if results is None:
        parents = set().union(*(node.dependencies for node in nodes.values()))
        return Tasks(nodes, tuple(name for name in nodes if name not in parents), terms)
    wanted = tuple(dict.fromkeys(results))
    for name in wanted:
        if name not in nodes:
            raise UnknownTaskError(name)
    return Tasks(_needed(nodes, wanted), wanted, terms)


def tasks_of_expression(expression: Any, keys: Iterable[Key]) -> Tasks:
    """Return the tasks of what `dask.compute` gives a scheduler, once it is optimised."""
    nodes = _nodes(expression.__dask_graph__())
    annotations = expression.__dask_annotations__()
    wanted = tuple(dict.fromkeys(keys))
    return Tasks(_needed(nodes, wanted), wanted, dict(_by_task(annotations)))


def _few(words: Iterable[str]) -> str:
    """Return some words with commas."""
    listed = list(words)
    return ", ".join(listed[:_MOST_NAMED]) + (", ..." if len(listed) > _MOST_NAMED else "")


def seconds_of(tasks: Tasks, run_times: RunTimes | None) -> RunTimes | None:
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
    for name in tasks.nodes:
        seconds = run_times.get(name, run_times.get(key_split(name)))
        if seconds is not None:
            found[name] = seconds
    if tasks.nodes and not found:
        kinds = sorted({repr(key_split(name)) for name in tasks.nodes})
        expected = f"names of tasks, or of kinds: {_few(kinds)}"
        raise ArgumentError(f"run_times: expected {expected}; got {_few(map(repr, run_times))}")
    for task, seconds in found.items():
        if isinstance(seconds, Real) and not seconds >= 0:
            raise ArgumentError(f"run time of {task!r}: expected 0 or more, got {seconds}")
    numbers = [seconds for seconds in found.values() if isinstance(seconds, Real)]
    mean = fmean(numbers) if numbers else 0.0
    for name, node in tasks.nodes.items():
        found.setdefault(name, 0.0 if isinstance(node, Alias | DataNode) else mean)
    return found


def _nodes(graph: Mapping[Key, object]) -> dict[Key, GraphNode]:
    """Return the tasks of a graph of Dask; raises ArgumentError for a shuffle from peer to peer."""
    from dask._task_spec import convert_legacy_graph

    if any(isinstance(name, str) and name.startswith(BARRIER) for name in graph):
        hint = 'make the collection under dask.config.set({"array.rechunk.method": "tasks"})'
        raise ArgumentError(f"graph: a shuffle from peer to peer cannot be ordered: {hint}")
    nodes: dict[Key, GraphNode] = convert_legacy_graph(graph)
    return nodes


def _called(name: Key, work: object, names: Known) -> object:
    """Return a task of `icsched.calls` as a task of Dask, and *work* if it is anything else."""
    from dask.task_spec import GraphNode

    is_dasks = isinstance(work, GraphNode) or not is_call(work)
    return work if is_dasks else _node(call_of(name, work, names), name)


def _node(part: object, name: Key | None = None) -> Any:
    """Return a part of a call as Dask has it."""
    from dask.task_spec import List, Task, TaskRef

    if isinstance(part, FunctionCall):
        return Task(name, part.function, *map(_node, part.arguments))
    if isinstance(part, Several):
        inside = List(*map(_node, part.parts))
        return inside if part.make is list else Task(None, made, part.make, inside)
    return TaskRef(part.name) if isinstance(part, Result) else part


def _needed(nodes: Mapping[Key, GraphNode], wanted: Iterable[Key]) -> dict[Key, GraphNode]:
    """Return the nodes that *wanted* need, in the order of *nodes*."""
    needed: set[Key] = set()
    ahead = list(wanted)
    while ahead:
        name = ahead.pop()
        if name in nodes and name not in needed:
            needed.add(name)
            ahead += nodes[name].dependencies
    return {name: node for name, node in nodes.items() if name in needed}


def _layer_annotations(graph: Mapping[Key, object]) -> dict[str, dict[Key, object]]:
    """Return the annotations of the layers of a graph: values of tasks by their kind."""
    found: dict[str, dict[Key, object]] = {}
    for layer in getattr(graph, "layers", {}).values():
        for kind, value in (layer.annotations or {}).items():
            found.setdefault(kind, {}).update(dict.fromkeys(layer, value))
    return found


def _by_task(
    annotations: Mapping[str, Mapping[Key, object]],
) -> Iterator[tuple[Key, dict[str, object]]]:
    kept = {kind: annotations[kind] for kind in ANNOTATIONS if kind in annotations}
    for name in dict.fromkeys(name for values in kept.values() for name in values):
        own = {kind: values[name] for kind, values in kept.items() if name in values}
        yield name, {kind: _for(name, value) for kind, value in own.items()}


def _for(name: Key, value: object | Callable[[Key], object]) -> object:
    return value(name) if callable(value) else value
