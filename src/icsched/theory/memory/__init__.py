"""Memory: the same profile with fewer open results, and orders within a limit of them."""

from icsched.theory.memory.known import lean_fft_order, lean_mesh_order, lean_tree_order
from icsched.theory.memory.lean import lean_order
from icsched.theory.memory.within import LimitedOrder, memory_curve, order_within

__all__ = [
    "LimitedOrder",
    "lean_fft_order",
    "lean_mesh_order",
    "lean_order",
    "lean_tree_order",
    "memory_curve",
    "order_within",
]
