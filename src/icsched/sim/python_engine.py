"""Event simulation in plain Python, for servers written in Python.

The kernel does the same for a `Played`. The rules, in addition to `model`:

- Assignments are numbered as they are made. At the same time, results, losses and deadlines come
  first, by number of assignment. Then waiting requests are served. Then a batch arrives.
- The server learns of results, losses and deadlines *delay* later. Those of the same time come by
  number of assignment. The run is over at the last first result, even if the server does not know
  it yet.
- A task that is freed, lost or overdue is eligible once the server learns of this, and until the
  task is taken, or the server learns that it is done.
- A deadline counts only while its own copy is running.
- At the end of a recorded visit its worker does not ask for a task any more.
- Each recorded visit has a random rank in each run. Free workers are served by the ranks of their
  visits, not by their waiting time.
"""

import heapq
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice
from typing import NamedTuple

import numpy as np

from icsched.arrays import Floats
from icsched.dag import Dag
from icsched.errors import SimulationError
from icsched.ready import Readiness, Server
from icsched.sim.draws import Draws, Stream, lognormal_sigma
from icsched.sim.machines import Machines
from icsched.sim.model import (
    AnyPool,
    Pool,
    Recorded,
    Times,
    Workers,
)
from icsched.sim.results import Assignments, Batches, Ending, Runs, Trace

# Events of an assignment; at the same time the smaller number comes first. The last two: the server
# learns of a result, or that a task is eligible again.
_RESULT, _LOSS, _DEADLINE, _KNOWN, _AGAIN = range(5)


def run(
    dag: Dag,
    server: Server[int],
    pool: AnyPool,
    times: Times,
    means: Floats,
    *,
    seed: int,
    run: int,
) -> Trace:
    """Simulate one run of checked inputs, step by step.

    `done` reports the first result of each task to *server*, even if the task was lost before.
    `lost` reports losses and deadlines. A run takes about a hundred times longer than in the
    kernel. Raises SimulationError if the server hands out a task that is not eligible, and for
    `Machines`.

    >>> from icsched.serve import BatchServer
    >>> fork, means = Dag({"a": [], "b": ["a"], "c": ["a"]}), np.ones(3)
    >>> model = fork, BatchServer(fork), Workers(2), Times("constant"), means
    >>> trace = run(*model, seed=1, run=0)
    >>> trace.assignments.time.tolist(), trace.assignments.request.tolist()
    ([0.0, 1.0, 1.0], [0, 1, 0])
    """
    if isinstance(pool, Machines):
        raise SimulationError("server: cannot be played on Machines, because it knows no needs")
    simulated = _Run(dag, server, pool, times, means, Draws(seed=seed, run=run))
    if isinstance(pool, Pool):
        _serve_batches(simulated, pool)
    else:
        _serve_workers(simulated, _Visits.of(pool, simulated.draws))
    return simulated.trace()


def time_factor(times: Times, draws: Draws, task: int, attempt: int) -> float:
    """Return the number by which the mean time of *task* is multiplied when it is assigned."""
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


class _Visits(NamedTuple):
    """Start, end, speed and rank of each worker."""

    starts: Sequence[float]  # ascending
    ends: Sequence[float]
    speeds: Sequence[float]
    ranks: Sequence[int]  # least first; if all are 0, the worker that has waited longest

    @classmethod
    def of(cls, pool: Workers | Recorded, draws: Draws) -> "_Visits":
        ones, zeros = [1.0] * pool.count, [0] * pool.count
        if isinstance(pool, Recorded):
            ranks = [draws.bits(Stream.VISIT, visit) for visit in range(pool.count)]
            return cls(pool.starts.tolist(), pool.ends.tolist(), ones, ranks)
        return cls([0.0] * pool.count, [math.inf] * pool.count, pool.speeds or ones, zeros)

    def there(self, workers: Iterable[int], moment: float) -> list[int]:
        """Return the *workers* that have not left at *moment*."""
        return [worker for worker in workers if self.ends[worker] > moment]

    def in_turn(self, workers: Iterable[int]) -> list[int]:
        """Return *workers* in the order of service: by rank, ties in the given order."""
        return sorted(workers, key=lambda worker: self.ranks[worker])


def _serve_workers(server: "_Run", visits: _Visits) -> None:
    """Let workers come, ask, work, ask again and leave until every task has a result."""
    idle: list[int] = []
    coming = deque(range(len(visits.starts)))
    while True:
        moment = min(server.next_event, visits.starts[coming[0]] if coming else math.inf)
        ended = server.settle(moment)
        if server.is_over:
            return
        asking = visits.there(ended, moment)
        while coming and visits.starts[coming[0]] == moment:
            asking.append(coming.popleft())
        idle = _serve_asking(server, moment, visits.there(idle, moment), asking, visits)


def _serve_asking(
    server: "_Run", moment: float, idle: list[int], asking: list[int], visits: _Visits
) -> list[int]:
    """Serve waiting and asking workers; return the workers that get nothing."""
    if asking:
        server.note_batch(moment, len(asking))
    free, new = visits.in_turn(idle + asking), set(asking)
    tasks = server.take(len(free))
    for place, worker in enumerate(free):
        is_served = place < len(tasks)
        if worker in new:
            server.note_requests(1, stalled=not is_served)
        if is_served:
            server.assign(moment, tasks[place], worker, visits.speeds[worker])
    return free[len(tasks) :]


class _Seen(NamedTuple):
    """Counts up to now."""

    batches: int = 0
    stalls: int = 0
    requests: int = 0
    rows: int = 0  # of the trace's batches


class _Run:
    """The tasks, their states, and the future events of assigned tasks."""

    def __init__(
        self,
        dag: Dag,
        server: Server[int],
        pool: AnyPool,
        times: Times,
        means: Floats,
        draws: Draws,
    ) -> None:
        self.draws = draws
        self.seen = _Seen()
        self._dag = dag
        self._pool = pool
        self._times = times
        self._means = means.tolist()
        self._attempts = [0] * len(dag)
        self._work: dict[int, float] = {}  # time of the first result of each task that is done
        self._last_seen = self.seen  # at the last assignment
        self._last_result = 0.0
        self._events: list[tuple[float, int, int, int, int, float]] = []
        self._assignments: list[tuple[float, int, int, float]] = []
        self._endings: list[Ending] = []
        self._batches: list[tuple[float, int, int]] = []
        self._server, self._readiness = server, Readiness(dag)

    @property
    def is_over(self) -> bool:
        """Whether every task has a result."""
        return len(self._work) == len(self._dag)

    @property
    def unassigned(self) -> int:
        """Number of eligible tasks that are not assigned."""
        return self._readiness.ready_count

    @property
    def next_event(self) -> float:
        """The time of the next event of an assignment."""
        return self._events[0][0] if self._events else math.inf

    def note_batch(self, moment: float, size: int) -> None:
        """Add a batch to the trace."""
        self._batches.append((moment, size, self.unassigned))
        self.seen = self.seen._replace(rows=len(self._batches))

    def note_requests(self, size: int, *, stalled: bool) -> None:
        """Count a batch of requests."""
        batches, stalls, requests, rows = self.seen
        self.seen = _Seen(batches + 1, stalls + stalled, requests + size, rows)

    def take(self, requests: int) -> list[int]:
        """Return tasks for this many requests; a task is repeated for replicas."""
        if requests == 0 or not self.unassigned:
            return []
        replicas = self._pool.replicas
        wanted = -(-requests // replicas)
        tasks = list(self._server.take(wanted))
        if len(tasks) > wanted:
            raise SimulationError(f"server: expected at most {wanted} tasks, got {len(tasks)}")
        for task in tasks:
            if not 0 <= task < len(self._dag) or not self._readiness.is_ready(task):
                raise SimulationError(f"server: took task id {task}, which is not eligible")
            self._readiness.take((task,))
        return list(islice((task for task in tasks for _ in range(replicas)), requests))

    def assign(self, moment: float, task: int, request: int, speed: float) -> None:
        """Start a copy of *task*, and decide its future."""
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
        if isinstance(self._pool, Recorded) and self._pool.ends[request] < end:
            lost, end = True, float(self._pool.ends[request])
        overdue = moment + self._pool.deadline
        what = _LOSS if lost else _RESULT
        heapq.heappush(self._events, (end, number, what, task, request, run_time))
        if overdue < end:
            heapq.heappush(self._events, (overdue, number, _DEADLINE, task, request, run_time))
        self._assignments.append((moment, task, request, end))
        self._endings.append(Ending.LOSS if lost else Ending.IGNORED)
        self._last_seen = self.seen

    def settle(self, moment: float) -> list[int]:
        """Process all events at *moment*; return the workers whose work ended, in this order."""
        ended = []
        while self.next_event == moment:
            _, number, what, task, request, run_time = heapq.heappop(self._events)
            if what == _RESULT:
                self._finish(number, task, run_time, moment)
            elif what in (_KNOWN, _AGAIN):
                self._learn(what, task)
            else:
                self._tell(number, _AGAIN, task, moment)
            if what in (_RESULT, _LOSS):
                ended.append(request)
        return ended

    def _tell(self, number: int, what: int, task: int, moment: float) -> None:
        """Report an event of an assignment to the server, now or after the delay."""
        if self._pool.delay > 0:
            known = moment + self._pool.delay
            heapq.heappush(self._events, (known, number, what, task, 0, 0.0))
        else:
            self._learn(what, task)

    def _learn(self, what: int, task: int) -> None:
        if what == _KNOWN:
            self._readiness.finish((task,))
            self._server.done(task)
        elif self._readiness.is_out(task):
            self._readiness.give_back((task,))
            self._server.lost(task)

    def trace(self) -> Trace:
        """Return all steps of the run."""
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
            self._result(),
        )

    def _result(self) -> Runs:
        batches, stalls, requests, _ = self._last_seen
        work = 0.0
        for task in () if isinstance(self._pool, Pool) else range(len(self._dag)):
            work += self._work[task]  # not sum(), which rounds differently
        counted = (np.array([n]) for n in (self._last_result, batches, stalls, requests))
        return Runs.of(len(self._dag), self._pool, *counted, work=np.array([work]))

    def _finish(self, number: int, task: int, run_time: float, moment: float) -> None:
        if task in self._work:
            return
        self._work[task] = run_time
        self._endings[number] = Ending.RESULT
        self._last_result = moment
        self._tell(number, _KNOWN, task, moment)
