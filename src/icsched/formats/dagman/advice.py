"""What in a workflow's files, or around them, disturbs the order that priorities ask for."""

import os
import re
from collections import deque
from collections.abc import Iterator

from icsched.errors import FormatError
from icsched.files import read_bytes
from icsched.formats.dagman import section
from icsched.formats.dagman.commands import Config
from icsched.formats.dagman.submission import Submission
from icsched.formats.dagman.writer import submit_files
from icsched.workflow import Remark

_MOST_SUBMIT_FILES = 1_000
_MOST_BYTES = 1 << 24  # of a file to look through: a larger file was not written by hand
_OWN_PRIORITY = re.compile(rb"^[ \t]*prio(?:rity)?[ \t]*=[^\n]*", re.IGNORECASE | re.MULTILINE)
_DEFAULT = re.compile(rb"^[ \t]*DAGMAN_DEFAULT_PRIORITY[ \t]*=[^\n]*", re.I | re.M)
_STRICT = re.compile(rb"^[ \t]*DAGMAN_USE_STRICT[ \t]*=[ \t]*([0-9]{1,9})[ \t\r]*$", re.I | re.M)
_MOST_LENIENT = 1  # with 2 or more, DAGMan refuses a file that changes a job's priority
_SHIFT = "shifts the whole workflow against your others; its own order stays"


def advise(workflow: Submission) -> list[Remark]:
    """Return a remark, with its line, for everything that will disturb an order of *workflow*.

    Reads the first thousand submit files, and the configuration files that the workflow names. A
    file that is huge or cannot be read is skipped: DAGMan will complain about it.
    """
    return [
        *workflow.remarks,
        *_said_twice(workflow),
        *_submit_priorities(workflow),
        *_default_priority(workflow),
        *(
            Remark(path, 0, "the CONFIG file does not exist")
            for path in _configs(workflow)
            if not os.path.lexists(path)
        ),
    ]


def strictness(workflow: Submission) -> Remark | None:
    """Return the DAGMAN_USE_STRICT setting that makes DAGMan refuse a second priority for a job.

    Looks at the CONFIG file of the workflow, then at the environment; CONFIG wins. Does not look
    at the configuration of HTCondor itself.
    """
    name = "_CONDOR_DAGMAN_USE_STRICT"
    setting = os.environ.get(name, "").strip()
    found = Remark("environment", 0, f"{name}={setting}") if setting else None
    value = setting
    for path in _configs(workflow):
        if (last := _last_match(path, _STRICT)) is not None:
            found = Remark(path, last[0], last[1])
            value = last[1].partition("=")[2].strip()
    is_strict = value.isascii() and value.isdigit() and int(value) > _MOST_LENIENT
    return found if is_strict else None


def refusal(setting: str, *, otherwise: str = "") -> str:
    """Return what a strict *setting* does, and what to do about it."""
    what = f"{otherwise}take the PRIORITY lines out of the files"
    return f"'{setting}' makes DAGMan refuse a second priority for a job: {what}"


def _configs(workflow: Submission) -> Iterator[str]:
    """Yield the files of CONFIG that count: condor_submit_dag does not read included files."""
    roots = {id(root) for root in workflow.roots}
    for statement in workflow.scope.directives:
        source, command = statement.source, statement.command
        if id(source) in roots and isinstance(command, Config):
            by_file, start = workflow.use_dag_directory, workflow.directory
            start = os.path.dirname(source.path) if by_file else start
            yield os.path.join(start, command.argument)


def _said_twice(workflow: Submission) -> Iterator[Remark]:
    twice = workflow.first_arc_said_twice()
    if twice:
        parent, child, path, line = twice
        text = f"dependency {parent} -> {child} is said twice: HTCondor 23.9 may abort at that"
        yield Remark(path, line, text)


def _submit_priorities(workflow: Submission) -> Iterator[Remark]:
    for file in submit_files(workflow)[:_MOST_SUBMIT_FILES]:
        found = _last_match(file.path, _OWN_PRIORITY)
        if found:
            line, text = found
            jobs = f"{len(file.names):,} jobs" if len(file.names) > 1 else f"job {file.names[0]}"
            text = f"'{text}': the pool orders {jobs} by this, not by DAGMan's priority"
            yield Remark(file.path, line, text)


def _default_priority(workflow: Submission) -> Iterator[Remark]:
    for path in _configs(workflow):
        found = _last_match(path, _DEFAULT)
        if found:
            yield Remark(path, found[0], f"'{found[1]}' {_SHIFT}")
    name = "_CONDOR_DAGMAN_DEFAULT_PRIORITY"
    if name in os.environ:
        yield Remark("environment", 0, f"{name}={os.environ[name]} {_SHIFT}")


def _last_match(path: str, pattern: re.Pattern[bytes]) -> tuple[int, str] | None:
    """Return line and text of the last match in a file, which is the one that counts."""
    try:
        is_small = os.path.isfile(path) and os.path.getsize(path) <= _MOST_BYTES
        data = section.blanked(path, read_bytes(path)) if is_small else b""
    except (FormatError, OSError):
        return None
    last = deque(pattern.finditer(data), maxlen=1)
    if not last:
        return None
    match = last[0]
    return data.count(b"\n", 0, match.start()) + 1, match[0].decode(errors="replace").strip()
