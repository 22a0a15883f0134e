"""What a dag refuses, and by which words."""

import pickle
import sys

import networkx as nx
import numpy as np
import pytest

from icsched import CycleError, Dag
from icsched.errors import ArgumentError, EngineError, GraphError, UnknownTaskError
from tests.diamond import diamond


class FakeArcs:
    """An array protocol object of more arcs than int32 counts, without the memory."""

    def __array__(self, dtype=None, copy=None):
        return np.broadcast_to(np.array([0, 1], np.int32), (2**31, 2))


@pytest.mark.parametrize(
    ("tasks", "arcs", "message"),
    [
        (2, [(0, 2)], "arc 0 (0 -> 2): expected ids from 0 to 1"),
        (2, [(0, 1), (-1, 0)], "arc 1 (-1 -> 0): expected ids from 0 to 1"),
        (0, [(0, 0)], "arc 0 (0 -> 0): the dag has no tasks"),
        (2, [(0.0, 1.0)], "arcs: expected integers, got float64"),
        (2, [("a", "b")], "arcs: expected integers, got <U1"),
        (2, [(True, False)], "arcs: expected integers, got bool"),
        (2, [(0, 1), (1,)], "arcs: expected integers, got rows of unequal length"),
        (2, [(0, 1, 1)], "arcs: expected shape (m, 2), got (1, 3)"),
        (2, [0, 1], "arcs: expected shape (m, 2), got (2,)"),
        (2, ((0, 1) for _ in range(1)), "arcs: expected integers, got generator"),
        (2, np.zeros((2, 2), "m8[s]"), "arcs: expected integers, got timedelta64[s]"),
        (2, [(0, 2**64)], "arcs: expected integers, got object"),
        (2, [(0, 2**40)], "arc 0 (0 -> 1099511627776): expected ids from 0 to 1"),
    ],
)
def test_bad_arcs_are_refused(tasks, arcs, message):
    with pytest.raises(GraphError) as caught:
        Dag.from_arcs(tasks, arcs)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("tasks", "arcs", "message"),
    [
        (-1, [], "tasks: expected a whole number from 0 to 2,147,483,646, got -1"),
        (2**31, [], "tasks: expected a whole number from 0 to 2,147,483,646, got 2147483648"),
        (2, FakeArcs(), "arcs: expected a whole number from 0 to 2,147,483,647, got 2147483648"),
        (2.5, [], "tasks: expected a whole number from 0 to 2,147,483,646, got 2.5"),
        (True, [], "tasks: expected a whole number from 0 to 2,147,483,646, got True"),
    ],
)
def test_a_dag_has_a_number_of_tasks_and_arcs_that_int32_can_hold(tasks, arcs, message):
    with pytest.raises(ArgumentError) as caught:
        Dag.from_arcs(tasks, arcs)

    assert str(caught.value) == f"number of {message}"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a"], "names: expected 2, one per task, got 1"),
        (["a", "a"], "names: 'a' occurs twice"),
        ({"a", "b"}, "names: expected a list, got set"),
        ("ab", "names: expected a list, got str"),
        (["a", ["b"]], "names: a task cannot be called ['b']"),
    ],
)
def test_bad_names_are_refused(names, message):
    with pytest.raises(GraphError) as caught:
        Dag.from_arcs(2, [], names=names)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("parents_of", "message"),
    [
        ({"b": "a"}, "parents of task 'b': expected a list of tasks, got 'a'"),
        ({"b": 1}, "parents of task 'b': expected a list of tasks, got 1"),
        ({"a": ["a"]}, "dependency cycle: a -> a"),
        ({"a": ["b"], "b": ["a"], "c": ["a"]}, "dependency cycle: a -> b -> a"),
    ],
)
def test_bad_mappings_are_refused(parents_of, message):
    with pytest.raises(GraphError) as caught:
        Dag(parents_of)

    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda dag: dag.id_of("e"), "unknown task: 'e'"),
        (lambda dag: dag.children(4), "unknown task: 4"),
        (lambda dag: dag.children(-1), "unknown task: -1"),
        (lambda dag: dag.parents("e"), "unknown task: 'e'"),
        (lambda dag: dag.parents(["a"]), "unknown task: ['a']"),
        (
            lambda _: Dag([("a", "b")]),
            "expected a mapping from tasks to their parents, got list;"
            " see Dag.from_arcs and Dag.from_networkx",
        ),
        (lambda dag: dag.induced([4]), "unknown task: 4"),
        (lambda dag: dag.induced([-1]), "unknown task: -1"),
        (lambda dag: dag.induced([0, "e"]), "unknown task: 'e'"),
        (lambda dag: dag.induced(np.array([4])), "unknown task: 4"),
        (
            lambda dag: dag.induced(np.array([True])),
            "tasks: expected 4 booleans, one per task, got shape (1,)",
        ),
        (lambda dag: dag.residual(np.array([0.5])), "unknown task: 0.5"),
        (lambda _: Dag.from_arcs(3, []).mask([1.0]), "unknown task: 1.0"),
        (lambda _: Dag.from_arcs(3, []).mask([True]), "unknown task: True"),
        (lambda _: Dag({1: [], 2: [1]}).find(True), "unknown task: True"),
        (lambda _: Dag({1: [], 2: [1]}).find(1.0), "unknown task: 1.0"),
        (lambda _: Dag({1: [], 2: [1]}).mask([True, False]), "unknown task: True"),
        (lambda _: Dag({"a": [["x"]]}), "parents of task 'a': a task cannot be called ['x']"),
        (lambda dag: dag.residual([1]), "task 'b' cannot have run: its parent 'a' has not"),
        (
            lambda dag: dag.compose(dag, [(0, 0)]),
            "cannot merge 'a': not among the sinks of the first dag",
        ),
        (
            lambda dag: dag.compose(dag, [(3, 3)]),
            "cannot merge 'd': not among the sources of the second",
        ),
        (
            lambda dag: dag.compose(Dag.from_arcs(2, []), [(3, 0), (3, 1)]),
            "cannot merge: one of the sinks of the first dag occurs twice",
        ),
        (lambda dag: dag.compose(dag, [(3, 9)]), "unknown task: 9"),
        (
            lambda _: Dag.from_networkx(nx.Graph()),
            "expected a directed networkx graph, got an undirected one",
        ),
    ],
)
def test_bad_questions_are_refused(question, message):
    with pytest.raises(GraphError) as caught:
        question(diamond())

    assert str(caught.value) == message


def test_an_unknown_task_is_also_a_key_error_and_a_cycle_a_value_error():
    with pytest.raises(KeyError):
        diamond().id_of("e")
    with pytest.raises(ValueError, match="dependency cycle"):
        Dag({"a": ["a"]})


def test_errors_survive_pickling():
    for error in (CycleError(["a", "b", "a"]), UnknownTaskError("x")):
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes
        assert type(copy) is type(error)
        assert str(copy) == str(error)


def test_a_dag_adds_only_to_a_dag():
    with pytest.raises(TypeError):
        diamond() + 3


def test_without_networkx_one_line_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)

    with pytest.raises(EngineError) as caught:
        diamond().to_networkx()
    assert str(caught.value) == ("networkx is not installed: run pip install 'icsched[networkx]'")
