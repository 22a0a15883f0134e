"""The readiness core, step by step, and its twin: the kernel behind Sorter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import ArgumentError, Dag, _native
from icsched.errors import GameError, UnknownTaskError
from icsched.ready import Readiness, missing_parents
from tests.diamond import diamond
from tests.strategies import dags
from tests.twins import eligible_after


def test_sources_are_ready_without_being_announced():
    readiness = Readiness(Dag({"a": [], "b": ["a"], "c": []}))

    assert readiness.ready() == [0, 2]
    assert (readiness.ready_count, readiness.left) == (2, 3)


def test_a_task_is_ready_once_its_last_parent_is_done():
    readiness = Readiness(diamond())

    assert readiness.finish([0]) == [1, 2]
    assert readiness.finish([1]) == []
    assert readiness.finish([2]) == [3]
    assert readiness.finish([3]) == []
    assert (readiness.ready_count, readiness.left) == (0, 0)


def test_a_task_that_is_out_with_its_parent_is_never_ready():
    """a and b are handed out together, as a cluster: when a is done, only c can be had."""
    readiness = Readiness(diamond())
    readiness.take([0, 1])

    assert readiness.ready_count == 0
    assert readiness.finish([0]) == [2]
    assert (readiness.is_out(0), readiness.is_out(1)) == (False, True)


def test_what_is_given_back_can_be_had_again():
    readiness = Readiness(diamond())
    readiness.take([0, 1])

    assert readiness.give_back([1, 0]) == [0]  # b waits for a
    assert readiness.ready() == [0]
    assert readiness.ready_count == 1


def test_results_of_tasks_that_are_not_out_count():
    readiness = Readiness(diamond())
    readiness.take([0])
    readiness.give_back([0])

    assert readiness.finish([0, 1]) == [1, 2]
    assert readiness.ready() == [2]
    assert (readiness.ready_count, readiness.left) == (1, 2)


def test_a_task_that_is_done_before_its_parent_was_not_ready():
    r"""
    a -> b -> c    d
    """
    readiness = Readiness(Dag({"b": ["a"], "a": [], "c": ["b"], "d": []}))

    assert readiness.finish([0]) == [2]
    assert (readiness.ready(), readiness.ready_count) == ([1, 2, 3], 3)
    assert readiness.finish([1]) == []
    assert (readiness.ready(), readiness.ready_count, readiness.left) == ([2, 3], 2, 2)


def test_only_the_first_result_is_news():
    readiness = Readiness(diamond())
    assert readiness.is_news(0)
    readiness.finish([0])
    assert not readiness.is_news(0)
    with pytest.raises(GameError, match=r"^task 'd' is not eligible: its parent 'b' is not done$"):
        readiness.is_news(3)


def test_a_task_is_early_whatever_tasks_are_called():
    """The name 1 of the first task is the id of the second."""
    readiness = Readiness(Dag({1: [], 2: [1]}))

    with pytest.raises(GameError, match="task 2 is not eligible: its parent 1 is not done"):
        readiness.is_news(1)


@pytest.mark.parametrize("task", [-1, 4, 2**40])
def test_a_task_that_the_dag_does_not_have_is_refused(task):
    with pytest.raises(UnknownTaskError):
        Readiness(diamond()).known(task)


@pytest.mark.parametrize("task", ["a", None, 1.0, (0,), True])
def test_what_is_not_a_task_id_is_refused(task):
    with pytest.raises(ArgumentError) as error:
        Readiness(diamond()).known(task)
    assert str(error.value) == f"task id: expected a whole number, got {task!r}"


def test_ids_may_be_numpy_integers():
    assert Readiness(diamond()).known(np.int32(3)) == 3


@given(dags(most_tasks=8), st.data())
def test_any_run_agrees_with_the_kernel_and_with_the_definition(dag, data):
    """Tasks are taken, given back and finished in any order, also after they were given back."""
    readiness = Readiness(dag)
    ranks = np.arange(len(dag), dtype=np.int32)
    queue = _native.ReadyQueue(dag.child_rows, dag.parent_rows, ranks)
    done: set[int] = set()
    handed: set[int] = set()  # also what was given back
    while readiness.left:
        ready = readiness.ready()
        assert len(ready) == readiness.ready_count
        out = {task for task in range(len(dag)) if readiness.is_out(task)}
        assert set(ready) == eligible_after(dag, done) - out
        assert queue.active()
        moves = [("take", len(ready))] * bool(ready)
        moves += [("finish", task) for task in sorted(handed)]
        moves += [("give back", task) for task in sorted(out)]
        move, which = data.draw(st.sampled_from(moves))
        if move == "take":
            count = data.draw(st.integers(1, which))
            assert queue.take(count) == ready[:count]
            readiness.take(ready[:count])
            handed.update(ready[:count])
        elif move == "finish":
            assert queue.finish([which]) == 1
            readiness.finish([which])
            handed.remove(which)
            done.add(which)
        else:
            assert queue.give_back([which]) == 1
            readiness.give_back([which])
    assert not queue.active()


@given(dags(), st.data())
def test_missing_parents_are_counted_for_all_tasks_at_once(dag, data):
    done = np.array([data.draw(st.booleans()) for _ in range(len(dag))], bool)
    expected = [sum(not done[p] for p in dag.parents(t).tolist()) for t in range(len(dag))]

    assert missing_parents(dag, done).tolist() == expected
