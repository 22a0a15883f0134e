"""A plan beside first come, first served."""

from dataclasses import dataclass
from functools import cached_property

from icsched.answers.certified import Certified, certified_plan
from icsched.orders import Plan
from icsched.pebble import Comparison, Profile


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
