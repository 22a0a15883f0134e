"""Merging the orders of pieces side by side: the larger remaining string of gains goes first.

An IC-optimal profile has the lexicographically largest string of gains. So of several pieces the
next task is taken from the piece whose remaining gains are the largest string.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, Rows
from icsched.dag import Dag
from icsched.pebble import priority_order
from icsched.theory.analysis import Analysis
from icsched.theory.settled import Copies, Counts, Settled
from icsched.theory.splits import Pieces


def merged_order(dag: Dag, pieces: Rows, kinds: Ids, gains: Sequence[Counts]) -> Ids:
    """Return the nonsinks of *dag* in the lexicographically largest legal merge of *pieces*.

    A row of *pieces* has the tasks of one piece in their order. The piece in row r gains
    gains[kinds[r]] with each of its tasks. A piece waits while its next task is not eligible. Ties
    go to the smaller id; nonsinks of no piece come last.

    >>> forks = Dag.from_arcs(7, [(0, 2), (0, 3), (1, 4), (1, 5), (1, 6)])
    >>> rows, strings = Rows(np.array([0, 1, 2]), np.array([0, 1])), [np.array([2]), np.array([3])]
    >>> merged_order(forks, rows, np.array([0, 1]), strings).tolist()
    [1, 0]
    """
    starts, ranks = _suffix_ranks(gains)
    sizes = pieces.sizes
    within = np.arange(len(pieces.targets)) - np.repeat(pieces.offsets[:-1], sizes)
    rank = np.full(len(dag), -1)
    rank[pieces.targets] = ranks[np.repeat(starts[kinds], sizes) + within]
    rank[dag.sinks] = -2
    wanted = np.empty(len(dag), np.int32)
    wanted[np.argsort(-rank, kind="stable")] = np.arange(len(dag), dtype=np.int32)
    order = priority_order(_chained(dag, pieces, within), wanted)
    return order[dag.out_degrees[order] > 0]


def copies_of(pieces: Pieces, settled: Settled) -> Copies:
    """Return equal pieces of a sum, once one of them is settled."""
    counts = pieces.tasks[:, pieces.dag.in_degrees > 0]
    return Copies(pieces.tasks[:, : pieces.runs], counts, pieces.tasks, settled)


def merged_copies(dag: Dag, copies: Iterable[Copies]) -> Ids:
    """Return the orders of all pieces merged."""
    runs = [c.tasks[:, c.settled.order] for c in copies]
    gains = [np.diff(c.settled.reached) for c in copies]
    sizes = np.concatenate([np.full(len(r), r.shape[1]) for r in runs])
    kinds = np.repeat(np.arange(len(runs), dtype=np.int32), [len(r) for r in runs])
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int32)
    rows = Rows(offsets, np.concatenate([r.ravel() for r in runs]))
    return merged_order(dag, rows, kinds, gains)


def block_profiles(analysis: Analysis) -> list[Counts]:
    """Return the profile of the first block of each kind."""
    offsets, enabled = analysis.parts.blocks.nonsinks.offsets, analysis.orders.enabled
    return [
        enabled[offsets[block] + block : offsets[block + 1] + block + 1].astype(np.int64)
        for block in np.unique(analysis.orders.alike).tolist()
    ]


def _chained(dag: Dag, pieces: Rows, within: NDArray[np.int64]) -> Dag:
    """Return *dag* with arcs between the tasks of each piece that follow one another."""
    tasks = pieces.targets
    follows = np.flatnonzero(within > 0)
    chains = np.column_stack([tasks[follows - 1], tasks[follows]])
    return Dag.from_arcs(len(dag), np.concatenate([dag.arcs, chains]))


def _suffix_ranks(strings: Sequence[Counts]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each string starts, and the rank of each suffix.

    Ranks of suffixes by their first h gains give the ranks by their first 2 h. Suffixes rank equal
    if they are equal up to the first gain that is less than their first: whichever of them goes
    first, the other follows before the rest of the first does.
    """
    text = np.concatenate(strings)
    sizes = np.array([len(string) for string in strings])
    stops = np.cumsum(sizes)
    end = np.repeat(stops, sizes)
    places = np.arange(len(end))
    levels = [np.unique(text, return_inverse=True)[1]]
    while 1 << len(levels) <= 2 * sizes.max(initial=0):
        rank, later = levels[-1], places + (1 << (len(levels) - 1))
        following = np.where(later < end, rank[np.minimum(later, len(end) - 1)] + 1, 0)
        levels.append(np.unique(rank * (len(end) + 1) + following, return_inverse=True)[1])
        if levels[-1].max(initial=0) == rank.max(initial=0):
            break
    return stops - sizes, _joined(levels, _heads(text, end))


def _heads(text: Counts, end: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how far each suffix goes before a gain that is less than its first."""
    heads = end - np.arange(len(end))
    open_: list[int] = []
    for place, gain in enumerate(text.tolist()):
        while open_ and (gain < text[open_[-1]] or end[open_[-1]] <= place):
            before = open_.pop()
            heads[before] = min(heads[before], place - before)
        open_.append(place)
    return heads


def _joined(levels: list[NDArray[np.int64]], heads: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the last ranks, made equal for suffixes with equal heads."""
    order = np.argsort(levels[-1], kind="stable")
    first, second = order[:-1], order[1:]
    size = heads[first]
    level = np.minimum(np.log2(size).astype(np.int64), len(levels) - 1)
    table, shift = np.array(levels), size - (1 << level)
    same = (size == heads[second]) & (table[level, first] == table[level, second])
    last = np.minimum(second + shift, len(order) - 1)  # for heads of other sizes, not the same
    same &= table[level, first + shift] == table[level, last]
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.append(0, np.cumsum(~same))
    return ranks
