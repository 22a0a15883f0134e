"""Orders from the papers: of duals, parent-oriented orders, and of meshes by squares or diagonals.

For duals see Cordasco, Malewicz and Rosenberg 2007, "Advances in IC-Scheduling Theory", section 4.
"""

import numpy as np

from icsched import checks
from icsched.arrays import Ids, ids_where
from icsched.dag import Graph
from icsched.pebble import Order, Schedule
from icsched.pebble.residual import Residual


def dual_order(graph: Graph, order: Order) -> Ids:
    """Return an order of the dual of *graph* that is IC-optimal if *order* is for *graph*.

    The packet of a step is the set of nonsources that the step enables. The dual executes the
    packets from last to first (Theorem 4.1), then its sinks. A task is enabled at the step of
    its last parent, so one sort is enough. Raises ScheduleError if *order* is not legal.

    >>> from icsched import Dag
    >>> join = Dag({"a": [], "b": [], "c": ["a", "b"], "d": ["b"]})
    >>> dual_order(join, [1, 0, 2, 3]).tolist()
    [2, 3, 0, 1]
    """
    left = Residual.of(graph)
    schedule = Schedule.of(left, order)
    nonsources = ids_where(schedule.dag.in_degrees > 0)
    packets = nonsources[np.argsort(-schedule.ready[nonsources], kind="stable")]
    return left.ids(np.concatenate([packets, schedule.dag.sources]))


MOST_LEVELS = 40_000  # ids of a mesh are 32 bits wide


def is_parent_oriented(graph: Graph, order: Order) -> bool:
    """Whether *order* runs the parents of every task in consecutive steps.

    Rosenberg and Yurkewych 2005, "Guidelines for Scheduling Some Common Computation-Dags for
    Internet-Based Computing", section 2.3. An order of a reduction tree is IC-optimal if and only
    if it is parent-oriented. On other dags this may be false. Raises ScheduleError if *order* is
    not legal. O(tasks + arcs) time.

    >>> from icsched.families import mesh
    >>> [is_parent_oriented(mesh(3), [*top, 3, 4, 5]) for top in ([0, 1, 2], [0, 2, 1])]
    [True, False]
    """
    schedule = Schedule.of(graph, order)
    rows = schedule.dag.parent_rows
    children = np.flatnonzero(schedule.dag.in_degrees)
    if not len(children):
        return True
    steps, starts = schedule.ranks[rows.targets], rows.offsets[children]
    span = np.maximum.reduceat(steps, starts) - np.minimum.reduceat(steps, starts) + 1
    return bool((span == schedule.dag.in_degrees[children]).all())


def diagonal_shell_order(levels: int) -> Ids:
    """Run `evolving_mesh(levels)` diagonal by diagonal, which is IC-optimal.

    Cordasco, Malewicz and Rosenberg 2007, "Advances in IC-Scheduling Theory", Fig. 1a. After
    T executions about the square root of 2 T tasks are eligible.

    >>> diagonal_shell_order(2).tolist()
    [0, 1, 2]
    """
    across, _ = _coordinates(levels)
    return np.arange(len(across), dtype=np.int32)


def square_shell_order(levels: int) -> Ids:
    """Run `evolving_mesh(levels)` by squares that grow from the origin.

    Cordasco, Malewicz and Rosenberg 2007, Fig. 1b. There are never more than three eligible tasks.

    >>> square_shell_order(3).tolist()
    [0, 1, 2, 4, 3, 5]
    """
    across, up = _coordinates(levels)
    shell = np.maximum(across, up)
    # First the side that goes up, then the side that goes across; the corner comes last.
    side = np.where(across == up, 2, across == shell)
    return np.lexsort((across + up, side, shell)).astype(np.int32)


def _coordinates(levels: int) -> tuple[Ids, Ids]:
    """Return both coordinates of each task of an evolving mesh, whose sum is its level."""
    checks.whole_number("levels", levels, least=1, most=MOST_LEVELS)
    level = np.repeat(np.arange(levels), np.arange(1, levels + 1))
    across = np.arange(len(level)) - level * (level + 1) // 2
    return across.astype(np.int32), (level - across).astype(np.int32)
