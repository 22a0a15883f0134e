"""What `icsched show` prints."""

from collections.abc import Sequence

from icsched.answers.known import Note, Resumed
from icsched.answers.show import ShowAnswer
from icsched.formats import dagman
from icsched.render.known import rescue_sentence, times_keys
from icsched.render.notes import sentence
from icsched.render.proofs import proof_keys, proof_sentence, unbounded
from icsched.render.visible import named
from icsched.render.words import counted, size
from icsched.theory import Analysis

_MOST_ROWS = 20


def text(found: ShowAnswer) -> str:
    """Return a report."""
    files = found.files
    return _made_of(found) + _notes(files.notes) + _advice(files.remarks)


def _made_of(found: ShowAnswer) -> str:
    dag, blocks = found.dag, len(found.analysis.parts)
    lines = [
        f"{named(*found.names)}: {size(len(dag), dag.arc_count)}"
        f" ({found.shortcuts:,} superfluous), {counted(found.levels, 'level')},"
        f" {counted(len(dag.sources), 'source')}, {counted(len(dag.sinks), 'sink')}",
        counted(blocks, "block") + (":" if blocks else ""),
        *_block_rows(found.analysis),
        proof_sentence(found.compared.plan.proof, found.compared.certified)
        + unbounded(found.compared),
    ]
    return "\n".join(lines) + "\n"


def _block_rows(analysis: Analysis) -> list[str]:
    groups = analysis.blocks
    rows = [
        f"  {g.count:>9,} x {g.family:16} {counted(g.sources, 'source')},"
        f" {counted(g.sinks, 'sink')}"
        for g in groups[:_MOST_ROWS]
    ]
    rest = len(groups) - len(rows)
    return [*rows, f"  and {counted(rest, 'more kind')}"] if rest > 0 else rows


def _notes(found: Sequence[Note]) -> str:
    lines = [
        rescue_sentence(note) if isinstance(note, Resumed) else sentence(note) for note in found
    ]
    return "".join(["\n", *(f"{named(line)}.\n" for line in lines)]) if lines else ""


def _advice(remarks: Sequence[dagman.Remark]) -> str:
    if not remarks:
        return ""
    lines = [f"  {named(remark_words(remark))}" for remark in remarks[:_MOST_ROWS]]
    rest = len(remarks) - len(lines)
    lines += [f"  and {rest:,} more: --json has all"] if rest > 0 else []
    return "\n".join(["", "What may disturb an order:", *lines, ""])


def remark_words(remark: dagman.Remark) -> str:
    """Say what a remark is about, and where."""
    place = f"{remark.path}:{remark.line}" if remark.line else remark.path
    more = f" (and {counted(remark.count - 1, 'more such line')})" if remark.count > 1 else ""
    return f"{place}: {remark.text}{more}"


def keys(found: ShowAnswer) -> dict[str, object]:
    """Return what was found as JSON shows it."""
    dag, analysis = found.dag, found.analysis
    return {
        "jobs": len(dag),
        "arcs": dag.arc_count,
        "levels": found.levels,
        "sources": len(dag.sources),
        "sinks": len(dag.sinks),
        "shortcuts": found.shortcuts,
        "blocks": [
            {"family": g.family, "count": g.count, "sources": g.sources, "sinks": g.sinks}
            for g in analysis.blocks
        ],
        "linear": analysis.is_linear,
        "ordered_by": found.compared.plan.ordered_by,
        "proof": proof_keys(found.compared.plan.proof, found.compared.certified),
        "run_times": times_keys(found.timed),
        **_file_keys(found),
    }


def _file_keys(found: ShowAnswer) -> dict[str, object]:
    files = found.files
    return {
        "done": files.done,
        "rescue": files.rescue,
        "priorities": files.priorities,
        "sections": [
            {"file": s.path, "line": s.line, "jobs": s.jobs, "problems": s.problems}
            for s in files.sections
        ],
        "strict": _remark_keys(files.strict) if files.strict else None,
        "advice": list(map(_remark_keys, files.remarks)),
    }


def _remark_keys(remark: dagman.Remark) -> dict[str, object]:
    line = remark.line or None
    return {"file": remark.path, "line": line, "text": remark.text, "count": remark.count}
