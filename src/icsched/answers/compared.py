"""A plan beside first come, first served."""

from dataclasses import dataclass
from functools import cached_property

from icsched.orders import Plan
from icsched.pebble import Comparison, Profile


@dataclass(frozen=True, eq=False)
class Compared:
    """A plan beside first come, first served; each profile is computed once, if at all."""

    plan: Plan

    @property
    def eligible(self) -> Profile:
        """The plan's eligible jobs after each step."""
        return self.plan.schedule.eligible

    @property
    def fifo_eligible(self) -> Profile:
        """The same of first come, first served."""
        return self.plan.fifo.eligible

    @cached_property
    def contest(self) -> Comparison:
        """How the plan stands against it."""
        return Comparison.of(self.eligible, self.fifo_eligible)
