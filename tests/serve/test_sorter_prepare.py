"""Sorter as a drop-in for graphlib.TopologicalSorter: graphs, `add` and `prepare`."""

import graphlib
from itertools import pairwise

import pytest

from icsched import CycleError, Sorter
from tests.serve.sorters import DIAMOND, groups, prepared

# What the manual says of graphs


def test_the_graph_maps_each_task_to_its_predecessors(sorter_class):
    assert groups(sorter_class(DIAMOND)) == [{"A"}, {"B", "C"}, {"D"}]


def test_the_predecessors_may_be_any_iterable(sorter_class):
    graph = {"d": (name for name in "bc"), "c": "a", "b": {"a"}, "a": {}}

    assert groups(sorter_class(graph)) == [{"a"}, {"b", "c"}, {"d"}]


def test_tasks_can_be_added_to_an_initial_graph(sorter_class):
    sorter = sorter_class({"b": ["a"]})
    sorter.add("c", "b")

    assert groups(sorter) == [{"a"}, {"b"}, {"c"}]


@pytest.mark.parametrize("arguments", [(), (None,), ({},)])
def test_an_empty_graph_has_nothing_to_do(sorter_class, arguments):
    sorter = prepared(sorter_class(*arguments))

    assert not sorter.is_active()
    assert sorter.get_ready() == ()
    assert list(sorter_class(*arguments).static_order()) == []


def test_the_class_can_be_subscripted_in_annotations(sorter_class):
    assert sorter_class[str].__origin__ is sorter_class


# add


def test_dependencies_of_several_calls_add_up(sorter_class):
    sorter = sorter_class()
    sorter.add("d", "a")
    sorter.add("d", "b", "c")
    sorter.add("d")

    assert groups(sorter) == [{"a", "b", "c"}, {"d"}]


def test_a_dependency_given_twice_counts_once(sorter_class):
    sorter = sorter_class({"b": ["a", "a"]})
    sorter.add("b", "a", "a")

    assert groups(sorter) == [{"a"}, {"b"}]


def test_a_predecessor_that_was_never_added_gets_no_predecessors(sorter_class):
    sorter = sorter_class()
    sorter.add("b", "a")

    assert groups(sorter) == [{"a"}, {"b"}]


def test_a_task_can_be_added_without_predecessors(sorter_class):
    sorter = sorter_class()
    sorter.add("a")

    assert groups(sorter) == [{"a"}]


def test_add_after_prepare_is_refused(sorter_class):
    sorter = prepared(sorter_class({"b": ["a"]}))

    with pytest.raises(ValueError, match=r"^Nodes cannot be added after a call to prepare\(\)$"):
        sorter.add("c", "b")


def test_add_after_a_prepare_that_found_a_cycle_is_refused(sorter_class):
    sorter = sorter_class({"a": ["a"]})
    with pytest.raises(graphlib.CycleError):
        sorter.prepare()

    with pytest.raises(ValueError, match=r"^Nodes cannot be added after a call to prepare\(\)$"):
        sorter.add("c")


@pytest.mark.parametrize("words", [({}, 1), (1, {}), (1, 2, []), ({}, {})])
def test_tasks_must_be_hashable(sorter_class, words):
    with pytest.raises(TypeError, match="unhashable"):
        sorter_class().add(*words)


def test_predecessors_in_the_graph_must_be_hashable(sorter_class):
    with pytest.raises(TypeError, match="unhashable"):
        sorter_class({"a": [[]]})


# prepare


@pytest.mark.parametrize(
    "graph",
    [
        {"a": ["a"]},
        {"a": ["b"], "b": ["a"]},
        {"a": ["b"], "b": ["c"], "c": ["a"]},
        {"a": ["b"], "b": ["c"], "c": ["a"], "e": ["d"], "d": ["f"]},
        {"a": ["b"], "b": ["a"], "c": ["d"], "d": ["e"], "f": ["g"], "g": ["f"]},
        {"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": ["e"]},
    ],
    ids=["loop", "pair", "triangle", "part", "several", "middle"],
)
def test_prepare_reports_a_cycle_whose_first_and_last_are_the_same(sorter_class, graph):
    with pytest.raises(graphlib.CycleError) as caught:
        sorter_class(graph).prepare()

    cycle = caught.value.args[1]
    assert isinstance(cycle, list)
    assert cycle[0] == cycle[-1]
    assert len(set(cycle)) == len(cycle) - 1 >= 1
    # Each is an immediate predecessor of the next.
    assert all(first in graph[second] for first, second in pairwise(cycle))


def test_a_cycle_error_is_also_icscheds_own_and_names_the_cycle():
    with pytest.raises(CycleError, match=r"^dependency cycle: a -> a$"):
        Sorter({"a": ["a"]}).prepare()


def test_after_a_cycle_error_tasks_come_until_the_cycle_blocks(sorter_class):
    r"""
      a
     / \
    b   c <-> d      c and d wait for each other, e waits for d.
              |
              e
    """
    sorter = sorter_class({"b": ["a"], "c": ["a", "d"], "d": ["c"], "e": ["d"]})
    with pytest.raises(graphlib.CycleError):
        sorter.prepare()

    assert sorter.is_active()
    assert sorter.get_ready() == ("a",)
    sorter.done("a")
    assert sorter.get_ready() == ("b",)
    assert sorter.is_active()
    sorter.done("b")
    assert not sorter.is_active()
    assert sorter.get_ready() == ()


def test_a_task_behind_a_cycle_is_not_passed_out(sorter_class):
    sorter = sorter_class({"a": ["b"], "b": ["a"], "c": ["b"]})
    with pytest.raises(graphlib.CycleError):
        sorter.prepare()

    assert not sorter.is_active()
    with pytest.raises(ValueError, match=r"^node 'c' was not passed out"):
        sorter.done("c")


# Python 3.14 allows prepare() again before the first task is handed out; older versions
# of graphlib do not.


def test_prepare_may_be_called_again_before_iteration_starts():
    sorter = prepared(Sorter({"b": ["a"]}))
    assert sorter.is_active()

    sorter.prepare()

    assert sorter.get_ready() == ("a",)
    sorter.done("a")
    assert sorter.get_ready() == ("b",)


def test_static_order_may_follow_prepare():
    assert list(prepared(Sorter(DIAMOND)).static_order()) == ["A", "B", "C", "D"]


def test_prepare_reports_the_cycle_again_when_called_again():
    sorter = Sorter({"a": ["a"], "b": []})

    for _ in range(2):
        with pytest.raises(CycleError):
            sorter.prepare()

    assert sorter.get_ready() == ("b",)


def test_prepare_after_iteration_started_is_refused(sorter_class):
    sorter = prepared(sorter_class({"b": ["a"]}))
    sorter.get_ready()

    with pytest.raises(ValueError, match=r"^cannot prepare\(\) "):
        sorter.prepare()

    sorter.done("a")  # "a" is still out, nothing started over
    assert sorter.get_ready() == ("b",)


def test_static_order_after_iteration_started_is_refused(sorter_class):
    sorter = prepared(sorter_class({"b": ["a"]}))
    sorter.get_ready()

    with pytest.raises(ValueError, match=r"^cannot prepare\(\) "):
        next(sorter.static_order())


@pytest.mark.parametrize(
    "call",
    [
        lambda sorter: sorter.is_active(),
        lambda sorter: sorter.get_ready(),
        lambda sorter: sorter.done("a"),
        lambda sorter: sorter.done(),
        bool,
    ],
    ids=["is_active", "get_ready", "done", "done nothing", "bool"],
)
def test_nothing_works_before_prepare(sorter_class, call):
    with pytest.raises(ValueError, match=r"^prepare\(\) must be called first$"):
        call(sorter_class({"a": []}))
