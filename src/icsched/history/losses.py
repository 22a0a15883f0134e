"""What became of the cores of a run: used, or lost, and by which cause."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids, Mask
from icsched.history.slots import Seen
from icsched.history.throttle import Submission
from icsched.history.usage import Usage, moments_of

_MOST_SIZES = 64  # of jobs; more sizes are rounded up to some of them


@dataclass(frozen=True)
class Losses:
    """The core seconds of all machines, from the first start to the last end, by their use.

    Jobs ran on `used`. The rest was lost: `large_slots` to slots that had more cores than their
    jobs asked for; the others while cores were free. `matching`: a job in the queue fitted, and
    HTCondor had not started it. `cores` and `memory`: jobs in the queue needed more cores or memory
    than any machine had free. `throttle`: ready jobs were held back. `submission`: DAGMan had not
    submitted ready jobs yet. `no_job`: no job was ready.
    """

    used: float
    large_slots: float
    matching: float
    cores: float
    memory: float
    throttle: float
    submission: float
    no_job: float

    @property
    def total(self) -> float:
        """All core seconds."""
        return float(sum(asdict(self).values()))

    @classmethod
    def of(cls, usage: Usage, seen: Seen, told: Submission) -> "Losses":
        """Return what became of the cores of the machines that were *seen*.

        A machine is there during the whole run. If jobs of several kinds could have used the free
        cores, the causes come in the order of the fields.
        """
        late = np.minimum(told.ready + told.patience, told.queued)
        moments = moments_of(usage, told.ready, late, told.queued, usage.start, usage.end)
        steps = np.diff(moments, append=moments[-1])
        on = _Cores(seen, usage, moments)
        held = on.sum(seen.held, usage.start, usage.end)
        asked = on.sum(np.minimum(seen.asked, seen.held), usage.start, usage.end)
        left = np.maximum(seen.cores.sum() - held, 0.0)
        found = {"used": asked, "large_slots": np.maximum(held - asked, 0.0)}
        wanted = dict.fromkeys(("matching", "cores", "memory"), np.zeros(len(moments)))
        for size, own in _sizes(seen):
            waiting = size[0] * on.count(told.queued[own], usage.start[own])
            has_cores = on.has_room(size[0], 0.0)
            fits = on.has_room(*size) if size[1] else has_cores
            wanted["matching"] = wanted["matching"] + waiting * fits
            wanted["memory"] = wanted["memory"] + waiting * (has_cores & ~fits)
            wanted["cores"] = wanted["cores"] + waiting * ~has_cores
        held_back = on.sum(seen.asked, late, told.queued)
        wanted["throttle"] = held_back if told.is_throttled else 0 * held_back
        wanted["submission"] = on.sum(seen.asked, told.ready, told.queued)
        if told.is_throttled:
            wanted["submission"] = wanted["submission"] - held_back
        for cause, cores in wanted.items():
            found[cause] = np.minimum(left, np.maximum(cores, 0.0))
            left = left - found[cause]
        found["no_job"] = left
        return cls(**{name: float((cores * steps).sum()) for name, cores in found.items()})


def _sizes(seen: Seen) -> Iterator[tuple[tuple[float, float], Mask]]:
    """Yield cores and memory that jobs ask for, with the attempts of each size."""
    pairs = np.column_stack([seen.asked, seen.asked_memory])
    sizes, which = np.unique(pairs, axis=0, return_inverse=True)
    which = which.reshape(-1)
    merged = -(-len(sizes) // _MOST_SIZES)  # neighbours, so that few sizes are left
    for first in range(0, len(sizes), merged):
        cores, memory = sizes[first : first + merged].max(axis=0).tolist()
        yield (cores, memory), (which >= first) & (which < first + merged)


class _Cores:
    """Counts at the moments of a run, and which machines have room then."""

    def __init__(self, seen: Seen, usage: Usage, moments: Floats) -> None:
        self._moments = moments
        own = np.flatnonzero(seen.machine >= 0)
        when = np.concatenate([usage.start[own], usage.end[own]])
        self._where = np.tile(seen.machine[own], 2)
        in_order = np.lexsort((when, self._where))
        self._when, self._where = when[in_order], self._where[in_order]
        self._free = [
            total[self._where] - np.cumsum(np.concatenate([held[own], -held[own]])[in_order])
            for total, held in ((seen.cores, seen.held), (seen.memory, seen.held_memory))
        ]
        self._totals = seen.cores, seen.memory

    def count(self, since: Floats, until: Floats) -> Ids:
        """Return how many of the periods between *since* and *until* each moment is in."""
        starts, ends = np.sort(since), np.sort(np.maximum(until, since))
        before = np.searchsorted(starts, self._moments, side="right")
        return (before - np.searchsorted(ends, self._moments, side="right")).astype(np.int32)

    def sum(self, amounts: Floats, since: Floats, until: Floats) -> Floats:
        """Return the sum of the amounts of the periods that each moment is in."""
        total = np.zeros(len(self._moments) + 1)
        np.add.at(total, np.searchsorted(self._moments, since), amounts)
        np.add.at(total, np.searchsorted(self._moments, np.maximum(until, since)), -amounts)
        found: Floats = np.cumsum(total[:-1])
        return found

    def has_room(self, cores: float, memory: float) -> Mask:
        """Return whether a machine has so much free at each moment."""
        fits = np.ones(len(self._when), bool)
        empty = np.ones(len(self._totals[0]), bool)
        for free, total, amount in zip(self._free, self._totals, (cores, memory), strict=True):
            fits &= free >= amount - 1e-6
            empty &= total >= amount - 1e-6
        is_first = np.append(True, self._where[1:] != self._where[:-1])
        before = np.where(is_first, empty[self._where], np.append(False, fits[:-1]))
        change: NDArray[np.int64] = fits.astype(np.int64) - before
        by_time = np.argsort(self._when, kind="stable")
        total = np.concatenate([[0], np.cumsum(change[by_time])])
        after = np.searchsorted(self._when[by_time], self._moments, side="right")
        found: Mask = int(empty.sum()) + total[after] > 0
        return found
