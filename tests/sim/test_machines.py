"""Machines: the kernel against its twin, against `Workers`, and runs by hand."""

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import ArgumentError, Dag, families
from icsched.arrays import Floats
from icsched.errors import PoolError, SimulationError
from icsched.sim import Experiment, HTCondor, Machine, Machines, Played, Runs, Times, Trace, Workers
from icsched.sim.machines import demands, machine_in
from tests.sim.machines_twin import machines_run
from tests.sim.models import (
    OldestFirst,
    assert_same,
    machines,
    on_machines,
    runs,
    seeds,
    times,
    ways_to_play,
)
from tests.strategies import dags_with_orders

CONSTANT = Times("constant")
Needs = Mapping[str, Floats]


@st.composite
def needs_of(draw: st.DrawFn, tasks: int) -> Needs:
    """Needs that fit on the largest machine of all; some are unknown."""
    amount = {
        "cores": st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, 3.5, math.nan]),
        "memory_bytes": st.sampled_from([0.0, 1.0, 3.0, 4.0, 7.0, math.nan]),
        "gpus": st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    }
    named = draw(st.lists(st.sampled_from(sorted(amount)), unique=True))
    column = {
        name: st.lists(amount[name], min_size=tasks, max_size=tasks).map(np.array) for name in named
    }
    return {name: draw(column[name]) for name in named}


LARGEST = Machine({"cores": 8.0, "memory_bytes": 10.0, "gpus": 2.0})


@settings(max_examples=300)
@given(st.data())
def test_the_kernel_plays_machines_as_the_plain_engine_does(data):
    dag, order = data.draw(dags_with_orders())
    if not len(dag):
        return
    given_pool = data.draw(machines())
    pool = Machines(
        data.draw(st.permutations([LARGEST, *given_pool.machines])),
        given_pool.max_jobs,
        given_pool.max_idle,
        leave=given_pool.leave,
        overhead=given_pool.overhead,
        delay=given_pool.delay,
    )
    law, needs = data.draw(times(len(dag))), data.draw(needs_of(len(dag)))
    played = data.draw(st.sampled_from([*ways_to_play(dag), Played("static", order)]))
    draws = {"seed": data.draw(seeds), "run": data.draw(runs)}
    experiment = on_machines(dag, pool, law, needs)
    held = demands(needs, len(dag), pool)

    expected = machines_run(dag, played, pool, law, held, **draws)
    assert_same(experiment.trace(played, **draws), expected)
    alone = experiment.runs(played, seed=draws["seed"], first_run=draws["run"], runs=1)
    for name in ("time", "batches", "stalls", "requests", "work", "presence"):
        assert np.array_equal(getattr(alone, name), getattr(expected.result, name))


@pytest.mark.parametrize("by", ["static", "fifo", "lifo", "random", "priority"])
@pytest.mark.parametrize("limits", [(None, None), (40, 7)])
def test_the_kernel_plays_many_machines_and_needs_as_the_plain_engine_does(by, limits):
    rng = np.random.default_rng(7)
    dag = families.airsn(40)
    played = next(played for played in ways_to_play(dag) if played.by == by)
    needs = {
        "cores": rng.integers(1, 5, len(dag)) / 2,
        "memory_bytes": rng.integers(1, 60, len(dag)).astype(float),
    }
    kinds = [Machine({"cores": c, "memory_bytes": m}) for c, m in ((2, 90), (3, 60), (4, 80))]
    pool = Machines([*kinds, *kinds, *kinds], *limits, leave=20.0, delay=0.25)
    law = Times("lognormal", 0.3) if by != "static" else CONSTANT

    expected = machines_run(dag, played, pool, law, demands(needs, len(dag), pool), seed=1, run=3)
    assert len(np.unique(expected.assignments.request)) == 9
    found = on_machines(dag, pool, law, needs).trace(played, seed=1, run=3)
    assert_same(found, expected)


@settings(max_examples=200)
@given(st.data())
def test_one_core_each_gives_the_bits_of_workers(data):
    dag, _ = data.draw(dags_with_orders())
    if not len(dag):
        return
    count = data.draw(st.integers(1, 5))
    leave = data.draw(st.sampled_from([math.inf, 1.0, 3.0]))
    delay, overhead = (data.draw(st.sampled_from([0.0, 0.1, 1.0])) for _ in range(2))
    terms = {"leave": leave, "delay": delay, "overhead": overhead}
    law = data.draw(times(len(dag)))
    played = data.draw(st.sampled_from(ways_to_play(dag)))
    draws = {"seed": data.draw(seeds), "run": data.draw(runs)}

    expected = Experiment(dag, Workers(count, **terms), law).trace(played, **draws)
    for machine in (Machine({"cores": 1}, count), Machine({"cores": count})):
        found = Experiment(dag, Machines([machine], **terms), law).trace(played, **draws)
        for part in ("batches", "result"):
            for field in (theirs := getattr(expected, part)).__dataclass_fields__:
                ours = getattr(getattr(found, part), field)
                assert np.array_equal(ours, getattr(theirs, field)), (part, field)
        for field in ("time", "task", "end", "ending"):
            ours, theirs = (getattr(each.assignments, field) for each in (found, expected))
            assert np.array_equal(ours, theirs), field


FOUR = Dag.from_arcs(4, [])
BY_ID = Played("static", order=[0, 1, 2, 3])


def starts(found: Trace) -> dict[int, tuple[float, int]]:
    """When each task starts, and on which machine."""
    given = found.assignments
    columns = given.task.tolist(), given.time.tolist(), given.request.tolist()
    return {task: (time, machine) for task, time, machine in zip(*columns, strict=True)}


def test_a_task_that_does_not_fit_is_passed_over():
    # cores   0  1  2  3     task 0 holds 3 cores for 2, task 1 holds 2 cores for 1,
    # 0..1    0  0  0  2     tasks 2 and 3 hold 1 core for 1
    # 1..2    0  0  0  3
    # 2..3    1  1
    law = Times("constant", means=[2.0, 1.0, 1.0, 1.0])
    needs = {"cores": np.array([3.0, 2.0, 1.0, 1.0])}
    experiment = on_machines(FOUR, Machines([machine_in("4")]), law, needs)
    found = experiment.trace(BY_ID, seed=1, run=0)

    assert starts(found) == {0: (0.0, 0), 2: (0.0, 0), 3: (1.0, 0), 1: (2.0, 0)}
    assert found.assignments.task.tolist() == [0, 2, 3, 1]
    result = found.result
    assert result.time.tolist() == [3.0]
    # Four cores ask at 0, one at 1, and task 1 takes two of those that ask at 2.
    assert (result.requests.tolist(), result.batches.tolist()) == ([7], [7])
    assert result.stalls.tolist() == [0]
    assert result.work.tolist() == [3 * 2 + 2 + 1 + 1]
    assert result.presence.tolist() == [12.0]
    assert found.batches.size.tolist() == [4, 1, 4]
    assert found.batches.eligible.tolist() == [4, 2, 1]


def test_cores_that_get_nothing_stall_even_if_tasks_wait():
    # Task 0 holds 3 of 4 cores until 2. The others hold 2: one core is of no use until then.
    law = Times("constant", means=[2.0, 1.0, 1.0, 1.0])
    needs = {"cores": np.array([3.0, 2.0, 2.0, 2.0])}
    experiment = on_machines(FOUR, Machines([machine_in("4")]), law, needs)
    found = experiment.trace(BY_ID, seed=1, run=0)

    assert starts(found) == {0: (0.0, 0), 1: (2.0, 0), 2: (2.0, 0), 3: (3.0, 0)}
    assert (found.result.stalls.tolist(), found.result.requests.tolist()) == ([1], [4 + 3 + 2])


def test_a_task_takes_the_machine_with_the_least_cores_that_are_enough():
    pool = Machines([machine_in("4"), machine_in("2x2")])
    needs = {"cores": np.array([1.0, 1.0, 1.0, 3.0])}
    found = on_machines(FOUR, pool, CONSTANT, needs).trace(BY_ID, seed=1, run=0)

    assert starts(found) == {0: (0.0, 1), 1: (0.0, 1), 2: (0.0, 2), 3: (0.0, 0)}


def test_memory_decides_where_cores_do_not():
    pool = Machines(
        [machine_in("1x1K"), machine_in("2x3K"), Machine({"cores": 4, "memory_bytes": 0})]
    )
    needs = {"memory_bytes": np.array([1024.0, 2048.0, 2048.0, np.nan])}
    found = on_machines(FOUR, pool, CONSTANT, needs).trace(BY_ID, seed=1, run=0)

    assert starts(found) == {0: (0.0, 0), 1: (0.0, 1), 3: (0.0, 1), 2: (1.0, 1)}


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, {0: 0.0, 2: 0.0, 3: 1.0, 1: 1.0}),
        ({"max_idle": 1}, {0: 0.0, 1: 1.0, 2: 1.0, 3: 2.0}),  # task 1 keeps task 2 out at 0
        ({"max_jobs": 1}, {0: 0.0, 1: 1.0, 2: 2.0, 3: 3.0}),
        ({"max_jobs": 2}, {0: 0.0, 1: 1.0, 2: 1.0, 3: 2.0}),
    ],
)
def test_what_may_be_in_the_queue(limits, expected):
    needs = {"cores": np.array([8.0, 8.0, 1.0, 1.0])}
    pool = Machines([machine_in("9")], **limits)
    found = on_machines(FOUR, pool, CONSTANT, needs).trace(BY_ID, seed=1, run=0)

    assert {task: time for task, (time, _) in starts(found).items()} == expected


@given(seeds, st.integers(1, 4), st.sampled_from(["static", "fifo", "random"]))
def test_tasks_that_hold_twice_as_much_never_end_earlier_if_they_are_independent(seed, held, by):
    # Only then: with dependencies, a list may end later on more machines (Graham 1966).
    dag = Dag.from_arcs(12, [])
    played = Played(by, order=dag.fifo_order)
    pool = Machines([machine_in("8")])
    once, twice = (
        on_machines(dag, pool, Times(), {"cores": np.full(12, float(cores))})
        .runs(played, seed=seed, runs=20, threads=1)
        .time
        for cores in (held, 2 * held)
    )

    assert (once <= twice).all()
    assert (once < twice).any()  # 12 tasks of one core or more fill 8 cores


def test_tasks_that_hold_twice_as_much_end_later_on_average():
    dag = families.airsn(20)
    held = np.random.default_rng(3).integers(1, 5, len(dag)).astype(float)
    once, twice = (
        on_machines(dag, Machines([machine_in("2x8")]), Times(), {"cores": cores})
        .runs(Played("fifo"), seed=1, runs=100)
        .time
        for cores in (held, 2 * held)
    )
    later = twice - once

    assert later.mean() > 1.96 * later.std(ddof=1) / math.sqrt(len(later))


def test_the_numbers_of_runs_and_threads_change_nothing():
    dag = families.airsn(10)
    needs = {"cores": np.arange(len(dag)) % 3 + 1.0}
    pool = Machines([machine_in("3x4")], max_idle=9, leave=30.0)
    experiment = on_machines(dag, pool, Times(), needs)
    found = experiment.runs(Played("lifo"), seed=5, runs=6, threads=3)
    alone = [experiment.runs(Played("lifo"), seed=5, first_run=run, runs=1) for run in range(6)]

    assert found.time.tolist() == Runs.joined(alone).time.tolist()


def test_what_cannot_be_simulated_is_refused():
    pool = Machines([machine_in("4x2"), machine_in("4")])
    needs = {"cores": np.array([1.0, 5.0])}
    with pytest.raises(PoolError) as caught:
        on_machines(Dag({"a": [], "big": ["a"]}), pool, CONSTANT, needs)
    assert str(caught.value) == ("machines: none is large enough for 'big', which needs 5 cores")

    with pytest.raises(PoolError, match="leave: "):
        Experiment(Dag({"a": []}), Machines([machine_in("4")], leave=1e-3), CONSTANT)

    with pytest.raises(SimulationError) as refused:
        Experiment(FOUR, pool, CONSTANT).trace(OldestFirst, seed=1, run=0)
    assert str(refused.value) == "server: cannot be played on Machines, because it knows no needs"

    with pytest.raises(ArgumentError, match="'count'"):
        Machine({"cores": 1, "count": 2})


MIB = 2**20


def held_memory(needed, has, htcondor=None):
    pool = Machines([Machine({"cores": 8, "memory_bytes": has * MIB})], htcondor=htcondor)
    needs = {"memory_bytes": np.array([needed * MIB], float)}
    return demands(needs, 1, pool).amounts[0, 1] / MIB


def test_htcondor_rounds_memory_up_unless_the_task_then_fits_on_no_machine():
    assert held_memory(1000, has=1000) == 1000  # no multiple of 128
    assert held_memory(1000, has=1024, htcondor=HTCondor()) == 1024
    assert held_memory(1000, has=1000, htcondor=HTCondor()) == 1000

    with pytest.raises(PoolError, match=r"for a task, which needs 1 cores, 1,001 MiB of memory$"):
        held_memory(1001, has=1000, htcondor=HTCondor())


def test_a_machine_of_unknown_memory_takes_tasks_that_need_memory_but_none_that_need_gpus():
    pool = Machines([machine_in("8"), Machine({"cores": 1, "memory_bytes": MIB, "gpus": 1})])

    demands({"memory_bytes": np.array([2.0**40])}, 1, pool)  # on the first
    with pytest.raises(PoolError, match="1 gpus, 1,048,576 MiB of memory"):
        demands({"memory_bytes": np.array([2.0**40]), "gpus": np.array([1.0])}, 1, pool)


def test_a_machine_of_more_cores_than_the_kernel_can_add_up_is_refused():
    with pytest.raises(ArgumentError, match=r"^cores: expected 0.001 to 1,000,000, got 1000001"):
        Machine({"cores": 1_000_001})


@pytest.mark.parametrize("words", ["0x8", "1000001x8"])
def test_a_number_of_machines_out_of_range_is_named_as_the_user_wrote_it(words):
    with pytest.raises(ArgumentError, match=f"^machines: expected 1 to .* got '{words}'$"):
        machine_in(words)
