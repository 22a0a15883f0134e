"""The order "critical-path-steps": by coarse steps of the remaining path, and inside by prio.

Run times are never exact. A path that is longer by a little should not decide. So the paths are
sorted into 16 steps of equal length. Tasks of one step run as "prio" orders them, with its ties
broken by run time.
"""

import numpy as np

from icsched.arrays import Floats, Ids, ranks_of
from icsched.dag import Dag
from icsched.orders.entry import NamedOrder
from icsched.orders.prio import prio_order
from icsched.pebble import priority_order, remaining_paths

STEP_COUNT = 16


def steps_order(dag: Dag, run_times: Floats | None = None) -> Ids:
    """Order *dag* by remaining path in 16 coarse steps, then by "prio".

    The longest path of the dag spans all steps. Without *run_times* every task counts 1.

    >>> dag = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    >>> steps_order(dag).tolist(), steps_order(dag, np.array([1.0, 9.0, 1.0, 1.0, 1.0])).tolist()
    ([2, 0, 1, 3, 4], [0, 1, 2, 3, 4])
    """
    return by_steps(dag, run_times, prio_order(dag, run_times).order)


def by_steps(dag: Dag, run_times: Floats | None, inside: Ids) -> Ids:
    """Order *dag* by remaining path in 16 coarse steps, then by the order *inside*."""
    step = path_steps(remaining_paths(dag, run_times))
    wanted = np.lexsort((ranks_of(inside), -step)).astype(np.int32)
    return priority_order(dag, ranks_of(wanted))


def path_steps(paths: Floats) -> Ids:
    """Return the step of each path: 15 for the longest, 0 for the shortest sixteenth.

    >>> path_steps(np.array([16.0, 8.0, 0.5, 0.0])).tolist()
    [15, 8, 0, 0]
    """
    longest = paths.max(initial=0.0)
    scale = STEP_COUNT / longest if longest > 0 else 0.0
    return np.minimum(paths * scale, STEP_COUNT - 1).astype(np.int32)


STEPS = NamedOrder(
    "critical-path-steps",
    "the longest path first in 16 coarse steps, and by prio inside a step",
    steps_order,
    run_times="used",
)
