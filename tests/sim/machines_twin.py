"""Machines in plain Python: what the kernel's engine for them must do, to the last bit.

The rules, in addition to those that `Machines` states:

- Assignments are numbered as they are made. What happens at the same time comes by number of
  assignment. Then tasks enter the queue and start.
- A task that ends gives back at once what it held. Its children are ready *delay* after its result,
  and it is ready itself *delay* after it was lost.
- Tasks enter the queue as long as they may. Then those that fit start, which makes room in the
  queue, and both is done again until no task starts.
- A task becomes eligible, for "fifo", "lifo" and "priority", when it becomes ready.
- Cores ask like workers: all at the start, and those that a task held when it ends. What starts
  takes first cores that asked earlier and got nothing, then cores that ask now.
"""

import heapq
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from icsched.dag import Dag
from icsched.sim import Assignments, Batches, Ending, Machines, Played, Runs, Times, Trace
from icsched.sim.draws import Draws, Stream
from icsched.sim.machines import Demands
from tests.sim.servers import permutation

RESULT, LOSS, KNOWN, AGAIN = range(4)
CORE = 1000  # cores are counted in thousandths


class Event(NamedTuple):
    """Something that will happen to an assignment."""

    time: float
    number: int
    what: int
    task: int
    machine: int
    run_time: float


class Counts(NamedTuple):
    """Cores that asked, those of them that stalled, and rows of batches."""

    asked: int = 0
    stalled: int = 0
    rows: int = 0


def machines_run(
    dag: Dag, played: Played, pool: Machines, times: Times, held: Demands, *, seed: int, run: int
) -> Trace:
    """Simulate one run."""
    simulated = _Run(dag, played, pool, times, held, Draws(seed=seed, run=run))
    moment = 0.0
    while True:
        simulated.serve(moment)
        moment = simulated.events[0].time
        simulated.settle(moment)
        if simulated.left == 0:
            return simulated.trace()


class _Run:
    def __init__(
        self, dag: Dag, played: Played, pool: Machines, times: Times, held: Demands, draws: Draws
    ) -> None:
        self.dag, self.played, self.pool, self.times, self.draws = dag, played, pool, times, draws
        self.means = times.means_for(dag).tolist()
        self.held: list[list[int]] = held.amounts[held.groups].tolist()
        self.free: list[list[int]] = held.capacities.tolist()
        self.events: list[Event] = []
        self.left = len(dag)
        self.missing = dag.in_degrees.tolist()
        self.attempts = [0] * len(dag)
        self.work = [0.0] * len(dag)
        self.running = 0
        self.asking = sum(capacity[0] for capacity in self.free)
        self.idle = 0
        self.seen = self.last_seen = Counts()
        self.last_result = 0.0
        self.assignments: list[tuple[float, int, int, float]] = []
        self.endings: list[Ending] = []
        self.batches: list[tuple[float, int, int]] = []

        order = played.order_for(dag).tolist()
        self.ranks = {task: i for i, task in enumerate(order)}
        if played.by == "random":
            self.ranks = {task: i for i, task in enumerate(permutation(draws, len(dag)))}
        self.classes = played.classes_for(dag).tolist()
        self.turns: dict[int, int] = {}  # when each task became ready the last time
        self.turn = 0
        self.ready: list[int] = []
        self.queue: list[int] = []
        for task in order[::-1] if played.by == "lifo" else order:
            if not self.missing[task]:
                self.offer(task)

    def offer(self, task: int) -> None:
        self.turns[task] = self.turn
        self.turn += 1
        self.ready.append(task)

    def in_turn(self, tasks: Sequence[int]) -> list[int]:
        """Return tasks in the order that is played."""
        keys = {
            "static": lambda task: self.ranks[task],
            "random": lambda task: self.ranks[task],
            "fifo": lambda task: self.turns[task],
            "lifo": lambda task: -self.turns[task],
            "priority": lambda task: (self.classes[task], self.turns[task]),
        }
        return sorted(tasks, key=keys[self.played.by])

    def serve(self, moment: float) -> None:
        """Let tasks enter the queue and start."""
        if self.asking:
            size = -(-self.asking // CORE)
            self.batches.append((moment, size, len(self.ready) + len(self.queue)))
            self.seen = self.seen._replace(rows=len(self.batches))
        self.enter()
        while self.start_some(moment):
            self.enter()
        asked, stalled, rows = self.seen
        self.seen = Counts(asked + self.asking, stalled + self.asking, rows)
        self.idle, self.asking = self.idle + self.asking, 0

    def enter(self) -> None:
        most_jobs, most_idle = self.pool.max_jobs or math.inf, self.pool.max_idle or math.inf
        for task in self.in_turn(self.ready):
            if len(self.queue) < most_idle and len(self.queue) + self.running < most_jobs:
                self.ready.remove(task)
                self.queue.append(task)

    def start_some(self, moment: float) -> bool:
        before = len(self.assignments)
        for task in self.in_turn(self.queue):
            room = [i for i in range(len(self.free)) if self.fits(task, i)]
            if room:
                self.queue.remove(task)
                self.start(moment, task, min(room, key=lambda i: (self.free[i][0], i)))
        return len(self.assignments) > before

    def fits(self, task: int, machine: int) -> bool:
        return all(a <= b for a, b in zip(self.held[task], self.free[machine], strict=True))

    def start(self, moment: float, task: int, machine: int) -> None:
        """Start *task*, and decide its future."""
        index = task, self.attempts[task]
        self.attempts[task] += 1
        run_time, stay = self.means[task] * self.factor(*index), math.inf
        if self.pool.leave < math.inf:
            stay = self.pool.leave * self.draws.exponential(Stream.LEAVE, *index)
        takes = self.pool.overhead + run_time
        what = LOSS if stay < takes else RESULT
        end = moment + min(stay, takes)
        number = len(self.assignments)
        heapq.heappush(self.events, Event(end, number, what, task, machine, run_time))
        self.assignments.append((moment, task, machine, end))
        self.endings.append(Ending.LOSS if what == LOSS else Ending.IGNORED)
        self.free[machine] = [
            b - a for a, b in zip(self.held[task], self.free[machine], strict=True)
        ]
        self.running += 1
        cores = self.held[task][0]
        from_idle = min(self.idle, cores)
        self.idle -= from_idle
        self.asking -= cores - from_idle
        self.seen = self.seen._replace(asked=self.seen.asked + cores - from_idle)
        self.last_seen = self.seen

    def factor(self, task: int, attempt: int) -> float:
        if self.times.width == 0:
            return 1.0
        if self.times.law == "normal":
            return self.draws.positive_normal(self.times.width, Stream.TIME, task, attempt)
        return self.draws.lognormal(self.times.width, Stream.TIME, task, attempt)

    def settle(self, moment: float) -> None:
        """Let happen what happens at *moment*."""
        while self.events and self.events[0].time == moment:
            event = heapq.heappop(self.events)
            if event.what in (KNOWN, AGAIN):
                self.learn(event.task, event.what)
                continue
            self.end(event)
            what = KNOWN if event.what == RESULT else AGAIN
            if self.pool.delay > 0:
                later = event._replace(time=moment + self.pool.delay, what=what)
                heapq.heappush(self.events, later)
            else:
                self.learn(event.task, what)

    def learn(self, task: int, what: int) -> None:
        if what == AGAIN:
            self.offer(task)
            return
        for child in self.dag.child_rows[task].tolist():
            self.missing[child] -= 1
            if not self.missing[child]:
                self.offer(child)

    def end(self, event: Event) -> None:
        """Give back what an assignment held, and note its result."""
        held, machine = self.held[event.task], event.machine
        self.free[machine] = [a + b for a, b in zip(held, self.free[machine], strict=True)]
        self.asking += held[0]
        self.running -= 1
        if event.what == RESULT:
            self.endings[event.number] = Ending.RESULT
            self.left -= 1
            self.last_result = event.time
            self.work[event.task] = event.run_time

    def trace(self) -> Trace:
        """Return all steps of the run."""
        work = 0.0
        for task, run_time in enumerate(self.work):
            work += run_time * (self.held[task][0] / CORE)
        asked, stalled, rows = self.last_seen
        counts = [np.array([-(-number // CORE)]) for number in (asked, stalled, asked)]
        time = np.array([self.last_result])
        result = Runs.of(len(self.dag), self.pool, time, *counts, work=np.array([work]))
        moments, tasks, requests, ends = (
            np.array(column) for column in zip(*self.assignments, strict=True)
        )
        given = Assignments(moments, tasks, requests, ends, np.array(self.endings), self.dag.names)
        times, sizes, eligible = zip(*self.batches[:rows], strict=True)
        return Trace(given, Batches(np.array(times), np.array(sizes), np.array(eligible)), result)
