"""What dags are made from, checked: arcs, names, and parents in any kind of collection."""

from collections.abc import Hashable, Iterable, Sequence, Set
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from icsched.errors import GraphError

Names = Sequence[Hashable]


def check_size(what: str, size: int, most: int) -> None:
    """Raise GraphError unless *size* fits the int32 arrays that hold a dag."""
    if size < 0:
        raise GraphError(f"number of {what}: expected 0 or more, got {size}")
    if size > most:
        raise GraphError(f"number of {what}: expected at most {most:,}, got {size:,}")


def task_count(tasks: int) -> int:
    """Return *tasks* as an int; raises GraphError unless it is one."""
    try:
        return index(tasks)
    except TypeError:
        raise GraphError(f"number of tasks: expected an integer, got {tasks!r}") from None


def integers(values: object, what: str) -> NDArray[np.integer[Any]]:
    """Return *values* as an array of integers; raises GraphError unless they are."""
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


def task_ids(tasks: Iterable[int]) -> NDArray[np.integer[Any]]:
    """Return *tasks* as an array of integers; raises GraphError that shows what is no id."""
    given = tasks if isinstance(tasks, np.ndarray) else list(tasks)
    try:
        return integers(given, "tasks")
    except GraphError as error:
        plain = np.asarray(given).tolist() if isinstance(given, np.ndarray) else given
        strange = [task for task in plain if type(task) is not int]
        if not strange:  # integers that are too large for an array
            raise
        raise GraphError(f"expected task ids, got {strange[0]!r}") from error


def arc_pairs(arcs: ArrayLike) -> NDArray[np.integer[Any]]:
    """Return *arcs* as rows of two integers; raises GraphError unless they are."""
    array = integers(arcs, "arcs")
    if array.size == 0:
        return array.reshape(0, 2)
    if array.ndim != 2 or array.shape[1] != 2:
        raise GraphError(f"arcs: expected shape (m, 2), got {array.shape}")
    return array


def checked_names(tasks: int, names: Names) -> Names:
    """Return *names*, one different name per task; raises GraphError unless they are."""
    if isinstance(names, np.ndarray):
        names = names.tolist()
    if not isinstance(names, Sequence) or isinstance(names, str):
        raise GraphError(f"names: expected a list, got {type(names).__name__}")
    if len(names) != tasks:
        raise GraphError(f"names: expected {tasks}, one per task, got {len(names)}")
    if isinstance(names, range) and names == range(tasks):
        return names
    seen: set[Hashable] = set()
    for name in names:
        if name in seen:
            raise GraphError(f"names: {name!r} occurs twice")
        seen.add(name)
    return canonical_names(tuple(names))


def canonical_names(names: tuple[Hashable, ...]) -> Names:
    """Return a range if *names* are just the ids, so that equal dags behave alike."""
    numbers = range(len(names))
    return numbers if names and names[0] == 0 and names == tuple(numbers) else names


def in_order(parents: Iterable[Hashable]) -> Iterable[Hashable]:
    """Return *parents* in an order that does not depend on the hash seed, even for a set.

    >>> in_order({"b", "a"})
    ['a', 'b']
    """
    if not isinstance(parents, Set):
        return parents
    return sorted(parents, key=lambda task: (type(task).__name__, repr(task)))


def joined_names(first: Names, second: Names, fresh: NDArray[np.intp]) -> Names | None:
    """Return the names of a composition; None if they collide or either dag has none."""
    if isinstance(first, range) or isinstance(second, range):
        return None
    names = (*first, *(second[task] for task in fresh))
    return names if len(set(names)) == len(names) else None
