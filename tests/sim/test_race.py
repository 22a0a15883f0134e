"""A race between orders: who wins, what it costs, and whether its interval is true."""

import math
from dataclasses import replace

import numpy as np
import pytest

from icsched import Dag, Pool, Workers, families, prioritize
from icsched.errors import SimulationError
from icsched.pebble import critical_path_order, fifo_order, lifo_order, random_order
from icsched.sim import Played, Recorded, Times
from icsched.sim.race import FIRST_RUNS, MOST_RUNS, WORK_A_SECOND, affordable, run_race
from tests.sim.models import simulate_runs
from tests.strategies import different_dags

FORK = Dag({"lone": [], "a": [], "b": ["a"], "c": ["b"]})
FIRST_PATH = Played("static", ["a", "b", "lone", "c"])
FIFO = Played("fifo")
TWO = [Workers(2)]
SLOW_LONE = Dag({"x": [], "y": [], "long": []})  # two workers: the long one must come first
FLAT = Dag.from_arcs(10, [])
LONG_FIRST = Played("static", ["long", "x", "y"])
LONG_TIMES = Times("lognormal", 0.3, {"x": 1, "y": 1, "long": 2})


def played(order) -> Played:
    return Played("static", order)


def long_first(seed: int, *, budget: float = 0.01):
    orders = {"long first": LONG_FIRST, "fifo": FIFO}
    return run_race(SLOW_LONE, orders, "fifo", TWO, LONG_TIMES, budget=budget, seed=seed)


def test_the_same_seed_gives_the_same_race_and_another_seed_another():
    assert long_first(1).to_dict() == long_first(1).to_dict()
    assert long_first(1).checked != long_first(2).checked


def test_the_order_that_ends_earlier_wins():
    """Constant times: [long | x y] ends at 2, [x long | y] at 3."""
    times = replace(LONG_TIMES, law="constant")
    orders = {"long first": LONG_FIRST, "fifo": FIFO}

    raced = run_race(SLOW_LONE, orders, "fifo", TWO, times, budget=0.01, seed=1)

    assert raced.winner == "long first"
    assert raced.checked.to_dict() == pytest.approx({"mean": 2 / 3, "low": 2 / 3, "high": 2 / 3})


def test_the_present_order_wins_if_it_is_the_best_and_its_ratio_is_1():
    orders = {"short first": played(["x", "y", "long"]), "present": LONG_FIRST}

    raced = run_race(SLOW_LONE, orders, "present", TWO, LONG_TIMES, budget=0.01, seed=1)

    assert raced.winner == "present"
    assert raced.checked.to_dict() == {"mean": 1, "low": 1, "high": 1}
    assert raced.ratios["short first"] > 1.1


def test_of_orders_that_are_alike_the_first_wins():
    """x and y take the same time, so both orders end every run at the same moment."""
    other = played(["long", "y", "x"])
    times = replace(LONG_TIMES, law="constant")
    orders = {"one": LONG_FIRST, "other": other, "fifo": FIFO}

    raced = run_race(SLOW_LONE, orders, "fifo", TWO, times, budget=0.01, seed=1)

    assert raced.winner == "one"


def test_an_order_that_is_best_on_average_does_not_win_if_it_is_slower_on_a_pool():
    """Two workers who stay: 2 against 3. If the first leaves at 1.5, he loses the long task.

    Then the other worker, who came at 0.25, runs x, y and the long task, until 4.25. In the present
    order x and y run side by side, the first worker loses the long task at 1.5, and the other one
    ends it at 3.5.
    """
    times = replace(LONG_TIMES, law="constant")
    orders = {"long first": LONG_FIRST, "present": played(["x", "y", "long"])}
    pools = [*TWO, Recorded([0, 0.25], [1.5, math.inf])]
    ratios = [ratio(SLOW_LONE, orders, pool, times) for pool in pools]
    assert ratios[0] == pytest.approx(2 / 3)
    assert ratios[1] == pytest.approx(4.25 / 3.5)
    assert math.prod(ratios) < 1

    raced = run_race(SLOW_LONE, orders, "present", pools, times, budget=0.01, seed=1)

    assert raced.winner == "present"


def ratio(dag, orders, pool, times, *, runs=2, seed=77):
    first, second = (
        simulate_runs(dag, order, pool, times, seed=seed, runs=runs).time
        for order in orders.values()
    )
    return math.exp(float(np.mean(np.log(first) - np.log(second))))


def test_an_order_that_is_clearly_worse_is_dropped_after_the_first_rounds():
    """Two good orders that differ by chance alone race on; the bad one costs little more."""
    good = {"long first": LONG_FIRST, "other": played(["long", "y", "x"]), "fifo": FIFO}
    bad = {"bad": played(["y", "x", "long"])}
    terms = {"budget": 100.0, "seed": 1}

    without = run_race(SLOW_LONE, good, "fifo", TWO, LONG_TIMES, **terms)
    within = run_race(SLOW_LONE, {**bad, **good}, "fifo", TWO, LONG_TIMES, **terms)

    assert without.runs > 3 * MOST_RUNS
    assert 0 < within.runs - without.runs <= 8 * FIRST_RUNS


def test_the_interval_has_the_true_ratio_in_about_95_of_100_races():
    """400 races; 91.7% to 98.3% is three standard errors around 95%."""
    orders = {"long first": LONG_FIRST, "fifo": FIFO}
    truth = ratio(SLOW_LONE, orders, TWO[0], LONG_TIMES, runs=400_000)

    raced = [long_first(seed, budget=0.001) for seed in range(400)]

    assert all(one.winner == "long first" for one in raced)
    held = np.mean([one.checked.low <= truth <= one.checked.high for one in raced])
    assert 0.917 <= held <= 0.983


def test_the_intervals_of_the_race_have_the_true_ratios_in_about_95_of_100_races():
    """400 races of two orders, which leave the race when they look slow or win; as above."""
    dag, pool, times = families.random_layered(20, 5, seed=1), Workers(3), Times("lognormal", 0.3)
    orders = {"path": played(critical_path_order(dag)), "lifo": played(lifo_order(dag))}
    racing = {**orders, "fifo": FIFO}
    truth = {
        name: ratio(dag, {name: order, "fifo": FIFO}, pool, times, runs=400_000)
        for name, order in orders.items()
    }

    raced = [
        run_race(dag, racing, "fifo", [pool], times, budget=0.002, seed=seed) for seed in range(400)
    ]

    for name in orders:
        found = [one.intervals[name] for one in raced]
        held = np.mean([one.low <= truth[name] <= one.high for one in found])
        assert 0.917 <= held <= 0.983, (name, held)
    assert all(one.intervals.keys() == orders.keys() for one in raced)


def test_one_run_of_an_order_has_no_interval():
    dag = Dag.from_arcs(2000, [])
    orders = {"lifo": played(lifo_order(dag)), "fifo": FIFO}

    raced = run_race(dag, orders, "fifo", TWO, Times(), budget=0.001, seed=1)

    assert raced.intervals == {}
    assert raced.ratios.keys() == orders.keys()


def test_the_check_does_not_select_the_gain_that_it_reports():
    """Equal tasks: every order takes the same time in truth, so the mean gain is 0.

    If the check refused every order that looks slower, the mean would be 1.5% below 0.
    """
    dag = Dag.from_arcs(60, [])
    orders = {str(seed): played(random_order(dag, seed=seed)) for seed in range(5)}
    terms = [Workers(4), Workers(8), Workers(15), Workers(30)], Times("lognormal", 0.3)

    raced = [
        run_race(dag, {**orders, "fifo": FIFO}, "fifo", *terms, budget=0.0015, seed=seed)
        for seed in range(300)
    ]

    gains = [math.log(one.checked.mean) for one in raced if one.winner != "fifo"]
    assert len(gains) > 150
    assert abs(np.mean(gains)) <= 3 * np.std(gains, ddof=1) / math.sqrt(len(gains))


def test_a_few_unlucky_runs_do_not_end_a_race():
    """prio saves 3.7% in truth, and 8 runs of it look slower in 3 races of 100.

    A race that ended after these runs denied the gain. Here the present order never wins.
    """
    dag, pool = families.random_linear_composition(4, seed=64232), Pool(interval=0.3, batch=1)
    orders = {"prio": played(prioritize(dag, "prio").order), "fifo": FIFO}
    truth = ratio(dag, orders, pool, Times(), runs=40_000)

    raced = [run_race(dag, orders, "fifo", [pool], Times(), budget=0.1, seed=s) for s in range(100)]

    assert 0.95 < truth < 0.975
    assert {one.winner for one in raced} == {"prio"}


def test_the_error_of_too_many_batches_names_no_option_of_the_command_line():
    pools, orders = [Pool(interval=1e-7, batch=1)], {"path": FIRST_PATH, "fifo": FIFO}

    with pytest.raises(SimulationError, match=r"give a longer interval, or the name"):
        run_race(FORK, orders, "fifo", pools, Times(), budget=0.001, seed=1)


@pytest.mark.parametrize("tasks", [3, 4])
def test_on_every_small_dag_the_winner_is_not_slower_than_the_present_order(tasks):
    """By 1% or less, beyond three standard errors of fresh runs."""
    rng = np.random.default_rng(5)
    for dag in different_dags(tasks):
        means = rng.lognormal(0.0, 1.0, tasks)
        times = Times("lognormal", 0.3, means)
        orders = {
            "lifo": played(lifo_order(dag)),
            "random": played(random_order(dag, seed=1)),
            "path": played(critical_path_order(dag, run_times=means)),
            "present": played(fifo_order(dag)),
        }
        pools = [Workers(2), Pool(interval=1.0, batch=2)]
        winner = run_race(dag, orders, "present", pools, times, budget=0.02, seed=1).winner
        for pool in pools:
            assert_not_slower(dag, orders[winner], orders["present"], pool, times)


def assert_not_slower(dag, order, present, pool, times, *, runs=2000):
    mine, theirs = (
        np.log(simulate_runs(dag, one, pool, times, seed=9, runs=runs).time)
        for one in (order, present)
    )
    behind = mine - theirs
    error = float(behind.std(ddof=1)) / math.sqrt(runs)
    assert float(behind.mean()) - 3 * error <= math.log(1.01)


@pytest.mark.parametrize("budget", [0.005, 0.02, 0.1])
def test_the_budget_bounds_the_work_also_where_most_requests_find_nothing(budget):
    """On the second pool 1,000 batches come in the time of a task."""
    dag = families.airsn(20)
    orders = {"path": played(critical_path_order(dag)), "fifo": FIFO}
    for pool in (Workers(4), Pool(interval=0.001, batch=1)):
        times = Times("lognormal", 0.3)
        raced = run_race(dag, orders, "fifo", [pool], times, budget=budget, seed=1)
        one = simulate_runs(dag, FIFO, pool, times, seed=1, runs=16)
        work = raced.runs * (len(dag) + float(one.batches.mean()))
        least = 16 * (len(dag) + float(one.batches.mean()))
        assert work <= max(1.3 * budget * WORK_A_SECOND, least)


def test_the_fewest_runs_are_one_of_each_order_and_four_of_the_check():
    """A run of 3 tasks by 2 workers counts 3 tasks and 3 requests."""
    dag = Dag.from_arcs(3000, [])  # as SLOW_LONE, 1,000 times side by side
    times = Times("lognormal", 0.3, [1.0, 1.0, 1000.0] * 1000)
    long_first = played(np.argsort(-np.array(times.means), kind="stable"))
    orders = {"long first": long_first, "fifo": FIFO, "other": FIFO, "last": FIFO}
    fewest = 12 * 6000

    raced = run_race(dag, orders, "fifo", [Workers(500)], times, budget=0.001, seed=1)

    assert raced.winner == "long first"
    assert raced.runs == 12
    assert raced.seconds == fewest / WORK_A_SECOND


@pytest.mark.parametrize(("budget", "pools"), [(0.001, 1), (0.006, 1), (0.012, 2), (1, 3)])
def test_a_small_budget_is_spent_on_the_first_pools(budget, pools):
    """12 runs of 3,000 tasks and 3,000 requests are 0.006 s, on three pools 0.018 s."""
    dag = Dag.from_arcs(3000, [])
    usual = [Workers(2), Workers(3), Workers(4)]

    assert affordable(dag, usual, Times(), orders=4, budget=budget) == usual[:pools]


def test_frequent_batches_count_when_pools_are_chosen():
    """The longest path takes 1, so 1,000,000 batches come: 12 runs are a second of simulation."""
    pools = [Workers(2), Pool(interval=1e-6, batch=1)]

    for budget, count in ((0.9, 1), (1.1, 2)):
        assert len(affordable(FLAT, pools, Times(), orders=4, budget=budget)) == count


def test_more_budget_makes_more_runs_up_to_a_limit():
    runs = [long_first(1, budget=budget).runs for budget in (0.001, 0.002, 1.0, 100.0)]

    assert runs == sorted(runs)
    assert runs[0] < runs[1]
    assert runs[-1] <= 2 * (MOST_RUNS + FIRST_RUNS)


def test_a_pool_on_which_no_task_ever_ends_is_named_in_one_line():
    pools = [Workers(2, leave=0.001)]
    with pytest.raises(SimulationError, match="will never finish 'lone'") as error:
        run_race(FORK, {"a": FIRST_PATH, "fifo": FIFO}, "fifo", pools, Times(), budget=0.01, seed=1)
    assert "\n" not in str(error.value)


def test_a_race_of_the_present_order_alone_ends():
    raced = run_race(FORK, {"fifo": FIFO}, "fifo", TWO, Times(), budget=0.01, seed=1)

    assert (raced.winner, dict(raced.ratios)) == ("fifo", {"fifo": 1.0})


def test_a_pool_that_is_too_dear_is_refused_with_what_auto_can_take():
    """The limits of one simulation are wider, and their message has no advice for auto."""
    race = {"fifo": FIFO, "path": FIRST_PATH}

    with pytest.raises(SimulationError, match="give a longer interval, or the name of an order"):
        run_race(FORK, race, "fifo", [Pool(1e-11, 1)], Times(), budget=1, seed=0)
