"""The DAGMan file that hands a workflow over to HTCondor, in the order of a plan."""

import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from icsched.commands import Command
from icsched.errors import ArgumentError, EngineError, FormatError
from icsched.formats.dagman.advice import refusal, strictness
from icsched.formats.dagman.commands import Retry, Script
from icsched.formats.dagman.entry import submission_in
from icsched.formats.dagman.modifiers import statements_about_jobs
from icsched.formats.dagman.place import places
from icsched.formats.dagman.submission import Submission
from icsched.formats.dagman.text import is_job_name
from icsched.formats.dagman.writer import copies, job_priorities, overridden
from icsched.orders import Plan
from icsched.workflow import Workflow

_INHERITED = ("PATH", "HOME")  # HTCondor gives its jobs no variables of its own accord
_NO_DESCRIPTION = "nothing.sub"  # of jobs that DAGMan does not submit
LOGS = "logs"
# All commands share one submit description. HTCondor 23.9 does not take arguments with blanks from
# a description inside the DAGMan file.
SUBMIT = "command.sub"
_DESCRIPTION = b"""executable = $(program)
arguments = $(words)
environment = $(variables)
initialdir = $(inside)
input = $(reads)
output = $(prints)
error = $(complains)
transfer_executable = false
should_transfer_files = NO
queue
"""


@dataclass(frozen=True)
class DagFile:
    """A DAGMan file, and what has to be known to follow its run."""

    files: Mapping[Path, bytes]  # the DAGMan file comes last
    start: Path  # the directory where DAGMan is started
    tasks: dict[str, int]  # id in ``workflow.dag`` of each job that is left to run
    done: Sequence[str] = ()  # jobs that were done before
    judged: frozenset[str] = frozenset()  # jobs with a POST script, which decides on their success
    retried: frozenset[str] = frozenset()  # jobs that DAGMan may run again after they failed

    def rescue(self, done: Collection[int]) -> list[str]:
        """Return the lines of a rescue file, by which these tasks do not run again."""
        names = [*self.done, *(name for name, task in self.tasks.items() if task in done)]
        return [f"DONE {name}" for name in names]


def dag_file(workflow: Workflow, plan: Plan, path: Path) -> DagFile:
    """Return the file for *workflow*, to be written to *path*.

    Of a DAGMan workflow it is a copy of the user's file, with PRIORITY lines. Raises ArgumentError
    for a workflow without commands, EngineError for a command that HTCondor cannot be given,
    FormatError for what cannot be copied.
    """
    submission = submission_in(workflow)
    if submission is not None:
        return _of_dagman(submission, plan, path)
    if workflow.commands is None:
        raise ArgumentError("expected a workflow that says what its tasks run")
    return _of_commands(workflow, workflow.commands, plan, path)


# From DAGMan files


def _of_dagman(submission: Submission, plan: Plan, path: Path) -> DagFile:
    by_file, root = submission.use_dag_directory, submission.roots[0].path
    if len(submission.roots) > 1 or (by_file and len(submission.read) > 1):
        expected = "expected one DAGMan file, started from where its files are found"
        raise EngineError(f"{root}: {expected}: icsched prio writes orders into several files")
    priorities = job_priorities(submission, plan.order.tolist())
    strict = strictness(submission)
    if strict and overridden(submission, priorities, via="priority"):
        raise FormatError(strict.path, strict.line or None, refusal(strict.text))
    judged, retried = set(), set()
    names = submission.scope.names
    for said in statements_about_jobs(places(submission)):
        if isinstance(said.modifier, Script) and said.modifier.when == "POST":
            judged.add(names[said.place.first + said.slot])
        elif isinstance(said.modifier, Retry):
            retried.add(names[said.place.first + said.slot])
    return DagFile(
        {Path(one.path): one.new or b"" for one in copies(submission, priorities, str(path))},
        Path(root).parent if by_file else Path(submission.directory),
        {str(name): task for task, name in enumerate(submission.dag.names)},
        [name for name, is_done in zip(submission.names, submission.done, strict=True) if is_done],
        frozenset(judged),
        frozenset(retried),
    )


# From commands


def _of_commands(
    workflow: Workflow, commands: Sequence[Command | None], plan: Plan, path: Path
) -> DagFile:
    names = _job_names(workflow)
    first = next(iter(workflow.files), "")
    writer = _Writer(Path(first).parent.absolute(), path.parent)
    lines: list[str] = []
    for task, name in enumerate(names):
        if workflow.done[task]:
            lines.append(f"JOB {name} {_NO_DESCRIPTION} NOOP")
    for task, command in zip(workflow.left.tolist(), commands, strict=True):
        lines += writer.job(task, names[task], command)
    lines += _dependencies(workflow, names)
    left = [names[task] for task in workflow.left.tolist()]
    by_id = plan.priorities_by_id.tolist()
    lines += [f"PRIORITY {name} {value}" for name, value in zip(left, by_id, strict=True)]
    data = "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
    return DagFile(
        {path.with_name(SUBMIT): _DESCRIPTION, path: data},
        path.parent,
        {name: task for task, name in enumerate(left)},
        [name for name, is_done in zip(names, workflow.done, strict=True) if is_done],
    )


def _job_names(workflow: Workflow) -> list[str]:
    """Return the names of all tasks as DAGMan takes them: other names become numbers."""
    taken: set[str] = set()
    names = []
    for task, given in enumerate(map(str, workflow.names)):
        name = given if is_job_name(given) and given not in taken else f"task-{task}"
        while name in taken:
            name += "-"
        taken.add(name)
        names.append(name)
    return names


def _dependencies(workflow: Workflow, names: Sequence[str]) -> Iterator[str]:
    """Yield one line for each parent: lines of several parents make DAGMan add join nodes."""
    rows = workflow.whole.child_rows
    children = rows.targets.tolist()
    for task, (start, stop) in enumerate(pairwise(rows.offsets.tolist())):
        if start < stop:
            yield f"PARENT {names[task]} CHILD {' '.join(names[c] for c in children[start:stop])}"


@dataclass(frozen=True)
class _Writer:
    """Writes commands as variables of `SUBMIT`; *base* is the directory of the workflow file."""

    base: Path
    directory: Path

    def job(self, task: int, name: str, command: Command | None) -> list[str]:
        """Return the lines of one job."""
        if command is None:
            return [f"JOB {name} {_NO_DESCRIPTION} NOOP"]
        submit = str(self.directory / SUBMIT)
        variables = self._variables(task, name, command)
        said = " ".join(f'{key}="{_escaped(value)}"' for key, value in variables.items())
        if re.search(r"[\n\r\0]", said):
            raise EngineError(f"task {name}: HTCondor takes no words of several lines")
        return [f'JOB {name} "{submit}"', f"VARS {name} {said}"]

    def _variables(self, task: int, name: str, command: Command) -> dict[str, str]:
        inside = self.base / (command.directory or "")
        log = f"{re.sub(r'[^A-Za-z0-9_.-]', '_', name)[:100]}.{task}.log"
        printed = str(self.directory / LOGS / log)
        known = {key: os.environ[key] for key in _INHERITED if key in os.environ}
        pairs = {**known, **dict(command.environment)}.items()
        return {
            "program": _plain(_program(name, command.program, inside)),
            "words": _quoted(command.argv[1:]),
            "variables": _quoted([f"{key}={value}" for key, value in pairs]),
            "inside": _plain(str(inside)),
            "reads": self._file(command.stdin),
            "prints": self._file(command.stdout or printed),
            "complains": self._file(command.stderr or printed),
        }

    def _file(self, name: str | None) -> str:
        return _plain(str(self.base / name)) if name else ""


def _program(task: str, program: str, inside: Path) -> str:
    """Return the full path of a program; raises EngineError if there is none."""
    path = str(inside / program) if "/" in program else shutil.which(program)
    if path is None or not os.access(path, os.X_OK):
        raise EngineError(f"task {task}: no such program: {program}")
    return path


def _escaped(value: str) -> str:
    """Return a value as all versions of DAGMan read it in VARS."""
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _plain(text: str) -> str:
    return text.replace("$", "$(DOLLAR)")


def _quoted(words: Sequence[str]) -> str:
    """Return words in HTCondor's new syntax."""
    quoted = " ".join("'" + word.replace("'", "''") + "'" for word in words)
    return _plain('"' + quoted.replace('"', '""') + '"') if words else ""
