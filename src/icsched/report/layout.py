"""Nodes of a dag in layers: levels from the top, and few crossings within them.

The passes are those of Sugiyama, Tagawa and Toda 1981, "Methods for Visual Understanding of
Hierarchical System Structures" (doi:10.1109/TSMC.1981.4308636), without their dummy nodes: an arc
over several levels is a straight line. No library fits: Graphviz is a program, and takes minutes
for 10^4 nodes; networkx and rustworkx have no layers with few crossings.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids, Sizes

PASSES = 8  # down and up, in turns; more seldom help
_MOST_SPANS = 200_000  # levels that arcs go over, all together: else only short arcs are counted


def places_across(level: Ids, parents: Ids, children: Ids, passes: int = PASSES) -> Floats:
    """Return the place of each node from left to right; each arc leads to a larger level.

    Each level is spread over the whole width, which is the number of nodes of the largest level.
    The nodes of a level are first in the order of their numbers. Then each pass sorts every level
    by the mean place of the parents, or of the children. The best order that was seen counts, so
    passes never add a crossing. Takes O(passes * (nodes + arcs)) time, and a sort of all arcs for
    each pass.

    >>> places_across(np.array([0, 0, 1, 1]), np.array([0, 1]), np.array([3, 2])).tolist()
    [0.5, 1.5, 1.5, 0.5]
    """
    count = int(level.max(initial=-1)) + 1
    layers = _by_level(level, count)
    width = max(map(len, layers))
    x = np.empty(len(level))
    for nodes in layers:
        x[nodes] = _evenly(len(nodes), width)
    into, out = _by_level(level[children], count), _by_level(level[parents], count)
    down = [(*ends, children, parents) for ends in zip(layers, into, strict=True)]
    up = [(*ends, parents, children) for ends in zip(layers, out, strict=True)][::-1]
    best, fewest = x, crossings(level, x, parents, children)
    for number in range(passes if fewest else 0):
        x = _swept(x, width, up if number % 2 else down)
        found = crossings(level, x, parents, children)
        if found < fewest:
            best, fewest = x, found
    return best


def _by_level(levels: Ids, count: int) -> list[NDArray[np.intp]]:
    """Return the indices of each level in *levels*, ascending."""
    in_order = np.argsort(levels, kind="stable")
    return np.split(in_order, np.cumsum(np.bincount(levels, minlength=count))[:-1])


def _evenly(nodes: int, width: float) -> Floats:
    return (np.arange(nodes, dtype=np.float64) + 0.5) * (width / max(1, nodes))


# A level: its nodes, the arcs that end there, the ends of all arcs that they have there, and the
# other ends.
_Layer = tuple[NDArray[np.intp], NDArray[np.intp], Ids, Ids]


def _swept(x: Floats, width: float, layers: Iterable[_Layer]) -> Floats:
    """Return places sorted by the means of the neighbours, level by level.

    Nodes without neighbours stay where they are, if there is room.
    """
    x = x.copy()
    for nodes, arcs, ends, others in layers:
        if len(nodes) > 1 and len(arcs):
            at = np.searchsorted(nodes, ends[arcs])
            degree = np.bincount(at, minlength=len(nodes))
            total = np.bincount(at, x[others[arcs]], minlength=len(nodes))
            wanted = np.where(degree > 0, total / np.maximum(degree, 1), x[nodes])
            x[nodes[np.lexsort((x[nodes], wanted))]] = _evenly(len(nodes), width)
    return x


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

    def across(down: Sizes) -> Floats:
        """Return where the arcs are this many levels below their parents."""
        share = down / span[arc]
        found: Floats = x[parents[arc]] * (1 - share) + x[children[arc]] * share
        return found

    top, bottom = across(passed), across(passed + 1)
    # Complex numbers sort by their real part, then by their imaginary part.
    ranks = np.unique(gap + 1j * bottom, return_inverse=True)[1]
    return _inversions(ranks[np.lexsort((bottom, top, gap))])


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
