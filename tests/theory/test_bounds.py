"""Bounds as users see them, and the certificates of plans."""

import numpy as np
import pytest
from hypothesis import given, settings

from icsched import Dag, bound, families, pebble, prioritize
from icsched.errors import ArgumentError
from icsched.theory.settling import Effort, settle
from icsched.theory.solving import solved_bound
from tests.strategies import dags


@given(dags(most_tasks=9))
def test_no_bound_is_below_what_some_order_reaches(dag: Dag):
    assert (bound(dag).eligible >= pebble.optimal_profile(dag)).all()


@given(dags(most_tasks=9))
def test_the_certificate_of_a_plan_has_its_ratios(dag: Dag):
    plan = prioritize(dag, "fifo")
    found = plan.certificate

    assert found.eligible.tolist() == plan.schedule.eligible.tolist()
    assert found.bound.tolist() == bound(dag).eligible.tolist()
    assert 0 <= found.min_ratio <= found.mean_ratio <= 1


def test_a_plan_that_meets_its_bound_is_ic_optimal():
    assert prioritize(families.airsn(20), "prio").certificate.is_ic_optimal


@settings(max_examples=25)
@given(dags(most_tasks=8))
def test_solving_lowers_a_bound_to_the_best_and_never_below(dag: Dag):
    weak = settle(dag, Effort(cells=0, sets=0, looks=0))

    found = solved_bound(weak, 60)

    best = pebble.optimal_profile(dag)[: len(found)] + np.arange(len(found)) - len(dag.sources)
    assert found.tolist() == best.tolist()


def test_a_solver_without_time_leaves_the_bound():
    weak = settle(families.mesh(5), Effort(cells=0, sets=0, looks=0))

    assert solved_bound(weak, 0).tolist() == weak.bound.tolist()


def test_a_negative_time_to_solve_is_refused():
    with pytest.raises(ArgumentError, match=r"solve_s: expected .*, got -1"):
        bound({"a": []}, solve_s=-1)
