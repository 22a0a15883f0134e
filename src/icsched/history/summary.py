"""A past run in numbers: run times by kind, waiting, and what happened over time."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids
from icsched.history.past_run import Ending, PastRun
from icsched.history.usage import Usage
from icsched.run_times import kinds_of, stem

SLOTS = 48  # of a chart

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class KindOfJob:
    """What the logs say about the jobs of a kind, in all runs.

    `count` counts the successful attempts of known length, of which `mean` (seconds) and `spread`
    (standard deviation over mean) are. `mean` is None if there is no such attempt, and `spread` if
    there are fewer than two. The deviation is that of a sample: n - 1 divides the squares.
    """

    name: str
    jobs: int
    count: int
    mean: float | None
    spread: float | None
    failures: int
    evictions: int


@dataclass(frozen=True)
class Waits:
    """Seconds from the submission of a job to its start; None if the logs do not say."""

    mean: float | None
    median: float | None
    high: float | None  # 95% waited at most this long


@dataclass(frozen=True, eq=False)
class OverTime:
    """Averages over equally long periods, whose starts are `time`.

    `running` and `waiting` count jobs; `missing` counts the slots that were free while no job could
    be taken.
    """

    time: Floats
    running: Floats
    waiting: Floats
    missing: Floats


def kinds_in(past: PastRun, descriptions: Mapping[str, str]) -> list[KindOfJob]:
    """Return the kinds of job that have attempts, those with the most seconds in all first.

    *descriptions* has the submit description of each job; it may be empty. Takes O(attempts) time,
    however many kinds there are.
    """
    described = [descriptions.get(name, "") for name in past.names]
    kinds = kinds_of(past.names, described)
    labels = _labels(past.names, described, kinds)
    by_kind = np.argsort(kinds[past.job], kind="stable")
    used, first = np.unique(kinds[past.job][by_kind], return_index=True)
    parts = np.split(by_kind, first)[1:]  # before the first kind there is nothing
    found = [_kind(past, labels[k], part) for k, part in zip(used.tolist(), parts, strict=True)]
    return sorted(found, key=lambda kind: (-(kind.mean or 0.0) * kind.count, kind.name))


def _labels(names: Sequence[str], described: Sequence[str], kinds: Ids) -> dict[int, str]:
    """Return a name for each kind: the stem, with the description where two would be alike."""
    first = np.unique(kinds, return_index=True)[1].tolist()
    stems = [stem(names[at]) for at in first]
    counts = Counter(stems)
    return {
        int(kinds[at]): word if counts[word] == 1 else f"{word} ({stem(described[at])})"
        for at, word in zip(first, stems, strict=True)
    }


def _kind(past: PastRun, name: str, attempts: Indices) -> KindOfJob:
    ending, seconds = past.ending[attempts], past.seconds[attempts]
    seconds = seconds[(ending == Ending.DONE) & ~np.isnan(seconds)]
    mean = float(seconds.mean()) if len(seconds) else None
    return KindOfJob(
        name,
        jobs=len(np.unique(past.job[attempts])),
        count=len(seconds),
        mean=mean,
        spread=float(seconds.std(ddof=1)) / mean if mean and len(seconds) > 1 else None,
        failures=int((ending == Ending.FAILED).sum()),
        evictions=int((ending == Ending.EVICTED).sum()),
    )


def waits(usage: Usage) -> Waits:
    """Return how long jobs waited before they started for the first time."""
    seconds = (usage.start - usage.submitted)[usage.is_first]
    seconds = seconds[~np.isnan(seconds)]
    if not len(seconds):
        return Waits(None, None, None)
    median, high = np.quantile(seconds, [0.5, 0.95])
    return Waits(float(seconds.mean()), float(median), float(high))


def over_time(usage: Usage) -> OverTime:
    """Return the run in `SLOTS` periods, from its first start to its last end."""
    edges = np.linspace(0.0, usage.length or 1.0, SLOTS + 1)
    moments, running, waiting, missing = profile(usage)
    averages = [_averages(moments, values, edges) for values in (running, waiting, missing)]
    return OverTime(edges[:-1], *averages)


def profile(usage: Usage) -> tuple[Floats, Floats, Floats, Floats]:
    """Return moments, and what holds from each until the next: running, waiting, missing jobs.

    A job is missing for each slot that is free while no job can be taken.
    """
    starts, ends = usage.visits
    bounds = np.array([0.0, usage.length])
    every = [usage.start, usage.end, usage.takeable, starts, ends, bounds]
    moments: Floats = np.unique(np.concatenate(every))
    moments = moments[(moments >= 0) & (moments <= usage.length)]
    running, waiting = usage.running(moments), usage.waiting(moments)
    free = np.maximum(usage.present(moments) - running, 0)
    return moments, running.astype(float), waiting.astype(float), np.where(waiting > 0, 0.0, free)


def _averages(moments: Floats, values: Floats, edges: Floats) -> Floats:
    """Return the average between edges of a value that changes at *moments*."""
    total = np.concatenate([[0.0], np.cumsum(values[:-1] * np.diff(moments))])
    found: Floats = np.diff(np.interp(edges, moments, total)) / edges[1]
    return found
