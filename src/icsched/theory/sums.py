"""Sums of blocks: orders that interleave independent blocks.

Two blocks side by side may have an IC-optimal order even if neither has priority over the
other. Their profiles decide this. A share (a, b) means that a tasks of the first block and b of
the second have run. The sum has an IC-optimal order if and only if some order goes only through
shares that enable as many tasks as any share of the same a + b.

Theorem 2.1 is from Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for Task-Hungry
Computing Platforms".
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from icsched import _native
from icsched._native import BlockOrders
from icsched.arrays import Ids
from icsched.theory.decomposition import Decomposition

# How many cells one attempt may fill in all its tables of shares: about 50 milliseconds.
MOST_CELLS = 20_000_000


def interleaving(first: Sequence[int], second: Sequence[int]) -> NDArray[np.bool_] | None:
    """Return the steps at which an IC-optimal order of the sum runs a task of *second*.

    The arguments are enabled profiles of IC-optimal orders. Returns None if the sum has no
    IC-optimal order. Takes O(s1 * s2) time and memory.

    >>> interleaving([0, 2], [0, 3, 4]).tolist()  # three, then two, then one
    [True, False, True]
    >>> interleaving([0, 1], [0, 0, 3]) is None  # first the one, but for two the three
    True
    """
    return _native.interleaving(np.array(first, np.int32), np.array(second, np.int32))


def level_sums_order(parts: Decomposition, orders: BlockOrders) -> Ids | None:
    """Return an IC-optimal order of all nonsinks that interleaves the blocks of each level.

    Levels are levels of the superdag. Blocks of one level are independent, so their sum counts
    as one block. Theorem 2.1 applies to the sums if each has an IC-optimal order and priority
    over the next. Returns None if not, or if the tables would grow too large. Requires that all
    arcs lie inside blocks and that every block has an IC-optimal order.
    """
    levels = parts.superdag.levels
    attempt = _Attempt(parts, orders)
    sums: list[tuple[Ids, Ids]] = []
    by_level = np.split(np.argsort(levels, kind="stable"), np.cumsum(np.bincount(levels))[:-1])
    for blocks in by_level:
        total = attempt.sum_of(blocks.tolist())
        if total is None or (sums and not _has_priority(sums[-1][1], total[1])):
            return None
        sums.append(total)
    return np.concatenate([tasks for tasks, _ in sums])


def _has_priority(first: Ids, second: Ids) -> bool:
    """Whether the first sum has priority over the second; False if that is too much work."""
    if _bends(first) * _bends(second) > MOST_CELLS:
        return False
    over, under = _native.priority(first.astype(np.int64), second.astype(np.int64))
    return over == under


def _bends(profile: Ids) -> int:
    return int(np.count_nonzero(np.diff(profile, 2))) + 2


class _Attempt:
    """Adds up independent blocks until its cells run out."""

    def __init__(self, parts: Decomposition, orders: BlockOrders) -> None:
        self._offsets = parts.blocks.nonsinks.offsets
        self._orders = orders
        self._cells = MOST_CELLS

    def sum_of(self, blocks: list[int]) -> tuple[Ids, Ids] | None:
        """Return the order and profile of the sum of *blocks*; None if not optimal or too large."""
        tasks, profile = np.empty(0, np.int32), np.zeros(1, np.int32)
        for block in blocks:
            start, stop = self._offsets[block], self._offsets[block + 1]
            enabled = self._orders.enabled[start + block : stop + block + 1]
            self._cells -= len(profile) * len(enabled)
            steps = _native.interleaving(profile, enabled) if self._cells >= 0 else None
            if steps is None:
                return None
            merged = np.empty(len(steps), np.int32)
            merged[~steps], merged[steps] = tasks, self._orders.nonsinks[start:stop]
            taken = np.concatenate([[0], np.cumsum(steps)])
            given = np.arange(len(taken)) - taken
            tasks, profile = merged, profile[given] + enabled[taken]
        return tasks, profile
