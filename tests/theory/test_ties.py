"""How ties are broken: by what waits for a task, not by its place in the file."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag
from icsched.families import montage, random_layered, w
from icsched.orders import prio_order, prioritize
from icsched.orders.prio import numberings
from icsched.pebble import area, optimal_profile
from tests.strategies import dags
from tests.theory.samples import shuffled

# Two forks that end in joins: x is the source of the one whose join begins a chain of three.
TWO_FORKS = {
    "y": [],
    "y1": ["y"],
    "y2": ["y"],
    "join y": ["y1", "y2"],
    "x": [],
    "x1": ["x"],
    "x2": ["x"],
    "join x": ["x1", "x2"],
    "c1": ["join x"],
    "c2": ["c1"],
    "c3": ["c2"],
}


def test_of_two_equal_blocks_the_one_with_the_longer_path_behind_it_runs_first():
    order = prioritize(TWO_FORKS, "prio").names

    assert order.index("x") < order.index("y")


def test_run_times_decide_between_equal_blocks():
    slow_end = dict.fromkeys(TWO_FORKS, 1.0) | {"join y": 50.0}

    order = prioritize(TWO_FORKS, "prio", run_times=slow_end).names

    assert order.index("y") < order.index("x")


def test_sinks_run_by_run_time_the_longest_first():
    fork = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["a"]})

    assert prioritize(fork, "prio", run_times=[1, 2, 9, 5]).names == ["a", "c", "d", "b"]


def test_equal_tasks_keep_the_order_of_the_file():
    assert prioritize(w(1, 4), "prio").order.tolist() == [0, 1, 2, 3, 4]


def test_what_is_proved_does_not_hang_on_run_times():
    dag = montage(4, 4)
    times = np.random.default_rng(1).random(len(dag))

    assert prioritize(dag, "prio").proof == prioritize(dag, "prio", run_times=times).proof


@given(dags(most_tasks=9), st.integers(0, 99))
def test_a_proof_with_run_times_is_as_true_as_one_without(dag, seed):
    made = prio_order(dag, np.random.default_rng(seed).random(len(dag)))

    if made.proof.is_ic_optimal:
        assert area(dag, made.order) == int(optimal_profile(dag).sum())


@given(dags(most_tasks=12))
def test_every_numbering_is_the_same_dag(dag):
    for way in numberings(dag):
        arcs = {(int(way.old[parent]), int(way.old[child])) for parent, child in way.dag.arcs}
        assert arcs == {(int(parent), int(child)) for parent, child in dag.arcs}


@pytest.mark.parametrize("seed", range(4))
def test_shuffling_the_file_hardly_changes_the_area_where_nothing_is_proved(seed):
    dag = random_layered(120, 6, seed=seed)
    areas = [area(dag, prio_order(dag).order)]
    for number in range(4):
        other = shuffled(dag, seed=number)
        areas.append(area(other, prio_order(other).order))

    assert min(areas) >= 0.98 * max(areas)
