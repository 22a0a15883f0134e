"""The dag itself: building, looking, cutting and joining."""

import pickle
from itertools import pairwise
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import icsched
from icsched import CycleError, Dag, GraphError, _native
from tests import twins
from tests.diamond import diamond
from tests.strategies import arc_lists, dags


def test_a_mapping_gives_ids_in_its_order_and_names_back():
    dag = diamond()

    assert (len(dag), dag.arc_count) == (4, 4)
    assert dag.names == ("a", "b", "c", "d")
    assert [dag.id_of(name) for name in "abcd"] == [0, 1, 2, 3]
    assert dag.children(0).tolist() == [1, 2]
    assert dag.parents(3).tolist() == [1, 2]
    assert dag.arcs.tolist() == [[0, 1], [0, 2], [1, 3], [2, 3]]


def test_a_task_that_occurs_only_as_a_parent_is_added_as_graphlib_does():
    dag = Dag({"c": ["a", "b"], "b": ["z"]})

    assert dag.names == ("c", "b", "a", "z")
    assert dag.parents(0).tolist() == [1, 2]


def test_shape_of_the_diamond():
    dag = diamond()

    assert dag.sources.tolist() == [0]
    assert dag.sinks.tolist() == [3]
    assert dag.nonsinks.tolist() == [0, 1, 2]
    assert dag.levels.tolist() == [0, 1, 1, 2]
    assert dag.in_degrees.tolist() == [0, 1, 1, 2]
    assert dag.out_degrees.tolist() == [2, 1, 1, 0]
    assert not dag.is_bipartite
    assert Dag({"a": [], "b": ["a"], "c": []}).is_bipartite


def test_the_empty_dag_has_nothing_of_everything():
    empty = Dag({})

    assert (len(empty), empty.arc_count, empty.connected_parts) == (0, 0, ())
    assert empty.is_bipartite
    for array in (empty.sources, empty.sinks, empty.nonsinks, empty.levels, empty.fifo_order):
        assert array.tolist() == []
    assert (empty + empty, empty.dual(), empty.induced([]), empty.residual([])) == (empty,) * 4


def test_repeated_arcs_count_once():
    assert Dag({"a": [], "b": ["a", "a"]}).arc_count == 1
    assert Dag.from_arcs(2, [(0, 1), (0, 1), (0, 1)]).arc_count == 1


def test_a_dag_never_changes():
    dag = diamond()
    for array in (dag.children(0), dag.arcs, dag.sources, dag.levels, dag.fifo_order):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    with pytest.raises(TypeError):
        dag.ids["a"] = 7
    with pytest.raises(AttributeError):
        dag.names = ()


def test_equal_dags_have_the_same_names_and_arcs_and_the_same_hash():
    assert diamond() == diamond()
    assert hash(diamond()) == hash(diamond())
    assert Dag({0: [], 1: [0]}) == Dag.from_arcs(2, [(0, 1)])
    assert diamond() != diamond().dual()
    assert Dag({"a": []}) != Dag({"b": []})
    assert diamond() != "diamond"


def test_a_dag_survives_pickling_also_once_it_was_used():
    dag = diamond()
    dag.id_of("a"), dag.levels, dag.connected_parts

    copy = pickle.loads(pickle.dumps(dag))  # noqa: S301  our own bytes

    assert copy == dag
    with pytest.raises(ValueError, match="read-only"):
        copy.children(0)[:] = 3


@given(arc_lists())
def test_building_equals_its_twin(tasks_and_arcs):
    tasks, arcs = tasks_and_arcs
    array = np.array(arcs, np.int32).reshape(-1, 2)
    child_rows, parent_rows, order, cycle = _native.build(
        tasks, np.ascontiguousarray(array[:, 0]), np.ascontiguousarray(array[:, 1])
    )
    children, parents = twins.build(tasks, arcs)

    assert [r.tolist() for r in np.split(child_rows.targets, child_rows.offsets[1:-1])] == children
    assert [r.tolist() for r in np.split(parent_rows.targets, parent_rows.offsets[1:-1])] == parents
    assert order.tolist() == twins.fifo_order(children, parents)
    if len(order) < tasks:
        assert twins.is_cycle(children, cycle.tolist())
    else:
        assert cycle.tolist() == []


@given(arc_lists())
def test_a_cycle_is_named_first_to_last_in_the_users_names(tasks_and_arcs):
    tasks, arcs = tasks_and_arcs
    names = [f"task {i}" for i in range(tasks)]
    assume(not nx.is_directed_acyclic_graph(nx.DiGraph(arcs)))

    with pytest.raises(CycleError) as caught:
        Dag.from_arcs(tasks, arcs, names=names)

    cycle = caught.value.cycle
    assert cycle[0] == cycle[-1]
    for parent, child in pairwise(cycle):
        assert (names.index(parent), names.index(child)) in arcs
    assert str(caught.value) == "dependency cycle: " + " -> ".join(cycle)


@given(dags(), st.data())
def test_levels_and_parts_equal_their_twins(dag, data):
    weight = st.integers(0, 9)
    weights = data.draw(st.lists(weight, min_size=len(dag), max_size=len(dag)))

    found = _native.longest_paths(dag.child_rows, dag.fifo_order, np.array(weights, float))

    assert found.tolist() == twins.longest_paths(dag, weights)
    assert dag.levels.tolist() == twins.longest_paths(dag, [1] * len(dag))
    assert [set(part.tolist()) for part in dag.connected_parts] == twins.connected_parts(dag)


@given(dags())
def test_the_dual_of_the_dual_is_the_dag(dag):
    assert dag.dual().dual() == dag
    assert dag.dual().arcs.tolist() == sorted([c, p] for p, c in dag.arcs.tolist())
    assert dag.dual().sources.tolist() == dag.sinks.tolist()


@given(dags(), dags())
def test_a_sum_has_the_tasks_and_arcs_of_both(first, second):
    both = first + second

    assert len(both) == len(first) + len(second)
    assert both.arc_count == first.arc_count + second.arc_count
    assert both.induced(range(len(first))).arcs.tolist() == first.arcs.tolist()
    assert len(both.connected_parts) == len(first.connected_parts) + len(second.connected_parts)


@given(dags(), dags(), st.data())
def test_a_composition_merges_tasks_and_keeps_every_arc(first, second, data):
    most = min(len(first.sinks), len(second.sources))
    k = data.draw(st.integers(0, most))
    sinks = data.draw(st.permutations(first.sinks.tolist()))[:k]
    sources = data.draw(st.permutations(second.sources.tolist()))[:k]

    whole = first.compose(second, zip(sinks, sources, strict=True))

    assert len(whole) == len(first) + len(second) - k
    assert whole.arc_count == first.arc_count + second.arc_count
    for sink, source in zip(sinks, sources, strict=True):
        assert whole.parents(sink).tolist() == first.parents(sink).tolist()
        assert len(whole.children(sink)) == len(second.children(source))


def test_names_join_when_they_differ_and_give_way_to_ids_when_they_collide():
    first, second = Dag({"a": [], "b": ["a"]}), Dag({"c": [], "d": ["c"]})

    assert (first + second).names == ("a", "b", "c", "d")
    assert first.compose(second, [(1, 0)]).names == ("a", "b", "d")
    assert (first + first).names == range(4)
    assert (first + Dag.from_arcs(1, [])).names == range(3)


@given(dags(), st.data())
def test_an_induced_subdag_has_exactly_the_arcs_inside(dag, data):
    inside = data.draw(st.sets(st.sampled_from(range(len(dag))))) if len(dag) else set()

    sub = dag.induced(inside)

    kept = sorted(inside)
    assert list(sub.names) == kept
    assert [[kept[p], kept[c]] for p, c in sub.arcs.tolist()] == [
        arc for arc in dag.arcs.tolist() if inside.issuperset(arc)
    ]


@given(dags(), st.data())
def test_a_residual_is_the_subdag_on_the_rest(dag, data):
    executed = dag.fifo_order[: data.draw(st.integers(0, len(dag)))].tolist()

    assert dag.residual(executed) == dag.induced(set(range(len(dag))) - set(executed))


@given(dags())
def test_other_libraries_get_the_dag_and_give_it_back(dag):
    names = [f"task {i}" for i in range(len(dag))]
    named = Dag.from_arcs(len(dag), dag.arcs, names=names)

    assert Dag(named.to_mapping()) == named
    assert Dag.from_networkx(named.to_networkx()) == named
    assert nx.is_directed_acyclic_graph(named.to_networkx())
    assert list(named.to_networkx().edges) == [(names[p], names[c]) for p, c in dag.arcs.tolist()]


def test_networkx_multigraphs_collapse_to_single_arcs():
    assert Dag.from_networkx(nx.MultiDiGraph([("a", "b"), ("a", "b")])).arc_count == 1


def test_a_million_task_chain_builds_without_recursion():
    n = 1_000_000
    chain = Dag.from_arcs(n, np.column_stack([np.arange(n - 1), np.arange(1, n)]))

    assert chain.levels[-1] == n - 1
    assert len(chain.connected_parts) == 1


def test_parents_given_as_a_set_are_numbered_the_same_on_any_hash_seed():
    assert Dag({"e": {"beta", "gamma", "alpha", 7}}).names == ("e", 7, "alpha", "beta", "gamma")


def test_names_that_are_the_ids_are_no_names():
    assert Dag({0: [], 1: [0]}).names == range(2)
    assert Dag.from_arcs(2, [], names=np.array(["a", "b"])).names == ("a", "b")
    assert type(Dag.from_arcs(1, [], names=np.array(["a"])).names[0]) is str


def test_what_cannot_be_a_name_is_not_in_a_dag():
    assert [] not in Dag({"a": []})


@pytest.mark.parametrize("file", ["wf.dag", Path("wf.dag")])
def test_the_name_of_a_file_is_not_a_graph_and_the_message_says_what_reads_one(file):
    with pytest.raises(GraphError, match=r"got \w+; icsched\.read reads a file$"):
        icsched.prioritize(file)


def test_an_array_of_booleans_is_the_mask_itself_whatever_tasks_are_called():
    """Read as names, True would be the task 1, and False the task 0."""
    dag = Dag({1: [], 0: [1], 2: [1]})

    assert dag.mask(np.array([True, False, True])).tolist() == [True, False, True]
    assert dag.induced(np.array([True, False, True])).names == (1, 2)


def test_tasks_may_be_called_by_numbers_that_are_not_integers():
    assert Dag({0.5: [], 1: [0.5]}).find(0.5) == 0
    assert Dag({False: [], 7: [False]}).find(False) == 0
