"""The kernel's two engines make, step by step, the runs of the plain one."""

import math
from itertools import cycle, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import ArgumentError, Dag, families, prioritize
from icsched.sim import Played, Pool, Recorded, Times, Workers
from tests.sim.models import (
    assert_engines_agree,
    assert_same,
    pools,
    recorded,
    runs,
    seeds,
    simulate_runs,
    small_pools,
    times,
    trace,
    ways_to_play,
)
from tests.sim.servers import plain_run
from tests.strategies import dags_with_orders, different_dags, naturally_labelled_dags

CONSTANT = Times("constant")


@pytest.mark.parametrize("tasks", range(1, 5))
def test_the_engines_agree_on_every_dag_of_up_to_four_tasks_with_all_options(tasks):
    for dag in naturally_labelled_dags(tasks):
        for played, pool in product(ways_to_play(dag), small_pools()):
            assert_engines_agree(dag, played, pool, CONSTANT, seed=tasks, run=0)


def test_there_are_as_many_different_dags_as_is_known():
    assert [len(list(different_dags(tasks))) for tasks in range(1, 7)] == [1, 2, 6, 31, 302, 5984]


@pytest.mark.parametrize("dags", [naturally_labelled_dags(5), different_dags(6)])
def test_the_engines_agree_on_dags_of_five_and_six_tasks_with_an_option_each(dags):
    for run, (dag, pool) in enumerate(zip(dags, cycle(small_pools()), strict=False)):
        for played in ways_to_play(dag):
            assert_engines_agree(dag, played, pool, CONSTANT, seed=6, run=run)


@settings(max_examples=500)
@given(st.data(), dags_with_orders(most_tasks=12), pools() | recorded(), seeds, runs)
def test_the_engines_agree_whatever_is_random(data, dag_and_order, pool, seed, run):
    dag, order = dag_and_order
    if not len(dag):
        return
    by = data.draw(st.sampled_from(["static", "fifo", "lifo", "random"]))
    given_order = order if by == "static" or data.draw(st.booleans()) else None
    task_times = data.draw(times(len(dag)))

    assert_engines_agree(dag, Played(by, given_order), pool, task_times, seed=seed, run=run)


@pytest.mark.parametrize("by", ["static", "fifo", "lifo", "random"])
@pytest.mark.parametrize(
    "pool",
    [
        Pool(1.0, 16, "exponential"),
        Pool(0.02, 1),
        Pool(100.0, 40),
        Pool(1.0, 16, waiting=True, speed_spread=0.3, leave=5.0, deadline=1.3, replicas=2),
        Workers(9, leave=5.0, deadline=1.3, replicas=2),
        Pool(1.0, 16, delay=0.4),
        Workers(9, leave=5.0, deadline=1.3, replicas=2, delay=0.4),
        Recorded(np.arange(100) / 10, [*np.arange(1, 100) / 9 + 1.5, math.inf], delay=0.4),
    ],
)
def test_the_engines_agree_on_a_whole_workflow(by, pool):
    airsn = families.airsn(30)
    played = Played(by, prioritize(airsn, "prio").order)

    assert_engines_agree(airsn, played, pool, Times(), seed=1, run=2)


def test_the_engines_agree_when_results_lie_thousands_of_batches_ahead():
    """Past the kernel's window of batches, and with tasks that end after different delays."""
    dag = families.random_layered(12, 3, seed=1)
    means = [0.001, 1.0, 40.0] * 4

    for by in ("fifo", "random"):
        played = Played(by)
        assert_engines_agree(dag, played, Pool(0.005, 1), Times(means=means), seed=1, run=0)


def test_times_too_short_to_move_the_clock_are_still_over_in_order():
    chain = Dag({"a": [], "b": ["a"], "c": ["b"]})

    for pool in (Pool(1.0, 1, "fixed"), Pool(1.0, 2, waiting=True), Workers(2)):
        assert_engines_agree(
            chain, Played("fifo"), pool, Times(means=[1.0, 1e-90, 1e-90]), seed=1, run=0
        )


@pytest.mark.parametrize(
    "pool",
    [
        Pool(0.3, 3, "exponential", speed_spread=0.2),
        Pool(waiting=True, delay=0.2),
        Workers(3, leave=2.0),
        Recorded([0, 0, 2], [2.5, math.inf, 3]),
    ],
)
def test_the_results_are_the_same_for_any_threads_and_any_split_of_the_runs(pool):
    mesh = families.mesh(6)
    model = mesh, Played("fifo"), pool, Times()
    whole = simulate_runs(*model, seed=3, runs=60, threads=1)

    for threads in (2, 5):
        again = simulate_runs(*model, seed=3, runs=60, threads=threads)
        for field in ("time", "batches", "stalls", "requests", "work"):
            assert getattr(again, field).tolist() == getattr(whole, field).tolist()
    part = simulate_runs(*model, seed=3, first_run=41, runs=7)
    assert part.time.tolist() == whole.time[41:48].tolist()
    alone = plain_run(*model, seed=3, run=41).result
    assert [alone.time[0], alone.requests[0]] == [whole.time[41], whole.requests[41]]


def test_orders_of_one_run_meet_the_same_arrivals_and_first_times():
    mesh = families.mesh(6)
    pool = Pool(1.0, 3)

    first = plain_run(mesh, Played("fifo"), pool, Times(), seed=1, run=5)
    second = plain_run(mesh, Played("lifo"), pool, Times(), seed=1, run=5)

    shared = min(len(first.batches.time), len(second.batches.time))
    assert first.batches.time[:shared].tolist() == second.batches.time[:shared].tolist()
    assert first.batches.size[:shared].tolist() == second.batches.size[:shared].tolist()
    assert duration_of(first) == pytest.approx(duration_of(second), abs=1e-12)


def duration_of(trace) -> list[float]:
    steps = trace.assignments
    return [float(d) for _, d in sorted(zip(steps.task, steps.end - steps.time, strict=True))]


@settings(max_examples=300)
@given(st.data(), dags_with_orders(most_tasks=12), pools() | recorded(), seeds, runs)
def test_the_engines_agree_on_priorities(data, dag_and_order, pool, seed, run):
    dag, order = dag_and_order
    if not len(dag):
        return
    number = st.sampled_from([-(2**31), 0, 7])
    priorities = data.draw(st.lists(number, min_size=len(dag), max_size=len(dag)))
    played = Played("priority", data.draw(st.none() | st.just(order)), priorities)

    assert_engines_agree(dag, played, pool, data.draw(times(len(dag))), seed=seed, run=run)


@settings(max_examples=100)
@given(dags_with_orders(most_tasks=12), pools() | recorded(), seeds)
def test_equal_priorities_are_first_come_first_served_and_different_ones_an_order(
    dag_and_order, pool, seed
):
    dag, order = dag_and_order
    if not len(dag):
        return
    falling = np.empty(len(dag), np.int64)
    falling[order] = -np.arange(len(dag))
    pairs = [
        (Played("fifo"), Played("priority", priorities=np.full(len(dag), 5))),
        (Played("static", order), Played("priority", priorities=falling)),
    ]
    for known, by_priority in pairs:
        first, second = (
            trace(dag, played, pool, Times(), seed=seed, run=0) for played in (known, by_priority)
        )
        assert_same(first, second)


def test_of_equal_priorities_the_task_that_became_eligible_first_is_taken():
    """One worker; `late` has the smaller id, but `quick` ends before `slow` and frees `early`.

    The tasks slow and quick have priority 1 and run first. A list by id would take late first.
    """
    dag = Dag({"quick": [], "slow": [], "late": ["slow"], "early": ["quick"]})
    played = Played("priority", priorities=[1, 1, 0, 0])

    steps = trace(dag, played, Workers(1), CONSTANT, seed=1, run=0)

    taken = [dag.names[task] for task in steps.assignments.task]
    assert taken == ["quick", "slow", "early", "late"]


@pytest.mark.parametrize(
    ("by", "priorities"),
    [
        ("priority", None),
        ("fifo", [1]),
        ("priority", [1.5]),
        ("priority", [[1]]),
        ("priority", "a"),
    ],
)
def test_priorities_that_cannot_be_played_are_refused(by, priorities):
    with pytest.raises(ArgumentError, match=r"^priorities: "):
        Played(by, priorities=priorities)
    with pytest.raises(ArgumentError, match=r"^priorities: expected 1, one per task, got 2"):
        simulate_runs(
            Dag({"a": []}),
            Played("priority", priorities=[1, 2]),
            Workers(1),
            CONSTANT,
            seed=1,
            runs=1,
        )
