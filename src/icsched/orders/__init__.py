"""Orders: the table of them, and plans of a dag made by one of them."""

from icsched.orders.entry import Made, NamedOrder, Rule
from icsched.orders.plan import Plan, prioritize
from icsched.orders.prio import prio_order
from icsched.orders.table import ORDERS
from icsched.orders.within import LimitedOrder, memory_curve, order_within

__all__ = [
    "ORDERS",
    "LimitedOrder",
    "Made",
    "NamedOrder",
    "Plan",
    "Rule",
    "memory_curve",
    "order_within",
    "prio_order",
    "prioritize",
]
