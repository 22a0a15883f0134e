"""Nodes of a dag in layers: levels from the top, and few crossings within them.

The passes are those of Sugiyama, Tagawa and Toda 1981, "Methods for Visual Understanding of
Hierarchical System Structures" (doi:10.1109/TSMC.1981.4308636), without their dummy nodes: an arc
over several levels is a straight line. No library fits: Graphviz is a program, and takes minutes
for 10^4 nodes; networkx and rustworkx have no layers with few crossings.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids, Sizes

PASSES = 8  # down and up, in turns; more seldom help
_MOST_SPANS = 200_000  # levels that arcs go over, all together: else only short arcs are counted


@dataclass(frozen=True, eq=False)
class Placed:
    """Where nodes are: `x` across, `y` from the top; both in units of one node.

    All nodes of a level have the same `y`. No two nodes have the same place. `x` is between 0 and
    `width`, `y` between 0 and `height`. `crossings` counts pairs of arcs that cross.
    """

    x: Floats
    y: Floats
    width: float
    height: float
    crossings: int


def placed(level: Ids, parents: Ids, children: Ids, passes: int = PASSES) -> Placed:
    """Place nodes with these levels and arcs; each arc leads to a larger level.

    Each level is spread over the whole width. The nodes of a level are first in the order of their
    numbers. Then each pass sorts every level by the mean place of the parents, or of the children.
    The best order that was seen counts, so passes never add a crossing. Takes O(passes * (nodes +
    arcs)) time, and a sort of all arcs for each pass.

    >>> found = placed(np.array([0, 0, 1, 1]), np.array([0, 1]), np.array([3, 2]))
    >>> found.x.tolist(), found.y.tolist(), found.crossings
    ([0.5, 1.5, 1.5, 0.5], [0.5, 0.5, 1.5, 1.5], 0)
    """
    count = int(level.max(initial=-1)) + 1
    sizes = np.bincount(level, minlength=count)
    width = float(sizes.max(initial=1))
    into, out = _split(level, children, parents, count), _split(level, parents, children, count)
    layers = _Layers(level, sizes, width, into, out)
    x = layers.spread(np.arange(len(level), dtype=np.float64))
    best, fewest = x, crossings(level, x, parents, children)
    for number in range(passes if fewest else 0):
        x = layers.swept(x, is_down=number % 2 == 0)
        found = crossings(level, x, parents, children)
        if found < fewest:
            best, fewest = x, found
    return Placed(best, level.astype(np.float64) + 0.5, width, float(max(count, 1)), fewest)


def crossings(level: Ids, x: Floats, parents: Ids, children: Ids) -> int:
    """Return how many pairs of arcs cross, if all are straight and levels are equally far apart.

    Arcs that only touch do not cross. In a picture with many long arcs only the arcs between
    neighbouring levels count.
    """
    span = level[children] - level[parents]
    if span.sum() > _MOST_SPANS:
        short = span == 1
        parents, children, span = parents[short], children[short], span[short]
    arc = np.repeat(np.arange(len(span)), span)
    passed = np.arange(len(arc)) - np.repeat(np.cumsum(span) - span, span)
    gap = level[parents][arc] + passed
    top, bottom = (_at(x, parents, children, span, arc, passed + below) for below in (0, 1))
    in_order = np.lexsort((bottom, top, gap))
    return _inversions(_ranks(gap, bottom)[in_order])


def _at(
    x: Floats, parents: Ids, children: Ids, span: Ids, arc: NDArray[np.int64], down: Sizes
) -> Floats:
    """Return where arcs are across, *down* levels below their parents."""
    share = down / span[arc]
    found: Floats = x[parents[arc]] * (1 - share) + x[children[arc]] * share
    return found


def _ranks(gap: Sizes, x: Floats) -> Sizes:
    """Return numbers that sort as (gap, x) does, the same for the same pair."""
    in_order = np.lexsort((x, gap))
    is_new = np.ones(len(x), bool)
    is_new[1:] = (np.diff(gap[in_order]) != 0) | (np.diff(x[in_order]) != 0)
    ranks = np.empty(len(x), np.int64)
    ranks[in_order] = np.cumsum(is_new) - 1
    return ranks


def _inversions(values: Sizes) -> int:
    """Return how many pairs of *values*, from 0, have the larger one first.

    Two values differ first at some bit. So the pairs are counted bit by bit, from the highest, and
    each time the values are sorted by the bits that have been looked at.

    >>> _inversions(np.array([2, 0, 1, 1]))
    3
    """
    found = 0
    for bit in range(int(values.max(initial=0)).bit_length() - 1, -1, -1):
        group, is_one = values >> (bit + 1), values >> bit & 1
        ones = np.cumsum(is_one)
        begins = np.flatnonzero(np.diff(group, prepend=-1))
        before = np.repeat((ones - is_one)[begins], np.diff(begins, append=len(values)))
        found += int((ones - before)[is_one == 0].sum())
        values = values[np.argsort(values >> bit, kind="stable")]
    return found


# For each level: the ends of arcs in that level, and the other ends beside them.
_Ends: TypeAlias = list[tuple[Ids, Ids]]


def _split(level: Ids, ends: Ids, others: Ids, count: int) -> _Ends:
    in_order = np.argsort(level[ends], kind="stable")
    cuts = np.searchsorted(level[ends][in_order], np.arange(1, count))
    return [(ends[part], others[part]) for part in np.split(in_order, cuts)]


@dataclass(frozen=True, eq=False)
class _Layers:
    """The levels of a picture, each spread over its width."""

    level: Ids
    sizes: Sizes
    width: float
    into: _Ends
    out: _Ends

    def spread(self, x: Floats) -> Floats:
        """Return the places of nodes that are sorted by *x* in each level."""
        in_order = np.lexsort((x, self.level))
        starts = np.cumsum(self.sizes) - self.sizes
        place = np.arange(len(x)) - np.repeat(starts, self.sizes)
        found = np.empty(len(x))
        found[in_order] = (place + 0.5) * (self.width / np.repeat(self.sizes, self.sizes))
        return found

    def swept(self, x: Floats, *, is_down: bool) -> Floats:
        """Return places sorted by the means of the parents, level by level, or of the children."""
        x = x.copy()
        sides = self.into if is_down else self.out
        starts = np.cumsum(self.sizes) - self.sizes
        by_level = np.argsort(self.level, kind="stable")
        levels = range(len(self.sizes)) if is_down else range(len(self.sizes) - 1, -1, -1)
        for at in levels:
            nodes = by_level[starts[at] : starts[at] + self.sizes[at]]
            if len(nodes) > 1 and len(sides[at][0]):
                x[nodes] = self._sorted(x, nodes, *sides[at])
        return x

    def _sorted(self, x: Floats, nodes: NDArray[np.int64], ends: Ids, others: Ids) -> Floats:
        """Return new places of the nodes of a level; nodes without neighbours want to stay."""
        at = np.searchsorted(nodes, ends)
        degree = np.bincount(at, minlength=len(nodes))
        total = np.bincount(at, x[others], minlength=len(nodes))
        wanted = np.where(degree > 0, total / np.maximum(degree, 1), x[nodes])
        found = np.empty(len(nodes))
        in_order = np.lexsort((x[nodes], wanted))
        found[in_order] = (np.arange(len(nodes)) + 0.5) * (self.width / len(nodes))
        return found
