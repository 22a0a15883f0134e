"""One job of a workflow as a member of a cluster: what to run, and what it asks of the pool.

A shell script runs the members, in place of HTCondor, on a file system that the pool shares. So a
submit description may say only what that script can do. Anything else is an error, which names the
file and the line.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from icsched.errors import FormatError, MemberError
from icsched.formats.dagman.described import (
    UNIVERSES,
    Descriptions,
    Job,
    argument_words,
    executable,
    words,
)
from icsched.formats.dagman.source import shortened
from icsched.formats.dagman.submit import Description, Setting, environment

# What the script does itself, under all names that it has.
_OWN = {
    *("executable", "cmd", "environment", "env", "universe"),
    *("arguments", "args", "my.arguments"),
    *("input", "stdin", "output", "stdout", "error", "stderr"),
    *("initialdir", "initial_dir", "job_iwd", "iwd", "should_transfer_files"),
}
# What a cluster says itself, or what has no meaning if no file is transferred.
_DROPPED = {
    *("log", "log_xml", "dagman_log", "priority", "prio", "jobprio"),
    *("when_to_transfer_output", "transfer_executable", "transfer_input", "transfer_output"),
    *("transfer_error", "stream_input", "stream_output", "stream_error"),
}
_REFUSED = {
    "arguments2": "arguments",
    "environment2": "environment",
    "env2": "environment",
    "success_exit_code": "success to be exit code 0",
    "checkpoint_exit_code": "no checkpoints",
    **dict.fromkeys(
        ("kill_sig", "remove_kill_sig", "hold_kill_sig"), "SIGTERM to be what ends a job"
    ),
    **dict.fromkeys(
        ("allowed_execute_duration", "allowed_job_duration"),
        "no limit on one job's time, because the jobs of a cluster share one",
    ),
    **dict.fromkeys(
        (
            *("transfer_input_files", "transferinputfiles", "transferinput", "public_input_files"),
            *("transfer_output_files", "transferoutputfiles", "transferoutput"),
            *("transfer_output_remaps", "output_destination", "transfer_checkpoint_files"),
        ),
        "files on a file system that the pool shares: a cluster transfers none",
    ),
}
_REFUSED_STEMS = ("container_", "docker_", "vm_", "grid_", "java_", "ec2_", "gce_", "machine_count")
# Always commands. Others count as macros if a macro refers to them or VARS sets them.
_KNOWN = {
    *("accounting_group", "accounting_group_user", "batch_name", "concurrency_limits"),
    *("concurrency_limits_expr", "getenv", "hold", "job_lease_duration", "keep_claim_idle"),
    *("leave_in_queue", "max_retries", "nice_user", "notification", "notify_user"),
    *("on_exit_hold", "on_exit_remove", "periodic_hold", "periodic_release", "periodic_remove"),
    *("preferences", "rank", "require_gpus", "requirements", "retry_until"),
    *("use_oauth_services", "use_x509userproxy", "x509userproxy"),
}


@contextmanager
def about(job: str) -> Iterator[None]:
    """Turn a FormatError into the MemberError of *job*, unless it is about a missing file."""
    try:
        yield
    except FormatError as error:
        if isinstance(error, MemberError) or _is_missing(error):
            raise
        raise MemberError(error.path, error.line, error.problem, job) from error


def _is_missing(error: BaseException | None) -> bool:
    """Whether *error* was caused by a file that does not exist."""
    if error is None:
        return False
    return isinstance(error, FileNotFoundError | NotADirectoryError) or _is_missing(error.__cause__)


@dataclass(frozen=True, slots=True)
class Wish:
    """What one member asks of the pool, expanded."""

    value: str
    job: str
    setting: Setting


@dataclass(frozen=True, slots=True)
class Member:
    """What the script runs; names of files are relative to where DAGMan is started."""

    name: str
    directory: str
    executable: str  # "" for a job that does nothing
    arguments: tuple[str, ...]
    environment: tuple[str, ...]  # NAME=VALUE
    input: str
    output: str  # "" if the description names none
    error: str
    universe: Wish
    wishes: dict[str, Wish]  # by the names of commands


def as_member(job: Job, descriptions: Descriptions) -> Member:
    """Return *job* as a member of a cluster; raises MemberError if it cannot be one."""
    with about(job.name):
        return _described(job, descriptions)


def _described(job: Job, descriptions: Descriptions) -> Member:
    if job.node.kind != "JOB":
        problem = "expected a JOB in a cluster of several, got a nested workflow (SUBDAG)"
        raise job.error(problem)
    directory = job.directory
    if job.node.noop:
        idle = Wish("", job.name, Setting("", job.statement.source.path, job.statement.line))
        return Member(job.name, directory, "", (), (), "", "", "", idle, {})
    description = descriptions.of(job)
    try:
        return _member(job, directory, description)
    except FormatError as error:
        raise FormatError(error.path, error.line, f"job {job.name}: {error.problem}") from error


def _member(job: Job, directory: str, description: Description) -> Member:
    _check_transfer(description)
    inside = os.path.join(
        directory, description.value("initialdir", "initial_dir", "job_iwd", "iwd")
    )

    def file(*names: str) -> str:
        value = description.value(*names)
        return os.path.join(inside, value) if value else ""

    return Member(
        name=job.name,
        directory=inside,
        executable=executable(directory, description),
        arguments=tuple(argument_words(description)),
        environment=tuple(words(description, environment, "environment", "env")),
        input=file("input", "stdin") or os.devnull,
        output=file("output", "stdout"),
        error=file("error", "stderr"),
        universe=_universe(job, description),
        wishes=dict(_wishes(job, description)),
    )


def _check_transfer(description: Description) -> None:
    setting = description.setting("should_transfer_files")
    if setting and description.expanded(setting).upper() not in ("NO", "IF_NEEDED"):
        expected = "expected should_transfer_files = NO in a cluster of several, whose members"
        expected += " find their files on a file system that the pool shares"
        raise setting.error(f"{expected}, got {description.expanded(setting)}")


def _universe(job: Job, description: Description) -> Wish:
    setting = description.setting("universe", "jobuniverse")
    if not setting:
        return Wish("vanilla", job.name, Setting("", description.path, description.line))
    value = description.expanded(setting).lower()
    if value not in UNIVERSES:
        expected = f"expected one of the universes {', '.join(UNIVERSES)}"
        raise setting.error(f"{expected} in a cluster of several, got {value}")
    return Wish(value, job.name, setting)


def _wishes(job: Job, description: Description) -> Iterator[tuple[str, Wish]]:
    """Yield what HTCondor handles: requests, requirements, attributes and so on."""
    macros = description.referred | _only_in_vars(job, description)
    for key, setting in description.settings.items():
        if key in _OWN or key in _DROPPED or not setting.value:
            continue
        if key in _REFUSED or key.startswith(_REFUSED_STEMS):
            expected = _REFUSED.get(key, "a job that runs on the machine as it is")
            got = f"{key} = {shortened(setting.value)}"
            raise setting.error(f"expected {expected}, got {got}")
        if key not in macros or key in _KNOWN or key.startswith(("my.", "request_")):
            yield key, Wish(description.expanded(setting), job.name, setting)


def _only_in_vars(job: Job, description: Description) -> set[str]:
    """Return the settings that only VARS makes: most are macros, used or not."""
    said = {(one.statement.source.path, one.statement.line) for one in job.said}
    return {key for key, made in description.settings.items() if (made.path, made.line) in said}
