"""The simulation event by event in plain Python: what the kernel does, to be read.

Also the engine for allocators written in Python. The rules, beyond those in `model`:

- Assignments are numbered as they are made. At one moment, results, losses and deadlines
  come first, by the number of their assignment; then requests that wait are served, then
  a batch arrives.
- A task that a result frees, or that is lost or overdue, is eligible until it is taken or done.
- A deadline counts only while its own copy is running.
"""

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from typing import NamedTuple, Protocol

import numpy as np

from icsched.dag import Dag
from icsched.errors import SimulationError
from icsched.sim.draws import Draws, Stream, lognormal_sigma
from icsched.sim.model import (
    Assignments,
    Batches,
    Ending,
    Played,
    Pool,
    Runs,
    Times,
    Trace,
    Workers,
    check_inputs,
    check_seed,
)

# What happens to an assignment; at the same moment the smaller comes first.
_RESULT, _LOSS, _DEADLINE = range(3)


class Allocator(Protocol):
    """Chooses the tasks that requests get: told what is eligible, asked what to hand out."""

    def eligible(self, task: int) -> None:
        """Take note that *task* may be handed out, for the first time or again.

        Sources come first, then tasks as results free them, by id within one result.
        A task that was taken comes again if it is lost or overdue.
        """

    def done(self, task: int) -> None:
        """Take note that *task* has its first result and must not be handed out any more."""

    def take(self, count: int) -> Sequence[int]:
        """Return at most *count* different eligible tasks, which are then taken."""


def run(
    dag: Dag,
    played: Played | Allocator,
    pool: Pool | Workers,
    times: Times,
    *,
    seed: int,
    run: int,
) -> Trace:
    """Simulate one run, step by step.

    Equal to ``engine.trace`` for a `Played`, and some hundred times slower. Raises
    SimulationError for inputs that do not fit together, or an allocator that hands out what
    is not eligible; ScheduleError for an order that is no legal order of *dag*.

    >>> fork = Dag({"a": [], "b": ["a"], "c": ["a"]})
    >>> trace = run(fork, Played("fifo"), Workers(2), Times("constant"), seed=1, run=0)
    >>> trace.assignments.time.tolist(), trace.assignments.request.tolist()
    ([0.0, 1.0, 1.0], [0, 1, 0])
    """
    check_inputs(dag, pool, times)
    check_seed(seed, run)
    server = _Server(dag, played, pool, times, Draws(seed=seed, run=run))
    if isinstance(pool, Workers):
        _serve_workers(server, pool)
        return server.trace(workers=pool.count)
    _serve_batches(server, pool)
    return server.trace(workers=0)


def time_factor(times: Times, draws: Draws, task: int, attempt: int) -> float:
    """Return what the mean time of *task* is multiplied by when it is assigned.

    >>> time_factor(Times("constant"), Draws(seed=1, run=0), 7, 0)
    1.0
    """
    width = times.width
    if width == 0.0:
        return 1.0
    if times.law == "normal":
        return draws.positive_normal(width, Stream.TIME, task, attempt)
    return draws.lognormal(width, Stream.TIME, task, attempt)


def _serve_batches(server: "_Server", pool: Pool) -> None:
    """Let batches come until every task has a result."""
    speed_of = _speeds(pool, server.draws)
    waiting = range(0)  # numbers of the requests that wait
    for moment, size in _arrivals(pool, server.draws):
        while server.next_event <= moment:
            event = server.next_event
            server.settle(event)
            waiting = _serve(server, event, waiting, speed_of)
        if server.is_over:
            return
        first = server.seen.requests
        asking = range(waiting.start if waiting else first, first + size)
        server.note_batch(moment, size)
        server.note_requests(size, stalled=not server.unassigned)
        unserved = _serve(server, moment, asking, speed_of)
        waiting = unserved if pool.waiting else range(0)


def _serve(
    server: "_Server", moment: float, requests: range, speed_of: Callable[[int], float]
) -> range:
    """Serve *requests* as far as tasks are eligible; return the others."""
    tasks = server.take(len(requests))
    for task, request in zip(tasks, requests, strict=False):
        server.assign(moment, task, request, speed_of(request))
    return requests[len(tasks) :]


def _arrivals(pool: Pool, draws: Draws) -> Iterator[tuple[float, int]]:
    """Moments and sizes of the batches, those of size 0 left out."""
    scale, shift = pool.size_law
    moment = 0.0
    for batch in count():
        if batch > 0:
            moment += pool.interval * draws.exponential(Stream.GAP, batch)
        size = math.floor(scale * draws.exponential(Stream.SIZE, batch) + shift)
        if size > 0:
            yield moment, size


def _speeds(pool: Pool, draws: Draws) -> Callable[[int], float]:
    """Speed of the worker behind each request."""
    sigma = lognormal_sigma(pool.speed_spread)
    if sigma == 0.0:
        return lambda _: 1.0
    return lambda request: draws.lognormal(sigma, Stream.SPEED, request)


def _serve_workers(server: "_Server", workers: Workers) -> None:
    """Let workers ask, work and ask again until every task has a result."""
    speeds = workers.speeds or [1.0] * workers.count
    idle: deque[int] = deque()
    asking: Sequence[int] = range(workers.count)
    moment = 0.0
    while not server.is_over:
        if asking:
            server.note_batch(moment, len(asking))
        tasks = deque(server.take(len(idle) + len(asking)))
        while idle and tasks:
            worker = idle.popleft()
            server.assign(moment, tasks.popleft(), worker, speeds[worker])
        for worker in asking:
            server.note_requests(1, stalled=not tasks)
            if tasks:
                server.assign(moment, tasks.popleft(), worker, speeds[worker])
            else:
                idle.append(worker)
        moment = server.next_event
        asking = server.settle(moment)


class _Seen(NamedTuple):
    """What has been counted so far."""

    batches: int = 0
    stalls: int = 0
    requests: int = 0
    rows: int = 0  # of the trace's batches


class _Server:
    """Tasks, their states and what is going to happen to those assigned."""

    def __init__(
        self,
        dag: Dag,
        played: Played | Allocator,
        pool: Pool | Workers,
        times: Times,
        draws: Draws,
    ) -> None:
        self.draws = draws
        self.seen = _Seen()
        self.unassigned: set[int] = set()  # eligible tasks to hand out
        self._dag = dag
        self._pool = pool
        self._times = times
        self._means = times.means_for(dag).tolist()
        self._missing_parents = dag.in_degrees.tolist()
        self._attempts = [0] * len(dag)
        self._work: dict[int, float] = {}  # of tasks done: the time of the first result
        self._last_seen = self.seen  # at the last assignment
        self._last_result = 0.0
        self._events: list[tuple[float, int, int, int, int, float]] = []
        self._assignments: list[tuple[float, int, int, float]] = []
        self._endings: list[Ending] = []
        self._batches: list[tuple[float, int, int]] = []
        sources = dag.sources.tolist()
        if isinstance(played, Played):
            self._allocator, sources = _allocator(dag, played, draws)
        else:
            self._allocator = played
        for task in sources:
            self._offer(task)

    @property
    def is_over(self) -> bool:
        """Whether every task has a result."""
        return len(self._work) == len(self._dag)

    @property
    def next_event(self) -> float:
        """When something next happens to an assignment."""
        return self._events[0][0] if self._events else math.inf

    def note_batch(self, moment: float, size: int) -> None:
        """Write a batch into the trace."""
        self._batches.append((moment, size, len(self.unassigned)))
        self.seen = self.seen._replace(rows=len(self._batches))

    def note_requests(self, size: int, *, stalled: bool) -> None:
        """Count a batch of requests."""
        batches, stalls, requests, rows = self.seen
        self.seen = _Seen(batches + 1, stalls + stalled, requests + size, rows)

    def take(self, requests: int) -> list[int]:
        """Tasks for this many requests that are there, repeated where replicas are wanted."""
        if requests == 0 or not self.unassigned:
            return []
        replicas = self._pool.replicas
        wanted = -(-requests // replicas)
        tasks = list(self._allocator.take(wanted))
        if len(tasks) > wanted:
            raise SimulationError(f"allocator: expected at most {wanted} tasks, got {len(tasks)}")
        for task in tasks:
            if task not in self.unassigned:
                raise SimulationError(f"allocator: took task id {task}, which is not eligible")
            self.unassigned.remove(task)
        return list(islice((task for task in tasks for _ in range(replicas)), requests))

    def assign(self, moment: float, task: int, request: int, speed: float) -> None:
        """Start a copy of *task*, and fix what will happen to it."""
        index = task, self._attempts[task]
        self._attempts[task] += 1
        run_time = self._means[task] * time_factor(self._times, self.draws, *index) / speed
        stay = math.inf
        if self._pool.leave < math.inf:
            stay = self._pool.leave * self.draws.exponential(Stream.LEAVE, *index)
        number = len(self._assignments)
        takes = self._pool.overhead + run_time
        lost = stay < takes
        end = moment + (stay if lost else takes)
        overdue = moment + self._pool.deadline
        what = _LOSS if lost else _RESULT
        heapq.heappush(self._events, (end, number, what, task, request, run_time))
        if overdue < end:
            heapq.heappush(self._events, (overdue, number, _DEADLINE, task, request, run_time))
        self._assignments.append((moment, task, request, end))
        self._endings.append(Ending.LOSS if lost else Ending.IGNORED)
        self._last_seen = self.seen

    def settle(self, moment: float) -> list[int]:
        """Let happen what happens at *moment*; return whose work ended, in that order."""
        ended = []
        while self.next_event == moment:
            _, number, what, task, request, run_time = heapq.heappop(self._events)
            if what == _RESULT:
                self._finish(number, task, run_time, moment)
            else:
                self._offer(task)
            if what != _DEADLINE:
                ended.append(request)
        return ended

    def trace(self, *, workers: int) -> Trace:
        """All that happened."""
        moments, tasks, requests, ends = zip(*self._assignments, strict=True)
        times, sizes, eligible = zip(*self._batches[: self._last_seen.rows], strict=True)
        return Trace(
            Assignments(
                np.array(moments),
                np.array(tasks, np.int32),
                np.array(requests, np.int64),
                np.array(ends),
                np.array(self._endings, np.uint8),
            ),
            Batches(np.array(times), np.array(sizes, np.int64), np.array(eligible, np.int64)),
            self._result(workers),
        )

    def _result(self, workers: int) -> Runs:
        batches, stalls, requests, _ = self._last_seen
        work = 0.0
        for task in range(len(self._dag)) if workers else ():
            work += self._work[task]  # not sum(), which rounds otherwise
        return Runs(
            len(self._dag),
            workers,
            np.array([self._last_result]),
            np.array([batches]),
            np.array([stalls]),
            np.array([requests]),
            np.array([work]),
        )

    def _finish(self, number: int, task: int, run_time: float, moment: float) -> None:
        if task in self._work:
            return
        self._work[task] = run_time
        self._endings[number] = Ending.RESULT
        self._last_result = moment
        self.unassigned.discard(task)
        self._allocator.done(task)
        for child in self._dag.child_rows[task].tolist():
            self._missing_parents[child] -= 1
            if self._missing_parents[child] == 0:
                self._offer(child)

    def _offer(self, task: int) -> None:
        """Make *task* eligible, if it is not and a result is still wanted."""
        if task not in self._work and task not in self.unassigned:
            self.unassigned.add(task)
            self._allocator.eligible(task)


def _allocator(dag: Dag, played: Played, draws: Draws) -> tuple[Allocator, list[int]]:
    """Allocator of an order, and the sources in the order in which it wants them."""
    order = played.order_for(dag).tolist()
    sources = [task for task in order if dag.in_degrees[task] == 0]
    if played.by == "fifo":
        return _Line(newest_first=False), sources
    if played.by == "lifo":
        return _Line(newest_first=True), sources[::-1]
    return _Ranked(draws.permutation(len(dag)) if played.by == "random" else order), sources


class _Ranked:
    """Hands out the task that comes first in an order."""

    def __init__(self, order: Sequence[int]) -> None:
        self._order = order
        self._rank = {task: rank for rank, task in enumerate(order)}
        self._eligible: list[int] = []  # a heap of ranks; may hold tasks that are done
        self._done: set[int] = set()

    def eligible(self, task: int) -> None:
        heapq.heappush(self._eligible, self._rank[task])

    def done(self, task: int) -> None:
        self._done.add(task)

    def take(self, count: int) -> list[int]:
        taken: list[int] = []
        while self._eligible and len(taken) < count:
            task = self._order[heapq.heappop(self._eligible)]
            if task not in self._done:
                taken.append(task)
        return taken


class _Line:
    """Hands out the task that has been eligible longest, or shortest."""

    def __init__(self, *, newest_first: bool) -> None:
        self._line: deque[int] = deque()  # oldest first; may hold tasks that are done
        self._next = self._line.pop if newest_first else self._line.popleft
        self._done: set[int] = set()

    def eligible(self, task: int) -> None:
        self._line.append(task)

    def done(self, task: int) -> None:
        self._done.add(task)

    def take(self, count: int) -> list[int]:
        taken: list[int] = []
        while self._line and len(taken) < count:
            task = self._next()
            if task not in self._done:
                taken.append(task)
        return taken
