"""The arrays that dags are made of: ids, rows, ranks, sizes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]
Sizes = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

SHORTEST, LONGEST = 1e-100, 1e100  # run times, except 0: products of such times stay finite


@dataclass(frozen=True, slots=True)
class Rows:
    """One sorted list of task ids per task: list v is targets[offsets[v]:offsets[v + 1]].

    >>> rows = Rows(np.array([0, 2, 2, 3]), np.array([5, 7, 9]))
    >>> len(rows), rows[0].tolist(), rows[1].tolist()
    (3, [5, 7], [])
    """

    offsets: Ids
    targets: Ids

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Ids:
        return self.targets[self.offsets[row] : self.offsets[row + 1]]

    @property
    def sizes(self) -> Ids:
        """Length of each list."""
        return np.diff(self.offsets)

    def take(self, which: Ids) -> Ids:
        """Return the lists of the tasks in *which*, end to end.

        >>> Rows(np.array([0, 2, 2, 3]), np.array([5, 7, 9])).take(np.array([2, 0])).tolist()
        [9, 5, 7]
        """
        starts, sizes = self.offsets[which], self.sizes[which]
        shift = starts - (np.cumsum(sizes) - sizes)
        taken: Ids = self.targets[np.arange(sizes.sum()) + np.repeat(shift, sizes)]
        return taken


class TaskId(int):
    """The id of a task, as icsched returns it. A dag never takes this for a name.

    It is an integer in all other ways.

    >>> TaskId(3), TaskId(3) == 3
    (3, True)
    """

    __slots__ = ()


def task_ids(ids: Iterable[int]) -> tuple[int, ...]:
    """Return *ids* as a tuple that a dag reads as ids, even if its tasks have integers for names.

    >>> task_ids([2, 0])
    (2, 0)
    """
    return tuple(map(TaskId, ids))


def frozen(array: Ids) -> Ids:
    """Return *array*, which cannot be changed any more.

    >>> frozen(np.array([2, 0])).flags.writeable
    False
    """
    array.flags.writeable = False
    return array


def ranks_of(order: Ids) -> Ids:
    """Return the inverse of the permutation *order*: the place of each id in it.

    >>> ranks_of(np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return ranks


def ids_where(mask: Mask) -> Ids:
    """Return the ids of the tasks for which *mask* is true, ascending.

    >>> ids_where(np.array([True, False, True])).tolist()
    [0, 2]
    """
    return np.flatnonzero(mask).astype(np.int32)


def mask_of(tasks: NDArray[np.integer[Any]] | list[int], count: int) -> Mask:
    """Return a mask over *count* tasks that is true for *tasks*.

    >>> mask_of([2, 0], 3).tolist()
    [True, False, True]
    """
    mask = np.zeros(count, bool)
    mask[tasks] = True
    return mask


def wrong_times(times: Floats) -> NDArray[np.intp]:
    """Return where *times* has no time that can be simulated: 0, or 1e-100 to 1e100.

    >>> wrong_times(np.array([0.0, 1.5, -1.0, 1e101, 1e-320, np.nan])).tolist()
    [2, 3, 4, 5]
    """
    return np.flatnonzero(~((times == 0) | ((times >= SHORTEST) & (times <= LONGEST))))


def expected_time(time: float) -> str:
    """Say what was expected instead of the wrong *time*.

    >>> expected_time(-1.0), expected_time(1e300)
    ('0 or more', '0, or 1e-100 to 1e+100')
    """
    is_extreme = 0 < time < SHORTEST or LONGEST < time < np.inf
    return f"0, or {SHORTEST:g} to {LONGEST:g}" if is_extreme else "0 or more"
