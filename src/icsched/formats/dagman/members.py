"""Jobs as members of a cluster: what to run, and what a cluster asks for because its members do.

A shell script runs the members, in place of HTCondor, on a file system that the pool shares. So a
submit description may say only what that script can do. Anything else is an error, which names the
file and the line.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from icsched.errors import FormatError, MemberError
from icsched.formats.dagman.source import shortened
from icsched.formats.dagman.statements import Abort, Category, Retry
from icsched.formats.dagman.submission import AboutJob, Job
from icsched.formats.dagman.submit import (
    DIRECTORY,
    REFUSED,
    REFUSED_STEMS,
    RENAMED,
    RETURNED,
    SENT,
    Description,
    Descriptions,
    Setting,
    argument_words,
    environment_pairs,
    executable,
    refusal,
    universe,
)

# What the script does itself, under all names that it has.
_OWN = {
    *("executable", "cmd", "environment", "env", "universe"),
    *("arguments", "args", "my.arguments"),
    *("input", "stdin", "output", "stdout", "error", "stderr"),
    *(*DIRECTORY, "should_transfer_files"),
}
# What a cluster says itself, or what has no meaning if no file is transferred.
_DROPPED = {
    *("log", "log_xml", "dagman_log", "priority", "prio", "jobprio"),
    *("when_to_transfer_output", "transfer_executable", "transfer_input", "transfer_output"),
    *("transfer_error", "stream_input", "stream_output", "stream_error"),
}
_REFUSED = {
    **REFUSED,
    **dict.fromkeys(
        ("kill_sig", "remove_kill_sig", "hold_kill_sig"), "SIGTERM to be what ends a job"
    ),
    **dict.fromkeys(
        ("allowed_execute_duration", "allowed_job_duration"),
        "no limit on one job's time, because the jobs of a cluster share one",
    ),
    **dict.fromkeys(
        (*SENT, *RETURNED, *RENAMED),
        "files on a file system that the pool shares: a cluster transfers none",
    ),
}
# Always commands. Others count as macros if a macro refers to them or VARS sets them.
_KNOWN = {
    *("accounting_group", "accounting_group_user", "batch_name", "concurrency_limits"),
    *("concurrency_limits_expr", "getenv", "hold", "job_lease_duration", "keep_claim_idle"),
    *("leave_in_queue", "max_retries", "nice_user", "notification", "notify_user"),
    *("on_exit_hold", "on_exit_remove", "periodic_hold", "periodic_release", "periodic_remove"),
    *("preferences", "rank", "require_gpus", "requirements", "retry_until"),
    *("use_oauth_services", "use_x509userproxy", "x509userproxy"),
}
_STEMS = ("my.", "request_", *REFUSED_STEMS)  # of other commands
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]*)?)[ \t]*([KMGT]?)(?:I?B)?", re.IGNORECASE)
_UNITS = {"K": 1, "M": 2, "G": 3, "T": 4}
_USUAL_UNIT = {"request_memory": "M", "request_disk": "K"}
_SIZE = "my.icschedclustersize"  # of a member that is a cluster itself: the new cluster has its own
# What a cluster can take from its jobs; VARS, PRIORITY and DONE are handled elsewhere.
_MERGED = {"ABORT_DAG_ON", "CATEGORY", "RETRY", "VARS", "PRIORITY", "DONE"}


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

    def error(self, problem: str) -> MemberError:
        """Return the error that reports *problem* at this setting."""
        where, line = self.setting.path, self.setting.line
        return MemberError(where, line, f"job {self.job}: {problem}", self.job)


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
    wishes: dict[str, Wish]  # by the names of commands


def as_member(job: Job, descriptions: Descriptions) -> Member:
    """Return *job* as a member of a cluster.

    Raises MemberError if it cannot be one, but FormatError if a file does not exist.
    """
    where = ""
    try:
        if job.node.kind != "JOB":
            problem = "expected a JOB in a cluster of several, got a nested workflow (SUBDAG)"
            raise job.error(problem)
        if job.node.noop:
            return Member(job.name, job.directory, "", (), (), "", "", "", {})
        description = descriptions.of(job)
        where = f"job {job.name}: "
        return _member(job, description)
    except FormatError as error:
        if _is_missing(error):
            raise
        raise MemberError(error.path, error.line, where + error.problem, job.name) from error


def _member(job: Job, description: Description) -> Member:
    transfer = description.setting("should_transfer_files")
    if transfer and (got := description.expanded(transfer)).upper() not in ("NO", "IF_NEEDED"):
        raise transfer.error(
            "expected should_transfer_files = NO in a cluster of several, whose members"
            f" find their files on a file system that the pool shares, got {got}"
        )
    inside = os.path.join(job.directory, description.value(*DIRECTORY))

    def file(*names: str) -> str:
        value = description.value(*names)
        return os.path.join(inside, value) if value else ""

    return Member(
        name=job.name,
        directory=inside,
        executable=executable(job.directory, description),
        arguments=tuple(argument_words(description)),
        environment=tuple(environment_pairs(description)),
        input=file("input", "stdin") or os.devnull,
        output=file("output", "stdout"),
        error=file("error", "stderr"),
        wishes=dict(_wishes(job, description)),
    )


def _wishes(job: Job, description: Description) -> Iterator[tuple[str, Wish]]:
    """Yield what HTCondor handles: the universe, requests, requirements, attributes and so on."""
    found = universe(description, where=" in a cluster of several")
    value, setting = found or ("vanilla", Setting("", description.path, description.line))
    yield "universe", Wish(value, job.name, setting)
    for key, setting in pool_settings(job, description):
        if key in _REFUSED or key.startswith(REFUSED_STEMS):
            raise refusal(key, setting, _REFUSED)
        yield key, Wish(description.expanded(setting), job.name, setting)


def pool_settings(job: Job, description: Description) -> Iterator[tuple[str, Setting]]:
    """Yield the settings that are neither a part of the job's command nor macros."""
    said = {(one.statement.source.path, one.statement.line) for one in job.said}
    by_vars = {key for key, one in description.settings.items() if (one.path, one.line) in said}
    macros = description.referred | by_vars  # most variables are macros, used or not
    for key, setting in description.settings.items():
        if key in _OWN or key in _DROPPED or not setting.value:
            continue
        if key not in macros or key in _KNOWN or key in _REFUSED or key.startswith(_STEMS):
            yield key, setting


def job_statements(name: str, jobs: Sequence[Job]) -> Iterator[str]:
    """Yield the lines that say about cluster *name* what is said about its *jobs*.

    RETRY gets the largest number of all jobs. ABORT-DAG-ON and CATEGORY must be the same for all.
    Raises MemberError at any other statement.
    """
    said = {job.name: {one.statement.keyword: one for one in job.said} for job in jobs}
    for job, statements in said.items():
        for keyword, one in statements.items():
            if keyword not in _MERGED:
                expected = f"{keyword} cannot be used for a job in a cluster of several"
                raise _error(job, one, expected)
    yield from _retry(name, {job: said[job]["RETRY"] for job in said if "RETRY" in said[job]})
    for command in ("ABORT_DAG_ON", "CATEGORY"):
        line = _same_in_all(jobs, {job: said[job].get(command) for job in said})
        if line:
            yield f"{command.replace('_', '-')} {name} {line}"


def _error(job: str, said: AboutJob, expected: str) -> MemberError:
    problem = f"{expected}, got {shortened(said.modifier.text.head)}"
    error = said.statement.error(problem)
    return MemberError(error.path, error.line, error.problem, job)


def _retry(name: str, said: Mapping[str, AboutJob]) -> Iterator[str]:
    """Yield one RETRY for all; raises MemberError if they end at different exit codes."""
    retries = [one.modifier for one in said.values() if isinstance(one.modifier, Retry)]
    for (job, one), retry in zip(said.items(), retries, strict=True):
        if retry.limit != retries[0].limit:
            limit = retries[0].limit or "without UNLESS-EXIT"
            raise _error(job, one, f"expected RETRY {limit} as in the same cluster")
    if count := max((retry.count for retry in retries), default=0):
        yield f"RETRY {name} {count} {retries[0].limit}".rstrip()


def _same_in_all(jobs: Sequence[Job], said: Mapping[str, AboutJob | None]) -> str:
    """Return what is said about all jobs, "" if nothing; raises MemberError if they differ."""
    first, values = jobs[0].name, dict.fromkeys(said, "")
    for name, one in said.items():
        if one and isinstance(one.modifier, Abort):
            values[name] = one.modifier.condition
        elif one and isinstance(one.modifier, Category):
            values[name] = one.place.category(one.modifier.category)
        if values[name] != values[first]:
            differs = one or said[first]
            assert differs is not None  # noqa: S101  one of two that differ
            expected = f"expected the same of the jobs {first} and {name} in one cluster"
            raise _error(name, differs, expected)
    return values[first]


def submit_lines(members: Sequence[Member]) -> Iterator[str]:
    """Yield what a cluster asks for: the largest requests, all requirements, settings of all."""
    running = [member for member in members if member.executable]
    for key in dict.fromkeys(key for member in running for key in member.wishes if key != _SIZE):
        wishes = [member.wishes[key] for member in running if key in member.wishes]
        values = list(dict.fromkeys(wish.value for wish in wishes))
        if key != "requirements" and not key.startswith("request_"):
            value = _agreed(key, wishes, running)
        elif len(values) == 1:
            value = values[0]
        elif key == "requirements":
            value = " && ".join(f"({one})" for one in values)
        else:  # the largest, as it is written
            value = max(wishes, key=partial(_amount, key)).value
        name = f"+{key.removeprefix('my.')}" if key.startswith("my.") else key
        yield f"{name} = {value.replace('$', '$(DOLLAR)')}"


def _agreed(key: str, wishes: Sequence[Wish], members: Sequence[Member]) -> str:
    """Return the value that all members give; raises MemberError at one that differs."""
    first = wishes[0]
    for wish in wishes:
        if wish.value != first.value:
            expected = f"{key} = {shortened(first.value)}, as job {first.job} of the same cluster"
            raise wish.error(f"expected {expected} has, got {wish.value}")
    if len(wishes) < len(members):
        without = next(one.name for one in members if one.name not in {w.job for w in wishes})
        problem = f"{key} cannot be used: job {without} of its cluster has none"
        raise first.error(f"{problem}, got {shortened(first.value)}")
    return first.value


def _amount(key: str, wish: Wish) -> float:
    match = _AMOUNT.fullmatch(wish.value)
    if not match:
        expected = f"expected a number for {key}, which jobs of its cluster differ in"
        raise wish.error(f"{expected}, got {shortened(wish.value)}")
    unit = match[2].upper() or _USUAL_UNIT.get(key, "")
    return float(match[1]) * 1024.0 ** _UNITS.get(unit, 0)
