"""No claim of the theory is false: a sample of what tools/proofs.py checks in large numbers."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from icsched import Dag, pebble
from icsched.theory.recursion import FULL, bounded_order
from tools import proofs

FORK_AND_CHAIN = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})


def test_the_truth_is_what_a_pencil_gives():
    truth = proofs.Truth(FORK_AND_CHAIN)

    assert truth.best.tolist() == [0, 2, 3]
    assert truth.has_ic_optimal_order


def test_the_truth_knows_when_no_order_is_best_at_every_step():
    """First the fork of one leaf gains 1; of two steps the join of two gains 2, by other tasks."""
    dag = Dag.from_arcs(6, [(0, 3), (1, 4), (2, 4), (1, 5), (2, 5)])

    truth = proofs.Truth(dag)

    assert truth.best.tolist() == [0, 1, 2, 3]
    assert not truth.has_ic_optimal_order


@pytest.mark.parametrize("seed", range(40))
def test_the_truth_and_the_referee_agree(seed):
    dag = proofs.aimed_dag(np.random.default_rng(seed))
    best = pebble.optimal_profile(dag)
    truth = proofs.Truth(dag)

    enabled = best + np.arange(len(best)) - len(dag.sources)
    assert truth.best.tolist() == enabled[: len(truth.best)].tolist()
    assert truth.has_ic_optimal_order == (pebble.ic_optimal_order(dag) is not None)


@pytest.mark.parametrize("seed", range(60))
def test_no_claim_about_a_random_dag_is_false(seed):
    assert proofs.check(proofs.random_dag(np.random.default_rng(seed)))


def test_every_small_dag_occurs_once():
    """1, 2, 6, 31, 302 dags of 1, 2, ... tasks: sequence A003087 of the OEIS."""
    assert [sum(1 for _ in proofs.small_dags(tasks)) for tasks in range(1, 6)] == [1, 2, 6, 31, 302]


@pytest.mark.parametrize("tasks", range(5))
def test_no_claim_about_a_small_dag_is_false(tasks):
    for dag in proofs.small_dags(tasks):
        assert proofs.check(dag)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("effort", ["quick", "quick, no referee"])
def test_no_claim_about_a_dag_near_the_premises_of_a_rule_is_false(seed, effort):
    assert proofs.check(proofs.aimed_dag(np.random.default_rng(seed)), [effort])


@pytest.mark.parametrize("seed", range(3))
def test_no_claim_of_a_full_effort_is_false(seed):
    assert proofs.check(proofs.aimed_dag(np.random.default_rng(seed)))


def test_changed_certificates_are_refused_or_still_true():
    told = Counter(
        word for seed in range(60) for word in proofs.check_tampered(np.random.default_rng(seed))
    )

    assert told["refused"] > 45
    assert told.total() == 60


@pytest.mark.parametrize(
    "change",
    [
        {"bound": np.array([0, 2, 2])},
        {"bound": np.array([0, 2])},
        {"reached": np.array([0, 1, 3])},
    ],
)
def test_a_false_claim_is_noticed(change):
    truth = proofs.Truth(FORK_AND_CHAIN)
    settled = replace(bounded_order(FORK_AND_CHAIN, FULL), **change)

    with pytest.raises(proofs.FalseClaimError, match="5 tasks, arcs"):
        proofs.check_bounded(truth, settled, "changed")


def test_a_certificate_of_another_bound_is_noticed():
    truth = proofs.Truth(FORK_AND_CHAIN)
    settled = replace(bounded_order(FORK_AND_CHAIN, FULL), bound=np.array([0, 3, 3]))

    with pytest.raises(proofs.FalseClaimError, match=r"refused|another bound"):
        proofs.check_certificate(truth, settled, "changed")
