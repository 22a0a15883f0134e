"""The tables of the journal, and what a worker process writes into them itself.

Worker processes import this module, so it imports little.
"""

import fcntl
import os
import platform
import sqlite3
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

FILE, WORKERS = "journal.sqlite", "workers.lock"
COPIES = "copies"  # the key in `meta` of a journal some of whose attempts had files apart
HANDED_OVER = "handed over"  # the key in `meta` of the order in which an engine has the workflow
_BUSY_S = 60.0  # how long a writer waits for another one

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE attempts (
    number INTEGER PRIMARY KEY,  -- names the log, and is never used again
    task INTEGER NOT NULL,
    name TEXT NOT NULL,
    began REAL NOT NULL,  -- POSIX time
    ended REAL,
    seconds REAL,
    problem TEXT,  -- NULL for a success
    is_lost INTEGER
);
CREATE TABLE completed (
    task INTEGER PRIMARY KEY,
    number INTEGER  -- the attempt that counts; NULL for a task that runs nothing
);
"""


def connect(path: str) -> sqlite3.Connection:
    """Open a journal; each commit is on disk before it returns."""
    # A worker of Dask may change its thread, and has one thread for tasks.
    found = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    found.execute("PRAGMA synchronous = FULL")
    return found


def note_end(
    journal: sqlite3.Connection, number: int, seconds: float, problem: str | None, *, is_lost: bool
) -> None:
    """Say how an attempt ended, unless that is known."""
    journal.execute(
        "UPDATE attempts SET ended = ?, seconds = ?, problem = ?, is_lost = ?"
        " WHERE number = ? AND ended IS NULL",
        (time.time(), seconds, problem, is_lost, number),
    )


def note_completed(journal: sqlite3.Connection, task: int, number: int | None) -> None:
    """Say that a task is completed. The first success counts; a later one changes nothing."""
    journal.execute("INSERT OR IGNORE INTO completed VALUES (?, ?)", (task, number))


@dataclass(frozen=True)
class WorkerRecorder:
    """Lets a worker process record successes in the journal in *directory*.

    A worker holds a shared lock from its first attempt to its end. A server that finds such a
    lock knows that workers of a killed server still run.
    """

    directory: str

    @property
    def run(self) -> str:
        """What names the run on all machines: this machine, and the directory of the journal."""
        return f"{platform.node()}:{self.directory}"

    def is_completed(self, task: int, /) -> bool:
        """Whether the journal says that a task is completed; False if it cannot be read."""
        query = "SELECT count(*) FROM completed WHERE task = ?"
        try:
            journal = _connection(f"{self.directory}/{FILE}")
            return bool(journal.execute(query, (task,)).fetchone()[0])
        except sqlite3.Error:
            return False

    def begin(self) -> None:
        """Hold the lock of the workers, for as long as this process lives."""
        _hold(f"{self.directory}/{WORKERS}")

    def end(self, number: int, task: int, seconds: float, /) -> None:
        """Record a success. If the disk is full, the server finds out when it does the same."""
        with suppress(sqlite3.Error):
            journal = _connection(f"{self.directory}/{FILE}")
            with transaction(journal):
                note_end(journal, number, seconds, None, is_lost=False)
                note_completed(journal, task, number)


class transaction:  # noqa: N801  used as a function
    """Make the statements of a block one transaction, which takes the right to write first."""

    def __init__(self, journal: sqlite3.Connection) -> None:
        self._journal = journal

    def __enter__(self) -> None:
        self._journal.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_rest: object) -> None:
        if kind is None:
            try:
                self._journal.execute("COMMIT")
            except sqlite3.Error:
                self._undo()
                raise
        else:
            self._undo()

    def _undo(self) -> None:
        if self._journal.in_transaction:
            self._journal.execute("ROLLBACK")


@cache
def _hold(path: str) -> int:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


@cache
def _connection(path: str) -> sqlite3.Connection:
    return connect(path)
