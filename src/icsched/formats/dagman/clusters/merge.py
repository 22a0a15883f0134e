"""What the members of a cluster ask for, made into what the cluster asks for."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from icsched.errors import MemberError
from icsched.formats.dagman.clusters.member import Job, Member, Wish, about
from icsched.formats.dagman.commands import integer
from icsched.formats.dagman.said import Statement
from icsched.formats.dagman.source import shortened

_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]*)?)[ \t]*([KMGT]?)(?:I?B)?", re.IGNORECASE)
_UNITS = {"K": 1, "M": 2, "G": 3, "T": 4}
_USUAL_UNIT = {"request_memory": "M", "request_disk": "K"}
_SIZE = "my.icschedclustersize"  # of a member that is a cluster itself: the new one has its own
_MERGED = {"VARS", "PRIORITY", "DONE"}  # done elsewhere


def job_statements(name: str, jobs: Sequence[Job]) -> Iterator[str]:
    """Yield the lines that say of cluster *name* what is said of its *jobs*.

    RETRY counts for the cluster as a whole: the largest number of its jobs. ABORT-DAG-ON and
    CATEGORY must be the same for all. Raises MemberError at any other statement.
    """
    said = {job.name: {one.command.command: one for one in job.said} for job in jobs}
    for job, words in said.items():
        for command, one in words.items():
            if command not in _MERGED | {"RETRY", "ABORT_DAG_ON", "CATEGORY"}:
                expected = f"expected no {command} for a job in a cluster of several"
                raise _error(job, one, f"{expected}, got {shortened(one.head)}")
    yield from _retry(name, {job: said[job]["RETRY"] for job in said if "RETRY" in said[job]})
    for command, value in (("ABORT_DAG_ON", _abort), ("CATEGORY", _category)):
        line = _same_in_all(jobs, {job: words.get(command) for job, words in said.items()}, value)
        if line:
            yield f"{command.replace('_', '-')} {name} {line}"


def _error(job: str, said: Statement, problem: str) -> MemberError:
    """Return the error that says *problem* of what is said of *job*."""
    error = said.source.error(said.statement, problem)
    return MemberError(error.path, error.line, error.problem, job)


def _retry(name: str, said: Mapping[str, Statement]) -> Iterator[str]:
    """Yield one RETRY for all; raises MemberError if they end at different exit codes."""
    wanted = {job: re.split(r"[ \t]+", one.head) for job, one in said.items()}
    counts = [integer(words[2]) for words in wanted.values()]
    limits = [" ".join(words[3:5]).upper().replace("_", "-") for words in wanted.values()]
    for job, limit in zip(wanted, limits, strict=True):
        if limit != limits[0]:
            expected = f"expected RETRY {limits[0] or 'without UNLESS-EXIT'} as in the same cluster"
            raise _error(job, said[job], f"{expected}, got {shortened(said[job].head)}")
    if max(counts, default=0):
        yield f"RETRY {name} {max(counts)} {limits[0]}".rstrip()


def _abort(said: Statement) -> str:
    words = re.split(r"[ \t]+", said.head)
    return " ".join(words[2:5]).upper()


def _category(said: Statement) -> str:
    return said.place.category(said.command.detail)


def _same_in_all(
    jobs: Sequence[Job],
    said: Mapping[str, Statement | None],
    value: Callable[[Statement], str],
) -> str:
    """Return what is said alike of all jobs, "" if nothing is; raises MemberError otherwise."""
    values = {name: value(one) if one else "" for name, one in said.items()}
    first = jobs[0].name
    for name, got in values.items():
        if got != values[first]:
            one = said[name] or said[first]
            assert one is not None  # noqa: S101  one of two that differ
            problem = f"expected the same of the jobs {first} and {name} in one cluster"
            raise _error(name, one, f"{problem}, got {shortened(one.head)}")
    return values[first]


def submit_lines(members: Sequence[Member]) -> Iterator[str]:
    """Yield the lines of a cluster's submit description that come from its members'.

    Requests: the largest. Requirements: all. All else must be the same for all members.
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
        expected = f"job {first.job}: expected no {key}, as job {without} of the same cluster"
        with about(first.job):
            raise first.setting.error(f"{expected} has none, got {shortened(first.value)}")
    return first.value


def _all_of(wishes: Sequence[Wish]) -> str:
    values = list(dict.fromkeys(wish.value for wish in wishes))
    return values[0] if len(values) == 1 else " && ".join(f"({value})" for value in values)


def _largest(key: str, wishes: Sequence[Wish]) -> str:
    """Return the largest of the amounts asked for, in its own words."""
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
