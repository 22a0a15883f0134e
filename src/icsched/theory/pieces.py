"""Parts of a dag in series, and pieces side by side, whose orders can be merged.

The next task is taken from the piece whose string of remaining gains is lexicographically largest,
because an IC-optimal profile has the largest string of gains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icsched import _native
from icsched.arrays import Ids, Mask, Rows, ranks_of
from icsched.dag import Dag
from icsched.pebble import priority_order
from icsched.theory.profiles import Counts

Int64s = NDArray[np.int64]
Colours = NDArray[np.uint64]

# Rounds of colouring by neighbours before the tasks of pieces are numbered.
ROUNDS = 4


@dataclass(frozen=True, eq=False)
class Pieces:
    """Equal pieces of a whole dag: `dag` is one piece, with ids of its own.

    `tasks` has a row for each piece: the task of the whole for each id in `dag`. `places` has the
    numbers of these pieces among all pieces, ascending. In a sum, the first `runs` tasks of a piece
    run in the piece; some of them may be its sinks.
    """

    dag: Dag
    runs: int
    tasks: NDArray[np.int32]
    places: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.tasks)


def series_parts(dag: Dag) -> list[Pieces] | None:
    """Split *dag* into as many parts in series as possible; None if it cannot be split.

    In a series every sink of a part is a parent of every source of the next. All tasks of a part
    come before all tasks of the next in every order. So one sweep over one order finds all cuts.
    The arcs across a cut must join each sink before the cut with each source after the cut, and no
    other tasks. O(tasks + arcs).

    >>> cross = Dag.from_arcs(4, [(0, 2), (0, 3), (1, 2), (1, 3)])
    >>> [pieces.tasks.tolist() for pieces in series_parts(cross)]
    [[[0, 1], [2, 3]]]
    """
    count = len(dag)
    place = ranks_of(dag.fifo_order).astype(np.int64)
    parent, child = place[dag.arcs[:, 0]], place[dag.arcs[:, 1]]
    first_child, last_parent = np.full(count, count), np.full(count, -1)
    np.minimum.at(first_child, parent, child)
    np.maximum.at(last_parent, child, parent)
    places = np.arange(count)
    sinks = _covered(places, first_child, count)
    sources = _covered(last_parent, places, count)
    crossing = _covered(parent, child, count)
    good = last_parent[child] < first_child[parent]
    joining = _covered(last_parent[child][good], first_child[parent][good], count)
    cuts = np.flatnonzero((crossing == joining) & (joining == sinks * sources) & (joining > 0))
    if not len(cuts):
        return None
    return _split(places, np.searchsorted(cuts, place, side="right"), dag.arcs.astype(np.int64))


def _covered(above: Int64s, up_to: Int64s, count: int) -> Int64s:
    """Count, for k = 0 .. count, the intervals with above < k <= up_to."""
    starts = np.bincount(above + 1, minlength=count + 2)
    stops = np.bincount(up_to + 1, minlength=count + 2)
    return np.cumsum(starts - stops)[: count + 1]


def component_groups(dag: Dag) -> Ids:
    """Return the connected part of each nonsink; -1 for sinks."""
    label: Ids = _native.connected_parts(dag.child_rows).copy()
    label[dag.sinks] = -1
    return label


def counting_groups(dag: Dag, group: Ids) -> Ids:
    """Return the group that counts each task: the last group of its parents; -1 for sources."""
    counting = np.full(len(dag), -1, np.int32)
    np.maximum.at(counting, dag.arcs[:, 1], group[dag.arcs[:, 0]])
    return counting


def sum_pieces(dag: Dag, group: Ids) -> list[Pieces]:
    """Split *dag* into a piece for each group of nonsinks, and group equal pieces.

    *group* has a number for each nonsink, and -1 for sinks; no arc leads to a smaller number. A
    nonsource is counted in the last group of its parents. A piece has the arcs from its nonsinks to
    the tasks that it counts; all other arcs are dropped. The nonsinks come first in a piece.

    >>> forks = Dag.from_arcs(6, [(0, 2), (0, 3), (1, 4), (1, 5)])
    >>> [pieces.tasks.tolist() for pieces in sum_pieces(forks, component_groups(forks))]
    [[[0, 2, 3], [1, 4, 5]]]
    """
    counting = counting_groups(dag, group)
    runs = np.flatnonzero(group >= 0)
    counts = np.flatnonzero((counting >= 0) & (counting != group))
    tasks, pieces = np.append(runs, counts), np.append(group[runs], counting[counts])
    run_entry, count_entry = np.full(len(dag), -1), np.full(len(dag), -1)
    run_entry[runs] = np.arange(len(runs))
    own = runs[counting[runs] == group[runs]]
    count_entry[own] = run_entry[own]
    count_entry[counts] = len(runs) + np.arange(len(counts))
    parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
    kept = group[parents] == counting[children]
    arcs = np.column_stack([run_entry[parents[kept]], count_entry[children[kept]]])
    return _split(tasks, pieces, arcs, is_run=np.arange(len(tasks)) < len(runs))


def star_pieces(dag: Dag, group: Ids) -> list[Pieces]:
    """Return what `sum_pieces` does for groups of one nonsink each; near O(tasks + arcs).

    >>> chain = Dag.from_arcs(3, [(0, 1), (1, 2)])
    >>> [pieces.tasks.tolist() for pieces in star_pieces(chain, np.array([0, 1, -1]))]
    [[[0, 1], [1, 2]]]
    """
    counting = counting_groups(dag, group)
    runs = np.argsort(group, kind="stable")[np.count_nonzero(group < 0) :]
    counts = np.argsort(counting, kind="stable")[np.count_nonzero(counting < 0) :]
    sizes = np.bincount(counting[counts], minlength=len(runs))
    starts = np.cumsum(sizes) - sizes
    pieces = []
    for size in np.unique(sizes).tolist():
        at = np.flatnonzero(sizes == size)
        rows = counts[starts[at][:, None] + np.arange(size)]
        tasks = np.column_stack([runs[at], rows]).astype(np.int32)
        star = Dag.from_arcs(1 + size, [(0, 1 + leaf) for leaf in range(size)])
        pieces.append(Pieces(star, 1, tasks, at))
    return pieces


def _split(
    tasks: Int64s,
    piece: NDArray[np.integer[Any]],
    arcs: Int64s,
    is_run: Mask | None = None,
) -> list[Pieces]:
    """Return the pieces, grouped if equal; entry i is the task tasks[i] in piece[i].

    *arcs* are between entries of the same piece, or else dropped. Entries are numbered by their
    surroundings, up to a distance of `ROUNDS`. If the surroundings in a piece all differ, equal
    pieces get equal arcs, by which they are grouped.
    """
    piece = np.unique(piece, return_inverse=True)[1]
    arcs = arcs[piece[arcs[:, 0]] == piece[arcs[:, 1]]]
    runs = np.bincount(arcs[:, 0], minlength=len(tasks)) > 0 if is_run is None else is_run
    order = np.lexsort((tasks, _colours(len(tasks), arcs), ~runs, piece))
    sizes = np.bincount(piece)
    starts = np.cumsum(sizes) - sizes
    local = ranks_of(order.astype(np.int32)) - starts[piece]
    inside = np.column_stack([local[arcs[:, 0]], local[arcs[:, 1]]]).astype(np.int32)
    by_piece = np.lexsort((inside[:, 1], inside[:, 0], piece[arcs[:, 0]]))
    ends = np.cumsum(np.bincount(piece[arcs[:, 0]], minlength=len(sizes)))
    members = tasks[order].astype(np.int32)
    run_counts = np.bincount(piece[runs], minlength=len(sizes))
    return _equal(members, starts, sizes, inside[by_piece], ends, run_counts)


def _equal(
    members: Ids, starts: Int64s, sizes: Int64s, arcs: Ids, ends: Int64s, runs: Int64s
) -> list[Pieces]:
    """Group the pieces that have the same sizes and arcs, in the order of the first of each."""
    found: dict[tuple[int, int, bytes], list[int]] = {}
    begin = 0
    raw = arcs.tobytes()
    for place, (size, run, end) in enumerate(
        zip(sizes.tolist(), runs.tolist(), (8 * ends).tolist(), strict=True)
    ):
        found.setdefault((size, run, raw[begin:end]), []).append(place)
        begin = end
    pieces = []
    for (size, run, inside), places in found.items():
        at = np.array(places)
        rows = members[starts[at][:, None] + np.arange(size)]
        local = np.frombuffer(inside, np.int32).reshape(-1, 2)
        if len(at) == 1:  # a piece without equal pieces keeps the order of its tasks
            by_id = np.lexsort((rows[0], np.arange(size) >= run))
            rows, local = rows[:, by_id], ranks_of(by_id.astype(np.int32))[local]
        pieces.append(Pieces(Dag.from_arcs(size, local), run, rows, at))
    return pieces


def _colours(count: int, arcs: Int64s) -> Colours:
    """Return a number for each entry that depends only on its surroundings."""
    colours = np.zeros(count, np.uint64)
    for _ in range(ROUNDS):
        up, down = np.zeros(count, np.uint64), np.zeros(count, np.uint64)
        np.add.at(up, arcs[:, 1], _mixed(colours[arcs[:, 0]] + np.uint64(1)))
        np.add.at(down, arcs[:, 0], _mixed(colours[arcs[:, 1]] + np.uint64(2)))
        colours = _mixed(_mixed(colours + up) ^ (down + np.uint64(3)))
    return colours


def _mixed(values: Colours) -> Colours:
    """Return pseudo-random numbers, equal for equal values (the finaliser of splitmix64)."""
    values = (values + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def merged_order(dag: Dag, pieces: Rows, kinds: Int64s, gains: Sequence[Counts]) -> Ids:
    """Return the nonsinks of *dag* in the lexicographically largest legal merge of *pieces*.

    A row of *pieces* has the tasks of one piece in their order. The piece in row r gains
    gains[kinds[r]] with each of its tasks. A piece waits while its next task is not eligible. Ties
    are broken by id; nonsinks of no piece come last.

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
    wanted = ranks_of(np.argsort(-rank, kind="stable").astype(np.int32))
    follows = np.flatnonzero(within > 0)
    in_turn = np.column_stack([pieces.targets[follows - 1], pieces.targets[follows]])
    order = priority_order(Dag.from_arcs(len(dag), np.concatenate([dag.arcs, in_turn])), wanted)
    return order[dag.out_degrees[order] > 0]


def _suffix_ranks(strings: Sequence[Counts]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the start of each string, and the rank of each suffix.

    Ranks of suffixes by their first h gains give the ranks by their first 2 h. Suffixes rank equal
    if they are equal up to the first gain that is less than their first gain. Then either may run
    first, because both run up to this gain before the rest of either.
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
    """Return the length of each suffix before a gain that is less than its first gain."""
    heads = end - np.arange(len(end))
    open_: list[int] = []
    for place, gain in enumerate(text.tolist()):
        while open_ and (gain < text[open_[-1]] or end[open_[-1]] <= place):
            before = open_.pop()
            heads[before] = min(heads[before], place - before)
        open_.append(place)
    return heads


def _joined(levels: list[NDArray[np.int64]], heads: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ranks of the last level, made equal for suffixes with equal heads."""
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
