"""A drop-in for `graphlib.TopologicalSorter` that hands out the best tasks first."""

from collections.abc import Hashable, Iterable, Iterator, Mapping
from operator import is_
from types import GenericAlias

import numpy as np

from icsched import _native
from icsched._native import ReadyQueue
from icsched.arrays import Ids, Rows, ranks_of
from icsched.dag import Dag, in_order
from icsched.errors import CycleError
from icsched.orders import prioritize
from icsched.pebble import Order, check_order

_EVERYTHING = 2**63 - 1


class Sorter:
    """Hand out the tasks of a graph as their parents finish.

    The protocol is that of `graphlib.TopologicalSorter`: `add` tasks, `prepare`, then
    `get_ready` and `done` while `is_active`; or `static_order` for a whole order. Two
    things are added: ``Sorter(dag)`` hands out the ready tasks that come first in *order*,
    by default that of `prioritize`, and ``get_ready(n)`` hands out the best n and keeps the
    rest. A sorter that is not made from a Dag hands out tasks as they become ready.

    >>> dag = Dag({"a": [], "b": [], "c": ["b"], "d": ["b"]})
    >>> sorter = Sorter(dag)
    >>> sorter.prepare()
    >>> sorter.get_ready(1)
    ('b',)
    >>> sorter.done("b")
    >>> sorter.get_ready()
    ('a', 'c', 'd')
    """

    def __class_getitem__(cls, item: object) -> GenericAlias:
        """Allow ``Sorter[str]`` in annotations, as graphlib does."""
        return GenericAlias(cls, item)

    def __init__(
        self,
        graph: Dag | Mapping[Hashable, Iterable[Hashable]] | None = None,
        *,
        order: Order | None = None,
    ) -> None:
        self._queue: ReadyQueue | None = None
        self._started = False
        self._ranks = np.empty(0, np.int32)
        # The group handed out last: names and ids. Replaced as a whole, so that threads may share
        # a sorter.
        self._last: tuple[tuple[Hashable, ...], list[int]] = ((), [])
        if isinstance(graph, Dag):
            self._graph: _DagGraph | _GrowingGraph = _DagGraph(graph)
            best = prioritize(graph).order if order is None else check_order(graph, order)
            self._ranks = ranks_of(best)
        elif order is not None:
            raise ValueError("order: task ids need a Dag; pass Sorter(Dag(mapping), order=...)")
        else:
            self._graph = _GrowingGraph()
            for task, parents in (graph or {}).items():
                self._graph.add(task, parents)

    def add(self, node: Hashable, *predecessors: Hashable) -> None:
        """Add a task and its parents; may be called again for the same task.

        Parents add up over calls. Raises ValueError after `prepare`, or for a sorter made
        from a Dag, which never changes.
        """
        if self._queue is not None:
            raise ValueError("Nodes cannot be added after a call to prepare()")
        if isinstance(self._graph, _DagGraph):
            raise ValueError("cannot add to a sorter made from a Dag: a Dag never changes")
        self._graph.add(node, predecessors)

    def prepare(self) -> None:
        """Close the graph and check it for cycles.

        May be called again until the first `get_ready`. Raises CycleError for a cycle;
        then the sorter still hands out every task that no cycle blocks.
        """
        if self._started:
            raise ValueError("cannot prepare() after starting iteration")
        children, parents, cycle = self._graph.rows()
        self._queue = ReadyQueue(children, parents, self._ranks)
        if len(cycle):
            names = self._graph.names
            raise CycleError([names[task] for task in [*cycle, cycle[0]]])

    def get_ready(self, n: int | None = None) -> tuple[Hashable, ...]:
        """Return ready tasks not handed out before, best first: all of them, or *n* at most.

        Raises ValueError before `prepare` or for a negative *n*.
        """
        if n is not None and n < 0:
            raise ValueError(f"n: expected 0 or more, got {n}")
        tasks = self._prepared().take(_EVERYTHING if n is None else min(n, _EVERYTHING))
        names = tuple(map(self._graph.names.__getitem__, tasks))
        self._last = names, tasks
        self._started = True
        return names

    def is_active(self) -> bool:
        """Whether more progress can be made: a task is ready, or handed out and not done.

        Raises ValueError before `prepare`. ``bool(sorter)`` is the same.
        """
        return self._prepared().active()

    def __bool__(self) -> bool:
        return self.is_active()

    def done(self, *nodes: Hashable) -> None:
        """Mark tasks as finished, which may make their children ready.

        Raises ValueError before `prepare` and for a task that is not in the graph, was
        not handed out, or is done already; tasks named before that one stay done.
        """
        queue = self._prepared()
        # Most callers finish the very group they were given: comparing it is far cheaper
        # than looking every name up.
        last_names, last_tasks = self._last
        same = len(nodes) == len(last_names) and all(map(is_, nodes, last_names))
        tasks = last_tasks if same else self._known(nodes)
        count = queue.finish(tasks)
        if count < len(nodes):
            raise ValueError(f"node {nodes[count]!r} {self._objection(nodes[count])}")

    def static_order(self) -> Iterator[Hashable]:
        """Yield all tasks, best ready task first; calls `prepare` itself.

        With *order* given, this is that order.
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

    def _known(self, nodes: Iterable[Hashable]) -> list[int]:
        """Ids of *nodes*, up to the first that is not, or cannot be, in the graph."""
        tasks = []
        for node in nodes:
            try:
                tasks.append(self._graph.ids[node])
            except (KeyError, TypeError):
                break
        return tasks

    def _objection(self, node: Hashable) -> str:
        if node not in self._graph.ids:
            return "was not added using add()"
        if self._prepared().state(self._graph.ids[node]) == ReadyQueue.State.FINISHED:
            return "was already marked done"
        return "was not passed out by get_ready()"


class _GrowingGraph:
    """Tasks and arcs as they are added by name; may hold cycles."""

    def __init__(self) -> None:
        self.ids: dict[Hashable, int] = {}
        self.names: list[Hashable] = []
        self._parents: list[int] = []
        self._children: list[int] = []

    def add(self, node: Hashable, predecessors: Iterable[Hashable]) -> None:
        task = self._id(node)
        for predecessor in in_order(predecessors):
            self._parents.append(self._id(predecessor))
            self._children.append(task)

    def _id(self, node: Hashable) -> int:
        task = self.ids.get(node)
        if task is None:
            task = self.ids[node] = len(self.names)
            self.names.append(node)
        return task

    def rows(self) -> tuple[Rows, Rows, Ids]:
        parents = np.array(self._parents, np.int32)
        children = np.array(self._children, np.int32)
        child_rows, parent_rows, _, cycle = _native.build(len(self.names), parents, children)
        return child_rows, parent_rows, cycle


class _DagGraph:
    """A Dag in the shape that Sorter works on."""

    def __init__(self, dag: Dag) -> None:
        self._dag = dag
        self.ids = dag.ids
        self.names = list(dag.names)  # a list hands out items faster than a tuple

    def rows(self) -> tuple[Rows, Rows, Ids]:
        return self._dag.child_rows, self._dag.parent_rows, np.empty(0, np.int32)
