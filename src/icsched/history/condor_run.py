"""The reader of HTCondor's logs and histories: events in, a `PastRun` out.

`Attempts` follows each job from its submission to its end. Several files become one stream of
events, in which each event counts once.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, islice
from math import inf, nan
from typing import Any

import numpy as np

from icsched.arrays import Floats, Ids
from icsched.errors import FormatError
from icsched.history.condor_events import (
    NOOP_PROC,
    SCHEDD,
    Event,
    Job,
    Kind,
    events_in,
    history_events,
)
from icsched.history.condor_resources import (
    MOST_KINDS,
    NO_RESOURCES,
    USUAL,
    Amounts,
    Resources,
)
from icsched.history.past_run import Ending, PastRun

MOST = 5_000_000  # jobs, and attempts: a few gigabytes
_TAIL = 1 << 16  # bytes that have the last event
_PARTS = re.compile(rb":\d\d\.\d")
_REMOVAL_SECONDS = 10.0  # condor_rm evicts a job, and says that it is aborted within this time


@dataclass(slots=True)
class _Attempt:
    job: int
    submitted: float
    run: int
    started: float = nan
    ended: float = nan
    suspended: float = 0.0
    stopped: float = nan  # when the suspension began that goes on
    slot: int = -1
    ending: Ending = Ending.RUNNING
    held: Resources = NO_RESOURCES

    def resume(self, time: float) -> None:
        """End the suspension that goes on, if there is one and *time* is known."""
        if time > self.stopped:  # never of an unknown time, which is NaN
            self.suspended += time - self.stopped
        self.stopped = nan

    def end(self, time: float, ending: Ending) -> None:
        """End the attempt."""
        self.resume(time)
        self.ended, self.ending = time, ending

    def hold(self, told: Resources) -> None:
        """Take in what an event tells; what the slot had at the start stays."""
        old = self.held
        if told is not NO_RESOURCES:
            requested = {**told.requested, **old.requested}
            self.held = Resources(requested, {**told.allocated, **old.allocated})


@dataclass(slots=True)
class _Node:
    """A name of jobs: its latest cluster, and whether all ends in there were good."""

    cluster: int
    is_good: bool | None = None  # no end yet
    run: int = 0


class Attempts:
    """Collects the attempts that events tell of; `past_run` returns them."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._slots: dict[str, int] = {}
        self._nodes: dict[int, _Node] = {}  # by index into names
        self._jobs: dict[Job, tuple[int, float]] = {}  # index into names, time of submission
        self._clusters: dict[int, str] = {}  # DAG node of a whole cluster
        self._managers: set[Job] = set()  # DAGMan's own jobs, which are not of the workflow
        self._managers_names: set[int] = set()  # indexes into names
        self._last: dict[Job, _Attempt] = {}
        self._attempts: list[_Attempt] = []
        self._first = inf
        self._unread = 0
        self._acts: dict[int, Callable[[Event], None]] = {
            Kind.SUBMIT: self._submit,
            Kind.EXECUTE: self._execute,
            Kind.EVICTED: self._evict,
            Kind.TERMINATED: self._terminate,
            Kind.SHADOW_EXCEPTION: self._evict,
            Kind.ABORTED: self._abort,
            Kind.SUSPENDED: self._suspend,
            Kind.UNSUSPENDED: self._resume,
            Kind.HELD: self._evict,
            Kind.POST_SCRIPT: self._judge,
            Kind.RECONNECT_FAILED: self._evict,
            Kind.CLUSTER_SUBMIT: lambda event: self._clusters.update({event.job[0]: event.text}),
        }

    def follow(self, path: str, events: Iterable[Event]) -> None:
        """Take in the events of the log at *path*; raises FormatError if there are too many."""
        for event in events:
            if event.time < self._first:
                self._first = event.time
            if event.kind == Kind.SUBMIT:
                self._managers.discard(event.job)  # HTCondor may count jobs from 1 again
            if event.job[1] != NOOP_PROC and event.job not in self._managers:
                self._acts[event.kind](event)
            self._unread += event.resources.unread
            if len(self._attempts) > MOST or len(self._jobs) > MOST:
                raise FormatError(path, None, f"expected at most {MOST:,} jobs and attempts")

    def _submit(self, event: Event) -> None:
        cluster = event.job[0]
        name = event.text or self._clusters.get(cluster) or _number(event.job)
        index = self._names.setdefault(name, len(self._names))
        self._jobs[event.job] = index, event.time
        node = self._nodes.setdefault(index, _Node(cluster))
        if node.cluster != cluster:
            node.cluster, node.run = cluster, node.run + (node.is_good is True)
            node.is_good = None

    def _execute(self, event: Event) -> None:
        if event.text.startswith(SCHEDD) and not self._has_node(event.job):
            self._managers.add(event.job)
            if event.job in self._jobs:
                self._managers_names.add(self._jobs[event.job][0])
            return
        self._evict(event.same(nan))  # an attempt whose end is not in the log
        attempt = self._begin(event.job)
        attempt.started = event.time
        attempt.hold(event.resources)
        if event.text:
            attempt.slot = self._slots.setdefault(event.text, len(self._slots))

    def _has_node(self, job: Job) -> bool:
        """Whether an event named the DAG node of *job*."""
        if job not in self._jobs:
            return bool(self._clusters.get(job[0]))
        return self._jobs[job][0] != self._names.get(_number(job))

    def _begin(self, job: Job) -> _Attempt:
        if job not in self._jobs:  # the log begins later
            self._submit(Event(Kind.SUBMIT, job, nan))
        index, submitted = self._jobs[job]
        attempt = _Attempt(index, submitted, self._nodes[index].run)
        self._last[job] = attempt
        self._attempts.append(attempt)
        return attempt

    def _open(self, job: Job) -> _Attempt | None:
        last = self._last.get(job)
        return last if last and last.ending == Ending.RUNNING else None

    def _evict(self, event: Event) -> None:
        if attempt := self._open(event.job):
            attempt.hold(event.resources)
            attempt.end(event.time, Ending.EVICTED)

    def _terminate(self, event: Event) -> None:
        attempt = self._open(event.job) or self._begin(event.job)
        attempt.hold(event.resources)
        attempt.end(event.time, Ending.DONE if event.is_good else Ending.FAILED)
        node = self._nodes[attempt.job]
        node.is_good = event.is_good and node.is_good is not False

    def _abort(self, event: Event) -> None:
        if attempt := self._open(event.job):
            attempt.end(event.time, Ending.REMOVED)
            return
        last = self._last.get(event.job)
        was_evicted = last is not None and last.ending == Ending.EVICTED
        if last and was_evicted and 0 <= event.time - last.ended <= _REMOVAL_SECONDS:
            last.ending = Ending.REMOVED

    def _suspend(self, event: Event) -> None:
        if attempt := self._open(event.job):
            attempt.stopped = event.time

    def _resume(self, event: Event) -> None:
        if attempt := self._open(event.job):
            attempt.resume(event.time)

    def _judge(self, event: Event) -> None:
        """Believe a POST script, which has the last word on whether a node succeeded."""
        if event.job in self._jobs:
            self._nodes[self._jobs[event.job][0]].is_good = event.is_good

    def past_run(self) -> PastRun:
        """Return all attempts; times become seconds since the earliest event."""
        since = self._first if self._attempts else 0.0
        # A difference of POSIX times is exact to less than a millionth of a second.
        submitted, started, ended = (
            np.round(self._column(name, np.float64) - since, 6)
            for name in ("submitted", "started", "ended")
        )
        counts = self._column("run", np.int32)
        names, job = self._named()
        runs = _runs(counts, np.fmin(submitted, started))
        set_back = np.fmax(started - ended, 0.0)  # 0 where one is unknown
        started = np.where(ended < started, nan, started)
        submitted = np.where((started < submitted) | (ended < submitted), nan, submitted)
        return PastRun(
            names=names,
            slots=tuple(self._slots),
            began=self._first if self._first < inf else nan,
            job=job,
            submitted=submitted,
            started=started,
            ended=ended,
            suspended=self._column("suspended", np.float64),
            set_back=set_back,
            ending=self._column("ending", np.uint8),
            slot=self._column("slot", np.int32),
            run=runs,
            requested=self._amounts([attempt.held.requested for attempt in self._attempts]),
            allocated=self._amounts([attempt.held.allocated for attempt in self._attempts]),
            unread=self._unread,
        )

    def _amounts(self, told: Sequence[Amounts]) -> dict[str, Floats]:
        """Return a column for each resource that is told, at most `MOST_KINDS`."""
        names = dict.fromkeys(chain.from_iterable(told))
        known = sorted(names, key=lambda name: (name not in USUAL, name))[:MOST_KINDS]
        return {name: np.array([each.get(name, nan) for each in told]) for name in known}

    def _named(self) -> tuple[tuple[str, ...], Ids]:
        """Return the names, and which of them each attempt has; DAGMan's own jobs have none."""
        job = self._column("job", np.int32)
        is_kept = np.ones(len(self._names), bool)
        is_kept[sorted(self._managers_names)] = False
        is_kept[job] = True
        names = tuple(compress(self._names, is_kept.tolist()))
        place = np.cumsum(is_kept, dtype=np.int32) - 1
        return names, place[job]

    def _column(self, name: str, kind: type) -> Any:
        return np.array([getattr(attempt, name) for attempt in self._attempts], kind)


def _number(job: Job) -> str:
    """Return how HTCondor writes a job: cluster and proc."""
    return f"{job[0]}.{job[1]}"


def _runs(counts: Ids, times: Floats) -> Ids:
    """Return the run of each attempt: run k begins with the first job that is in its k-th.

    *counts* says how often each attempt's job had succeeded before. Jobs that are new in a later
    run have lower counts, so the time decides.
    """
    if not len(counts) or not counts.any():
        return counts
    begins = np.full(counts.max() + 1, inf)
    np.fmin.at(begins, counts, times)
    begins = np.minimum.accumulate(begins[::-1])[::-1]
    runs = np.searchsorted(begins[1:], times, side="right").astype(np.int32)
    return np.where(np.isnan(times), counts, runs).astype(np.int32)


# Several files


class Log:
    """A file with events, and the times of the first and last of them.

    Raises FormatError for a history without jobs.
    """

    def __init__(self, path: str, data: bytes, *, is_history: bool) -> None:
        self.path, self._data, self._is_history = path, data, is_history
        self._ads = history_events(path, data) if is_history else []
        self.begins = min((event.time for event in islice(self.events(), 1)), default=inf)
        last = self._ads[-1:] or events_in(data[-_TAIL:])
        self.ends = max((event.time for event in last), default=inf)

    @property
    def may_have_parts(self) -> bool:
        """Whether a stamp in the file may have parts of a second."""
        return self._is_history or bool(_PARTS.search(self._data))

    def events(self) -> Iterator[Event]:
        """Yield the events of the file, from the first one on."""
        return iter(self._ads) if self._ads else events_in(self._data)


def run_of(logs: Sequence[Log]) -> PastRun:
    """Return what files say about a past run; see `icsched.history.read_log`.

    Stamps of whole seconds leave ties. Among these, log.2 comes before log.1 and before log.
    """
    by_name = sorted(logs, key=lambda log: _parts(log.path), reverse=True)
    attempts = Attempts()
    is_alone = len(by_name) == 1
    seen: set[Event] = set()
    finer = {} if is_alone else _finer_times(by_name)
    for log in sorted(by_name, key=lambda log: (log.begins, log.ends)):
        attempts.follow(log.path, log.events() if is_alone else _new(log.events(), seen, finer))
    return attempts.past_run()


def _parts(path: str) -> list[tuple[int, str]]:
    """Return *path* in parts that compare as its words and numbers do: log.10 after log.9."""
    words = re.split("([0-9]+)", path)
    return [(len(word.lstrip("0")) if n % 2 else 0, word) for n, word in enumerate(words)]


def _new(
    events: Iterable[Event], seen: set[Event], finer: dict[Event, list[float]]
) -> Iterator[Event]:
    """Yield the events that no earlier file had, each with its finest stamp, and note them.

    HTCondor may write one event with parts of a second into one log and without into another. Then
    the event has the finer stamp, wherever it is read.
    """
    here = []
    met: Counter[Event] = Counter()
    for read in events:
        event = _finest(read, finer, met)
        key = event.same(event.time)
        if key not in seen:
            here.append(key)
            yield event
    seen.update(here)


def _finest(event: Event, finer: dict[Event, list[float]], met: Counter[Event]) -> Event:
    """Return *event* with its finest stamp; *met* counts the like events of one file.

    The first, second and so on of like events within a second get the stamps in their order.
    """
    coarse = _floor(event)
    times = finer.get(coarse)
    if not times:
        return event
    place = met[coarse]
    met[coarse] += 1
    return event if event.time % 1 or place >= len(times) else event._replace(time=times[place])


def _finer_times(logs: Iterable[Log]) -> dict[Event, list[float]]:
    """Return the different stamps with parts of a second, by the event without these parts."""
    found: defaultdict[Event, set[float]] = defaultdict(set)
    for log in logs:
        for event in log.events() if log.may_have_parts else ():
            if event.time % 1:
                found[_floor(event)].add(event.time)
    return {event: sorted(times) for event, times in found.items()}


def _floor(event: Event) -> Event:
    return event.same(event.time // 1 if event.time % 1 else event.time)
