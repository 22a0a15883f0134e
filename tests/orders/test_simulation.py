"""Orders side by side: what simulate takes, when it stops, what it refuses."""

import math

import numpy as np
import pytest

from icsched import (
    ArgumentError,
    Dag,
    Machine,
    Machines,
    Pool,
    Sorter,
    Times,
    Workers,
    Workflow,
    families,
    prioritize,
    simulate,
)
from icsched.errors import ScheduleError, SimulationError
from icsched.pebble import critical_path_order, level_order, profile
from icsched.sim import Paired, PaperSampling, Played, Simulation
from icsched.sim import sampling as sampling_module
from tests.sim.models import OldestFirst, simulate_runs

FORK = Dag({"lone": [], "a": [], "b": ["a"], "c": ["a"]})
GOOD = [1, 0, 2, 3]
NAMES = ["prio", "fifo", "lifo", "random", "level", "critical-path", "critical-path-steps"]
FEW = Paired(most_runs=60)
SAMPLES = "samples: expected a whole number from 1 to 3,000, got"
MODELS = [Pool(0.5, 2), Pool(1.0, 3, waiting=True, leave=4.0), Workers(2, deadline=1.1)]


def found(dag: Dag = FORK, orders=None, **options) -> Simulation:
    return simulate(dag, orders or {"good": GOOD, "fifo": "fifo"}, **{"sampling": FEW, **options})


def test_tasks_wait_for_cores_on_machines():
    """Two jobs of 2 cores and one of 1, 1 s each: 2 cores take three rounds, 3 cores take two."""
    jobs = Workflow(Dag({"a": [], "b": [], "c": []}), needs={"cores": [2, 2, 1]})

    ends = [
        simulate(jobs, ["fifo"], pool=Machines([machine]), times=Times("constant"), sampling=FEW)
        for machine in (Machine({"cores": 2}), Machine({"cores": 3}))
    ]

    assert [found.orders["fifo"].time.mean for found in ends] == [3, 2]


def test_times_without_means_have_the_run_times_of_the_workflow():
    """One worker runs 100 and 50 seconds, one after the other."""
    workflow = Workflow(Dag({"a": [], "b": []}), [False, False], run_times=[100, 50])
    one = {"pool": Workers(1), "sampling": FEW}

    assert (
        simulate(workflow, "fifo", times=Times("constant"), **one).orders["fifo"].time.mean == 150
    )
    assert (
        simulate(workflow.dag, "fifo", times=Times("constant"), **one).orders["fifo"].time.mean == 2
    )


@pytest.mark.parametrize("pool", MODELS)
def test_means_are_those_of_the_runs(pool):
    result = found(pool=pool, seed=3)

    for name, played in {"good": Played("static", GOOD), "fifo": Played("fifo")}.items():
        runs = simulate_runs(FORK, played, pool, Times(), seed=3, runs=60)
        for metric in ("time", "stall", "utilisation"):
            estimate = getattr(result.orders[name], metric)
            assert estimate.mean == pytest.approx(getattr(runs, metric).mean(), rel=1e-12)
            assert estimate.low <= estimate.mean <= estimate.high


def test_a_ratio_is_that_of_the_means_to_the_precision_of_its_interval():
    result = simulate(FORK, {"good": GOOD, "fifo": "fifo"}, pool=Pool(batch=1), seed=2)

    ratio = result.ratio["good_over_fifo"].time
    quotient = result.orders["good"].time.mean / result.orders["fifo"].time.mean
    assert ratio.low < ratio.median < ratio.high < 1
    assert ratio.median == pytest.approx(quotient, abs=(ratio.high - ratio.low) / 10)


@pytest.mark.parametrize("sampling", [FEW, PaperSampling(10, 6)])
@pytest.mark.parametrize("pool", MODELS)
def test_nothing_depends_on_threads_or_on_how_runs_are_cut(monkeypatch, pool, sampling):
    whole = found(pool=pool, seed=4, sampling=sampling, threads=1)
    for threads, tasks, seconds in [(2, 10**7, 9), (3, 8 * 7, 9), (1, 1, 0)]:
        monkeypatch.setattr(sampling_module, "FIRST_TASKS", tasks)
        monkeypatch.setattr(sampling_module, "SECONDS_AT_ONCE", seconds)
        assert found(pool=pool, seed=4, sampling=sampling, threads=threads) == whole


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("fifo", Played("fifo")),
        ("lifo", Played("lifo")),
        ("random", Played("random")),
        ("level", level_order),
        (
            "critical-path",
            lambda dag: critical_path_order(dag, run_times=np.arange(1.0, len(dag) + 1)),
        ),
    ],
)
def test_an_order_by_name_is_that_order(name, same):
    dag = families.random_layered(30, 5, seed=1)
    means = Times(means=np.arange(1.0, 31.0))
    played = same if isinstance(same, Played) else same(dag).tolist()

    both = simulate(
        dag, {"fifo": name, "same": played}, pool=Pool(2.0, 3), times=means, sampling=FEW
    )

    assert both.orders["fifo"] == both.orders["same"]
    assert both.ratio["same_over_fifo"].time.median == 1.0


def test_every_name_is_taken():
    result = found(orders=NAMES)

    assert list(result.orders) == NAMES
    assert list(result.ratio) == [f"{name}_over_fifo" for name in NAMES if name != "fifo"]


def test_a_plan_a_schedule_an_array_and_a_played_order_are_the_same_order():
    dag = families.airsn(3)
    plan = prioritize(dag, "prio")
    same = {
        "plan": plan,
        "schedule": plan.schedule,
        "array": plan.order,
        "list": plan.order.tolist(),
        "played": Played("static", plan.order),
    }

    result = found(dag, same, baseline="plan")

    assert len(set(map(repr, result.orders.values()))) == 1


@pytest.mark.parametrize("pool", MODELS)
def test_a_server_written_in_python_equals_the_order_it_follows(pool):
    dag = families.mesh(4)

    result = found(dag, {"mine": OldestFirst, "fifo": "fifo"}, pool=pool)

    assert result.orders["mine"] == result.orders["fifo"]


def test_each_sample_of_the_papers_statistics_has_luck_of_its_own():
    result = found(orders={"one": "fifo", "fifo": "fifo"}, sampling=PaperSampling(20, 5))

    assert result.runs == 100
    assert result.orders["one"] != result.orders["fifo"]
    runs = simulate_runs(FORK, Played("fifo"), Pool(), Times(), seed=0, first_run=100, runs=100)
    assert result.orders["fifo"].time.mean == pytest.approx(runs.time.mean())
    samples = sorted(runs.time.reshape(20, 5).mean(axis=1))
    assert result.orders["fifo"].time.low == pytest.approx(samples[0])


def test_it_stops_when_the_half_width_is_reached():
    for half_width in (0.1, 0.01):
        result = found(pool=Pool(batch=1), sampling=Paired(half_width=half_width, most_runs=50_000))
        assert result.precise
        assert result.ratio["good_over_fifo"].time.half_width == result.half_width <= half_width
    assert 500 < result.runs < 50_000


def test_it_says_when_the_half_width_was_not_reached():
    result = found(pool=Pool(batch=1), sampling=Paired(half_width=0.001, most_runs=700))

    assert result.runs == 700
    assert not result.precise
    assert result.half_width > 0.001


def test_more_runs_begin_with_the_same_ones():
    few, more = (
        found(pool=Pool(batch=1), sampling=Paired(half_width=1e-6, most_runs=most))
        for most in (500, 1000)
    )
    runs = simulate_runs(FORK, Played("fifo"), Pool(batch=1), Times(), seed=0, runs=1000)

    assert few.orders["fifo"].time.mean == pytest.approx(runs.time[:500].mean())
    assert more.orders["fifo"].time.mean == pytest.approx(runs.time.mean())


def test_without_the_baseline_there_are_no_ratios_and_times_are_watched():
    result = simulate(FORK, {"good": GOOD}, pool=Pool(batch=1), sampling=Paired(half_width=0.02))

    assert dict(result.ratio) == {}
    assert result.precise
    assert result.orders["good"].time.half_width <= 0.02


def test_there_is_no_ratio_over_an_order_that_never_stalls():
    """One batch takes all four tasks, which do not depend on each other."""
    result = found(
        Dag.from_arcs(4, []),
        pool=Pool(batch=10, batch_law="fixed"),
        orders={"lifo": "lifo", "fifo": "fifo"},
    )

    assert result.ratio["lifo_over_fifo"].stall is None
    assert result.ratio["lifo_over_fifo"].utilisation is not None
    assert result.orders["fifo"].stall.mean == 0.0


@pytest.mark.parametrize("sampling", [Paired(0.005, 3000), PaperSampling(30, 20)])
def test_progress_never_goes_back_and_ends_at_what_was_expected(monkeypatch, sampling):
    monkeypatch.setattr(sampling_module, "FIRST_TASKS", 400)
    told: list[tuple[int, int]] = []

    found(pool=Pool(batch=1), sampling=sampling, progress=lambda *words: told.append(words))

    done = [now for now, _ in told]
    assert done == sorted(done)
    assert len(done) > 5
    assert all(now <= expected for now, expected in told)
    assert told[-1][0] == told[-1][1]
    if isinstance(sampling, PaperSampling):
        assert {expected for _, expected in told} == {2 * 600}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"orders": {"x": "best"}}, "order: expected auto, prio, fifo, lifo, random, level, "),
        ({"orders": {"x": "static"}}, "order: expected auto, prio, fifo, lifo, random, level, "),
        ({"orders": {"x": 7}}, "order 'x': expected a name or an order, got 7"),
        ({"times": Times(means=[1, 2])}, "run_times: expected 4 numbers, got shape"),
        (
            {"times": Times(means=[1, 2, 3, math.nan])},
            "run time of 'c': expected 0 or more, got nan",
        ),
        (
            {"seed": -1},
            "seed: expected a whole number from 0 to 18,446,744,073,709,551,615, got -1",
        ),
        ({"threads": 0}, "threads: expected a whole number from 1 to 1,024, got 0"),
    ],
)
@pytest.mark.parametrize("sampling", [FEW, PaperSampling(2, 2)])
def test_a_bad_argument_is_one_line(options, message, sampling):
    with pytest.raises(ArgumentError) as caught:
        found(**{"sampling": sampling, **options})
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dag": Dag({})}, "dag: expected at least one task"),
        ({"pool": Workers(2, leave=0.01)}, "leave: workers that stay 0.01 on average will never"),
    ],
)
@pytest.mark.parametrize("sampling", [FEW, PaperSampling(2, 2)])
def test_a_run_that_would_not_end_is_one_line(options, message, sampling):
    with pytest.raises(SimulationError) as caught:
        found(**{"sampling": sampling, **options})
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("none", [{}, []])
def test_no_orders_is_one_line(none):
    with pytest.raises(ArgumentError) as caught:
        simulate(FORK, none)
    assert str(caught.value) == "orders: expected at least one"


@pytest.mark.parametrize(
    ("orders", "message"),
    [
        (7, "orders: expected names of orders, or a mapping from names to orders, got 7"),
        ([[1, 0, 2, 3]], "orders: expected names, or a mapping from names, got [1, 0, 2, 3]"),
        (["best"], "order: expected auto, prio, fifo, lifo, "),
    ],
)
def test_orders_without_names_are_one_line(orders, message):
    with pytest.raises(ArgumentError) as caught:
        simulate(FORK, orders)
    assert str(caught.value).startswith(message)


def test_names_and_plans_may_be_listed():
    listed = simulate(FORK, [prioritize(FORK, "prio"), "fifo"], sampling=FEW)

    assert listed.orders == found(orders={"prio": prioritize(FORK, "prio"), "fifo": "fifo"}).orders
    assert list(simulate(FORK, "lifo", sampling=FEW).orders) == ["lifo"]


def test_an_order_is_checked_once(monkeypatch):
    calls = []
    legal = profile._legal
    monkeypatch.setattr(profile, "_legal", lambda *given: calls.append(1) or legal(*given))

    found(orders={"mine": ["a", "lone", "b", "c"], "fifo": "fifo"})

    assert len(calls) == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Paired(half_width=0), "half-width: expected 1e-06 to 1, got 0"),
        (lambda: Paired(half_width=math.nan), "half-width: expected 1e-06 to 1, got nan"),
        (
            lambda: Paired(most_runs=19),
            "runs: expected a whole number from 20 to 10,000,000, got 19",
        ),
        (lambda: PaperSampling(-2, -5), f"{SAMPLES} -2"),
        (lambda: PaperSampling(10**5, 5), f"{SAMPLES} 100000"),
        (lambda: PaperSampling(5, 0), "runs: expected a whole number from 1 to 10,000,000, got 0"),
    ],
)
def test_samplings_that_cannot_be(make, message):
    with pytest.raises(ArgumentError) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 1], "order: expected 4 tasks, got 2"),
        ([2, 1, 0, 3], "step 1 runs 'b' before its parent 'a'"),
    ],
)
def test_an_order_of_another_dag_is_refused(order, message):
    with pytest.raises(ScheduleError) as caught:
        found(orders={"mine": order, "fifo": "fifo"})
    assert str(caught.value) == message


def test_no_interval_of_a_ratio_promises_more_than_a_quarter_of_what_was_asked_for():
    result = found(pool=Pool(batch=1000), sampling=Paired(half_width=0.04, most_runs=500))
    ratio = result.ratio["good_over_fifo"].time

    assert ratio.low <= 0.99 * ratio.median
    assert ratio.high >= 1.01 * ratio.median


def test_few_runs_are_never_precise():
    assert not found(pool=Pool(batch=1000), sampling=Paired(most_runs=20)).precise
    assert found(pool=Pool(batch=1000), sampling=Paired(most_runs=500)).precise


def test_the_paper_asks_for_no_precision():
    assert found(pool=Pool(batch=1), sampling=PaperSampling(40, 1)).precise


def test_without_fifo_the_first_order_is_the_baseline():
    named = {"mine": GOOD, "lifo": "lifo"}
    assert list(simulate(FORK, named, sampling=FEW).ratio) == ["lifo_over_mine"]
    with pytest.raises(ArgumentError) as caught:
        simulate(FORK, named, sampling=FEW, baseline="fife")
    assert str(caught.value) == "baseline: expected mine or lifo, got 'fife'"


@pytest.mark.parametrize(
    ("orders", "given", "problem"),
    [
        (["fifo"], {"pool": 5}, "pool: expected Pool, Workers, Recorded or Machines, got 5"),
        (["fifo"], {"pool": 0}, "pool: expected Pool, Workers, Recorded or Machines, got 0"),
        (["fifo"], {"times": 5}, "times: expected Times, got 5"),
        (["fifo"], {"sampling": 5}, "sampling: expected Paired or PaperSampling, got 5"),
        ({5: "fifo"}, {}, "orders: expected a mapping from names, got the key 5"),
        (
            {"x": Sorter},
            {},
            "order 'x': its server cannot be asked: prepare() must be called first",
        ),
    ],
)
def test_an_argument_of_the_wrong_kind_is_named(orders, given, problem):
    with pytest.raises(ArgumentError) as caught:
        simulate(Dag({"a": [], "b": ["a"]}), orders, **given)

    assert str(caught.value) == problem


def test_a_function_that_makes_no_server_is_named():
    with pytest.raises(ArgumentError) as caught:
        simulate(Dag({"a": []}), {"x": lambda _dag: None})

    expected = "order 'x': expected a function that makes a Server, got one that makes None"
    assert str(caught.value) == expected
