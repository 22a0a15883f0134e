"""DAGMan files written: an order into a workflow's own files, or any workflow into a new file.

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
from itertools import compress, pairwise
from typing import Literal

import numpy as np

from icsched.dag import Dag
from icsched.errors import FormatError
from icsched.files import Change as FileChange
from icsched.files import is_special, read_bytes, read_if_there, write_text
from icsched.formats.dagman import section
from icsched.formats.dagman.staleness import arcs_stamp, root_stamp
from icsched.formats.dagman.statements import BLANKS, RESERVED
from icsched.formats.dagman.submission import Job, Submission
from icsched.formats.facts import said
from icsched.formats.port import Writing
from icsched.workflow import Command, Workflow

Via = Literal["priority", "vars"]


@dataclass(frozen=True)
class DagmanWriting(Writing):
    """How an order is written into DAGMan files; `icsched prio --help` says what each does."""

    recursive: bool = False
    flatten: bool = False
    keep_existing: bool = False
    via: Via = "priority"


# DAGMan knows the jobs of splices by name only after the end of some file. So the section of a
# workflow with splices begins by including this file, which is beside the workflow.
COMPANION = ".icsched"
_EMPTY = b"# Empty on purpose: its inclusion makes DAGMan know the jobs of splices by name.\n"
_TAKES_PRIORITY = "priority = $(jobpriority)"
SUBMIT_FILE = "task.sub"
_ENV = "/usr/bin/env"  # finds a program in PATH, or from the directory where the job runs

# DAGMan uses + for scopes, quotes for quotations, \ to continue lines and = to split words.
_SAFE_NAME = "a word without blanks, quotes, '+', '=' or '\\', not PARENT, CHILD or ALL_NODES"


class Change(FileChange):
    """A change whose backup has the user's own lines, without icsched's section."""

    def original(self) -> bytes | None:
        """Return the file as it was without a section."""
        return None if self.old is None else section.removed(self.path, self.old)


def job_priorities(workflow: Submission, order: Sequence[int]) -> dict[str, int]:
    r"""Return the priority of each job, first job first, for an *order* of the jobs left.

    Jobs that are done come first, in case they run again.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from icsched.formats.dagman.submission import read_submission
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "wf.dag"
    ...     _ = file.write_text("JOB a a.sub\nJOB b b.sub\nPARENT a CHILD b\n")
    ...     job_priorities(read_submission(file), [0, 1])
    {'a': 2, 'b': 1}
    """
    done = [name for name, is_done in zip(workflow.names, workflow.done, strict=True) if is_done]
    names = [*done, *(str(workflow.dag.names[task]) for task in order)]
    top = workflow.scope.lowest - 1 if workflow.scope.joins else len(names)
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

    *keep_existing* leaves out jobs to which the files give a priority of their own. With *via*
    "vars" submit files take priorities from a variable jobpriority; jobs without a submit file get
    PRIORITY. The workflow's own files come last.
    """
    told = _told(workflow, priorities, keep_existing=keep_existing)
    files = submit_files(workflow) if via == "vars" else []
    by_vars = {name for file in files for name in file.names}
    # A submit file that uses the variable must find one, even for a job that is left alone.
    own = zip(workflow.names, workflow.priorities.tolist(), strict=True)
    kept = {name: value for name, value in own if name in by_vars and name not in told}
    paths = [root.path for root in workflow.roots]
    new = _with_sections(workflow, told | kept, by_vars, paths)
    had_variables = any(_has_variables(root.raw) for root in workflow.roots)
    return [
        *map(_submit_change, files),
        *(submit_removals(workflow) if had_variables and via == "priority" else []),
        *_companions(workflow, paths),
        *map(Change, paths, (root.raw for root in workflow.roots), new),
    ]


def overridden(workflow: Submission, priorities: dict[str, int], *, via: Via) -> list[str]:
    """Return the jobs that get a second, different priority by a PRIORITY statement."""
    files = submit_files(workflow) if via == "vars" else []
    by_vars = {name for file in files for name in file.names}
    own = workflow.priority_of.items()
    # DAGMan treats priority 0 as no priority.
    return [n for n, value in own if value not in (0, priorities[n]) and n not in by_vars]


def copies(
    workflow: Submission, priorities: dict[str, int], path: str, *, keep_existing: bool = False
) -> list[Change]:
    """Return the changes that make *path* a copy of the workflow's file with *priorities*."""
    told = _told(workflow, priorities, keep_existing=keep_existing)
    (new,) = _with_sections(workflow, told, set(), [path])
    return [*_companions(workflow, [path]), Change(path, None, new)]


def _with_sections(
    workflow: Submission, told: dict[str, int], by_vars: set[str], paths: Sequence[str]
) -> list[bytes]:
    """Return the bytes of the user's files with sections, to be written to *paths*.

    A workflow without jobs gets no section.
    """
    if not workflow.names:
        return [section.removed(root.path, root.raw) for root in workflow.roots]
    are_several = len(workflow.roots) > 1
    if are_several and workflow.has_splices:
        problem = "expected one file at a time where there are splices: DAGMan calls their jobs"
        raise FormatError(
            workflow.roots[0].path, None, f"{problem} by the file's place on its command line"
        )
    lifts = [f"INCLUDE {_included(workflow, path)}" for path in paths if workflow.has_splices]
    lines = [lifts[number : number + 1] for number in range(len(paths))]
    for name, value in told.items():
        root, _, job = name.partition(".") if are_several else ("0", "", name)
        is_variable = name in by_vars
        line = f'VARS {job} jobpriority="{value}"' if is_variable else f"PRIORITY {job} {value}"
        lines[int(root)].append(line)
    return [
        section.inserted(root.path, root.raw, its_lines, stamp=root_stamp(workflow, number))
        for number, (root, its_lines) in enumerate(zip(workflow.roots, lines, strict=True))
    ]


def _included(workflow: Submission, path: str) -> str:
    """Return the name by which DAGMan finds the companion of *path*."""
    name = path + COMPANION
    if workflow.use_dag_directory or os.path.dirname(path) == workflow.directory:
        name = os.path.basename(name)
    else:  # DAGMan may be started elsewhere
        name = os.path.abspath(name)
    if is_special(path) or path.startswith("/dev/"):
        problem = "it has splices, so that its copy includes a file beside the copy"
        advice = "write to an ordinary file by -o FILE, or use --flatten"
        raise FormatError(workflow.roots[0].path, None, f"{problem}: {advice}")
    if re.search(r"[\s\"']", name):
        problem = "expected a path without blanks and quotes, for the INCLUDE of a file beside it"
        raise FormatError(path, None, f"{problem}; --flatten needs none")
    return name


def _companions(workflow: Submission, paths: Sequence[str]) -> Iterator[Change]:
    """Yield the changes that make companions; raises FormatError if one is not icsched's."""
    needs_companion = workflow.has_splices and workflow.names
    for name in (path + COMPANION for path in paths if needs_companion):
        data = read_if_there(name)
        if data not in (None, _EMPTY):
            raise FormatError(name, None, "expected a file that icsched wrote, or no file")
        yield Change(name, data, _EMPTY)


def flat_file(
    workflow: Submission, priorities: dict[str, int], *, keep_existing: bool = False
) -> bytes:
    """Return one DAGMan file that says what the workflow's files say, with *priorities*."""
    from icsched.formats.dagman.flat import as_file, flat_name, flattened  # few files are flat

    path = workflow.roots[0].path
    if not workflow.names:
        return as_file(flattened(workflow))
    told = _told(workflow, priorities, keep_existing=keep_existing)
    lines = [f"PRIORITY {flat_name(name)} {value}" for name, value in told.items()]
    names = list(map(flat_name, workflow.names))
    data = as_file(flattened(workflow, priorities=keep_existing))
    return section.inserted(path, data, lines, stamp=arcs_stamp(names, workflow.dag.arcs))


def without_section(workflow: Submission, *, flatten: bool = False) -> bytes:
    """Return the workflow's only file without icsched's section, or all its files as one."""
    root = workflow.roots[0]
    if flatten:
        from icsched.formats.dagman.flat import as_file, flattened

        return as_file(flattened(workflow))
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
    present = ((file.path, file.data()) for file in submit_files(workflow))
    return [Change(p, data, section.removed(p, data)) for p, data in present if data is not None]


def _told(
    workflow: Submission, priorities: dict[str, int], *, keep_existing: bool
) -> dict[str, int]:
    kept = workflow.priority_of if keep_existing else {}
    return {name: value for name, value in priorities.items() if name not in kept}


@dataclass(frozen=True, slots=True)
class SubmitFile:
    """A submit file, the first job that uses it, and the names of all jobs that do."""

    path: str
    first: Job
    names: list[str]

    def data(self) -> bytes | None:
        """Return what is in the file; None if there is none, or if it is not an ordinary file."""
        return None if is_special(self.path) else read_if_there(self.path)


def submit_files(workflow: Submission, *, are_left: bool = False) -> list[SubmitFile]:
    """Return the submit files of a workflow, each once, whatever names jobs use for it.

    With *are_left* only those of jobs that DAGMan will submit: they are neither done nor NOOP.
    """
    done = set(compress(workflow.names, workflow.done.tolist())) if are_left else set[str]()
    by_name: dict[tuple[str, str], SubmitFile] = {}
    for job in workflow.jobs():
        if are_left and (job.node.noop or job.name in done):
            continue
        if job.node.kind == "JOB" and not job.has_description:
            key = job.directory, job.node.submit
            if key not in by_name:
                by_name[key] = SubmitFile(os.path.join(*key), job, [])
            by_name[key].names.append(job.name)
    files: dict[str, SubmitFile] = {}
    for file in by_name.values():
        known = files.setdefault(os.path.realpath(file.path), file)
        if known is not file:
            known.names.extend(file.names)
    return list(files.values())


def _submit_change(file: SubmitFile) -> Change:
    """Make a submit file take its priority from jobpriority, whatever it says itself."""
    data = file.data()
    if data is None:
        what = "expected an ordinary file, got" if is_special(file.path) else "no such file:"
        problem = f"job {file.first.node.name}: {what} {file.path}"
        raise file.first.statement.error(problem)
    from icsched.formats.dagman.submit import queue_at  # few orders are in submit files

    at = queue_at(section.removed(file.path, data))
    return Change(file.path, data, section.inserted(file.path, data, [_TAKES_PRIORITY], at))


def dagman_text(dag: Dag, *, title: str = "", path: str = "<text>") -> str:
    r"""Return *dag* as a DAGMan file in which every job uses the submit file task.sub.

    *title* becomes a comment at the top. Raises FormatError, naming *path*, for a task name
    that DAGMan would not accept.

    >>> print(dagman_text(Dag({"a": [], "b": ["a"]})), end="")
    JOB a task.sub
    JOB b task.sub
    PARENT a CHILD b
    """
    names = [str(name) for name in dag.names]
    for name in names:
        if not is_job_name(name):
            raise FormatError(path, None, f"job name: expected {_SAFE_NAME}, got {name!r}")
    if len(set(names)) < len(names):
        raise FormatError(path, None, "two tasks have the same name once written as text")
    lines = [f"# {line}" for line in title.splitlines()]
    lines += [f"JOB {name} {SUBMIT_FILE}" for name in names]
    offsets, children = dag.child_rows.offsets.tolist(), dag.child_rows.targets.tolist()
    # One parent on each line: lines of several parents and children make DAGMan add join nodes.
    lines += [
        f"PARENT {names[task]} CHILD {' '.join(names[c] for c in children[start:stop])}"
        for task, (start, stop) in enumerate(pairwise(offsets))
        if start < stop
    ]
    return "\n".join(lines) + "\n" if lines else ""


def workflow_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    """Return *workflow* as a DAGMan file, with commands, priorities and which jobs are done.

    Raises FormatError, naming *path*, for a name or a command that cannot be written.
    """
    text = dagman_text(workflow.dag, title=title, path=path)
    lines = text.splitlines()
    first = len(title.splitlines())  # the JOB lines come after the title
    for task, command in enumerate(workflow.commands or ()):
        name = str(workflow.names[task])
        try:
            noop = f"JOB {name} {SUBMIT_FILE} NOOP"
            lines[first + task] = job_text(name, command, path) if command else noop
        except ValueError as error:
            raise FormatError(path, None, f"job {name!r}: {error}") from None
    given = zip(workflow.names, said(workflow, "priorities"), strict=True)
    lines += [f"PRIORITY {name} {number}" for name, number in given if number is not None]
    lines += [f"DONE {workflow.names[task]}" for task in np.flatnonzero(workflow.done).tolist()]
    return "\n".join(lines) + "\n" if lines else ""


def job_text(name: str, command: Command, path: str) -> str:
    r"""Return a JOB statement with a submit description, for a DAGMan file at *path*.

    The job runs on a file system that all machines share. Raises ValueError for a command that
    cannot be written on lines of its own, or for a file whose name begins or ends with a blank.

    >>> print(job_text("a", Command(("sort", "a b"), "data", stdout="data/out"), "w.dag"))
    JOB a {
      executable = /usr/bin/env
      My.Arguments = "'sort' 'a b'"
      initialdir = data
      output = out
      transfer_executable = false
      should_transfer_files = NO
    }
    """
    # HTCondor looks for a program neither in PATH nor where the job runs.
    is_whole = os.path.isabs(command.program)
    pairs = {
        "executable": _plain(command.program if is_whole else _ENV),
        # HTCondor 23.9 refuses `arguments` with blanks inside a DAGMan file, and drops empty words.
        "My.Arguments": _quoted(command.argv[is_whole:], '\\"'),
        "environment": _quoted([f"{key}={value}" for key, value in command.environment], '""'),
        "initialdir": _plain(command.directory or ""),
        "input": _plain(command.as_seen_inside(command.stdin, path) or ""),
        "output": _plain(command.as_seen_inside(command.stdout, path) or ""),
        "error": _plain(command.as_seen_inside(command.stderr, path) or ""),
        "transfer_executable": "false",
        "should_transfer_files": "NO",
    }
    for key, value in pairs.items():
        if value != value.strip(BLANKS):  # HTCondor would take another name
            raise ValueError(f"{key}: expected no blanks at the ends, got {value!r}")
    written = [f"  {key} = {value}" for key, value in pairs.items() if value]
    for line in written:
        if any(c in line for c in "\n\r\0") or line.rstrip().endswith("\\"):
            raise ValueError(f"expected a command of one line, got {line.strip()!r}")
    return "\n".join([f"JOB {name} {{", *written, "}"])


def _plain(word: str) -> str:
    """Return a value of a submit description; HTCondor would expand a dollar sign."""
    return word.replace("$", "$(DOLLAR)")


def _quoted(words: Sequence[str], quote: str) -> str:
    """Return words in single quotes, all in double quotes; *quote* is a double quote inside."""
    text = " ".join(f"'{word.replace(chr(39), chr(39) * 2)}'" for word in words)
    return _plain('"' + text.replace('"', quote) + '"') if text else ""


def write_dagman(dag: Dag, path: str | os.PathLike[str], *, title: str = "") -> None:
    """Write *dag* to *path* as a DAGMan file, whole or not at all; see `dagman_text`."""
    write_text(path, dagman_text(dag, title=title, path=os.fspath(path)))


def is_job_name(text: str) -> bool:
    """Whether DAGMan takes *text* as the name of a job."""
    word = text.isprintable() and not any(c.isspace() or c in "+\"'\\=" for c in text)
    return bool(text) and word and text.upper() not in RESERVED
