"""An order written into a workflow's files, for DAGMan to follow.

DAGMan submits the ready node with the largest priority first. Each job's priority is its place in
the order, counted down: N, ..., 2, 1. If a PARENT statement has several parents and several
children, DAGMan puts a join node of priority 0 between them. A join node must not wait behind a
job. So jobs are then numbered -1, -2, ... instead, below any negative priority that the files give
to ALL_NODES.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Literal

from icsched.errors import FormatError
from icsched.files import Change as FileChange
from icsched.files import read_bytes, read_if_there
from icsched.formats.dagman import section
from icsched.formats.dagman.flat import flattened
from icsched.formats.dagman.place import flat_name
from icsched.formats.dagman.source import is_special
from icsched.formats.dagman.stamp import arcs_stamp, root_stamp
from icsched.formats.dagman.submission import PlacedNode, Submission
from icsched.formats.dagman.submit import queue_at

Via = Literal["priority", "vars"]

# DAGMan knows the jobs of splices by name only after the end of some file. So the section of a
# workflow with splices begins by including this file, which is beside the workflow.
COMPANION = ".icsched"
_EMPTY = b"# Empty on purpose: its inclusion makes DAGMan know the jobs of splices by name.\n"
_TAKES_PRIORITY = "priority = $(jobpriority)"


class Change(FileChange):
    """A change whose backup has the user's own lines, without icsched's section."""

    def original(self) -> bytes | None:
        """Return the file as it was without a section."""
        return None if self.old is None else section.removed(self.path, self.old)


def job_priorities(workflow: Submission, order: Sequence[int]) -> dict[str, int]:
    r"""Return the priority of each job, first job first, for an *order* of ``workflow.dag``.

    Jobs that are done come first, in case they run again.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from icsched.formats.dagman import read_submission
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "wf.dag"
    ...     _ = file.write_text("JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n")
    ...     job_priorities(read_submission(file), [0, 1])
    {'a': 2, 'b': 1}
    """
    done = [name for name, is_done in zip(workflow.names, workflow.done, strict=True) if is_done]
    names = [*done, *(str(workflow.dag.names[task]) for task in order)]
    top = workflow.lowest - 1 if workflow.joins else len(names)
    if top - len(names) < -(2**31):
        problem = "expected PRIORITY ALL_NODES to leave room for lower priorities"
        raise FormatError(workflow.roots[0].path, None, problem)
    return {name: top - place for place, name in enumerate(names)}


def changes(
    workflow: Submission,
    priorities: dict[str, int],
    *,
    keep_existing: bool = False,
    via: Via = "priority",
) -> list[Change]:
    """Return what to change in the workflow's files so that they give jobs these *priorities*.

    *keep_existing* leaves out jobs to which the files give a priority of their own. By default
    PRIORITY statements give the priorities. With *via* "vars" they are in a variable jobpriority,
    from which each submit file takes its job's priority; a job without a submit file gets PRIORITY.
    The workflow's own files come last.
    """
    told = _told(workflow, priorities, keep_existing=keep_existing)
    files = submit_files(workflow) if via == "vars" else []
    by_vars = {name for file in files for name in file.names}
    # A submit file that uses the variable must find one, even for a job that is left alone.
    own = zip(workflow.names, workflow.priorities.tolist(), strict=True)
    kept = {name: value for name, value in own if name in by_vars and name not in told}
    lines = _lines(workflow, told | kept, by_vars)
    paths = [root.path for root in workflow.roots]
    had_variables = any(_has_variables(root.raw) for root in workflow.roots)
    return [
        *map(_submit_change, files),
        *(submit_removals(workflow) if had_variables and via == "priority" else []),
        *_companions(workflow, paths),
        *(
            Change(root.path, root.raw, _with_section(workflow, number, root.path, its_lines))
            for number, (root, its_lines) in enumerate(zip(workflow.roots, lines, strict=True))
        ),
    ]


def overridden(workflow: Submission, priorities: dict[str, int], *, via: Via) -> list[str]:
    """Return the jobs that get a second, different priority by a PRIORITY statement.

    DAGMan treats priority 0 as no priority.
    """
    files = submit_files(workflow) if via == "vars" else []
    by_vars = {name for file in files for name in file.names}
    own = zip(workflow.names, workflow.priorities.tolist(), strict=True)
    return [n for n, value in own if value not in (0, priorities[n]) and n not in by_vars]


def copies(
    workflow: Submission, priorities: dict[str, int], path: str, *, keep_existing: bool = False
) -> list[Change]:
    """Return the changes that make *path* a copy of the workflow's file with *priorities*."""
    (lines,) = _lines(workflow, _told(workflow, priorities, keep_existing=keep_existing), set())
    new = _with_section(workflow, 0, path, lines)
    return [*_companions(workflow, [path]), Change(path, None, new)]


def _with_section(workflow: Submission, number: int, path: str, lines: list[str]) -> bytes:
    """Return the bytes of one of the user's files with a section, to be written to *path*."""
    root = workflow.roots[number]
    lift = [f"INCLUDE {_included(workflow, path)}"] if workflow.has_splices else []
    its_stamp = root_stamp(workflow, number)
    return section.inserted(root.path, root.raw, [*lift, *lines], stamp=its_stamp)


def _included(workflow: Submission, path: str) -> str:
    """Return the name by which DAGMan finds the companion of *path*."""
    name = path + COMPANION
    if workflow.use_dag_directory or os.path.dirname(path) == workflow.directory:
        name = os.path.basename(name)
    else:  # DAGMan may be started elsewhere
        name = os.path.abspath(name)
    if re.search(r"[\s\"']", name) or is_special(path) or path.startswith("/dev/"):
        problem = "expected an ordinary file whose path has no blanks and quotes, for the INCLUDE"
        raise FormatError(path, None, f"{problem} beside it; --flatten needs none")
    return name


def _companions(workflow: Submission, paths: Sequence[str]) -> Iterator[Change]:
    if workflow.has_splices:
        for path in paths:
            yield Change(path + COMPANION, _companion(path), _EMPTY)


def _companion(path: str) -> bytes | None:
    """Return what the companion of *path* holds; raises FormatError if it is not icsched's."""
    name = path + COMPANION
    data = read_if_there(name)
    if data not in (None, _EMPTY):
        raise FormatError(name, None, "expected a file that icsched wrote, or no file")
    return data


def flat_file(
    workflow: Submission, priorities: dict[str, int], *, keep_existing: bool = False
) -> bytes:
    """Return one DAGMan file that says what the workflow's files say, with *priorities*.

    The priorities that the files give are left out, or kept with *keep_existing*.
    """
    path = workflow.roots[0].path
    text = "".join(f"{line}\n" for line in flattened(workflow, priorities=keep_existing))
    told = _told(workflow, priorities, keep_existing=keep_existing)
    lines = [_line(flat_name(name), value, as_variable=False) for name, value in told.items()]
    names = list(map(flat_name, workflow.names))
    data = text.encode(errors="surrogateescape")
    return section.inserted(path, data, lines, stamp=arcs_stamp(names, workflow.whole.arcs))


def without_section(workflow: Submission, *, flatten: bool = False) -> bytes:
    """Return the workflow's only file without icsched's section, or all its files as one."""
    if flatten:
        text = "".join(f"{line}\n" for line in flattened(workflow, priorities=True))
        return text.encode(errors="surrogateescape")
    root = workflow.roots[0]
    return section.removed(root.path, root.raw)


def removals(paths: Sequence[str]) -> list[Change]:
    """Return the changes that remove the sections from a workflow's files, and their companions."""
    changes = []
    for path in paths:
        data = read_bytes(path)
        changes.append(Change(path, data, section.removed(path, data)))
        if read_if_there(path + COMPANION) == _EMPTY:
            changes.append(Change(path + COMPANION, _EMPTY, None))
    return changes


def has_variables(path: str) -> bool:
    """Whether a workflow's file gives priorities as variables, which its submit files then use."""
    return _has_variables(read_bytes(path))


def _has_variables(data: bytes) -> bool:
    return section.is_in(data) and b" jobpriority=" in data


def submit_removals(workflow: Submission) -> list[Change]:
    """Return the changes that remove the sections from the submit files."""
    found = []
    for file in submit_files(workflow):
        data = None if is_special(file.path) else read_if_there(file.path)
        if data is not None:
            found.append(Change(file.path, data, section.removed(file.path, data)))
    return found


def _told(
    workflow: Submission, priorities: dict[str, int], *, keep_existing: bool
) -> dict[str, int]:
    """Return the priorities to write."""
    if not keep_existing:
        return priorities
    given = zip(workflow.names, workflow.has_priority.tolist(), strict=True)
    kept = {name for name, has_priority in given if has_priority}
    return {name: value for name, value in priorities.items() if name not in kept}


def _lines(workflow: Submission, told: dict[str, int], by_vars: set[str]) -> list[list[str]]:
    """Return the section's lines for each of the user's files."""
    if len(workflow.roots) == 1:
        return [[_line(n, value, as_variable=n in by_vars) for n, value in told.items()]]
    if workflow.has_splices:
        problem = "expected one file at a time where there are splices: DAGMan calls their jobs"
        raise FormatError(
            workflow.roots[0].path, None, f"{problem} by the file's place on its command line"
        )
    lines: list[list[str]] = [[] for _ in workflow.roots]
    for name, value in told.items():
        root, _, local = name.partition(".")
        lines[int(root)].append(_line(local, value, as_variable=name in by_vars))
    return lines


def _line(name: str, value: int, *, as_variable: bool) -> str:
    if as_variable:
        return f'VARS {name} jobpriority="{value}"'
    return f"PRIORITY {name} {value}"


@dataclass(frozen=True, slots=True)
class SubmitFile:
    """A submit file, the first job that uses it, and the names of all jobs that do."""

    path: str
    first: PlacedNode
    names: list[str]


def submit_files(workflow: Submission, *, are_left: bool = False) -> list[SubmitFile]:
    """Return the submit files of a workflow, each once, whatever names jobs use for it.

    With *are_left* only those of jobs that DAGMan will submit: they are neither done nor NOOP.
    """
    done = set(compress(workflow.names, workflow.done.tolist())) if are_left else set[str]()
    by_name: dict[tuple[str, str], SubmitFile] = {}
    for placed in workflow.nodes():
        if are_left and (placed.node.noop or placed.name in done):
            continue
        if placed.node.kind == "JOB" and not placed.has_description:
            key = placed.directory, placed.node.submit
            if key not in by_name:
                by_name[key] = SubmitFile(os.path.join(*key), placed, [])
            by_name[key].names.append(placed.name)
    files: dict[str, SubmitFile] = {}
    for file in by_name.values():
        known = files.setdefault(os.path.realpath(file.path), file)
        if known is not file:
            known.names.extend(file.names)
    return list(files.values())


def _submit_change(file: SubmitFile) -> Change:
    """Make a submit file take its priority from jobpriority, whatever it says itself."""
    placed = file.first
    data = None if is_special(file.path) else read_if_there(file.path)
    if data is None:
        what = "expected an ordinary file, got" if is_special(file.path) else "no such file:"
        problem = f"job {placed.node.name}: {what} {file.path}"
        raise placed.source.error(placed.statement, problem)
    at = queue_at(section.removed(file.path, data))
    return Change(file.path, data, section.inserted(file.path, data, [_TAKES_PRIORITY], at))
