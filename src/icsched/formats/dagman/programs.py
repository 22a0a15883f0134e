"""What the jobs of a workflow run, for a program other than HTCondor that runs them in its place.

A submit description may say only what such a program can do: one job, one executable, files that
are found where the job runs. Anything else is an error, which names the file and the line. What a
pool does with a job, such as requirements, requests and retries, is not part of a command.
"""

import os
from contextlib import suppress
from dataclasses import replace

from icsched.errors import FormatError
from icsched.formats.dagman.flat import Flat
from icsched.formats.dagman.members import pool_settings
from icsched.formats.dagman.source import shortened
from icsched.formats.dagman.statements import Abort, Node, Script
from icsched.formats.dagman.submission import Job, Submission
from icsched.formats.dagman.submit import (
    DIRECTORY,
    REFUSED,
    REFUSED_STEMS,
    RENAMED,
    RETURNED,
    SENT,
    Description,
    Descriptions,
    argument_words,
    environment_pairs,
    executable,
    refusal,
    universe,
)
from icsched.formats.requests import requested
from icsched.workflow import Command

_NUMBER = "\1"  # stands for the number of a job, which only HTCondor knows
_NO_FILES = ("", "none", '""')
# Statements that commands, priorities and done jobs come from.
_IN_COLUMNS = ("DONE", "PRIORITY", "VARS", "SUBMIT-DESCRIPTION", "SUBMIT_DESCRIPTION")
_REFUSED = {
    **REFUSED,
    "noop_job": "a job that runs",
    "hold": "a job that is not submitted on hold",
    **dict.fromkeys(RENAMED, "files that keep their names"),
}


def commands_of(workflow: Submission) -> list[Command | None]:
    """Return what each job of ``workflow.dag`` runs; None for a NOOP job.

    Names of files are relative to the directory of the workflow's first file. Raises FormatError
    for what only HTCondor can run, unless the job is done.
    """
    for place in workflow.places:
        for statement in place.scope.directives:
            if isinstance(statement.command, Node):
                raise statement.error(f"{statement.command.kind} nodes are run by DAGMan alone")
        if weak := place.scope.first_weak:
            raise weak.error("WEAK parents are followed by DAGMan alone")
    jobs, descriptions = _jobs(workflow), Descriptions()
    base = os.path.dirname(workflow.roots[0].path)
    commands: list[Command | None] = []
    for job, is_done in zip(jobs, workflow.done.tolist(), strict=True):
        try:
            commands.append(_command(job, descriptions, base))
        except FormatError:
            if not is_done:
                raise
            commands.append(None)  # nobody will run it
    return commands


def outputs_of(workflow: Submission) -> list[list[str]]:
    """Return the files that HTCondor would bring back from each job, as the job calls them."""
    descriptions = Descriptions()
    outputs: list[list[str]] = []
    for job in _jobs(workflow):
        outputs.append([])
        if job.node.kind == "JOB" and not job.node.noop:
            with suppress(FormatError):  # of a job that is done: `commands_of` takes no other
                outputs[-1] = _listed(descriptions.of(job), RETURNED)
    return outputs


def left_out(workflow: Submission) -> list[str]:
    """Return what no column of a workflow holds: commands of DAGMan and of submit files, each once.

    Submit files that cannot be read are skipped.
    """
    found: dict[str, None] = {}
    for place in workflow.places:
        directives = place.scope.directives
        about_jobs = (statement for statement, _ in place.statements_about_jobs())
        for statement in (*directives, *about_jobs):
            found[statement.text.split(maxsplit=1)[0].upper()] = None
    for keyword in _IN_COLUMNS:
        found.pop(keyword, None)
    descriptions = Descriptions()
    for job in workflow.all_jobs:
        if job.node.kind == "JOB" and not job.node.noop:
            with suppress(FormatError):
                found.update((key, None) for key, _ in pool_settings(job, descriptions.of(job)))
    return [key for key in found if not requested(key)]  # `Workflow.needs` has these


def _jobs(workflow: Submission) -> list[Job]:
    """Return all jobs in order; raises FormatError if one file cannot name them all."""
    Flat(workflow)
    return workflow.all_jobs


def _command(job: Job, descriptions: Descriptions, base: str) -> Command | None:
    if job.node.kind != "JOB":
        raise job.error("expected a JOB, got a nested workflow (SUBDAG), which DAGMan alone runs")
    for said in job.said:
        modifier = said.modifier
        is_script = isinstance(modifier, Script) and modifier.when != "HOLD"
        if is_script or isinstance(modifier, Abort) or modifier.keyword == "TOLERANCE":
            got = shortened(modifier.text.head)
            raise said.statement.error(f"job {job.name}: only DAGMan can follow {got}")
    if job.node.noop:
        return None
    description = descriptions.of(job)
    try:
        return _described(job.directory, description, base)
    except FormatError as error:
        raise FormatError(error.path, error.line, f"job {job.name}: {error.problem}") from error


def _described(directory: str, description: Description, base: str) -> Command:
    universe(description)
    _check_settings(description)
    _check_transfers(description)
    given = os.path.join(directory, description.value(*DIRECTORY))
    inside = given.rstrip("/") or given[:1]  # the root of all directories ends in a slash
    pairs = (pair.partition("=") for pair in environment_pairs(description))
    program = _program(directory, description)
    # Outputs may have the number of the job in their names.
    numbers = dict.fromkeys(("cluster", "clusterid"), _NUMBER)
    numbered = replace(description, macros={**description.macros, **numbers})
    return Command(
        argv=(program, *argument_words(description)),
        directory=_from(base, inside) or None,
        environment=tuple((name, value) for name, _, value in pairs),
        stdin=_file(description, base, inside, "input", "stdin"),
        stdout=_file(numbered, base, inside, "output", "stdout"),
        stderr=_file(numbered, base, inside, "error", "stderr"),
    )


def _check_settings(description: Description) -> None:
    """Raise FormatError at a setting that changes what runs, in a way that only HTCondor can."""
    macros = description.referred
    for key, setting in description.settings.items():
        is_refused = key in _REFUSED or (key.startswith(REFUSED_STEMS) and key not in macros)
        if is_refused and description.expanded(setting).lower() not in ("", "0", "false"):
            raise refusal(key, setting, _REFUSED)


def _check_transfers(description: Description) -> None:
    """Raise FormatError if a transfer would give a file another name or place."""
    keeps_paths = description.value("preserve_relative_paths").lower() in ("true", "1", "yes")
    for names in (SENT, RETURNED):
        for name in _listed(description, names):
            is_same = not os.path.isabs(name) if keeps_paths else "/" not in name
            setting = description.setting(*names)
            if setting and (not is_same or "://" in name or name.endswith("/")):
                expected = "expected files that keep their names and directories"
                raise setting.error(f"{expected}, got a transfer of {shortened(name)}")


def _listed(description: Description, names: tuple[str, ...]) -> list[str]:
    text = description.value(*names)
    if text.lower() in _NO_FILES:
        return []
    return [name.strip() for name in text.strip('"').split(",") if name.strip()]


def _program(directory: str, description: Description) -> str:
    """Return how the program is called by a job in its own directory."""
    program = executable(directory, description)
    if os.path.isabs(program):
        return program
    if description.value(*DIRECTORY):  # the program is not relative to it
        return _absolute(program)
    return os.path.join(".", description.value("executable", "cmd"))


def _absolute(path: str) -> str:
    # Not abspath, which takes .. for the way back from a symbolic link.
    return os.path.join(os.getcwd(), path) if path else os.getcwd()


def _from(base: str, path: str) -> str:
    """Return *path*, of the directory where DAGMan starts, as seen from *base*; "" for itself."""
    if not base or path == base:
        return path if path != base else ""
    return path.removeprefix(f"{base}/") if path.startswith(f"{base}/") else _absolute(path)


def _file(description: Description, base: str, inside: str, *names: str) -> str | None:
    """Return the file of a standard stream; None if none is named, or one that has a number."""
    value = description.value(*names)
    if not value or _NUMBER in value:
        return None
    return _from(base, os.path.join(inside, value))
