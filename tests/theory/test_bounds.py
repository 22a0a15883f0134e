"""Bounds as users see them, and the certificates of plans."""

import numpy as np
import pytest
from hypothesis import given, settings

from icsched import Dag, bound, families, pebble, prioritize
from icsched.errors import ArgumentError
from icsched.theory import solving
from icsched.theory.cp_sat import usual_solver
from icsched.theory.settling import Effort, settle
from icsched.theory.solving import most_enabled_by, solved_bound
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


def test_a_solver_that_stops_early_still_gives_a_bound(monkeypatch):
    """The solver stops at the first set that it finds, which need not be a best one."""
    solvers = []

    def hasty(time_limit_s: float):
        solver = usual_solver(time_limit_s)
        solver.parameters.stop_after_first_solution = True
        solver.parameters.cp_model_presolve = False
        solvers.append(solver)
        return solver

    monkeypatch.setattr(solving, "usual_solver", hasty)
    dag = families.random_bipartite(14, 14, 40, seed=0)
    eligible = pebble.optimal_profile(dag)
    best = [int(eligible[count]) + count - len(dag.sources) for count in range(len(dag.nonsinks))]

    found = [most_enabled_by(dag, count, 10) for count in range(len(dag.nonsinks))]

    assert all(most >= enabled for most, enabled in zip(found, best, strict=True))
    stopped_at = [solver.objective_value for solver in solvers]
    assert any(first < enabled for first, enabled in zip(stopped_at, best, strict=True))


def test_a_negative_time_to_solve_is_refused():
    with pytest.raises(ArgumentError, match=r"solve_s: expected .*, got -1"):
        bound({"a": []}, solve_s=-1)
