"""The same profile with less memory: orders that close open tasks first."""

import numpy as np

from icsched import _native, pebble
from icsched.arrays import Ids, Sizes, ranks_of
from icsched.dag import Dag, Graph, PerTask
from icsched.errors import LimitError
from icsched.pebble import Order
from icsched.theory.memory import exact


def lean_order(graph: Graph, order: Order, *, sizes: PerTask | None = None) -> Ids:
    """Return an order with the eligibility profile of *order* that needs no more memory.

    Memory is the largest number of open tasks, or of their bytes with *sizes*. On a small dag no
    order of that profile needs less. A dag is small if orders of the profile have up to 50,000
    moves between sets of executed tasks. On a larger dag pieces of *order* change places. A piece
    is a stretch of the order: if it has one parent of a task, it has all of them. Pieces change
    places if their steps enable the same counts. Returns *order* if that gains nothing.
    O((tasks + arcs) log tasks). Raises
    ScheduleError if *order* is not legal, ArgumentError if *sizes* are not one nonnegative
    integer per task.

    >>> from icsched.families import tree
    >>> by_level = range(15)
    >>> lean = lean_order(tree(3), by_level)
    >>> [pebble.Schedule(tree(3), order).peak_memory for order in (by_level, lean)]
    [8, 6]
    """
    schedule = pebble.Schedule.of(graph, order)
    dag, weights = schedule.dag, pebble.checked_sizes(schedule.dag, sizes)
    try:
        leanest = exact.leanest_order(dag, weights, schedule.eligible)
    except LimitError:
        return _with_pieces_moved(dag, schedule.order, weights)
    is_leaner = peak(dag, leanest, weights) < peak(dag, schedule, weights)
    return leanest if is_leaner else schedule.order


def peak(dag: Dag, order: Order, sizes: Sizes) -> int:
    """Return the memory that *order* needs."""
    return int(pebble.memory_profile(dag, order, sizes=sizes).max())


def depth_first_order(dag: Dag, sizes: Sizes) -> Ids:
    """Return a depth-first order: it needs the least memory on trees, and little elsewhere."""
    return _native.depth_first_order(dag.child_rows, dag.parent_rows, dag.fifo_order, sizes)


def _with_pieces_moved(dag: Dag, given: Ids, sizes: Sizes) -> Ids:
    """Move pieces twice: ties are broken by the given order, then by a depth-first order."""
    lean = given
    for guide in (given, depth_first_order(dag, sizes)):
        moved = _native.exchange_pieces(
            dag.child_rows, dag.parent_rows, lean, ranks_of(guide), sizes
        )
        lean = _leaner_stretches(dag, lean, moved, sizes)
    return lean


def _leaner_stretches(dag: Dag, given: Ids, moved: Ids, sizes: Sizes) -> Ids:
    """Cut both orders where they have run the same tasks, and join the leaner stretches.

    The stretches do not depend on each other, so the result never needs more than *given*.
    """
    if not len(dag):
        return given
    reached = np.maximum.accumulate(ranks_of(given)[moved])
    meets = np.flatnonzero(reached == np.arange(len(dag)))
    starts = np.concatenate([[0], meets[:-1] + 1])
    heights = [
        np.maximum.reduceat(pebble.memory_profile(dag, order, sizes=sizes)[1:], starts)
        for order in (moved, given)
    ]
    is_leaner = np.repeat(heights[0] < heights[1], np.diff(starts, append=len(dag)))
    return np.where(is_leaner, moved, given)
