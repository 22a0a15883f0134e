"""The best batch of eligible tasks to hand out together (paper 002)."""

from icsched.theory.batches.choose import Batch, Guarantee, GuaranteeKind, Method, best_batch

__all__ = ["Batch", "Guarantee", "GuaranteeKind", "Method", "best_batch"]
