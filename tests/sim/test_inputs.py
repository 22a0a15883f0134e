"""Bad inputs: one clear line each. And an interrupt ends a long simulation."""

import math
import subprocess
import sys

import numpy as np
import pytest

import icsched
from icsched import Dag
from icsched.errors import ArgumentError, ScheduleError, SimulationError
from icsched.sim import Experiment, Played, Pool, Times, Workers
from tests.sim.models import simulate_runs, trace
from tests.sim.servers import plain_run

NAN, INF = math.nan, math.inf
SEED = f"seed: expected a whole number from 0 to {2**64 - 1:,}, got"
RUN = f"run: expected a whole number from 0 to {2**62 - 1:,}, got"
FORK = Dag({"a": [], "b": ["a"], "c": ["a"]})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": 0}, "interval: expected a positive number, got 0"),
        ({"interval": -1.0}, "interval: expected a positive number, got -1.0"),
        ({"interval": NAN}, "interval: expected a positive number, got nan"),
        ({"interval": INF}, "interval: expected a positive number, got inf"),
        ({"interval": 1e-200}, "interval: expected 1e-100 to 1e+100, got 1e-200"),
        ({"interval": "1"}, "interval: expected a number, got '1'"),
        ({"interval": True}, "interval: expected a number, got True"),
        ({"batch": 0}, "batch: expected 1 to 1,000,000,000, got 0"),
        ({"batch": 0.5}, "batch: expected 1 to 1,000,000,000, got 0.5"),
        ({"batch": NAN}, "batch: expected 1 to 1,000,000,000, got nan"),
        ({"batch": INF}, "batch: expected 1 to 1,000,000,000, got inf"),
        ({"batch": None}, "batch: expected a number, got None"),
        (
            {"batch": 1.5, "batch_law": "fixed"},
            "batch: expected an integer for fixed sizes, got 1.5",
        ),
        (
            {"batch_law": "normal"},
            "batch_law: expected geometric, exponential or fixed, got 'normal'",
        ),
        ({"speed_spread": -0.1}, "speed_spread: expected 0 to 1,000, got -0.1"),
        ({"speed_spread": NAN}, "speed_spread: expected 0 to 1,000, got nan"),
        ({"leave": 0}, "leave: expected a positive number, got 0"),
        ({"leave": NAN}, "leave: expected a positive number, got nan"),
        ({"leave": -INF}, "leave: expected a positive number, got -inf"),
        ({"deadline": 0.0}, "deadline: expected a positive number, got 0.0"),
        ({"deadline": NAN}, "deadline: expected a positive number, got nan"),
        ({"replicas": 0}, "replicas: expected a whole number from 1 to 10,000,000, got 0"),
        ({"replicas": 1.5}, "replicas: expected a whole number from 1 to 10,000,000, got 1.5"),
        ({"overhead": -1}, "overhead: expected 0 to 1e+100, got -1"),
        ({"overhead": NAN}, "overhead: expected 0 to 1e+100, got nan"),
    ],
)
def test_a_pool_that_cannot_be(options, message):
    with pytest.raises(ArgumentError) as caught:
        Pool(**options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((0,), {}, "workers: expected a whole number from 1 to 10,000,000, got 0"),
        ((2.0,), {}, "workers: expected a whole number from 1 to 10,000,000, got 2.0"),
        ((2,), {"speeds": [1.0]}, "speeds: expected 2, one per worker, got 1"),
        ((2,), {"speeds": [1.0, 0.0]}, "speed of worker 1: expected a positive number, got 0.0"),
        ((2,), {"replicas": 3}, "replicas: expected at most 2, the number of workers, got 3"),
        ((2,), {"leave": 0.0}, "leave: expected a positive number, got 0.0"),
        ((2,), {"deadline": -1}, "deadline: expected a positive number, got -1"),
    ],
)
def test_workers_that_cannot_be(arguments, options, message):
    with pytest.raises(ArgumentError) as caught:
        Workers(*arguments, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"law": "uniform"}, "law: expected normal, lognormal or constant, got 'uniform'"),
        ({"spread": -1}, "spread: expected 0 to 1,000, got -1"),
        ({"spread": NAN}, "spread: expected 0 to 1,000, got nan"),
        ({"spread": INF}, "spread: expected 0 to 1,000, got inf"),
        ({"means": [1, 2]}, "run_times: expected 3 numbers, got shape (2,)"),
        ({"means": 1.0}, "run_times: expected 3 numbers, got shape (1,)"),
        ({"means": ["x", 1, 2]}, "run time of 'a': expected a number, got 'x'"),
        ({"means": [1, NAN, 2]}, "run time of 'b': expected 0 or more, got nan"),
        ({"means": [1, None, 2]}, "run time of 'b': expected a number, got None"),
        ({"means": [1, 2, 1e-200]}, "run time of 'c': expected 0, or 1e-100 to 1e+100, got 1e-200"),
        ({"means": [1, 2, -3]}, "run time of 'c': expected 0 or more, got -3.0"),
        ({"means": [INF, 2, 3]}, "run time of 'a': expected 0 or more, got inf"),
        ({"means": [1e200, 2, 3]}, "run time of 'a': expected 0, or 1e-100 to 1e+100, got 1e+200"),
    ],
)
def test_times_that_cannot_be(options, message):
    with pytest.raises(ArgumentError) as caught:
        simulate_runs(FORK, Played("fifo"), Pool(), Times(**options), seed=1, runs=1)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "best"}, "by: expected static, fifo, lifo, random or priority, got 'best'"),
        ({"by": "static"}, "order: expected one to play by static, got None"),
    ],
)
def test_orders_that_cannot_be_played_are_refused(options, message):
    with pytest.raises(ArgumentError) as caught:
        Played(**options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 1], "order: expected 3 tasks, got 2"),
        ([0, 1, 3], "order: unknown task id 3"),
        ([0, 1, 1], "order: task 'b' occurs twice"),
        ([1, 0, 2], "step 1 runs 'b' before its parent 'a'"),
    ],
)
@pytest.mark.parametrize("by", ["static", "fifo", "lifo"])
def test_an_order_of_another_dag_is_refused(by, order, message):
    for simulate in (
        lambda played: simulate_runs(FORK, played, Pool(), Times(), seed=1, runs=1),
        lambda played: trace(FORK, played, Pool(), Times(), seed=1, run=0),
        lambda played: plain_run(FORK, played, Workers(2), Times(), seed=1, run=0),
    ):
        with pytest.raises(ScheduleError) as caught:
            simulate(Played(by, order))
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"runs": 0}, "runs: expected a whole number from 1 to 1,000,000,000, got 0"),
        ({"runs": 2.5}, "runs: expected a whole number from 1 to 1,000,000,000, got 2.5"),
        ({"threads": 0}, "threads: expected a whole number from 1 to 1,024, got 0"),
        ({"seed": -1}, f"{SEED} -1"),
        (
            {"seed": 2**64},
            f"{SEED} 18446744073709551616",
        ),
        ({"seed": 1.0}, f"{SEED} 1.0"),
        ({"first_run": -1}, f"{RUN} -1"),
    ],
)
def test_ranges_that_cannot_be(options, message):
    with pytest.raises(ArgumentError) as caught:
        simulate_runs(FORK, Played("fifo"), Pool(), Times(), **{"seed": 1, "runs": 1, **options})
    assert str(caught.value) == message


def test_numbers_of_numpy_are_numbers():
    pool = Pool(np.float32(0.5), np.int64(4), replicas=np.int32(2))

    runs = simulate_runs(
        FORK,
        Played("fifo"),
        pool,
        Times(),
        seed=np.uint64(1),
        runs=np.int64(3),
        first_run=np.int8(1),
    )

    assert len(runs) == 3


@pytest.mark.parametrize("simulate", [trace, plain_run])
def test_a_dag_without_tasks(simulate):
    with pytest.raises(SimulationError, match=r"^dag: expected at least one task$"):
        simulate(Dag({}), Played("fifo"), Pool(), Times(), seed=1, run=0)


def test_workers_who_never_stay_long_enough():
    message = "leave: workers that stay 0.01 on average will never finish 'b', which takes 2.0"
    with pytest.raises(SimulationError) as caught:
        trace(FORK, Played("fifo"), Pool(leave=0.01), Times(means=[1, 2, 1]), seed=1, run=0)
    assert str(caught.value) == message


class Wrong:
    """A server that hands out what it was told to."""

    def __init__(self, *tasks: int) -> None:
        self.tasks = tasks

    def done(self, task: int) -> None: ...

    def take(self, count: int) -> tuple[int, ...]:  # noqa: ARG002 the signature is the protocol's
        return self.tasks


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([1], "server: took task id 1, which is not eligible"),
        ([0, 0], "server: took task id 0, which is not eligible"),
        ([0, 1, 2], "server: expected at most 2 tasks, got 3"),
    ],
)
def test_a_server_that_breaks_the_rules(tasks, message):
    with pytest.raises(SimulationError) as caught:
        plain_run(FORK, Wrong(*tasks), Workers(2), Times(), seed=1, run=0)
    assert str(caught.value) == message


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("pool", ["Pool()", "Pool(waiting=True)", "Pool(1e-8, 1)", "Workers(4)"])
def test_an_interrupt_ends_a_long_simulation(pool, threads):
    """A billion runs, or a trillion batches to the first result."""
    program = f"""
import _thread, threading
from icsched import families
from icsched.sim import *
threading.Timer(0.2, _thread.interrupt_main).start()
experiment = Experiment(families.mesh(9), {pool}, Times())
experiment.runs(Played("fifo"), seed=1, runs=10**7, threads={threads})
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )

    assert done.stderr.endswith("KeyboardInterrupt\n")


def test_batches_without_number_are_refused():
    """A task of 1 and an interval of 1e-10: ten thousand million batches."""
    with pytest.raises(SimulationError) as caught:
        simulate_runs(Dag({"a": []}), Played("fifo"), Pool(1e-10), Times(), seed=1, runs=1)
    assert str(caught.value) == (
        "interval: expected at least 1e-09, got 1e-10: over 1,000,000,000 batches would come"
        " while 'a' runs"
    )


def test_priorities_that_change_later_do_not_change_how_an_order_is_played():
    numbers = np.array([1, 2, 3])
    played = Played("priority", priorities=numbers)
    numbers[:] = [3, 2, 1]

    assert played.classes_for(Dag.from_arcs(3, [])).tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ([[1], [2, 3]], "expected one integer per task"),
        ([[1, 2]], r"expected one integer per task, got shape \(1, 2\)"),
        ([0.5], "expected integers, got float64"),
    ],
)
def test_priorities_that_are_not_integers_are_told(values, problem):
    with pytest.raises(ArgumentError, match=problem):
        Played("priority", priorities=values)


@pytest.mark.parametrize("edges", [[], [1.0], [0, 2, 1], [1, 2], [0, NAN], [0, INF], [[0, 1]]])
def test_edges_that_are_no_slots_are_refused(edges):
    experiment = Experiment(FORK, Pool(), Times())

    with pytest.raises(ArgumentError, match="edges: expected two or more times that ascend from 0"):
        experiment.slot_counts(Played("fifo"), edges, seed=1, run=0)


def test_what_an_experiment_has_checked_cannot_be_changed():
    experiment = Experiment(FORK, Pool(), Times(means=[1, 2, 3]))

    with pytest.raises(ValueError, match="read-only"):
        experiment.means[0] = -5


def test_all_orders_are_checked_before_any_is_simulated():
    played: list[int] = []
    orders = {"fifo": "fifo", "mine": Played("static", ["a", "b"])}

    with pytest.raises(ScheduleError):
        icsched.simulate(FORK, orders, progress=lambda done, _: played.append(done))

    assert played == []
