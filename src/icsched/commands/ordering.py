"""A workflow in an order, within a limit on memory if there is one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from icsched.arrays import Ids
from icsched.commands.comparison import Compared
from icsched.commands.inputs import read_sizes
from icsched.commands.notes import Note, cautions_about
from icsched.commands.order_options import AUTO, GivenPool, WantedOrder
from icsched.commands.terminal import QUIET, Signs
from icsched.formats import dagman
from icsched.orders import Aim, Choice, LimitedOrder, Plan, order_within, prioritize
from icsched.orders.auto import challenged, order_of
from icsched.sim import AnyPool
from icsched.workflow import Workflow


@dataclass(frozen=True)
class Wanted:
    """Which order, and the most memory it may need, with a file of sizes in bytes.

    `given` is the pool for "auto", None if the user said nothing about it.
    """

    order: WantedOrder
    memory: int | None = None
    sizes: str | None = None
    given: GivenPool | None = None

    @property
    def pool(self) -> AnyPool | None:
        """The pool on which "auto" chooses; None for usual ones."""
        return None if self.given is None else self.given.pool

    @property
    def is_auto(self) -> bool:
        """Whether the order is chosen by simulation."""
        return self.order.order == AUTO and self.memory is None


@dataclass(frozen=True, eq=False)
class Ordered:
    """A workflow with a plan for what is left of it; `limited` only if memory is limited.

    `against_section` says how the order that "auto" chose compares with the order in a section of
    icsched's. It is None if there is no such section, or if both are the same order. `present` has
    the priorities of the files, those in sections included; None if "auto" was not asked for.
    """

    workflow: Workflow
    compared: Compared
    limited: LimitedOrder | None
    sections: tuple[dagman.Section, ...] = ()
    against_section: Choice | None = None
    present: Ids | None = None
    cautions: tuple[Note, ...] = ()

    @property
    def plan(self) -> Plan:
        """The plan."""
        return self.compared.plan

    @cached_property
    def priorities(self) -> dict[str, int]:
        """The priority of each job in the files; raises FormatError if there is no room."""
        submission = dagman.submission_in(self.workflow)
        if submission is None:
            return {str(name): number for name, number in self.plan.priorities.items()}
        return dagman.job_priorities(submission, self.plan.order.tolist())

    @cached_property
    def free(self) -> Plan:
        """The plan without a limit on memory."""
        return prioritize(self.plan.dag, "prio")

    @property
    def choice(self) -> Choice | None:
        """The comparison that decides whether to write; None if the user named the order."""
        return self.plan.choice if self.against_section is None else self.against_section

    @property
    def choice_without_section(self) -> Choice | None:
        """What "auto" chose as if there were no section; None if that comparison decides."""
        return None if self.against_section is None else self.plan.choice

    @property
    def reason_to_leave(self) -> Choice | None:
        """Why the order should not be written, or None if it should be.

        An order that the user named is always written. So is the order that a good section has.
        """
        has_good = _are_good(self.sections, self.workflow)
        reason = self.against_section if has_good else self.plan.choice
        return None if reason is None or reason.is_worth_it else reason

    @property
    def removes_sections(self) -> bool:
        """Whether sections go, because they are out of date and the new order is not worth it.

        They cannot stay: DAGMan may refuse the files.
        """
        is_stale = any(section.problems for section in self.sections)
        return is_stale and self.reason_to_leave is not None

    @property
    def memory(self) -> int:
        """The most memory that the order needs."""
        return self.limited.memory if self.limited else self.plan.schedule.peak_memory

    @property
    def gains(self) -> bool:
        """Whether the order leads first come, first served at some step, or keeps a limit."""
        is_chosen = self.limited is not None or self.plan.choice is not None
        return is_chosen or self.compared.contest.largest_lead[1] > 0


def order_workflow(workflow: Workflow, wanted: Wanted, *, signs: Signs = QUIET) -> Ordered:
    """Order what is left of a workflow that was read, and has its run times."""
    submission = dagman.submission_in(workflow)
    sections = tuple(dagman.sections(submission)) if submission else ()
    if wanted.is_auto:
        return _chosen(workflow, sections, wanted, signs)
    limited = _limited(workflow, wanted, signs)
    plan = limited.plan if limited else wanted.order.plan(workflow, signs=signs)
    return Ordered(workflow, Compared(plan), limited, sections)


def _chosen(
    workflow: Workflow,
    sections: tuple[dagman.Section, ...],
    wanted: Wanted,
    signs: Signs,
) -> Ordered:
    """Choose an order by simulation, as if the files had no section of icsched's.

    So the same files get the same order, whatever was written into them before. Then the order in
    a good section is compared with that order.
    """
    own = replace(workflow, priorities=_own_priorities(workflow)) if sections else workflow
    plan = wanted.order.plan(own, pool=wanted.pool, signs=signs)
    against = None
    if _are_good(sections, workflow) and workflow.priorities is not None:
        with signs.working("simulating two orders of", len(workflow.dag)):
            against = _against_section(workflow, plan, wanted.pool)
    cautions = cautions_about(workflow, wanted.given)
    return Ordered(own, Compared(plan), None, sections, against, workflow.priorities, cautions)


def _own_priorities(workflow: Workflow) -> Ids | None:
    """Return the priorities that the user's own lines give; None if they give none."""
    submission = dagman.submission_in(workflow)
    if submission is None or not submission.has_priority.any():
        return None
    return submission.priorities[~submission.done]


def _are_good(sections: Sequence[dagman.Section], workflow: Workflow) -> bool:
    """Whether all files of the user's have a section that is not out of date."""
    submission = dagman.submission_in(workflow)
    expected = len(submission.roots) if submission else 0
    return 0 < len(sections) == expected and not any(section.problems for section in sections)


def _against_section(workflow: Workflow, plan: Plan, pool: AnyPool | None) -> Choice | None:
    """Let the order of *plan* race against that in a section; None if they are the same."""
    dag, present = workflow.dag, workflow.priorities
    if present is None or np.array_equal(order_of(dag, present), plan.order):
        return None
    return challenged(dag, plan.order, workflow.run_times, Aim(pool, present))


def _limited(workflow: Workflow, wanted: Wanted, signs: Signs) -> LimitedOrder | None:
    if wanted.memory is None:
        return None
    sizes = workflow.sizes if wanted.sizes is None else read_sizes(workflow, wanted.sizes)
    with signs.working("ordering", len(workflow.dag)):
        return order_within(workflow.dag, wanted.memory, sizes=sizes)
