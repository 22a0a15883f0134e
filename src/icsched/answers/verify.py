"""Whether an order is IC-optimal."""

from dataclasses import dataclass

from icsched import pebble
from icsched.answers.inputs import read_order
from icsched.answers.reading import Reading
from icsched.answers.signs import QUIET, Signs


@dataclass(frozen=True)
class VerifyAnswer:
    """The referee's verdict on an order; `better` names the jobs that beat it, if any do."""

    file: str
    jobs: int
    arcs: int
    verdict: pebble.Verdict
    better: tuple[object, ...] | None


def verify_answer(
    file: str, order: str, *, limit: int, reading: Reading, signs: Signs = QUIET
) -> VerifyAnswer:
    """Judge the order in a file; raises LimitError if there are too many sets of jobs for that."""
    workflow = reading.read([file], signs=signs)
    dag = workflow.dag
    verdict = pebble.verify(dag, read_order(workflow, order), limit=limit)
    better = None if verdict.better is None else tuple(dag.names[t] for t in verdict.better)
    return VerifyAnswer(file, len(dag), dag.arc_count, verdict, better)
