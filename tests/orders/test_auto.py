"""The order "auto": legal, deterministic, never a loss, and with true proofs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import ArgumentError, Dag, Pool, Workers, families, pebble, prioritize
from icsched.errors import SimulationError
from icsched.orders import Aim
from icsched.orders.auto import challenged
from icsched.sim import Played, Recorded, Times
from tests.sim.models import simulate_runs
from tests.strategies import dags, different_dags

QUICK = 0.001  # a budget


def auto(dag, **options):
    return prioritize(dag, "auto", **{"budget": QUICK, **options})


@pytest.mark.parametrize("tasks", [2, 3, 4, 5])
def test_on_every_small_dag_the_order_is_legal_and_its_proof_true(tasks):
    """If the proof says IC-optimal, the exact referee agrees."""
    for dag in different_dags(tasks):
        plan = auto(dag)

        pebble.check_order(dag, plan.order)
        if plan.proof.is_ic_optimal:
            assert pebble.verify(dag, plan.order).ic_optimal


@settings(max_examples=30)
@given(dags(most_tasks=8), st.integers(0, 2**32), st.sampled_from([Workers(2), Pool(0.5, 4)]))
def test_the_same_inputs_and_seed_give_the_same_choice(dag, seed, pool):
    times = np.random.default_rng(seed).lognormal(0, 1, len(dag))

    first, second = (auto(dag, run_times=times, pool=pool, seed=seed) for _ in range(2))

    assert first.order.tolist() == second.order.tolist()
    assert (first.choice is None) == (len(dag) == 0)
    if first.choice is not None:
        assert first.choice.to_dict() == second.choice.to_dict()


def test_the_choice_is_not_slower_than_fifo_on_pools_of_small_dags():
    """By 1% or less, beyond three standard errors of fresh runs; all 31 dags of 4 tasks."""
    rng = np.random.default_rng(3)
    for dag in different_dags(4):
        means = rng.lognormal(0, 1, 4)
        for pool in (Workers(2), Pool(interval=0.5, batch=4), Workers(2, leave=8.0)):
            plan = auto(dag, run_times=means, pool=pool, budget=0.02)
            order = Played("static", plan.order)
            if plan.choice.chosen == "fifo":
                order = Played("fifo")
            behind, error = lag(dag, order, pool, means)
            assert behind - 3 * error <= math.log(1.01)


def lag(dag, order, pool, means, runs=2000):
    times = Times("lognormal", 0.3, means)
    mine, fifo = (
        np.log(simulate_runs(dag, one, pool, times, seed=4, runs=runs).time)
        for one in (order, Played("fifo"))
    )
    return float((mine - fifo).mean()), float((mine - fifo).std(ddof=1)) / math.sqrt(runs)


def test_the_longest_task_goes_first_if_its_time_is_known():
    """Two workers, tasks of 1, 1, ..., 1 and 8: fifo starts the long one last."""
    dag = Dag.from_arcs(9, [])
    times = np.array([1.0] * 8 + [8.0])

    plan = auto(dag, run_times=times, pool=Workers(2), budget=0.05)

    assert plan.order[0] == 8
    assert plan.choice.is_worth_it
    assert plan.choice.ratio.high < 0.8  # 8 against 12 with constant times


def test_the_users_own_order_is_kept_if_nothing_is_better():
    """The priorities in the file already start the long job."""
    dag = Dag.from_arcs(9, [])
    times = np.array([1.0] * 8 + [8.0])
    given_now = np.array([0] * 8 + [5], np.int32)
    made = prioritize_for(dag, times, Aim(Workers(2), given_now, 0.05))

    assert made.choice.present == "present"
    assert not made.choice.is_worth_it


def prioritize_for(dag, times, aim):
    from icsched.orders.auto import auto_order

    return auto_order(dag, times, aim)


def test_priorities_that_are_all_equal_count_as_none():
    made = prioritize_for(Dag.from_arcs(3, []), None, Aim(None, np.zeros(3, np.int32), QUICK))

    assert made.choice.present == "fifo"


def test_equal_priorities_in_the_file_are_played_by_when_tasks_become_ready():
    """Sources of priority 1 and all else 0: first come, first served makes the same runs.

    The sources are ready at time 0, so they go first there too. Children follow as they are freed.
    """
    dag = families.random_layered(40, 8, seed=3)
    times = np.random.default_rng(2).lognormal(0, 1, len(dag))
    is_source = (np.diff(dag.parent_rows.offsets) == 0).astype(np.int32)
    order = prioritize(dag, "critical-path", run_times=times).order

    by_priority, by_fifo = (
        challenged(dag, order, times, Aim(Workers(3), given_now, 0.01))
        for given_now in (is_source, None)
    )

    assert (by_priority.present, by_fifo.present) == ("present", "fifo")
    assert by_priority.ratio == by_fifo.ratio


def test_without_arcs_and_times_nothing_is_gained():
    plan = auto(Dag.from_arcs(50, []), budget=0.05)

    assert not plan.choice.is_worth_it
    assert sorted(plan.order.tolist()) == list(range(50))


def test_without_tasks_there_is_nothing_to_choose():
    plan = auto(Dag.from_arcs(0, []), pool=Workers(1))

    assert plan.choice is None
    assert plan.order.tolist() == []
    assert plan.proof.is_ic_optimal


def test_no_order_of_one_task_is_worth_it():
    plan = auto(Dag.from_arcs(1, []), pool=Workers(1))

    assert (plan.choice.ratio.mean, plan.choice.is_worth_it) == (1, False)
    assert plan.order.tolist() == [0]
    assert plan.proof.is_ic_optimal


def test_run_times_of_zero_for_all_tasks_count_as_unknown():
    dag = families.airsn(6)

    plan = auto(dag, run_times=np.zeros(len(dag)))

    assert not plan.choice.is_timed
    assert plan.order.tolist() == auto(dag).order.tolist()


def test_run_times_of_zero_for_some_tasks_are_used():
    dag = families.airsn(6)
    times = np.zeros(len(dag))
    times[0] = 1.0

    assert auto(dag, run_times=times).choice.is_timed


def test_a_pool_that_never_serves_is_one_clear_line():
    with pytest.raises(SimulationError, match="will never finish") as error:
        auto(families.airsn(6), pool=Workers(3, leave=0.01))
    assert "\n" not in str(error.value)
    with pytest.raises(SimulationError, match="workers who have all left"):
        Recorded([0], [5])


def test_the_choice_says_what_it_was_made_for():
    plan = auto(families.airsn(6), pool=Workers(3), seed=5)

    assert plan.choice.is_own_pool
    assert [pool["kind"] for pool in plan.choice.pools] == ["workers"]
    assert plan.choice.seed == 5
    assert plan.choice.runs > 0
    assert plan.choice.chosen in {*plan.choice.ratios}
    assert auto(families.airsn(6)).choice.is_own_pool is False


def test_a_budget_below_the_fewest_runs_is_told():
    """A run by workers has 30,000 tasks and 30,000 requests: 0.005 s of simulation."""
    dag = Dag.from_arcs(30_000, [])
    times = np.random.default_rng(1).lognormal(0.0, 2.0, len(dag))

    small, enough = (auto(dag, run_times=times, budget=b).choice for b in (0.001, 0.1))

    assert small.exceeds_budget
    assert len(small.pools) == 1
    assert small.budget_used == small.runs * 60_000 / 12_000_000
    assert not enough.exceeds_budget
    assert len(enough.pools) > 1


@pytest.mark.parametrize(
    "bad",
    [
        {"budget": 0},
        {"budget": -1.0},
        {"budget": math.nan},
        {"budget": math.inf},
        {"budget": "1"},
        {"budget": 86_401},
        {"seed": -1},
        {"seed": 2**64},
        {"seed": 1.5},
    ],
)
def test_impossible_aims_are_refused(bad):
    with pytest.raises(ArgumentError, match=next(iter(bad))):
        Aim(**bad)
    with pytest.raises(ArgumentError, match=next(iter(bad))):
        prioritize(families.airsn(6), "auto", **bad)


@pytest.mark.parametrize("pool", [8, "8", {"kind": "workers"}, Workers])
def test_what_is_no_pool_is_refused(pool):
    with pytest.raises(ArgumentError, match="expected a Pool, Workers, Recorded or Machines, got"):
        prioritize(families.airsn(6), pool=pool)


@pytest.mark.parametrize(
    ("order", "name"), [("prio", "prio"), ("fifo", "fifo"), (["a"], "of your own")]
)
def test_a_pool_without_a_use_is_refused(order, name):
    with pytest.raises(ArgumentError, match=f"^pool cannot be used with order {name}: nothing"):
        prioritize({"a": []}, order, pool=Workers(8))


@pytest.mark.parametrize("option", [{"budget": 1.0}, {"seed": 0}])
@pytest.mark.parametrize(
    ("order", "name"), [("prio", "prio"), ("fifo", "fifo"), (["a"], "of your own")]
)
def test_a_budget_or_seed_without_a_use_is_refused(option, order, name):
    refusal = f"{next(iter(option))} cannot be used with order {name}: nothing"
    with pytest.raises(ArgumentError, match=refusal):
        prioritize({"a": []}, order, **option)
