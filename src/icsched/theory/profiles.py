"""Profiles of parts combined side by side or one after the other, and of duals.

A profile has the number of enabled nonsources after 0, 1, 2, ... nonsinks have run. The functions
take profiles of orders and bounds alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from icsched import _native
from icsched.dag import Dag

Counts = NDArray[np.int64]
NOTHING: Counts = np.zeros(1, np.int64)
T = TypeVar("T")


@dataclass
class Allowance:
    """Remaining work of one kind.

    Work is counted, not timed, so that results are the same on every machine.
    """

    left: int

    def take(self, amount: int) -> bool:
        """Take *amount* if it is left; return whether it was."""
        if amount > self.left:
            return False
        self.left -= amount
        return True

    def rationed(self, parts: Iterable[T], sizes: Sequence[int]) -> Iterator[T]:
        """Yield each part; until the next is asked for, only the part's share is left.

        A share is proportional to the size of the part, and at least twice this size. What a part
        does not use is left for later parts.
        """
        left = sum(sizes)
        for part, size in zip(parts, sizes, strict=True):
            aside = max(0, self.left - max(self.left * size // left, 2 * size))
            self.left -= aside
            yield part
            self.left += aside
            left -= size


def side_by_side(first: Counts, second: Counts) -> Counts:
    """Return the best of two independent parts: the max-plus convolution.

    >>> side_by_side(np.array([0, 2]), np.array([0, 0, 3])).tolist()
    [0, 2, 3, 5]
    """
    both = (np.ascontiguousarray(part, np.int32) for part in (first, second))
    return _native.max_plus(*both).astype(np.int64)


def total(parts: Iterable[tuple[Counts, int]], cells: Allowance) -> Counts | None:
    """Return the best of independent parts, each profile with its number of copies.

    Concave profiles, no step of which gains more than the step before, are merged in linear time.
    Other profiles are convolved, the shortest first. Returns None if *cells* are not enough.

    >>> total([(np.array([0, 0, 3]), 2), (np.array([0, 2]), 1)], Allowance(100)).tolist()
    [0, 2, 3, 5, 6, 8]
    """
    gains, rest = [NOTHING[1:]], []
    for profile, copies in parts:
        if (np.diff(profile, 2) <= 0).all():
            gains.append(np.repeat(np.diff(profile), copies))
            continue
        power, square, left = NOTHING, profile, copies
        while left:  # copies are convolved by squaring
            if left & 1:
                if not cells.take(len(power) * len(square)):
                    return None
                power = side_by_side(power, square)
            left >>= 1
            if left:
                if not cells.take(len(square) ** 2):
                    return None
                square = side_by_side(square, square)
        rest.append(power)
    result = np.append(0, np.cumsum(-np.sort(-np.concatenate(gains))))
    for profile in sorted(rest, key=len):
        if not cells.take(len(result) * len(profile)):
            return None
        result = side_by_side(result, profile)
    return result


def turned(dual: Counts, nonsinks: int) -> Counts:
    """Return the bound of a dag of *nonsinks* nonsinks from a bound of its dual.

    If some nonsinks enable some nonsources, then in the dual all other nonsources enable all other
    nonsinks. With N nonsources and s nonsinks, x nonsinks can enable e nonsources if and only if in
    the dual N - e tasks can enable s - x.

    >>> turned(np.array([0, 0, 0, 1]), 1).tolist()  # a join of three turned into a fork
    [0, 3]
    """
    rising = np.minimum.accumulate(dual[::-1])[::-1]  # the best profile never falls
    needed = np.searchsorted(rising, nonsinks - np.arange(nonsinks + 1), side="left")
    return (len(dual) - 1 - needed).astype(np.int64)


def series_gains(profile: Counts, sinks: int, sources: int) -> Counts:
    """Return the gains of the steps of a part in a series.

    The first entry has the sources of the part: the last step before the part enables them.

    >>> series_gains(np.array([0, 0, 1]), 1, 2).tolist()
    [2, 0, 1]
    """
    gains = np.append(np.diff(profile, prepend=0), np.zeros(sinks - 1, np.int64))
    gains[0] = sources
    return gains


def in_series(parts: Sequence[Counts], nonsinks: int) -> Counts:
    """Return the profile of parts one after the other from the `series_gains` of each.

    >>> fork, join = np.array([0, 2]), np.array([0, 0, 1])
    >>> in_series([series_gains(fork, 2, 1), series_gains(join, 1, 2)], 5).tolist()
    [0, 2, 2, 4, 4, 5]
    """
    gains = np.concatenate(parts)[: nonsinks + 1]
    counts: Counts = np.cumsum(gains) - gains[0]
    return counts


def tree_bound(dag: Dag) -> Counts | None:
    """Return the best profile of a connected bipartite dag that is a tree; None for other dags.

    Sinks with the same parents count as one sink of more weight.

    >>> tree_bound(Dag({"a": [], "b": [], "c": ["a", "b"], "d": ["a", "b"]})).tolist()
    [0, 0, 2]
    """
    if not dag.is_bipartite:
        return None
    states = np.zeros(len(dag), np.uint8)
    states[dag.nonsinks] = _native.TaskState.OFFERED
    front = _native.batch_front(dag.child_rows, dag.parent_rows, states, dag.nonsinks)
    if len(front.sinks.targets) != len(front.sinks) + len(front.yields) - 1:
        return None
    return _native.tree_profile(front).astype(np.int64)


def bends(reached: Counts) -> Counts:
    """Return the steps at which the concave envelope of a profile bends, the last one included.

    >>> bends(np.array([0, 3, 3, 4, 5])).tolist()
    [1, 4]
    """
    corners: list[int] = []
    for t, count in enumerate(reached.tolist()):
        while len(corners) > 1:
            a, b = corners[-2:]
            if (reached[b] - reached[a]) * (t - a) > (count - reached[a]) * (b - a):
                break
            corners.pop()
        corners.append(t)
    return np.array(corners[1:])
