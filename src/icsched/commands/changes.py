"""What an order changes in files, and whether it is there already."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from icsched.commands.inputs import FileOptions, check_output
from icsched.commands.notes import disturbed
from icsched.commands.options import Flag, OutputName, PathName
from icsched.commands.ordering import Ordered
from icsched.commands.terminal import STANDARD_OUTPUT
from icsched.errors import ArgumentError, FormatError
from icsched.files import Change, back_up, read_bytes, would_replace
from icsched.formats import FORMATS
from icsched.formats.access import is_table, no_order, order_changes, order_notes, order_table
from icsched.formats.table import Via, format_by_suffix, format_of
from icsched.workflow import Note, Settings

OrderLine = Callable[[bytes], int | None]  # see `Format.order_line`
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
    def was_or_would_be(self) -> str:
        """How notes speak of what is written."""
        return "would be" if self.only_looks else "was"

    @property
    def makes_table(self) -> bool:
        """Whether -o names a table of the order, and not a copy of the workflow."""
        return self.output is not None and is_table(self.output)

    @property
    def writes_order(self) -> bool:
        """Whether an order is written, or would be."""
        return self.in_place or self.only_looks or self.output is not None


def planned(found: Ordered, writing: WriteOptions, reading: FileOptions) -> Sequence[Change]:
    """Find out what to write where; raises ArgumentError if writing would destroy a file."""
    workflow, path = found.workflow, writing.output
    if path is not None and writing.makes_table:
        check_output(workflow, path)
        names = map(str, found.plan.schedule.names)
        rows = {name: found.priorities[name] for name in names}
        return [Change(path, None, order_table(path, rows))]
    if path is not None and path != STANDARD_OUTPUT:
        if reading.usedagdir and not _are_beside(path, file := workflow.source.named()[0]):
            raise ArgumentError(f"with --usedagdir -o must be in the directory of {file}")
        check_output(workflow, path, instead=", or --in-place")
    return order_changes(workflow, found.plan.order.tolist(), writing)


def _are_beside(*files: str) -> bool:
    return len({os.path.realpath(Path(file).parent) for file in files}) == 1


def check_format(source: str, writing: WriteOptions) -> None:
    """Raise FormatError if the file *source* cannot hold an order, and one is to be written there.

    Raises ArgumentError if -o names another format than *source* has: a copy keeps its format.
    """
    if writing.makes_table or not writing.writes_order:
        return
    own, path = format_of(source), writing.output
    if own.changes is None:
        raise no_order(own, source, INSTEAD)
    if path is None or Path(path).suffix == Path(source).suffix:
        return
    named = format_by_suffix(path)
    if named is None or named.name == own.name:
        return
    kept = f"-o writes a copy in format {own.name}, but {path} has a suffix of {named.name}"
    raise ArgumentError(f"{kept}: for another format, use icsched convert IN OUT")


def planning_notes(file: str, found: Ordered, writing: WriteOptions) -> list[Note]:
    """Return notes about the changes; raises FormatError if the engine will refuse them."""
    workflow = found.workflow
    asking = replace(workflow, source=workflow.source.asking(_pool_settings))
    told = order_notes(asking, found.plan.order.tolist(), writing)
    knows_advice = FORMATS.find(workflow.format).advice is not None
    return [*told, disturbed(file)] if workflow.remarks and knows_advice else told


def _pool_settings() -> Settings | None:
    from icsched.plugins.htcondor import pool_settings  # few orders need it

    return pool_settings()


@dataclass(frozen=True)
class Written:
    """A file that was written, and the name of the copy of its old content, if one was kept."""

    file: str
    backup: str | None


def make_changes(
    changes: Sequence[Change], writing: WriteOptions, order_line: OrderLine | None
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
        backup = _kept(change, order_line) if change.path == writing.output else None
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


def _kept(copy: Change, order_line: OrderLine | None) -> str | None:
    """Keep the file that a copy replaces, unless icsched wrote an order into it; return the name.

    A copy that is made again replaces the copy from before, which has icsched's section.
    """
    if not would_replace(copy.path):
        return None
    old = read_bytes(copy.path)
    is_ours = order_line is not None and order_line(old) is not None
    return None if old == copy.new or is_ours else back_up(copy.path)


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
    line_of = FORMATS.find(found.workflow.format).order_line
    for known in bad.values():
        yield Stale(known.path, known.line, "; ".join(known.problems))
    for change in distinct(changes):
        if not change.is_none and change.path not in bad:
            lines = [line_of(data or b"") if line_of else None for data in (change.old, change.new)]
            problem = "it does not have this order"
            if change.new is None:
                problem = "it is no longer needed"
            elif lines[0] is not None:
                gone = "its section of icsched's is no longer needed"
                problem = gone if lines[1] is None else OTHER_LINES
            yield Stale(change.path, lines[0], problem)
