"""The simple orders."""

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import ArgumentError, Dag
from icsched.pebble import (
    check_order,
    checked_run_times,
    critical_path_order,
    fifo_order,
    level_order,
    lifo_order,
    priority_order,
    random_order,
)
from tests import twins
from tests.strategies import dags

ORDERS = [
    fifo_order,
    lifo_order,
    level_order,
    critical_path_order,
    lambda dag: random_order(dag, seed=5),
]


def sample() -> Dag:
    r"""
    a   b   c
    |  / \
    d e   f     a 0, b 1, c 2, d 3, e 4, f 5, g 6
    |
    g
    """
    return Dag({"a": [], "b": [], "c": [], "d": ["a"], "e": ["b"], "f": ["b"], "g": ["d"]})


def test_each_order_follows_its_rule():
    assert fifo_order(sample()).tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert lifo_order(sample()).tolist() == [0, 3, 6, 1, 4, 5, 2]
    assert level_order(sample()).tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert critical_path_order(sample()).tolist() == [0, 1, 3, 2, 4, 5, 6]


def test_fifo_runs_tasks_as_they_become_eligible_not_by_level():
    r"""
    a   b
    |   |      c is ready first although d is as deep: a ran before b.
    c   d
    """
    assert fifo_order(Dag({"a": [], "b": [], "d": ["b"], "c": ["a"]})).tolist() == [0, 1, 3, 2]


def test_critical_path_counts_runtimes():
    two_chains = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"]})

    assert critical_path_order(two_chains, run_times=[1, 1, 1, 9]).tolist() == [2, 3, 0, 1]


def test_a_task_of_no_runtime_still_waits_for_its_parents():
    assert critical_path_order(Dag({"b": ["a"], "a": []}), run_times=[0, 0]).tolist() == [1, 0]


@pytest.mark.parametrize("order", ORDERS)
@given(dag=dags())
def test_every_order_is_legal(order, dag):
    check_order(dag, order(dag))


@given(dags(), st.randoms(use_true_random=False))
def test_priority_order_equals_its_twin(dag, random):
    keys = [random.randrange(3) for _ in range(len(dag))]
    ranks = np.argsort(np.argsort(keys, kind="stable"))

    assert priority_order(dag, keys).tolist() == twins.priority_order(dag, ranks.tolist())


def test_the_same_seed_gives_the_same_random_order_and_another_seed_another():
    many = Dag.from_arcs(100, [])

    assert random_order(many, seed=1).tolist() == random_order(many, seed=1).tolist()
    assert random_order(many, seed=1).tolist() != random_order(many, seed=2).tolist()


@pytest.mark.parametrize(
    ("runtimes", "message"),
    [
        ([1], "run_times: expected 2 numbers, got shape (1,)"),
        ([1, -2], "run time of 'b': expected 0 or more, got -2.0"),
        ([float("nan"), 1], "run time of 'a': expected 0 or more, got nan"),
        ([1, float("inf")], "run time of 'b': expected 0 or more, got inf"),
    ],
)
def test_bad_runtimes_are_refused_by_name(runtimes, message):
    with pytest.raises(ArgumentError) as caught:
        critical_path_order(Dag({"a": [], "b": ["a"]}), run_times=runtimes)

    assert str(caught.value) == message


@pytest.mark.parametrize("seed", [-1, 1.5, None, "x"])
def test_a_random_order_needs_a_seed(seed):
    with pytest.raises(ArgumentError, match="seed: expected a whole number, 0 or more, got"):
        random_order(Dag({"a": [], "b": []}), seed=seed)


def test_keys_must_be_numbers():
    with pytest.raises(ArgumentError, match="keys: expected 2 numbers, got object"):
        priority_order(Dag({"a": [], "b": []}), ["a", None])


def test_keys_must_be_one_per_task():
    with pytest.raises(ArgumentError, match=r"keys: expected 2 numbers, got shape \(3,\)"):
        priority_order(Dag({"a": [], "b": []}), [1, 2, 3])


def test_a_million_task_chain_needs_no_recursion():
    n = 1_000_000
    chain = Dag.from_arcs(n, np.column_stack([np.arange(n - 1), np.arange(1, n)]))

    for order in ORDERS:
        assert (order(chain) == np.arange(n)).all()


@pytest.mark.parametrize("time", ["60", None])
def test_a_run_time_that_is_not_a_number_is_named(time):
    """numpy would read "60" as 60, and None as NaN."""
    with pytest.raises(ArgumentError, match=f"^run time of 'b': expected a number, got {time!r}$"):
        checked_run_times(Dag({"a": [], "b": ["a"]}), {"a": 1, "b": time})


@pytest.mark.parametrize(
    "times",
    [
        [1, "60"],
        (1, b"60"),
        {"a": 1, "b": np.str_("60")},
        np.array([1, "60"], object),
        pandas.Series([1, "60"]),
    ],
)
def test_text_is_not_a_run_time_in_any_form(times):
    with pytest.raises(ArgumentError, match=r"^run time of 'b': expected a number, got .*60"):
        checked_run_times(Dag({"a": [], "b": ["a"]}), times)


@pytest.mark.parametrize("times", ["60", ["60"], np.array(["1", "60"]), 60, np.array("60")])
def test_text_in_the_place_of_run_times_is_refused(times):
    with pytest.raises(ArgumentError, match=r"^run(_times| time of 'a'): expected "):
        checked_run_times(Dag({"a": [], "b": ["a"]}), times)
