"""Workers that get clusters."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import Dag, families, simulate
from icsched.errors import SimulationError
from icsched.sim import Clustered, Played, Pool, Times, Workers, plain, run_clusters
from tests.sim.models import times
from tests.strategies import dags


class InOrder:
    """Hands out, from an order, tasks whose parents are done or in the same bundle."""

    def __init__(self, dag: Dag, order: list[int] | None = None) -> None:
        self.dag = dag
        self.left = dag.fifo_order.tolist() if order is None else list(order)
        self.finished: set[int] = set()

    def take(self, capacity: int) -> list[int]:
        chosen: list[int] = []
        for task in self.left:
            parents = set(self.dag.parents(task).tolist())
            if len(chosen) < capacity and parents <= self.finished | set(chosen):
                chosen.append(task)
        self.left = [task for task in self.left if task not in chosen]
        return chosen

    def done(self, *tasks: int) -> None:
        self.finished |= set(tasks)


CHAIN = Dag({"a": [], "b": ["a"], "c": ["b"]})


def test_a_chain_in_one_cluster_pays_overhead_once():
    """0.5 for the cluster and 3 tasks of 1 at speed 2: 2. The other worker asks in vain."""
    workers = Workers(2, speeds=[2.0, 1.0], overhead=0.5)
    runs = run_clusters(
        CHAIN, Clustered(InOrder, [3, 1]), workers, Times("constant"), seed=1, run=0
    )

    assert runs.time[0] == 2.0
    assert (runs.batches[0], runs.stalls[0]) == (1, 0)  # up to the last assignment
    assert runs.utilisation[0] == 1.5 / (2 * 2.0)


def test_results_of_a_cluster_come_together_and_free_those_idle():
    r"""
    a   d     Worker 0 has a and b until 2, worker 1 d until 1 and then waits for c,
    |   |     which needs b: it gets c at 2, before worker 0 asks.
    b   e     e goes to worker 1 at 1.
    |
    c
    """
    dag = Dag({"a": [], "b": ["a"], "c": ["b"], "d": [], "e": ["d"]})
    order = [0, 1, 3, 4, 2]
    clustered = Clustered(partial(InOrder, order=order), [2, 1])
    runs = run_clusters(dag, clustered, Workers(2), Times("constant"), seed=1, run=0)

    # worker 1: d 0..1, e 1..2; at 2 both ask, worker 0 first in the order of assignments: c 2..3
    assert runs.time[0] == 3.0
    assert runs.utilisation[0] == 5 / 6


@given(dags(most_tasks=8).filter(len), st.data())
@settings(max_examples=100, deadline=None)
def test_clusters_of_one_are_the_simulation_task_by_task(dag, data):
    count = data.draw(st.integers(1, 3))
    speeds = [1.0, 0.5, 2.0][:count]
    workers = Workers(count, speeds, overhead=data.draw(st.sampled_from([0.0, 0.25])))
    law = data.draw(times(len(dag)))
    seed = data.draw(st.integers(0, 1000))
    model = workers, law
    clustered = run_clusters(dag, Clustered(InOrder, [1] * count), *model, seed=seed, run=0)
    alone = plain.run(dag, Played("static", dag.fifo_order), *model, seed=seed, run=0).result

    for metric in ("time", "batches", "stalls", "requests"):
        assert getattr(clustered, metric) == getattr(alone, metric), metric
    assert clustered.work == pytest.approx(alone.work)


def test_clusters_beside_other_orders():
    """With an overhead as long as a task, four tasks at a time take less time than one."""
    orders = {"four": Clustered(InOrder, [4, 4]), "fifo": "fifo"}
    found = simulate(families.airsn(3), orders, pool=Workers(2, overhead=1.0), seed=3)

    assert found.ratio["four_over_fifo"].time.high < 1


class Broken:
    def __init__(self, _dag: Dag, bundles: list[list[int]]) -> None:
        self.bundles = iter(bundles)

    def take(self, _capacity: int) -> list[int]:
        return next(self.bundles, [])

    def done(self, *tasks: int) -> None:
        pass


@pytest.mark.parametrize(
    ("bundles", "message"),
    [
        ([[1]], "server: handed out task 'b' before its parents"),
        ([[0, 1], [1]], "server: handed out task 'b' twice"),
        ([[0]], "server: handed out nothing though no task was running"),
        ([[1, 0]], "server: handed out task 'b' before its parents"),
        ([[]], "server: handed out nothing though no task was running"),
        ([[7]], "server: handed out task id 7, which does not exist"),
    ],
)
def test_a_server_that_breaks_the_rules(bundles, message):
    clustered = Clustered(partial(Broken, bundles=bundles), [2])
    with pytest.raises(SimulationError, match=message):
        run_clusters(CHAIN, clustered, Workers(1), Times(), seed=1, run=0)


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        (Workers(2), "capacities: expected 2, one per worker, got 1"),
        (
            Workers(1, leave=9.0),
            "clusters cannot be used with workers that leave, a deadline or replicas",
        ),
        (Pool(), "clusters: expected a fixed set of workers, got batches"),
    ],
)
def test_pools_that_clusters_do_not_fit(pool, message):
    with pytest.raises(SimulationError, match=message):
        simulate(CHAIN, {"c": Clustered(InOrder, [2])}, pool=pool)


def test_times_are_those_of_tasks_alone():
    runs = [
        run_clusters(
            CHAIN, Clustered(InOrder, [size]), Workers(1), Times("lognormal", 1), seed=5, run=2
        ).time[0]
        for size in (1, 2, 3)
    ]

    assert np.ptp(runs) < 1e-12
