"""Dual dags: Cordasco et al. 2007, section 4."""

import numpy as np
import pytest

from icsched import Dag, eligibility_profile
from icsched.families import random_layered
from icsched.pebble import enabled_profile, ic_optimal_order, optimal_profile
from tests.strategies import naturally_labelled_dags
from tests.theorems.profiles import most_enabled

UP_TO_FIVE_TASKS = [dag for tasks in range(6) for dag in naturally_labelled_dags(tasks)]


def least_to_enable(dag: Dag) -> list[int]:
    """The papers' X(0), X(1), ..: the fewest executions that enable e nonsources."""
    enabled = most_enabled(dag)
    return [
        next(x for x, count in enumerate(enabled) if count >= e) for e in range(enabled[-1] + 1)
    ]


def dual_order(dag: Dag, order: list[int]) -> list[int]:
    """Packets of the nonsources that each step enables, last packet first; then the sources."""
    position = {task: step for step, task in enumerate(order)}
    nonsources = np.flatnonzero(dag.in_degrees).tolist()
    nonsources.sort(key=lambda task: -max(position[p] for p in dag.parents(task).tolist()))
    return nonsources + dag.sources.tolist()


def test_to_enable_e_tasks_the_dual_runs_what_n_minus_e_executions_leave_disabled():
    """Cordasco et al. 2007, proof of Theorem 4.2: X_dual(e) = N - E(n-e).

    n is the number of nonsinks and N that of nonsources. Every dag of up to five tasks.
    """
    for dag in UP_TO_FIVE_TASKS:
        enabled = most_enabled(dag)
        assert least_to_enable(dag.dual()) == [enabled[-1] - count for count in enabled[::-1]]


def test_an_order_dual_to_an_ic_optimal_one_is_ic_optimal_for_the_dual():
    """Cordasco et al. 2007, Theorem 4.1, on every dag of up to five tasks."""
    for dag in UP_TO_FIVE_TASKS:
        dual = dag.dual()
        order = dual_order(dag, ic_optimal_order(dag).tolist())
        assert np.array_equal(eligibility_profile(dual, order), optimal_profile(dual))


def an_arc_beside_a_butterfly() -> Dag:
    r"""
    a    b   c
    |    |\ /|     One execution enables most by running a: x.
    |    | X |     Two enable most by running b and c: y and z.
    |    |/ \|     No order starts with {a} and goes on to {b, c}.
    x    y   z
    """
    return Dag({"x": ["a"], "y": ["b", "c"], "z": ["b", "c"]})


def test_an_arc_beside_a_butterfly_admits_no_ic_optimal_order_nor_does_its_dual():
    """Best after 0, 1, 2, 3 executions: 0, 1, 2, 3 enabled; after a only 1 at step two."""
    dag = an_arc_beside_a_butterfly()
    a, b, c = (dag.id_of(name) for name in "abc")
    sinks = dag.sinks.tolist()

    assert most_enabled(dag) == [0, 1, 2, 3]
    assert enabled_profile(dag, [a, b, c, *sinks])[:4].tolist() == [0, 1, 1, 3]
    assert enabled_profile(dag, [b, c, a, *sinks])[:4].tolist() == [0, 0, 2, 3]
    assert ic_optimal_order(dag) is None
    assert ic_optimal_order(dag.dual()) is None


def test_every_smaller_dag_admits_an_ic_optimal_order():
    assert all(ic_optimal_order(dag) is not None for dag in UP_TO_FIVE_TASKS)


def test_no_other_dag_of_six_tasks_is_without_an_ic_optimal_order():
    """There are 15 ways to number the arc and the butterfly: choose the two ids of the arc."""
    without = [dag for dag in naturally_labelled_dags(6) if ic_optimal_order(dag) is None]

    assert len(without) == 15
    for dag in without:
        arc, butterfly = sorted(dag.connected_parts, key=len)
        assert dag.induced(arc).arc_count == 1
        assert dag.induced(butterfly).arc_count == 4
        assert sorted(dag.induced(butterfly).out_degrees.tolist()) == [0, 0, 2, 2]


@pytest.mark.parametrize("tasks", [7, 8, 9, 10])
def test_a_dag_admits_an_ic_optimal_order_iff_its_dual_does(tasks):
    """Cordasco et al. 2007, Corollary 4.1, on random dags of which some do and some do not."""
    answers = set()
    for seed in range(400):
        dag = random_layered(tasks, 3, 2, seed=seed)
        admits = ic_optimal_order(dag) is not None
        assert admits == (ic_optimal_order(dag.dual()) is not None)
        answers.add(admits)
    assert answers == {True, False}
