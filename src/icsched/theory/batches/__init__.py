"""The best batch of eligible tasks to hand out together (paper 002)."""

from icsched.theory.batches.choose import Batch, Method, best_batch

__all__ = ["Batch", "Method", "best_batch"]
