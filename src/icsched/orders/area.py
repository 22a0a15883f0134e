"""The orders "area" and "area-paths", for the largest sum of eligible tasks over all steps.

In "area-paths" the weight of an eligible task is the length of the longest path from it, in tasks.
"""

import numpy as np

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.orders.definition import Made, NamedOrder
from icsched.orders.prio import prio_order
from icsched.pebble import Schedule, remaining_paths
from icsched.theory import confirmed, without_shortcuts
from icsched.theory.profiles import Counts


def area_order(dag: Dag, prio: Made | None = None) -> Made:
    """Order *dag* for a large area, which is never smaller than the area of "prio".

    *prio* is the result of "prio" for *dag*, if known. If *prio* is IC-optimal, it is returned,
    because no order has a larger area.

    >>> area_order(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})).order.tolist()
    [2, 0, 1, 3, 4]
    """
    prio = prio or prio_order(dag)
    if prio.proof.is_ic_optimal or prio.proof.has_largest_area:
        return prio
    order = _better(dag, prio.order, np.ones(len(dag), np.int64))
    no_order = prio.proof.no_order_is_ic_optimal
    return Made(order, prio.proof if no_order else confirmed(dag, Schedule.trusted(dag, order)))


def area_paths_order(dag: Dag, prio: Made | None = None) -> Ids:
    """Order *dag* for a large area in which a task's weight is its longest path in tasks.

    *prio* is the result of "prio" for *dag*, if known; the area of the result is never smaller.

    >>> dag = Dag({"a": [], "b": ["a"], "c": ["b"], "d": [], "e": ["d"]})
    >>> area_paths_order(dag).tolist()
    [0, 1, 3, 2, 4]
    """
    prio = prio or prio_order(dag)
    return _better(dag, prio.order, remaining_paths(dag).astype(np.int64))


def _better(dag: Dag, prio: Ids, gains: Counts) -> Ids:
    """Return the order of the largest area that is found; *prio* if no other is larger."""
    from icsched.theory.areas import area_of, improved, large_area  # few orders need it

    reduced = without_shortcuts(dag)
    found = large_area(reduced, gains)
    nonsinks = prio[dag.out_degrees[prio] > 0]
    orders = [nonsinks, found.order[: len(nonsinks)]]
    if not found.is_largest:
        orders = [improved(reduced, order, gains) for order in orders]
    best = max(orders, key=lambda order: area_of(reduced, order, gains))
    return np.append(best, dag.sinks)


AREA = [
    NamedOrder("area", "as many eligible jobs as possible, all steps together", area_order),
    NamedOrder(
        "area-paths",
        "as many eligible jobs as possible, each times the length of its longest path",
        area_paths_order,
    ),
]
