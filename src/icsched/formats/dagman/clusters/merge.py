"""What the members of a cluster ask for, merged into what the cluster asks for."""

import re
from collections.abc import Iterator, Mapping, Sequence

from icsched.errors import MemberError
from icsched.formats.dagman.clusters.member import Member, Wish, about
from icsched.formats.dagman.commands import Abort, Category, Done, Priority, Retry, Vars
from icsched.formats.dagman.described import Job
from icsched.formats.dagman.modifiers import AboutJob
from icsched.formats.dagman.source import shortened

_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]*)?)[ \t]*([KMGT]?)(?:I?B)?", re.IGNORECASE)
_UNITS = {"K": 1, "M": 2, "G": 3, "T": 4}
_USUAL_UNIT = {"request_memory": "M", "request_disk": "K"}
_SIZE = "my.icschedclustersize"  # of a member that is a cluster itself: the new cluster has its own
# What a cluster can take from its jobs; VARS, PRIORITY and DONE are handled elsewhere.
_MERGED = (Abort, Category, Retry, Vars, Priority, Done)


def job_statements(name: str, jobs: Sequence[Job]) -> Iterator[str]:
    """Yield the lines that say about cluster *name* what is said about its *jobs*.

    RETRY counts for the cluster as a whole: its number is the largest of its jobs'. ABORT-DAG-ON
    and CATEGORY must be the same for all. Raises MemberError at any other statement.
    """
    said = {job.name: {one.modifier.command: one for one in job.said} for job in jobs}
    for job, words in said.items():
        for command, one in words.items():
            if not isinstance(one.modifier, _MERGED):
                expected = f"{command} cannot be used for a job in a cluster of several"
                raise _error(job, one, expected)
    yield from _retry(name, {job: said[job]["RETRY"] for job in said if "RETRY" in said[job]})
    for command in ("ABORT_DAG_ON", "CATEGORY"):
        line = _same_in_all(jobs, {job: words.get(command) for job, words in said.items()})
        if line:
            yield f"{command.replace('_', '-')} {name} {line}"


def _error(job: str, said: AboutJob, expected: str) -> MemberError:
    """Return the error at a statement about *job*, with what was *expected* instead."""
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


def _value(said: AboutJob | None) -> str:
    """Return what a statement says about a job, as the line about its cluster says it."""
    if said and isinstance(said.modifier, Abort):
        return said.modifier.condition
    if said and isinstance(said.modifier, Category):
        return said.place.category(said.modifier.category)
    return ""


def _same_in_all(jobs: Sequence[Job], said: Mapping[str, AboutJob | None]) -> str:
    """Return what is said about all jobs, "" if nothing; raises MemberError if they differ."""
    values = {name: _value(one) for name, one in said.items()}
    first = jobs[0].name
    for name, got in values.items():
        if got != values[first]:
            one = said[name] or said[first]
            assert one is not None  # noqa: S101  one of two that differ
            expected = f"expected the same of the jobs {first} and {name} in one cluster"
            raise _error(name, one, expected)
    return values[first]


def submit_lines(members: Sequence[Member]) -> Iterator[str]:
    """Yield the lines of a cluster's submit description that come from its members.

    A cluster gets the largest request and all requirements. All other settings must be the same
    for all members.
    """
    running = [member for member in members if member.executable]
    if not running:
        return
    universe = _agreed("universe", [member.universe for member in running], running)
    yield f"universe = {universe}"
    for key in dict.fromkeys(key for member in running for key in member.wishes if key != _SIZE):
        wishes = [member.wishes[key] for member in running if key in member.wishes]
        if key.startswith("request_"):
            value = _largest(key, wishes)
        elif key == "requirements":
            value = _all_of(wishes)
        else:
            value = _agreed(key, wishes, running)
        name = f"+{key.removeprefix('my.')}" if key.startswith("my.") else key
        yield f"{name} = {value.replace('$', '$(DOLLAR)')}"


def _agreed(key: str, wishes: Sequence[Wish], members: Sequence[Member]) -> str:
    """Return the value that all members give; raises MemberError at one that differs."""
    first = wishes[0]
    for wish in wishes:
        if wish.value != first.value:
            expected = f"job {wish.job}: expected {key} = {shortened(first.value)}"
            problem = f"{expected}, as job {first.job} of the same cluster has, got {wish.value}"
            with about(wish.job):
                raise wish.setting.error(problem)
    if len(wishes) < len(members):
        without = next(one.name for one in members if one.name not in {w.job for w in wishes})
        expected = f"job {first.job}: {key} cannot be used: job {without} of its cluster"
        with about(first.job):
            raise first.setting.error(f"{expected} has none, got {shortened(first.value)}")
    return first.value


def _all_of(wishes: Sequence[Wish]) -> str:
    values = list(dict.fromkeys(wish.value for wish in wishes))
    return values[0] if len(values) == 1 else " && ".join(f"({value})" for value in values)


def _largest(key: str, wishes: Sequence[Wish]) -> str:
    """Return the largest of the amounts asked for, as it is written."""
    if len({wish.value for wish in wishes}) == 1:
        return wishes[0].value
    return max(wishes, key=lambda wish: _amount(key, wish)).value


def _amount(key: str, wish: Wish) -> float:
    match = _AMOUNT.fullmatch(wish.value)
    if not match:
        expected = f"job {wish.job}: expected a number for {key}, which jobs of its cluster differ"
        with about(wish.job):
            raise wish.setting.error(f"{expected} in, got {shortened(wish.value)}")
    unit = match[2].upper() or _USUAL_UNIT.get(key, "")
    return float(match[1]) * 1024.0 ** _UNITS.get(unit, 0)
