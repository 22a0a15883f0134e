"""What the batches of a run found, added up over slots of time."""

from dataclasses import dataclass

import numpy as np

from icsched.arrays import Floats
from icsched.sim.results import Counts, Trace


@dataclass(frozen=True, eq=False)
class SlotCounts:
    """What the batches of one run found, an entry per slot.

    `batches` counts the batches in the slot. `eligible` adds up the unassigned eligible tasks that
    each of these batches found. `unserved` counts the requests that got nothing when they came.
    For `Workers` `unserved` is 0, because workers wait and are numbered differently.
    """

    batches: Counts
    eligible: Counts
    unserved: Counts

    @classmethod
    def of(cls, trace: Trace, edges: Floats) -> "SlotCounts":
        """Add up the steps of a run between *edges*; the last slot includes its right end."""
        found = (np.ones_like(trace.batches.size), trace.batches.eligible, unserved(trace))
        return cls(*(_per_slot(trace, of_batches, edges) for of_batches in found))


def _per_slot(trace: Trace, of_batches: Counts, edges: Floats) -> Counts:
    """Add up *of_batches*, one number for each batch, over the batches of each slot."""
    return np.histogram(trace.batches.time, edges, weights=of_batches)[0].astype(np.int64)


def unserved(trace: Trace) -> Counts:
    """Return how many requests of each batch got nothing when they came; 0 for `Workers`."""
    if trace.result.workers:
        return np.zeros_like(trace.batches.size)
    given, batches = trace.assignments, trace.batches
    batch = np.searchsorted(np.cumsum(batches.size), given.request, side="right")
    at_once = batch[given.time == batches.time[batch]]
    return batches.size - np.bincount(at_once, minlength=len(batches.size))
