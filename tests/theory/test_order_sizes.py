"""The order of very large dags."""

import numpy as np
import pytest

from icsched import Dag
from icsched.families import (
    complete_bipartite,
    random_layered,
)
from icsched.orders import prioritize
from tests.proofs import chain_of
from tests.theory.samples import chain, shuffled


def test_a_hundred_thousand_isolated_tasks_run_by_id():
    plan = prioritize(Dag.from_arcs(100_000, []), "prio")

    assert np.array_equal(plan.order, np.arange(100_000))
    assert plan.proof.is_ic_optimal


def test_a_chain_of_a_million_tasks_runs_in_its_only_order():
    plan = prioritize(chain(1_000_000), "prio")

    assert np.array_equal(plan.order, np.arange(1_000_000))
    assert plan.proof.is_ic_optimal


def test_a_million_arcs_side_by_side_run_by_id():
    tasks = 1_000_000
    plan = prioritize(Dag.from_arcs(2 * tasks, np.arange(2 * tasks).reshape(-1, 2)), "prio")

    assert np.array_equal(
        plan.order, np.append(np.arange(0, 2 * tasks, 2), np.arange(1, 2 * tasks, 2))
    )
    assert plan.proof.is_ic_optimal


def test_a_complete_bipartite_dag_of_four_million_arcs_is_one_block():
    plan = prioritize(complete_bipartite(2000, 2000), "prio")

    assert plan.proof.is_ic_optimal
    assert chain_of(plan) == "K(2000,2000)"


@pytest.mark.parametrize("seed", range(2))
def test_a_random_dag_of_a_hundred_thousand_tasks_gets_a_legal_order(seed):
    dag = shuffled(random_layered(100_000, 500, 2, 2, seed=seed), seed=seed)

    assert prioritize(dag, "prio").schedule.eligible[-1] == 0
