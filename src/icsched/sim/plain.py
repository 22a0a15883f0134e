"""The simulation event by event in plain Python, written to be read.

The kernel does the same. This module is also the engine for servers written in Python. The rules,
beyond those in `model`:

- Assignments are numbered as they are made. At one moment, results, losses and deadlines
  come first, by the number of their assignment. Then waiting requests are served. Then a batch
  arrives.
- A task that a result frees, or that is lost or overdue, is eligible until it is taken or done.
- A deadline counts only while its own copy is running.
"""

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from typing import NamedTuple

import numpy as np

from icsched.dag import Dag
from icsched.ready import Server
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
from icsched.sim.plain_servers import Checked, server_of

# What happens to an assignment; at the same moment the smaller number comes first.
_RESULT, _LOSS, _DEADLINE = range(3)


def run(
    dag: Dag,
    played: Played | Server[int],
    pool: Pool | Workers,
    times: Times,
    *,
    seed: int,
    run: int,
) -> Trace:
    """Simulate one run, step by step.

    For a `Played` the result equals that of ``engine.trace``, and takes some hundred times longer.
    Raises SimulationError for inputs that do not fit together, or for a server that hands out a
    task that is not eligible. Raises ScheduleError for an order that is not a legal order of *dag*.

    `done` tells a server of the first result of each task, even if the task was lost before. `lost`
    tells the server of losses and deadlines.

    >>> fork = Dag({"a": [], "b": ["a"], "c": ["a"]})
    >>> trace = run(fork, Played("fifo"), Workers(2), Times("constant"), seed=1, run=0)
    >>> trace.assignments.time.tolist(), trace.assignments.request.tolist()
    ([0.0, 1.0, 1.0], [0, 1, 0])
    """
    check_inputs(dag, pool, times)
    check_seed(seed, run)
    server = _Run(dag, played, pool, times, Draws(seed=seed, run=run))
    if isinstance(pool, Workers):
        _serve_workers(server, pool)
        return server.trace(workers=pool.count)
    _serve_batches(server, pool)
    return server.trace(workers=0)


def time_factor(times: Times, draws: Draws, task: int, attempt: int) -> float:
    """Return the number by which the mean time of *task* is multiplied when it is assigned.

    >>> time_factor(Times("constant"), Draws(seed=1, run=0), 7, 0)
    1.0
    """
    width = times.width
    if width == 0.0:
        return 1.0
    if times.law == "normal":
        return draws.positive_normal(width, Stream.TIME, task, attempt)
    return draws.lognormal(width, Stream.TIME, task, attempt)


def _serve_batches(server: "_Run", pool: Pool) -> None:
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
    server: "_Run", moment: float, requests: range, speed_of: Callable[[int], float]
) -> range:
    """Serve *requests* while tasks are eligible; return the requests that are left."""
    tasks = server.take(len(requests))
    for task, request in zip(tasks, requests, strict=False):
        server.assign(moment, task, request, speed_of(request))
    return requests[len(tasks) :]


def _arrivals(pool: Pool, draws: Draws) -> Iterator[tuple[float, int]]:
    """Moments and sizes of the batches; batches of size 0 are left out."""
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


def _serve_workers(server: "_Run", workers: Workers) -> None:
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


class _Run:
    """The tasks, their states, and what will happen to the tasks that are assigned."""

    def __init__(
        self,
        dag: Dag,
        played: Played | Server[int],
        pool: Pool | Workers,
        times: Times,
        draws: Draws,
    ) -> None:
        self.draws = draws
        self.seen = _Seen()
        self._dag = dag
        self._pool = pool
        self._times = times
        self._means = times.means_for(dag).tolist()
        self._attempts = [0] * len(dag)
        self._work: dict[int, float] = {}  # of tasks done: the time of the first result
        self._last_seen = self.seen  # at the last assignment
        self._last_result = 0.0
        self._events: list[tuple[float, int, int, int, int, float]] = []
        self._assignments: list[tuple[float, int, int, float]] = []
        self._endings: list[Ending] = []
        self._batches: list[tuple[float, int, int]] = []
        self._server = (
            server_of(dag, played, draws) if isinstance(played, Played) else Checked(dag, played)
        )
        self._readiness = self._server.readiness

    @property
    def is_over(self) -> bool:
        """Whether every task has a result."""
        return not self._readiness.left

    @property
    def unassigned(self) -> int:
        """Number of eligible tasks that are not assigned."""
        return self._readiness.ready_count

    @property
    def next_event(self) -> float:
        """When something next happens to an assignment."""
        return self._events[0][0] if self._events else math.inf

    def note_batch(self, moment: float, size: int) -> None:
        """Write a batch into the trace."""
        self._batches.append((moment, size, self.unassigned))
        self.seen = self.seen._replace(rows=len(self._batches))

    def note_requests(self, size: int, *, stalled: bool) -> None:
        """Count a batch of requests."""
        batches, stalls, requests, rows = self.seen
        self.seen = _Seen(batches + 1, stalls + stalled, requests + size, rows)

    def take(self, requests: int) -> list[int]:
        """Tasks for this many requests; a task is repeated if replicas are wanted."""
        if requests == 0 or not self.unassigned:
            return []
        replicas = self._pool.replicas
        wanted = -(-requests // replicas)
        tasks = self._server.take(wanted)
        return list(islice((task for task in tasks for _ in range(replicas)), requests))

    def assign(self, moment: float, task: int, request: int, speed: float) -> None:
        """Start a copy of *task*, and decide what will happen to it."""
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
        """Process all events at *moment*; return whose work ended, in the order of the events."""
        ended = []
        while self.next_event == moment:
            _, number, what, task, request, run_time = heapq.heappop(self._events)
            if what == _RESULT:
                self._finish(number, task, run_time, moment)
            elif self._readiness.is_out(task):
                self._server.lost(task)
            if what != _DEADLINE:
                ended.append(request)
        return ended

    def trace(self, *, workers: int) -> Trace:
        """Return everything that happened."""
        moments, tasks, requests, ends = zip(*self._assignments, strict=True)
        times, sizes, eligible = zip(*self._batches[: self._last_seen.rows], strict=True)
        return Trace(
            Assignments(
                np.array(moments),
                np.array(tasks, np.int32),
                np.array(requests, np.int64),
                np.array(ends),
                np.array(self._endings, np.uint8),
                self._dag.names,
            ),
            Batches(np.array(times), np.array(sizes, np.int64), np.array(eligible, np.int64)),
            self._result(workers),
        )

    def _result(self, workers: int) -> Runs:
        batches, stalls, requests, _ = self._last_seen
        work = 0.0
        for task in range(len(self._dag)) if workers else ():
            work += self._work[task]  # not sum(), which rounds differently
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
        self._server.done(task)
