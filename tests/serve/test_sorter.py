"""Sorter as a drop-in for graphlib.TopologicalSorter, and what it adds."""

import graphlib
import pickle
from collections.abc import Hashable, Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import ArgumentError, CycleError, Dag, Sorter, prioritize
from icsched.errors import ScheduleError
from tests.strategies import arc_lists, dags, dags_with_orders

EitherSorter = TopologicalSorter | Sorter

# The manual's first example: D needs B and C, which both need A.
DIAMOND = {"D": ["B", "C"], "C": ["A"], "B": ["A"]}


@pytest.fixture(params=[TopologicalSorter, Sorter])
def sorter_class(request) -> type[EitherSorter]:
    """Both classes: a test that takes this holds for the original, too."""
    return request.param


def prepared(sorter: EitherSorter) -> EitherSorter:
    sorter.prepare()
    return sorter


def groups(sorter: EitherSorter) -> list[set[Hashable]]:
    """Run a sorter to its end, finishing each group whole."""
    sorter.prepare()
    found = []
    while sorter.is_active():
        group = sorter.get_ready()
        found.append(set(group))
        sorter.done(*group)
    return found


def is_legal(order: Sequence[Hashable], graph: Mapping[Hashable, Iterable[Hashable]]) -> bool:
    place = {task: i for i, task in enumerate(order)}
    return len(place) == len(order) and all(
        place[parent] < place[task] for task, parents in graph.items() for parent in parents
    )


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


# Names


def test_names_of_mixed_types_are_kept_apart(sorter_class):
    names = [1, "1", (1,), None, 2.5, frozenset({1}), b"1"]
    chain = {after: [before] for before, after in pairwise(names)}

    assert list(sorter_class(chain).static_order()) == names


def test_equal_names_are_one_task(sorter_class):
    sorter = prepared(sorter_class({"b": [1], "c": [1.0, True]}))

    assert sorter.get_ready() == (1,)
    sorter.done(1)
    assert set(sorter.get_ready()) == {"b", "c"}


def test_done_takes_names_that_are_equal_but_not_identical(sorter_class):
    sorter = prepared(sorter_class({"c": [(1, 2), 3]}))
    assert set(sorter.get_ready()) == {(1, 2), 3}

    sorter.done(tuple(range(1, 3)), 3.0)

    assert sorter.get_ready() == ("c",)


class Expression:
    """Hashable by identity; == builds an expression that is neither true nor false.

    Names like this are common: delayed computations, columns, symbolic terms.
    """

    def __eq__(self, other: object) -> "Expression":  # type: ignore[override]
        return Expression()

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError("an expression has no truth")


def test_names_are_looked_up_and_never_asked_whether_they_are_equal(sorter_class):
    first, second, last = Expression(), Expression(), Expression()
    sorter = prepared(sorter_class({last: [first, second]}))
    assert len(sorter.get_ready()) == 2

    sorter.done(second)
    sorter.done(first)

    assert sorter.get_ready()[0] is last


# Lockstep with graphlib


def both(tasks: int, arcs: list[tuple[int, int]]) -> tuple[TopologicalSorter, Sorter]:
    theirs, ours = TopologicalSorter(), Sorter()
    for sorter in (theirs, ours):
        for task in range(tasks):
            sorter.add(task)
        for parent, child in arcs:
            sorter.add(child, parent)
    return theirs, ours


def prepare_both(theirs: TopologicalSorter, ours: Sorter, arcs: list[tuple[int, int]]) -> None:
    """Prepare both; they agree on whether there is a cycle, and ours names a real one."""
    try:
        theirs.prepare()
    except graphlib.CycleError:
        with pytest.raises(graphlib.CycleError) as caught:
            ours.prepare()
        cycle = caught.value.args[1]
        assert cycle[0] == cycle[-1]
        assert set(pairwise(cycle)) <= set(arcs)
    else:
        ours.prepare()


@settings(deadline=None)
@given(arc_lists(), st.data())
def test_sorter_and_graphlib_hand_out_the_same_tasks_as_workers_finish(graph, data):
    tasks, arcs = graph
    theirs, ours = both(tasks, arcs)
    prepare_both(theirs, ours, arcs)
    out: list[Hashable] = []

    while theirs.is_active():
        assert ours.is_active()
        fresh = ours.get_ready()
        assert set(fresh) == set(theirs.get_ready())
        out.extend(fresh)
        shuffled = data.draw(st.permutations(out))
        finished = shuffled[: data.draw(st.integers(1, len(out)))]
        theirs.done(*finished)
        ours.done(*finished)
        out = [task for task in out if task not in finished]

    assert not ours.is_active()
    assert ours.get_ready() == theirs.get_ready() == ()


def outcome(sorter: EitherSorter, finished: list[int] | None) -> object:
    """What one call does: the tasks it hands out, or the first words of its objection."""
    if finished is None:
        return set(sorter.get_ready())
    try:
        return sorter.done(*finished)
    except ValueError as error:
        return str(error)[: len("node 0 was not passed out")]


@settings(deadline=None)
@given(arc_lists(), st.lists(st.none() | st.lists(st.integers(0, 8), max_size=4), max_size=12))
def test_sorter_and_graphlib_agree_on_any_calls_right_or_wrong(graph, calls):
    """None stands for get_ready(), a list for done() of these tasks; 8 is never a task."""
    tasks, arcs = graph
    theirs, ours = both(tasks, arcs)
    prepare_both(theirs, ours, arcs)

    for finished in calls:
        assert outcome(ours, finished) == outcome(theirs, finished)
        assert ours.is_active() == theirs.is_active()


# What Sorter adds: a given order


def test_tasks_come_in_the_given_order():
    r"""
    a   b   c
     \ /    |      The order c b a e d: all sources are ready, best first.
      d     e
    """
    dag = Dag({"a": [], "b": [], "c": [], "d": ["a", "b"], "e": ["c"]})
    sorter = prepared(Sorter(dag, order=[2, 1, 0, 4, 3]))

    assert sorter.get_ready() == ("c", "b", "a")
    sorter.done("a", "b", "c")
    assert sorter.get_ready() == ("e", "d")


def test_a_task_that_becomes_ready_goes_before_worse_ones_that_waited():
    r"""
    a   b
    |           a, c, b: once a is done, c goes before b.
    c
    """
    sorter = prepared(Sorter(Dag({"a": [], "b": [], "c": ["a"]}), order=[0, 2, 1]))

    assert sorter.get_ready(1) == ("a",)
    sorter.done("a")
    assert sorter.get_ready(1) == ("c",)
    assert sorter.get_ready(1) == ("b",)
    assert sorter.get_ready(1) == ()


@given(dags_with_orders())
def test_static_order_is_the_given_order(dag_and_order):
    dag, order = dag_and_order
    names = [f"task {task}" for task in range(len(dag))]
    named = Dag.from_arcs(len(dag), dag.arcs, names=names)

    assert list(Sorter(named, order=order).static_order()) == [names[task] for task in order]


@settings(deadline=None)
@given(dags_with_orders(), st.data())
def test_get_ready_hands_out_the_best_n_of_all_that_are_ready(dag_and_order, data):
    dag, order = dag_and_order
    sorter = prepared(Sorter(dag, order=order))
    mapping, out, finished = dag.to_mapping(), [], set()

    while sorter.is_active():
        taken = {*out, *finished}
        ready = [t for t in order if t not in taken and finished.issuperset(mapping[t])]
        n = data.draw(st.integers(0 if out else 1, len(dag)))
        assert list(sorter.get_ready(n)) == ready[:n]
        out += ready[:n]
        if out:
            task = out.pop(data.draw(st.integers(0, len(out) - 1)))
            sorter.done(task)
            finished.add(task)

    assert len(finished) == len(dag)


def test_without_an_order_a_dags_tasks_come_as_they_become_ready():
    dag = Dag({"a": [], "b": [], "c": ["b"], "d": ["a"]})
    sorter = prepared(Sorter(dag))

    assert sorter.get_ready() == ("a", "b")
    sorter.done("b")
    sorter.done("a")
    assert sorter.get_ready() == ("c", "d")


def test_an_empty_dag_takes_an_empty_order():
    sorter = prepared(Sorter(Dag({}), order=[]))

    assert not sorter.is_active()
    assert sorter.get_ready(3) == ()


def test_an_order_without_a_dag_is_refused():
    with pytest.raises(ValueError, match=r"^order needs a Dag: use Sorter"):
        Sorter({"b": ["a"]}, order=[0, 1])
    with pytest.raises(ValueError, match=r"^order needs a Dag: use Sorter"):
        Sorter(order=[])


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([1, 0], "step 1 runs 'b' before its parent 'a'"),
        ([0], "order: expected 2 tasks, got 1"),
        ([], "order: expected 2 tasks, got 0"),
        ([0, 0], "order: task 'a' occurs twice"),
        ([0, 2], "order: unknown task id 2"),
        (["b", "a"], "step 1 runs 'b' before its parent 'a'"),
    ],
)
def test_an_order_that_is_not_legal_is_refused(order, message):
    with pytest.raises(ScheduleError) as caught:
        Sorter(Dag({"a": [], "b": ["a"]}), order=order)

    assert str(caught.value) == message


def test_a_sorter_made_from_a_dag_cannot_grow():
    sorter = Sorter(Dag({"a": []}))

    with pytest.raises(ValueError, match=r"^cannot add to a sorter made from a Dag"):
        sorter.add("b", "a")
    assert groups(sorter) == [{"a"}]


def test_two_sorters_of_one_dag_do_not_disturb_each_other():
    dag = Dag({"a": [], "b": ["a"]})
    first, second = prepared(Sorter(dag)), prepared(Sorter(dag))
    first.done(*first.get_ready())

    assert second.get_ready() == ("a",)
    assert first.get_ready() == ("b",)


# What Sorter adds: best first, from a mapping too


def test_a_mappings_tasks_come_best_first():
    """a frees nothing, b frees two."""
    sorter = prepared(Sorter({"a": [], "b": [], "c": ["b"], "d": ["b"]}))

    assert sorter.get_ready() == ("b", "a")


def test_tasks_that_were_added_come_best_first():
    sorter = Sorter({"a": [], "b": []})
    sorter.add("c", "b")
    sorter.add("d", "b")

    assert list(sorter.static_order()) == ["b", "a", "c", "d"]


@given(dags())
def test_a_mapping_comes_in_the_order_of_its_dag(dag):
    """Each task is mentioned as a task before it is as a parent, so that ids are the same."""
    sorter = Sorter()
    for task in range(len(dag)):
        sorter.add(task)
    for parent, child in dag.arcs.tolist():
        sorter.add(child, parent)

    assert list(sorter.static_order()) == list(Sorter(dag).static_order())


def test_with_a_cycle_tasks_come_as_they_become_ready():
    """c and d wait for each other; b would come before a if there was no cycle."""
    sorter = Sorter({"a": [], "b": [], "e": ["b"], "f": ["b"], "c": ["d"], "d": ["c"]})
    with pytest.raises(CycleError):
        sorter.prepare()

    assert sorter.get_ready() == ("a", "b")


@pytest.mark.parametrize(
    ("graph", "name"), [(prioritize(Dag({"a": []}), "prio"), "Plan"), (["a"], "list"), (7, "int")]
)
def test_what_is_not_a_graph_is_refused(graph, name):
    with pytest.raises(ArgumentError) as error:
        Sorter(graph)
    assert str(error.value) == (
        f"graph: expected a Dag, or a mapping from tasks to their parents, got {name}"
    )


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


TYPED = """
from icsched import Dag, Sorter

def names(graph: dict[str, list[str]]) -> list[str]:
    sorter = Sorter(graph)
    sorter.add("a", "b")
    sorter.prepare()
    first: tuple[str, ...] = sorter.get_ready()
    sorter.done(*first)
    sorter.lost(*sorter.take(1))
    return list(sorter.static_order())

def grown() -> Sorter[int]:
    sorter: Sorter[int] = Sorter()
    sorter.add("wrong")
    return sorter

def of_a_dag(dag: Dag) -> Sorter[str]:
    return Sorter(dag, order=dag.fifo_order)
"""


def test_names_keep_their_type(tmp_path):
    mypy = pytest.importorskip("mypy.api")
    program = tmp_path / "typed.py"
    program.write_text(TYPED)

    report, _, _ = mypy.run(["--strict", "--no-error-summary", str(program)])

    wrong = 'Argument 1 to "add" of "Sorter" has incompatible type "str"; expected "int"'
    assert report.endswith(f"typed.py:15: error: {wrong}  [arg-type]\n")  # mypy may cache the path
    assert report.count("\n") == 1


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
