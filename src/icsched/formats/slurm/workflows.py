"""Workflows as scripts that submit jobs to Slurm, and orders written into them."""

import shlex
from collections.abc import Sequence
from functools import partial

from icsched.errors import ArgumentError, FormatError
from icsched.files import Change, read_text
from icsched.formats.edits import Edit, edited
from icsched.formats.entry import NoOptions
from icsched.formats.found import Found, written_names
from icsched.formats.known import MOST_READ, whole_in
from icsched.formats.slurm.jobs import (
    NOTHING,
    STREAMS,
    Job,
    command_in,
    job_of,
    named,
    parents_of,
    shown,
    stream_in,
)
from icsched.formats.slurm.script import submissions
from icsched.formats.stated import said
from icsched.formats.words import command_of, command_text
from icsched.workflow import Command, Workflow

_MOST_NICE = 2_147_483_645  # of Slurm
_SCRIPT = "task.sh"  # what a task runs if nothing is known about it


def read_slurm(paths: Sequence[str], _options: NoOptions) -> Workflow[str]:
    """Return the workflow that a script of sbatch lines submits.

    No shell reads the script. A line is a comment, an sbatch command, or ``name=$(sbatch ...)``,
    and ``--dependency`` has the names of such variables. A priority is the negative of ``--nice``.
    Raises FormatError with file and line for all other lines.
    """
    [path] = paths
    found = Found(path, read_text(path, MOST_READ))
    jobs = [job_of(line, found) for line in submissions(found)]
    named(jobs, found)
    jobs_in: dict[str, int] = {}
    for job in jobs:
        task = found.task(job.name)
        for parent in parents_of(job, jobs_in, found):
            found.arc(parent, task, job.line.start)
        if job.line.variable:
            jobs_in[job.line.variable] = task
        _note(job, task, found)
    return found.workflow("slurm", (found.text, jobs), partial(_commands_in, jobs, found))


def _commands_in(jobs: list[Job], found: Found) -> list[Command | None]:
    return [command_in(job, found) for job in jobs]


def _note(job: Job, task: int, found: Found) -> None:
    if job.nice is not None:
        nice = job.options["nice"]
        try:
            number = whole_in(nice.text, -_MOST_NICE, _MOST_NICE)
        except ValueError as error:
            problem = f"--nice: expected {error}, got {shown(nice.text)!r}"
            raise found.error(nice.start, problem) from None
        found.say("priority", task, str(-number), nice.start)
    for option in STREAMS:
        if option in job.options and stream_in(job.options[option]) is None:
            told = "icsched does not read names of files with variables, or patterns such as %j"
            found.remark(told, job.options[option].start)
    if "array" in job.options:
        found.remark("an array of jobs counts as one task", job.line.start)


def changes(workflow: Workflow, order: Sequence[int]) -> Sequence[Change]:
    """Return the change that gives each job its place in the order as ``--nice``.

    Slurm runs a job with a smaller number first. Users may only set numbers that are not negative.
    """
    if not isinstance(workflow.parsed, tuple):
        raise ArgumentError("expected a workflow that was read from a script of sbatch lines")
    text, jobs = workflow.parsed
    [path] = workflow.files
    edits = [_edit(jobs[task], nice) for nice, task in enumerate(order)]
    return [Change(path, text.encode(), edited(text, edits).encode())]


def _edit(job: Job, nice: int) -> Edit[str]:
    if job.nice is not None:
        return job.nice.start, job.nice.end, f"--nice={nice}"
    return job.line.after, job.line.after, f" --nice={nice}"


def takes_name(name: str) -> bool:
    """Whether Slurm takes *name* for a job: text that can be printed, with no blanks around it."""
    return bool(name) and name.isprintable() and name == name.strip()


def slurm_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    r"""Return a workflow as a shell script that submits each task after its parents.

    The commands are given by ``--wrap``. A task without a known command runs ``task.sh NAME``.
    Priorities become ``--nice``, 0 for the largest.

    >>> from icsched.dag import Dag
    >>> print(slurm_text(Workflow.bare(Dag({"a": [], "b": ["a"]}))), end="")
    #!/bin/sh
    set -e
    j1=$(sbatch --parsable --job-name=a task.sh a)
    j2=$(sbatch --parsable --job-name=b --dependency=afterok:$j1 task.sh b)
    """
    names = written_names(workflow, path, takes_name, "printable text")
    lines = ["#!/bin/sh", *(f"# {line}" for line in title.splitlines()), "set -e"]
    nice, commands = _nice(workflow, path), _commands(workflow, path)
    parents = workflow.whole.parent_rows
    for task in _submitting_order(workflow):
        after = "".join(f":$j{parent + 1}" for parent in parents[task].tolist())
        words = ["sbatch --parsable", f"--job-name={shlex.quote(names[task])}"]
        words += [f"--dependency=afterok{after}"] if after else []
        words += [f"--nice={nice[task]}"] if task in nice else []
        words += commands[task] if commands else [f"{_SCRIPT} {shlex.quote(names[task])}"]
        lines.append(f"j{task + 1}=$({' '.join(words)})")
    return "".join(f"{line}\n" for line in lines)


def _submitting_order(workflow: Workflow) -> list[int]:
    """Return the tasks in the order of their ids, if no parent comes after a child."""
    arcs = workflow.whole.arcs
    if (arcs[:, 0] < arcs[:, 1]).all():
        return list(range(len(workflow.whole)))
    return list(map(int, workflow.whole.fifo_order))


def _nice(workflow: Workflow, path: str) -> dict[int, int]:
    given = dict(enumerate(said(workflow, "priorities")))
    priorities = {task: value for task, value in given.items() if value is not None}
    if workflow.priorities is not None and priorities:
        # Without --nice a job would come first; without a priority it comes as one of 0.
        priorities |= {task: given[task] or 0 for task in workflow.left.tolist()}
    largest = max(priorities.values(), default=0)
    nice = {task: largest - priority for task, priority in priorities.items()}
    if max(nice.values(), default=0) > _MOST_NICE:
        raise FormatError(path, None, f"priorities are more than {_MOST_NICE:,} apart")
    return nice


def _commands(workflow: Workflow, path: str) -> list[list[str]] | None:
    known = workflow.all_commands
    return None if known is None else [_words(command, path) for command in known]


def _words(command: Command | None, path: str) -> list[str]:
    """Return the options that have Slurm run *command*."""
    if command is None:
        return [f"--wrap={NOTHING}"]
    error = command.stderr if command.stderr != command.stdout else None
    given = {
        "chdir": command.directory,
        "input": command.as_seen_inside(command.stdin, path),
        "output": command.as_seen_inside(command.stdout, path),
        "error": command.as_seen_inside(error, path),
    }
    words = [f"--{name}={shlex.quote(_spelled(name, v))}" for name, v in given.items() if v]
    return [*words, f"--wrap={shlex.quote(_wrapped(command))}"]


def _spelled(option: str, value: str) -> str:
    """Return the value of an option, so that Slurm takes no part of it for a pattern."""
    return value.replace("%", "%%") if option in STREAMS else value


def _wrapped(command: Command) -> str:
    """Return the text for a shell; what is for a shell already needs no second one."""
    is_shell = command.argv[:2] == ("/bin/sh", "-c") and len(command.argv) == 3
    if is_shell and not command.environment and command_of(command.argv[2]) is None:
        return command.argv[2]
    return command_text(command)
