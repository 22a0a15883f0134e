"""What in a workflow's files, or around them, disturbs the order that priorities ask for."""

import os
import re
from collections.abc import Iterator

from icsched.errors import FormatError
from icsched.formats.dagman import block
from icsched.formats.dagman.reader import Remark
from icsched.formats.dagman.workflow import Workflow
from icsched.formats.dagman.writer import submit_files
from icsched.formats.files import read_bytes

_MOST_SUBMIT_FILES = 1_000
_OWN_PRIORITY = re.compile(rb"^[ \t]*prio(?:rity)?[ \t]*=[^\n]*", re.IGNORECASE | re.MULTILINE)
_DEFAULT = re.compile(rb"^[ \t]*DAGMAN_DEFAULT_PRIORITY[ \t]*=[^\n]*", re.I | re.M)
_SHIFT = "shifts the whole workflow against your others; its own order stays"


def advice(workflow: Workflow) -> list[Remark]:
    """Return what will disturb an order of *workflow*, each with its line.

    Reads the submit files, of which the first thousand, and the configuration files that the
    workflow names; one that cannot be read is left to DAGMan to complain of.
    """
    return [
        *workflow.remarks,
        *_said_twice(workflow),
        *_submit_priorities(workflow),
        *_default_priority(workflow),
    ]


def _said_twice(workflow: Workflow) -> Iterator[Remark]:
    twice = workflow.first_arc_said_twice()
    if twice:
        parent, child, path, line = twice
        text = f"dependency {parent} -> {child} is said twice: HTCondor 23.9 may abort at that"
        yield Remark(path, line, text)


def _submit_priorities(workflow: Workflow) -> Iterator[Remark]:
    for path, names in list(submit_files(workflow).items())[:_MOST_SUBMIT_FILES]:
        for line, text in _matches(path, _OWN_PRIORITY):
            jobs = f"{len(names):,} jobs" if len(names) > 1 else f"job {names[0]}"
            yield Remark(
                path, line, f"'{text}': the pool orders {jobs} by this, not by DAGMan's priority"
            )


def _default_priority(workflow: Workflow) -> Iterator[Remark]:
    for path in workflow.configs:
        for line, text in _matches(path, _DEFAULT):
            yield Remark(path, line, f"'{text}' {_SHIFT}")
    name = "_CONDOR_DAGMAN_DEFAULT_PRIORITY"
    if name in os.environ:
        yield Remark("environment", 0, f"{name}={os.environ[name]} {_SHIFT}")


def _matches(path: str, pattern: re.Pattern[bytes]) -> Iterator[tuple[int, str]]:
    try:
        data = block.blanked(path, read_bytes(path)) if os.path.isfile(path) else b""
    except FormatError:
        return
    for match in pattern.finditer(data):
        line = data.count(b"\n", 0, match.start()) + 1
        yield line, match[0].decode(errors="replace").strip()
