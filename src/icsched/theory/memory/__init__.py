"""Memory: the same profile with fewer open results, and orders of least memory."""

from icsched.theory.memory.known import lean_fft_order, lean_mesh_order, lean_tree_order
from icsched.theory.memory.lean import lean_order

__all__ = [
    "lean_fft_order",
    "lean_mesh_order",
    "lean_order",
    "lean_tree_order",
]
