"""What an order changes in files, and whether it is there already."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from icsched.commands import notes
from icsched.commands.inputs import Reading, check_output
from icsched.commands.options import STANDARD_OUTPUT
from icsched.commands.ordering import Ordered
from icsched.engines.configuration import pool_settings
from icsched.errors import ArgumentError, FormatError
from icsched.files import Change, back_up, read_bytes, would_replace
from icsched.formats import FORMATS, dagman
from icsched.formats.access import is_table, no_order, order_changes, order_table
from icsched.formats.dagman import section
from icsched.formats.dagman.writer import COMPANION, Via
from icsched.formats.table import format_by_suffix
from icsched.workflow import Workflow

INSTEAD = "-o NAME.csv"  # for an order that no file of the workflow's format can hold


@dataclass(frozen=True)
class Writing:
    """What to do to the files of a workflow."""

    output: str | None = None
    in_place: bool = False
    remove: bool = False
    force: bool = False
    keep_existing: bool = False
    flatten: bool = False
    via: Via = "priority"
    recursive: bool = False
    diff: bool = False
    check: bool = False

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


@dataclass(frozen=True)
class Written:
    """A file that was written, and the name of the copy of its old content, if one was kept."""

    file: str
    backup: str | None


@dataclass(frozen=True)
class Made:
    """What was written, and where."""

    written: tuple[Written, ...]
    streamed: bytes | None
    notes: tuple[notes.Note, ...]


def planned(found: Ordered, writing: Writing, reading: Reading) -> Sequence[Change]:
    """Find out what to write where; raises ArgumentError if writing would destroy a file."""
    workflow, priorities = found.workflow, found.priorities
    if writing.output is not None and writing.makes_table:
        return [_table(found, writing.output)]
    submission = dagman.submission_in(workflow)
    if submission is None:
        return _in_other(found, writing)
    kept, path = writing.keep_existing, writing.output
    if path is None:
        return dagman.changes(submission, priorities, keep_existing=kept, via=writing.via)
    _check_copy(workflow, submission.roots[0].path, path, usedagdir=reading.options.usedagdir)
    if writing.flatten:
        data = dagman.flat_file(submission, priorities, keep_existing=kept)
        return [dagman.Change(path, None, data)]
    return dagman.copies(submission, priorities, path, keep_existing=kept)


def check_format(source: str, writing: Writing, reading: Reading) -> None:
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


def _in_other(found: Ordered, writing: Writing) -> Sequence[Change]:
    """Return the changes in files of another format; raises if the format cannot hold an order."""
    chosen = FORMATS.find(found.workflow.format)
    only_dagman = {
        "--recursive": writing.recursive,
        "--flatten": writing.flatten,
        "--keep-existing": writing.keep_existing,
        "--via": writing.via != "priority",
    }
    for option, is_given in only_dagman.items():
        if is_given:
            raise ArgumentError(f"{option} is for DAGMan files, not for format {chosen.name}")
    changes = order_changes(found.workflow, found.plan.order.tolist())
    return changes if writing.output is None else [_copy(found.workflow, changes, writing.output)]


def _table(found: Ordered, path: str) -> Change:
    """Return the change that writes an order as a table."""
    check_output(found.workflow, path)
    names = map(str, found.plan.schedule.names)
    priorities = {name: found.priorities[name] for name in names}
    return Change(path, None, order_table(path, priorities))


def _copy(workflow: Workflow, changes: Sequence[Change], path: str) -> Change:
    """Return the change that writes a changed file to *path* instead."""
    if path != STANDARD_OUTPUT:
        check_output(workflow, path, instead=", or --in-place")
    if len(changes) != 1:
        raise ArgumentError(f"-o: expected a workflow in one file, got {len(changes)} files")
    return Change(path, None, changes[0].new)


def unordered_copy(found: Ordered, writing: Writing, path: str) -> Change:
    """Return the change that writes the workflow to *path* without an order of icsched's."""
    submission = dagman.submission_in(found.workflow)
    if submission is None:
        return Change(path, None, read_bytes(next(iter(found.workflow.files))))
    return Change(path, None, dagman.without_section(submission, flatten=writing.flatten))


def _check_copy(workflow: Workflow, source: str, path: str, *, usedagdir: bool) -> None:
    """Raise ArgumentError if writing *path* would destroy or misplace a file of the workflow."""
    if path == STANDARD_OUTPUT:
        return
    if usedagdir and os.path.realpath(Path(path).parent) != os.path.realpath(Path(source).parent):
        raise ArgumentError(f"with --usedagdir -o must be in the directory of {source}")
    check_output(workflow, path, instead=", or --in-place")


def planning_notes(
    files: Sequence[str], workflow: Workflow, priorities: dict[str, int], writing: Writing
) -> Iterator[notes.Note]:
    """Yield notes about the changes; raises FormatError if DAGMan will refuse them."""
    submission = dagman.submission_in(workflow)
    if submission is None:
        return
    own = notes.overridden_priorities(submission, priorities, are_kept=writing.keep_existing)
    if own:
        yield own
    if submission.joins:
        yield notes.Joins(submission.joins, submission.lowest - 1)
    strict = _strictness(submission, priorities, writing)
    if strict:
        yield strict
    for unread in dagman.unread_configs(submission):
        yield notes.UnreadConfig(unread.path, unread.text)
    if submission.has_splices:
        path = writing.output or submission.roots[0].path
        yield notes.Flattened() if writing.flatten else notes.Spliced(path, f"{path}{COMPANION}")
    if writing.via == "vars":
        yield from _variables(submission)
    if workflow.remarks:
        yield notes.Disturbed(files[0])


def _strictness(
    submission: dagman.Submission, priorities: dict[str, int], writing: Writing
) -> notes.Strict | None:
    """Raise FormatError if DAGMan will refuse what is written; return a note if it may."""
    if writing.keep_existing or writing.flatten:
        return None
    if not dagman.overridden(submission, priorities, via=writing.via):
        return None
    strict = dagman.strictness(submission, pool_settings())
    if strict is None:
        return None
    found = notes.Strict(strict.path, strict.line or None, strict.text)
    if found.line:  # in a file that DAGMan reads; DAGMan's environment may differ from ours
        raise FormatError(found.path, found.line, found.refusal)
    return notes.strict(submission, strict)


def _variables(submission: dagman.Submission) -> Iterator[notes.Note]:
    yield notes.VariablesUsed()
    without = sum(
        placed.has_description or placed.node.kind == "SUBDAG" for placed in submission.nodes()
    )
    if without:
        yield notes.NoSubmitFile(without)


def made(changes: Sequence[Change], writing: Writing) -> Made:
    """Write all changes; a file that two workflows use is written once.

    Before anything is written, raises FormatError if a file cannot or should not be changed.
    """
    different = distinct(changes)
    told: list[notes.Note] = list(_forced(different, force=writing.force))
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
            told.append(notes.Removed(change.path))
        else:
            written.append(Written(change.path, backup))
    if changes and not written and writing.output is None:
        told.append(notes.NothingToChange(writing.remove))
    return Made(tuple(written), streamed, tuple(told))


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


def _forced(changes: Sequence[Change], *, force: bool) -> Iterator[notes.Forced]:
    for change in changes:
        for reason in change.check():
            if not force:
                problem = f"{reason}: give --force to change it all the same"
                raise FormatError(change.path, None, problem)
            yield notes.Forced(change.path, reason)


class Lack(Enum):
    """How a file differs from what icsched would write.

    OUT_OF_DATE: its section does not fit the workflow any more. OTHER_LINES: its section would get
    other lines, perhaps because other options wrote it, which a section does not say. NO_ORDER: it
    has no section yet. NEEDLESS_SECTION and NEEDLESS_FILE: icsched would remove these.
    """

    OUT_OF_DATE = auto()
    OTHER_LINES = auto()
    NO_ORDER = auto()
    NEEDLESS_SECTION = auto()
    NEEDLESS_FILE = auto()


@dataclass(frozen=True)
class Stale:
    """A file that is not as icsched would write it.

    `line` is where its section begins; None if it has none. `problems` say why a section is out of
    date.
    """

    path: str
    line: int | None
    lack: Lack
    problems: tuple[str, ...] = ()


def stale_files(found: Ordered, changes: Sequence[Change]) -> Iterator[Stale]:
    """Yield the files that *changes* would change, each with what is wrong with it now."""
    sections = {known.path: known for known in found.sections}
    for bad in found.sections:
        if bad.problems:
            yield Stale(bad.path, bad.line, Lack.OUT_OF_DATE, bad.problems)
    for change in distinct(changes):
        known = sections.get(change.path)
        if not change.is_none and not (known and known.problems):
            yield Stale(change.path, section.line_of(change.old or b""), _lack(change))


def _lack(change: Change) -> Lack:
    """Return how a file differs from what it should be: a section comes, changes or goes."""
    if change.new is None:
        return Lack.NEEDLESS_FILE
    had, has = (section.line_of(data or b"") is not None for data in (change.old, change.new))
    if had:
        return Lack.OTHER_LINES if has else Lack.NEEDLESS_SECTION
    return Lack.NO_ORDER
