"""Whether an order is IC-optimal."""

from dataclasses import dataclass

from icsched import pebble
from icsched.answers.compared import Certified, certified_plan
from icsched.answers.orders import WantedOrder
from icsched.answers.reading import Reading
from icsched.answers.signs import QUIET, Signs
from icsched.errors import LimitError
from icsched.orders import Plan


@dataclass(frozen=True)
class VerifyAnswer:
    """The verdict on an order; `better` names the jobs that beat it, if there are any.

    `verdict` is None if nobody knows: `undecided` then says why the referee gave up. `certified`
    says how close the order comes to a bound; None for a large workflow. `no_order_is_ic_optimal`
    is true if making the order has shown that; false if that is not known.
    """

    file: str
    ordered_by: str
    jobs: int
    arcs: int
    verdict: pebble.Verdict | None
    better: tuple[object, ...] | None
    certified: Certified | None
    undecided: str = ""
    no_order_is_ic_optimal: bool = False


def verify_answer(
    file: str, wanted: WantedOrder, *, limit: int, reading: Reading, signs: Signs = QUIET
) -> VerifyAnswer:
    """Judge an order: by a bound if it meets one, else by the referee, which may give up."""
    wanted.check()
    workflow = reading.read([file], signs=signs)
    dag = workflow.dag
    plan = wanted.plan(workflow, signs=signs)
    with signs.working("bounding", len(dag)):
        certified = certified_plan(plan)
    verdict, undecided = _judged(plan, certified, limit)
    beating = None if verdict is None else verdict.better
    better = None if beating is None else tuple(dag.names[t] for t in beating)
    sizes = len(dag), dag.arc_count
    none = plan.proof.no_order_is_ic_optimal
    return VerifyAnswer(file, plan.ordered_by, *sizes, verdict, better, certified, undecided, none)


def _judged(
    plan: Plan, certified: Certified | None, limit: int
) -> tuple[pebble.Verdict | None, str]:
    """Return the verdict, or None with the reason why the referee gave up."""
    if certified is not None and certified.is_ic_optimal:
        return pebble.Verdict(ic_optimal=True), ""
    try:
        return pebble.verify(plan.dag, plan.order, limit=limit), ""
    except LimitError as error:
        return None, str(error)
