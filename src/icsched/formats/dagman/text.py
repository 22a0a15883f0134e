"""A dag written as a DAGMan file."""

import os
from collections.abc import Hashable, Sequence
from itertools import pairwise

import numpy as np

from icsched.dag import Dag
from icsched.errors import FormatError
from icsched.files import write_text
from icsched.formats.dagman.commands import RESERVED
from icsched.formats.dagman.words import BLANKS
from icsched.formats.facts import said
from icsched.workflow import Command, Workflow

SUBMIT_FILE = "task.sub"
_ENV = "/usr/bin/env"  # finds a program in PATH, or from the directory where the job runs

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


def workflow_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    """Return *workflow* as a DAGMan file, with commands, priorities and which jobs are done.

    A job whose command is known gets its submit description inside the file. Raises FormatError,
    naming *path*, for a name or a command that cannot be written.
    """
    text = dagman_text(workflow.whole, title=title, path=path)
    lines = text.splitlines()
    first = len(title.splitlines())  # the JOB lines come after the title
    for task, command in enumerate(workflow.all_commands or ()):
        lines[first + task] = _job(str(workflow.names[task]), command, path)
    given = zip(workflow.names, said(workflow, "priorities"), strict=True)
    lines += [f"PRIORITY {name} {number}" for name, number in given if number is not None]
    lines += [f"DONE {workflow.names[task]}" for task in np.flatnonzero(workflow.done).tolist()]
    return "\n".join(lines) + "\n" if lines else ""


def _job(name: str, command: Command | None, path: str) -> str:
    """Return a JOB statement with its submit description; a job without a command is a NOOP."""
    if command is None:
        return f"JOB {name} {SUBMIT_FILE} NOOP"
    try:
        return job_text(name, command, path)
    except ValueError as error:
        raise FormatError(path, None, f"job {name!r}: {error}") from None


def job_text(name: str, command: Command, path: str) -> str:
    r"""Return a JOB statement with a submit description, for a DAGMan file at *path*.

    The job runs on a file system that all machines share. Raises ValueError for a command that
    cannot be written on lines of its own, or for a file whose name begins or ends with a blank.

    >>> print(job_text("a", Command(("sort", "a b"), "data", stdout="data/out"), "w.dag"))
    JOB a {
      executable = /usr/bin/env
      My.Arguments = "'sort' 'a b'"
      initialdir = data
      output = out
      transfer_executable = false
      should_transfer_files = NO
    }
    """
    # HTCondor looks for a program neither in PATH nor where the job runs.
    is_whole = os.path.isabs(command.program)
    pairs = {
        "executable": _plain(command.program if is_whole else _ENV),
        # HTCondor 23.9 refuses `arguments` with blanks inside a DAGMan file, and drops empty words.
        "My.Arguments": _attribute(_words(command.argv[is_whole:])),
        "environment": _quoted(_words([f"{key}={value}" for key, value in command.environment])),
        "initialdir": _plain(command.directory or ""),
        "input": _plain(command.as_seen_inside(command.stdin, path) or ""),
        "output": _plain(command.as_seen_inside(command.stdout, path) or ""),
        "error": _plain(command.as_seen_inside(command.stderr, path) or ""),
        "transfer_executable": "false",
        "should_transfer_files": "NO",
    }
    for key, value in pairs.items():
        if value != value.strip(BLANKS):  # HTCondor would take another name
            raise ValueError(f"{key}: expected no blanks at the ends, got {value!r}")
    written = [f"  {key} = {value}" for key, value in pairs.items() if value]
    for line in written:
        if any(c in line for c in "\n\r\0") or line.rstrip().endswith("\\"):
            raise ValueError(f"expected a command of one line, got {line.strip()!r}")
    return "\n".join([f"JOB {name} {{", *written, "}"])


def _plain(word: str) -> str:
    """Return a value of a submit description; HTCondor would expand a dollar sign."""
    return word.replace("$", "$(DOLLAR)")


def _words(words: Sequence[str]) -> str:
    """Return words, each in HTCondor's single quotes."""
    return " ".join(f"'{word.replace(chr(39), chr(39) * 2)}'" for word in words)


def _quoted(text: str) -> str:
    return _plain(f'"{text.replace(chr(34), chr(34) * 2)}"') if text else ""


def _attribute(text: str) -> str:
    """Return a text as an attribute of HTCondor's jobs has it."""
    escaped = text.replace('"', '\\"')  # other backslashes stand for themselves
    return _plain(f'"{escaped}"') if text else ""


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
