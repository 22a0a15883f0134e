"""Orders of a dag's dual from orders of the dag.

See Cordasco, Malewicz and Rosenberg 2007, "Advances in IC-Scheduling Theory", section 4.
"""

import numpy as np

from icsched.arrays import Ids, ids_where
from icsched.dag import Graph
from icsched.pebble import Order, Schedule


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
    schedule = Schedule.of(graph, order)
    nonsources = ids_where(schedule.dag.in_degrees > 0)
    packets = nonsources[np.argsort(-schedule.ready[nonsources], kind="stable")]
    return np.concatenate([packets, schedule.dag.sources])
