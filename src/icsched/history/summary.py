"""A past run in numbers: run times by kind, waiting, what happened over time, and stalls."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids
from icsched.history.past_run import Ending, PastRun
from icsched.history.usage import Usage, moments_of
from icsched.run_times import kinds_of, stem

SLOTS = 48  # of a chart
_FEWEST_REPEATED = 20  # jobs measured several times, to know their spread

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class KindOfJob:
    """What the logs say about the jobs of a kind, in all runs.

    `mean` (seconds) and `spread` (standard deviation of a sample, over the mean) are those of the
    `count` successful attempts of known length; None if there are too few. `needs` has the most
    that a job asked for, by resource, as far as the logs say.
    """

    name: str
    jobs: int
    count: int
    mean: float | None
    spread: float | None
    failures: int
    evictions: int
    needs: Mapping[str, float]


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
        needs={
            resource: most
            for resource, asked in past.requested.items()
            if not np.isnan(most := float(np.fmax.reduce(asked[attempts])))
        },
    )


def spread_of_repeated(past: PastRun) -> float | None:
    """Return how much the times of one job vary; None if too few jobs ran several times."""
    is_good = (past.ending == Ending.DONE) & (past.seconds > 0)
    job, seconds = past.job[is_good], past.seconds[is_good]
    count = np.bincount(job, minlength=len(past.names))
    mean = np.bincount(job, seconds, minlength=len(past.names)) / np.maximum(count, 1)
    squares = np.bincount(job, (seconds / mean[job] - 1) ** 2, minlength=len(past.names))
    repeated = count > 1
    if repeated.sum() < _FEWEST_REPEATED:
        return None
    return float(np.sqrt(np.mean(squares[repeated] / (count[repeated] - 1))))


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
    moments = moments_of(usage, usage.start, usage.end, usage.takeable, starts, ends)
    running, waiting = usage.running(moments), usage.waiting(moments)
    free = np.maximum(usage.present(moments) - running, 0)
    return moments, running.astype(float), waiting.astype(float), np.where(waiting > 0, 0.0, free)


def _averages(moments: Floats, values: Floats, edges: Floats) -> Floats:
    """Return the average between edges of a value that changes at *moments*."""
    total = np.concatenate([[0.0], np.cumsum(values[:-1] * np.diff(moments))])
    found: Floats = np.diff(np.interp(edges, moments, total)) / edges[1]
    return found


_MOST = 10  # periods and jobs that are named


@dataclass(frozen=True)
class Stall:
    """A period in which slots stood empty for want of jobs, and the job that ended it.

    Times are in seconds since the first start. `lost` is the seconds of all slots together.
    """

    start: float
    end: float
    lost: float
    waited_for: str | None


@dataclass(frozen=True)
class Stalls:
    """For how long slots were free without a job to take, and for which jobs they waited."""

    seconds: float  # with at least one free slot
    lost: float  # seconds of all slots together
    share: float  # of `lost` in all the time of the slots
    longest: tuple[Stall, ...]  # the worst periods
    waited_for: tuple[tuple[str, float], ...]  # jobs with the seconds that were lost for each


def find_stalls(usage: Usage, names: Sequence[Hashable]) -> Stalls:
    """Return when jobs were missing; *names* are those of the dag's tasks.

    All slots wait for the last parent of the job that can be taken next; at the end of the run for
    the job that ends last.
    """
    moments, _, _, missing = profile(usage)
    steps = np.diff(moments)
    lost = missing[:-1] * steps
    blamed = _blamed(usage, moments[:-1])
    present = usage.present(moments[:-1]) * steps
    return Stalls(
        seconds=float(steps[missing[:-1] > 0].sum()),
        lost=float(lost.sum()),
        share=float(lost.sum() / max(present.sum(), 1e-9)),
        longest=_longest(moments, lost, blamed, names),
        waited_for=_worst(blamed, lost, names),
    )


def _blamed(usage: Usage, moments: Floats) -> Ids:
    """Return the task that free slots wait for at each moment, -1 if it is unknown."""
    by_time = np.argsort(usage.takeable, kind="stable")
    after = np.searchsorted(usage.takeable[by_time], moments, side="right")
    return np.append(usage.last[by_time], usage.task[np.argmax(usage.end)])[after]


def _worst(blamed: Ids, lost: Floats, names: Sequence[Hashable]) -> tuple[tuple[str, float], ...]:
    known = blamed >= 0
    totals = np.bincount(blamed[known], lost[known], minlength=1)
    worst = np.argsort(-totals, kind="stable")[:_MOST]
    return tuple((str(names[task]), float(totals[task])) for task in worst if totals[task] > 0)


def _longest(
    moments: Floats, lost: Floats, blamed: Ids, names: Sequence[Hashable]
) -> tuple[Stall, ...]:
    """Return the periods in which the most was lost, each with one job that all waited for."""
    if not len(lost):
        return ()
    is_new = np.append(True, (blamed[1:] != blamed[:-1]) | (lost[1:] == 0) | (lost[:-1] == 0))
    first = np.flatnonzero(is_new)
    totals = np.add.reduceat(lost, first)
    stop = np.append(first[1:], len(lost))
    worst = np.argsort(-totals, kind="stable")[:_MOST]
    return tuple(
        Stall(
            float(moments[first[at]]),
            float(moments[stop[at]]),
            float(totals[at]),
            str(names[blamed[first[at]]]) if blamed[first[at]] >= 0 else None,
        )
        for at in np.sort(worst).tolist()
        if totals[at] > 0
    )
