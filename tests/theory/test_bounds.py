"""Bounds as users see them, and the certificates of plans."""

from hypothesis import given

from icsched import Dag, bound, families, pebble, prioritize
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
