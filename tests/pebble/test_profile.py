"""Profiles, schedules and comparisons."""

import numpy as np
import pytest
from hypothesis import given

from icsched import Dag, Schedule, eligibility_profile
from icsched.errors import ScheduleError
from icsched.pebble import area, compare, enabled_profile, memory_profile
from tests import twins
from tests.strategies import dags_with_orders


def test_running_the_root_of_a_fork_frees_every_leaf():
    r"""
      a
     / \
    b   c    `a` frees two tasks; after that the count only drains.
    """
    fork = Dag({"a": [], "b": ["a"], "c": ["a"]})

    assert eligibility_profile(fork, [0, 1, 2]).tolist() == [1, 2, 1, 0]
    assert enabled_profile(fork, [0, 1, 2]).tolist() == [0, 2, 2, 2]
    assert memory_profile(fork, [0, 1, 2]).tolist() == [0, 1, 1, 0]


def test_a_join_holds_all_its_parents_open():
    r"""
    a   b
     \ /     Both results are kept until `c` has run.
      c
    """
    join = Dag({"a": [], "b": [], "c": ["a", "b"]})

    assert eligibility_profile(join, [0, 1, 2]).tolist() == [2, 1, 1, 0]
    assert memory_profile(join, [0, 1, 2]).tolist() == [0, 1, 2, 0]


def test_the_empty_dag_has_one_step_and_no_area():
    assert eligibility_profile(Dag({}), []).tolist() == [0]
    assert memory_profile(Dag({}), []).tolist() == [0]
    assert compare(Dag({}), [], []).area_ratio == 1.0


@given(dags_with_orders())
def test_profiles_equal_those_counted_afresh_at_every_step(dag_and_order):
    dag, order = dag_and_order

    assert eligibility_profile(dag, order).tolist() == twins.eligibility_profile(dag, order)
    assert memory_profile(dag, order).tolist() == twins.memory_profile(dag, order)


@given(dags_with_orders())
def test_profiles_obey_their_laws(dag_and_order):
    dag, order = dag_and_order
    eligible, enabled = eligibility_profile(dag, order), enabled_profile(dag, order)

    assert (eligible[0], eligible[-1]) == (len(dag.sources), 0)
    assert (enabled[0], enabled[-1]) == (0, len(dag) - len(dag.sources))
    assert (enabled[1:] >= enabled[:-1]).all()
    assert (eligible[:-1] >= 1).all()
    assert area(dag, order) == eligible.sum()


@given(dags_with_orders())
def test_a_schedule_gives_what_the_functions_give(dag_and_order):
    dag, order = dag_and_order
    schedule = Schedule(dag, order)

    assert schedule.names == [dag.names[task] for task in order]
    assert schedule.eligible.tolist() == eligibility_profile(dag, order).tolist()
    assert schedule.enabled.tolist() == enabled_profile(dag, order).tolist()
    assert schedule.memory.tolist() == memory_profile(dag, order).tolist()
    assert schedule.area == area(dag, order)
    assert schedule.peak_memory == max(memory_profile(dag, order))


def test_comparison_says_where_an_order_leads_and_lags():
    r"""
    a    c
    |   / \      c, a, ... is one ahead after its first step; the other never catches up.
    b  d   e
    """
    dag = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    good, bad = [2, 0, 1, 3, 4], [0, 1, 2, 3, 4]  # profiles 2 3 3 2 1 0 and 2 2 1 2 1 0

    contest = compare(dag, good, bad)

    assert contest.difference.tolist() == [0, 1, 2, 0, 0, 0]
    assert contest.largest_lead == (2, 2)
    assert contest.largest_lag == (0, 0)
    assert contest.never_below
    assert contest.area_ratio == 11 / 8
    assert not compare(dag, bad, good).never_below
    assert compare(dag, bad, good).largest_lag == (2, -2)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 1], "order: expected 3 tasks, got 2"),
        ([0, 1, 1], "order: task 'b' occurs twice"),
        ([0, 1, 3], "order: unknown task id 3"),
        ([0, 1, -1], "order: unknown task id -1"),
        ([0, 1, 10**19], "order: unknown task id 10000000000000000000"),
        ([0.0, 1.0, 2.0], "order: unknown task: 0.0"),
        (["a", "b", "x"], "order: unknown task: 'x'"),
        (["a", "b", "a"], "order: task 'a' occurs twice"),
        (["a", "c", "b"], "step 2 runs 'c' before its parent 'b'"),
        (None, "order: expected a plan, a schedule, or a list of task names or ids, got NoneType"),
        ("abc", "order: expected a plan, a schedule, or a list of task names or ids, got str"),
        ({0, 1, 2}, "order: expected a plan, a schedule, or a list of task names or ids, got set"),
        (
            Dag({"a": [], "b": ["a"], "c": ["b"]}),
            "order: expected a plan, a schedule, or a list of task names or ids, got Dag",
        ),
        ([[0], [1], [2]], "order: unknown task: [0]"),
        ([[0], [1, 2], []], "order: unknown task: [0]"),
        ([1, 0, 2], "step 1 runs 'b' before its parent 'a'"),
        ([0, 2, 1], "step 2 runs 'c' before its parent 'b'"),
    ],
)
def test_an_order_that_is_not_legal_is_refused_by_name(order, message):
    chain = Dag({"a": [], "b": ["a"], "c": ["b"]})

    with pytest.raises(ScheduleError) as caught:
        eligibility_profile(chain, order)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    "ids", [[0, 1], [0, 1, 2, 2], [0, 1, 3], [0, 1, -1], [0, 1, 1], [1, 2, 3], [[0, 1, 2]], []]
)
def test_wrong_ids_of_our_own_are_a_bug_that_no_kernel_sees(ids):
    """They are too few, too many, out of range, repeated, of another dag, or no row."""
    chain = Dag({"a": [], "b": ["a"], "c": ["b"]})

    with pytest.raises(AssertionError, match="a bug in icsched"):
        Schedule.trusted(chain, np.array(ids, np.int32))
    assert Schedule.trusted(chain, np.array([0, 1, 2], np.int32)).names == ["a", "b", "c"]


def test_a_schedule_does_not_change_with_the_array_it_was_made_from():
    mine = np.array([0, 1, 2], np.int32)
    schedule = Schedule(Dag({"a": [], "b": ["a"], "c": ["b"]}), mine)

    mine[:] = [2, 1, 0]

    assert schedule.order.tolist() == [0, 1, 2]
    for array in (schedule.order, schedule.eligible, schedule.memory):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@given(dags_with_orders())
def test_eligible_tasks_are_sources_and_enabled_tasks_less_the_executed_ones(dag_and_order):
    """Malewicz and Rosenberg 2006, Lemma 4.2: |S| - |X| + the sum of e_i, after every step."""
    dag, order = dag_and_order
    eligible, enabled = eligibility_profile(dag, order), enabled_profile(dag, order)

    for executed in range(len(dag) + 1):
        assert eligible[executed] == len(dag.sources) - executed + enabled[executed]
