"""A workflow in an order, within a limit on memory if there is one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from icsched.arrays import Ids
from icsched.commands.inputs import read_sizes
from icsched.commands.notes import cautions_about
from icsched.commands.order_options import AUTO, GivenPool, WantedOrder
from icsched.commands.terminal import working
from icsched.formats.facts import left_of
from icsched.formats.port import Section
from icsched.formats.table import files_behind
from icsched.orders import Aim, Choice, LimitedOrder, Plan, order_within
from icsched.orders.auto import challenged, order_of
from icsched.sim import AnyPool
from icsched.workflow import Note, Workflow


@dataclass(frozen=True)
class Wanted:
    """Which order, and the most memory it may need, with a file of sizes in bytes.

    `given` is the pool for "auto", None if the user said nothing about it.
    """

    order: WantedOrder
    memory: int | None = None
    sizes: str | None = None
    given: GivenPool | None = None


@dataclass(frozen=True, eq=False)
class Ordered:
    """A workflow with a plan for what is left of it; `limited` only if memory is limited.

    `choice` is the comparison that decides whether to write; None if the user named the order. If
    that is with the order in a section of icsched's, `choice_without_section` is what "auto" chose
    as if there were no section. `reason_to_leave` says why the order should not be written, or is
    None if it should be: an order that the user named, or that a good section has, is written.
    `present` has the priorities of the files, those in sections included; None if "auto" was not
    asked for.
    """

    workflow: Workflow
    plan: Plan
    sections: Sequence[Section]
    limited: LimitedOrder | None = None
    choice: Choice | None = None
    choice_without_section: Choice | None = None
    reason_to_leave: Choice | None = None
    present: Ids | None = None
    cautions: tuple[Note, ...] = ()

    @cached_property
    def priorities(self) -> dict[str, int]:
        """The priority of each job in the files; raises FormatError if there is no room."""
        return files_behind(self.workflow).priorities(self.plan.order.tolist())

    @property
    def removes_sections(self) -> bool:
        """Whether sections go, because they are out of date and the new order is not worth it.

        They cannot stay: DAGMan may refuse the files.
        """
        is_stale = any(section.problems for section in self.sections)
        return is_stale and self.reason_to_leave is not None


def order_workflow(workflow: Workflow, wanted: Wanted) -> Ordered:
    """Order what is left of a workflow that was read, and has its run times."""
    sections = files_behind(workflow).sections()
    if wanted.memory is None and wanted.order.order == AUTO:
        return _chosen(workflow, sections, wanted)
    if wanted.memory is None:
        return Ordered(workflow, wanted.order.plan(workflow), sections)
    sizes = workflow.sizes if wanted.sizes is None else read_sizes(workflow, wanted.sizes)
    with working("ordering", len(workflow.dag)):
        limited = order_within(workflow.dag, wanted.memory, sizes=sizes)
    return Ordered(workflow, limited.plan, sections, limited)


def _chosen(workflow: Workflow, sections: Sequence[Section], wanted: Wanted) -> Ordered:
    """Choose an order by simulation, as if the files had no section of icsched's.

    So the same files get the same order, whatever was written into them before. Then the order in
    a good section is compared with that order. A section is good if it is not out of date, and all
    files of the user's have one.
    """
    behind, pool = files_behind(workflow), wanted.given.pool if wanted.given else None
    own, against = workflow, None
    if sections:
        given = behind.own_priorities()
        lines = None if given is None else left_of(given, workflow.done, np.int32)
        own = replace(workflow, priorities=lines)
    plan = wanted.order.plan(own, pool=pool)
    is_whole = bool(sections) and len(sections) == len(behind.named())
    has_good = is_whole and not any(section.problems for section in sections)
    if has_good:
        with working("simulating two orders of", len(workflow.dag)):
            against = _against_section(workflow, plan, pool)
    reason = against if has_good else plan.choice
    return Ordered(
        own,
        plan,
        sections,
        choice=plan.choice if against is None else against,
        choice_without_section=None if against is None else plan.choice,
        reason_to_leave=None if reason is None or reason.is_worth_it else reason,
        present=workflow.priorities,
        cautions=cautions_about(workflow, wanted.given),
    )


def _against_section(workflow: Workflow, plan: Plan, pool: AnyPool | None) -> Choice | None:
    """Let the order of *plan* race against that in a section; None if they are the same."""
    dag, present = workflow.dag, workflow.priorities
    if present is None or np.array_equal(order_of(dag, present), plan.order):
        return None
    return challenged(dag, plan.order, workflow.run_times, Aim(pool, present))
