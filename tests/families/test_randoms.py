from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag
from icsched.errors import ArgumentError
from icsched.families import (
    random_bipartite,
    random_layered,
    random_linear_composition,
    random_series_parallel,
    random_tree_sum,
)

FAMILIES = {
    "layered": partial(random_layered, 60, 7),
    "series parallel": partial(random_series_parallel, 60),
    "bipartite": partial(random_bipartite, 12, 9, 40),
    "linear composition": partial(random_linear_composition, 12),
    "tree sum": partial(random_tree_sum, 12),
}
SEEDS = st.integers(0, 2**64)


def is_numbered_in_topological_order(dag: Dag) -> bool:
    return bool(np.all(dag.arcs[:, 0] < dag.arcs[:, 1]))


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_the_same_seed_gives_the_same_dag_and_other_seeds_give_others(family):
    assert family(seed=5) == family(seed=5)
    assert len({family(seed=seed) for seed in range(10)}) == 10


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_ids_are_in_topological_order(family):
    assert all(is_numbered_in_topological_order(family(seed=seed)) for seed in range(10))


@given(
    tasks=st.integers(1, 60),
    width=st.integers(1, 9),
    arcs_per_task=st.integers(1, 5),
    longest_span=st.integers(1, 4),
    seed=SEEDS,
)
def test_layers_have_parents_only_in_reach_and_one_directly_before(
    tasks, width, arcs_per_task, longest_span, seed
):
    dag = random_layered(tasks, width, arcs_per_task, longest_span, seed=seed)
    layer = np.arange(tasks) // width
    spans = layer[dag.arcs[:, 1]] - layer[dag.arcs[:, 0]]

    assert len(dag) == tasks
    assert set(spans.tolist()) <= set(range(1, longest_span + 1))
    assert dag.in_degrees.max() <= arcs_per_task
    assert dag.levels.tolist() == layer.tolist()  # so a parent is in the layer before


def test_layers_use_every_number_of_parents_and_every_span():
    dag = random_layered(3000, 100, 3, 3, seed=0)
    layer = np.arange(3000) // 100

    assert set(dag.in_degrees[100:].tolist()) == {1, 2, 3}
    assert set((layer[dag.arcs[:, 1]] - layer[dag.arcs[:, 0]]).tolist()) == {1, 2, 3}


def test_one_layer_has_no_arcs():
    assert random_layered(5, 8, seed=0).arc_count == 0


def test_a_narrow_window_limits_the_parents_however_many_are_asked_for():
    # width 1 and span 1 leave one possible parent: a chain
    assert random_layered(5, 1, 10**9, 1, seed=0).arcs.tolist() == [[0, 1], [1, 2], [2, 3], [3, 4]]


def reduced_to_one_arc(dag: Dag) -> bool:
    """Whether series and parallel reductions leave a single arc between the two ends."""
    inner = set(range(1, len(dag) - 1))
    above = {task: set(dag.parents(task).tolist()) for task in range(len(dag))}
    below = {task: set(dag.children(task).tolist()) for task in range(len(dag))}
    while ready := [task for task in inner if len(above[task]) == len(below[task]) == 1]:
        task = ready[0]
        inner.remove(task)
        (parent,), (child,) = above.pop(task), below.pop(task)
        below[parent] = below[parent] - {task} | {child}
        above[child] = above[child] - {task} | {parent}
    return not inner


@given(tasks=st.integers(1, 40), seed=SEEDS)
def test_series_parallel_dags_reduce_to_one_arc(tasks, seed):
    dag = random_series_parallel(tasks, seed=seed)

    assert len(dag) == tasks
    assert dag.sources.tolist() == [0]
    assert dag.sinks.tolist() == [tasks - 1]
    assert reduced_to_one_arc(dag)


def test_series_parallel_dags_fork_two_to_four_ways():
    assert set(random_series_parallel(2000, seed=0).out_degrees.tolist()) == {0, 1, 2, 3, 4}


@given(sources=st.integers(1, 9), sinks=st.integers(1, 9), seed=SEEDS, data=st.data())
def test_bipartite_dags_have_exactly_the_arcs_asked_for(sources, sinks, seed, data):
    arcs = data.draw(st.integers(0, sources * sinks))
    dag = random_bipartite(sources, sinks, arcs, seed=seed)

    assert (len(dag), dag.arc_count) == (sources + sinks, arcs)
    assert np.all(dag.arcs[:, 0] < sources)
    assert np.all(dag.arcs[:, 1] >= sources)


@pytest.mark.parametrize("seed", range(30))
def test_linear_compositions_have_as_many_tasks_per_block_as_merging_leaves(seed):
    dag = random_linear_composition(6, seed=seed)

    # a block brings 2 to 17 tasks, its sinks always new; no block has an isolated task
    assert 6 <= len(dag) <= 6 * 17
    assert np.all(dag.in_degrees + dag.out_degrees > 0)


def test_a_linear_composition_of_one_block_is_that_block():
    assert all(random_linear_composition(1, seed=seed).is_bipartite for seed in range(20))


def test_linear_compositions_merge_some_of_their_blocks():
    depths = {int(random_linear_composition(8, seed=seed).levels.max()) for seed in range(30)}

    assert max(depths) > 2


@given(trees=st.integers(1, 12), seed=SEEDS)
def test_a_tree_sum_is_bipartite_with_one_part_per_tree(trees, seed):
    dag = random_tree_sum(trees, seed=seed)

    assert dag.is_bipartite
    assert len(dag.connected_parts) == trees
    assert dag.arc_count == len(dag) - trees  # a tree has one arc fewer than tasks


@pytest.mark.parametrize(
    ("family", "arguments", "message"),
    [
        (random_layered, (0, 3), "argument tasks: expected a whole number, 1 or more, got 0"),
        (random_layered, (3, 0), "argument width: expected a whole number, 1 or more, got 0"),
        (
            random_layered,
            (3, 3, 0),
            "argument arcs_per_task: expected a whole number, 1 or more, got 0",
        ),
        (
            random_layered,
            (3, 3, 3, 0),
            "argument longest_span: expected a whole number, 1 or more, got 0",
        ),
        (random_layered, (10**9, 3), "too large"),
        (random_layered, (10**7, 100, 90), "too large: expected at most 100,000,000 arcs"),
        (random_series_parallel, (0,), "argument tasks: expected a whole number, 1 or more, got 0"),
        (random_series_parallel, (10**9,), "too large"),
        (
            random_bipartite,
            (0, 3, 0),
            "argument sources: expected a whole number, 1 or more, got 0",
        ),
        (random_bipartite, (3, 0, 0), "argument sinks: expected a whole number, 1 or more, got 0"),
        (
            random_bipartite,
            (3, 4, 13),
            "argument arcs: expected a whole number from 0 to 12, got 13",
        ),
        (random_bipartite, (10**30, 4, 1), "too large"),
        (
            random_linear_composition,
            (0,),
            "argument blocks: expected a whole number from 1 to 1,000,000, got 0",
        ),
        (
            random_tree_sum,
            (10**7,),
            "argument trees: expected a whole number from 1 to 1,000,000, got 10000000",
        ),
    ],
)
def test_impossible_random_dags_are_refused_with_the_argument_named(family, arguments, message):
    with pytest.raises(ArgumentError) as caught:
        family(*arguments, seed=0)

    assert message in str(caught.value)


def test_a_negative_seed_is_refused():
    with pytest.raises(
        ArgumentError, match=r"^argument seed: expected a whole number, 0 or more, got -1$"
    ):
        random_tree_sum(1, seed=-1)
