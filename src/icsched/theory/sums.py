"""Sums of blocks: orders that interleave independent blocks.

Two blocks side by side may have an IC-optimal order even if neither has priority over the
other. Their profiles decide: the sum has one if and only if some monotone path of shares
(a, b) enables, at every step, as many as any sharing could.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from icsched import _native
from icsched._native import BlockOrders, Ids
from icsched.theory.decompose import Decomposition
from icsched.theory.priority import convolution

# Cells of a table of shares that are still quick to fill.
MOST_CELLS = 200_000


def interleaving(first: Sequence[int], second: Sequence[int]) -> NDArray[np.bool_] | None:
    """Return at which steps to execute from *second*, for an IC-optimal order of the sum.

    The arguments are enabled profiles of IC-optimal orders. None if the sum has no
    IC-optimal order. Takes O(s1 * s2) time and memory.

    >>> interleaving([0, 2], [0, 3, 4]).tolist()  # three, then two, then one
    [True, False, True]
    >>> interleaving([0, 1], [0, 0, 3]) is None  # first the one, but for two the three
    True
    """
    a, b = np.asarray(first, np.int64), np.asarray(second, np.int64)
    best = convolution(first, second)
    steps = np.add.outer(np.arange(len(a)), np.arange(len(b)))
    optimal = np.add.outer(a, b) == best[steps]
    return _path(_reaching(optimal))


def _reaching(optimal: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Keep the optimal cells from which optimal cells lead to the last."""
    reach = optimal.copy()
    rows, columns = reach.shape
    for x in range(rows - 1, -1, -1):
        for y in range(columns - 1, -1, -1):
            onward = (
                (x == rows - 1 and y == columns - 1)
                or (x + 1 < rows and reach[x + 1, y])
                or (y + 1 < columns and reach[x, y + 1])
            )
            reach[x, y] &= onward
    return reach


def _path(reach: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    if not reach[0, 0]:
        return None
    x = y = 0
    choices = []
    while (x + 1, y + 1) != reach.shape:
        from_second = not (x + 1 < reach.shape[0] and reach[x + 1, y])
        x, y = (x, y + 1) if from_second else (x + 1, y)
        choices.append(from_second)
    return np.array(choices, bool)


def level_sums_order(parts: Decomposition, orders: BlockOrders) -> Ids | None:
    """Return an IC-optimal order of all nonsinks that interleaves the blocks of each level.

    Levels are those of the superdag, so blocks of one level are independent: their sum is
    one block. If every such sum has an IC-optimal order and priority over the next, Theorem
    2.1 applies to the sums. None if not, or if the tables would grow too large. The blocks
    must be closed and have IC-optimal orders.
    """
    levels = parts.superdag.levels
    sums: list[tuple[Ids, NDArray[np.int64]]] = []
    for level in range(int(levels.max()) + 1):
        total = _sum_of(parts, orders, np.flatnonzero(levels == level).tolist())
        if total is None or (sums and not _has_priority(sums[-1][1], total[1])):
            return None
        sums.append(total)
    return np.concatenate([tasks for tasks, _ in sums])


def _has_priority(first: NDArray[np.int64], second: NDArray[np.int64]) -> bool:
    over, under = _native.priority(first, second)
    return over == under


def _sum_of(
    parts: Decomposition, orders: BlockOrders, blocks: list[int]
) -> tuple[Ids, NDArray[np.int64]] | None:
    """Order and profile of independent blocks executed together."""
    offsets = parts.blocks.nonsinks.offsets
    tasks, profile = np.empty(0, np.int32), np.zeros(1, np.int64)
    for block in blocks:
        own = orders.nonsinks[offsets[block] : offsets[block + 1]]
        enabled = orders.enabled[offsets[block] + block : offsets[block + 1] + block + 1]
        if len(profile) * len(enabled) > MOST_CELLS:
            return None
        from_block = interleaving(profile.tolist(), enabled.tolist())
        if from_block is None:
            return None
        merged = np.empty(len(from_block), np.int32)
        merged[~from_block], merged[from_block] = tasks, own
        tasks, profile = merged, convolution(profile.tolist(), enabled.tolist())
    return tasks, profile
