"""Memory: the same profile with fewer open results, and orders of least memory."""

from icsched.theory.memory.lean import lean_order

__all__ = ["lean_order"]
