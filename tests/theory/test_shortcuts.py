"""Shortcuts: the kernel against the twin, against networkx and on cases worked by hand."""

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag, _native, eligibility_profile, theory
from icsched.families import airsn, inspiral, montage, random_layered, sdss
from tests.strategies import dags, dags_with_orders
from tests.theory import paper
from tests.theory.paper_samples import tangled_dags
from tests.theory.samples import chain, random_dag, shuffled


def found(dag: Dag) -> set[tuple[int, int]]:
    return {(u, v) for u, v in theory.shortcuts(dag).tolist()}


def with_extra_arcs(dag: Dag, count: int, *, seed: int) -> Dag:
    """Add arcs at random from smaller to larger ids, which must be in a legal order."""
    ends = np.random.default_rng(seed).integers(len(dag), size=(count, 2))
    extra = np.sort(ends, axis=1)[ends[:, 0] != ends[:, 1]]
    return Dag.from_arcs(len(dag), np.concatenate([dag.arcs, extra]))


def shortcuts_of_bits(tasks: int, arcs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Shortcuts among *arcs* from smaller to larger ids; a set of tasks is an int."""
    children = [0] * tasks
    for u, v in arcs:
        children[u] |= 1 << v
    beyond = [0] * tasks  # what paths of two or more arcs lead to
    for u in range(tasks)[::-1]:
        for v in range(u + 1, tasks):
            if children[u] >> v & 1:
                beyond[u] |= children[v] | beyond[v]
    return [(u, v) for u, v in arcs if beyond[u] >> v & 1]


def test_an_arc_past_a_path_is_a_shortcut():
    r"""
      a
     /|
    b |     a -> c is one; a -> b and b -> c are not.
     \|
      c
    """
    dag = Dag({"a": [], "b": ["a"], "c": ["a", "b"]})

    assert found(dag) == {(0, 2)}
    assert theory.without_shortcuts(dag) == Dag({"a": [], "b": ["a"], "c": ["b"]})


def test_a_diamond_has_no_shortcut_and_stays_the_same_object():
    r"""
      a
     / \
    b   c    Two paths from a to d, but no arc.
     \ /
      d
    """
    diamond = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})

    assert found(diamond) == set()
    assert theory.without_shortcuts(diamond) is diamond


def test_a_path_through_a_shortcut_still_counts():
    """0 -> 1 -> 2 -> 3 with 0 -> 2 and 0 -> 3: both go, though 0 -> 2 -> 3 uses the other."""
    dag = Dag.from_arcs(4, [(0, 1), (1, 2), (2, 3), (0, 2), (0, 3)])

    assert found(dag) == {(0, 2), (0, 3)}


def test_a_long_arc_without_a_path_beside_it_stays():
    """0 -> 1 -> 2 -> 3 and 4 -> 3: no path leads from 4 to 3, though it skips two levels."""
    dag = Dag.from_arcs(5, [(0, 1), (1, 2), (2, 3), (4, 3)])

    assert found(dag) == set()


@pytest.mark.parametrize("tasks", [0, 1, 3])
def test_without_arcs_there_are_no_shortcuts(tasks):
    dag = Dag.from_arcs(tasks, [])

    assert theory.shortcuts(dag).shape == (0, 2)
    assert theory.without_shortcuts(dag) is dag


@pytest.mark.parametrize("tasks", [3, 10, 200])
def test_every_skip_along_a_chain_is_a_shortcut(tasks):
    dag = with_extra_arcs(chain(tasks), 3 * tasks, seed=tasks)

    assert len(theory.shortcuts(dag)) == dag.arc_count - (tasks - 1)
    assert theory.without_shortcuts(dag) == chain(tasks)


def test_a_chain_of_a_hundred_thousand_tasks_with_skips_of_two_and_of_a_thousand():
    tasks = 100_000
    skips = [
        np.column_stack([np.arange(tasks - by), np.arange(by, tasks)])[::step]
        for by, step in ((2, 1), (1000, 50))
    ]
    dag = Dag.from_arcs(tasks, np.concatenate([chain(tasks).arcs, *skips]))

    assert theory.without_shortcuts(dag) == chain(tasks)


def test_a_source_with_arcs_to_a_whole_chain_keeps_only_the_first():
    """0 -> 1 -> ... with arcs from 0 to all: 20,000 shortcuts of one task."""
    tasks = 20_002
    star = np.column_stack([np.zeros(tasks - 1, int), np.arange(1, tasks)])
    dag = Dag.from_arcs(tasks, np.concatenate([chain(tasks).arcs, star]))

    assert len(theory.shortcuts(dag)) == 20_000
    assert theory.without_shortcuts(dag) == chain(tasks)


def test_montage_loses_the_arcs_from_each_projection_to_its_background():
    """Every projection leads to the background model, and that to all backgrounds."""
    dag = montage(4, 5)
    lost = [(dag.names[u], dag.names[v]) for u, v in theory.shortcuts(dag).tolist()]

    assert lost == [(f"mProject_{i:02}", f"mBackground_{i:02}") for i in range(20)]
    assert len(theory.shortcuts(montage())) == 30 * 45


def test_the_other_scientific_dags_have_no_shortcuts():
    for dag in (airsn(), inspiral(), sdss()):
        assert theory.without_shortcuts(dag) is dag


def test_names_stay():
    dag = Dag({"x": [], "y": ["x"], "z": ["x", "y"]})

    assert theory.without_shortcuts(dag).names == ("x", "y", "z")


@given(dags(most_tasks=10) | tangled_dags())
def test_the_kernel_agrees_with_the_literal_twin(dag):
    assert found(dag) == paper.shortcuts(dag)


@pytest.mark.parametrize("tasks", range(7))
def test_the_kernel_is_right_on_every_dag_of_up_to_six_tasks(tasks):
    """All 33,868 dags whose arcs go from smaller to larger ids."""
    pairs = list(combinations(range(tasks), 2))
    for bits in range(2 ** len(pairs)):
        arcs = [pair for i, pair in enumerate(pairs) if bits >> i & 1]
        expected = shortcuts_of_bits(tasks, arcs)
        assert [*map(tuple, theory.shortcuts(Dag.from_arcs(tasks, arcs)).tolist())] == expected


LARGER = {
    "layers with long arcs": lambda seed: random_layered(
        60 + seed, 3 + seed % 17, 1 + seed % 5, 2 + seed % 30, seed=seed
    ),
    "dense": lambda seed: random_dag(10 + seed % 50, 0.1 + seed % 9 / 10, seed=seed),
    "montage with arcs added": lambda seed: with_extra_arcs(
        montage(2 + seed % 3, 2 + seed % 4), seed, seed=seed
    ),
}


@pytest.mark.parametrize("kind", LARGER)
def test_dropping_the_shortcuts_is_the_transitive_reduction_of_networkx(kind):
    """A hundred dags of each kind, of up to 160 tasks, numbered at random."""
    shortcut_count = 0
    for seed in range(100):
        dag = shuffled(LARGER[kind](seed), seed=seed)
        reduced = nx.transitive_reduction(dag.to_networkx())
        assert {*map(tuple, theory.without_shortcuts(dag).arcs.tolist())} == set(reduced.edges)
        shortcut_count += len(theory.shortcuts(dag))
    assert shortcut_count > 1000


@given(dags_with_orders())
def test_without_its_shortcuts_a_dag_has_the_same_eligible_tasks(dag_and_order):
    dag, order = dag_and_order
    reduced = theory.without_shortcuts(dag)

    assert np.array_equal(eligibility_profile(reduced, order), eligibility_profile(dag, order))


@given(dags(), st.randoms(use_true_random=False))
def test_renumbering_renumbers_the_shortcuts(dag, random):
    new_id = list(range(len(dag)))
    random.shuffle(new_id)
    renamed = Dag.from_arcs(len(dag), [(new_id[u], new_id[v]) for u, v in dag.arcs.tolist()])

    assert found(renamed) == {(new_id[u], new_id[v]) for u, v in found(dag)}


@given(st.one_of(dags(most_tasks=10), tangled_dags()))
def test_the_sweep_that_takes_over_from_searches_equals_the_twin(dag):
    """Without patience, every task with a long arc is left to the sweep."""
    marks = _native.shortcuts(dag.child_rows, dag.parent_rows, dag.fifo_order, -1)

    assert {tuple(arc) for arc in dag.arcs[marks == 1].tolist()} == paper.shortcuts(dag)


def test_the_sweep_takes_more_than_one_batch_of_tasks():
    dag = random_layered(3000, 20, 4, 5, seed=3)
    searched = _native.shortcuts(dag.child_rows, dag.parent_rows, dag.fifo_order, 10**9)

    assert searched.sum() > 500
    for patience in (-1, 500):
        swept = _native.shortcuts(dag.child_rows, dag.parent_rows, dag.fifo_order, patience)
        assert np.array_equal(swept, searched)


@given(st.one_of(dags(most_tasks=10), tangled_dags()), st.integers(0, 60))
def test_past_the_limit_of_work_shortcuts_may_be_missing_but_none_is_false(dag, most_work):
    rows = dag.child_rows, dag.parent_rows, dag.fifo_order
    exact = _native.shortcuts(*rows, -1)
    limited = _native.shortcuts(*rows, -1, most_work)

    assert (limited <= exact).all()
    assert most_work < dag.arc_count or np.array_equal(limited, exact)


@pytest.mark.parametrize("patience", [-1, 2_000, 10**9])
def test_searches_with_landmarks_and_sweeps_agree_on_a_sparse_random_dag(patience):
    """Five arcs a task, between any two: most long arcs are no shortcuts."""
    ends = np.sort(np.random.default_rng(5).integers(2_000, size=(10_000, 2)), axis=1)
    dag = Dag.from_arcs(2_000, ends[ends[:, 0] != ends[:, 1]])
    marks = _native.shortcuts(dag.child_rows, dag.parent_rows, dag.fifo_order, patience)

    assert [tuple(arc) for arc in dag.arcs[marks == 1].tolist()] == shortcuts_of_bits(
        2_000, [tuple(arc) for arc in dag.arcs.tolist()]
    )
