"""Batches: the best tasks to hand out together (paper 002, the batched game)."""

from icsched.batch.choose import Batch, Method, batch
from icsched.batch.server import BatchServer

__all__ = ["Batch", "BatchServer", "Method", "batch"]
