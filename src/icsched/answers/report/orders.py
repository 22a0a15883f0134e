"""The orders that a report compares, each once as a list and once as the simulator plays it."""

from collections.abc import Mapping
from dataclasses import dataclass

from icsched.answers.ordered import Ordered
from icsched.answers.orders import AUTO, NOW, differ
from icsched.answers.signs import Signs
from icsched.arrays import Floats, Ids
from icsched.dag import Dag
from icsched.orders import Made, made_order
from icsched.orders.auto import order_of
from icsched.pebble import Schedule, critical_path_order
from icsched.sim import Played
from icsched.theory import Proof

CRITICAL_PATH, PRIO, FIFO = "critical-path", "prio", "fifo"


@dataclass(frozen=True, eq=False)
class ReportOrder:
    """An order as a list, and how the simulator plays it."""

    schedule: Schedule
    played: Played


@dataclass(frozen=True, eq=False)
class ReportOrders:
    """The orders by name, what the others are compared with, and what is proved about "prio"."""

    orders: Mapping[str, ReportOrder]
    baseline: str
    prio_proof: Proof


def report_orders(found: Ordered, means: Floats, signs: Signs) -> ReportOrders:
    """Return "now", if the files have priorities, "auto", "critical-path", "prio" and "fifo".

    Jobs without priorities run first come, first served, so "fifo" is then what the files have now.
    """
    dag = found.plan.dag
    has_own = differ(found.present)
    with signs.working("ordering", len(dag)):
        prio, prio_proof = _prio(found)
        longest = critical_path_order(dag, run_times=means)
    orders = {
        AUTO: ReportOrder(found.plan.schedule, _played_auto(found)),
        CRITICAL_PATH: _listed(dag, longest),
        PRIO: _listed(dag, prio),
        FIFO: ReportOrder(Schedule.trusted(dag, dag.fifo_order), Played("fifo")),
    }
    if found.present is not None and has_own:
        now = Schedule.trusted(dag, order_of(dag, found.present))
        played = Played("priority", priorities=found.present)
        orders = {NOW: ReportOrder(now, played), **orders}
    return ReportOrders(orders, NOW if has_own else FIFO, prio_proof)


def _prio(found: Ordered) -> tuple[Ids, Proof]:
    """Return the order "prio" and what is proved about it; not made again if "auto" chose it."""
    if found.plan.choice is not None and found.plan.choice.chosen == PRIO:
        return found.plan.order, found.plan.proof
    made = made_order(found.plan.dag, PRIO, found.workflow.run_times)
    assert isinstance(made, Made)  # noqa: S101  for the type checker
    return made.order, made.proof


def _listed(dag: Dag, order: Ids) -> ReportOrder:
    schedule = Schedule.trusted(dag, order)
    return ReportOrder(schedule, Played("static", schedule))


def _played_auto(found: Ordered) -> Played:
    """Return how "auto" is played: as the files without icsched's section, if it keeps these."""
    choice, own = found.plan.choice, found.workflow.priorities
    if choice is None or choice.chosen != choice.present:
        return Played("static", found.plan.schedule)
    return Played("priority", priorities=own) if differ(own) else Played("fifo")
