"""`icsched prio`: order a workflow, and write the order into its files."""

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from icsched.commands import notes
from icsched.commands import options as typed
from icsched.commands.changes import (
    INSTEAD,
    Lack,
    Stale,
    Writing,
    Written,
    check_format,
    distinct,
    made,
    planned,
    planning_notes,
    stale_files,
    unordered_copy,
)
from icsched.commands.comparison import ALL_ZERO, UNTIMED, choice_text, lead_sentence
from icsched.commands.inputs import Reading, check_given, resumed, times_keys
from icsched.commands.notes import caution_text, sentence
from icsched.commands.options import (
    STANDARD_INPUT,
    STANDARD_OUTPUT,
    USUAL,
    FileName,
    FileOptions,
    PathName,
    check_streams,
    refuse,
)
from icsched.commands.order_options import (
    AUTO,
    CHOSEN,
    USUAL_POOL,
    AutoOptions,
    GivenPool,
    PoolOptions,
    naming_pool,
    times_known,
)
from icsched.commands.ordering import Ordered, Wanted, order_workflow
from icsched.commands.terminal import (
    QUIET,
    SIGNS,
    Flag,
    Json,
    OutputName,
    Signs,
    put,
    put_content,
    put_json,
    report,
    say,
)
from icsched.errors import ArgumentError, FormatError
from icsched.files import Change
from icsched.formats import FORMATS, Format, dagman
from icsched.formats.access import is_table, no_order
from icsched.formats.dagman.source import is_missing, is_special
from icsched.messages import named
from icsched.orders import Choice, LimitedOrder
from icsched.report.proofs import brief_sentence, proof_keys, unbounded
from icsched.words import counted, size
from icsched.workflow import Workflow


@dataclass(frozen=True, eq=False)
class PrioAnswer:
    """An order, or None if sections are removed, and the changes to be made or already made.

    `streamed` is the text that goes to standard output instead of a file.
    """

    files: tuple[str, ...]
    ordered: Ordered | None
    changes: tuple[Change, ...]
    notes: tuple[notes.Note, ...]
    written: tuple[Written, ...] = ()
    streamed: bytes | None = None
    stale: tuple[Stale, ...] = ()


def prio_answer(
    files: Sequence[str],
    wanted: Wanted,
    writing: Writing,
    *,
    reading: Reading,
    signs: Signs = QUIET,
) -> PrioAnswer:
    """Find an order of a workflow and the changes to its files; write nothing."""
    wanted.order.check()
    if files:
        check_format(files[0], writing, reading)
    search = _Search(writing, reading, signs)
    return search.removal(files) if writing.remove else search.ordering(files, wanted)


def with_changes_made(found: PrioAnswer, writing: Writing) -> PrioAnswer:
    """Write the changes; see `icsched.commands.changes.made`."""
    done = made(found.changes, writing)
    told = (*found.notes, *done.notes)
    return replace(found, notes=told, written=done.written, streamed=done.streamed)


@dataclass(frozen=True)
class _Search:
    """Goes through the files of a workflow, and with --recursive those of its inner workflows."""

    writing: Writing
    reading: Reading
    signs: Signs

    def ordering(self, files: Sequence[str], wanted: Wanted) -> PrioAnswer:
        """Order a workflow and the inner ones, each file once."""
        first = self._ordered(files, wanted, "")
        changes, told, stale = list(first.changes), list(first.notes), list(first.stale)
        seen = {os.path.realpath(file) for file in files}
        waiting = [first] if self.writing.recursive else []
        while waiting:
            outer = waiting.pop().ordered
            for path, directory in _inner_files(outer.workflow if outer else None, seen, told):
                inner = self._ordered((path,), wanted, directory, is_inner=True)
                waiting.append(inner)
                changes += inner.changes
                told += inner.notes
                stale += inner.stale
        if len(seen) > len(files):
            told.append(notes.InnerThrottle())
        return replace(first, changes=tuple(changes), notes=tuple(told), stale=tuple(stale))

    def _ordered(
        self, files: Sequence[str], wanted: Wanted, directory: str, *, is_inner: bool = False
    ) -> PrioAnswer:
        found = order_workflow(
            files,
            wanted,
            reading=self.reading,
            directory=directory,
            is_inner=is_inner,
            signs=self.signs,
        )
        known = times_known(found.workflow, is_own=not wanted.order.run_times)
        about = resumed(found.workflow), known
        told: list[notes.Note] = [note for note in about if note]
        action: notes.SectionAction = "removed" if found.removes_sections else "replaced"
        told += notes.stale_sections(found.sections, action if self.writing.in_place else "nothing")
        changes = self._changes(files, found, told) if self.writing.writes_order else ()
        stale = tuple(stale_files(found, changes)) if self.writing.check else ()
        return PrioAnswer(tuple(files), found, tuple(changes), tuple(told), stale=stale)

    def _changes(
        self, files: Sequence[str], found: Ordered, told: list[notes.Note]
    ) -> Sequence[Change]:
        """Return what writes the order; tell of it.

        If the order is not worth it, return nothing, or what removes sections that are out of date.
        The user who asked for a copy always gets one: with a section if the file has a good one.
        """
        writing = self.writing
        changes = planned(found, writing, self.reading)  # raises even if nothing is written
        if writing.makes_table:
            return changes
        reason = found.reason_to_leave
        has_good = bool(found.sections) and not found.removes_sections
        if reason is None or (writing.output is not None and has_good):
            told += planning_notes(files, found.workflow, found.priorities, writing)
            return changes
        is_written, has_section = not writing.only_looks, bool(found.sections)
        if writing.output is not None:
            told.append(notes.CopiedWithoutOrder(files[0], writing.output, reason))
            return [unordered_copy(found, writing, writing.output)]
        if found.removes_sections:
            told += [
                notes.SectionRemoved(section.path, reason, is_written) for section in found.sections
            ]
            return _all_removals(found.workflow)
        path = found.sections[0].path if has_section else files[0]
        told.append(notes.NotWorthIt(path, reason, has_section, is_written))
        return ()

    def removal(self, files: Sequence[str]) -> PrioAnswer:
        """Find the sections to remove; a workflow is read only to find other files.

        Raises FormatError for a file of a format that has no sections.
        """
        check_given(files)
        changes: list[Change] = []
        told: list[notes.Note] = []
        seen = {os.path.realpath(file) for file in files}
        waiting = [(file, "") for file in files]
        while waiting:
            path, directory = waiting.pop(0)
            own = _removals(self.reading.format_of(path), path)  # last: it names submit files
            workflow = self._read_for_removal(path, directory, told)
            if workflow is not None:
                changes += dagman.submit_removals(dagman.submission_of(workflow))
                if self.writing.recursive:
                    waiting += _inner_files(workflow, seen, told)
            changes += own
        return PrioAnswer(tuple(files), None, tuple(changes), tuple(told))

    def _read_for_removal(
        self, path: str, directory: str, told: list[notes.Note]
    ) -> Workflow | None:
        """Read a workflow if its other files may have a section, and if it can be read."""
        has_variables = dagman.has_variables(path)
        if not self.writing.recursive and not has_variables:
            return None
        try:
            return self.reading.read((path,), directory=directory, signs=self.signs)
        except FormatError as error:
            if has_variables:
                raise  # only the section says that submit files have sections
            told.append(notes.NotRead(path, str(error)))
            return None


def _all_removals(workflow: Workflow) -> Sequence[Change]:
    """Return the changes that remove the sections from all files of a DAGMan workflow."""
    submission = dagman.submission_of(workflow)
    roots = dagman.removals([root.path for root in submission.roots])
    return [*dagman.submit_removals(submission), *roots]


def _removals(chosen: Format, path: str) -> Sequence[Change]:
    """Return the changes that remove our sections; raises FormatError if files can have none."""
    if chosen.changes is None and chosen.removals is None:
        raise no_order(chosen, path, INSTEAD)
    if chosen.removals is None and FORMATS.is_own(chosen.name):
        why = f"format {chosen.name} has one priority for each task, and not the one before"
        raise FormatError(path, None, f"{why}: to remove an order, go back to {path}.bak")
    if chosen.removals is None:
        raise chosen.cannot("removals", path)
    return chosen.removals([path])


def _inner_files(
    workflow: Workflow | None, seen: set[str], told: list[notes.Note]
) -> Iterator[tuple[str, str]]:
    """Yield the files of SUBDAG EXTERNAL that exist, each with its directory.

    Raises FormatError for what is not an ordinary file, because reading it may never end.
    """
    submission = None if workflow is None else dagman.submission_in(workflow)
    for placed in submission.nodes() if submission else ():
        path = str(Path(placed.directory, placed.node.submit))
        if placed.node.kind != "SUBDAG" or os.path.realpath(path) in seen:
            continue
        seen.add(os.path.realpath(path))
        if is_special(path):
            raise placed.source.error(placed.statement, f"{path}: expected an ordinary file")
        if is_missing(path):
            told.append(notes.NotThere(path, placed.name))
        else:
            yield path, placed.directory


# For people only, so it is not among the notes in JSON; docs/dagman.md says why.
THROTTLE = (
    "submit with condor_submit_dag -maxjobs N, where N is near the most slots that you get:"
    " without a throttle, jobs may start out of order, and a smaller N leaves slots idle"
)


def text(found: PrioAnswer) -> str:
    """Return a report."""
    told = "".join(f"{named(sentence(note))}.\n" for note in found.notes)
    ordered = found.ordered
    if ordered is None:
        return _written(found, "restored") + told
    is_dagman = ordered.workflow.format == "dagman"
    is_written = any(not is_table(entry.file) for entry in found.written)
    has_order = is_written and ordered.gains and not ordered.removes_sections
    advice = f"{THROTTLE}.\n" if has_order and is_dagman else ""
    return _order(named(*found.files), ordered) + _written(found, "wrote") + told + advice


def _written(found: PrioAnswer, verb: str) -> str:
    lines = [
        f"{verb} {entry.file}" + (f", kept {entry.backup}" if entry.backup else "")
        for entry in found.written
    ]
    return "".join(f"{named(line)}\n" for line in lines)


def _order(file: str, ordered: Ordered) -> str:
    plan, dag = ordered.plan, ordered.plan.dag
    if not len(dag):
        return f"{file}: no jobs to order\n"
    ordered_by = f"ordered by {plan.ordered_by} in {ordered.order_seconds:.2f} s"
    compared, limited = ordered.compared, ordered.limited
    lead = f"{lead_sentence(compared)}\n" if limited is None else _cost(ordered, limited)
    choice = ordered.choice
    chosen = _chosen(ordered, choice) if choice else ""
    return (
        f"{file}: {size(len(dag), dag.arc_count)}, {ordered_by}\n"
        f"{chosen}"
        f"{brief_sentence(plan.proof, compared.certified)}"
        f"{unbounded(plan, compared.certified)}\n{lead}"
    )


def _chosen(ordered: Ordered, choice: Choice) -> str:
    has_section = bool(ordered.sections)
    told = choice_text(
        choice,
        ordered.choice_without_section,
        has_section=has_section,
        cautions=caution_text(ordered.cautions),
    )
    if choice.is_timed:
        return told
    return f"{told}{UNTIMED if ordered.workflow.run_times is None else ALL_ZERO}\n"


def _cost(ordered: Ordered, limited: LimitedOrder) -> str:
    """Compare an order within a limit with the order without it, which may exceed the limit."""
    ratio = limited.area / ordered.free.schedule.area
    cost = f"It has {ratio:.2f} times as many eligible jobs on average as without the limit."
    return f"{cost}\n{_memory_sentence(limited)}\n"


def _memory_sentence(limited: LimitedOrder) -> str:
    """Say how much memory an order needs, and whether another order could do better."""
    used = f"at most {limited.memory:,} of {limited.limit:,} {limited.unit}"
    needs = f"Memory, if jobs run one at a time in this order: {used}"
    if limited.exact:
        return f"{needs}; no order within that has more eligible jobs on average (exact)."
    return f"{needs}; the best order found within that."


def diff(found: PrioAnswer) -> str:
    """Return what would be changed, as the program diff shows it."""
    return "".join(_diff(change) for change in distinct(found.changes) if not change.is_none)


def _diff(change: Change) -> str:
    old, new = (_lines(data) for data in (change.old, change.new))
    before = change.path if change.old is not None else "/dev/null"
    after = change.path if change.new is not None else "/dev/null"
    lines = unified_diff(old, new, before, after)
    missing = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + missing for line in lines)


def _lines(data: bytes | None) -> list[str]:
    """Return lines with their ends; a carriage return or a form feed does not end a line."""
    text = (data or b"").decode(errors="surrogateescape")
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [
        line for line in text.split("\n")[-1:] if line
    ]


def up_to_date(found: PrioAnswer) -> str:
    """Say that nothing would be written, and why."""
    left = [sentence(note) for note in found.notes if isinstance(note, notes.NotWorthIt)]
    why = (
        left[0]
        if left
        else f"{', '.join(found.files)}: the order in it is what icsched writes with these options"
    )
    return f"{named(why)}.\n"


_LACKS = {
    Lack.OTHER_LINES: "with these options icsched writes other lines",
    Lack.NO_ORDER: "it does not have this order",
    Lack.NEEDLESS_SECTION: "its section of icsched's is no longer needed",
    Lack.NEEDLESS_FILE: "it is no longer needed",
}


def _problem(stale: Stale) -> str:
    return "; ".join(stale.problems) if stale.lack is Lack.OUT_OF_DATE else _LACKS[stale.lack]


def stale_sentence(stale: Sequence[Stale], again: str) -> str:
    """Say what is wrong with the first file, and how many others there are.

    *again* is the command that writes all of them.
    """
    others = f" ({counted(len(stale) - 1, 'other file')} too)" if len(stale) > 1 else ""
    if stale[0].line is None:
        return f"does not have this order; --in-place would write it{others}"
    first = f"icsched's section is not what would be written now: {_problem(stale[0])}"
    if stale[0].lack is Lack.OTHER_LINES:
        same = (
            "if other options wrote the section (--workers, --run-times, --order), repeat them here"
        )
        return f"{first}; {same}; to write the section again: {again}{others}"
    return f"{first}; run {again}{others}"


def looked_keys(found: PrioAnswer) -> dict[str, object]:
    """Return the order and what would be written as JSON shows them."""
    return {
        **keys(found),
        "diff": diff(found),
        "stale": [
            {"file": each.path, "line": each.line, "problem": _problem(each)}
            for each in found.stale
        ],
    }


def keys(found: PrioAnswer) -> dict[str, object]:
    """Return the order and what was written as JSON shows them."""
    cautions = () if found.ordered is None else found.ordered.cautions
    common = {
        "written": [{"file": entry.file, "backup": entry.backup} for entry in found.written],
        "notes": [*map(sentence, cautions), *map(sentence, found.notes)],
    }
    return common if found.ordered is None else {**_order_keys(found.ordered), **common}


def _order_keys(ordered: Ordered) -> dict[str, object]:
    plan, names = ordered.plan, ordered.plan.schedule.names
    return {
        "jobs": len(plan.dag),
        "arcs": plan.dag.arc_count,
        "done": int(ordered.workflow.done.sum()),
        "ordered_by": plan.ordered_by,
        "run_times": times_keys(times_known(ordered.workflow)),
        "order": names,
        "priorities": {str(name): ordered.priorities[str(name)] for name in names},
        "eligible": ordered.compared.eligible.tolist(),
        "fifo_eligible": ordered.compared.fifo_eligible.tolist(),
        "proof": proof_keys(plan.proof, ordered.compared.certified),
        "area_ratio": ordered.compared.contest.area_ratio,
        "choice": _choice_keys(ordered.choice),
        "choice_without_section": _choice_keys(ordered.choice_without_section),
        "memory": ordered.memory,
        "seconds": {"read": ordered.read_seconds, "order": ordered.order_seconds},
    }


def _choice_keys(choice: Choice | None) -> dict[str, object] | None:
    return choice.to_dict() if choice else None


@Parameter(name="*")
@dataclass(frozen=True)
class WriteOptions(Writing):
    """What to do to the files.

    Parameters
    ----------
    output
        Write a copy of the file with the order in it to this file; - for standard output. If the
        name ends in .csv, write a table instead: task,priority, first to run first. If there is a
        file of that name without a section of icsched's, it is kept in OUTPUT.bak.
    in_place
        Write the order into the file itself; the original is kept in FILE.bak.
    remove
        Remove from the file what icsched wrote into it.
    force
        With --in-place or --remove: also change a file that is read-only or has hard links.
        Other hard links keep the old file.
    keep_existing
        Jobs that have a priority of their own in the files keep it; not with auto, which does not
        simulate what is kept.
    flatten
        With -o: write one file without splices and includes; not with --usedagdir or --lenient.
    via
        Give priorities by PRIORITY lines, or by variables that the submit files use (not with -o).
    recursive
        With --in-place, --remove, --diff or --check: do the same to the files of SUBDAG EXTERNAL.
    diff
        Show what --in-place would change, and change nothing. The report goes to standard error.
    check
        Exit with code 1 if --in-place would change something, and change nothing.

    """

    output: Annotated[PathName | None, OutputName] = None
    in_place: Flag = False
    remove: Flag = False
    force: Flag = False
    keep_existing: Flag = False
    flatten: Flag = False
    via: Literal["priority", "vars"] = "priority"
    recursive: Flag = False
    diff: Flag = False
    check: Flag = False


@Parameter(name="*")
@dataclass(frozen=True)
class MemoryOptions:
    """How much memory the order may need.

    Parameters
    ----------
    memory
        Keep at most this many results of jobs whose children have not all run; with --sizes, bytes.
        The limit holds if jobs run one at a time, in this order. The order is prio.
    sizes
        With --memory: file with the size of each job's result, NAME BYTES on each line.

    """

    memory: str | None = None
    sizes: PathName | None = None

    @property
    def limit(self) -> int | None:
        """What --memory says; 0 if it is not a positive integer."""
        word = self.memory
        return None if word is None else int(word) if word.isascii() and word.isdigit() else 0


NOTHING = WriteOptions()
BOUNDLESS = MemoryOptions()


def prio(
    *files: FileName,
    order: AutoOptions = CHOSEN,
    pool_options: PoolOptions = USUAL_POOL,
    writing: WriteOptions = NOTHING,
    reading: FileOptions = USUAL,
    memory: MemoryOptions = BOUNDLESS,
    json_: Json = False,
) -> None:
    """Order a workflow so that its run ends as early as possible.

    Parameters
    ----------
    json_
        Print one JSON object with the order, the priorities and the profiles.

    """
    _check_writing(files, writing, reading, as_json=json_)
    check_streams(*files, order.order, *order.run_times, memory.sizes, pool_options.pool_file)
    _check_ordering(order.order, writing, memory)
    given = _pool(order.order, pool_options, memory)
    wanted = Wanted(order, memory.limit, memory.sizes, given)
    with naming_pool(pool_options.pool_file):
        found = prio_answer(files, wanted, writing, reading=Reading(reading), signs=SIGNS)
    if writing.only_looks:
        _show(found, writing, as_json=json_)
        return
    found = with_changes_made(found, writing)
    if writing.output != STANDARD_OUTPUT:
        put(found, text, keys, as_json=json_)
    else:
        put_content(found.streamed or b"")
        report(found, text, stream=sys.stderr)


def _show(found: PrioAnswer, writing: WriteOptions, *, as_json: bool) -> None:
    """Show what would be written; raises FormatError with --check if there is something."""
    if as_json:
        put_json(looked_keys(found))
    elif writing.diff:
        say(diff(found), wraps=False)
        report(found, text, stream=sys.stderr)
    elif not found.stale:
        report(found, up_to_date)
    if writing.check and found.stale:
        first = found.stale[0]
        command = typed.again({"--check": "--in-place"})
        raise FormatError(first.path, first.line, stale_sentence(found.stale, command))


def _pool(order: str, pool: PoolOptions, memory: MemoryOptions) -> GivenPool | None:
    """Return the pool on which an order is chosen; raises ArgumentError if none is chosen."""
    if pool.given and (order != AUTO or memory.memory is not None):
        other = "--memory" if memory.memory is not None else f"--order {order}"
        raise ArgumentError(f"{pool.given} cannot be used with {other}: nothing is simulated then")
    return pool.pool()


def _check_writing(
    files: Sequence[str], writing: WriteOptions, reading: FileOptions, *, as_json: bool
) -> None:
    """Raise ArgumentError for options of writing that cannot be used together."""
    asked = writing.in_place, writing.remove, writing.diff, writing.check
    chosen = [writing.output is not None, *asked]
    only_one = "only one of -o, --in-place, --remove, --diff and --check can be used"
    refuse({only_one: sum(chosen) > 1, **_misused_output(files, writing, reading)})
    changes = writing.in_place or writing.remove or writing.only_looks
    real = {os.path.realpath(file) for file in files}
    refuse(
        {
            **_idle(writing, changes=changes),
            "-o - cannot be used with --json": writing.output == STANDARD_OUTPUT and as_json,
            "standard input cannot be changed: use -o": STANDARD_INPUT in files and changes,
            "the same file is given twice": changes and len(real) < len(files),
        }
    )


def _misused_output(
    files: Sequence[str], writing: WriteOptions, reading: FileOptions
) -> dict[str, bool]:
    """Return, by its message, whether -o or --flatten is used where it cannot be."""
    return {
        "-o cannot be used with several files": bool(writing.output) and len(files) > 1,
        "--flatten needs -o": writing.flatten and writing.output is None,
        "--flatten cannot be used with --usedagdir": writing.flatten and reading.usedagdir,
        "--flatten cannot be used with --lenient": writing.flatten and reading.lenient,
        "--flatten cannot be used with -o NAME.csv": writing.flatten and writing.makes_table,
        "--keep-existing cannot be used with -o NAME.csv": (
            writing.keep_existing and writing.makes_table
        ),
    }


def _idle(writing: WriteOptions, *, changes: bool) -> dict[str, bool]:
    """Return, by its message, whether an option has no use, because nothing *changes* files."""
    writes_here = writing.in_place or writing.remove
    return {
        "--keep-existing needs -o or --in-place": (
            writing.keep_existing and not writing.writes_order
        ),
        "--via vars changes submit files: it needs --in-place": (
            writing.via == "vars" and not changes
        ),
        "--force needs --in-place or --remove": writing.force and not writes_here,
        "--recursive needs --in-place or --remove": writing.recursive and not changes,
    }


def _check_ordering(order: str, writing: WriteOptions, memory: MemoryOptions) -> None:
    """Raise ArgumentError for options of ordering that cannot be used together."""
    limited = memory.memory is not None
    refuse(
        {
            "--keep-existing needs --order NAME: auto does not simulate what is kept": (
                writing.keep_existing and order == AUTO and not limited
            ),
            "--memory cannot be used with --remove": writing.remove and limited,
            f"--memory: expected a whole number, 1 or more, got {memory.memory!r}": memory.limit
            == 0,
            "--sizes needs --memory": memory.sizes is not None and not limited,
            f"--memory cannot be used with --order {order}": limited
            and order not in (AUTO, "prio"),
            "--memory cannot be used with --recursive": limited and writing.recursive,
        }
    )
