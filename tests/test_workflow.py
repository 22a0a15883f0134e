"""A workflow of any format: what is done, what is left, what is known of each task."""

import pickle

import networkx
import numpy as np
import pytest

from icsched import ArgumentError, Dag, Workflow, read
from icsched.workflow import Command, Remark

CHAIN = Dag({"a": [], "b": ["a"], "c": ["b"]})


def test_what_is_left_to_run_is_a_dag_of_its_own():
    """a -> b -> c with a done: b and c are left, and b is a source now."""
    workflow = Workflow(CHAIN, done=np.array([True, False, False]))

    assert workflow.names == ("a", "b", "c")
    assert workflow.left.tolist() == [1, 2]
    assert workflow.dag == Dag({"b": [], "c": ["b"]})


def test_a_task_may_be_done_before_its_parents():
    """a -> b -> c with b done, as a user of DAGMan may say: a and c are left without arcs."""
    workflow = Workflow(CHAIN, done=np.array([False, True, False]))

    assert workflow.dag == Dag({"a": [], "c": []})


def test_with_nothing_done_the_whole_dag_is_left_and_is_not_copied():
    workflow = Workflow(CHAIN, done=np.zeros(3, bool))

    assert workflow.dag is CHAIN


def test_lists_become_arrays():
    workflow = Workflow(CHAIN, done=[True, False, False], run_times=[2, 3], sizes=[10, 20])

    assert workflow.done.dtype == bool
    assert workflow.run_times.dtype == np.float64
    assert workflow.sizes.dtype == np.int64


@pytest.mark.parametrize(
    ("known", "problem"),
    [
        ({"done": [True]}, "done: expected 3 values, one for each task, got 1"),
        ({"run_times": [1.0]}, "run_times: expected 2 values, one for each task, got 1"),
        ({"run_times": ["long", 1]}, "run time of 'b': expected a number, got 'long'"),
        ({"run_times": [-1, 1]}, "run time of 'b': expected 0 or more, got -1.0"),
        ({"run_times": 5}, "run_times: expected one for each task, got 5"),
        ({"sizes": [-1, 1]}, "size of 'b': expected 0 or more, got -1"),
        ({"whole": 5}, "whole: expected a Dag, got 5"),
        ({"done": None}, "done: expected true or false for each task, got None"),
        ({"done": "abc"}, "done: expected true or false for each task, got 'abc'"),
        (
            {"done": ["", "a", "b"]},
            "done: expected true or false for each task, got ['', 'a', 'b']",
        ),
        ({"sizes": [1, 2, 3]}, "sizes: expected 2 values, one for each task, got 3"),
    ],
)
def test_an_array_has_a_value_for_each_task(known, problem):
    with pytest.raises(ArgumentError) as caught:
        Workflow(**{"whole": CHAIN, "done": [True, False, False], **known})

    assert str(caught.value) == problem


def test_a_workflow_as_plain_data_has_names_for_ids():
    workflow = Workflow(
        CHAIN,
        done=[True, False, False],
        run_times=[2.5, 1],
        sizes=[7, 8],
        find_commands=lambda: [Command(("make", "a")), Command(("make", "b")), None],
        priorities=[-3, 2],
        remarks=(Remark("wf", 3, "slow"),),
        files=["wf"],
        done_by="wf.done",
        format="edges",
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
        "remarks": [{"path": "wf", "line": 3, "text": "slow", "count": 1}],
    }


def test_what_the_files_do_not_say_is_none_in_plain_data():
    plain = Workflow(CHAIN, done=np.zeros(3, bool)).to_dict()

    assert plain["run_times"] is plain["sizes"] is plain["commands"] is plain["priorities"] is None


def test_a_workflow_travels_to_another_process_with_what_its_files_say(put):
    put({"wf.dag": "JOB a x.sub DONE\nJOB b y.sub\nSPLICE S in.dag\nPARENT a CHILD b S\n"})
    put({"in.dag": "JOB p p.sub\nSCRIPT PRE p wait.sh\n"})
    workflow = read("wf.dag")
    _ = workflow.dag  # what was computed travels, or is computed again

    copy = pickle.loads(pickle.dumps(workflow))  # noqa: S301  our own bytes

    assert copy.to_dict() == workflow.to_dict()
    assert copy.dag == workflow.dag
    assert copy.parsed.names == workflow.parsed.names
    assert copy.parsed.priorities.tolist() == workflow.parsed.priorities.tolist()


def test_a_node_attribute_of_networkx_may_be_the_run_time():
    graph = networkx.DiGraph([("a", "b")])
    graph.nodes["a"]["seconds"] = 3

    with pytest.raises(ArgumentError, match="run_times: expected 'seconds' of node 'b'"):
        Workflow.from_networkx(graph, run_times="seconds")

    graph.nodes["b"]["seconds"] = 5
    assert Workflow.from_networkx(graph, run_times="seconds").run_times.tolist() == [3, 5]
    assert Workflow.from_networkx(graph).run_times is None
