"""Workflows as scripts that submit jobs to Slurm, and orders written into them."""

import shlex
from collections.abc import Sequence

import numpy as np

from icsched.errors import ArgumentError, FormatError
from icsched.files import Change
from icsched.formats.command_line import command_of, command_text
from icsched.formats.facts import Edit, edited, said, written_names
from icsched.formats.port import Writing
from icsched.formats.requests import needs_by_task
from icsched.formats.slurm.reader import MOST_NICE, NOTHING, STREAMS, Job, SlurmSource
from icsched.formats.slurm.resources import options_for
from icsched.workflow import Command, Workflow

_SCRIPT = "task.sh"  # the command of a task without a known command


def changes(workflow: Workflow, order: Sequence[int], _options: Writing) -> Sequence[Change]:
    """Return the change that gives each job its place in the order as ``--nice``.

    Slurm runs a job with a smaller number first. Users may only set numbers that are not negative.
    """
    if not isinstance(workflow.source, SlurmSource):
        raise ArgumentError("expected a workflow that was read from a script of sbatch lines")
    text, jobs = workflow.source.text, workflow.source.jobs
    [path] = workflow.files
    edits = [_edit(jobs[task], nice) for nice, task in enumerate(order)]
    return [Change(path, text.encode(), edited(text, edits).encode())]


def _edit(job: Job, nice: int) -> Edit[str]:
    if job.nice is not None:
        return job.nice.start, job.nice.end, f"--nice={nice}"
    return job.after, job.after, f" --nice={nice}"


def takes_name(name: str) -> bool:
    """Whether *name* can be a job name in Slurm: printable, with no blanks at the ends."""
    return bool(name) and name.isprintable() and name == name.strip()


def slurm_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    r"""Return a workflow as a shell script that submits each task after its parents.

    The commands are given by ``--wrap``. A task without a known command runs ``task.sh NAME``.
    Priorities become ``--nice``, 0 for the largest.

    >>> from icsched.dag import Dag
    >>> print(slurm_text(Workflow(Dag({"a": [], "b": ["a"]}))), end="")
    #!/bin/sh
    set -e
    j1=$(sbatch --parsable --job-name=a task.sh a)
    j2=$(sbatch --parsable --job-name=b --dependency=afterok:$j1 task.sh b)
    """
    names = written_names(workflow, path, takes_name, "printable text")
    lines = ["#!/bin/sh", *(f"# {line}" for line in title.splitlines()), "set -e"]
    nice, commands = _nice(workflow, path), _commands(workflow, path)
    parents, needs = workflow.dag.parent_rows, needs_by_task(workflow)
    for task in _submitting_order(workflow):
        after = "".join(f":$j{parent + 1}" for parent in parents[task].tolist())
        words = ["sbatch --parsable", f"--job-name={shlex.quote(names[task])}"]
        words += [f"--dependency=afterok{after}"] if after else []
        words += [f"--nice={nice[task]}"] if task in nice else []
        words += map(shlex.quote, options_for(needs[task]))
        words += commands[task] if commands else [f"{_SCRIPT} {shlex.quote(names[task])}"]
        lines.append(f"j{task + 1}=$({' '.join(words)})")
    return "".join(f"{line}\n" for line in lines)


def _submitting_order(workflow: Workflow) -> list[int]:
    """Return the tasks in the order of their ids, if no parent comes after a child."""
    arcs = workflow.dag.arcs
    if (arcs[:, 0] < arcs[:, 1]).all():
        return list(range(len(workflow.dag)))
    return list(map(int, workflow.dag.fifo_order))


def _nice(workflow: Workflow, path: str) -> dict[int, int]:
    given = dict(enumerate(said(workflow, "priorities")))
    priorities = {task: value for task, value in given.items() if value is not None}
    if workflow.priorities is not None and priorities:
        # Without --nice a job would run first; a task without a priority counts as priority 0.
        priorities |= {task: given[task] or 0 for task in np.flatnonzero(~workflow.done).tolist()}
    largest = max(priorities.values(), default=0)
    nice = {task: largest - priority for task, priority in priorities.items()}
    if max(nice.values(), default=0) > MOST_NICE:
        raise FormatError(path, None, f"priorities are more than {MOST_NICE:,} apart")
    return nice


def _commands(workflow: Workflow, path: str) -> list[list[str]] | None:
    known = workflow.commands
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
    """Return the value of an option, escaped so that Slurm does not read it as a pattern."""
    return value.replace("%", "%%") if option in STREAMS else value


def _wrapped(command: Command) -> str:
    """Return the text for a shell; text that is for a shell already is returned unchanged."""
    is_shell = command.argv[:2] == ("/bin/sh", "-c") and len(command.argv) == 3
    if is_shell and not command.environment and command_of(command.argv[2]) is None:
        return command.argv[2]
    return command_text(command)
