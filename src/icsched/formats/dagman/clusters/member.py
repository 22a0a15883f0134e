"""One job of a workflow as a member of a cluster: what to run, and what it asks of the pool.

A shell script runs the members, in place of HTCondor, on a file system that the pool shares. So a
submit description may say only what that script can do. Anything else is an error, which names the
file and the line.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from icsched.errors import FormatError, MemberError
from icsched.formats.dagman.clusters.submit import (
    Description,
    Setting,
    arguments,
    canonical,
    environment,
    parsed,
    read_submit_file,
)
from icsched.formats.dagman.commands import Command, Node, Vars
from icsched.formats.dagman.modifiers import AboutJob
from icsched.formats.dagman.place import Place
from icsched.formats.dagman.source import Statement, shortened

_Reader = Callable[[Setting, str], list[str]]

_UNIVERSES = ("vanilla", "local", "scheduler")
# What the script does itself, under all names that it has.
_OWN = {
    *("executable", "cmd", "arguments", "args", "environment", "env", "universe"),
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


@dataclass
class Job:
    """A job with everything that the workflow's files say about it."""

    place: Place
    statement: Statement
    name: str
    said: list[AboutJob] = field(default_factory=list)

    @cached_property
    def node(self) -> Node:
        """What its JOB statement says."""
        return self.statement.source.node(self.statement.number)

    def error(self, problem: str) -> FormatError:
        """Return the error that reports *problem* at the job's statement."""
        return self.statement.error(f"job {self.name}: {problem}")


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


class Descriptions:
    """The submit descriptions of a workflow, each read once."""

    def __init__(self) -> None:
        self._files: dict[str, Description] = {}
        self._inline: dict[tuple[int, int], Description] = {}

    def of(self, job: Job) -> Description:
        """Return a job's description, with its variables; raises FormatError."""
        before, after = _variables(job)
        return self._plain(job).of_job(job.name, before, after)

    def _plain(self, job: Job) -> Description:
        submit, scope = job.node.submit, job.place.scope
        if not submit:
            return self._inside(job.statement, job.node)
        if submit in scope.descriptions:
            named = scope.descriptions[submit]
            return self._inside(named, named.command)
        path = os.path.join(_directory(job), submit)
        if path not in self._files:
            try:
                self._files[path] = read_submit_file(path)
            except FormatError as error:
                if error.line is not None:
                    raise
                raise job.error(f"{path}: {error.problem}") from error
        return self._files[path]

    def _inside(self, statement: Statement, command: Command) -> Description:
        """Return a description that is inside a DAGMan file."""
        source, text = statement.source, command.text
        key = id(source), statement.number
        if key not in self._inline:
            first = statement.line + text.head_lines
            self._inline[key] = parsed(source.path, text.body, first)
        return self._inline[key]


def _directory(job: Job) -> str:
    return os.path.join(job.place.directory_of(job.statement.source), job.node.directory)


def _variables(job: Job) -> tuple[list[tuple[str, Setting]], list[tuple[str, Setting]]]:
    """Return what VARS sets before the description, and after it."""
    before: list[tuple[str, Setting]] = []
    after: list[tuple[str, Setting]] = []
    for said in job.said:
        if isinstance(said.modifier, Vars):
            statement, variables = said.statement, said.modifier.variables
            if variables is None:
                problem = "expected quotes that all versions of DAGMan read alike"
                _, rest = said.modifier.around_name
                raise statement.error(f"{problem}, got {shortened(rest)!r}")
            found = (after if variables.place == "APPEND" else before).append
            for key, value in variables.pairs:
                # DAGMan itself puts the name of the job into VARS.
                found((canonical(key), Setting(value, statement.source.path, statement.line)))
    return before, after


def as_member(job: Job, descriptions: Descriptions) -> Member:
    """Return *job* as a member of a cluster; raises MemberError if it cannot be one."""
    with about(job.name):
        return _described(job, descriptions)


def _described(job: Job, descriptions: Descriptions) -> Member:
    if job.node.kind != "JOB":
        problem = "expected a JOB in a cluster of several, got a nested workflow (SUBDAG)"
        raise job.error(problem)
    directory = _directory(job)
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
        executable=_executable(directory, description),
        arguments=tuple(_words(description, arguments, "arguments", "args")),
        environment=tuple(_words(description, environment, "environment", "env")),
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


def _executable(directory: str, description: Description) -> str:
    setting = description.setting("executable", "cmd")
    if not setting:
        raise FormatError(description.path, description.line, "expected an executable, got none")
    value = description.expanded(setting)
    transferred = description.value("transfer_executable").upper() not in ("FALSE", "NO", "0")
    if not transferred and not os.path.isabs(value):
        expected = "expected an absolute name of an executable that is not transferred"
        raise setting.error(f"{expected}, got {value}")
    return os.path.join(directory, value)


def _words(description: Description, reader: _Reader, *names: str) -> list[str]:
    setting = description.setting(*names)
    return reader(setting, description.expanded(setting)) if setting else []


def _universe(job: Job, description: Description) -> Wish:
    setting = description.setting("universe", "jobuniverse")
    if not setting:
        return Wish("vanilla", job.name, Setting("", description.path, description.line))
    value = description.expanded(setting).lower()
    if value not in _UNIVERSES:
        expected = f"expected one of the universes {', '.join(_UNIVERSES)}"
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
