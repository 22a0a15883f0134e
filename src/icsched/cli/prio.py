"""`icsched prio`: order a workflow."""

import sys
import time
from typing import Annotated, Literal

from cyclopts import Parameter

from icsched import formats, pebble
from icsched.cli import output
from icsched.theory import Plan, prioritize


def prio(
    file: str,
    /,
    *,
    strategy: Literal["prio", "fifo", "lifo", "level", "critical-path"] = "prio",
    json_: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
) -> None:
    """Order a workflow so that as many jobs as possible are eligible at every step.

    Parameters
    ----------
    file
        DAGMan file of the workflow.
    strategy
        How to order: prio, or for comparison fifo, lifo, level or critical-path.
    json_
        Print one JSON object with the order, the priorities and the profiles.

    """
    start = time.perf_counter()
    with output.working(f"reading {file}"):
        dag = formats.read(file)
    read = time.perf_counter() - start
    with output.working(f"ordering {output.counted(len(dag), 'job')}"):
        plan = prioritize(dag, strategy)
    if json_:
        output.write_json(_answer(plan, read))
    else:
        sys.stdout.write(_report(file, plan))


def _report(file: str, plan: Plan) -> str:
    dag, ours = plan.dag, plan.schedule.eligible
    fifo = pebble.eligibility_profile(dag, dag.fifo_order)
    seconds = sum(plan.seconds.values())
    head = (
        f"{file}: {output.size(dag)}, ordered by {plan.strategy} in {seconds:.2f} s\n"
        f"{output.proof_sentence(plan.proof)}\n"
    )
    if not len(dag):
        return head
    contest = pebble.compare(dag, plan.order, dag.fifo_order)
    return (
        f"{head}\nEligible jobs from the first step to the last:\n"
        + output.charts({"first come, first served": fifo, plan.strategy: ours})
        + f"{output.lead_sentence(contest, ours, fifo)}\n"
    )


def _answer(plan: Plan, read: float) -> dict[str, object]:
    dag = plan.dag
    names = plan.schedule.names
    return {
        "jobs": len(dag),
        "arcs": dag.arc_count,
        "strategy": plan.strategy,
        "order": names,
        "priorities": dict(zip(names, range(len(names), 0, -1), strict=True)),
        "eligible": plan.schedule.eligible.tolist(),
        "fifo_eligible": pebble.eligibility_profile(dag, dag.fifo_order).tolist(),
        "proof": output.proof_keys(plan.proof),
        "area_ratio": None,
        "seconds": {"read": read, "order": sum(plan.seconds.values()), **plan.seconds},
    }
