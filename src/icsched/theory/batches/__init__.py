"""The best batch of eligible tasks to hand out together (Malewicz and Rosenberg 2006)."""

from icsched.theory.batches.choose import Batch, Guarantee, GuaranteeKind, Method, best_batch
from icsched.theory.batches.decision import batch_can_gain, has_small_union, small_union_dag

__all__ = [
    "Batch",
    "Guarantee",
    "GuaranteeKind",
    "Method",
    "batch_can_gain",
    "best_batch",
    "has_small_union",
    "small_union_dag",
]
