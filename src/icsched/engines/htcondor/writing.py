"""The DAGMan file that hands a workflow over to HTCondor, in the order of a plan."""

import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from icsched.commands import Command
from icsched.engines.configuration import pool_settings
from icsched.errors import ArgumentError, EngineError, FormatError
from icsched.formats.dagman.commands import Retry, Script
from icsched.formats.dagman.entry import submission_in
from icsched.formats.dagman.modifiers import statements_about_jobs
from icsched.formats.dagman.place import places
from icsched.formats.dagman.settings import refusal, strictness
from icsched.formats.dagman.submission import Submission
from icsched.formats.dagman.text import is_job_name, job_text
from icsched.formats.dagman.writer import copies, job_priorities, overridden
from icsched.orders import Plan
from icsched.workflow import Workflow

_INHERITED = ("PATH", "HOME")  # HTCondor gives its jobs no variables of its own accord
_NO_DESCRIPTION = "nothing.sub"  # of jobs that DAGMan does not submit
LOGS = "logs"


@dataclass(frozen=True)
class DagFile:
    """A DAGMan file, and what has to be known to follow its run."""

    files: Mapping[Path, bytes]  # the DAGMan file comes last
    start: Path  # the directory where DAGMan is started
    tasks: dict[str, int]  # id in ``workflow.dag`` of each job that is left to run
    done: Sequence[str] = ()  # jobs that were done before
    judged: frozenset[str] = frozenset()  # jobs with a POST script, which decides on their success
    retried: frozenset[str] = frozenset()  # jobs that DAGMan may run again after they failed
    logs: Mapping[int, Path] = field(default_factory=dict)  # what tasks print, if icsched chose

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
        return _of_dagman(workflow, submission, plan, path)
    if workflow.commands is None:
        raise ArgumentError("expected a workflow that says what its tasks run")
    return _of_commands(workflow, workflow.commands, plan, path)


# From DAGMan files


def _of_dagman(workflow: Workflow, submission: Submission, plan: Plan, path: Path) -> DagFile:
    by_file, root = submission.use_dag_directory, submission.roots[0].path
    if len(submission.roots) > 1 or (by_file and len(submission.read) > 1):
        expected = "expected one DAGMan file, started from where its files are found"
        raise EngineError(f"{root}: {expected}: icsched prio writes orders into several files")
    priorities = job_priorities(submission, _whole_order(workflow, submission, plan))
    is_told_twice = bool(overridden(submission, priorities, via="priority"))
    strict = strictness(submission, pool_settings()) if is_told_twice else None
    if strict:
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
        {str(name): task for task, name in enumerate(workflow.dag.names)},
        [str(name) for name, is_done in zip(workflow.names, workflow.done, strict=True) if is_done],
        frozenset(judged),
        frozenset(retried),
    )


def _whole_order(workflow: Workflow, submission: Submission, plan: Plan) -> list[int]:
    """Return an order of ``submission.dag``, in which jobs done since the files were read lead."""
    left = workflow.left[plan.order]
    place = np.cumsum(~submission.done) - 1  # ids of all jobs to ids of those left in the files
    since = set(place[workflow.done & ~submission.done].tolist())
    lead = [task for task in submission.dag.fifo_order.tolist() if task in since]
    return [*lead, *place[left].tolist()]


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
    wholes = workflow.left.tolist()
    for task, command in zip(wholes, commands, strict=True):
        lines.append(writer.job(task, names[task], command))
    lines += _dependencies(workflow, names)
    left = [names[task] for task in wholes]
    by_id = plan.priorities_by_id.tolist()
    lines += [f"PRIORITY {name} {value}" for name, value in zip(left, by_id, strict=True)]
    data = "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
    return DagFile(
        {path: data},
        path.parent,
        {name: task for task, name in enumerate(left)},
        [name for name, is_done in zip(names, workflow.done, strict=True) if is_done],
        logs={task: writer.log(whole, names[whole]) for task, whole in enumerate(wholes)},
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
    """Writes commands with full paths; *base* is the directory of the workflow file."""

    base: Path
    directory: Path

    def job(self, task: int, name: str, command: Command | None) -> str:
        """Return the lines of one job."""
        if command is None:
            return f"JOB {name} {_NO_DESCRIPTION} NOOP"
        try:
            placed = self._placed(task, name, command)
            return job_text(name, placed, str(self.directory / "workflow.dag"))
        except ValueError as error:
            raise EngineError(f"task {name}: {error}") from None

    def _placed(self, task: int, name: str, command: Command) -> Command:
        inside = self.base / (command.directory or "")
        printed = str(self.log(task, name))
        known = {key: os.environ[key] for key in _INHERITED if key in os.environ}
        return Command(
            (_program(name, command.program, inside), *command.argv[1:]),
            directory=str(inside),
            environment=tuple({**known, **dict(command.environment)}.items()),
            stdin=self._file(command.stdin),
            stdout=self._file(command.stdout or printed),
            stderr=self._file(command.stderr or printed),
        )

    def log(self, task: int, name: str) -> Path:
        """Return the file for what a task prints, if its command names none."""
        safe = re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:100]
        return self.directory / LOGS / f"{safe}.{task}.log"

    def _file(self, name: str | None) -> str | None:
        return str(self.base / name) if name else None


def _program(task: str, program: str, inside: Path) -> str:
    """Return the full path of a program; raises EngineError if there is none."""
    path = str(inside / program) if "/" in program else shutil.which(program)
    if path is None or not os.access(path, os.X_OK):
        raise EngineError(f"task {task}: no such program: {program}")
    return path
