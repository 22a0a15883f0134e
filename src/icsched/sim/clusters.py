"""Workers that get several tasks at a time, as many as fit their power.

The model of workers is that of Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for
Task-Hungry Computing Platforms".
"""

import heapq
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from icsched.dag import Dag
from icsched.errors import SimulationError
from icsched.ready import Readiness, Server
from icsched.sim.draws import Draws
from icsched.sim.model import Times, Workers, check_inputs, check_seed
from icsched.sim.plain import time_factor
from icsched.sim.results import Runs


@dataclass(frozen=True, eq=False)
class Clustered:
    """Clusters for `Workers`: each worker gets clusters as large as its capacity.

    *capacities* has one number per worker. *make* makes the server of a run. The server's `take`
    gets the worker's capacity. It returns tasks in the order in which the worker runs them: the
    parents of each task are done, or come before it.
    """

    make: Callable[[Dag], Server[int]]
    capacities: Sequence[int]


_Finish: TypeAlias = tuple[float, int, int]  # moment, number of the assignment, worker


def run_clusters(
    dag: Dag, clustered: Clustered, workers: Workers, times: Times, *, seed: int, run: int
) -> Runs:
    """Simulate one run in which workers get clusters; return what came out.

    A worker runs its tasks one after the other at its speed, after one overhead for all of them.
    It brings all results at the end. A worker that gets nothing waits. Whenever results come in,
    the waiting workers ask again, in the order in which they began to wait. Each task takes the
    time that it takes alone in the run of the same seed and number. Raises SimulationError for
    workers that leave, deadlines, replicas and delays, which are not simulated here. Raises it too
    for a server that hands out a task twice or before its parents, or that stops handing out
    tasks.

    >>> from icsched.serve.clusters import ClusterServer
    >>> clustered = Clustered(ClusterServer, capacities=[3])
    >>> chain = Dag({"a": [], "b": ["a"], "c": ["b"]})
    >>> workers = Workers(1, overhead=0.5)
    >>> run_clusters(chain, clustered, workers, Times("constant"), seed=1, run=0).time.tolist()
    [3.5]
    """
    check_inputs(dag, workers, times)
    check_seed(seed, run)
    _check_terms(clustered, workers)
    return _ClusterRun(dag, clustered, workers, times, Draws(seed=seed, run=run)).result()


def _check_terms(clustered: Clustered, workers: Workers) -> None:
    if len(clustered.capacities) != workers.count:
        raise SimulationError(
            f"capacities: expected {workers.count}, one per worker, got {len(clustered.capacities)}"
        )
    if workers.leave < math.inf or workers.deadline < math.inf or workers.replicas > 1:
        raise SimulationError(
            "clusters cannot be used with workers that leave, a deadline or replicas"
        )
    if workers.delay > 0:
        raise SimulationError("clusters cannot be used with a delay")


class _ClusterRun:
    """One run: who works on what until when."""

    def __init__(
        self, dag: Dag, clustered: Clustered, workers: Workers, times: Times, draws: Draws
    ) -> None:
        self._dag = dag
        self._capacities = clustered.capacities
        self._workers = workers
        self._speeds = workers.speeds or [1.0] * workers.count
        self._server = clustered.make(dag)
        self._times = _run_times(dag, times, draws)
        self._readiness = Readiness(dag)
        self._finishes: list[_Finish] = []
        self._given: list[Sequence[int]] = []
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
        if self._readiness.left:
            raise SimulationError("server: handed out nothing though no task was running")
        return self._runs(moment)

    def _serve(self, moment: float, worker: int) -> bool:
        """Give *worker* a cluster, if there is one."""
        tasks = self._server.take(self._capacities[worker])
        if not len(tasks):
            return False
        run_time = 0.0
        inside: dict[int, int] = {}  # parents among the tasks, of tasks that have any
        for task in tasks:
            self._take(task, inside)
            run_time += self._times[task] / self._speeds[worker]
        finish = moment + (self._workers.overhead + run_time)
        heapq.heappush(self._finishes, (finish, len(self._given), worker))
        self._given.append(tasks)
        self._work += run_time
        self._asked_at_last, self._stalls_at_last = self._asked, self._stalls
        return True

    def _take(self, task: int, inside: dict[int, int]) -> None:
        if not 0 <= task < len(self._dag):
            raise SimulationError(f"server: handed out task id {task}, which does not exist")
        name = self._dag.names[task]
        if not self._readiness.free[task]:
            raise SimulationError(f"server: handed out task {name!r} twice")
        if self._readiness.missing[task] != inside.get(task, 0):
            raise SimulationError(f"server: handed out task {name!r} before its parents")
        self._readiness.take((task,))
        for child in self._readiness.children(task):
            inside[child] = inside.get(child, 0) + 1

    def _settle(self) -> tuple[float, list[int]]:
        """Take in the results of the next moment; return it and who then asks."""
        moment = self._finishes[0][0]
        asking = []
        while self._finishes and self._finishes[0][0] == moment:
            _, number, worker = heapq.heappop(self._finishes)
            self._readiness.finish(self._given[number])
            self._server.done(*self._given[number])
            asking.append(worker)
        return moment, asking

    def _runs(self, moment: float) -> Runs:
        return Runs.of(
            len(self._dag),
            self._workers,
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
