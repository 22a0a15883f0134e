"""BICSD and "many subsets with small union": Malewicz and Rosenberg 2006, section 3."""

from itertools import combinations

import numpy as np
import pytest

from icsched import Dag
from icsched.errors import ArgumentError
from icsched.families import mesh, random_small_union, w
from icsched.theory import batch_can_gain, best_batch, has_small_union, small_union_dag
from icsched.theory.batch import GuaranteeKind
from tests.strategies import naturally_labelled_dags


def gains(dag: Dag, r: int) -> list[int]:
    """What each set of r sources gains, by running it."""
    found = []
    for taken in combinations(dag.sources.tolist(), r):
        enabled = [t for t in range(len(dag)) if dag.in_degrees[t]]
        ready = sum(set(dag.parents(t).tolist()) <= set(taken) for t in enabled)
        found.append(ready - r)
    return found


@pytest.mark.parametrize("tasks", [1, 2, 3, 4, 5])
def test_the_decision_is_right_for_every_small_dag_and_every_threshold(tasks):
    for dag in naturally_labelled_dags(tasks):
        for r in range(1, len(dag.sources) + 1):
            best = max(gains(dag, r))
            assert batch_can_gain(dag, [], r, best)
            assert not batch_can_gain(dag, [], r, best + 1)


def test_the_threshold_may_be_negative():
    """Two sources and one sink: the batch of both loses one eligible task, and no more."""
    join = Dag({"c": ["a", "b"]})

    assert batch_can_gain(join, [], 2, -1)
    assert not batch_can_gain(join, [], 2, 0)
    assert batch_can_gain(join, [], 1, -1)


def test_what_has_run_counts():
    assert batch_can_gain(w(2, 2), [0], 1, 1)
    assert not batch_can_gain(w(2, 2), [], 1, 1)


def test_more_tasks_than_are_eligible_cannot_be_asked_for():
    with pytest.raises(ArgumentError, match="r: expected a whole number"):
        batch_can_gain(mesh(3), [], 4, 0)


def smallest_union(subsets: list[set[int]], m: int) -> int:
    return min(len(set().union(*chosen)) for chosen in combinations(subsets, m))


@pytest.mark.parametrize("seed", range(12))
def test_many_subsets_have_a_small_union_iff_the_dag_of_the_reduction_has_the_batch(seed):
    """Theorem 3.1, with every m and b, against all choices of subsets."""
    dag = random_small_union(6, 4, seed=seed)
    subsets = [set(dag.parents(sink).tolist()) for sink in dag.sinks.tolist()]

    assert small_union_dag(subsets) == dag
    for m in range(len(subsets) + 1):
        least = smallest_union(subsets, m)
        for b in range(len(subsets) + 1):
            assert has_small_union(subsets, m, b) == (least <= b)


@pytest.mark.parametrize("subsets", [[[0], []], [[0], [0]], [[0, 2], [1]]])
def test_an_instance_needs_subsets_with_elements_and_elements_in_subsets(subsets):
    with pytest.raises(ArgumentError, match="argument subsets: expected 2 sets"):
        small_union_dag(subsets)


@pytest.mark.parametrize("seed", range(4))
def test_the_exact_method_solves_instances_of_the_reduction(seed):
    """30 subsets of up to 4 elements, 10 sources: 30 million sets, too many to try."""
    dag = random_small_union(30, 4, seed=seed)
    exact = best_batch(dag, [], 10, method="exact", time_limit_s=60)
    quick = best_batch(dag, [], 10, method="greedy")

    assert exact.guarantee.kind is GuaranteeKind.EXACT
    assert exact.eligible_after >= quick.eligible_after


def test_some_instances_of_the_reduction_are_not_solved_by_the_greedy_method():
    short = [
        seed
        for seed in range(30)
        for dag in [random_small_union(12, 3, seed=seed)]
        if best_batch(dag, [], 5, method="greedy").eligible_after < 12 + max(gains(dag, 5))
    ]

    assert short


def test_every_sink_of_the_random_instances_has_its_own_source_and_no_more_parents_than_asked():
    dag = random_small_union(200, 5, seed=3)
    sizes = dag.in_degrees[dag.sinks]

    assert set(np.unique(sizes)) <= {1, 2, 3, 4, 5}
    assert sizes.max() > 3
    assert all(j in dag.parents(200 + j).tolist() for j in range(200))
