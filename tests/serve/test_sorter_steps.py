"""Sorter as a drop-in for graphlib: `is_active`, `get_ready`, `done` and `static_order`."""

import graphlib
from collections.abc import Hashable, Iterable, Mapping, Sequence

import pytest
from hypothesis import given

from icsched import Sorter
from tests.serve.sorters import DIAMOND, prepared
from tests.strategies import dags


def is_legal(order: Sequence[Hashable], graph: Mapping[Hashable, Iterable[Hashable]]) -> bool:
    place = {task: i for i, task in enumerate(order)}
    return len(place) == len(order) and all(
        place[parent] < place[task] for task, parents in graph.items() for parent in parents
    )


# is_active, get_ready, done


def test_a_sorter_is_active_until_everything_handed_out_is_done(sorter_class):
    sorter = prepared(sorter_class({"b": ["a"]}))

    assert sorter.is_active()  # a is ready
    sorter.get_ready()
    assert sorter.is_active()  # a is out
    sorter.done("a")
    assert sorter.is_active()  # b is ready
    sorter.get_ready()
    assert sorter.is_active()  # b is out
    sorter.done("b")
    assert not sorter.is_active()


def test_the_truth_of_a_sorter_is_whether_it_is_active(sorter_class):
    sorter = prepared(sorter_class({"a": []}))

    assert bool(sorter) is True
    sorter.done(*sorter.get_ready())
    assert bool(sorter) is False


def test_get_ready_first_returns_a_tuple_of_all_tasks_without_predecessors(sorter_class):
    ready = prepared(sorter_class({"c": ["a", "b"], "d": []})).get_ready()

    assert isinstance(ready, tuple)
    assert sorted(ready) == ["a", "b", "d"]


def test_get_ready_returns_only_new_tasks_and_an_empty_tuple_when_there_are_none(sorter_class):
    sorter = sorter_class()
    sorter.add(1, 2, 3, 4)
    sorter.add(2, 3)
    sorter.prepare()

    assert sorter.get_ready() == (3, 4)
    assert sorter.get_ready() == ()
    sorter.done(3)
    assert sorter.get_ready() == (2,)
    assert sorter.get_ready() == ()
    sorter.done(4)
    sorter.done(2)
    assert sorter.get_ready() == (1,)
    assert sorter.get_ready() == ()
    sorter.done(1)
    assert sorter.get_ready() == ()
    assert not sorter.is_active()


def test_done_unblocks_a_task_only_once_all_its_predecessors_are_done(sorter_class):
    sorter = prepared(sorter_class({"c": ["a", "b"]}))
    sorter.get_ready()

    sorter.done("b")
    assert sorter.get_ready() == ()
    sorter.done("a")
    assert sorter.get_ready() == ("c",)


def test_done_without_arguments_changes_nothing(sorter_class):
    sorter = prepared(sorter_class({"b": ["a"]}))

    sorter.done()
    assert sorter.get_ready() == ("a",)
    sorter.done()
    assert sorter.get_ready() == ()
    assert sorter.is_active()


def test_done_refuses_a_task_that_was_not_added(sorter_class):
    sorter = prepared(sorter_class({"a": []}))
    sorter.get_ready()

    with pytest.raises(ValueError, match=r"^node 'x' was not added using add\(\)$"):
        sorter.done("x")


def test_done_refuses_a_task_that_still_waits(sorter_class):
    sorter = prepared(sorter_class({"b": ["a"]}))
    sorter.get_ready()

    with pytest.raises(ValueError, match=r"^node 'b' was not passed out"):
        sorter.done("b")


def test_done_refuses_a_ready_task_that_was_not_handed_out(sorter_class):
    sorter = prepared(sorter_class({"a": []}))

    with pytest.raises(ValueError, match=r"^node 'a' was not passed out"):
        sorter.done("a")
    assert sorter.get_ready() == ("a",)


def test_done_refuses_a_task_that_is_done(sorter_class):
    sorter = prepared(sorter_class({"a": []}))
    sorter.get_ready()
    sorter.done("a")

    with pytest.raises(ValueError, match=r"^node 'a' was already marked done$"):
        sorter.done("a")


def test_done_refuses_a_whole_group_that_is_done(sorter_class):
    sorter = prepared(sorter_class({"a": [], "b": []}))
    group = sorter.get_ready()
    sorter.done(*group)

    with pytest.raises(ValueError, match=f"^node {group[0]!r} was already marked done$"):
        sorter.done(*group)
    assert not sorter.is_active()


def test_done_refuses_a_task_named_twice_but_finishes_it(sorter_class):
    sorter = prepared(sorter_class({"b": ["a"]}))
    sorter.get_ready()

    with pytest.raises(ValueError, match=r"^node 'a' was already marked done$"):
        sorter.done("a", "a")
    assert sorter.get_ready() == ("b",)


@pytest.mark.parametrize(
    ("wrong", "objection"),
    [("x", "was not added"), ("e", "was not passed out"), ("d", "was already marked done")],
)
def test_tasks_named_before_the_wrong_one_stay_done_and_later_ones_do_not(
    sorter_class, wrong, objection
):
    """a, b, c and d are out; e needs a, f needs b."""
    sorter = prepared(sorter_class({"a": [], "b": [], "c": [], "d": [], "e": ["a"], "f": ["b"]}))
    sorter.get_ready()
    sorter.done("d")

    with pytest.raises(ValueError, match=f"^node '{wrong}' {objection}"):
        sorter.done("a", wrong, "b")

    assert sorter.get_ready() == ("e",)
    sorter.done("b")  # not done before, or this would be refused
    assert sorter.get_ready() == ("f",)


def test_done_refuses_an_unhashable_task_and_finishes_those_before_it(sorter_class):
    sorter = prepared(sorter_class({"b": ["a"]}))
    sorter.get_ready()

    with pytest.raises(TypeError, match="unhashable"):
        sorter.done("a", [])
    assert sorter.get_ready() == ("b",)


# static_order


def test_the_manuals_examples_give_the_manuals_orders(sorter_class):
    assert tuple(sorter_class(DIAMOND).static_order()) in {
        ("A", "C", "B", "D"),
        ("A", "B", "C", "D"),
    }


def test_where_the_manual_goes_by_insertion_the_better_task_comes_first():
    """0 enables 1 at once, 2 enables nothing alone; of 2 and 1, the one that was added first."""
    sorter = Sorter()
    sorter.add(3, 2, 1)
    sorter.add(1, 0)
    assert [*sorter.static_order()] == [0, 2, 1, 3]  # graphlib: 2, 0, 1, 3

    sorter = Sorter()
    sorter.add(1, 0)
    sorter.add(3, 2, 1)
    assert [*sorter.static_order()] == [0, 1, 2, 3]  # graphlib: 0, 2, 1, 3


def test_the_manuals_worker_loop_finishes_everything(sorter_class):
    sorter = prepared(sorter_class({2: {11}, 9: {11, 8}, 10: {11, 3}, 11: {7, 5}, 8: {7, 3}}))
    at_work: list[int] = []
    finished: list[int] = []

    while sorter.is_active():
        at_work.extend(sorter.get_ready())
        finished.append(at_work.pop())
        sorter.done(finished[-1])

    assert sorted(finished) == [2, 3, 5, 7, 8, 9, 10, 11]
    assert is_legal(finished, {2: {11}, 9: {11, 8}, 10: {11, 3}, 11: {7, 5}, 8: {7, 3}})


def test_static_order_checks_for_cycles_when_it_is_first_advanced(sorter_class):
    order = sorter_class({"a": [], "b": ["b"]}).static_order()

    with pytest.raises(graphlib.CycleError):
        next(order)


def test_static_order_works_once(sorter_class):
    sorter = sorter_class(DIAMOND)
    list(sorter.static_order())

    with pytest.raises(ValueError, match=r"^cannot prepare\(\) "):
        list(sorter.static_order())


@given(dags())
def test_static_order_is_a_legal_order_of_all_tasks(dag):
    graph = dag.to_mapping()

    order = list(Sorter(graph).static_order())

    assert sorted(order) == list(range(len(dag)))
    assert is_legal(order, graph)
