"""`icsched show`: what a workflow is made of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from icsched import formats
from icsched.commands import notes
from icsched.commands.comparison import Compared
from icsched.commands.inputs import (
    Note,
    Reading,
    Resumed,
    TimesKnown,
    rescue_sentence,
    resumed,
    times_keys,
)
from icsched.commands.notes import TablesWritten, about_inner, sentence
from icsched.commands.options import USUAL, FileName, FileOptions, PathName, check_streams
from icsched.commands.order_options import OURS, OrderOptions, WantedOrder, times_known
from icsched.commands.terminal import QUIET, SIGNS, WRITTEN, Json, Signs, put
from icsched.dag import Dag
from icsched.engines.configuration import pool_settings
from icsched.files import naming, remove, write_text
from icsched.formats import FORMATS, Format, dagman
from icsched.messages import named
from icsched.orders import Plan
from icsched.report.proofs import proof_keys, proof_sentence, unbounded
from icsched.theory import Analysis
from icsched.words import counted, size
from icsched.workflow import Remark, Workflow


def write_tables(directory: str, texts: Mapping[str, str]) -> None:
    """Write *texts* to the files with these names, and remove the files of an earlier workflow.

    Raises FormatError for a file that cannot be written or removed.
    """
    folder = Path(directory)
    with naming(directory):
        (folder / "blocks").mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_text(folder / name, text)
    for old in (*folder.glob("blocks/[0-9]*.dot"), folder / "superdag.dot"):
        if old.relative_to(folder).as_posix() not in texts:
            remove(old)


@dataclass(frozen=True, eq=False)
class Files:
    """What DAGMan will find in the files beside the jobs themselves."""

    done: int
    rescue: str | None
    priorities: int  # jobs to which the files give a priority
    sections: tuple[dagman.Section, ...]
    strict: Remark | None
    remarks: tuple[Remark, ...]
    notes: tuple[notes.Note, ...]


@dataclass(frozen=True, eq=False)
class ShowAnswer:
    """A workflow taken apart, an order of it, and what is in its files."""

    names: tuple[str, ...]  # of the files
    dag: Dag
    levels: int
    shortcuts: int
    analysis: Analysis
    compared: Compared
    files: Files
    timed: TimesKnown | None


def show_answer(
    files: Sequence[str], wanted: WantedOrder, *, reading: Reading, signs: Signs = QUIET
) -> ShowAnswer:
    """Take a workflow apart, and order it."""
    wanted.check()
    workflow = wanted.timed(reading.read(files, signs=signs))
    dag = workflow.dag
    plan = wanted.plan(workflow, signs=signs)
    with signs.working("taking apart", len(dag)):
        analysis = plan.analysis
        known = times_known(workflow, is_own=not wanted.run_times)
        around = pool_settings() if dagman.submission_in(workflow) else None
        found = files_of(workflow, known, around=around)
        found = replace(found, notes=(*found.notes, *about_inner(workflow)))
    return ShowAnswer(
        names=tuple(files),
        dag=dag,
        levels=int(dag.levels.max(initial=-1)) + 1,
        shortcuts=dag.arc_count - analysis.parts.dag.arc_count,
        analysis=analysis,
        compared=Compared(plan),
        files=found,
        timed=known,
    )


def files_of(
    workflow: Workflow,
    known: TimesKnown | None,
    *,
    with_advice: bool = True,
    around: dagman.Around | None = None,
) -> Files:
    """Return what is in the files of a workflow beside its jobs; advice takes long if it is large.

    *known* says where run times come from. Without advice, the remarks are those of the reader.
    *around* has the settings of DAGMan around the workflow, if somebody knows them.
    """
    chosen, submission = FORMATS.find(workflow.format), dagman.submission_in(workflow)
    given, strict, resumed = 0, None, _resumed(workflow)
    sections: tuple[dagman.Section, ...] = ()
    told: list[notes.Note] = [resumed] if resumed else []
    if known and not known.is_own:  # otherwise a remark tells it
        told.append(known)
    if submission is not None:
        given, strict = notes.own_priorities(submission), dagman.strictness(submission, around)
        sections = tuple(dagman.sections(submission))
        told += _notes(submission, given, sections, strict)
    return Files(
        done=int(workflow.done.sum()),
        rescue=workflow.done_by,
        priorities=given,
        sections=sections,
        strict=strict,
        remarks=tuple(_remarks(workflow, chosen, around) if with_advice else workflow.remarks),
        notes=tuple(told),
    )


def _remarks(workflow: Workflow, chosen: Format, around: dagman.Around | None) -> Sequence[Remark]:
    submission = dagman.submission_in(workflow)
    if submission is not None:
        return dagman.advise(submission, around)
    return chosen.advice(workflow) if chosen.advice else workflow.remarks


def _notes(
    submission: dagman.Submission,
    given: int,
    sections: Sequence[dagman.Section],
    setting: Remark | None,
) -> Iterator[notes.Note]:
    yield from notes.stale_sections(sections)
    if given:
        yield notes.OwnPriorities(given)
    if strict := notes.strict(submission, setting):
        yield strict


def _resumed(workflow: Workflow) -> Resumed | None:
    """Return what DAGMan resumes from, even a rescue file that lists no job as done."""
    if workflow.done_by is None:
        return resumed(workflow)
    return Resumed(int(workflow.done.sum()), len(workflow.dag), workflow.done_by)


_MOST_BLOCKS = 10_000  # one file each


def table_texts(compared: Compared) -> dict[str, str]:
    """Return the texts of order.txt, eligible.csv, dag.dot, superdag.dot and blocks/N.dot.

    Blocks are numbered in the order in which they begin. Only the first ten thousand get a file.
    """
    plan = compared.plan
    return {
        "order.txt": "".join(f"{name}\n" for name in plan.schedule.names),
        "eligible.csv": _eligible(compared),
        "dag.dot": formats.dot_text(plan.dag, name="dag"),
        **_blocks(plan),
    }


def _eligible(compared: Compared) -> str:
    """Return a table of the eligible counts: jobs executed, this order, first come first served."""
    rows = zip(compared.eligible.tolist(), compared.fifo_eligible.tolist(), strict=True)
    lines = [f"{step},{ours},{theirs}" for step, (ours, theirs) in enumerate(rows)]
    return "\n".join([f"executed,{compared.plan.ordered_by},fifo", *lines]) + "\n"


def _blocks(plan: Plan) -> dict[str, str]:
    analysis = plan.analysis
    rows = analysis.parts.blocks.nonsinks
    begins = np.minimum.reduceat(plan.schedule.ranks[rows.targets], rows.offsets[:-1])
    place = {block: number for number, block in enumerate(np.argsort(begins).tolist(), 1)}
    arcs = analysis.superdag.arcs
    numbered = Dag.from_arcs(len(place), arcs, names=[place[b] for b in range(len(place))])
    texts = {"superdag.dot": formats.dot_text(numbered, name="superdag")}
    for block, number in list(place.items())[:_MOST_BLOCKS]:
        text = formats.dot_text(analysis.parts.block(block), name=f"block {number}")
        texts[f"blocks/{number}.dot"] = text
    return texts


_MOST_ROWS = 20


def text(found: ShowAnswer) -> str:
    """Return a report."""
    files = found.files
    return _made_of(found) + _note_lines(files.notes) + _advice(files.remarks)


def _made_of(found: ShowAnswer) -> str:
    dag, blocks = found.dag, len(found.analysis.parts)
    lines = [
        f"{named(*found.names)}: {size(len(dag), dag.arc_count)}"
        f" ({found.shortcuts:,} superfluous), {counted(found.levels, 'level')},"
        f" {counted(len(dag.sources), 'source')}, {counted(len(dag.sinks), 'sink')}",
        counted(blocks, "block") + (":" if blocks else ""),
        *_block_rows(found.analysis),
        proof_sentence(found.compared.plan.proof, found.compared.certified)
        + unbounded(found.compared.plan, found.compared.certified),
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


def _note_lines(found: Sequence[Note]) -> str:
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


def show(
    *files: FileName,
    order: OrderOptions = OURS,
    tables_: Annotated[PathName | None, Parameter(name="--tables"), WRITTEN] = None,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Show a workflow's size, levels and blocks, what is proved, and what may disturb an order.

    Parameters
    ----------
    tables_
        Directory for the order, the eligibility table and dot files of dag, superdag and blocks.
    json_
        Print one JSON object instead of a report.

    """
    check_streams(*files, order.order, *order.run_times)
    found = show_answer(files, order, reading=Reading(reading), signs=SIGNS)
    if tables_ is not None:
        write_tables(tables_, table_texts(found.compared))
        told = (*found.files.notes, TablesWritten(tables_))
        found = replace(found, files=replace(found.files, notes=told))
    put(found, text, keys, as_json=json_)
