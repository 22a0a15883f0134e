"""A drop-in for `graphlib.TopologicalSorter` that hands out the best tasks first."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import is_
from typing import Any, Generic, cast

import numpy as np

from icsched import _native, checks
from icsched._native import ReadyQueue
from icsched.arrays import ranks_of
from icsched.dag import Dag, Graph
from icsched.errors import ArgumentError, CycleError, GraphError
from icsched.frames import brief
from icsched.graph_inputs import ParentsOf, T, in_order
from icsched.orders import prioritize
from icsched.pebble import Order, Schedule
from icsched.pebble.residual import Residual

_EVERYTHING = 2**63 - 1


class Sorter(Generic[T]):
    """Hand out the tasks of a graph as their parents finish, best first.

    The protocol is that of `graphlib.TopologicalSorter`: `add` tasks, call `prepare`, then
    `get_ready` and `done` while `is_active`; or `static_order` for a whole order. *graph* is a
    mapping, as graphlib takes it, or anything else that `prioritize` takes. *order* ranks the ready
    tasks: a plan, a schedule, or the tasks by name or id. The default is "prio", because "auto"
    would simulate a pool.

    Three methods go beyond graphlib: ``get_ready(n)`` hands out only the best n tasks, `lost`
    offers tasks again, and `take` equals ``get_ready(n)``, so a sorter is a `Server`.

    A sorter can be pickled and copied only before `prepare`; later both raise TypeError.

    >>> sorter = Sorter({"a": [], "b": [], "c": ["b"], "d": ["b"]})
    >>> sorter
    Sorter(tasks=4, is_prepared=False)
    >>> sorter.prepare()
    >>> sorter.get_ready(1)
    ('b',)
    >>> sorter.done("b")
    >>> sorter.get_ready()
    ('a', 'c', 'd')
    """

    def __init__(self, graph: Graph[T] | None = None, *, order: Order | None = None) -> None:
        self._queue: ReadyQueue | None = None
        self._started = False
        # Names and ids of the last group handed out. Both are replaced together, so threads may
        # share a sorter.
        self._last: tuple[tuple[T, ...], list[int]] = ((), [])
        self._dag: Dag[T] | None = None  # the graph, if given as a whole
        self._parents: list[int] = []  # otherwise the ends of each arc; cycles are possible
        self._children: list[int] = []
        self._added: dict[T, int] = {}
        self._names: list[T] = []  # itemgetter is faster on a list than on a tuple
        if order is None and (graph is None or hasattr(graph, "items")):
            for task, parents in cast("ParentsOf[T]", graph or {}).items():
                if not isinstance(parents, Iterable):
                    expected = f"expected a list of tasks, got {parents!r}"
                    raise GraphError(f"parents of task {task!r}: {expected}")
                self._add(task, parents)
            return
        if graph is None:
            expected = "expected a graph with it, because an order is of a graph"
            raise ArgumentError(f"order: {expected}")
        left = Residual.of(graph)
        self._dag, self._names = left.dag, list(left.dag.names)
        own = prioritize(left.dag, "prio") if order is None else order
        self._order = Schedule.of(left, own).order

    def __repr__(self) -> str:
        return brief(self, tasks=len(self._names), is_prepared=self._queue is not None)

    def __getstate__(self) -> dict[str, Any]:
        if self._queue is not None:
            raise TypeError("a Sorter cannot be pickled or copied after prepare()")
        return self.__dict__

    def add(self, node: T, *predecessors: T) -> None:
        """Add a task and its parents; may be called again for the same task.

        Parents of several calls add up. Raises ValueError after `prepare`, for a sorter with an
        order, or for a sorter that was not made from a mapping: their graphs never change.
        """
        if self._queue is not None:
            raise ValueError("Nodes cannot be added after a call to prepare()")
        if self._dag is not None:
            given = "its graph or its order was given as a whole"
            raise ValueError(f"cannot add to this sorter: {given}")
        self._add(node, predecessors)

    def _add(self, node: T, predecessors: Iterable[T]) -> None:
        task = self._id(node)
        for predecessor in in_order(predecessors):
            self._parents.append(self._id(predecessor))
            self._children.append(task)

    def _id(self, node: T) -> int:
        task = self._added.get(node)
        if task is None:
            task = self._added[node] = len(self._names)
            self._names.append(node)
        return task

    def prepare(self) -> None:
        """Close the graph, check it for cycles and order it.

        May be called again until the first `get_ready`. Raises CycleError for a cycle. The sorter
        then still hands out the tasks that no cycle blocks, in the order in which they become
        ready.
        """
        if self._started:
            raise ValueError("cannot prepare() after starting iteration")
        dag: Dag[Any] | None = self._dag
        if dag is None:
            arcs = np.array([self._parents, self._children], np.int32)
            try:
                dag = Dag.from_arcs(len(self._names), arcs.T)
            except CycleError:
                children, parents, _, cycle = _native.build(len(self._names), *arcs)
                self._queue = ReadyQueue(children, parents, np.empty(0, np.int32))  # no ranks
                names = [self._names[task] for task in cycle.tolist()]
                raise CycleError([*names, names[0]]) from None
            self._order = prioritize(dag, "prio").order
        self._queue = ReadyQueue(dag.child_rows, dag.parent_rows, ranks_of(self._order))

    def get_ready(self, n: int | None = None) -> tuple[T, ...]:
        """Return ready tasks that were not handed out before, best first: all, or at most *n*.

        Raises ValueError before `prepare`, ArgumentError unless *n* is 0 or more.
        """
        most = _EVERYTHING
        if n is not None:
            most = min(checks.whole_number("n", n, least=0), _EVERYTHING)
        tasks, known = self._prepared().take(most), self._names
        names = tuple([known[task] for task in tasks])  # faster than from a generator or map
        self._last = names, tasks
        self._started = True
        return names

    def take(self, count: int) -> tuple[T, ...]:
        """Return the best *count* ready tasks, or all if there are fewer: ``get_ready(count)``."""
        return self.get_ready(count)

    def is_active(self) -> bool:
        """Whether more progress can be made: a task is ready, or handed out and not done.

        Raises ValueError before `prepare`. ``bool(sorter)`` is the same.
        """
        return self._prepared().active()

    def __bool__(self) -> bool:
        return self.is_active()

    def done(self, *nodes: T) -> None:
        """Mark tasks as finished, which may make their children ready.

        A task that was handed out and lost may still be finished. Raises ValueError before
        `prepare`, and for a task that is unknown, was not handed out, or is done already. Earlier
        *nodes* are then done.
        """
        self._report(self._prepared().finish, nodes)

    def lost(self, *nodes: T) -> None:
        """Offer tasks that were handed out again; tasks that are done stay done.

        Raises ValueError before `prepare`, and for a task that is unknown or was not handed out.
        Earlier *nodes* are then offered again.
        """
        self._report(self._prepared().give_back, nodes)

    def _report(self, tell: Callable[[list[int]], int], nodes: tuple[T, ...]) -> None:
        """Report *nodes* to the queue; raises ValueError for the first node that it refuses."""
        # Most callers finish exactly the group that they were given. Comparing the two is far
        # cheaper than looking up every name.
        last_names, last_tasks = self._last
        same = len(nodes) == len(last_names) and all(map(is_, nodes, last_names))
        tasks = last_tasks if same else self._known(nodes)
        count = tell(tasks)
        if count < len(nodes):
            raise ValueError(f"node {nodes[count]!r} {self._objection(nodes[count])}")

    def static_order(self) -> Iterator[T]:
        """Yield all tasks, best ready task first; calls `prepare` itself.

        If *order* was given, this is that order.
        """
        self.prepare()
        while self.is_active():
            group = self.get_ready(1)
            yield from group
            self.done(*group)

    def _prepared(self) -> ReadyQueue:
        if self._queue is None:
            raise ValueError("prepare() must be called first")
        return self._queue

    @property
    def _ids(self) -> Mapping[T, int]:
        return self._added if self._dag is None else self._dag.ids

    def _known(self, nodes: Iterable[T]) -> list[int]:
        """Ids of *nodes*, up to the first that is not in the graph."""
        tasks, ids = [], self._ids
        for node in nodes:
            try:
                tasks.append(ids[node])
            except (KeyError, TypeError):
                break
        return tasks

    def _objection(self, node: T) -> str:
        if node not in self._ids:
            return "was not added using add()"
        if self._prepared().state(self._ids[node]) == ReadyQueue.State.FINISHED:
            return "was already marked done"
        return "was not passed out by get_ready()"
