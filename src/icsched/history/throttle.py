"""DAGMan in a run: how often it looked, and whether a throttle held ready jobs back.

DAGMan submits jobs, *then* reads its log, and waits for one interval. So it submits a child one to
two intervals after the end of the last parent, and later only if a throttle is on.
"""

from dataclasses import dataclass, replace

import numpy as np

from icsched.arrays import Floats, Ids
from icsched.history.usage import CLOCK_S, Usage, moments_of

_EARLY = 0.1  # quantile of the children's delays, at 1.1 intervals if no throttle is on
_FEWEST = 5  # children, or gaps between submissions, to know the interval
_MOST_INTERVAL_S = 60.0
_THIN = 0.05  # of the run: if ready jobs waited for less, no throttle mattered
_AT_CEILING = 0.8  # of the time in which ready jobs waited


@dataclass(frozen=True, eq=False)
class Submission:
    """When jobs were ready, when they came into the queue, and what the log shows of DAGMan.

    `ready` and `queued` have an entry per attempt of a `Usage`. `scan_interval` is None if the
    log says too little. `max_jobs` and `max_idle` are the throttles that the log shows. Jobs that
    are ready and not in the queue after `patience` seconds are held back. `held_back` is for how
    many seconds there were such jobs.
    """

    ready: Floats
    queued: Floats
    scan_interval: float | None
    max_jobs: int | None
    max_idle: int | None
    held_back: float

    @classmethod
    def of(cls, usage: Usage) -> "Submission":
        """Return how the jobs of a run came into the queue."""
        known = np.where(np.isnan(usage.submitted), usage.start, usage.submitted)
        queued = np.where(usage.is_first, np.minimum(known, usage.start), usage.available)
        begin = float(queued.min(initial=0.0))
        has_parent = usage.is_first & ~np.isnan(usage.ready)
        ready = np.where(has_parent, usage.ready, queued)
        is_dag_known = bool((usage.task >= 0).any())
        if is_dag_known:
            ready = np.where(usage.is_first & ~has_parent, begin, ready)
        ready = np.minimum(ready, queued)
        delays = (queued - ready)[has_parent & ~np.isnan(usage.submitted)]
        found = cls(ready, queued, _interval(delays, queued[usage.is_first]), None, None, 0.0)
        return found._with_throttle(usage) if is_dag_known else found

    @property
    def patience(self) -> float:
        """Seconds within which DAGMan submits a job without a throttle."""
        return 2 * (self.scan_interval or 0.0) + CLOCK_S

    @property
    def is_throttled(self) -> bool:
        """Whether the log shows a throttle."""
        return self.max_jobs is not None or self.max_idle is not None

    def _with_throttle(self, usage: Usage) -> "Submission":
        """Return this with the throttle that the log shows, if any.

        With ``-maxjobs N`` the queue has N jobs while others are ready, and with ``-maxidle N`` it
        has N idle jobs. A place that becomes free stays empty until DAGMan has looked twice.
        """
        late = np.minimum(self.ready + self.patience, self.queued)
        starts, ends = usage.start + self.patience, usage.end + self.patience
        moments = moments_of(
            usage, self.ready, late, self.queued, usage.start, usage.end, starts, ends
        )
        steps = np.diff(moments, append=moments[-1])
        waits = _count(late, moments) > _count(self.queued, moments)
        found = replace(self, held_back=float(steps[waits].sum()))
        if found.held_back < _THIN * usage.length:
            return found
        submitted = _count(self.queued, moments)
        is_open = _count(self.ready, moments) > submitted  # the first patience tells them apart
        limits, shares = [], []
        for over, later in ((usage.end, ends), (usage.start, starts)):
            inside = submitted - _count(over, moments)
            limits.append(int(inside.max(initial=0)))
            is_near = submitted - _count(later, moments) >= max(limits[-1], 1)
            is_limit = steps[waits & is_near].sum() >= _AT_CEILING * found.held_back
            shares.append(steps[is_open & (inside >= limits[-1])].sum() if is_limit else 0.0)
        if shares[1] > shares[0]:
            return replace(found, max_idle=limits[1])
        return replace(found, max_jobs=limits[0] if shares[0] else None)


def _interval(delays: Floats, queued: Floats) -> float | None:
    """Return the seconds between two looks of DAGMan; None if the log says too little.

    The earliest children come after 1.1 intervals, if no throttle is on. Jobs that come one after
    another are an interval apart, or several. Both may be too much, so it is the smaller one.
    """
    gaps = np.diff(np.unique(queued))
    gaps = gaps[gaps > CLOCK_S / 2]  # else submissions of one look
    found = [_MOST_INTERVAL_S]
    if len(delays) >= _FEWEST:
        found.append(float(np.quantile(delays, _EARLY)) / (1 + _EARLY))
    if len(gaps) >= _FEWEST:
        found.append(float(np.quantile(gaps, _EARLY)))
    return min(found) if len(found) > 1 else None


def _count(times: Floats, moments: Floats) -> Ids:
    """Return how many of *times* are not after each moment."""
    return np.searchsorted(np.sort(times), moments, side="right").astype(np.int32)
