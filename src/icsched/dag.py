"""The dag: tasks with dense ids, the user's names, and arcs as arrays.

A `Dag` never changes. Tasks are the integers ``0 .. len(dag) - 1``; `Dag.names` maps an
id to the user's name, and `Dag.id_of` a name to its id. Children and parents are held as int32 rows
(compressed sparse rows), so a million tasks cost a few dozen megabytes. `dag_of` makes a dag of any
graph that a user gives.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Protocol, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icsched import _native, checks
from icsched.arrays import Ids, Mask, Rows, TaskId, frozen, ids_where, mask_of
from icsched.errors import ArgumentError, CycleError, GraphError, UnknownTaskError, not_installed
from icsched.frames import Shown
from icsched.graph_inputs import (
    MOST_TASKS,
    NetworkxGraph,
    ParentsOf,
    T,
    T_co,
    arc_pairs,
    canonical_names,
    check_ends,
    checked_names,
    is_integer,
    mapping_arcs,
    mask_of_array,
)

if TYPE_CHECKING:
    import networkx


class Dag(Shown, Generic[T_co]):
    """A directed acyclic graph of tasks.

    ``Dag(mapping)`` takes what `graphlib.TopologicalSorter` takes: each task with its
    parents. Ids follow the mapping's order; a task that occurs only as a parent gets the
    next free id, in order of first mention. Repeated arcs count once.

    `names` has the user's names by task id; it is ``range(len(dag))`` if none were given.
    `child_rows` and `parent_rows` have the children and parents of all tasks, for kernels and array
    code. `fifo_order` is a topological order: sources by id, then each task when its last parent
    has run. `arc_count` counts the arcs.

    Raises CycleError, which names the cycle, if the graph has one.

    >>> dag = Dag({"a": [], "b": ["a"], "c": ["a", "b"]})
    >>> dag
    Dag(tasks=3, arcs=3)
    >>> [dag.names[task] for task in dag.children("a")]
    ['b', 'c']
    >>> "b" in dag, list(dag)
    (True, ['a', 'b', 'c'])
    """

    names: Sequence[T_co]
    child_rows: Rows
    parent_rows: Rows
    fifo_order: Ids
    arc_count: int

    def __init__(self, parents_of: ParentsOf[T_co]) -> None:
        names, parents, children = mapping_arcs(parents_of)
        self._fill(len(names), parents, children, names)

    @overload
    @classmethod
    def from_arcs(cls, tasks: int, arcs: ArrayLike, *, names: Sequence[T_co]) -> Dag[T_co]: ...

    @overload
    @classmethod
    def from_arcs(cls, tasks: int, arcs: ArrayLike, *, names: None = None) -> Dag[int]: ...

    @classmethod
    def from_arcs(
        cls, tasks: int, arcs: ArrayLike, *, names: Sequence[Any] | None = None
    ) -> Dag[Any]:
        """Build a dag of *tasks* tasks from *arcs*, rows of (parent id, child id).

        *arcs* is a sequence of pairs or an integer array of shape (m, 2). Without *names*
        a task's name is its id. Takes O(tasks + arcs) time.

        Raises GraphError for ids out of range, arcs that are not integers or not pairs, or
        repeated names; ArgumentError for sizes that int32 cannot hold; CycleError for a cycle.

        >>> Dag.from_arcs(3, [(0, 1), (0, 2)]).sinks.tolist()
        [1, 2]
        """
        count = checks.whole_number("number of tasks", tasks, least=0, most=MOST_TASKS)
        return cls._from_checked(arc_pairs(arcs, count), checked_names(count, names))

    @classmethod
    def _from_checked(cls, arcs: NDArray[np.integer[Any]], names: Sequence[T_co]) -> Dag[T_co]:
        dag = cls.__new__(cls)
        parents = np.ascontiguousarray(arcs[:, 0], np.int32)
        children = np.ascontiguousarray(arcs[:, 1], np.int32)
        dag._fill(len(names), parents, children, names)
        return dag

    def _fill(self, tasks: int, parents: Ids, children: Ids, names: Sequence[T_co]) -> None:
        child_rows, parent_rows, order, cycle = _native.build(tasks, parents, children)
        if len(cycle):
            raise CycleError([names[task] for task in [*cycle, cycle[0]]])
        for rows in (child_rows, parent_rows):
            frozen(rows.offsets)
            frozen(rows.targets)
        vars(self).update(
            names=names,
            child_rows=child_rows,
            parent_rows=parent_rows,
            fifo_order=frozen(order),
            arc_count=len(child_rows.targets),
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Dag never changes: its {name} cannot be set")

    # Size, names, identity

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        """Whether a task is called *name*."""
        try:
            return name in self.ids
        except TypeError:  # a list cannot be a name
            return False

    def __iter__(self) -> Iterator[T_co]:
        """Iterate over the names in id order."""
        return iter(self.names)

    def id_of(self, name: Hashable) -> int:
        """Return the id of the task called *name*; raises UnknownTaskError.

        >>> Dag({"a": [], "b": ["a"]}).id_of("b")
        1
        """
        try:
            return self.ids[name]  # type: ignore[index]  # it raises if this is not a name
        except (KeyError, TypeError):  # a list cannot be a name
            raise UnknownTaskError(name) from None

    @cached_property
    def ids(self) -> Mapping[T_co, int]:
        """The id of each name, in id order."""
        return MappingProxyType({name: task for task, name in enumerate(self.names)})

    def __repr__(self) -> str:
        return f"Dag(tasks={len(self)}, arcs={self.arc_count})"

    def __eq__(self, other: object) -> bool:
        """Equal dags have the same names in the same id order and the same arcs."""
        if not isinstance(other, Dag):
            return NotImplemented
        return (
            np.array_equal(self.child_rows.offsets, other.child_rows.offsets)
            and np.array_equal(self.child_rows.targets, other.child_rows.targets)
            and (self.names == other.names or tuple(self.names) == tuple(other.names))
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Dag._from_checked, (self.arcs, self.names)

    def __hash__(self) -> int:
        return hash((len(self), self.child_rows.targets.tobytes()))

    # Neighbours and shape

    def children(self, task: Hashable) -> Ids:
        """Return the ids of the children of *task*, a name or an id, ascending.

        If the names of tasks are integers, an integer is a name, except for ids that batches,
        clusters and games return. ``child_rows[id]`` takes only ids, and is faster. Raises
        UnknownTaskError for an unknown task.
        """
        return self.child_rows[self.find(task)]

    def parents(self, task: Hashable) -> Ids:
        """Return the ids of the parents of *task*, a name or an id, as `children` does."""
        return self.parent_rows[self.find(task)]

    def find(self, task: Hashable) -> int:
        """Return the id of *task*, a name or an id, as `children` takes it.

        >>> Dag({"a": [], "b": ["a"]}).find("b"), Dag({"a": [], "b": ["a"]}).find(1)
        (1, 1)
        >>> Dag({1: [], 2: [1]}).find(1)  # the name of the first task
        0
        """
        is_name = self.numbers_are_names and not isinstance(task, TaskId)
        if is_name or not isinstance(task, (int, np.integer)):
            found = -1 if isinstance(self.names, range) else self.id_of(task)
            if found < 0 or is_integer(task) != is_integer(self.names[found]):  # 1.0 and True == 1
                raise UnknownTaskError(task)
            return found
        if isinstance(task, bool) or not 0 <= task < len(self):
            raise UnknownTaskError(task)
        return int(task)

    @cached_property
    def numbers_are_names(self) -> bool:
        """Whether the names of tasks are integers, but not their ids."""
        named = not isinstance(self.names, range)
        return named and any(isinstance(name, (int, np.integer)) for name in self.names)

    def mask(self, tasks: Iterable[Hashable]) -> Mask:
        """Return one boolean per task of the dag: whether it is among *tasks*, names or ids.

        An array of integers holds ids, and an array of booleans is the mask itself. Raises
        GraphError for an array of booleans with a wrong length, and the errors of `children`.

        >>> dag = Dag({"a": [], "b": ["a"], "c": ["a"]})
        >>> dag.mask(["c", "a"]).tolist(), dag.mask([1]).tolist()
        ([True, False, True], [False, True, False])
        """
        if isinstance(tasks, np.ndarray) and tasks.dtype.kind in "biu":
            return mask_of_array(tasks, len(self))
        given = tasks.tolist() if isinstance(tasks, np.ndarray) else tasks
        return mask_of([self.find(task) for task in given], len(self))

    @cached_property
    def arcs(self) -> Ids:
        """All arcs as rows of (parent id, child id), sorted."""
        parents = np.repeat(np.arange(len(self), dtype=np.int32), self.out_degrees)
        return frozen(np.column_stack([parents, self.child_rows.targets]))

    @cached_property
    def in_degrees(self) -> Ids:
        """Number of parents of each task."""
        return frozen(self.parent_rows.sizes)

    @cached_property
    def out_degrees(self) -> Ids:
        """Number of children of each task."""
        return frozen(self.child_rows.sizes)

    @cached_property
    def sources(self) -> Ids:
        """Tasks without parents, ids ascending."""
        return frozen(ids_where(self.in_degrees == 0))

    @cached_property
    def sinks(self) -> Ids:
        """Tasks without children, ids ascending."""
        return frozen(ids_where(self.out_degrees == 0))

    @cached_property
    def nonsinks(self) -> Ids:
        """Tasks with children, ids ascending."""
        return frozen(ids_where(self.out_degrees > 0))

    @cached_property
    def levels(self) -> Ids:
        """Length in arcs of the longest path from a source to each task.

        >>> Dag({"a": [], "b": ["a"], "c": ["a", "b"]}).levels.tolist()
        [0, 1, 2]
        """
        ones = np.ones(len(self))
        return frozen(_native.longest_paths(self.child_rows, self.fifo_order, ones).astype("i4"))

    @property
    def is_bipartite(self) -> bool:
        """Whether every task is a source or a sink."""
        return not bool(np.any((self.in_degrees > 0) & (self.out_degrees > 0)))

    @cached_property
    def connected_parts(self) -> tuple[Ids, ...]:
        """Task ids of each connected part; the direction of arcs does not matter.

        Parts are ordered by their smallest task.

        >>> [part.tolist() for part in Dag({"a": [], "b": [], "c": ["a"]}).connected_parts]
        [[0, 2], [1]]
        """
        label = _native.connected_parts(self.child_rows)
        by_part = np.argsort(label, kind="stable").astype(np.int32)
        ends = np.cumsum(np.bincount(label))
        return tuple(frozen(part) for part in np.split(by_part, ends[:-1])) if len(self) else ()

    # New dags from old

    def induced(self, tasks: Iterable[Hashable]) -> Dag[T_co]:
        """Return the subdag on *tasks*, in ascending id order and with their names.

        *tasks* are names or ids, as `mask` takes them.

        >>> dag = Dag({"a": [], "b": ["a"], "c": ["b"]})
        >>> dag.induced(["a", "c"]).names
        ('a', 'c')
        """
        return self._subdag(self.mask(tasks))

    def residual(self, executed: Iterable[Hashable]) -> Dag[T_co]:
        """Return the dag of the tasks that are not *executed* (names or ids, as `mask` takes them).

        Raises GraphError if a task is in *executed* and one of its parents is not.

        >>> Dag({"a": [], "b": ["a"], "c": ["b"]}).residual(["a"]).names
        ('b', 'c')
        """
        gone = self.mask(executed)
        early = np.flatnonzero(gone[self.arcs[:, 1]] & ~gone[self.arcs[:, 0]])
        if len(early):
            parent, child = (self.names[task] for task in self.arcs[early[0]])
            raise GraphError(f"task {child!r} cannot have run: its parent {parent!r} has not")
        return self._subdag(~gone)

    def dual(self) -> Dag[T_co]:
        """Return the dag with every arc reversed.

        >>> Dag({"a": [], "b": ["a"]}).dual().children(1).tolist()
        [0]
        """
        return Dag._from_checked(self.arcs[:, ::-1], self.names)

    def with_arcs(self, keep: Mask) -> Dag[T_co]:
        """Return the dag with the same tasks, and only the `arcs` for which *keep* is true.

        >>> Dag({"a": [], "b": ["a"], "c": ["a", "b"]}).with_arcs(np.array([True, False, True]))
        Dag(tasks=3, arcs=2)
        """
        return Dag._from_checked(self.arcs[keep], self.names)

    def __add__(self, other: Dag[T]) -> Dag[T_co | T | int]:
        """Return the sum: both dags side by side. The ids of *other* follow the ids of this dag."""
        return self.compose(other, []) if isinstance(other, Dag) else NotImplemented

    def compose(self, other: Dag[T], merge: Iterable[tuple[int, int]]) -> Dag[T_co | T | int]:
        """Return this dag composed with *other*: each pair in *merge* becomes one task.

        Each pair holds the id of a sink of this dag and the id of a source of *other*. This dag's
        tasks keep their ids. The other tasks of *other* follow in order. A merged task keeps its
        name in this dag. If names collide, or if one of the dags has no names, the names of the
        result are its ids.

        >>> fork, join = Dag.from_arcs(3, [(0, 1), (0, 2)]), Dag.from_arcs(3, [(0, 2), (1, 2)])
        >>> fork.compose(join, [(1, 0), (2, 1)]).arcs.tolist()
        [[0, 1], [0, 2], [1, 3], [2, 3]]
        """
        sinks, sources = [list(ends) for ends in zip(*merge, strict=True)] or ([], [])
        check_ends(sinks, self.out_degrees > 0, self.names, "sinks of the first dag")
        check_ends(sources, other.in_degrees > 0, other.names, "sources of the second")
        new_id = np.full(len(other), -1, np.int32)
        new_id[sources] = sinks
        fresh = np.flatnonzero(new_id < 0)
        tasks = len(self) + len(fresh)
        new_id[fresh] = np.arange(len(self), tasks)
        arcs = np.concatenate([self.arcs, new_id[other.arcs]])
        if isinstance(self.names, range) or isinstance(other.names, range):
            return Dag.from_arcs(tasks, arcs)
        names: tuple[Any, ...] = (*self.names, *(other.names[t] for t in fresh.tolist()))
        if len(set(names)) < tasks:
            return Dag.from_arcs(tasks, arcs)
        return Dag.from_arcs(tasks, arcs, names=names)

    def _subdag(self, keep: Mask) -> Dag[T_co]:
        new_id = np.cumsum(keep, dtype=np.int32) - 1
        inside = keep[self.arcs].all(axis=1)
        names = canonical_names(tuple(compress(self.names, keep.tolist())))
        return Dag._from_checked(new_id[self.arcs[inside]], names)

    # To and from other libraries

    def to_mapping(self) -> dict[T_co, list[T_co]]:
        """Return each task's parents by name, as `graphlib.TopologicalSorter` takes them.

        >>> Dag({"a": [], "b": ["a"]}).to_mapping()
        {'a': [], 'b': ['a']}
        """
        name = self.names
        return {name[task]: [name[p] for p in self.parent_rows[task]] for task in range(len(self))}

    @classmethod
    def from_networkx(cls, graph: NetworkxGraph[T_co]) -> Dag[T_co]:
        """Build from a networkx DiGraph; node keys become names, parallel arcs collapse.

        Attributes are not kept; ``Workflow.from_networkx(graph, run_times="seconds")`` keeps a
        node attribute as run times.
        """
        given: Any = graph
        if not hasattr(given, "is_directed") or not hasattr(given, "edges"):
            raise GraphError(f"expected a networkx graph, got {type(given).__name__}")
        if not given.is_directed():
            raise GraphError("expected a directed networkx graph, got an undirected one")
        ids = {node: task for task, node in enumerate(given.nodes)}
        arcs = [(ids[parent], ids[child]) for parent, child in given.edges()]
        return cls.from_arcs(len(ids), arcs, names=tuple(ids))

    def to_networkx(self) -> networkx.DiGraph[T_co]:
        """Return a networkx DiGraph whose nodes are the names.

        Raises EngineError if networkx is not installed.
        """
        try:
            import networkx as nx
        except ImportError:
            raise not_installed("networkx", "networkx") from None
        graph: networkx.DiGraph[T_co] = nx.DiGraph()
        graph.add_nodes_from(self.names)
        name = self.names
        graph.add_edges_from((name[parent], name[child]) for parent, child in self.arcs.tolist())
        return graph


# Graphs and values from users


class HasDag(Protocol[T_co]):
    """A workflow, a plan, or anything else that has a dag.

    If some tasks are done already, `residual` is an object with the dag of the other tasks.
    """

    @property
    def dag(self) -> Dag[T_co]:
        """The dag."""


class ByName(Protocol):
    """A mapping from names to numbers. Unlike a Mapping, it is covariant in the names."""

    def items(self) -> Iterable[tuple[Hashable, float]]:
        """Return the names, each with its number."""


Graph: TypeAlias = Dag[T_co] | HasDag[T_co] | ParentsOf[T_co] | NetworkxGraph[T_co]

PerTask: TypeAlias = ArrayLike | ByName  # a sequence by id, or a mapping from names


def dag_of(graph: Graph[T]) -> Dag[T]:
    """Return *graph* as a dag; raises GraphError if that is not possible.

    *graph* is a `Dag`, an object with a `Dag` as `dag` (a workflow, a plan), a mapping from tasks
    to their parents, or a directed graph of networkx. The dag of a workflow has only the tasks that
    are left to run.

    >>> dag_of({"a": [], "b": ["a"]})
    Dag(tasks=2, arcs=1)
    """
    left = getattr(graph, "residual", graph)
    dag = graph if isinstance(graph, Dag) else getattr(left, "dag", None)
    if isinstance(dag, Dag):
        return dag
    if isinstance(graph, Mapping):
        return Dag(graph)
    given: Any = graph
    if hasattr(given, "is_directed"):
        return Dag.from_networkx(given)
    expected = "a Dag, a workflow, a mapping, or a graph of networkx"
    hint = "; icsched.read reads a file" if isinstance(given, str | PathLike) else ""
    raise GraphError(f"expected {expected}, got {type(given).__name__}{hint}")


def values_by_id(dag: Dag, what: str, given: PerTask) -> Any:
    """Return the values of a mapping from names, or of a labelled series, by id.

    Anything else is returned unchanged; a series whose labels are 0, 1, 2, ... is in the order of
    ids already. Raises ArgumentError for a task without a value, or for a label that occurs twice.

    >>> values_by_id(Dag({"a": [], "b": ["a"]}), "sizes", {"b": 3, "a": 2})
    [2, 3]
    """
    if isinstance(given, Mapping):
        values = given
    elif hasattr(given, "index") and hasattr(given, "to_dict"):  # a Series of pandas
        series: Any = given
        repeated = series.index[series.index.duplicated()].tolist()
        if repeated:
            raise ArgumentError(f"{what}: the label {repeated[0]!r} occurs twice")
        values = series.to_dict()
        if list(values) == list(range(len(values))) and not dag.numbers_are_names:
            return given
    else:
        return given
    try:
        return [values[name] for name in dag.names]
    except KeyError as error:
        raise ArgumentError(f"{what}: expected one for each task, none for {error}") from None
