"""A dag written as a DAGMan file."""

import os
from collections.abc import Hashable
from itertools import pairwise

from icsched.dag import Dag
from icsched.errors import FormatError
from icsched.files import write_text
from icsched.formats.dagman.commands import RESERVED

SUBMIT_FILE = "task.sub"

# DAGMan uses + for scopes, quotes for quotations, \ to continue lines and = to split words.
_SAFE_NAME = "a word without blanks, quotes, '+', '=' or '\\', not PARENT, CHILD or ALL_NODES"


def dagman_text(dag: Dag, *, title: str = "", path: str = "<text>") -> str:
    r"""Return *dag* as a DAGMan file in which every job uses the submit file task.sub.

    *title* becomes a comment at the top. Raises FormatError, naming *path*, for a task name
    that DAGMan would not accept.

    >>> print(dagman_text(Dag({"a": [], "b": ["a"]})), end="")
    JOB a task.sub
    JOB b task.sub
    PARENT a CHILD b
    """
    names = [_job_name(name, path) for name in dag.names]
    if len(set(names)) < len(names):
        raise FormatError(path, None, "two tasks have the same name once written as text")
    lines = [f"# {line}" for line in title.splitlines()]
    lines += [f"JOB {name} {SUBMIT_FILE}" for name in names]
    offsets, children = dag.child_rows.offsets.tolist(), dag.child_rows.targets.tolist()
    # One parent on each line: lines of several parents and children make DAGMan add join nodes.
    lines += [
        f"PARENT {names[task]} CHILD {' '.join(names[c] for c in children[start:stop])}"
        for task, (start, stop) in enumerate(pairwise(offsets))
        if start < stop
    ]
    return "\n".join(lines) + "\n" if lines else ""


def write_dagman(dag: Dag, path: str | os.PathLike[str], *, title: str = "") -> None:
    """Write *dag* to *path* as a DAGMan file, whole or not at all; see `dagman_text`."""
    write_text(path, dagman_text(dag, title=title, path=os.fspath(path)))


def is_job_name(text: str) -> bool:
    """Whether DAGMan takes *text* as the name of a job."""
    word = text.isprintable() and not any(c.isspace() or c in "+\"'\\=" for c in text)
    return bool(text) and word and text.upper() not in RESERVED


def _job_name(name: Hashable, path: str) -> str:
    text = str(name)
    if not is_job_name(text):
        raise FormatError(path, None, f"job name: expected {_SAFE_NAME}, got {text!r}")
    return text
