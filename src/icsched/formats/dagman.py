"""HTCondor DAGMan files: JOB and PARENT ... CHILD lines.

The reader takes the lines that say which jobs there are and which waits for which, skips
the commands that change neither, and refuses the rest rather than misread them.
"""

import os
import re
from collections.abc import Hashable, Iterator
from itertools import pairwise

import numpy as np

from icsched.dag import Dag
from icsched.errors import CycleError, FormatError
from icsched.formats.files import read_text, write_text

SUBMIT_FILE = "task.sub"

_MOST_ARCS = 100_000_000
_BLANKS = " \t\r"
_BLANK = re.compile(f"[{_BLANKS}]+")
_RESERVED = {"PARENT", "CHILD", "ALL_NODES"}
# DAGMan scopes names with +, opens quotations, continues lines with \, splits at =.
_SAFE_NAME = "a word without blanks, quotes, '+', '=' or '\\', not PARENT, CHILD or ALL_NODES"
# Commands that add jobs or dependencies, or take some away.
_UNREAD = {
    "CONNECT",
    "DONE",
    "FINAL",
    "INCLUDE",
    "PIN_IN",
    "PIN_OUT",
    "PROVISIONER",
    "SERVICE",
    "SPLICE",
    "SUBDAG",
    "SUBMIT_DESCRIPTION",
    "WEAK",
}
# Commands that leave the set of jobs and their dependencies as they are.
_NEUTRAL = {
    "ABORT_DAG_ON",
    "CATEGORY",
    "CONFIG",
    "DOT",
    "ENV",
    "JOBSTATE_LOG",
    "MAXJOBS",
    "NODE_STATUS_FILE",
    "PRE_SKIP",
    "PRIORITY",
    "REJECT",
    "RETRY",
    "SAVE_POINT_FILE",
    "SCRIPT",
    "SET_JOB_ATTR",
    "VARS",
}


def dagman_text(dag: Dag, *, title: str = "", path: str = "<text>") -> str:
    r"""Return *dag* as a DAGMan file in which every job uses the submit file task.sub.

    *title* becomes a comment on top. Raises FormatError, naming *path*, for a task name
    that DAGMan would not take.

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
    # One parent a line: lines of several parents and children make DAGMan add join nodes.
    lines += [
        f"PARENT {names[task]} CHILD {' '.join(names[c] for c in children[start:stop])}"
        for task, (start, stop) in enumerate(pairwise(offsets))
        if start < stop
    ]
    return "\n".join(lines) + "\n" if lines else ""


def write_dagman(dag: Dag, path: str | os.PathLike[str], *, title: str = "") -> None:
    """Write *dag* to *path* as a DAGMan file, whole or not at all; see `dagman_text`."""
    write_text(path, dagman_text(dag, title=title, path=os.fspath(path)))


def _job_name(name: Hashable, path: str) -> str:
    text = str(name)
    word = text.isprintable() and not any(c.isspace() or c in "+\"'\\=" for c in text)
    if not text or not word or text.upper() in _RESERVED:
        raise FormatError(path, None, f"job name: expected {_SAFE_NAME}, got {text!r}")
    return text


def read_dagman(path: str | os.PathLike[str]) -> Dag:
    """Read the DAGMan file at *path*; jobs get their ids in the order of their JOB lines.

    Raises FormatError with file and line for anything else than it understands; for a
    cycle, the error names its jobs.
    """
    return _Reader(os.fspath(path)).dag(read_text(path))


class _Reader:
    """Collects jobs and arcs from a file's lines; PARENT may come before JOB."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._job_line: dict[str, int] = {}  # also the jobs in order
        self._relations: list[tuple[int, list[str], list[str]]] = []

    def dag(self, text: str) -> Dag:
        for line, words in _logical_lines(text):
            command = words[0].upper().replace("-", "_")
            if command == "JOB":
                self._job(line, words)
            elif command == "PARENT":
                self._parent(line, words)
            elif command in _UNREAD:
                raise self._error(line, f"{words[0]} is not read yet")
            elif command not in _NEUTRAL:
                raise self._error(line, f"expected JOB or PARENT ... CHILD, got {words[0]!r}")
        try:
            return Dag.from_arcs(len(self._job_line), self._arcs(), names=tuple(self._job_line))
        except CycleError as error:
            raise FormatError(self._path, None, str(error)) from error

    def _error(self, line: int, problem: str) -> FormatError:
        return FormatError(self._path, line, problem)

    def _job(self, line: int, words: list[str]) -> None:
        if len(words) < 3:
            raise self._error(line, f"expected JOB name submit-file, got {' '.join(words)!r}")
        name, submit = words[1:3]
        if name.upper() in _RESERVED or any(c in "+\"'" for c in name):
            raise self._error(line, f"job name: expected no reserved word, '+' or quote: {name!r}")
        if name in self._job_line:
            raise self._error(line, f"job {name!r} is already on line {self._job_line[name]}")
        if submit.startswith(("{", "@=")):
            raise self._error(line, f"job {name!r}: inline submit descriptions are not read yet")
        self._options(line, name, words[3:])
        self._job_line[name] = line

    def _options(self, line: int, name: str, words: list[str]) -> None:
        rest = iter(words)
        for word in rest:
            if word.upper() == "DONE":
                raise self._error(line, f"job {name!r}: DONE is not read yet")
            takes_value = word.upper() == "DIR"
            if word.upper() not in ("DIR", "NOOP") or (takes_value and next(rest, None) is None):
                got = "DIR at the end" if takes_value else repr(word)
                raise self._error(line, f"job {name!r}: expected DIR directory or NOOP, got {got}")

    def _parent(self, line: int, words: list[str]) -> None:
        at = next((i for i, word in enumerate(words) if word.upper() == "CHILD"), len(words))
        parents, children = words[1:at], words[at + 1 :]
        if not parents or not children:
            got = " ".join(words[:6]) + (" ..." if len(words) > 6 else "")
            raise self._error(line, f"expected PARENT jobs CHILD jobs, got {got!r}")
        self._relations.append((line, parents, children))

    def _arcs(self) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        ids = {name: i for i, name in enumerate(self._job_line)}
        blocks = [np.empty((0, 2), np.int64)]
        total = 0
        for line, parents, children in self._relations:
            total += len(parents) * len(children)
            if total > _MOST_ARCS:
                raise self._error(line, f"expected at most {_MOST_ARCS:,} dependencies in all")
            for name in (*parents, *children):
                if name not in ids:
                    raise self._error(line, f"unknown job {name!r}: no JOB line names it")
            above, below = [ids[name] for name in parents], [ids[name] for name in children]
            blocks.append(
                np.column_stack([np.repeat(above, len(below)), np.tile(below, len(above))])
            )
        return np.concatenate(blocks)


def _logical_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, words) of each command; a trailing backslash joins lines."""
    words: list[str] = []
    first = 0
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip(_BLANKS)
        if not stripped or stripped.startswith(("#", "//")):
            continue
        first = first if words else number
        words += [word for word in _BLANK.split(stripped.removesuffix("\\")) if word]
        if words and not stripped.endswith("\\"):
            yield first, words
            words = []
    if words:
        yield first, words
