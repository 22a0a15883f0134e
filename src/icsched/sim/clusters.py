"""Workers that get several tasks at a time, as many as fit their power (paper 000)."""

import heapq
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

import numpy as np

from icsched.dag import Dag
from icsched.errors import SimulationError
from icsched.sim.draws import Draws
from icsched.sim.model import Runs, Times, Workers, check_inputs, check_seed
from icsched.sim.plain import time_factor


class TaskSet(Protocol):
    """What a worker gets: tasks, in the order in which it runs them."""

    @property
    def tasks(self) -> Sequence[int]:
        """Ids; the parents of each are done or stand before it."""


Given = TypeVar("Given", bound=TaskSet)


class Dispatcher(Protocol[Given]):
    """Hands out clusters: asked by workers, told what came back."""

    def arrive(self, capacity: int) -> Given | None:
        """Return a cluster of at most *capacity* tasks, or None if there is nothing now."""

    def done(self, cluster: Given) -> None:
        """Take note that all tasks of *cluster* have results."""


@dataclass(frozen=True, eq=False)
class Clustered:
    """A policy for `Workers`: the worker of each number gets clusters of its capacity.

    *make* makes the dispatcher of a run.
    """

    make: Callable[[Dag], Dispatcher[TaskSet]]
    capacities: Sequence[int]


_Finish: TypeAlias = tuple[float, int, int]  # moment, number of the assignment, worker


def run_clusters(
    dag: Dag, policy: Clustered, workers: Workers, times: Times, *, seed: int, run: int
) -> Runs:
    """Simulate one run in which workers get clusters; return what came out.

    A worker runs its tasks one after the other at its speed, after one overhead for all of
    them, and brings all results at the end. One that finds nothing waits; whenever results
    come in, those idle are asked again, the first idle first. Each task takes the time that it
    takes alone in the run of the same seed and number. Raises SimulationError for workers
    that leave, deadlines and replicas, which are not simulated here, and for a dispatcher
    that hands out a task twice or before its parents, or nothing for ever.

    >>> from icsched.serve.clusters import ClusterServer
    >>> policy = Clustered(ClusterServer, capacities=[3])
    >>> chain = Dag({"a": [], "b": ["a"], "c": ["b"]})
    >>> workers = Workers(1, overhead=0.5)
    >>> run_clusters(chain, policy, workers, Times("constant"), seed=1, run=0).time.tolist()
    [3.5]
    """
    check_inputs(dag, workers, times)
    check_seed(seed, run)
    _check_terms(policy, workers)
    return _ClusterRun(dag, policy, workers, times, Draws(seed=seed, run=run)).result()


def _check_terms(policy: Clustered, workers: Workers) -> None:
    if len(policy.capacities) != workers.count:
        raise SimulationError(
            f"capacities: expected {workers.count}, one per worker, got {len(policy.capacities)}"
        )
    if workers.leave < math.inf or workers.deadline < math.inf or workers.replicas > 1:
        raise SimulationError("clusters: expected workers that stay, no deadline, no replicas")


class _ClusterRun:
    """One run: who works on what until when."""

    def __init__(
        self, dag: Dag, policy: Clustered, workers: Workers, times: Times, draws: Draws
    ) -> None:
        self._dag = dag
        self._capacities = policy.capacities
        self._workers = workers
        self._speeds = workers.speeds or [1.0] * workers.count
        self._dispatcher = policy.make(dag)
        self._times = _run_times(dag, times, draws)
        self._state = np.zeros(len(dag), np.int8)  # 0 not taken, 1 taken, 2 done
        self._finishes: list[_Finish] = []
        self._given: list[TaskSet] = []
        self._asked = self._stalls = 0
        self._asked_at_last = self._stalls_at_last = 0  # at the last assignment
        self._work = 0.0

    def result(self) -> Runs:
        """Let workers ask until all is done."""
        moment = 0.0
        idle: deque[int] = deque()
        asking = list(range(self._workers.count))
        while True:
            while idle and self._serve(moment, idle[0]):
                idle.popleft()
            for worker in asking:
                self._asked += 1
                if not self._serve(moment, worker):
                    self._stalls += 1
                    idle.append(worker)
            if not self._finishes:
                break
            moment, asking = self._settle()
        if not (self._state == 2).all():
            raise SimulationError("dispatcher: handed out nothing though no task was running")
        return self._runs(moment)

    def _serve(self, moment: float, worker: int) -> bool:
        """Give *worker* a cluster, if there is one."""
        cluster = self._dispatcher.arrive(self._capacities[worker])
        if cluster is None:
            return False
        if not len(cluster.tasks):
            raise SimulationError("dispatcher: expected a cluster of one task or more, got none")
        run_time, members = 0.0, set(cluster.tasks)
        for task in cluster.tasks:
            self._take(task, members)
            run_time += self._times[task] / self._speeds[worker]
        finish = moment + (self._workers.overhead + run_time)
        heapq.heappush(self._finishes, (finish, len(self._given), worker))
        self._given.append(cluster)
        self._work += run_time
        self._asked_at_last, self._stalls_at_last = self._asked, self._stalls
        return True

    def _take(self, task: int, cluster: set[int]) -> None:
        if not 0 <= task < len(self._dag):
            raise SimulationError(f"dispatcher: handed out task id {task}, which there is not")
        name = self._dag.names[task]
        if self._state[task] != 0:
            raise SimulationError(f"dispatcher: handed out task {name!r} twice")
        for parent in self._dag.parent_rows[task].tolist():
            is_before = self._state[parent] == 2 or (self._state[parent] == 1 and parent in cluster)
            if not is_before:
                raise SimulationError(f"dispatcher: handed out task {name!r} before its parents")
        self._state[task] = 1

    def _settle(self) -> tuple[float, list[int]]:
        """Take in the results of the next moment; return it and who then asks."""
        moment = self._finishes[0][0]
        asking = []
        while self._finishes and self._finishes[0][0] == moment:
            _, number, worker = heapq.heappop(self._finishes)
            self._state[list(self._given[number].tasks)] = 2
            self._dispatcher.done(self._given[number])
            asking.append(worker)
        return moment, asking

    def _runs(self, moment: float) -> Runs:
        return Runs(
            len(self._dag),
            self._workers.count,
            np.array([moment]),
            np.array([self._asked_at_last]),
            np.array([self._stalls_at_last]),
            np.array([self._asked_at_last]),
            np.array([self._work]),
        )


def _run_times(dag: Dag, times: Times, draws: Draws) -> list[float]:
    """Time of the first assignment of each task."""
    means = times.means_for(dag).tolist()
    return [mean * time_factor(times, draws, task, 0) for task, mean in enumerate(means)]
