"""The table of orders, and plans, which are the results of orders."""

from icsched.dag import Graph, dag_of
from icsched.orders.definition import Aim, Choice, Made, NamedOrder
from icsched.orders.memory_limits import LimitedOrder, memory_curve, order_within
from icsched.orders.named_orders import ORDERS
from icsched.orders.plan import Plan, made_order, prioritize
from icsched.orders.prio import prio_order
from icsched.orders.simulation import simulate

__all__ = [
    "ORDERS",
    "Aim",
    "Choice",
    "Graph",
    "LimitedOrder",
    "Made",
    "NamedOrder",
    "Plan",
    "dag_of",
    "made_order",
    "memory_curve",
    "order_within",
    "prio_order",
    "prioritize",
    "simulate",
]
