"""Checks of the inputs of dags: mappings, arcs and names."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icsched import checks
from icsched.arrays import Ids, Mask, mask_of
from icsched.errors import GraphError, UnknownTaskError

if TYPE_CHECKING:
    import typing_extensions

    # The type of task names. By the default, `Dag` alone is a dag whose names may be anything. Only
    # type checkers need the default; Python itself takes one from 3.13 on.
    T_co = typing_extensions.TypeVar("T_co", bound=Hashable, covariant=True, default=Hashable)
else:
    T_co = TypeVar("T_co", bound=Hashable, covariant=True)
T = TypeVar("T", bound=Hashable)  # the same for functions, and for what tasks can be added to

MOST_ARCS = 2**31 - 1  # limit of int32 arrays
MOST_TASKS = 2**31 - 2

Names = Sequence[Hashable]


class ParentsOf(Protocol[T_co]):
    """A mapping from tasks to their parents. Unlike a Mapping, it is covariant in the names."""

    def items(self) -> Iterable[tuple[T_co, Iterable[T_co]]]:
        """Return the tasks, each with its parents."""


class NetworkxGraph(Protocol[T_co]):
    """A graph of networkx; icsched imports networkx only to make one."""

    @property
    def nodes(self) -> Any:
        """The nodes, with their attributes."""

    def is_directed(self) -> bool:
        """Whether edges have a direction."""

    def __iter__(self) -> Iterator[T_co]: ...


def integers(values: object, what: str) -> NDArray[np.integer[Any]]:
    """Return *values* as an array of integers; raises GraphError for other values."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise GraphError(f"{what}: expected integers, got rows of unequal length") from error
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu":
        got = array.dtype if array.ndim else type(values).__name__
        raise GraphError(f"{what}: expected integers, got {got}")
    return array


def is_integer(name: object) -> bool:
    """Whether *name* is an integer, and not just equal to one as True and 1.0 are."""
    return isinstance(name, (int, np.integer)) and not isinstance(name, bool)


def mask_of_array(tasks: NDArray[Any], count: int) -> Mask:
    """Return an array of ids as a mask over *count* tasks; an array of booleans is a mask.

    Raises UnknownTaskError for an id out of range, GraphError for a mask of another size.

    >>> mask_of_array(np.array([2, 0]), 3).tolist()
    [True, False, True]
    """
    if tasks.dtype.kind == "b":
        if tasks.shape != (count,):
            expected = f"expected {count} booleans, one per task"
            raise GraphError(f"tasks: {expected}, got shape {tasks.shape}")
        return tasks.copy()
    outside = (tasks < 0) | (tasks >= count)
    if outside.any():
        raise UnknownTaskError(int(tasks[outside][0]))
    return mask_of(tasks, count)


def arc_pairs(arcs: ArrayLike, tasks: int) -> NDArray[np.integer[Any]]:
    """Return *arcs* as rows of two ids below *tasks*; raises GraphError for other values."""
    array = integers(arcs, "arcs")
    if array.size == 0:
        return array.reshape(0, 2)
    if array.ndim != 2 or array.shape[1] != 2:
        raise GraphError(f"arcs: expected shape (m, 2), got {array.shape}")
    checks.whole_number("number of arcs", len(array), least=0, most=MOST_ARCS)
    if array.min() < 0 or array.max() >= tasks:
        row = int(np.argmax(((array < 0) | (array >= tasks)).any(axis=1)))
        parent, child = array[row].tolist()
        expected = f"expected ids from 0 to {tasks - 1}" if tasks else "the dag has no tasks"
        raise GraphError(f"arc {row} ({parent} -> {child}): {expected}")
    return array


def mapping_arcs(parents_of: ParentsOf[T]) -> tuple[Sequence[T], Ids, Ids]:
    """Return the names in id order, and the parent and the child of each arc.

    Raises GraphError unless *parents_of* is a mapping from tasks to lists of tasks.
    """
    if not isinstance(parents_of, Mapping):
        raise GraphError(
            f"expected a mapping from tasks to their parents, got {type(parents_of).__name__};"
            " see Dag.from_arcs and Dag.from_networkx"
        )
    ids: dict[T, int] = {task: i for i, task in enumerate(parents_of)}
    parents: list[int] = []
    children: list[int] = []
    for task, its_parents in parents_of.items():
        if isinstance(its_parents, (str, bytes)) or not isinstance(its_parents, Iterable):
            raise GraphError(
                f"parents of task {task!r}: expected a list of tasks, got {its_parents!r}"
            )
        for parent in in_order(its_parents):
            try:
                parents.append(ids.setdefault(parent, len(ids)))
            except TypeError:
                problem = f"a task cannot be called {parent!r}"
                raise GraphError(f"parents of task {task!r}: {problem}") from None
            children.append(ids[task])
    checks.whole_number("number of tasks", len(ids), least=0, most=MOST_TASKS)
    checks.whole_number("number of arcs", len(parents), least=0, most=MOST_ARCS)
    return canonical_names(tuple(ids)), np.array(parents, np.int32), np.array(children, np.int32)


def checked_names(tasks: int, names: Sequence[T] | None) -> Sequence[T]:
    """Return *names*, a different name for each task (ids if None); raises GraphError."""
    if names is None:
        return cast("Sequence[T]", range(tasks))
    if isinstance(names, np.ndarray):
        names = names.tolist()
    if not isinstance(names, Sequence) or isinstance(names, str):
        raise GraphError(f"names: expected a list, got {type(names).__name__}")
    if len(names) != tasks:
        raise GraphError(f"names: expected {tasks}, one per task, got {len(names)}")
    if isinstance(names, range) and names == range(tasks):
        return cast("Sequence[T]", names)
    seen: set[Hashable] = set()
    for name in names:
        try:
            if name in seen:
                raise GraphError(f"names: {name!r} occurs twice")
            seen.add(name)
        except TypeError:
            raise GraphError(f"names: a task cannot be called {name!r}") from None
    return canonical_names(tuple(names))


def canonical_names(names: tuple[T, ...]) -> Sequence[T]:
    """Return a range if *names* are just the ids, so that equal dags behave alike."""
    numbers = range(len(names))
    is_ids = names and names[0] == 0 and names == tuple(numbers)
    return cast("Sequence[T]", numbers) if is_ids else names


def in_order(parents: Iterable[T]) -> Iterable[T]:
    """Return *parents* in an order that does not depend on the hash seed, even for a set.

    >>> in_order({"b", "a"})
    ['a', 'b']
    """
    if not isinstance(parents, Set):
        return parents
    return sorted(parents, key=lambda task: (type(task).__name__, repr(task)))


def check_ends(used: list[int], inner: Mask, names: Names, what: str) -> None:
    """Raise GraphError unless *used* are different tasks, and none of them is *inner*."""
    tasks = integers(used, "tasks to merge")
    wrong = np.flatnonzero(mask_of_array(tasks, len(names)) & inner)
    if len(wrong):
        raise GraphError(f"cannot merge {names[wrong[0]]!r}: not among the {what}")
    if len(set(used)) < len(used):
        raise GraphError(f"cannot merge: one of the {what} occurs twice")
