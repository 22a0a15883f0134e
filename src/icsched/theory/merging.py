"""Merging the orders of pieces side by side: the larger remaining string of gains goes first.

An IC-optimal profile has the lexicographically largest string of gains. So of several pieces the
next task is taken from the piece whose remaining gains are the largest string.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, Rows
from icsched.dag import Dag
from icsched.pebble import priority_order
from icsched.theory.settled import Counts


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


def _chained(dag: Dag, pieces: Rows, within: NDArray[np.int64]) -> Dag:
    """Return *dag* with arcs between the tasks of each piece that follow one another."""
    tasks = pieces.targets
    follows = np.flatnonzero(within > 0)
    chains = np.column_stack([tasks[follows - 1], tasks[follows]])
    return Dag.from_arcs(len(dag), np.concatenate([dag.arcs, chains]))


def _suffix_ranks(strings: Sequence[Counts]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where each string starts, and the rank of each suffix; equal suffixes rank equal.

    Ranks of suffixes by their first h gains give the ranks by their first 2 h.
    """
    sizes = np.array([len(string) for string in strings])
    stops = np.cumsum(sizes)
    end = np.repeat(stops, sizes)
    places = np.arange(len(end))
    rank = np.unique(np.concatenate(strings), return_inverse=True)[1]
    reach, distinct = 1, -1
    while reach < sizes.max(initial=0) and distinct != (distinct := int(rank.max())):
        later = places + reach
        following = np.where(later < end, rank[np.minimum(later, len(end) - 1)] + 1, 0)
        rank = np.unique(rank * (len(end) + 1) + following, return_inverse=True)[1]
        reach *= 2
    return stops - sizes, rank
