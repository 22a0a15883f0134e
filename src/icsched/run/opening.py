"""How a journal is opened, and what a workflow must have in common with it."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from icsched.arrays import Mask
from icsched.dag import Dag
from icsched.errors import FormatError


def stopped(error: FormatError) -> FormatError:
    """Return the error of a run that has stopped, because the journal could not be written."""
    problem = f"{error.problem}; the run has stopped: fix this, then use --resume"
    return FormatError(error.path, error.line, problem)


def _nothing() -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Opening:
    """How a journal is opened: to *resume* a run, or to run everything *again*.

    *waiting* is called if workers of a killed server still run, before this process waits.
    *no_journal* is called if there is no journal to resume, so that all tasks run.
    """

    resume: bool = False
    again: bool = False
    waiting: Callable[[], None] = _nothing
    no_journal: Callable[[], None] = _nothing


WORK_BYTES = 8  # of the digest of what a task runs


@dataclass(frozen=True)
class Identity:
    """What marks a workflow when a run goes on, and what a journal of the workflow may say.

    *fingerprint* is of names and dependencies, *works* has a digest of `WORK_BYTES` for each task.
    The tasks in *idle* run nothing. The tasks in *done* were done before the run.
    """

    fingerprint: str
    works: bytes
    dag: Dag = field(compare=False)
    idle: Mask = field(compare=False)
    done: Mask = field(compare=False)


class Naming:
    """Turn errors of SQLite and of the system into a FormatError with the name of the file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, sqlite3.Error):
            raise FormatError(str(self._path), None, f"the journal: {error}") from error
        if isinstance(error, OSError):
            path = str(error.filename or self._path)
            raise FormatError(path, None, f"the journal: {error.strerror}") from error
