"""The order that a user asks for: a name of the table, or a file with an order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from icsched.answers.inputs import file_after_at, read_order
from icsched.answers.run_times import with_run_times
from icsched.answers.signs import QUIET, Signs
from icsched.arrays import Ids
from icsched.errors import ArgumentError
from icsched.orders import ORDERS, Plan, prioritize
from icsched.orders.choice import FIFO, PRESENT
from icsched.orders.entry import UseOfTimes
from icsched.sim import AnyPool, Played
from icsched.workflow import Workflow

FILE = "@"  # before the name of a file
AUTO = "auto"  # the order that is chosen by simulation
NOW = "now"  # the priorities that the files have now, beside other orders


@dataclass(frozen=True)
class WantedOrder:
    """A name of `ORDERS`, or @FILE; `run_times` are files with run times."""

    order: str = "prio"
    run_times: Sequence[str] = ()

    def check(self) -> None:
        """Raise ArgumentError for an order that is unknown."""
        check_known(self.order)

    def timed(self, workflow: Workflow) -> Workflow:
        """Return the workflow with the run times of the files; raises FormatError."""
        return with_run_times(workflow, self.run_times)

    @property
    def _use_of_times(self) -> UseOfTimes:
        return "unused" if is_file(self.order) else ORDERS[self.order].run_times

    def plan(
        self, workflow: Workflow, *, pool: AnyPool | None = None, signs: Signs = QUIET
    ) -> Plan:
        """Order what is left of a workflow, with the run times that it has.

        "auto" chooses on *pool*, or on usual pools. Other orders may look at it.
        Raises FormatError for a bad file, and ArgumentError if run times are needed and missing.
        """
        if is_file(self.order):
            return plan_of_file(workflow, self.order)
        if workflow.run_times is None and self._use_of_times == "needed":
            raise ArgumentError(f"--order {self.order} needs --run-times")
        doing = "simulating several orders of" if self.order == AUTO else "ordering"
        with signs.working(doing, len(workflow.dag)):
            return prioritize(workflow, self.order, pool=pool)


def is_file(word: str) -> bool:
    """Whether *word* names a file with an order.

    >>> is_file("@order.txt"), is_file("prio")
    (True, False)
    """
    return word.startswith(FILE)


def is_played_live(word: str) -> bool:
    """Whether the simulator plays the order *word* by its name, and not as a list of jobs.

    >>> is_played_live("lifo"), is_played_live("prio"), is_played_live("@order.txt")
    (True, False, False)
    """
    return not is_file(word) and ORDERS.find(word).played != "static"


def chosen_by_auto(plan: object) -> str | None:
    """Return the name of the order that auto chose; `NOW` for what the files have now.

    None if *plan* is not a plan of auto's.
    """
    choice = plan.choice if isinstance(plan, Plan) else None
    if choice is None:
        return None
    return NOW if choice.chosen == PRESENT else choice.chosen


def as_played(workflow: Workflow, plan: Plan) -> Plan | Played | str:
    """Return *plan* as the simulator plays it.

    If auto keeps fifo, or the priorities of the files, the pool decides when jobs are ready. No
    list of jobs can say that.
    """
    kept = chosen_by_auto(plan)
    if kept == NOW:
        return Played("priority", priorities=workflow.priorities)
    return FIFO if kept == FIFO else plan


def check_known(word: str) -> None:
    """Raise ArgumentError unless *word* is a name of `ORDERS` or names a file."""
    if is_file(word):
        return
    if word not in ORDERS:
        raise ORDERS.unknown(word, asked_by="--order", also="@FILE")
    ORDERS.find(word)


def differ(priorities: Ids | None) -> bool:
    """Whether *priorities* put some jobs before others; otherwise jobs run as in fifo.

    >>> differ(None), differ(np.array([3, 3])), differ(np.array([3, 4]))
    (False, False, True)
    """
    return priorities is not None and len(np.unique(priorities)) > 1


def plan_of_file(workflow: Workflow, word: str) -> Plan:
    """Return the order in the file that *word* names after @, with what is proved about it."""
    order = read_order(workflow, file_after_at(word))
    return prioritize(workflow.dag, order, label=word)
