"""Whether an order is IC-optimal."""

from dataclasses import dataclass

from icsched import pebble
from icsched.answers.orders import WantedOrder
from icsched.answers.reading import Reading
from icsched.answers.signs import QUIET, Signs


@dataclass(frozen=True)
class VerifyAnswer:
    """The referee's verdict on an order; `better` names the jobs that beat it, if there are any."""

    file: str
    ordered_by: str
    jobs: int
    arcs: int
    verdict: pebble.Verdict
    better: tuple[object, ...] | None


def verify_answer(
    file: str, wanted: WantedOrder, *, limit: int, reading: Reading, signs: Signs = QUIET
) -> VerifyAnswer:
    """Judge an order; raises LimitError if there are too many sets of jobs to look at."""
    wanted.check()
    workflow = wanted.timed(reading.read([file], signs=signs))
    dag = workflow.dag
    plan = wanted.plan(workflow, signs=signs)
    verdict = pebble.verify(dag, plan.order, limit=limit)
    better = None if verdict.better is None else tuple(dag.names[t] for t in verdict.better)
    return VerifyAnswer(file, plan.ordered_by, len(dag), dag.arc_count, verdict, better)
