"""What in a workflow's files, or in the settings around them, disturbs the order of priorities."""

import os
import re
from collections import deque
from collections.abc import Iterator
from contextlib import suppress

from icsched.errors import FormatError
from icsched.files import read_bytes
from icsched.formats.dagman import section
from icsched.formats.dagman.source import Kind, Source, Statement, beside, is_missing
from icsched.formats.dagman.statements import Script
from icsched.formats.dagman.submission import Submission, inner_workflows
from icsched.formats.dagman.writer import SubmitFile, submit_files
from icsched.workflow import Remark, Setting, Settings

_MOST_SUBMIT_FILES = 1_000
_MOST_BYTES = 1 << 24  # of a file to look through: a larger file was not written by hand
DEFAULT_PRIORITY = "DAGMAN_DEFAULT_PRIORITY"
USE_STRICT = "DAGMAN_USE_STRICT"
_MOST_LENIENT = 1  # with 2 or more, DAGMan refuses a file that changes a job's priority
_SHIFT = "shifts the whole workflow against your others; its own order stays"
_ASSIGNMENT = re.compile(r"(\w+)\s*[=:]\s*(.*)", re.DOTALL)  # HTCondor warns of a colon
_OWN_PRIORITY = re.compile(rb"^[ \t]*prio(?:rity)?[ \t]*=[^\n]*", re.IGNORECASE | re.MULTILINE)
# A queue statement for another number of jobs than one or none, which are the usual numbers.
_SEVERAL = re.compile(rb"\s*queue\b[ \t]*+(?!0*+1?[ \t\r]*(?:\n|\Z))[^\n]*", re.IGNORECASE)
_MACRO = re.compile(r"queue\s+\$\S*", re.IGNORECASE)  # a number that HTCondor alone knows
_PLAIN_POST = re.compile(rb"SCRIPT[ \t]+POST[ \t]", re.IGNORECASE)
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

    Reads a thousand submit files of jobs that DAGMan will submit, and the CONFIG files; skips what
    cannot be read. *around* has the settings around the workflow, if somebody knows them.
    """
    remarks = list(workflow.remarks)
    if twice := workflow.first_arc_said_twice():
        parent, child, statement = twice
        text = f"dependency {parent} -> {child} is said twice: HTCondor 23.9 may abort at that"
        remarks.append(Remark(statement.source.path, statement.line, text))
    remarks += _about_scripts(workflow)
    remarks += _about_inner_workflows(workflow)
    remarks += _about_submit_files(workflow)
    default = setting_of(workflow, DEFAULT_PRIORITY, around)
    if default and default.value != "0":
        text = f"'{default.text}'" if default.line else default.text
        remarks.append(Remark(default.path, default.line, f"{text} {_SHIFT}"))
    return [*remarks, *unread_configs(workflow)]


def _about_scripts(workflow: Submission) -> Iterator[Remark]:
    """Yield a remark for each file with POST scripts; the reader tells of PRE scripts."""
    found: dict[str, dict[int, Source]] = {}
    for scope in {id(place.scope): place.scope for place in workflow.places}.values():
        for some in scope.modifiers:
            kinds = some.source.scan.kind[some.statements]
            may_be = some.statements[(kinds == Kind.SCRIPT) | (kinds == Kind.OTHER)].tolist()
            found.setdefault(some.source.path, {}).update(dict.fromkeys(may_be, some.source))
    for path, numbers in found.items():
        post = sorted(n for n, source in numbers.items() if _is_post(Statement(source, n)))
        if post:
            yield Remark(path, Statement(numbers[post[0]], post[0]).line, _POST, len(post))


def _is_post(statement: Statement) -> bool:
    if _PLAIN_POST.match(statement.source.data, statement.source.scan.begin[statement.number]):
        return True  # quicker than to parse a million of them
    command = statement.modifier
    return isinstance(command, Script) and command.when == "POST"


def _about_inner_workflows(workflow: Submission) -> Iterator[Remark]:
    found: dict[str, set[int]] = {}
    for job in inner_workflows(workflow):
        found.setdefault(job.statement.source.path, set()).add(job.statement.line)
    for path, lines in found.items():
        yield Remark(path, min(lines), _SUBDAG, len(lines))


def _about_submit_files(workflow: Submission) -> Iterator[Remark]:
    """Yield remarks about the submit files of the jobs that DAGMan will submit."""
    missing: list[SubmitFile] = []
    for file in submit_files(workflow, are_left=True)[:_MOST_SUBMIT_FILES]:
        if is_missing(file.path):
            missing.append(file)
        else:
            yield from _about_submit_file(file)
    if missing:
        path, first = missing[0].path, missing[0].first
        source = first.statement.source
        there = beside(source, path, first.node.submit)
        fails = f"job {first.name} fails unless something makes the file first"
        text = f"the submit file {path} does not exist{there}: {fails}"
        count = sum(len(file.names) for file in missing)
        yield Remark(source.path, first.statement.line, text, count)


def _about_submit_file(file: SubmitFile) -> Iterator[Remark]:
    from icsched.formats.dagman.submit import queue_at  # few commands look at submit files

    data = b""
    with suppress(FormatError, OSError):
        data = section.blanked(file.path, _read(file.path)[0])
    queue = queue_at(data)  # DAGMan takes nothing that comes after it
    if last := deque(_OWN_PRIORITY.finditer(data[:queue]), maxlen=1):  # the one that counts
        text = last[0][0].decode(errors="replace").strip()
        text = f"'{text}': the pool orders {_jobs(file)} by this, not by DAGMan's priority"
        yield Remark(file.path, data.count(b"\n", 0, last[0].start()) + 1, text)
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


def strictness(workflow: Submission, around: Settings | None = None) -> Remark | None:
    """Return the DAGMAN_USE_STRICT setting that makes DAGMan refuse a second priority for a job.

    Looks at the CONFIG file of the workflow, which wins, then at the settings *around* the
    workflow. If nobody knows these, looks at the environment.
    """
    found = setting_of(workflow, USE_STRICT, around)
    value = found.value if found else ""
    if not found or not re.fullmatch(r"[0-9]{1,9}", value) or int(value) <= _MOST_LENIENT:
        return None
    return Remark(found.path, found.line, found.text)


def refusal(setting: str) -> str:
    """Return what a strict *setting* does, and what to do about it."""
    what = "give --keep-existing, or take the PRIORITY lines out of the files"
    return f"'{setting}' makes DAGMan refuse a second priority for a job: {what}"


def configs(workflow: Submission) -> Iterator[str]:
    """Yield the files of CONFIG that count: condor_submit_dag does not read included files."""
    roots = {id(root) for root in workflow.roots}
    for statement in workflow.scope.directives:
        if id(statement.source) in roots and statement.keyword == "CONFIG":
            yield os.path.join(workflow.start_of(statement.source), statement.argument)


def in_environment(name: str) -> Setting | None:
    """Return what the environment says about a setting."""
    variable = f"_CONDOR_{name}"
    value = os.environ.get(variable, "").strip()
    return Setting("environment", 0, f"{variable}={value}", value) if value else None


def setting_of(workflow: Submission, name: str, around: Settings | None) -> Setting | None:
    """Return the setting of this name that DAGMan will follow: the last one in CONFIG files.

    *around* has the settings around the workflow; None for the environment alone.
    """
    found = in_environment(name) if around is None else around.get(name)
    for path in configs(workflow):
        for line, text in statements(_read(path)[0].decode(errors="replace")):
            match = _ASSIGNMENT.fullmatch(text)
            if match and match[1].upper() == name:
                found = Setting(path, line, text, match[2])
    return found


def unread_configs(workflow: Submission) -> Iterator[Remark]:
    """Yield a remark about each CONFIG file whose settings icsched cannot know."""
    for path in configs(workflow):
        if not os.path.exists(path):
            yield Remark(path, 0, "the CONFIG file does not exist: DAGMan will not start")
        elif problem := _read(path)[1]:
            yield Remark(path, 0, f"the CONFIG file {problem}: icsched does not know its settings")


def _read(path: str) -> tuple[bytes, str]:
    """Return what a file has, and why that is not known."""
    try:
        if not os.path.isfile(path):
            return b"", "is not an ordinary file"
        if os.path.getsize(path) > _MOST_BYTES:
            return b"", f"has more than {_MOST_BYTES:,} bytes"
        return read_bytes(path), ""
    except FormatError as error:
        return b"", f"cannot be read ({error.problem})"


def statements(text: str) -> Iterator[tuple[int, str]]:
    r"""Yield the statements of a configuration, each with the number of its first line.

    A backslash at the end of a line continues the line, also within a word. A comment ends with
    its line, unless the comment is itself inside a continued line.

    >>> list(statements("# x \\\nA = \\\n  3\nB = 4\n"))
    [(2, 'A = 3'), (4, 'B = 4')]
    """
    lines = enumerate(text.split("\n"), 1)
    for number, line in lines:
        part = line.strip()
        if not part or part.startswith("#"):
            continue
        parts = []
        while part.endswith("\\"):
            parts.append(part[:-1])
            part = next(lines, (0, ""))[1].strip()
        yield number, "".join([*parts, part]).strip()
