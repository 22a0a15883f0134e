"""What Sorter adds to graphlib: a given order, and the best task first."""

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import ArgumentError, CycleError, Dag, Sorter, prioritize
from icsched.errors import GraphError, ScheduleError
from tests.serve.sorters import groups, prepared
from tests.strategies import dags, dags_with_orders


def networkx_of(graph):
    return Dag(graph).to_networkx()


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


GRAPH = {"a": [], "b": [], "c": ["a"]}


@pytest.mark.parametrize("order", [["b", "a", "c"], prioritize(GRAPH, ["b", "a", "c"])])
@pytest.mark.parametrize("make", [dict, Dag, partial(prioritize, order="fifo"), networkx_of])
def test_any_graph_has_a_sorter_by_any_form_of_order(make, order):
    sorter = Sorter(make(GRAPH), order=order)

    assert list(sorter.static_order()) == ["b", "a", "c"]


def test_without_an_order_any_graph_is_sorted_by_prio():
    """b makes two tasks ready, and a none."""
    graph = {"a": [], "b": [], "c": ["b"], "d": ["b"]}

    for form in (graph, networkx_of(graph), prioritize(graph, "fifo")):
        assert list(Sorter(form).static_order()) == prioritize(graph, "prio").names
        assert next(Sorter(form).static_order()) == "b"


def test_an_order_without_a_graph_is_refused():
    with pytest.raises(ArgumentError, match=r"^order: expected a graph with it"):
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

    with pytest.raises(
        ValueError, match=r"^cannot add to this sorter: its graph or its order was given"
    ):
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


@pytest.mark.parametrize(("graph", "name"), [(["a"], "list"), (7, "int")])
def test_what_is_not_a_graph_is_refused(graph, name):
    with pytest.raises(GraphError) as error:
        Sorter(graph)
    assert str(error.value) == (
        f"expected a Dag, a workflow, a mapping, or a graph of networkx, got {name}"
    )
