"""What in a workflow's files, or around them, disturbs the order that priorities ask for."""

import os
import re
from collections import deque
from collections.abc import Iterator

from icsched.errors import FormatError
from icsched.files import read_bytes
from icsched.formats.dagman import section
from icsched.formats.dagman.commands import Script
from icsched.formats.dagman.loading import beside
from icsched.formats.dagman.scope import OwnJobs, spots
from icsched.formats.dagman.settings import default_priority, unread_configs
from icsched.formats.dagman.source import Kind, Source, Statement, is_missing
from icsched.formats.dagman.submission import Submission
from icsched.formats.dagman.submit import queue_at
from icsched.formats.dagman.writer import SubmitFile, submit_files
from icsched.formats.port import Settings
from icsched.workflow import Remark

_MOST_SUBMIT_FILES = 1_000
_MOST_BYTES = 1 << 24  # of a file to look through: a larger file was not written by hand
_OWN_PRIORITY = re.compile(rb"^[ \t]*prio(?:rity)?[ \t]*=[^\n]*", re.IGNORECASE | re.MULTILINE)
# A queue statement for another number of jobs than one or none, which are the usual numbers.
_SEVERAL = re.compile(rb"\s*queue\b[ \t]*+(?!0*+1?[ \t\r]*(?:\n|\Z))[^\n]*", re.IGNORECASE)
_MACRO = re.compile(r"queue\s+\$\S*", re.IGNORECASE)  # a number that HTCondor alone knows
_PLAIN_POST = re.compile(rb"SCRIPT[ \t]+POST[ \t]", re.IGNORECASE)
_INNER = re.compile(rb"SUBDAG", re.IGNORECASE)
_POST = (
    "SCRIPT POST: children wait for the script, and under -maxjobs another job takes the job's"
    " place at once"
)
_SUBDAG = (
    "SUBDAG EXTERNAL: -maxjobs does not reach the inner workflow, and counts it as one job while"
    " it runs"
)
_AS_ONE = "icsched counts them as one job, and learns the mean of their run times"


def advise(workflow: Submission, around: Settings | None = None) -> list[Remark]:
    """Return a remark, with its line, for everything that will disturb an order of *workflow*.

    Reads a thousand submit files of jobs that DAGMan will submit, and the configuration files that
    the workflow names. A submit file that is huge or cannot be read is skipped. *around* has the
    settings around the workflow, if somebody knows them.
    """
    return [
        *workflow.remarks,
        *_said_twice(workflow),
        *_about_scripts(workflow),
        *_about_inner_workflows(workflow),
        *_about_submit_files(workflow),
        *default_priority(workflow, around),
        *unread_configs(workflow),
    ]


def _said_twice(workflow: Submission) -> Iterator[Remark]:
    twice = workflow.first_arc_said_twice()
    if twice:
        parent, child, path, line = twice
        text = f"dependency {parent} -> {child} is said twice: HTCondor 23.9 may abort at that"
        yield Remark(path, line, text)


def _about_scripts(workflow: Submission) -> Iterator[Remark]:
    """Yield a remark for each file with POST scripts; the reader tells of PRE scripts."""
    found: dict[str, dict[int, Source]] = {}
    for scope in {id(spot.scope): spot.scope for spot in spots(workflow.scope, "")}.values():
        for some in scope.modifiers:
            kinds = some.source.scan.kind[some.statements]
            may_be = some.statements[(kinds == Kind.SCRIPT) | (kinds == Kind.OTHER)].tolist()
            found.setdefault(some.source.path, {}).update(dict.fromkeys(may_be, some.source))
    for path, statements in found.items():
        post = [n for n, source in statements.items() if _is_post(Statement(source, n))]
        if post:
            line = statements[min(post)].line(min(post))
            yield Remark(path, line, _POST, len(post))


def _is_post(statement: Statement) -> bool:
    if _PLAIN_POST.match(statement.source.data, statement.source.scan.begin[statement.number]):
        return True  # quicker than to parse a million of them
    command = statement.modifier
    return isinstance(command, Script) and command.when == "POST"


def _all_jobs(workflow: Submission) -> Iterator[OwnJobs]:
    return (own for spot in spots(workflow.scope, "") for own in spot.scope.jobs)


def _about_inner_workflows(workflow: Submission) -> Iterator[Remark]:
    """Yield a remark for each file with SUBDAG EXTERNAL."""
    sources = {id(own.source): own.source for own in _all_jobs(workflow)}.values()
    found: dict[str, list[int]] = {}
    for placed in workflow.nodes() if any(_INNER.search(one.data) for one in sources) else ():
        if placed.node.kind == "SUBDAG":
            line = placed.source.line(placed.statement)
            found.setdefault(placed.source.path, []).append(line)
    for path, lines in found.items():
        yield Remark(path, min(lines), _SUBDAG, len(set(lines)))


def _about_submit_files(workflow: Submission) -> Iterator[Remark]:
    """Yield remarks about the submit files of the jobs that DAGMan will submit."""
    missing: list[SubmitFile] = []
    for file in submit_files(workflow, are_left=True)[:_MOST_SUBMIT_FILES]:
        if is_missing(file.path):
            missing.append(file)
        else:
            yield from _about_submit_file(file)
    if missing:
        yield _missing(missing)


def _about_submit_file(file: SubmitFile) -> Iterator[Remark]:
    data = _looked_through(file.path)
    queue = queue_at(data)  # DAGMan takes nothing that comes after it
    if found := _last_match(data[:queue], _OWN_PRIORITY):
        line, text = found
        text = f"'{text}': the pool orders {_jobs(file)} by this, not by DAGMan's priority"
        yield Remark(file.path, line, text)
    if queue is not None and (several := _SEVERAL.match(data, queue)):
        text = several[0].decode(errors="replace").strip()
        is_open = _MACRO.fullmatch(text) is not None
        submits = "may submit several jobs" if is_open else "submits all these jobs"
        submits = f"DAGMan {submits} as {_jobs(file, each='each of ')}"
        line = data.count(b"\n", 0, queue) + 1
        yield Remark(file.path, line, f"'{text}': {submits}; {_AS_ONE}")


def _jobs(file: SubmitFile, *, each: str = "") -> str:
    count = len(file.names)
    return f"{each}{count:,} jobs" if count > 1 else f"job {file.names[0]}"


def _missing(files: list[SubmitFile]) -> Remark:
    """Return the remark about submit files that do not exist, with the number of their jobs."""
    path, first = files[0].path, files[0].first
    there = beside(first.source, path, first.node.submit)
    fails = f"job {first.name} fails unless something makes the file first"
    text = f"the submit file {path} does not exist{there}: {fails}"
    line = first.source.line(first.statement)
    return Remark(first.source.path, line, text, sum(len(file.names) for file in files))


def _looked_through(path: str) -> bytes:
    """Return what a file has beside icsched's section; nothing if it is huge or cannot be read."""
    try:
        is_small = os.path.isfile(path) and os.path.getsize(path) <= _MOST_BYTES
        return section.blanked(path, read_bytes(path)) if is_small else b""
    except (FormatError, OSError):
        return b""


def _last_match(data: bytes, pattern: re.Pattern[bytes]) -> tuple[int, str] | None:
    """Return line and text of the last match, which is the one that counts."""
    last = deque(pattern.finditer(data), maxlen=1)
    if not last:
        return None
    match = last[0]
    return data.count(b"\n", 0, match.start()) + 1, match[0].decode(errors="replace").strip()
