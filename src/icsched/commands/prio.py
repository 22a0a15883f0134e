"""`icsched prio`: order a workflow, and write the order into its files."""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import unified_diff
from functools import partial
from io import StringIO

from cyclopts import Parameter

from icsched.commands.changes import (
    INSTEAD,
    OTHER_LINES,
    Stale,
    WriteOptions,
    Written,
    check_format,
    distinct,
    make_changes,
    planned,
    planning_notes,
    stale_files,
)
from icsched.commands.comparison import (
    ALL_ZERO,
    UNTIMED,
    choice_text,
    contest_of,
    label,
    lead_sentence,
    reason,
)
from icsched.commands.inputs import (
    USUAL,
    FileOptions,
    check_given,
    done_sentence,
    times_known,
    times_sentence,
    with_run_times,
)
from icsched.commands.launch_advice import LaunchAdvice, advice_text, launch_advice
from icsched.commands.notes import (
    SectionAction,
    caution_text,
    running,
    sentences,
    stale_sections,
)
from icsched.commands.options import FileName, Json, PathName, refuse
from icsched.commands.ordering import (
    AUTO,
    CHOSEN,
    AutoOptions,
    Ordered,
    choose_order,
    order_within_memory,
    order_workflow,
)
from icsched.commands.pool_options import USUAL_POOL, GivenPool, PoolOptions, naming_pool
from icsched.commands.terminal import (
    STANDARD_INPUT,
    STANDARD_OUTPUT,
    again,
    put,
    put_content,
    put_json,
    report,
    say,
)
from icsched.errors import FormatError
from icsched.files import Change
from icsched.formats import FORMATS, Format
from icsched.formats.access import copy_without_order, is_table, no_order
from icsched.formats.table import format_of
from icsched.frames import plain
from icsched.messages import counted, named, size
from icsched.orders import Choice, LimitedOrder, prioritize
from icsched.report.proofs import brief_sentence, certified_plan, proof_keys, unbounded
from icsched.workflow import Note, Workflow


@dataclass(eq=False)
class PrioAnswer:
    """An order, the changes to be made or already made, and notes.

    `order` and `remove` go through the files of a workflow, and with --recursive those of its inner
    workflows. `ordered` is None if sections are removed. `seconds` says how long reading and
    ordering took.
    """

    files: Sequence[str]
    writing: WriteOptions
    reading: FileOptions
    ordered: Ordered | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    stale: list[Stale] = field(default_factory=list)
    advice: LaunchAdvice | None = None
    written: list[Written] = field(default_factory=list)

    def order(self, order: Callable[[Workflow], Ordered], run_times: Sequence[str]) -> None:
        """Order a workflow, with *run_times* from files, and the inner ones, each file once."""
        start = time.perf_counter()
        workflow = with_run_times(self.reading.read(self.files), run_times)
        read = time.perf_counter()
        self.ordered = order(workflow)
        self.seconds = {"read": read - start, "order": time.perf_counter() - read}
        self._plan(self.files[0], self.ordered, is_own=not run_times)
        waiting = [self.ordered.workflow] if self.writing.recursive else []
        seen = {os.path.realpath(file) for file in self.files}
        while waiting:
            for path, directory in self._inner_files(waiting.pop(), seen):
                inner = order(self.reading.read((path,), directory=directory))
                self._plan(path, inner, is_own=not run_times)
                waiting.append(inner.workflow)
        if len(seen) > len(self.files):
            after = FORMATS.find(workflow.format).after_inner
            self.notes.append(Note("inner-throttle", after))

    def advise(self, given: GivenPool | None) -> None:
        """Find out how to submit the workflow with its order, unless nobody will see the advice."""
        writing = self.writing
        if self.ordered is not None and not writing.only_looks and not writing.makes_table:
            output = None if writing.output == STANDARD_OUTPUT else writing.output
            self.advice = launch_advice(self.ordered, given, output)

    def _plan(self, file: str, found: Ordered, *, is_own: bool) -> None:
        """Find out what to change; note what is done, out of date, and where run times are from."""
        known = times_known(found.workflow, is_own=is_own)
        if self.writing.in_place and (lock := found.workflow.source.is_running()):
            self.notes.append(running(lock))
        if done := done_sentence(found.workflow, "order"):
            self.notes.append(Note("resumed", done))
        if known:
            self.notes.append(Note("run-times", times_sentence(known)))
        action: SectionAction = "removed" if found.removes_sections else "replaced"
        self.notes += stale_sections(found.sections, action if self.writing.in_place else "nothing")
        changes = self._changes(file, found) if self.writing.writes_order else ()
        self.changes += changes
        self.stale += stale_files(found, changes) if self.writing.check else ()

    def _changes(self, file: str, found: Ordered) -> Sequence[Change]:
        """Return what writes the order; tell of it.

        If the order is not worth it, return nothing, or what removes sections that are out of date.
        The user who asked for a copy always gets one: with a section if the file has a good one.
        """
        writing, workflow, sections = self.writing, found.workflow, found.sections
        changes = planned(found, writing, self.reading)  # raises even if nothing is written
        if writing.makes_table:
            return changes
        if not len(workflow.dag):
            text = f"{file}: no order {writing.was_or_would_be} written, because there are no jobs"
            self.notes.append(Note(NOTHING_WRITTEN, text))
            return [change for change in changes if not change.is_none]
        leave = found.reason_to_leave or found.withheld
        has_good = bool(sections) and not found.removes_sections
        if leave is None or (writing.output is not None and has_good):
            self.notes += planning_notes(file, found, writing)
            return changes
        was = writing.was_or_would_be
        if writing.output is not None:
            copy = "standard output" if writing.output == STANDARD_OUTPUT else writing.output
            what = f"{copy}: a copy of {file} without an order"
            self.notes.append(_left_out("copied-without-order", what, leave))
            return [copy_without_order(workflow, writing.output, writing)]
        if found.removes_sections:
            for section in sections:
                what = f"{section.path}: icsched's section {was} removed"
                self.notes.append(_left_out("section-removed", what, leave, "a new one"))
            return _removals(FORMATS.find(workflow.format), workflow.source.named(), workflow)
        stays = ", and icsched's section stays" if sections else ""
        path = sections[0].path if sections else file
        what = f"{path}: nothing {was} written{stays}"
        self.notes.append(_left_out(NOTHING_WRITTEN, what, leave))
        return ()

    def remove(self) -> None:
        """Find the sections to remove; a workflow is read only to find other files.

        Raises FormatError for a file of a format that has no sections.
        """
        check_given(self.files)
        waiting = [(file, "") for file in self.files]
        seen = {os.path.realpath(file) for file in self.files}
        while waiting:
            path, directory = waiting.pop(0)
            chosen = format_of(path)
            workflow = self._read_for_removal(chosen, path, directory)
            if workflow is not None and self.writing.recursive:
                waiting += self._inner_files(workflow, seen)
            self.changes += _removals(chosen, [path], workflow)

    def _read_for_removal(self, chosen: Format, path: str, directory: str) -> Workflow | None:
        """Read a workflow if its other files may have a section, and if it can be read."""
        has_others = chosen.names_others is not None and chosen.names_others(path)
        if not self.writing.recursive and not has_others:
            return None
        try:
            return self.reading.read((path,), directory=directory)
        except FormatError as error:
            if has_others:
                raise  # only the section says that other files have sections
            text = f"only {path} itself was looked at, because it cannot be read: {error}"
            self.notes.append(Note("not-read", text))
            return None

    def _inner_files(self, workflow: Workflow, seen: set[str]) -> Iterator[tuple[str, str]]:
        """Yield the files of inner workflows that exist, not *seen* yet, with their directory."""
        for inner in workflow.source.inner_files(seen):
            if inner.is_there:
                yield inner.path, inner.directory
            else:
                text = f"{inner.path} is not there yet and was left out (job {inner.task})"
                self.notes.append(Note("not-there", text))


NOTHING_WRITTEN = "nothing-written"


def _left_out(code: str, what: str, leave: Choice | Note, order: str = "it") -> Note:
    """Return the note that *what* happens because *order* gains too little, or nobody can know."""
    why = leave.text if isinstance(leave, Note) else f"{order} is not worth it: {reason(leave)}"
    return Note(code, f"{what}, because {why}; --order NAME writes an order anyway")


def _removals(chosen: Format, paths: Sequence[str], workflow: Workflow | None) -> Sequence[Change]:
    """Return the changes that remove our sections; raises FormatError if files can have none."""
    if chosen.changes is None and chosen.removals is None:
        raise no_order(chosen, paths[0], INSTEAD)
    if chosen.removals is None and FORMATS.is_own(chosen.name):
        why = f"format {chosen.name} has one priority for each task, and not the one before"
        backup = f"{paths[0]}.bak"
        way = f"there is no {backup} to go back to"
        if os.path.lexists(backup):
            way = f"to remove an order, go back to {backup}"
        raise FormatError(paths[0], None, f"{why}: {way}")
    if chosen.removals is None:
        raise chosen.cannot("removals", paths[0])
    return chosen.removals(paths, workflow)


def text(found: PrioAnswer) -> str:
    """Return a report."""
    told = "".join(f"{named(line)}.\n" for line in sentences(found.notes))
    ordered = found.ordered
    if ordered is None:
        return _written(found, "restored") + told
    is_written = any(not is_table(entry.file) for entry in found.written)
    after = FORMATS.find(ordered.workflow.format).after_writing  # for people: it is not in JSON
    if found.advice is not None:
        told += advice_text(found.advice, is_written=found.writing.writes_order)
    elif after and is_written and _gains(ordered):
        told += f"{after}.\n"
    return _order(found, ordered) + _written(found, "wrote") + told


def _gains(ordered: Ordered) -> bool:
    """Whether an order that is written leads first come, first served, or keeps a limit."""
    if ordered.limited is not None or ordered.choice is not None:
        return not ordered.removes_sections
    return contest_of(ordered.plan).largest_lead[1] > 0


def _written(found: PrioAnswer, verb: str) -> str:
    lines = [
        f"{verb} {entry.file}" + (f", kept {entry.backup}" if entry.backup else "")
        for entry in found.written
    ]
    return "".join(f"{named(line)}\n" for line in lines)


def _order(found: PrioAnswer, ordered: Ordered) -> str:
    file, plan, dag = named(*found.files), ordered.plan, ordered.plan.schedule.dag
    if not len(dag):
        return f"{file}: no jobs to order\n"
    certified = certified_plan(plan)
    seconds = f"{found.seconds['order']:.2f} s"
    return (
        f"{file}: {size(len(dag), dag.arc_count)}, ordered by {plan.ordered_by} in {seconds}\n"
        f"{_chosen(ordered, ordered.choice) if ordered.choice else _withheld(ordered)}"
        f"{brief_sentence(plan.proof, certified)}{unbounded(plan, certified)}\n"
        f"{_cost(ordered.limited) if ordered.limited else lead_sentence(plan)}\n"
    )


def _chosen(ordered: Ordered, choice: Choice) -> str:
    told = choice_text(
        choice,
        ordered.choice_without_section,
        has_section=bool(ordered.sections),
        cautions=caution_text(ordered.cautions),
    )
    if not choice.is_timed:
        told += f"{UNTIMED if ordered.workflow.run_times is None else ALL_ZERO}\n"
    return f"{told}Order: {label((ordered.plan.choice or choice).chosen)}\n"


def _withheld(ordered: Ordered) -> str:
    """Say why no gain is forecast, and no order chosen; "" for an order that the user named."""
    return "" if ordered.withheld is None else f"no forecast: {ordered.withheld.text}.\n"


def _cost(limited: LimitedOrder) -> str:
    """Compare an order within a limit with the order without it, which may exceed the limit.

    Say how much memory the order needs, and whether another order could do better.
    """
    ratio = limited.area / prioritize(limited.schedule.dag, "prio").schedule.area
    used = f"at most {limited.memory:,} of {limited.limit:,} {limited.unit}"
    best = "the best order found within that."
    if limited.exact:
        best = "no order within that has more eligible jobs on average (exact)."
    return (
        f"It has {ratio:.2f} times as many eligible jobs on average as without the limit.\n"
        f"Memory, if jobs run one at a time in this order: {used}; {best}"
    )


def diff(found: PrioAnswer) -> str:
    """Return what would be changed, as the program diff shows it."""
    return "".join(_diff(change) for change in distinct(found.changes) if not change.is_none)


def _diff(change: Change) -> str:
    # A carriage return or a form feed does not end a line.
    texts = [(data or b"").decode(errors="surrogateescape") for data in (change.old, change.new)]
    old, new = (StringIO(text, newline="\n").readlines() for text in texts)
    before = change.path if change.old is not None else "/dev/null"
    after = change.path if change.new is not None else "/dev/null"
    lines = unified_diff(old, new, before, after)
    missing = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + missing for line in lines)


def up_to_date(found: PrioAnswer) -> str:
    """Say that nothing would be written, and why."""
    left = [note.text for note in found.notes if note.code == NOTHING_WRITTEN]
    same = f"{', '.join(found.files)}: the order in it is what icsched writes with these options"
    return f"{named(left[0] if left else same)}.\n"


def stale_sentence(stale: Sequence[Stale], command: str) -> str:
    """Say what is wrong with the first file, and how many others there are.

    *command* writes all of them.
    """
    others = f" ({counted(len(stale) - 1, 'other file')} too)" if len(stale) > 1 else ""
    if stale[0].line is None:
        return f"does not have this order; --in-place would write it{others}"
    first = f"icsched's section is not what would be written now: {stale[0].problem}"
    if stale[0].problem == OTHER_LINES:
        same = (
            "if other options wrote the section (--workers, --run-times, --order), repeat them here"
        )
        return f"{first}; {same}; to write the section again: {command}{others}"
    return f"{first}; run {command}{others}"


def keys(found: PrioAnswer) -> dict[str, object]:
    """Return the order and what was written as JSON shows them."""
    order: dict[str, object] = {}
    notes = found.notes
    if found.ordered is not None:
        order = {**_order_keys(found.ordered, found.seconds), "advice": plain(found.advice)}
        withheld = found.ordered.withheld
        notes = [*([withheld] if withheld else []), *found.ordered.cautions, *notes]
    return {
        **order,
        "written": plain(found.written),
        "notes": sentences(notes),
    }


def _order_keys(ordered: Ordered, seconds: dict[str, float]) -> dict[str, object]:
    plan, names = ordered.plan, ordered.plan.schedule.names
    return {
        "jobs": len(names),
        "arcs": plan.schedule.dag.arc_count,
        "done": int(ordered.workflow.done.sum()),
        "ordered_by": plan.ordered_by,
        "run_times": plain(times_known(ordered.workflow)),
        "order": names,
        "priorities": {str(name): ordered.priorities[str(name)] for name in names},
        "eligible": plan.schedule.eligible.tolist(),
        "fifo_eligible": plan.fifo.eligible.tolist(),
        "proof": proof_keys(plan.proof, certified_plan(plan)),
        "area_ratio": contest_of(plan).area_ratio,
        "choice": plain(ordered.choice),
        "choice_without_section": plain(ordered.choice_without_section),
        "memory": ordered.limited.memory if ordered.limited else plan.schedule.peak_memory,
        "seconds": seconds,
    }


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
    _check_ordering(order.order, pool_options, writing, memory)
    given, limit, found = pool_options.pool(), memory.limit, PrioAnswer(files, writing, reading)
    if files:
        check_format(files[0], writing)
    how: Callable[[Workflow], Ordered] = partial(order_workflow, wanted=order)
    if limit is not None:
        how = partial(order_within_memory, memory=limit, sizes_file=memory.sizes)
    elif order.order == AUTO:
        how = partial(choose_order, given=given, may_withhold=True)
    with naming_pool(pool_options.pool_file):
        if writing.remove:
            found.remove()
        else:
            found.order(how, order.run_times)
            found.advise(given)
    if writing.only_looks:
        _show(found, as_json=json_)
        return
    chosen = FORMATS.find(found.ordered.workflow.format) if found.ordered else None
    order_line = chosen.order_line if chosen else None
    found.written, streamed, told = make_changes(found.changes, writing, order_line)
    found.notes += told
    if writing.output != STANDARD_OUTPUT:
        put(found, text, keys, as_json=json_)
    else:
        put_content(streamed or b"")
        report(found, text, stream=sys.stderr)


def _show(found: PrioAnswer, *, as_json: bool) -> None:
    """Show what would be written; raises FormatError with --check if there is something."""
    writing = found.writing
    if as_json:
        put_json({**keys(found), "diff": diff(found), "stale": plain(found.stale)})
    elif writing.diff:
        say(diff(found), wraps=False)
        report(found, text, stream=sys.stderr)
    elif not found.stale:
        report(found, up_to_date)
    if writing.check and found.stale:
        first = found.stale[0]
        command = again({"--check": "--in-place"})
        raise FormatError(first.file, first.line, stale_sentence(found.stale, command))


def _check_writing(
    files: Sequence[str], writing: WriteOptions, reading: FileOptions, *, as_json: bool
) -> None:
    """Raise ArgumentError for options of writing that cannot be used together."""
    output, has_table, flatten = writing.output, writing.makes_table, writing.flatten
    asked = writing.in_place, writing.remove, writing.diff, writing.check
    changes, is_here = any(asked), writing.in_place or writing.remove
    only_one = "only one of -o, --in-place, --remove, --diff and --check can be used"
    is_twice = len({os.path.realpath(file) for file in files}) < len(files)
    refuse(
        {
            only_one: sum(asked) + (output is not None) > 1,
            "-o cannot be used with several files": bool(output) and len(files) > 1,
            "--flatten needs -o": flatten and output is None,
            "--flatten cannot be used with --usedagdir": flatten and reading.usedagdir,
            "--flatten cannot be used with --lenient": flatten and reading.lenient,
            "--flatten cannot be used with -o NAME.csv": flatten and has_table,
            "--keep-existing cannot be used with -o NAME.csv": writing.keep_existing and has_table,
            "--keep-existing needs -o or --in-place": (
                writing.keep_existing and not writing.writes_order
            ),
            "--via vars changes submit files: it needs --in-place": (
                writing.via == "vars" and not changes
            ),
            "--force needs --in-place or --remove": writing.force and not is_here,
            "--recursive needs --in-place or --remove": writing.recursive and not changes,
            "-o - cannot be used with --json": output == STANDARD_OUTPUT and as_json,
            "standard input cannot be changed: use -o": STANDARD_INPUT in files and changes,
            "the same file is given twice": changes and is_twice,
        }
    )


def _check_ordering(
    order: str, pool: PoolOptions, writing: WriteOptions, memory: MemoryOptions
) -> None:
    """Raise ArgumentError for options of ordering that cannot be used together."""
    limited, is_auto = memory.memory is not None, order == AUTO
    other = "--memory" if limited else f"--order {order}"
    refuse(
        {
            "--keep-existing needs --order NAME: auto does not simulate what is kept": (
                writing.keep_existing and is_auto and not limited
            ),
            "--memory cannot be used with --remove": writing.remove and limited,
            f"--memory: expected a whole number, 1 or more, got {memory.memory!r}": (
                memory.limit == 0
            ),
            "--sizes needs --memory": memory.sizes is not None and not limited,
            f"--memory cannot be used with --order {order}": (
                limited and not is_auto and order != "prio"
            ),
            "--memory cannot be used with --recursive": limited and writing.recursive,
            f"{pool.given} cannot be used with {other}: nothing is simulated then": (
                pool.given is not None and (limited or not is_auto)
            ),
        }
    )
