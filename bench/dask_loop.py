"""The client loop on a Dask cluster against Dask itself: order kept, wall time, stored results.

Four worker processes of one thread each. Tasks of the first two graphs sleep; their seconds are
drawn once, by kind, and icsched knows them. The third graph is a real array. "displaced" is the
mean distance between the place in which a task began and its place in the order. "passed over" is
the mean number of tasks that were ready and better in the order when a task began, and began later.
Dask itself is not told the order. "stored" is the most results that the workers stored at once, by
the scheduler's account. Medians of three runs. Nothing is asserted.
"""

import argparse
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from statistics import median
from typing import Any

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster, SchedulerPlugin
from harness import show

from icsched import Dag, families
from icsched.engines.dask import compute, static_priorities
from icsched.engines.dask.graphs import tasks_of
from icsched.orders import prioritize
from icsched.sim import Workers

WORKERS = 4
ROOTISH = {"distributed.scheduler.rootish-taskgroup": 0}


class Watch(SchedulerPlugin):
    """Counts stored results, and notes when tasks began and ended."""

    name = "watch"

    def __init__(self) -> None:
        self.stored: set[Hashable] = set()
        self.peak = 0
        self.times: dict[Hashable, tuple[float, float]] = {}

    def transition(self, key, _start, finish, *_, startstops=(), **__):
        """Follow one task; Dask calls this."""
        if finish != "memory":
            self.stored.discard(key)
            return
        self.stored.add(key)
        self.peak = max(self.peak, len(self.stored))
        for period in startstops:
            if period["action"] == "compute":
                self.times[key] = period["start"], period["stop"]


@dataclass(frozen=True)
class Case:
    """A graph, the order to keep, Dask's own order of it, and how Dask runs it by itself."""

    name: str
    graph: Any
    dag: Dag
    order: Sequence[Hashable]
    own: Sequence[Hashable]
    run: Callable[[Client, Any], object] = field(repr=False)


def work(seconds: float, *_: object) -> float:
    time.sleep(seconds)
    return seconds


def sleeping(name: str, dag: Dag, kind: Callable[[str], str], mean: Mapping[str, float]) -> Case:
    """Return a graph of sleeping tasks; their seconds vary around the mean of their kind."""
    rng = np.random.default_rng(1)
    seconds = {task: mean[kind(task)] * rng.lognormal(0, 0.3) for task in dag.names}
    graph = {
        task: (work, seconds[task], *(dag.names[above] for above in dag.parents(number)))
        for number, task in enumerate(dag.names)
    }
    sinks = [dag.names[task] for task in dag.sinks]
    return case(name, graph, seconds, lambda client, p: client.get(graph, sinks, priority=p))


def case(name: str, graph: Any, seconds: Any, run: Callable[[Client, Any], object]) -> Case:
    dag = tasks_of(graph).dag()
    plan = prioritize(dag, "auto", run_times=seconds, pool=Workers(WORKERS))
    return Case(name, graph, dag, plan.names, prioritize(dag, "dask").names, run)


def samples() -> Case:
    """Return per sample a fetch, four alignments, a merge and a call; then one table of all."""
    parents: dict[str, list[str]] = {}
    for n in range(40):
        parents[f"fetch-{n}"] = []
        chunks = [f"align-{n}-{chunk}" for chunk in range(4)]
        parents |= {chunk: [f"fetch-{n}"] for chunk in chunks}
        parents[f"merge-{n}"] = chunks
        parents[f"call-{n}"] = [f"merge-{n}"]
    parents["table"] = [f"call-{n}" for n in range(40)]
    mean = {"fetch": 0.03, "align": 0.06, "merge": 0.03, "call": 0.06, "table": 0.1}
    return sleeping("map-reduce over 40 samples", Dag(parents), lambda t: t.split("-")[0], mean)


def mosaic() -> Case:
    dag = families.montage(6, 8)
    names = [str(name) for name in dag.names]
    dag = Dag({names[t]: [names[p] for p in dag.parents(t)] for t in range(len(dag))})
    mean = dict.fromkeys({kind_of(name) for name in names}, 0.05)
    return sleeping("Montage of 6 x 8 images", dag, kind_of, mean)


def kind_of(name: str) -> str:
    return name.rstrip("0123456789_-.")


def reduction() -> Case:
    x = da.random.default_rng(1).random((4800, 4800), chunks=(300, 300))
    y = ((x - x.mean(axis=0)) ** 2).sum(axis=0, split_every=4).max(split_every=4)
    return case("array: squares around column means", y, None, partial(run_array, y))


def run_array(y: Any, client: Client, priority: Any) -> object:
    return client.compute(y, priority=priority).result()


def measured(client: Client, case: Case, order: Sequence[Hashable], run: Callable[[], object]):
    """Run once: seconds, stored, displaced, passed over."""
    client.register_plugin(Watch(), name="watch")
    start = time.perf_counter()
    run()
    seconds = time.perf_counter() - start
    peak, times = client.run_on_scheduler(
        lambda dask_scheduler: (
            dask_scheduler.plugins["watch"].peak,
            dask_scheduler.plugins["watch"].times,
        )
    )
    client.unregister_scheduler_plugin("watch")
    names = case.dag.names
    known = {name: times[name] for name in names if name in times}
    if not known:  # the loop's keys end with the number of the task and the run's id
        known = {names[int(key.split("-")[-2])]: period for key, period in times.items()}
    return seconds, peak, *kept(case.dag, order, known)


def kept(dag: Dag, order: Sequence[Hashable], times: Mapping[Hashable, tuple[float, float]]):
    """Return how far tasks were displaced, and how many better ones each passed over."""
    rank = {name: place for place, name in enumerate(n for n in order if n in times)}
    began = sorted(rank, key=lambda name: times[name][0])
    displaced = [abs(rank[name] - place) for place, name in enumerate(began)]
    ready = {
        name: max((times[dag.names[above]][1] for above in dag.parents(dag.id_of(name))), default=0)
        for name in rank
    }
    passed = [
        sum(ready[other] < times[name][0] and rank[other] < rank[name] for other in began[place:])
        for place, name in enumerate(began)
    ]
    return float(np.mean(displaced)), float(np.mean(passed))


@contextmanager
def cluster(settings: Mapping[str, object]):
    options = {"threads_per_worker": 1, "processes": True, "dashboard_address": "127.0.0.1:0"}
    with (
        dask.config.set(settings),
        LocalCluster(n_workers=WORKERS, **options) as started,
        Client(started) as client,
    ):
        yield client


def ways(case: Case, *, is_rootish: bool) -> dict[str, tuple[Sequence[Hashable], Callable]]:
    ids = case.dag.ids  # names of an array's last task differ from call to call
    kept_order, own = ([ids[name] for name in order] for order in (case.order, case.own))
    if is_rootish:
        priority = static_priorities(case.graph, order=kept_order)
        return {"dask, priorities": (case.order, lambda client: case.run(client, priority))}
    graph = case.graph
    return {
        "dask": (case.order, lambda client: case.run(client, 0)),
        "loop": (case.order, lambda client: compute(graph, client, order=kept_order)),
        "loop, dask's order": (case.own, lambda client: compute(graph, client, order=own)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    cases = [samples(), mosaic(), reduction()]
    rows: dict[str, list[list[object]]] = {case.name: [] for case in cases}
    for settings in ({}, ROOTISH):
        with cluster(settings) as client:
            compute({"warm": (work, 0.0)}, client)
            for case in cases:
                for way, (order, run) in ways(case, is_rootish=bool(settings)).items():
                    act = partial(run, client)
                    found = [measured(client, case, order, act) for _ in range(runs)]
                    medians = [median(column) for column in zip(*found, strict=True)]
                    rows[case.name].append([way, *medians])
    for case in cases:
        title = f"{case.name}: {len(case.dag):,} tasks, {WORKERS} workers"
        show(title, ["way", "seconds", "stored", "displaced", "passed over"], rows[case.name])


if __name__ == "__main__":
    main()
