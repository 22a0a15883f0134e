"""What an order changes in files, and whether it is there already."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from icsched.commands import notes
from icsched.commands.inputs import Reading, check_output
from icsched.commands.notes import Note
from icsched.commands.options import Flag, OutputName, PathName, refuse
from icsched.commands.ordering import Ordered
from icsched.commands.terminal import STANDARD_OUTPUT
from icsched.errors import ArgumentError, FormatError
from icsched.files import Change, back_up, read_bytes, would_replace
from icsched.formats import FORMATS, dagman
from icsched.formats.access import is_table, no_order, order_changes, order_table
from icsched.formats.dagman import section
from icsched.formats.dagman.writer import COMPANION, Via
from icsched.formats.table import format_by_suffix
from icsched.words import counted
from icsched.workflow import Workflow

INSTEAD = "-o NAME.csv"  # for an order that no file of the workflow's format can hold


@Parameter(name="*")
@dataclass(frozen=True)
class WriteOptions:
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
    via: Via = "priority"
    recursive: Flag = False
    diff: Flag = False
    check: Flag = False

    @property
    def only_looks(self) -> bool:
        """Whether icsched only finds out what --in-place would write."""
        return self.diff or self.check

    @property
    def makes_table(self) -> bool:
        """Whether -o names a table of the order, and not a copy of the workflow."""
        return self.output is not None and is_table(self.output)

    @property
    def writes_order(self) -> bool:
        """Whether an order is written, or would be."""
        return self.in_place or self.only_looks or self.output is not None


def planned(found: Ordered, writing: WriteOptions, reading: Reading) -> Sequence[Change]:
    """Find out what to write where; raises ArgumentError if writing would destroy a file."""
    workflow, priorities = found.workflow, found.priorities
    kept, path = writing.keep_existing, writing.output
    if path is not None and writing.makes_table:
        check_output(workflow, path)
        names = map(str, found.plan.schedule.names)
        return [Change(path, None, order_table(path, {name: priorities[name] for name in names}))]
    submission = dagman.submission_in(workflow)
    if submission is None:
        return _in_other(found, writing)
    if path is None:
        return dagman.changes(submission, priorities, keep_existing=kept, via=writing.via)
    beside = submission.roots[0].path if reading.options.usedagdir else None
    _check_copy(workflow, path, beside=beside)
    if writing.flatten:
        data = dagman.flat_file(submission, priorities, keep_existing=kept)
        return [Change(path, None, data)]
    return dagman.copies(submission, priorities, path, keep_existing=kept)


def check_format(source: str, writing: WriteOptions, reading: Reading) -> None:
    """Raise FormatError if the file *source* cannot hold an order, and one is to be written there.

    Raises ArgumentError if -o names another format than *source* has: a copy keeps its format.
    """
    if writing.makes_table or not writing.writes_order:
        return
    own, path = reading.format_of(source), writing.output
    if own.changes is None:
        raise no_order(own, source, INSTEAD)
    if path is None or Path(path).suffix == Path(source).suffix:
        return
    named = format_by_suffix(path)
    if named is None or named.name == own.name:
        return
    kept = f"-o writes a copy in format {own.name}, but {path} has a suffix of {named.name}"
    raise ArgumentError(f"{kept}: for another format, use icsched convert IN OUT")


def _in_other(found: Ordered, writing: WriteOptions) -> Sequence[Change]:
    """Return the changes in files of another format; raises if the format cannot hold an order."""
    chosen = FORMATS.find(found.workflow.format)
    only = f"is for DAGMan files, not for format {chosen.name}"
    refuse(
        {
            f"--recursive {only}": writing.recursive,
            f"--flatten {only}": writing.flatten,
            f"--keep-existing {only}": writing.keep_existing,
            f"--via {only}": writing.via != "priority",
        }
    )
    changes = order_changes(found.workflow, found.plan.order.tolist())
    if writing.output is None:
        return changes
    _check_copy(found.workflow, writing.output)
    if len(changes) != 1:
        raise ArgumentError(f"-o: expected a workflow in one file, got {len(changes)} files")
    return [Change(writing.output, None, changes[0].new)]


def unordered_copy(found: Ordered, writing: WriteOptions, path: str) -> Change:
    """Return the change that writes the workflow to *path* without an order of icsched's."""
    submission = dagman.submission_in(found.workflow)
    if submission is None:
        return Change(path, None, read_bytes(next(iter(found.workflow.files))))
    return Change(path, None, dagman.without_section(submission, flatten=writing.flatten))


def _check_copy(workflow: Workflow, path: str, *, beside: str | None = None) -> None:
    """Raise ArgumentError if writing *path* would destroy or misplace a file of the workflow."""
    if path == STANDARD_OUTPUT:
        return
    folders = {os.path.realpath(Path(file).parent) for file in (path, beside or path)}
    if len(folders) > 1:
        raise ArgumentError(f"with --usedagdir -o must be in the directory of {beside}")
    check_output(workflow, path, instead=", or --in-place")


def planning_notes(
    file: str, workflow: Workflow, priorities: dict[str, int], writing: WriteOptions
) -> list[Note]:
    """Return notes about the changes; raises FormatError if DAGMan will refuse them."""
    submission = dagman.submission_in(workflow)
    if submission is None:
        return []
    told = [*_own_priorities(submission, priorities, are_kept=writing.keep_existing)]
    if submission.joins:
        lines = counted(submission.joins, "PARENT line")
        text = (
            f"priorities count down from {submission.lowest - 1}: DAGMan adds join nodes of its own"
            f" for {lines} of several parents and children, and these join nodes must run first"
        )
        told.append(Note("joins", text))
    told += _strictness(submission, priorities, writing)
    for unread in dagman.unread_configs(submission):
        told.append(Note("unread-config", f"{unread.path}: {unread.text}"))
    if submission.has_splices:
        told.append(_about_splices(writing.output or submission.roots[0].path, writing))
    if writing.via == "vars":
        told += _about_variables(submission)
    return [*told, notes.disturbed(file)] if workflow.remarks else told


def _own_priorities(
    submission: dagman.Submission, priorities: dict[str, int], *, are_kept: bool
) -> Iterator[Note]:
    """Say what happens to the priorities that the user's own lines give."""
    rows = zip(submission.names, submission.has_priority, submission.priorities, strict=True)
    own = {str(name): int(number) for name, is_own, number in rows if is_own}
    if not own:
        return
    lower = sum(number < priorities.get(name, number) for name, number in own.items())
    what = "overridden (--keep-existing keeps them)"
    if are_kept:
        what = "kept, so that the run will not follow the order above where they differ"
        if lower:
            what += f"; {lower:,} of them lower than icsched's, so that these jobs run later"
    text = f"priorities that the files gave {counted(len(own), 'job')}: {what}"
    yield Note("own-priorities", text)


def _strictness(
    submission: dagman.Submission, priorities: dict[str, int], writing: WriteOptions
) -> list[Note]:
    """Raise FormatError if DAGMan will refuse what is written; return a note if it may."""
    if writing.keep_existing or writing.flatten:
        return []
    if not dagman.overridden(submission, priorities, via=writing.via):
        return []
    from icsched.engines.htcondor import pool_settings  # few orders need it

    setting = dagman.strictness(submission, pool_settings())
    if setting and setting.line:  # in a file that DAGMan reads; its environment may not be ours
        raise FormatError(setting.path, setting.line, notes.refusal(setting))
    return notes.strict_setting(submission.priorities, setting)


def _about_splices(path: str, writing: WriteOptions) -> Note:
    if writing.flatten:
        text = "one file without splices and includes; job S+p is called S-p in it"
        return Note("flattened", text)
    text = (
        f"the section gives jobs of splices their priorities, and includes {path}{COMPANION} first:"
        f" keep that file beside {path}, and the section last in {path}"
    )
    return Note("spliced", text)


def _about_variables(submission: dagman.Submission) -> Iterator[Note]:
    text = "submit files take their priority from the variable jobpriority"
    yield Note("variables-used", text)
    without = sum(job.has_description or job.node.kind == "SUBDAG" for job in submission.jobs())
    if without:
        jobs = counted(without, "job")
        yield Note("no-submit-file", f"{jobs} without a submit file got PRIORITY lines")


@dataclass(frozen=True)
class Written:
    """A file that was written, and the name of the copy of its old content, if one was kept."""

    file: str
    backup: str | None


def make_changes(
    changes: Sequence[Change], writing: WriteOptions
) -> tuple[list[Written], bytes | None, list[Note]]:
    """Write all changes; a file that two workflows use is written once.

    Returns what was written where, what goes to standard output, and notes. Before anything is
    written, raises FormatError if a file cannot or should not be changed.
    """
    different = distinct(changes)
    told = [*_forced(different, force=writing.force)]
    written, streamed = [], None
    for change in different:
        if change.is_none:
            continue
        if change.path == STANDARD_OUTPUT:
            streamed = change.new
            continue
        backup = _kept(change) if change.path == writing.output else None
        backup = change.make() or backup
        if change.new is None:
            told.append(Note("removed", f"removed {change.path}"))
        else:
            written.append(Written(change.path, backup))
    if changes and not written and writing.output is None:
        text = "nothing to change: the file has this order already"
        if writing.remove:
            text = "nothing to remove: the file has no section of icsched's"
        told.append(Note("nothing-to-change", text))
    return written, streamed, told


def _kept(copy: Change) -> str | None:
    """Keep the file that a copy replaces, unless icsched wrote an order into it; return the name.

    A copy that is made again replaces the copy from before, which has icsched's section.
    """
    if not would_replace(copy.path):
        return None
    old = read_bytes(copy.path)
    return None if old == copy.new or dagman.has_section(old) else back_up(copy.path)


def distinct(changes: Sequence[Change]) -> list[Change]:
    """Return the last change of each file."""
    return list({os.path.realpath(change.path): change for change in changes}.values())


def _forced(changes: Sequence[Change], *, force: bool) -> Iterator[Note]:
    for change in changes:
        for reason in change.check():
            if not force:
                problem = f"{reason}: give --force to change it all the same"
                raise FormatError(change.path, None, problem)
            yield Note("forced", f"{change.path} was changed although {reason}")


OTHER_LINES = "with these options icsched writes other lines"  # a section does not say its options


@dataclass(frozen=True)
class Stale:
    """A file that is not as icsched would write it.

    `line` is where its section begins; None if it has none. `problem` says what is wrong with it.
    """

    file: str
    line: int | None
    problem: str


def stale_files(found: Ordered, changes: Sequence[Change]) -> Iterator[Stale]:
    """Yield the files that *changes* would change, each with what is wrong with it now."""
    bad = {known.path: known for known in found.sections if known.problems}
    for known in bad.values():
        yield Stale(known.path, known.line, "; ".join(known.problems))
    for change in distinct(changes):
        if not change.is_none and change.path not in bad:
            yield Stale(change.path, section.line_of(change.old or b""), _lack(change))


def _lack(change: Change) -> str:
    """Say how a file differs from what it should be: a section comes, changes or goes."""
    if change.new is None:
        return "it is no longer needed"
    had, has = (section.line_of(data or b"") is not None for data in (change.old, change.new))
    if had:
        return OTHER_LINES if has else "its section of icsched's is no longer needed"
    return "it does not have this order"
