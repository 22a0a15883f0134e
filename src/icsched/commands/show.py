"""`icsched show`: what a workflow is made of."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray

from icsched import formats
from icsched.arrays import Floats
from icsched.commands.comparison import label
from icsched.commands.inputs import (
    USUAL,
    FileOptions,
    TimesKnown,
    done_sentence,
    times_known,
    times_sentence,
    with_run_times,
)
from icsched.commands.notes import about_inner, sentences, stale_sections
from icsched.commands.options import WRITTEN, FileName, Json, PathName
from icsched.commands.ordering import OURS, WantedOrder
from icsched.commands.terminal import put, working
from icsched.dag import Dag
from icsched.files import naming, remove, write_text
from icsched.formats import FORMATS
from icsched.frames import INLINE, NOT_IN_JSON
from icsched.messages import counted, named, number, size
from icsched.orders import Plan
from icsched.plugins.htcondor import pool_settings
from icsched.report.drawing import kinds_of_tasks
from icsched.report.proofs import certified_plan, proof_keys, proof_sentence, unbounded
from icsched.theory.blocks import BlockGroup
from icsched.workflow import (
    Note,
    Remark,
    Section,
    Settings,
    Workflow,
    unknown_settings,
)


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


def _remark_keys(remark: Remark) -> dict[str, object]:
    line = remark.line or None
    return {"file": remark.path, "line": line, "text": remark.text, "count": remark.count}


def _section_keys(section: Section) -> dict[str, object]:
    problems = section.problems
    return {"file": section.path, "line": section.line, "jobs": section.jobs, "problems": problems}


@dataclass(frozen=True)
class Amounts:
    """How much of a resource the jobs of a kind need, as far as their files say it."""

    resource: str
    jobs: int
    least: float
    most: float


@dataclass(frozen=True)
class HiddenAmount:
    """Jobs of a kind whose need only the engine knows, and where the files say it first."""

    resource: str
    jobs: int
    file: str
    line: int | None
    text: str


@dataclass(frozen=True)
class NeedsOfKind:
    """What the jobs of a kind need while they run; nothing if their files do not say it."""

    kind: str
    jobs: int
    needs: tuple[Amounts, ...]
    hidden: tuple[HiddenAmount, ...]


def needs_by_kind(workflow: Workflow) -> list[NeedsOfKind]:
    """Return what the jobs of each kind need; an empty list if the files say it of no job.

    >>> dag = Dag({"map_1": [], "map_2": [], "end": ["map_1", "map_2"]})
    >>> needs_by_kind(Workflow(dag, needs={"cores": np.array([1, 4, np.nan])}))[0].needs
    (Amounts(resource='cores', jobs=2, least=1.0, most=4.0),)
    """
    columns, unknown = workflow.needs, workflow.hidden_needs
    if not columns and not unknown:
        return []
    kinds, names = kinds_of_tasks(workflow)
    hidden: defaultdict[int, list[HiddenAmount]] = defaultdict(list)
    for one in unknown:
        which, counts = np.unique(kinds[one.tasks], return_counts=True)
        for kind, count in zip(which.tolist(), counts.tolist(), strict=True):
            place = one.remark.path, one.remark.line or None
            hidden[kind].append(HiddenAmount(one.resource, count, *place, one.remark.text))
    by_kind = np.split(np.argsort(kinds, kind="stable"), np.cumsum(np.bincount(kinds))[:-1])
    return [
        NeedsOfKind(name, len(tasks), tuple(_amounts(columns, tasks)), tuple(hidden[kind]))
        for kind, (name, tasks) in enumerate(zip(names, by_kind, strict=True))
    ]


def _amounts(columns: Mapping[str, Floats], tasks: NDArray[np.intp]) -> Iterator[Amounts]:
    for resource, amounts in columns.items():
        known = amounts[tasks][~np.isnan(amounts[tasks])]
        if len(known):
            yield Amounts(resource, len(known), float(known.min()), float(known.max()))


@dataclass(frozen=True, eq=False)
class Files:
    """What DAGMan will find in the files beside the jobs themselves.

    `priorities` counts the jobs to which the files give a priority.
    """

    done: int
    rescue: str | None
    priorities: int
    sections: list[dict[str, object]]
    strict: dict[str, object] | None
    advice: list[dict[str, object]]
    remarks: tuple[Remark, ...] = field(metadata=NOT_IN_JSON)
    notes: list[Note] = field(metadata=NOT_IN_JSON)


@dataclass(frozen=True, eq=False)
class ShowAnswer:
    """A workflow taken apart, an order of it, and what is in its files."""

    jobs: int
    arcs: int
    levels: int
    sources: int
    sinks: int
    shortcuts: int
    blocks: Sequence[BlockGroup]
    linear: bool
    ordered_by: str
    proof: dict[str, object]
    run_times: TimesKnown | None
    needs: list[NeedsOfKind]
    files: Files = field(metadata=INLINE)
    names: tuple[str, ...] = field(metadata=NOT_IN_JSON)
    plan: Plan = field(metadata=NOT_IN_JSON)


def show_answer(files: Sequence[str], wanted: WantedOrder, reading: FileOptions) -> ShowAnswer:
    """Take a workflow apart, and order it."""
    workflow = with_run_times(reading.read(files), wanted.run_times)
    dag = workflow.residual.dag
    plan = wanted.plan(workflow)
    with working("taking apart", len(dag)):
        analysis = plan.analysis
        known = times_known(workflow, is_own=not wanted.run_times)
        found = files_of(workflow, known, ask=pool_settings)
        found.notes.extend(about_inner(workflow))
        return ShowAnswer(
            jobs=len(dag),
            arcs=dag.arc_count,
            levels=int(dag.levels.max(initial=-1)) + 1,
            sources=len(dag.sources),
            sinks=len(dag.sinks),
            shortcuts=dag.arc_count - analysis.parts.dag.arc_count,
            blocks=analysis.blocks,
            linear=analysis.is_linear,
            ordered_by=plan.ordered_by,
            proof=proof_keys(plan.proof, certified_plan(plan)),
            run_times=known,
            needs=needs_by_kind(workflow.residual),
            files=found,
            names=tuple(files),
            plan=plan,
        )


def files_of(
    workflow: Workflow,
    known: TimesKnown | None,
    *,
    with_advice: bool = True,
    ask: Callable[[], Settings | None] = unknown_settings,
) -> Files:
    """Return what is in the files of a workflow beside its jobs; advice takes long if it is large.

    *known* says where run times come from. Without advice, the remarks are those of the reader.
    *ask* returns the settings of the engine around the workflow, if somebody knows them.
    """
    workflow = replace(workflow, source=workflow.source.asking(ask))
    source, done = workflow.source, int(workflow.done.sum())
    told: list[Note] = []
    if workflow.done_by is not None:  # even a rescue file that lists no job as done
        rescue = f"DAGMan will resume from {workflow.done_by}: {counted(done, 'job')} done"
        told.append(Note("resumed", rescue))
    elif done:
        told.append(Note("resumed", done_sentence(workflow, "order")))
    if known and not known.is_own:  # otherwise a remark tells it
        told.append(Note("run-times", times_sentence(known)))
    sections, strict = source.sections(), source.refusing()
    priorities = source.own_priorities()
    own = 0 if priorities is None else int((~np.isnan(priorities)).sum())
    told += stale_sections(sections)
    if own:
        what = f"the files already have PRIORITY lines for {counted(own, 'job')}"
        text = f"{what}: prio overrides them unless --keep-existing is given"
        told.append(Note("own-priorities", text))
    told += source.refusal_notes()
    remarks: Sequence[Remark] = workflow.remarks
    if with_advice:
        advice = FORMATS.find(workflow.format).advice
        remarks = workflow.remarks if advice is None else advice(workflow)
    return Files(
        done=done,
        rescue=workflow.done_by,
        priorities=own,
        sections=[_section_keys(section) for section in sections],
        strict=_remark_keys(strict) if strict else None,
        advice=[_remark_keys(remark) for remark in remarks],
        remarks=tuple(remarks),
        notes=told,
    )


_MOST_BLOCKS = 10_000  # one file each


def table_texts(plan: Plan) -> dict[str, str]:
    """Return the texts of order.txt, eligible.csv, dag.dot, superdag.dot and blocks/N.dot.

    Blocks are numbered in the order in which they begin. Only the first ten thousand get a file.
    """
    counts = zip(plan.schedule.eligible.tolist(), plan.fifo.eligible.tolist(), strict=True)
    rows = "".join(f"{step},{ours},{theirs}\n" for step, (ours, theirs) in enumerate(counts))
    return {
        "order.txt": "".join(f"{name}\n" for name in plan.schedule.names),
        "eligible.csv": f"executed,{plan.ordered_by},fifo\n{rows}",
        "dag.dot": formats.dot_text(plan.schedule.dag, name="dag"),
        **_blocks(plan),
    }


def _blocks(plan: Plan) -> dict[str, str]:
    analysis = plan.analysis
    rows = analysis.parts.blocks.nonsinks
    begins = np.minimum.reduceat(plan.schedule.ranks[rows.targets], rows.offsets[:-1])
    place = {block: number for number, block in enumerate(np.argsort(begins).tolist(), 1)}
    arcs = analysis.superdag.arcs
    numbered = Dag.from_arcs(len(place), arcs, names=[place[b] for b in range(len(place))])
    texts = {"superdag.dot": formats.dot_text(numbered, name="superdag")}
    for block, turn in list(place.items())[:_MOST_BLOCKS]:
        text = formats.dot_text(analysis.parts.block(block), name=f"block {turn}")
        texts[f"blocks/{turn}.dot"] = text
    return texts


_MOST_ROWS = 20
_MOST_HIDDEN = 4  # of one kind


def text(found: ShowAnswer) -> str:
    """Return a report."""
    notes = "".join(f"{named(line)}.\n" for line in sentences(found.files.notes))
    parts = [f"\n{notes}" if notes else "", _needs(found.needs), _advice(found.files.remarks)]
    return _made_of(found) + "".join(parts)


def _made_of(found: ShowAnswer) -> str:
    blocks = sum(group.count for group in found.blocks)
    lines = [
        f"{named(*found.names)}: {size(found.jobs, found.arcs)}"
        f" ({found.shortcuts:,} superfluous), {counted(found.levels, 'level')},"
        f" {counted(found.sources, 'source')}, {counted(found.sinks, 'sink')}",
        counted(blocks, "block") + (":" if blocks else ""),
    ]
    lines += [
        f"  {g.count:>9,} x {g.family:16} {counted(g.sources, 'source')},"
        f" {counted(g.sinks, 'sink')}"
        for g in found.blocks[:_MOST_ROWS]
    ]
    rest = len(found.blocks) - _MOST_ROWS
    lines += [f"  and {counted(rest, 'more kind')}"] if rest > 0 else []
    plan, certified = found.plan, certified_plan(found.plan)
    proof = proof_sentence(plan.proof, certified) + unbounded(plan, certified)
    return "\n".join([*lines, _order(plan), proof, ""])


def _order(plan: Plan) -> str:
    """Name the order, because `icsched prio` takes another one by default."""
    if plan.choice is not None:
        return f"Order: {label(plan.choice.chosen)}, chosen by {plan.ordered_by}"
    return f"Order: {plan.ordered_by} (icsched prio takes auto unless --order names an order)"


_WORDS = {"cores": ("core", "cores"), "gpus": ("GPU", "GPUs")}
_BYTES = {"memory_bytes": "memory", "disk_bytes": "disk"}
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def _needs(needs: Sequence[NeedsOfKind]) -> str:
    """Return a line for each kind of job, and a line for each need that is hidden."""
    if not needs:
        return ""
    lines = []
    for kind in needs[:_MOST_ROWS]:
        said = [_amount_words(one, kind.jobs) for one in kind.needs]
        hidden = dict.fromkeys(_BYTES.get(one.resource, one.resource) for one in kind.hidden)
        said += [f"{resource or 'needs'} hidden" for resource in hidden]
        lines.append(f"  {kind.jobs:>9,} x {named(kind.kind):16} {', '.join(said) or 'not said'}")
        lines += [f"{' ' * 14}{named(_hidden_words(one))}" for one in kind.hidden[:_MOST_HIDDEN]]
        rest = len(kind.hidden) - _MOST_HIDDEN
        lines += [f"{' ' * 14}and {rest:,} more: --json has all"] if rest > 0 else []
    rest = len(needs) - _MOST_ROWS
    lines += [f"  and {counted(rest, 'more kind')}: --json has all"] if rest > 0 else []
    return "\n".join(["", "What jobs need:", *lines, ""])


def _amount_words(amounts: Amounts, jobs: int) -> str:
    of, is_one = amounts.resource, amounts.least == amounts.most
    show = _binary if of in _BYTES else number
    value = show(amounts.least) if is_one else f"{show(amounts.least)} to {show(amounts.most)}"
    one, many = _WORDS.get(of, ("", ""))
    if one:
        text = f"{value} {one if amounts.least == amounts.most == 1 else many}"
    else:
        text = f"{value} of {_BYTES.get(of, of)}"
    return text if amounts.jobs == jobs else f"{text} ({amounts.jobs:,} of {jobs:,} jobs)"


def _binary(size: float) -> str:
    """Return a number of bytes in the units in which engines take memory.

    >>> _binary(512), _binary(1.5 * 2**30)
    ('512 B', '1.5 GiB')
    """
    power = 0
    while power < len(_BINARY) - 1 and size >= 1024 ** (power + 1):
        power += 1
    return f"{number(round(size / 1024**power, 2))} {_BINARY[power]}"


def _hidden_words(hidden: HiddenAmount) -> str:
    place = f"{hidden.file}:{hidden.line}" if hidden.line else hidden.file
    return f"{place}: {hidden.text} ({counted(hidden.jobs, 'job')})"


def _advice(remarks: Sequence[Remark]) -> str:
    if not remarks:
        return ""
    lines = [f"  {named(remark_words(remark))}" for remark in remarks[:_MOST_ROWS]]
    rest = len(remarks) - len(lines)
    lines += [f"  and {rest:,} more: --json has all"] if rest > 0 else []
    return "\n".join(["", "What may disturb an order:", *lines, ""])


def remark_words(remark: Remark) -> str:
    """Say what a remark is about, and where."""
    place = f"{remark.path}:{remark.line}" if remark.line else remark.path
    more = f" (and {counted(remark.count - 1, 'more such line')})" if remark.count > 1 else ""
    return f"{place}: {remark.text}{more}"


def show(
    *files: FileName,
    order: WantedOrder = OURS,
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
    found = show_answer(files, order, reading)
    if tables_ is not None:
        write_tables(tables_, table_texts(found.plan))
        text_ = f"order, eligibility table and dot files are in {tables_}"
        found.files.notes.append(Note("tables-written", text_))
    put(found, text, as_json=json_)
