"""Orders of the dual read off orders of the dag: Cordasco et al. 2007, section 4."""

import numpy as np
import pytest
from hypothesis import given

from icsched import Dag, eligibility_profile
from icsched.errors import ScheduleError
from icsched.families import airsn, evolving_mesh, mesh, out_tree, random_layered, tree
from icsched.orders import prioritize
from icsched.pebble import (
    check_order,
    enabled_profile,
    ic_optimal_order,
    optimal_profile,
    random_order,
)
from icsched.theory import dual_order
from tests.strategies import dags_with_orders, naturally_labelled_dags
from tests.theory.samples import random_dags, shuffled


def packets(dag: Dag, order: list[int]) -> list[set[int]]:
    """The nonsources that each step of *order* enables."""
    done: set[int] = set()
    found = []
    for task in order:
        done.add(task)
        children = dag.children(task).tolist()
        found.append({child for child in children if done.issuperset(dag.parents(child).tolist())})
    return found


def test_what_a_step_enables_last_the_dual_executes_first():
    r"""
    a   b     Running b enables d, then a enables c. The dual runs c, which enables a, then
     \ / \    d, which enables b, then its sinks a and b.
      c   d
    """
    dag = Dag({"a": [], "b": [], "c": ["a", "b"], "d": ["b"]})
    order = dual_order(dag, [1, 0, 2, 3])

    assert order.tolist() == [2, 3, 0, 1]
    assert enabled_profile(dag.dual(), order).tolist() == [0, 1, 2, 2, 2]


def test_tasks_enabled_together_keep_their_ids_order():
    """A fork's sinks come in one packet; its dual is a join."""
    fork = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["a"]})

    assert dual_order(fork, [0, 3, 2, 1]).tolist() == [1, 2, 3, 0]


def test_isolated_tasks_come_last():
    dag = Dag({"a": [], "b": [], "c": ["b"]})

    assert dual_order(dag, [0, 1, 2]).tolist() == [2, 0, 1]


@pytest.mark.parametrize("tasks", [0, 1, 4])
def test_without_arcs_the_dual_runs_by_id(tasks):
    dag = Dag.from_arcs(tasks, [])

    assert dual_order(dag, [*range(tasks)][::-1]).tolist() == [*range(tasks)]


def test_an_order_that_is_not_legal_is_refused():
    dag = Dag({"a": [], "b": ["a"]})

    with pytest.raises(ScheduleError, match="step 1 runs 'b' before its parent 'a'"):
        dual_order(dag, [1, 0])
    with pytest.raises(ScheduleError, match="expected 2 tasks, got 1"):
        dual_order(dag, [0])


@given(dags_with_orders())
def test_the_dual_of_any_legal_order_is_legal(dag_and_order):
    dag, order = dag_and_order

    check_order(dag.dual(), dual_order(dag, order))


@given(dags_with_orders())
def test_the_dual_runs_the_packets_from_the_last_to_the_first(dag_and_order):
    dag, order = dag_and_order
    expected = [task for packet in packets(dag, order)[::-1] for task in sorted(packet)]

    assert dual_order(dag, order).tolist() == expected + dag.sources.tolist()


@given(dags_with_orders())
def test_the_dual_enables_as_much_as_the_order_does_not_leave_waiting(dag_and_order):
    """After the last k packets have run in the dual, the tasks of the last k steps are enabled.

    Cordasco et al. 2007, proof of Theorem 4.1: these tasks have children in those packets only.
    """
    dag, order = dag_and_order
    enabled = enabled_profile(dag.dual(), dual_order(dag, order))
    nonsinks = [task for task in order if dag.out_degrees[task]]
    sizes = [len(packet) for task, packet in zip(order, packets(dag, order), strict=True)]
    for k in range(len(nonsinks) + 1):
        last = nonsinks[len(nonsinks) - k :]
        executed = sum(sizes[order.index(task)] for task in last)
        assert enabled[executed] >= k


@pytest.mark.parametrize("tasks", range(6))
def test_the_dual_of_an_ic_optimal_order_is_ic_optimal_on_every_small_dag(tasks):
    """Cordasco et al. 2007, Theorem 4.1, on all 1,100 dags of up to five tasks: all have such an
    order.
    """
    for dag in naturally_labelled_dags(tasks):
        dual = dag.dual()
        order = dual_order(dag, ic_optimal_order(dag))
        assert np.array_equal(eligibility_profile(dual, order), optimal_profile(dual))


@pytest.mark.parametrize("seed", range(3))
def test_the_dual_of_an_ic_optimal_order_is_ic_optimal_on_random_dags(seed):
    """Cordasco et al. 2007, Theorem 4.1. Where the dag has no such order, neither has the dual."""
    with_order = without = 0
    drawn = [*random_dags(400, most_tasks=12, seed=seed)]
    drawn += [random_layered(12, 4, 2, seed=seed * 1000 + number) for number in range(300)]
    for dag in drawn:
        dual, order = dag.dual(), ic_optimal_order(dag)
        if order is None:
            assert ic_optimal_order(dual) is None
            without += 1
        else:
            reached = eligibility_profile(dual, dual_order(dag, order))
            assert np.array_equal(reached, optimal_profile(dual))
            with_order += 1
    assert with_order >= 300
    assert without >= 10


@pytest.mark.parametrize(
    ("dag", "dual"),
    [(mesh(40), evolving_mesh(40)), (tree(8), out_tree(8)), (tree(5, 3), out_tree(5, 3))],
)
def test_large_meshes_and_trees_are_run_as_well_by_the_dual_of_the_other_one(dag, dual):
    for one, other in ((dag, dual), (dual, dag)):
        direct = prioritize(other, "prio").schedule.eligible
        by_duality = eligibility_profile(one.dual(), dual_order(one, prioritize(one, "prio").order))
        assert np.array_equal(direct, by_duality)


@pytest.mark.parametrize("seed", range(5))
def test_a_large_dag_has_a_legal_dual_order(seed):
    for dag in (random_layered(20_000, 200, seed=seed), airsn(1000)):
        renumbered = shuffled(dag, seed=seed)
        check_order(renumbered.dual(), dual_order(renumbered, random_order(renumbered, seed=seed)))
