"""A workflow of any format: what is done, what is left, what is known of each task."""

import pickle

import networkx
import numpy as np
import pytest

from icsched import (
    ArgumentError,
    Dag,
    Times,
    Workers,
    Workflow,
    order_within,
    prioritize,
    read,
    simulate,
)
from icsched.errors import ScheduleError
from icsched.formats.dagman.workflow_files import submission_of
from icsched.sim import Experiment, Played
from icsched.workflow import Command, OwnSource, Remark, WorkflowSource

CHAIN = Dag({"a": [], "b": ["a"], "c": ["b"]})


def test_what_is_left_to_run_is_a_dag_of_its_own():
    """a -> b -> c with a done: b and c are left, and b is a source now."""
    workflow = Workflow(CHAIN, done=np.array([True, False, False]))

    assert workflow.names == ("a", "b", "c")
    assert workflow.dag is CHAIN
    assert workflow.residual.dag == Dag({"b": [], "c": ["b"]})
    assert not workflow.residual.done.any()


def test_a_task_may_be_done_before_its_parents():
    """a -> b -> c with b done, as a user of DAGMan may say: a and c are left without arcs."""
    workflow = Workflow(CHAIN, done=np.array([False, True, False]))

    assert workflow.residual.dag == Dag({"a": [], "c": []})


def test_with_nothing_done_the_whole_dag_is_left_and_is_not_copied():
    workflow = Workflow(CHAIN)

    assert workflow.done.tolist() == [False] * 3
    assert workflow.residual is workflow


def test_the_columns_of_what_is_left_have_the_tasks_that_are_left():
    workflow = Workflow(
        CHAIN,
        done=[True, False, False],
        run_times=[1, 2, 3],
        sizes=[4, 5, 6],
        priorities=[7, 8, 9],
        source=OwnSource(own_descriptions=["x.sub", "y.sub", "y.sub"]),
        stated={"sizes": np.array([np.nan, 5, 6])},
    )
    left = workflow.residual

    assert left.run_times.tolist() == [2, 3]
    assert left.sizes.tolist() == left.stated["sizes"].tolist() == [5, 6]
    assert left.priorities.tolist() == [8, 9]
    assert left.source.descriptions() == ["y.sub", "y.sub"]


def test_an_order_and_a_simulation_of_what_is_left_speak_of_the_whole_workflow():
    """Of a -> b -> c, with x apart, a is done: the ids 1 to 3 are left."""
    workflow = Workflow(
        Dag({"a": [], "b": ["a"], "c": ["b"], "x": []}),
        done=[True, False, False, False],
        run_times=[9, 1, 5, 2],
        priorities=[0, 1, 2, 3],
    )
    plan = prioritize(workflow, "critical-path")
    steps = Experiment(workflow, Workers(1), Times("constant")).trace(
        Played("static", [1, 2, 3]), seed=0, run=0
    )

    assert plan.names == ["b", "c", "x"]
    assert plan.order.tolist() == [1, 2, 3]
    assert plan.dag is workflow.dag
    assert plan.schedule.order.tolist() == [0, 1, 2]
    assert plan.priorities == {"b": 3, "c": 2, "x": 1}
    assert plan.priorities_by_id.tolist() == [0, 3, 2, 1]
    assert prioritize(workflow, [3, 1, 2]).names == ["x", "b", "c"]
    assert prioritize(workflow, "critical-path", run_times=[9, 1, 5, 20]).names[0] == "x"
    assert steps.assignments.task.tolist() == [1, 2, 3]
    assert steps.assignments.end.tolist() == [1, 6, 8]
    assert order_within(workflow, 2).order.tolist() == [1, 2, 3]
    now = simulate(
        workflow,
        {"now": Played("priority", priorities=workflow.priorities), "plan": plan},
        pool=Workers(1),
        times=Times("constant"),
        baseline="plan",
    )
    assert now.orders["now"].time.mean == 8


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        ([0, 1, 2], "order: task 'a' is done"),
        (["a", "b", "c"], "order: task 'a' is done"),
        ([1, 3], "order: unknown task id 3"),
        ([1], "order: expected 2 tasks, got 1"),
    ],
)
def test_an_order_has_the_tasks_that_are_left_and_no_others(order, problem):
    with pytest.raises(ScheduleError) as caught:
        prioritize(Workflow(CHAIN, [True, False, False]), order)

    assert str(caught.value) == problem


def test_lists_become_arrays():
    workflow = Workflow(CHAIN, done=[True, False, False], run_times=[0, 2, 3], sizes=[0, 10, 20])

    assert workflow.done.dtype == bool
    assert workflow.run_times.dtype == np.float64
    assert workflow.sizes.dtype == np.int64


@pytest.mark.parametrize(
    ("known", "problem"),
    [
        ({"done": [True]}, "done: expected 3 values, one for each task, got 1"),
        ({"run_times": [1.0]}, "run_times: expected 3 values, one for each task, got 1"),
        ({"run_times": [0, "long", 1]}, "run time of 'b': expected a number, got 'long'"),
        ({"run_times": [0, -1, 1]}, "run time of 'b': expected 0 or more, got -1.0"),
        ({"run_times": 5}, "run_times: expected one for each task, got 5"),
        ({"sizes": [0, -1, 1]}, "size of 'b': expected 0 or more, got -1"),
        ({"dag": 5}, "dag: expected a Dag, got 5"),
        ({"done": "abc"}, "done: expected true or false for each task, got 'abc'"),
        (
            {"done": ["", "a", "b"]},
            "done: expected true or false for each task, got ['', 'a', 'b']",
        ),
        ({"sizes": [1, 2]}, "sizes: expected 3 values, one for each task, got 2"),
    ],
)
def test_an_array_has_a_value_for_each_task(known, problem):
    with pytest.raises(ArgumentError) as caught:
        Workflow(**{"dag": CHAIN, "done": [True, False, False], **known})

    assert str(caught.value) == problem


def test_a_workflow_as_plain_data_has_names_for_ids():
    workflow = Workflow(
        CHAIN,
        done=[True, False, False],
        run_times=[0, 2.5, 1],
        sizes=[0, 7, 8],
        source=OwnSource([Command(("make", "a")), Command(("make", "b")), None]),
        priorities=[0, -3, 2],
        remarks=(Remark("wf", 3, "slow"),),
        files=["wf"],
        done_by="wf.done",
        format="edges",
        needs={"cores": [1, 4, float("nan")]},
    )

    assert workflow.to_dict() == {
        "format": "edges",
        "files": ["wf"],
        "tasks": ["a", "b", "c"],
        "arcs": [["a", "b"], ["b", "c"]],
        "done": ["a"],
        "done_by": "wf.done",
        "run_times": {"b": 2.5, "c": 1.0},
        "sizes": {"b": 7, "c": 8},
        "commands": {"b": ["make", "b"], "c": None},
        "priorities": {"b": -3, "c": 2},
        "needs": {"cores": {"b": 4.0}},
        "remarks": [{"path": "wf", "line": 3, "text": "slow", "count": 1}],
    }


def test_what_the_files_do_not_say_is_none_in_plain_data():
    plain = Workflow(CHAIN, done=np.zeros(3, bool)).to_dict()

    assert plain["run_times"] is plain["sizes"] is plain["commands"] is plain["priorities"] is None


def test_another_answer_about_settings_does_not_change_the_first():
    source = WorkflowSource()

    assert source.settings is None
    assert source.asking(dict).settings == {}
    assert source.asking(dict).asking(lambda: None).settings is None
    assert source.settings is None


def test_a_workflow_travels_to_another_process_with_what_its_files_say(put):
    put({"wf.dag": "JOB a x.sub DONE\nJOB b y.sub\nSPLICE S in.dag\nPARENT a CHILD b S\n"})
    put({"in.dag": "JOB p p.sub\nSCRIPT PRE p wait.sh\n"})
    workflow = read("wf.dag")
    _ = workflow.dag  # what was computed travels, or is computed again

    copy = pickle.loads(pickle.dumps(workflow))  # noqa: S301  our own bytes

    assert copy.to_dict() == workflow.to_dict()
    assert copy.dag == workflow.dag
    was, now = submission_of(workflow), submission_of(copy)
    assert now.names == was.names
    assert now.priorities.tolist() == was.priorities.tolist()


def test_a_node_attribute_of_networkx_may_be_the_run_time():
    graph = networkx.DiGraph([("a", "b")])
    graph.nodes["a"]["seconds"] = 3

    with pytest.raises(ArgumentError, match="run_times: expected 'seconds' of node 'b'"):
        Workflow.from_networkx(graph, run_times="seconds")

    graph.nodes["b"]["seconds"] = 5
    assert Workflow.from_networkx(graph, run_times="seconds").run_times.tolist() == [3, 5]
    assert Workflow.from_networkx(graph).run_times is None
