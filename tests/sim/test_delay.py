"""Delays until results and losses change what can be taken, and workers of recorded visits."""

import math

import numpy as np
import pytest
from hypothesis import given

from icsched import Dag, families
from icsched.errors import ArgumentError, SimulationError
from icsched.sim import Ending, Played, Pool, Recorded, Times, Workers
from tests.sim.models import (
    OldestFirst,
    assert_engines_agree,
    assert_same,
    pools,
    seeds,
    simulate_runs,
    trace,
)
from tests.sim.servers import plain_run

CONSTANT = Times("constant")
FORK = Dag({"a": [], "b": ["a"], "c": ["a"]})
INF = math.inf


def steps(dag, pool, times=CONSTANT, **options):
    """Assignments of run 0 as (task, worker, time, end, ending), checked on all engines."""
    options = {"seed": 1, "run": 0, **options}
    assert_engines_agree(dag, Played("fifo"), pool, times, **options)
    given = trace(dag, Played("fifo"), pool, times, **options).assignments
    rows = zip(given.task, given.request, given.time, given.end, given.ending, strict=True)
    return [
        (dag.names[t], int(r), float(at), float(end), Ending(int(how)))
        for t, r, at, end, how in rows
    ]


# Delay


def test_children_can_be_taken_only_after_the_delay():
    r"""
      a      `a` ends at 1; both workers wait until 1.5; the worker that never had a task
     / \     has waited longest.
    b   c
    """
    assert steps(FORK, Workers(2, delay=0.5)) == [
        ("a", 0, 0.0, 1.0, Ending.RESULT),
        ("b", 1, 1.5, 2.5, Ending.RESULT),
        ("c", 0, 1.5, 2.5, Ending.RESULT),
    ]


def test_each_level_of_a_chain_waits_for_the_delay_once_and_the_last_result_ends_the_run():
    chain = Dag({"a": [], "b": ["a"], "c": ["b"]})

    found = simulate_runs(chain, Played("fifo"), Workers(1, delay=0.25), CONSTANT, seed=1, runs=1)

    assert found.time.tolist() == [3.5]  # 3 tasks, 2 delays
    assert found.utilisation.tolist() == [3 / 3.5]


def test_sources_do_not_wait():
    pair = Dag({"a": [], "b": []})

    assert [step[2] for step in steps(pair, Workers(2, delay=9.0))] == [0.0, 0.0]


def test_an_overdue_task_is_offered_again_after_the_delay():
    """Task `a` takes 2, is overdue at 1, and worker 1, who waits, gets it at 1.5.

    Its result at 2 ends the run.
    """
    alone = Dag({"a": []})

    assert steps(alone, Workers(2, deadline=1.0, delay=0.5), Times("constant", means=[2.0])) == [
        ("a", 0, 0.0, 2.0, Ending.RESULT),
        ("a", 1, 1.5, 3.5, Ending.IGNORED),
    ]


def test_waiting_requests_of_a_pool_are_served_when_the_delay_is_over():
    """Five requests come at time 0, and four of them wait."""
    pool = Pool(1000.0, 5, "fixed", waiting=True, delay=0.5)

    assert [step[1:3] for step in steps(FORK, pool)] == [(0, 0.0), (1, 1.5), (2, 1.5)]


def test_a_request_of_a_pool_that_does_not_wait_is_lost_during_the_delay():
    chain = Dag({"a": [], "b": ["a"]})
    model = chain, Played("fifo"), Pool(0.01, 1, "fixed", delay=0.5), CONSTANT

    given = trace(*model, seed=1, run=0).assignments

    assert 1.5 <= given.time[1] < 1.7


@given(pools(), seeds)
def test_a_server_in_python_sees_the_same_delay(pool, seed):
    mesh = families.mesh(3)
    model = pool, CONSTANT

    found = plain_run(mesh, OldestFirst(mesh), *model, seed=seed, run=0)

    assert_same(found, plain_run(mesh, Played("fifo"), *model, seed=seed, run=0))


@pytest.mark.parametrize("delay", [-1, math.nan, INF, "1"])
@pytest.mark.parametrize("make", [Pool, lambda **of: Workers(1, **of)])
def test_a_delay_that_cannot_be(make, delay):
    with pytest.raises(ArgumentError, match=r"^delay: expected"):
        make(delay=delay)


# Recorded visits


def test_a_task_is_lost_when_its_worker_leaves_and_goes_to_who_waits():
    """Worker 0 leaves at 0.5 with `a`. Worker 1 gets `a` at once, and later both children."""
    assert steps(FORK, Recorded([0, 0.25], [0.5, INF])) == [
        ("a", 0, 0.0, 0.5, Ending.LOSS),
        ("a", 1, 0.5, 1.5, Ending.RESULT),
        ("b", 1, 1.5, 2.5, Ending.RESULT),
        ("c", 1, 2.5, 3.5, Ending.RESULT),
    ]


def test_a_lost_task_waits_for_the_delay_too():
    assert [s[1:4] for s in steps(Dag({"a": []}), Recorded([0, 0.25], [0.5, INF], delay=1.0))] == [
        (0, 0.0, 0.5),
        (1, 1.5, 2.5),
    ]


def test_a_task_that_finishes_as_its_worker_leaves_counts_and_the_worker_asks_no_more():
    pair = Dag({"a": [], "b": []})

    assert [s[:3] for s in steps(pair, Recorded([0, 5], [1.0, INF]))] == [
        ("a", 0, 0.0),
        ("b", 1, 5.0),
    ]


def test_an_idle_worker_that_left_gets_nothing():
    """Worker 1 waits and leaves at 1, when `a` ends; workers 0 and 2 take the children."""
    found = steps(FORK, Recorded([0, 0.25, 0.5], [9, 1.0, INF]))

    assert [(task, at) for task, _, at, *_ in found] == [("a", 0.0), ("b", 1.0), ("c", 1.0)]
    assert found[0][1] == 0
    assert {found[1][1], found[2][1]} == {0, 2}


# Which of the free workers of visits is served


def test_each_free_worker_is_served_first_equally_often_whenever_it_came():
    """Workers 1, 2 and 3 come at different moments and wait for `b`, as does worker 0 at 1."""
    chain = Dag({"a": [], "b": ["a"]})
    pool = Recorded([0, 0.25, 0.5, 0.75], [INF] * 4)
    runs = 400

    served = [steps(chain, pool, run=run)[1][1] for run in range(runs)]

    # The count of a worker has mean 100 and deviation sqrt(400 * 1/4 * 3/4), which is below 9.
    assert all(abs(served.count(worker) - runs / 4) < 4 * 9 for worker in range(4))


def test_the_order_of_the_visits_in_a_pool_does_not_decide_how_long_runs_take():
    """One of four workers leaves at 1. If it has the task of 4, the task starts again at 1.

    So a quarter of the runs take 5, the others 4. The mean is 4.25, the deviation of a run is
    sqrt(1/4 * 3/4).
    """
    alone, times, runs = Dag({"a": []}), Times("constant", means=[4.0]), 4000
    error = math.sqrt(3 / 16 / runs)

    for ends in ([1, INF, INF, INF], [INF, INF, 1, INF], [INF, INF, INF, 1]):
        pool = Recorded([0] * 4, ends)
        found = simulate_runs(alone, Played("fifo"), pool, times, seed=1, runs=runs).time
        assert set(found.tolist()) == {4.0, 5.0}
        assert abs(found.mean() - 4.25) < 4 * error


@pytest.mark.parametrize("by", ["fifo", "random"])
def test_shuffled_visits_give_the_same_mean_time_but_for_chance(by):
    """Twelve workers come at 0 and at 2. Half of them leave while tasks run."""
    rng = np.random.default_rng(1)
    starts = np.array([0.0, 2.0] * 6)
    ends = np.array([3.0, 3.5, 4.0, 4.5, 5.0, 5.5] + [INF] * 6)
    airsn = families.airsn(10)
    means = np.where(np.arange(len(airsn)) % 7 == 0, 3.0, 1.0)

    def run_times(order, seed):
        pool = Recorded(starts[order], ends[order])
        times = Times("constant", means=means)
        return simulate_runs(airsn, Played(by), pool, times, seed=seed, runs=2000).time

    first = run_times(np.arange(12), 0)
    for seed in range(1, 6):
        other = run_times(rng.permutation(12), seed)
        error = math.sqrt((first.var(ddof=1) + other.var(ddof=1)) / 2000)
        assert abs(first.mean() - other.mean()) < 4 * error


def test_two_orders_see_the_same_workers_first_in_the_same_run():
    """Each order hands out its first task to the same worker, and its second to the next."""
    pair = Dag({"a": [], "b": []})
    pool = Recorded([0] * 5, [INF] * 5)

    def served(order, run):
        played = Played("static", order)
        return trace(pair, played, pool, CONSTANT, seed=1, run=run).assignments.request.tolist()

    assert [served(["a", "b"], run) for run in range(50)] == [
        served(["b", "a"], run) for run in range(50)
    ]
    assert {first for first, _ in (served(["a", "b"], run) for run in range(50))} == set(range(5))


def test_overhead_is_added_to_each_task():
    assert steps(Dag({"a": []}), Recorded([2], [INF], overhead=0.5))[0][2:4] == (2.0, 3.5)


def test_utilisation_is_the_share_of_the_time_that_workers_were_there():
    """Worker 0 is there for 0.5, worker 1 from 0.25 to the end at 3.5: 3 of 3.75."""
    pool = Recorded([0, 0.25], [0.5, INF])

    found = simulate_runs(FORK, Played("fifo"), pool, CONSTANT, seed=1, runs=2)

    assert found.workers == 2
    assert found.presence.tolist() == [3.75, 3.75]
    assert found.utilisation.tolist() == [0.8, 0.8]


def test_visits_are_sorted_by_their_starts_and_ties_stay_in_order():
    pool = Recorded([1, 0, 1], [INF, 2, 3])

    assert (pool.starts.tolist(), pool.ends.tolist()) == ([0, 1, 1], [2, INF, 3])
    assert not pool.starts.flags.writeable


def test_a_million_visits_are_played():
    """Each worker loses the task, except the last, who stays."""
    starts = np.arange(10**6) / 100
    ends = np.append(starts[:-1] + 0.005, INF)
    model = Dag({"a": []}), Played("fifo"), Recorded(starts, ends), Times("constant", means=[5.0])

    found = simulate_runs(*model, seed=1, runs=1)

    assert found.time.tolist() == [starts[-1] + 5.0]


@pytest.mark.parametrize(
    ("starts", "ends", "message"),
    [
        ([], [], "starts: expected 1 to 1,000,000 numbers, one per visit, got shape (0,)"),
        ([[0]], [[1]], "starts: expected 1 to 1,000,000 numbers, one per visit, got shape (1, 1)"),
        (["x"], [1], "starts: expected numbers, one per visit"),
        ([10**400], [1], "starts: expected numbers, one per visit"),
        ([0, 1], [INF], "ends: expected 2, one per start, got 1"),
        ([-1], [INF], "start of visit 0: expected 0 to 1e+100, got -1.0"),
        ([math.nan], [INF], "start of visit 0: expected 0 to 1e+100, got nan"),
        ([0, INF], [INF, INF], "start of visit 1: expected 0 to 1e+100, got inf"),
        (
            [1, 2],
            [INF, 2],
            "end of visit 1: expected more than its start, 2.0, and at most 1e+100 or inf, got 2.0",
        ),
        (
            [1],
            [math.nan],
            "end of visit 0: expected more than its start, 1.0, and at most 1e+100 or inf, got nan",
        ),
    ],
)
def test_visits_that_cannot_be(starts, ends, message):
    with pytest.raises(ArgumentError) as caught:
        Recorded(starts, ends)
    assert str(caught.value) == message


def test_visits_that_all_end_are_refused():
    with pytest.raises(SimulationError) as caught:
        Recorded([0, 1], [5, 7])
    assert str(caught.value) == (
        "ends: expected at least one worker who stays, with end inf;"
        " got workers who have all left at 7.0"
    )


# Instant tasks


def test_a_task_may_take_no_time():
    chain = Dag({"a": [], "b": ["a"], "c": ["b"]})
    instant = Times("constant", means=[0, 1, 0])

    for pool in (Workers(1), Recorded([0], [INF])):
        found = simulate_runs(chain, Played("fifo"), pool, instant, seed=1, runs=1)
        assert (found.time.tolist(), found.utilisation.tolist()) == ([1.0], [1.0])
