"""A plan beside first come, first served."""

from dataclasses import dataclass
from functools import cached_property

from icsched.orders import Plan
from icsched.pebble import Comparison, Profile

# Larger workflows, in jobs and dependencies together, are not compared: it would take seconds.
MOST_COMPARED = 200_000


@dataclass(frozen=True)
class Certified:
    """An order over a bound: the least and the mean ratio of all steps, and that of the areas.

    `by_bound` says that the order was compared with a bound; otherwise a theorem says that all
    ratios are 1.
    """

    min_ratio: float
    mean_ratio: float
    area_ratio: float
    is_ic_optimal: bool
    by_bound: bool = True


def certified_plan(plan: Plan) -> Certified | None:
    """Compare a plan with a bound; None for a large workflow with an order that is not proved."""
    if plan.proof.is_ic_optimal:
        return Certified(1.0, 1.0, 1.0, is_ic_optimal=True, by_bound=False)
    if len(plan.dag) + plan.dag.arc_count > MOST_COMPARED:
        return None
    found = plan.certificate
    ratios = found.min_ratio, found.mean_ratio, found.area_ratio
    return Certified(*ratios, is_ic_optimal=found.is_ic_optimal)


@dataclass(frozen=True, eq=False)
class Compared:
    """A plan beside first come, first served; each profile is computed once, and only if needed."""

    plan: Plan

    @property
    def eligible(self) -> Profile:
        """The plan's eligible jobs after each step."""
        return self.plan.schedule.eligible

    @property
    def fifo_eligible(self) -> Profile:
        """The eligible jobs of first come, first served after each step."""
        return self.plan.fifo.eligible

    @cached_property
    def certified(self) -> Certified | None:
        """How close the plan comes to a bound; None if the workflow is too large for that."""
        return certified_plan(self.plan)

    @cached_property
    def contest(self) -> Comparison:
        """How the plan compares with first come, first served."""
        return Comparison.of(self.eligible, self.fifo_eligible)
