"""IC-optimal orders of the families of Rosenberg and Yurkewych 2005 that need the least memory.

Tests alone use them: `icsched.theory.lean_order` finds these orders from any numbering.
"""

import numpy as np

from icsched.arrays import Ids


def lean_mesh_order(levels: int) -> Ids:
    """Order ``families.mesh(levels)`` level by level, each swept from one end.

    Needs memory for `levels` results, the least of all orders from two levels on (Theorem 3.2).
    A level started in its middle would need one more.

    >>> lean_mesh_order(2).tolist()
    [0, 1, 2]
    """
    return np.arange(levels * (levels + 1) // 2, dtype=np.int32)  # as they are numbered


def lean_tree_order(height: int) -> Ids:
    """Order ``families.tree(height)`` by the algorithm Postorder-Execute.

    Again and again it runs the sibling pair nearest the root that is eligible, of several the
    leftmost; at last the root. Needs memory for 2 * height results, the least of all IC-optimal
    orders (Theorem 4.2); postorder, which is not IC-optimal, needs height + 1.

    >>> lean_tree_order(2).tolist()
    [0, 1, 2, 3, 4, 5, 6]
    >>> lean_tree_order(3).tolist()
    [0, 1, 2, 3, 8, 9, 4, 5, 6, 7, 10, 11, 12, 13, 14]
    """
    if height == 0:
        return np.zeros(1, np.int32)
    # The pairs that lead to a pair: those of its left task, those of its right one, itself.
    # Each is known by its level from the leaves and its number along the level.
    levels = pairs = np.zeros(1, np.int64)
    for level in range(1, height):
        pairs = np.concatenate([pairs, pairs + (2 ** (level - 1) >> levels), [0]])
        levels = np.concatenate([levels, levels, [level]])
    first = 2 ** (height + 1) - 2 ** (height - levels + 1) + 2 * pairs
    order = np.column_stack([first, first + 1]).ravel()
    return np.append(order, 2 ** (height + 1) - 2).astype(np.int32)


def lean_fft_order(d: int) -> Ids:
    """Order ``families.fft(d)`` level by level, in fours that share parents.

    Within a level come x, its partner with the same children, then the two with which they
    share parents: the first two add to what is open, the other two close four. Needs memory
    for 2**d + 2 results from d = 2 on, the least of all IC-optimal orders of d = 2 and 3;
    Theorem 5.2 promises 2**d + 1, which only orders that are not IC-optimal reach.

    >>> lean_fft_order(1).tolist()
    [0, 1, 2, 3]
    """
    return np.concatenate([_fft_level(d, level) for level in range(d + 1)]).astype(np.int32)


def _fft_level(d: int, level: int) -> Ids:
    """Return the tasks of the level so far from the sources, in fours."""
    out = 1 << level if level < d else 0  # the bit shared with the children
    into = 1 << level >> 1  # the bit shared with the parents
    x = np.arange(2**d)
    heads = x[(x & (out | into)) == 0]
    flips = dict.fromkeys([0, out, into, into | out])
    fours = np.column_stack([heads | flip for flip in flips]).ravel()
    ids: Ids = level * 2**d + fours
    return ids
