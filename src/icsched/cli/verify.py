"""`icsched verify`: certify or refute that an order is IC-optimal."""

from typing import Annotated

from icsched import pebble
from icsched.cli import output
from icsched.cli.inputs import USUAL, WHOLE, FileOptions, read_order
from icsched.cli.output import Json
from icsched.cli.visible import named, say
from icsched.dag import Dag
from icsched.pebble.referee import DEFAULT_LIMIT


def verify(
    file: str,
    /,
    *,
    order: str,
    limit: Annotated[int, WHOLE] = DEFAULT_LIMIT,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Say whether an order keeps as many jobs eligible as any order could, at every step.

    Parameters
    ----------
    file
        DAGMan file of the workflow.
    order
        File with the jobs' names, one a line, first to run first; those done may be left out.
    limit
        Give up after this many sets of executed jobs.
    reading
        How the files are read.
    json_
        Print one JSON object instead of a sentence.

    """
    workflow = reading.read([file])
    dag = workflow.dag
    verdict = pebble.verify(dag, read_order(workflow, order), limit=limit)
    if json_:
        output.write_json(_answer(dag, verdict))
    else:
        say(_sentence(dag, named(file), verdict))


def _sentence(dag: Dag, file: str, verdict: pebble.Verdict) -> str:
    if verdict.better is None:
        jobs = output.counted(len(dag), "job")
        return f"IC-optimal: no order of {file} ({jobs}) has more eligible jobs at any step\n"
    better = ", ".join(str(dag.names[task]) for task in verdict.better)
    jobs = output.counted(verdict.step or 0, "job")
    return (
        f"not IC-optimal: after {jobs} this order has {verdict.eligible:,} eligible,"
        f" but {verdict.best_eligible:,} are possible by running {better} first\n"
    )


def _answer(dag: Dag, verdict: pebble.Verdict) -> dict[str, object]:
    return {
        "jobs": len(dag),
        "arcs": dag.arc_count,
        "ic_optimal": verdict.ic_optimal,
        "step": verdict.step,
        "eligible": verdict.eligible,
        "best_eligible": verdict.best_eligible,
        "better": verdict.better and [dag.names[task] for task in verdict.better],
    }
