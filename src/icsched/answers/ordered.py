"""A workflow in an order, within a limit on memory if there is one."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from icsched.answers.compared import Compared
from icsched.answers.inputs import read_sizes
from icsched.answers.orders import WantedOrder
from icsched.answers.reading import Reading
from icsched.answers.signs import QUIET, Signs
from icsched.formats import dagman
from icsched.orders import LimitedOrder, Plan, order_within, prioritize
from icsched.workflow import Workflow


@dataclass(frozen=True)
class Wanted:
    """Which order, and the most memory it may need, with a file of sizes in bytes."""

    order: WantedOrder
    memory: int | None = None
    sizes: str | None = None


@dataclass(frozen=True, eq=False)
class Ordered:
    """A workflow with a plan for what is left of it; `limited` only if memory is limited."""

    workflow: Workflow
    compared: Compared
    limited: LimitedOrder | None
    read_seconds: float

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
    def memory(self) -> int:
        """The most memory that the order needs."""
        return self.limited.memory if self.limited else self.plan.schedule.peak_memory

    @property
    def gains(self) -> bool:
        """Whether the order leads first come, first served at some step, or keeps a limit."""
        return self.limited is not None or self.compared.contest.largest_lead[1] > 0


def order_workflow(
    files: Sequence[str],
    wanted: Wanted,
    *,
    reading: Reading,
    directory: str = "",
    is_inner: bool = False,
    signs: Signs = QUIET,
) -> Ordered:
    """Read a workflow and order what is left of it; given run times are not for inner ones."""
    start = time.perf_counter()
    workflow = reading.read(files, directory=directory, signs=signs)
    if not is_inner:
        workflow = wanted.order.timed(workflow)
    read_seconds = time.perf_counter() - start
    limited = _limited(workflow, wanted, signs)
    plan = limited.plan if limited else wanted.order.plan(workflow, signs=signs)
    return Ordered(workflow, Compared(plan), limited, read_seconds)


def _limited(workflow: Workflow, wanted: Wanted, signs: Signs) -> LimitedOrder | None:
    if wanted.memory is None:
        return None
    sizes = workflow.sizes if wanted.sizes is None else read_sizes(workflow, wanted.sizes)
    with signs.working("ordering", len(workflow.dag)):
        return order_within(workflow.dag, wanted.memory, sizes=sizes)
