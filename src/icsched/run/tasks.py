"""The tasks of a run: commands, missing outputs, and learned run times."""

import csv
import io
import os
import re
import shutil
from collections.abc import Collection, Iterable
from contextlib import suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Self

from icsched.arrays import ids_where
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError
from icsched.files import write_text
from icsched.history import read_run_times
from icsched.run.journal import Journal
from icsched.run_times import RunTimeTable
from icsched.workflow import Command, Workflow

TABLE = "run-times.csv"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class CommandTasks:
    """The tasks of a workflow. Commands run below the directory of the workflow file."""

    def __init__(self, workflow: Workflow, file: str, *, for_shell: bool = False) -> None:
        self.workflow = workflow
        self._file = file
        self._base = Path(file).absolute().parent
        if not workflow.source.has_commands:
            problem = f"format {workflow.format} does not say what tasks run"
            raise FormatError(file, None, problem)
        source = workflow.source  # it is asked once
        self.commands = tuple(source.lines() if for_shell else source.commands())

    def of(self, workflow: Workflow) -> Self:
        """Return the tasks of the same workflow, of which others are done."""
        tasks = copy(self)
        tasks.workflow = workflow
        return tasks

    def name(self, task: int, /) -> str:
        """Return the name of a task."""
        return str(self.workflow.dag.names[task])

    def work(self, task: int, /) -> Command | None:
        """Return the command of a task with absolute paths; None for a task without a command."""
        command = self.commands[task]
        return None if command is None else self._placed(command)

    def _placed(self, command: Command) -> Command:
        def path(word: str | None) -> str | None:
            return None if word is None else str(self._base / word)

        return replace(
            command,
            directory=path(command.directory or "."),
            stdin=path(command.stdin),
            stdout=path(command.stdout),
            stderr=path(command.stderr),
        )

    def missing_outputs(self, completed: Collection[int]) -> dict[int, str]:
        """Return the tasks of which an output file is missing, with the name of the file.

        Files elsewhere are ignored: URLs, and absolute paths whose directory is not on this
        machine. Each file is checked once, and not opened.
        """
        declared = self.workflow.source.outputs() if completed else ()
        found = {}
        for task in ids_where(~self.workflow.done).tolist():
            command = self.commands[task]
            if command is not None and task in completed:
                inside = os.path.join(self._base, command.directory or "")  # noqa: PTH118
                places = [(inside, name) for name in (declared[task] if declared else ())]
                places.append((str(self._base), command.stdout or ""))
                first = next((name for place, name in places if _is_missing(place, name)), None)
                if first is not None:
                    found[task] = first
        return found

    def check_programs(self) -> None:
        """Raise FormatError for the first command that this machine could not start."""
        seen: set[tuple[str, str | None]] = set()
        for task, command in enumerate(self.commands):
            if command is None or self.workflow.done[task]:
                continue
            key = command.program, command.directory
            files = [word or "" for word in (command.stdin, command.stdout, command.stderr)]
            pairs = ["=".join(pair) for pair in command.environment]
            problem = None
            if "\0" in "".join([*command.argv, *files, *pairs]):  # no process can receive these
                problem = "expected words without null bytes"
            elif key not in seen:
                seen.add(key)
                problem = _objection(self._placed(command))
            if problem is not None:
                raise FormatError(self._file, None, f"job {self.name(task)!r}: {problem}")


def _is_missing(directory: str, name: str) -> bool:
    """Whether a file should be on this machine, and is not; names are relative to *directory*."""
    if not name or _URL.match(name):
        return False
    path = os.path.join(directory, name)  # noqa: PTH118
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return not os.path.isabs(name) or os.path.isdir(os.path.dirname(name))  # noqa: PTH112, PTH117, PTH120
    except (OSError, ValueError):  # for example, an impossible file name
        return False
    return False


def with_descendants(dag: Dag, tasks: Iterable[int]) -> list[int]:
    """Return *tasks* with all their descendants.

    >>> with_descendants(Dag({"a": [], "b": ["a"], "c": ["b"], "d": []}), [1])
    [1, 2]
    """
    found = [*dict.fromkeys(tasks)]
    seen = set(found)
    for task in found:
        new = [child for child in map(int, dag.children(task)) if child not in seen]
        seen.update(new)
        found += new
    return found


def _objection(command: Command) -> str | None:
    """Return the reason why a command with absolute paths cannot start; None if it can."""
    directory, program = command.directory or ".", command.program
    if not os.path.isdir(directory):  # noqa: PTH112  also False for a name that no file can have
        return f"expected a directory to run in, got {directory!r}"
    path = dict(command.environment).get("PATH", os.environ.get("PATH", os.defpath))
    found = os.path.join(directory, program) if "/" in program else program  # noqa: PTH118
    if shutil.which(found, path=path) is not None:
        return None
    expected = "expected a program that can be run"
    if "/" in program and os.path.isdir(found):  # noqa: PTH112
        return f"{expected}: {program!r} is a directory"
    if "/" in program and os.path.exists(found):  # noqa: PTH110
        return f"{expected}: {program!r} is not executable"
    return f"{expected}, found none called {program!r}"


def write_learned(journal: Journal, directory: Path, instant: Iterable[str] = ()) -> str | None:
    """Write the seconds of completed tasks as a table for `--run-times`; return its name.

    *instant* tasks run nothing, so they take no time. Tasks that are in the table already and were
    not run again keep their seconds. A task whose name no table can hold is left out. Without any
    known seconds there is no table.
    """
    measured = {name: s for name, s in journal.seconds().items() if _fits_table(name)}
    path = directory / TABLE
    known = _known(path)
    if not measured and not known:
        return None
    if measured:
        known.update(dict.fromkeys(filter(_fits_table, instant), 0.0) | measured)
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(["job", "seconds"])
        rows.writerows((name, f"{seconds:.6g}") for name, seconds in known.items())
        write_text(path, text.getvalue())
    return str(path)


def _fits_table(name: str) -> bool:
    """Whether a table returns a name unchanged; another name would spoil the whole table."""
    return bool(name) and name == name.strip() and not {"\n", "\0"} & set(name)


def _known(path: Path) -> dict[str, float]:
    """Return the seconds in a table; empty if the table is missing or cannot be read."""
    with suppress(FormatError):
        table = read_run_times(path)
        return {**dict(zip(table.names, table.seconds.tolist(), strict=True)), **table.patterns}
    return {}


def with_learned(workflow: Workflow, directory: Path) -> Workflow:
    """Return the workflow with the run times learned by earlier runs, if any."""
    known = _known(directory / TABLE)
    if known and len(workflow.dag):
        with suppress(ArgumentError):  # no name matches any more
            # A task may be called ``a*``: the names are not patterns.
            return workflow.with_run_times(RunTimeTable(known, [*known.values()]))
    return workflow
