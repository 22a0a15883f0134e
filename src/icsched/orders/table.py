"""The table of orders: every way to order a dag, by a name that is the same everywhere.

A new order is a `NamedOrder` in a file of its own, listed here, or the entry point of another
package in the group ``icsched.orders``.
"""

from icsched.orders.area import AREA
from icsched.orders.auto import AUTO
from icsched.orders.entry import NamedOrder
from icsched.orders.prio import PRIO
from icsched.orders.simple import SIMPLE
from icsched.orders.steps import STEPS
from icsched.tables import Table

ORDERS: Table[NamedOrder] = Table(
    "order", "icsched.orders", NamedOrder, [AUTO, PRIO, *SIMPLE, STEPS, *AREA]
)
