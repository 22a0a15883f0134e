"""An order of a workflow, and what it changes in the workflow's files."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from icsched.answers import notes
from icsched.answers.changes import (
    INSTEAD,
    Writing,
    Written,
    check_format,
    made,
    planned,
    planning_notes,
    unordered_copy,
)
from icsched.answers.checked import Stale, stale_files
from icsched.answers.known import resumed
from icsched.answers.ordered import Ordered, Wanted, order_workflow
from icsched.answers.reading import Reading, check_given
from icsched.answers.run_times import times_known
from icsched.answers.signs import QUIET, Signs
from icsched.errors import FormatError
from icsched.files import Change
from icsched.formats import FORMATS, Format, dagman
from icsched.formats.access import no_order
from icsched.formats.dagman.source import is_missing, is_special
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
    """Write the changes; see `icsched.answers.changes.made`."""
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
