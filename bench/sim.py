"""Simulated tasks per second on one core: the kernel against other programs for the same model.

The model is that of Malewicz et al. 2007, "A Tool for Prioritizing DAGMan Jobs and its Evaluation":
batches at interval 1 of mean size 16 on AIRSN(250), normal times, under a static order and FIFO.
SimPy has one process per task, and numba has heaps; both draw from their own generators. Our plain
engine draws the kernel's own numbers. Times are means of whole runs after a first one.
"""

import argparse
import heapq
import math
import random
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import numba
import numpy as np
import simpy
from harness import seconds, show

from icsched import Dag, families, prioritize
from icsched.sim import AnyPool, Experiment, Machine, Machines, Played, Pool, Times, Workers

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.sim.models import on_machines
from tests.sim.servers import plain_run

POOL = Pool(interval=1.0, batch=16.0)
TIMES = Times("normal", 0.1)
SEED = 1


def geometric(u: float) -> int:
    return int(math.log(u) / math.log(1 - 1 / POOL.batch)) + 1


def simpy_run(dag: Dag, order: list[int] | None, seed: int) -> float:
    """Simulate one run with SimPy; return its time."""
    rng = random.Random(seed)  # noqa: S311 a simulation, not a secret
    children = [dag.child_rows[task].tolist() for task in range(len(dag))]
    missing = dag.in_degrees.tolist()
    rank = None if order is None else {task: i for i, task in enumerate(order)}
    heap: list[int] = []
    line: deque[int] = deque()
    left = len(dag)
    env = simpy.Environment()

    def add(task: int) -> None:
        if rank is None:
            line.append(task)
        else:
            heapq.heappush(heap, rank[task])

    def work(task: int):
        yield env.timeout(max(1e-9, rng.gauss(1.0, 0.1)))
        for child in children[task]:
            missing[child] -= 1
            if missing[child] == 0:
                add(child)

    def batches():
        nonlocal left
        while left:
            for _ in range(geometric(1.0 - rng.random())):
                if not (line or heap):
                    break
                task = line.popleft() if rank is None else order[heapq.heappop(heap)]
                env.process(work(task))
                left -= 1
            yield env.timeout(rng.expovariate(1.0 / POOL.interval))

    for task in dag.sources.tolist():
        add(task)
    env.process(batches())
    env.run()
    return env.now


@numba.njit
def numba_run(offsets, targets, degrees, order, rank, fifo, interval, batch):
    """One run with heaps; returns its time."""
    tasks = len(degrees)
    missing = degrees.copy()
    line = np.empty(tasks, np.int64)
    head, tail = 0, 0
    heap = [0 for _ in range(0)]
    running = [(0.0, 0) for _ in range(0)]
    for task in order:
        if missing[task] == 0:
            if fifo:
                line[tail] = task
                tail += 1
            else:
                heapq.heappush(heap, rank[task])
    left, clock, last = tasks, 0.0, 0.0
    while left > 0:
        while len(running) > 0 and running[0][0] <= clock:
            ended = heapq.heappop(running)[1]
            for i in range(offsets[ended], offsets[ended + 1]):
                child = targets[i]
                missing[child] -= 1
                if missing[child] == 0:
                    if fifo:
                        line[tail] = child
                        tail += 1
                    else:
                        heapq.heappush(heap, rank[child])
        size = int(np.log(1.0 - np.random.random()) / np.log(1.0 - 1.0 / batch)) + 1  # noqa: NPY002
        while size > 0 and (head < tail or len(heap) > 0):
            if fifo:
                task = line[head]
                head += 1
            else:
                task = order[heapq.heappop(heap)]
            end = clock + max(1e-9, np.random.normal(1.0, 0.1))  # noqa: NPY002
            heapq.heappush(running, (end, task))
            last = max(last, end)
            size -= 1
            left -= 1
        clock += np.random.exponential(interval)  # noqa: NPY002
    return last


def mean_seconds(run: Callable[[int], object], runs: int) -> float:
    """Seconds per run, over this many runs after a first one."""
    run(0)
    start = time.perf_counter()
    for number in range(1, runs + 1):
        run(number)
    return (time.perf_counter() - start) / runs


def kernel_rate(dag: Dag, played: Played, pool: AnyPool, *, runs: int, threads: int) -> float:
    """Millions of tasks per second."""
    act = lambda: Experiment(dag, pool, TIMES).runs(  # noqa: E731
        played, seed=SEED, runs=runs, threads=threads
    )
    return runs * len(dag) / seconds(act) / 1e6


def against_others(dag: Dag, order: np.ndarray, *, effort: int) -> None:
    ranks = np.empty(len(dag), np.int64)
    ranks[order] = np.arange(len(dag))
    rows_of = dag.child_rows
    for name, played in (("static", Played("static", order)), ("fifo", Played("fifo"))):
        fifo = name == "fifo"
        first = dag.fifo_order if fifo else order
        simpy_order = None if fifo else order.tolist()
        arrays = (rows_of.offsets, rows_of.targets, dag.in_degrees, first.astype(np.int64), ranks)
        others = {
            "SimPy": mean_seconds(lambda n, o=simpy_order: simpy_run(dag, o, n), 5 * effort),
            "plain engine": mean_seconds(
                lambda n, p=played: plain_run(dag, p, POOL, TIMES, seed=SEED, run=n), 5 * effort
            ),
            "numba": mean_seconds(
                lambda _, a=arrays, f=fifo: numba_run(*a, f, POOL.interval, POOL.batch),
                200 * effort,
            ),
        }
        kernel = kernel_rate(dag, played, POOL, runs=1000 * effort, threads=1)
        rows = [["kernel", kernel, 1.0]]
        for other, s in others.items():
            rate = len(dag) / s / 1e6
            rows.append([other, rate, kernel / rate])
        show(f"AIRSN(250), {name}, one core", ["engine", "M tasks/s", "kernel is x"], rows)


def by_size(*, effort: int) -> None:
    rows = []
    for width in (26, 3_326, 333_326):
        dag = families.airsn(width)
        runs = max(2, 200_000 * effort // len(dag))
        order = prioritize(dag, "prio").order
        rates = [
            kernel_rate(dag, played, POOL, runs=runs, threads=1)
            for played in (Played("static", order), Played("fifo"), Played("random"))
        ]
        rows.append([f"AIRSN({width})", len(dag), *rates])
    head = ["dag", "tasks", "static M/s", "fifo M/s", "random M/s"]
    show("the kernel by size, one core", head, rows)


def by_pool(dag: Dag, order: np.ndarray, *, effort: int) -> None:
    all_played = Played("static", order), Played("fifo")
    pools = {
        f"interval {interval:g}, batch {batch:,}": Pool(interval, batch)
        for interval in (1e-3, 1.0, 1e3)
        for batch in (1, 16, 65_536)
    }
    pools |= {
        "requests wait": Pool(waiting=True),
        "workers leave, deadline, 2 replicas": Pool(leave=5.0, deadline=1.5, replicas=2),
        "16 workers": Workers(16),
        "16 cores of 2 machines": Machines([Machine({"cores": 8}, count=2)]),
        "256 workers": Workers(256),
        "256 machines of a core": Machines([Machine({"cores": 1}, count=256)]),
    }
    rows = [
        [
            name,
            *[
                kernel_rate(dag, played, pool, runs=100 * effort, threads=1)
                for played in all_played
            ],
            *[
                kernel_rate(dag, played, pool, runs=100 * effort, threads=2)
                for played in all_played
            ],
        ]
        for name, pool in pools.items()
    ]
    head = ["pool", "static M/s", "fifo M/s", "static, 2 threads", "fifo, 2 threads"]
    show("the kernel on AIRSN(250) by pool", head, rows)


def by_needs() -> None:
    """100,000 tasks of five kinds, and of as many kinds as tasks, on 1,000 machines."""
    rng = np.random.default_rng(SEED)
    tasks = 100_000
    dag = Dag.from_arcs(tasks, [(task, task + 10_000) for task in range(tasks - 10_000)])
    five = rng.integers(0, 5, tasks)
    cores, memory = np.array([[1, 2, 4, 8, 3], [4, 4, 16, 8, 64]], float)[:, five] * [[1], [2**30]]
    own = np.ceil(rng.uniform(1, 2**36, tasks))
    needs = {
        "one": {},
        "five": {"cores": cores, "memory_bytes": memory},
        "one a task": {"cores": cores, "memory_bytes": own},
    }
    pool = Machines([Machine({"cores": 16, "memory_bytes": 2**37}, count=1000)])
    rows = []
    for name, held in needs.items():
        experiment = on_machines(dag, pool, Times(), held)
        act = lambda: experiment.runs(Played("fifo"), seed=SEED, runs=1, threads=1)  # noqa: B023, E731
        rows.append([name, tasks / seconds(act) / 1e6])
    show("100,000 tasks on 1,000 machines by kinds of needs", ["kinds", "fifo M/s"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer runs, a few seconds")
    effort = 1 if parser.parse_args().quick else 10
    airsn = families.airsn(250)
    order = prioritize(airsn, "prio").order
    against_others(airsn, order, effort=effort)
    by_size(effort=effort)
    by_pool(airsn, order, effort=effort)
    by_needs()


if __name__ == "__main__":
    main()
