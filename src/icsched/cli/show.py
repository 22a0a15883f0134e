"""`icsched show`: what a workflow is made of."""

import sys
from typing import Annotated

from cyclopts import Parameter

from icsched import formats, pebble
from icsched.cli import output
from icsched.dag import Dag
from icsched.theory import Analysis, Plan, prioritize

_MOST_ROWS = 20


def show(
    file: str,
    /,
    *,
    json_: Annotated[bool, Parameter(name="--json", negative="", show_default=False)] = False,
) -> None:
    """Show a workflow's size, levels and blocks, and what can be proved about its order.

    Parameters
    ----------
    file
        DAGMan file of the workflow.
    json_
        Print one JSON object instead of a report.

    """
    with output.working(f"reading {file}"):
        dag = formats.read(file)
    with output.working(f"taking {output.counted(len(dag), 'job')} apart"):
        plan = prioritize(dag)
        facts = _facts(plan, _analysis(plan))
    if json_:
        output.write_json(facts)
    else:
        sys.stdout.write(_report(file, plan, facts))


def _analysis(plan: Plan) -> Analysis:
    assert plan.analysis is not None, "prio takes every dag apart"  # noqa: S101  for the type checker
    return plan.analysis


def _levels(dag: Dag) -> int:
    return int(dag.levels.max(initial=-1)) + 1


def _facts(plan: Plan, analysis: Analysis) -> dict[str, object]:
    dag = plan.dag
    return {
        "jobs": len(dag),
        "arcs": dag.arc_count,
        "levels": _levels(dag),
        "sources": len(dag.sources),
        "sinks": len(dag.sinks),
        "shortcuts": dag.arc_count - analysis.parts.dag.arc_count,
        "blocks": [
            {"family": g.family, "count": g.count, "sources": g.sources, "sinks": g.sinks}
            for g in analysis.blocks
        ],
        "linear": analysis.is_linear,
        "proof": output.proof_keys(plan.proof),
    }


def _report(file: str, plan: Plan, facts: dict[str, object]) -> str:
    dag, analysis = plan.dag, _analysis(plan)
    lines = [
        f"{file}: {output.size(dag)}"
        f" ({facts['shortcuts']:,} superfluous), {output.counted(_levels(dag), 'level')},"
        f" {output.counted(len(dag.sources), 'source')}, {output.counted(len(dag.sinks), 'sink')}",
        output.counted(len(analysis.parts), "block") + (":" if len(analysis.parts) else ""),
        *_block_rows(analysis),
        output.proof_sentence(plan.proof),
    ]
    if len(dag):
        fifo = pebble.eligibility_profile(dag, dag.fifo_order)
        profiles = {"first come, first served": fifo, "prio": plan.schedule.eligible}
        lines += ["", "Eligible jobs from the first step to the last:", output.charts(profiles)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _block_rows(analysis: Analysis) -> list[str]:
    groups = analysis.blocks
    rows = [
        f"  {g.count:>9,} x {g.family:16} {output.counted(g.sources, 'source')},"
        f" {output.counted(g.sinks, 'sink')}"
        for g in groups[:_MOST_ROWS]
    ]
    rest = len(groups) - len(rows)
    return [*rows, f"  and {output.counted(rest, 'more kind')}"] if rest > 0 else rows
