"""What Sorter adds to graphlib: `take`, `lost`, and `get_ready` of so many tasks."""

import pickle

import pytest

from icsched import Dag, GraphError, Sorter
from tests.serve.sorters import prepared

# What Sorter adds: take and lost


def test_take_is_get_ready_of_n():
    sorter = prepared(Sorter({"a": [], "b": []}))

    assert sorter.take(1) == ("a",)
    assert sorter.take(9) == ("b",)
    assert sorter.take(9) == ()


def test_what_is_lost_is_handed_out_again_best_first():
    sorter = prepared(Sorter({"a": [], "b": [], "c": []}))
    sorter.get_ready(2)
    sorter.lost("a")

    assert sorter.is_active()
    assert sorter.get_ready() == ("a", "c")


def test_a_result_that_comes_after_a_task_was_lost_counts():
    sorter = prepared(Sorter({"b": ["a"]}))
    sorter.get_ready()
    sorter.lost("a")
    sorter.done("a")

    assert sorter.get_ready() == ("b",)
    sorter.lost("a")  # a copy of it; it is done
    sorter.done("b")
    assert not sorter.is_active()


@pytest.mark.parametrize(
    ("node", "objection"),
    [
        ("x", r"was not added using add\(\)"),
        ("b", "was not passed out"),
        ("c", "was not passed out"),
    ],
)
def test_only_what_was_handed_out_can_be_lost(node, objection):
    """a is out, c is ready, b waits for a."""
    sorter = prepared(Sorter({"a": [], "b": ["a"], "c": []}))
    sorter.get_ready(1)

    with pytest.raises(ValueError, match=f"^node {node!r} {objection}"):
        sorter.lost("a", node)
    assert sorter.get_ready() == ("a", "c")


# What Sorter adds: get_ready(n)


def test_get_ready_of_n_keeps_the_rest_for_later():
    sorter = prepared(Sorter({"a": [], "b": [], "c": []}))

    assert sorter.get_ready(2) == ("a", "b")
    assert sorter.get_ready(2) == ("c",)
    assert sorter.get_ready(2) == ()


@pytest.mark.parametrize("n", [3, 4, 2**31, 2**63 - 1, 2**63, 10**30], ids="{:.0e}".format)
@pytest.mark.parametrize("order", [None, [2, 1, 0]])
def test_asking_for_more_than_is_ready_gives_all_that_is_ready(n, order):
    sorter = prepared(Sorter(Dag({"a": [], "b": [], "c": []}), order=order))

    assert sorter.get_ready(n) == (("a", "b", "c") if order is None else ("c", "b", "a"))


def test_asking_for_none_gives_none_and_keeps_all():
    sorter = prepared(Sorter({"a": []}))

    assert sorter.get_ready(0) == ()
    assert sorter.is_active()
    assert sorter.get_ready() == ("a",)


def test_asking_for_fewer_than_none_is_refused_and_nothing_moves():
    sorter = prepared(Sorter({"a": []}))

    with pytest.raises(ValueError, match=r"^n: expected a whole number, 0 or more, got -1$"):
        sorter.get_ready(-1)
    assert sorter.get_ready() == ("a",)


def test_get_ready_of_n_before_prepare_is_refused():
    with pytest.raises(ValueError, match=r"^prepare\(\) must be called first$"):
        Sorter({"a": []}).get_ready(1)


def test_a_group_can_be_finished_after_another_was_handed_out():
    sorter = prepared(Sorter({"a": [], "b": [], "c": ["a"], "d": ["b"]}))
    first = sorter.get_ready(1)
    second = sorter.get_ready(1)
    assert (first, second) == (("a",), ("b",))

    sorter.done(*first)
    assert sorter.get_ready() == ("c",)
    sorter.done(*second)
    assert sorter.get_ready() == ("d",)


def test_a_group_can_be_finished_together_with_part_of_another():
    sorter = prepared(Sorter({"d": ["a", "b", "c"]}))
    first, second = sorter.get_ready(1), sorter.get_ready()

    sorter.done(second[1], *first)
    assert sorter.get_ready() == ()
    sorter.done(second[0])
    assert sorter.get_ready() == ("d",)


def test_a_ready_task_that_get_ready_of_n_kept_back_cannot_be_done():
    sorter = prepared(Sorter({"a": [], "b": []}))
    sorter.get_ready(1)

    with pytest.raises(ValueError, match=r"^node 'b' was not passed out"):
        sorter.done("b")


@pytest.mark.parametrize("graph", [{"a": [], "b": ["a"]}, Dag({"a": [], "b": ["a"]})])
def test_a_sorter_can_be_pickled_until_it_is_prepared(graph):
    sorter = Sorter(graph)

    again = pickle.loads(pickle.dumps(sorter))  # noqa: S301
    assert list(again.static_order()) == ["a", "b"]

    sorter.prepare()
    with pytest.raises(TypeError, match="a Sorter cannot be pickled or copied after prepare"):
        pickle.dumps(sorter)


def test_parents_that_are_not_a_list_are_refused_by_name():
    with pytest.raises(GraphError, match="parents of task 'a': expected a list of tasks, got None"):
        Sorter({"a": None})
