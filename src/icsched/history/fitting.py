"""A pool that behaves as the slots of a past run did."""

import math
from dataclasses import dataclass

import numpy as np

from icsched.arrays import Floats
from icsched.history.past_run import Ending
from icsched.history.usage import Usage
from icsched.sim import Recorded, Workers

_THIN = 0.1  # of the run: if slots were short for less, that says little about their number


@dataclass(frozen=True, eq=False)
class Fit:
    """Two pools: a fixed number of workers, and the slots as they were recorded.

    `freed` has the seconds from the end of a last parent to the start of its child where a slot was
    free; `submission` those to the child's submission. Both are medians, None if the logs do not
    say. `begin` is time 0 of the pools, in seconds since the first start.
    """

    workers: Workers
    recorded: Recorded
    begin: float
    freed: float | None
    submission: float | None


def fitted(usage: Usage) -> Fit:
    """Return the pools that behave as *usage* says.

    There are as many workers as slots were usually there while jobs waited. The overhead is the
    usual gap between two jobs on a slot if the second one was waiting. The delay is what a freed
    job waited beyond that, where a slot was free. Workers leave after the seconds that were run for
    each eviction.
    """
    overhead, freed = usage.overhead, _median(_freed(usage))
    delay = max((freed or 0.0) - overhead, 0.0)
    evictions = int((usage.ending == Ending.EVICTED).sum())
    ran = float((usage.end - usage.start).sum())
    leave = max(ran / evictions, 1e-3) if evictions else math.inf
    starts, ends = usage.visits
    return Fit(
        workers=Workers(_count(usage), leave=leave, overhead=overhead, delay=delay),
        recorded=_recorded(starts, ends, overhead, delay),
        begin=-overhead,
        freed=freed,
        submission=_median(usage.submitted - usage.ready),
    )


def _recorded(starts: Floats, ends: Floats, overhead: float, delay: float) -> Recorded:
    """Return the visits, from when a worker must ask to start as early as it did."""
    starts = np.maximum(starts, 0.0)
    is_lasting = ends + overhead > starts
    return Recorded(starts[is_lasting], ends[is_lasting] + overhead, delay, overhead)


def _count(usage: Usage) -> int:
    """Return how many slots were there while jobs waited in vain: the median over that time.

    If that was only for a small share of the run, it is the most jobs that ran at once.
    """
    starts, ends = usage.visits
    every = np.concatenate([usage.waits_in_vain, usage.start, starts, ends, [0.0, usage.length]])
    moments = np.unique(every[(every >= 0) & (every <= usage.length)])
    weights = np.diff(moments) * usage.is_short(moments[:-1])
    present = usage.present(moments[:-1])
    if weights.sum() <= _THIN * usage.length:
        return max(1, int(usage.running(usage.start).max(initial=1)))
    by_size = np.argsort(present, kind="stable")
    total = np.cumsum(weights[by_size])
    return max(1, int(present[by_size[np.searchsorted(total, total[-1] / 2)]]))


def _freed(usage: Usage) -> Floats:
    """Return the seconds from ready to start of the jobs for which a slot was free."""
    is_child = ~np.isnan(usage.ready)
    wanted = np.sort(np.where(is_child, usage.ready, usage.available))
    ready, start = usage.ready[is_child], usage.start[is_child]
    queue = np.searchsorted(wanted, ready, side="right")
    queue -= np.searchsorted(usage.start, ready, side="right")
    is_free = usage.running(ready) + queue <= usage.present(ready)
    found: Floats = np.maximum(start - ready, 0.0)[is_free]
    return found


def _median(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.median(np.maximum(known, 0.0))) if len(known) else None
