"""The table of orders: every order has the same name in all commands and functions.

This module has the simple orders, which other orders are compared with. Any other order is a
`NamedOrder` in a file of its own, listed here, or the entry point of another package in the group
``icsched.orders``.
"""

from icsched import pebble
from icsched.arrays import Floats, Ids
from icsched.dag import Dag
from icsched.orders.area import AREA
from icsched.orders.auto import AUTO
from icsched.orders.definition import NamedOrder
from icsched.orders.prio import PRIO, STEPS
from icsched.tables import Table


def _random(dag: Dag) -> Ids:
    return pebble.random_order(dag, seed=0)


def _critical_path(dag: Dag, run_times: Floats | None) -> Ids:
    return pebble.critical_path_order(dag, run_times=run_times)


SIMPLE = (
    NamedOrder("fifo", "first come, first served", pebble.fifo_order, played="fifo"),
    NamedOrder("lifo", "last come, first served", pebble.lifo_order, played="lifo"),
    NamedOrder("random", "a random eligible job", _random, played="random"),
    NamedOrder("level", "level by level from the sources", pebble.level_order),
    NamedOrder(
        "critical-path",
        "the longest path first, in run time if known, else in jobs",
        _critical_path,
        run_times="used",
    ),
)

ORDERS: Table[NamedOrder] = Table(
    "order", "icsched.orders", NamedOrder, [AUTO, PRIO, *SIMPLE, STEPS, *AREA]
)
