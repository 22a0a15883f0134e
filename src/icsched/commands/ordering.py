"""Orders that users name, and workflows in such an order."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from icsched.arrays import Ids
from icsched.commands.inputs import file_after_at, read_order, read_sizes
from icsched.commands.notes import NEEDS_LEFT_OUT, cautions_about
from icsched.commands.options import RunTimeFiles, one_of
from icsched.commands.pool_options import GivenPool
from icsched.commands.terminal import working
from icsched.errors import ArgumentError
from icsched.formats.facts import or_zero
from icsched.orders import ORDERS, Aim, Choice, LimitedOrder, Plan, order_within, prioritize
from icsched.orders.auto import challenged, order_of, present_order
from icsched.orders.definition import FIFO, PRESENT
from icsched.sim import AnyPool, Played
from icsched.workflow import Note, Section, Workflow

AUTO = "auto"  # the order that is chosen by simulation
NOW = "now"  # the priorities that the files have now, beside other orders


def is_played_live(word: str) -> bool:
    """Whether the simulator plays the order *word* by its name, and not as a list of jobs.

    >>> is_played_live("lifo"), is_played_live("prio"), is_played_live("@order.txt")
    (True, False, False)
    """
    return not word.startswith("@") and ORDERS[word].played != "static"


def chosen_by_auto(plan: Plan) -> str | None:
    """Return the name of the order that auto chose; `NOW` for what the files have now.

    None if *plan* is not a plan of auto's.
    """
    if plan.choice is None:
        return None
    return NOW if plan.choice.chosen == PRESENT else plan.choice.chosen


def as_played(workflow: Workflow, plan: Plan) -> Played:
    """Return *plan* as the simulator plays it on what is left.

    If auto keeps fifo, or the priorities of the files, the pool decides when jobs are ready. No
    list of jobs can say that.
    """
    kept = chosen_by_auto(plan)
    if kept == NOW:
        return Played("priority", priorities=workflow.residual.priorities)
    return Played("fifo") if kept == FIFO else Played("static", plan.schedule)


def differ(priorities: Ids | None) -> bool:
    """Whether *priorities* put some jobs before others; otherwise jobs run as in fifo.

    >>> differ(None), differ(np.array([3, 3])), differ(np.array([3, 4]))
    (False, False, True)
    """
    return priorities is not None and len(np.unique(priorities)) > 1


def plan_of_file(workflow: Workflow, word: str) -> Plan:
    """Return the order in the file that *word* names after @, with what is proved about it."""
    order = read_order(workflow, file_after_at(word))
    return prioritize(workflow, np.array(order, np.int32), label=word)


_ORDER_HELP = (
    "Name of an order, or @FILE with your own order: one job on each line, first to run first."
)
OrderWord = Annotated[str, one_of(ORDERS, or_file=True), Parameter(help=_ORDER_HELP)]
OrderWords = Annotated[Sequence[str], one_of(ORDERS, or_file=True), Parameter(negative="")]


@Parameter(name="*")
@dataclass(frozen=True)
class WantedOrder:
    """Which order."""

    order: OrderWord = "prio"
    run_times: RunTimeFiles = ()

    def plan(self, workflow: Workflow, *, pool: AnyPool | None = None) -> Plan:
        """Order what is left of a workflow, with the run times that it has.

        "auto" chooses on *pool*, or on usual pools. Other orders may look at it.
        Raises FormatError for a bad file, and ArgumentError if run times are needed and missing.
        """
        if self.order.startswith("@"):
            return plan_of_file(workflow, self.order)
        if workflow.run_times is None and ORDERS[self.order].run_times == "needed":
            raise ArgumentError(f"--order {self.order} needs --run-times")
        doing = "simulating several orders of" if self.order == AUTO else "ordering"
        with working(doing, int((~workflow.done).sum())):
            return prioritize(workflow, self.order, pool=pool)


@Parameter(name="*")
@dataclass(frozen=True)
class AutoOptions(WantedOrder):
    """Which order: by default the one that a simulation chooses."""

    order: OrderWord = AUTO


OURS, CHOSEN = WantedOrder(), AutoOptions()


@dataclass(frozen=True, eq=False)
class Ordered:
    """A workflow with a plan for what is left of it; `limited` only if memory is limited.

    `choice` is the comparison that decides whether to write; None if the user named the order. If
    that is with the order in a section of icsched's, `choice_without_section` is what "auto" chose
    as if there were no section. `reason_to_leave` says why the order should not be written, or is
    None if it should be: an order that the user named, or that a good section has, is written.
    `present` has the priorities of the files, those in sections included; None if "auto" was not
    asked for. `withheld` says why no gain can be forecast, and so no order is chosen: the plan is
    then the order that the files have.
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
    withheld: Note | None = None

    @cached_property
    def priorities(self) -> dict[str, int]:
        """The priority of each job in the files; raises FormatError if there is no room."""
        return self.workflow.source.priorities(self.workflow, self.plan.order.tolist())

    @property
    def removes_sections(self) -> bool:
        """Whether sections go, because they are out of date and the new order is not worth it.

        They cannot stay: DAGMan may refuse the files.
        """
        is_stale = any(section.problems for section in self.sections)
        return is_stale and (self.reason_to_leave or self.withheld) is not None


def order_workflow(workflow: Workflow, wanted: WantedOrder) -> Ordered:
    """Order what is left of a workflow that was read, and has its run times; not by "auto"."""
    return Ordered(workflow, wanted.plan(workflow), workflow.source.sections())


def order_within_memory(workflow: Workflow, memory: int, sizes_file: str | None) -> Ordered:
    """Order what is left of a workflow within a limit, in bytes if sizes are known."""
    sections = workflow.source.sections()
    sizes = workflow.sizes if sizes_file is None else read_sizes(workflow, sizes_file)
    with working("ordering", len(workflow.residual.dag)):
        limited = order_within(workflow, memory, sizes=sizes)
    return Ordered(workflow, limited.plan, sections, limited)


def choose_order(
    workflow: Workflow, given: GivenPool | None, *, may_withhold: bool = False
) -> Ordered:
    """Choose an order by simulation, as if the files had no section of icsched's.

    *given* is the pool to choose for, None if the user said nothing about it.

    So the same files get the same order, whatever was written into them before. Then the order in
    a good section is compared with that order. A section is good if it is not out of date, and all
    files of the user's have one.

    With *may_withhold* no order is chosen if the pool cannot show how the jobs run: even the sign
    of a gain may be wrong.
    """
    given = None if given is None else given.submitted(workflow)
    source, pool = workflow.source, given.pool if given else None
    sections, own, against = source.sections(), workflow, None
    if sections:
        stated = source.own_priorities()
        lines = None if stated is None else or_zero(stated, np.int32)
        own = replace(workflow, priorities=lines)
    cautions = cautions_about(workflow, given)
    why = next((note for note in cautions if note.code == NEEDS_LEFT_OUT), None)
    if may_withhold and why is not None:
        others = tuple(note for note in cautions if note is not why)
        plan, now = _plan_of_files(own), workflow.residual.priorities
        return Ordered(own, plan, sections, present=now, cautions=others, withheld=why)
    plan = WantedOrder(AUTO).plan(own, pool=pool)
    is_whole = bool(sections) and len(sections) == len(source.named())
    has_good = is_whole and not any(section.problems for section in sections)
    if has_good:
        with working("simulating two orders of", len(plan.order)):
            against = _against_section(workflow, plan, pool)
    reason = against if has_good else plan.choice
    return Ordered(
        own,
        plan,
        sections,
        choice=plan.choice if against is None else against,
        choice_without_section=None if against is None else plan.choice,
        reason_to_leave=None if reason is None or reason.is_worth_it else reason,
        present=workflow.residual.priorities,
        cautions=cautions,
    )


def _plan_of_files(workflow: Workflow) -> Plan:
    """Return the order in which the jobs run that are left, if nothing is written."""
    left = workflow.residual
    name, _, order = present_order(left.dag, left.priorities)
    plan = prioritize(left, order, label=NOW if name == PRESENT else name)
    return replace(plan, dag=workflow.dag)


def _against_section(workflow: Workflow, plan: Plan, pool: AnyPool | None) -> Choice | None:
    """Let the order of *plan* race against that in a section; None if they are the same."""
    left, order = workflow.residual, plan.schedule.order
    present = left.priorities
    if present is None or np.array_equal(order_of(left.dag, present), order):
        return None
    return challenged(left.dag, order, left.run_times, Aim(pool, present, workflow=left))
