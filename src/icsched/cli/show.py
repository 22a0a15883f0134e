"""`icsched show`: what a workflow is made of."""

from collections.abc import Sequence

from icsched import pebble
from icsched.cli import notes, output
from icsched.cli.inputs import USUAL, FileOptions
from icsched.cli.output import Json
from icsched.cli.visible import named, say
from icsched.dag import Dag
from icsched.formats import dagman
from icsched.formats.dagman import Submission
from icsched.orders import Plan, prioritize
from icsched.theory import Analysis

_MOST_ROWS = 20


def show(
    *files: str,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Show a workflow's size, levels and blocks, what is proved, and what disturbs an order.

    Parameters
    ----------
    files
        DAGMan file of the workflow; several that are submitted together; - for standard input.
    reading
        How the files are read.
    json_
        Print one JSON object instead of a report.

    """
    workflow = reading.read(files)
    with output.working(f"taking {output.counted(len(workflow.dag), 'job')} apart"):
        plan = prioritize(workflow.dag)
        facts = _facts(plan, _analysis(plan))
        remarks = dagman.advice(workflow)
    if json_:
        output.write_json({**facts, **_state(workflow), "advice": list(map(_remark, remarks))})
    else:
        say(_report(named(*files), plan, facts) + _notes(workflow) + _advice(remarks))


def _remark(remark: dagman.Remark) -> dict[str, object]:
    line = remark.line or None
    return {"file": remark.path, "line": line, "text": remark.text, "count": remark.count}


def _state(workflow: Submission) -> dict[str, object]:
    """Return what DAGMan will find beside the jobs themselves."""
    strict = dagman.strictness(workflow)
    return {
        "done": int(workflow.done.sum()),
        "rescue": workflow.rescue,
        "priorities": int(workflow.has_priority.sum()),
        "sections": [
            {"file": s.path, "line": s.line, "jobs": s.jobs, "problems": s.problems}
            for s in dagman.sections(workflow)
        ],
        "strict": _remark(strict) if strict else None,
    }


def _notes(workflow: Submission) -> str:
    lines = [
        *notes.about_rescue_file(workflow),
        *notes.about_section(workflow),
        *notes.about_own_priorities(workflow),
        *notes.about_strictness(workflow),
    ]
    return "".join(["\n", *(f"{named(line)}.\n" for line in lines)]) if lines else ""


def _advice(remarks: Sequence[dagman.Remark]) -> str:
    if not remarks:
        return ""
    lines = [
        f"{r.path}{f':{r.line}' if r.line else ''}: {r.text}"
        + (f" (and {output.counted(r.count - 1, 'more such line')})" if r.count > 1 else "")
        for r in remarks[:_MOST_ROWS]
    ]
    rest = len(remarks) - len(lines)
    lines = [f"  {named(line)}" for line in lines]
    lines += [f"  and {rest:,} more: --json has all"] if rest > 0 else []
    return "\n".join(["", "What may disturb an order:", *lines, ""])


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
