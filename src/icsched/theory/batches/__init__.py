"""The best batch of eligible tasks to hand out together (Malewicz and Rosenberg 2006)."""

from icsched.theory.batches.choose import Batch, Guarantee, GuaranteeKind, Method, best_batch

__all__ = ["Batch", "Guarantee", "GuaranteeKind", "Method", "best_batch"]
