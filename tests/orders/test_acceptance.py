"""What is accepted as an order, and as a graph to order."""

import networkx
import numpy as np
import pandas
import pytest

import icsched
from icsched import (
    ArgumentError,
    BatchServer,
    ClusterServer,
    Dag,
    Schedule,
    best_batch,
    best_cluster,
    eligibility_profile,
    order_within,
    plan_clusters,
    prioritize,
    verify,
)
from icsched.errors import GraphError, ScheduleError, UnknownTaskError
from icsched.orders import memory_curve
from icsched.pebble import (
    area,
    check_order,
    compare,
    critical_path_order,
    enabled_profile,
    fifo_order,
    level_order,
    lifo_order,
    memory_profile,
    priority_order,
    random_order,
)
from icsched.pebble.referee import ic_optimal_order, maximum_area_order, optimal_profile
from icsched.theory import dual_order, lean_order

r"""
a   c        The best order runs c first, which has two children.
|  / \
b d   e
"""
PARENTS = {"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]}
DAG = Dag(PARENTS)
BEST = ["c", "a", "b", "d", "e"]
PLAN = prioritize(DAG, "prio")

FORMS = {
    "plan": PLAN,
    "schedule": PLAN.schedule,
    "limited": order_within(DAG, 9),
    "names": BEST,
    "tuple": tuple(BEST),
    "array of names": np.array(BEST),
    "generator": (name for name in BEST),
    "ids": [2, 0, 1, 3, 4],
    "array of ids": np.array([2, 0, 1, 3, 4]),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_order_has_many_forms(form):
    assert check_order(DAG, FORMS[form]).tolist() == [2, 0, 1, 3, 4]


@pytest.mark.parametrize("order", [PLAN, PLAN.schedule, BEST, [2, 0, 1, 3, 4]])
def test_every_callable_takes_every_form(order):
    assert eligibility_profile(DAG, order).tolist() == [2, 3, 3, 2, 1, 0]
    assert enabled_profile(DAG, order).tolist() == [0, 2, 3, 3, 3, 3]
    assert memory_profile(DAG, order).tolist() == [0, 1, 2, 1, 1, 0]
    assert area(DAG, order) == 11
    assert compare(DAG, order, order).never_below
    assert verify(DAG, order).ic_optimal
    assert Schedule(DAG, order).names == BEST
    assert dual_order(DAG, order).tolist() == [1, 3, 4, 0, 2]
    assert len(lean_order(DAG, order)) == 5
    assert prioritize(DAG, order).names == BEST


def test_a_plan_of_an_equal_dag_is_taken():
    assert check_order(Dag(PARENTS), PLAN).tolist() == [2, 0, 1, 3, 4]


def test_a_plan_of_another_dag_is_refused():
    other = Dag({"a": [], "b": [], "c": [], "d": [], "x": []})

    with pytest.raises(ScheduleError) as caught:
        area(other, PLAN)

    assert (
        str(caught.value) == "order: expected one of Dag(tasks=5, arcs=0), got one of another dag"
    )


def test_a_checked_order_is_not_checked_again():
    assert Schedule.of(DAG, PLAN) is PLAN.schedule
    assert eligibility_profile(DAG, PLAN) is PLAN.schedule.eligible


def test_numbers_as_names_are_names_if_they_are_no_ids():
    dag = Dag({10: [], 30: [10], 20: []})

    assert check_order(dag, [20, 10, 30]).tolist() == [2, 0, 1]
    assert check_order(dag, [2, 0, 1]).tolist() == [2, 0, 1]


def test_the_names_of_a_plan_are_that_plan_also_if_they_are_the_ids_of_other_tasks():
    swapped = Dag({1: [], 0: [1]})
    plan = prioritize(swapped, "prio")

    assert plan.names == [1, 0]
    assert check_order(swapped, plan.names).tolist() == plan.order.tolist() == [0, 1]
    assert check_order(swapped, np.array([0, 1])).tolist() == [0, 1]


def test_neighbours_are_asked_for_by_name_or_id():
    assert DAG.children("c").tolist() == DAG.children(2).tolist() == [3, 4]
    assert DAG.parents("e").tolist() == DAG.parents(4).tolist() == [2]


def test_a_number_is_a_name_where_names_are_numbers():
    dag = Dag({1: [], 5: [1], 0: [5]})

    assert dag.children(5).tolist() == [2]
    assert dag.children(1).tolist() == [1]
    assert dag.mask([1, 0]).tolist() == [True, False, True]
    with pytest.raises(UnknownTaskError):
        dag.children(2)  # the id of the task 0


@pytest.mark.parametrize("form", [dict, pandas.Series])
def test_values_with_labels_go_by_label(form):
    """c takes longest. In the chain only the result of a is kept, because b is a sink."""
    free = {"a": [], "b": [], "c": []}
    seconds = form({"c": 9, "b": 5, "a": 1})
    assert prioritize(free, "critical-path", run_times=seconds).names == ["c", "b", "a"]

    chain = {"a": [], "b": ["a"]}
    assert order_within(chain, 5, sizes=form({"b": 3, "a": 1})).memory == 1
    with pytest.raises(ArgumentError, match="sizes: expected one for each task, none for 'b'"):
        order_within(chain, 5, sizes=form({"a": 1}))


def test_a_series_with_a_label_twice_is_refused():
    twice = pandas.Series([1, 5, 9], index=["a", "b", "b"])

    with pytest.raises(ArgumentError, match="run_times: the label 'b' occurs twice"):
        prioritize({"a": [], "b": []}, "critical-path", run_times=twice)


def test_a_series_that_is_numbered_goes_by_place():
    free = {"a": [], "b": [], "c": []}

    plan = prioritize(free, "critical-path", run_times=pandas.Series([1, 5, 9]))
    assert plan.names == ["c", "b", "a"]


def test_a_dag_contains_and_lists_its_names():
    assert "c" in DAG
    assert 2 not in DAG
    assert list(DAG) == ["a", "b", "c", "d", "e"]


def test_a_plan_has_names_and_priorities_by_name():
    assert PLAN.names == BEST
    assert PLAN.priorities == {"c": 5, "a": 4, "b": 3, "d": 2, "e": 1}
    assert PLAN.priorities_by_id.tolist() == [4, 3, 5, 2, 1]
    assert PLAN.fifo.names == ["a", "c", "b", "d", "e"]


class Workflow:
    """Something with a dag, and run times."""

    dag = Dag({"short": [], "long": []})
    run_times = np.array([1.0, 9.0])


@pytest.mark.parametrize("graph", [DAG, PARENTS, DAG.to_networkx(), PLAN, PLAN.schedule])
def test_many_kinds_of_graph_are_ordered(graph):
    assert prioritize(graph, "prio").names == BEST


@pytest.mark.parametrize("graph", [None, 5, "abc", [("a", "b")], object()])
def test_anything_else_is_no_graph(graph):
    with pytest.raises(GraphError, match="expected a Dag, a workflow, a mapping, or a graph of"):
        prioritize(graph, "prio")


TAKERS = {
    "prioritize": lambda graph: prioritize(graph, "prio").names,
    "order_within": lambda graph: order_within(graph, 9).plan.names,
    "memory_curve": lambda graph: memory_curve(graph)[0].memory,
    "BatchServer": lambda graph: BatchServer(graph).take(1),
    "ClusterServer": lambda graph: ClusterServer(graph).take(2).tasks,
    "best_batch": lambda graph: best_batch(graph, [], 1).take,
    "best_cluster": lambda graph: best_cluster(graph, 2).tasks,
    "plan_clusters": lambda graph: [taken.tasks for taken in plan_clusters(graph, [2])],
    "verify": lambda graph: verify(graph, BEST).ic_optimal,
    "profile": lambda graph: eligibility_profile(graph, BEST).tolist(),
    "memory": lambda graph: memory_profile(graph, BEST).tolist(),
    "compare": lambda graph: compare(graph, BEST, BEST).never_below,
    "schedule": lambda graph: Schedule(graph, BEST).names,
    "optimal": lambda graph: optimal_profile(graph).tolist(),
    "ic-optimal": lambda graph: ic_optimal_order(graph).tolist(),
    "area": lambda graph: maximum_area_order(graph).tolist(),
    "fifo": lambda graph: fifo_order(graph).tolist(),
    "lifo": lambda graph: lifo_order(graph).tolist(),
    "level": lambda graph: level_order(graph).tolist(),
    "critical path": lambda graph: critical_path_order(graph).tolist(),
    "random": lambda graph: random_order(graph, seed=1).tolist(),
    "priority": lambda graph: priority_order(graph, [4, 3, 2, 1, 0]).tolist(),
    "dual": lambda graph: dual_order(graph, BEST).tolist(),
    "lean": lambda graph: lean_order(graph, BEST).tolist(),
}


@pytest.mark.parametrize("taker", TAKERS)
@pytest.mark.parametrize("graph", [PARENTS, icsched.Workflow(DAG, [False] * 5), PLAN])
def test_every_callable_takes_every_kind_of_graph(taker, graph):
    assert TAKERS[taker](graph) == TAKERS[taker](DAG)


@pytest.mark.parametrize("taker", TAKERS)
def test_no_callable_takes_a_number_as_a_graph(taker):
    with pytest.raises(GraphError, match=r"^expected a Dag, a workflow, .*, got int$"):
        TAKERS[taker](5)


def test_a_mapping_is_no_graph_of_networkx():
    with pytest.raises(GraphError, match="networkx graph, got dict"):
        Dag.from_networkx(PARENTS)


def test_a_workflow_brings_its_run_times():
    plan = prioritize(Workflow(), "critical-path")

    assert plan.names == ["long", "short"]
    assert prioritize(Workflow(), "critical-path", run_times=[2, 1]).names[0] == "short"


def test_run_times_may_be_attributes_of_a_networkx_graph():
    graph = networkx.DiGraph()
    graph.add_node("short", seconds=1)
    graph.add_node("long", seconds=9)

    seconds = networkx.get_node_attributes(graph, "seconds")

    assert prioritize(graph, "critical-path", run_times=seconds).names == ["long", "short"]


def test_a_missing_run_time_is_named():
    with pytest.raises(ArgumentError, match="run_times: expected one for each task, none for 'b'"):
        prioritize({"a": [], "b": ["a"]}, "critical-path", run_times={"a": 1})


def test_an_order_of_ones_own_becomes_a_plan():
    plan = prioritize(DAG, ["a", "b", "c", "d", "e"], label="@mine.txt")

    assert (plan.ordered_by, plan.proof.is_ic_optimal) == ("@mine.txt", False)
    assert prioritize(DAG, BEST).ordered_by == "given"
    assert prioritize(DAG, PLAN).proof == PLAN.proof


def test_an_unknown_order_is_refused():
    with pytest.raises(ArgumentError, match=r"order: expected auto, prio, fifo, .*, got 'best'"):
        prioritize(DAG, "best")


@pytest.mark.parametrize("order", ["prio", "fifo", BEST])
def test_run_times_are_checked_even_if_the_order_does_not_use_them(order):
    with pytest.raises(ArgumentError, match=r"run_times: expected 5 numbers, got shape \(1,\)"):
        prioritize(DAG, order, run_times=[1])


def test_a_plan_keeps_the_name_of_its_order_unless_a_label_is_given():
    lifo = prioritize(DAG, "lifo")

    assert prioritize(DAG, lifo).ordered_by == "lifo"
    assert prioritize(Dag(PARENTS), lifo).ordered_by == "lifo"
    assert prioritize(DAG, lifo, label="mine").ordered_by == "mine"
    assert prioritize(DAG, lifo.schedule).ordered_by == "given"
