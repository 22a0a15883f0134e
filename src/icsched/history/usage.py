"""What one run did over time, and the pool that behaves as its slots did."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from icsched.arrays import Floats, Ids, Mask
from icsched.dag import Dag
from icsched.errors import SimulationError
from icsched.history.past_run import Ending, PastRun
from icsched.sim import Recorded, Workers

GRACE_S = 30.0  # in which DAGMan submits a job whose parents are done, unless it is throttled
AWAY_S = 20.0  # a slot that stands empty for longer, while a job waits in vain, is not there
_AWAY_GAPS = 5  # nor is one that stands empty for so many usual gaps, or times until a start
_MOST_LATENCY_S = 60.0  # a cycle of HTCondor's negotiator
CLOCK_S = 1.0  # logs have whole seconds


@dataclass(frozen=True, eq=False)
class Usage:
    """The attempts of a run whose start is known, in the order of their starts.

    Times are in seconds since the first start; NaN and -1 mean unknown. `end` of an attempt that
    still runs is the end of the log. `available` is when the job could have been taken: it was
    submitted or evicted, or its parents were done `GRACE_S` before and a throttle held it back.
    `ready` is when its last parent ended, and `last` that parent, for the first attempt alone.
    `lane` is the slot, perhaps an invented one, `slot` the one that the log names. `asked` and
    `held` are `PastRun.requested` and `allocated`.
    """

    task: Ids
    job: Ids
    submitted: Floats
    start: Floats
    end: Floats
    ending: Ids
    ready: Floats
    last: Ids
    available: Floats
    lane: Ids
    slot: Ids
    asked: Mapping[str, Floats]
    held: Mapping[str, Floats]

    @classmethod
    def of(cls, run: PastRun, dag: Dag | None = None) -> "Usage":
        """Return what *run* did; raises SimulationError if a job started before a parent ended."""
        stop = np.nanmax(np.concatenate([run.started, run.ended, [0.0]]))
        end = np.where((run.ending == Ending.RUNNING) & np.isnan(run.ended), stop, run.ended)
        kept = np.flatnonzero(~np.isnan(run.started) & ~np.isnan(end))
        kept = kept[np.argsort(run.started[kept], kind="stable")]
        start, end = run.started[kept], end[kept]
        zero = start[0] if len(start) else 0.0
        job, submitted = run.job[kept], run.submitted[kept] - zero
        start, end, ending = start - zero, end - zero, run.ending[kept].astype(np.int32)
        task = _tasks(run, dag)[job]
        ready, last = _released(dag, task, end, ending)
        is_first = _is_first(job)
        ready, last = np.where(is_first, ready, np.nan), np.where(is_first, last, -1)
        _check_clock(run, job, start, ready)
        available = _available(job, submitted, start, end, ready, has_dag=dag is not None)
        slot = run.slot[kept]
        return cls(
            *(task, job, submitted, start, end, ending, ready, last, available),
            lane=_lanes(slot, start, end),
            slot=slot,
            asked={name: values[kept] for name, values in run.requested.items()},
            held={name: values[kept] for name, values in run.allocated.items()},
        )

    def __len__(self) -> int:
        return len(self.start)

    @property
    def length(self) -> float:
        """Seconds from the first start to the last end."""
        return float(self.end.max(initial=0.0))

    @cached_property
    def is_first(self) -> Mask:
        """Whether each attempt is the first of its job."""
        return _is_first(self.job)

    def running(self, moments: Floats) -> Ids:
        """Return how many attempts ran at each moment, those that start then included."""
        return _since(self.start, moments) - _since(np.sort(self.end), moments)

    @cached_property
    def latency(self) -> float:
        """The usual seconds until a job starts that finds a free slot; matching takes that long.

        A slot is free here if fewer jobs run and wait than ever ran at once.
        """
        at = self.available
        queue = _since(np.sort(at), at) - _since(self.start, at)
        peak = self.running(self.start).max(initial=0)
        found = (self.start - at)[self.running(at) + queue <= peak]
        return min(float(np.median(found)), _MOST_LATENCY_S) if len(found) else 0.0

    def waiting(self, moments: Floats) -> Ids:
        """Return how many jobs could have been taken at each moment, and were not."""
        return _since(np.sort(self.takeable), moments) - _since(self.start, moments)

    @cached_property
    def takeable(self) -> Floats:
        """When a free slot could have taken the job of each attempt: after the latency."""
        found: Floats = np.minimum(self.available + self.latency, self.start)
        return found

    @cached_property
    def waits_in_vain(self) -> Floats:
        """When each attempt had waited for so long that no slot can have been free."""
        late: Floats = self.available + 2 * (self.latency + CLOCK_S)
        return np.minimum(late, self.start)

    def is_short(self, moments: Floats) -> Mask:
        """Return whether slots were short at each moment: a job waited in vain."""
        short: Mask = _since(np.sort(self.waits_in_vain), moments) > _since(self.start, moments)
        return short

    @cached_property
    def _waited(self) -> tuple[Floats, Floats]:
        """Moments, and for how long slots had been short until each."""
        moments = moments_of(self, self.waits_in_vain, self.start)
        steps = np.diff(moments) * self.is_short(moments[:-1])
        return moments, np.concatenate([[0.0], np.cumsum(steps)])

    def waited(self, since: Floats, until: Floats) -> Floats:
        """Return for how long slots were short between two moments."""
        found: Floats = np.interp(until, *self._waited) - np.interp(since, *self._waited)
        return found

    @cached_property
    def pairs(self) -> tuple[Ids, Ids]:
        """Attempts that followed each other on a slot: the former ones, the latter ones."""
        return _pairs(self.lane, self.start)

    @cached_property
    def overhead(self) -> float:
        """The usual seconds between two jobs on a slot if the second one was waiting."""
        former, latter = self.pairs
        gaps = np.maximum(self.start[latter] - self.end[former], 0.0)
        was_there = self.available[latter] <= self.end[former]
        was_there &= self.ending[former] != Ending.EVICTED
        return float(np.median(gaps[was_there])) if was_there.any() else 0.0

    @cached_property
    def visits(self) -> tuple[Floats, Floats]:
        """When slots came and left; infinite for those that were there at the end.

        A slot is away while it stands empty although a job waits in vain, for longer than `AWAY_S`
        and five usual gaps, and after an eviction.
        """
        patience = max(AWAY_S, _AWAY_GAPS * max(self.overhead, self.latency))
        former, latter = self.pairs
        stayed = self.waited(self.end[former], self.start[latter]) <= patience
        stayed &= self.ending[former] != Ending.EVICTED
        by_lane = np.lexsort((self.start, self.lane))
        comes = by_lane[~np.isin(by_lane, latter[stayed])]
        leaves = by_lane[~np.isin(by_lane, former[stayed])]
        starts, ends = self.start[comes].copy(), self.end[leaves].copy()
        was_free = self.waited(np.zeros(len(starts)), starts) == 0
        starts[~np.isin(comes, latter) & was_free] = 0.0
        rest = self.waited(ends, np.full(len(ends), self.length))
        stays = (self.ending[leaves] != Ending.EVICTED) & (rest <= patience)
        stays &= ~np.isin(leaves, former)
        ends[stays | (leaves == np.argmax(self.end))] = np.inf
        if len(ends) and np.isfinite(ends).all():  # attempts of one slot may overlap by a second
            ends[np.argmax(ends)] = np.inf
        return starts, ends

    def present(self, moments: Floats) -> Ids:
        """Return how many slots were there at each moment."""
        starts, ends = map(np.sort, self.visits)
        return _since(starts, moments) - _since(ends, moments)


def moments_of(usage: Usage, *times: Floats) -> Floats:
    """Return the different *times* within the run, its begin and its end."""
    every: Floats = np.unique(np.concatenate([*times, [0.0, usage.length]]))
    return every[(every >= 0) & (every <= usage.length)]


def _since(ascending: Floats, moments: Floats) -> Ids:
    """Return how many of the *ascending* times are not after each moment."""
    return np.searchsorted(ascending, moments, side="right").astype(np.int32)


def _pairs(group: Ids, start: Floats) -> tuple[Ids, Ids]:
    """Return the attempts that follow each other in a group: the former ones, the latter ones."""
    order = np.lexsort((start, group)).astype(np.int32)
    is_same = group[order[1:]] == group[order[:-1]]
    return order[:-1][is_same], order[1:][is_same]


def _tasks(run: PastRun, dag: Dag | None) -> Ids:
    """Return the id in the dag of each name of the run, -1 if there is none."""
    if dag is None:
        return np.full(len(run.names), -1, np.int32)
    return np.array([dag.ids.get(name, -1) for name in run.names], np.int32)


def _is_first(job: Ids) -> Mask:
    first = np.zeros(len(job), bool)
    first[np.unique(job, return_index=True)[1]] = True
    return first


def _released(dag: Dag | None, task: Ids, end: Floats, ending: Ids) -> tuple[Floats, Ids]:
    """Return when the last parent of each attempt's task ended, and which one it was."""
    if dag is None or not dag.arc_count:
        return np.full(len(task), np.nan), np.full(len(task), -1, np.int32)
    over = np.full(len(dag), -np.inf)
    good = (ending == Ending.DONE) & (task >= 0)
    np.maximum.at(over, task[good], end[good])
    parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
    in_order = np.lexsort((-parents, over[parents]))
    last = np.full(len(dag) + 1, -1, np.int32)  # one more, for attempts without a task
    last[children[in_order]] = parents[in_order]  # the last one stays
    last[:-1][over[last[:-1]] == -np.inf] = -1
    ready = np.where(last >= 0, over[last], np.nan)
    return ready[task], last[task]


def _check_clock(run: PastRun, job: Ids, start: Floats, ready: Floats) -> None:
    early = np.flatnonzero(start < ready - CLOCK_S)
    if len(early):
        at = early[0]
        raise SimulationError(
            f"job {run.names[job[at]]!r} started {ready[at] - start[at]:g} s before a parent of it"
            " ended: a clock went backwards, or the logs are of another workflow"
        )


def _available(
    job: Ids, submitted: Floats, start: Floats, end: Floats, ready: Floats, *, has_dag: bool
) -> Floats:
    """Return when the job of each attempt could have been taken, at most its start."""
    known = np.where(np.isnan(submitted), start, submitted)
    if has_dag:
        begin = np.min(known, initial=0.0)
        known = np.minimum(known, np.where(np.isnan(ready), begin, ready) + GRACE_S)
    before, again = _pairs(job, start)
    later = np.where(np.isnan(submitted[again]), end[before], submitted[again])
    known[again] = np.maximum(later, end[before])
    return np.minimum(known, start)


def _lanes(slot: Ids, start: Floats, end: Floats) -> Ids:
    """Return the slot of each attempt, as the log names it if it has one attempt at a time."""
    former, latter = _pairs(slot, start)
    overlap = start[latter] < end[former] - CLOCK_S
    is_named = len(slot) and slot.min() >= 0 and not overlap.any()
    return slot if is_named else _made_up_lanes(start, end)


def _made_up_lanes(start: Floats, end: Floats) -> Ids:
    """Give each attempt a slot that is free: the one that became free last."""
    lane, free, count = np.zeros(len(start), np.int32), list[int](), 0
    ends = np.argsort(end, kind="stable").tolist()
    starts, over, done = start.tolist(), end.tolist(), 0
    for at, begin in enumerate(starts):
        while over[ends[done]] <= begin and starts[ends[done]] < begin:
            free.append(int(lane[ends[done]]))
            done += 1
        if not free:
            free.append(count)
            count += 1
        lane[at] = free.pop()
    return lane


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
    starts, ends = np.maximum(starts, 0.0), ends + overhead  # a worker asks before it starts
    is_lasting = ends > starts
    return Fit(
        workers=Workers(_count(usage), leave=leave, overhead=overhead, delay=delay),
        recorded=Recorded(starts[is_lasting], ends[is_lasting], delay, overhead),
        begin=-overhead,
        freed=freed,
        submission=_median(usage.submitted - usage.ready),
    )


def _count(usage: Usage) -> int:
    """Return how many slots were there while jobs waited in vain: the median over that time.

    If that was only for a small share of the run, it is the most jobs that ran at once.
    """
    starts, ends = usage.visits
    moments = moments_of(usage, usage.waits_in_vain, usage.start, starts, ends)
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
    queue = _since(wanted, ready) - _since(usage.start, ready)
    is_free = usage.running(ready) + queue <= usage.present(ready)
    found: Floats = np.maximum(start - ready, 0.0)[is_free]
    return found


def _median(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.median(np.maximum(known, 0.0))) if len(known) else None
