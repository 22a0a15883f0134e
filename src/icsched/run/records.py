"""The tables of the journal, and the records that worker processes write.

Worker processes import this module, so it imports little.
"""

import fcntl
import math
import os
import platform
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path

FILE, WORKERS = "journal.sqlite", "workers.lock"
_BUSY_S = 60.0  # timeout of a writer that waits for another

TABLES = (
    """CREATE TABLE meta (
    key TEXT PRIMARY KEY NOT NULL CHECK (typeof(key) = 'text'),
    value TEXT NOT NULL
        CHECK (typeof(value) = CASE WHEN key IN ('works', 'done') THEN 'blob' ELSE 'text' END)
)""",
    """CREATE TABLE attempts (
    number INTEGER PRIMARY KEY CHECK (number > 0),  -- names the log, and is never used again
    task INTEGER NOT NULL CHECK (typeof(task) = 'integer' AND task >= 0),
    name TEXT NOT NULL CHECK (typeof(name) = 'text'),
    began REAL NOT NULL  -- POSIX time
        CHECK (typeof(began) = 'real' AND began >= 0 AND began < 9e999),
    ended REAL CHECK (typeof(ended) IN ('real', 'null') AND ended >= 0 AND ended < 9e999),
    seconds REAL CHECK (typeof(seconds) IN ('real', 'null') AND seconds >= 0 AND seconds < 9e999),
    problem TEXT CHECK (typeof(problem) IN ('text', 'null')),  -- NULL for a success
    is_lost INTEGER CHECK (is_lost IN (0, 1)),
    CHECK ((ended IS NULL) = (is_lost IS NULL)),
    CHECK (ended IS NOT NULL OR (seconds IS NULL AND problem IS NULL))
)""",
    """CREATE TABLE completed (
    task INTEGER PRIMARY KEY CHECK (task >= 0),
    number INTEGER  -- the attempt that counts; NULL for a task that runs nothing
        CHECK (typeof(number) IN ('integer', 'null'))
)""",
    "CREATE TABLE content (digest INTEGER NOT NULL)",  # one row, for all rows of the other tables
    "INSERT INTO content VALUES (0)",
)
COLUMNS = {
    "meta": "key value",
    "attempts": "number task name began ended seconds problem is_lost",
    "completed": "task number",
}


def create_tables(journal: sqlite3.Connection) -> None:
    """Make the tables. From now on, each added or removed row changes the digest of the content.

    Triggers update the digest, because a trigger knows the old row, and always runs.
    """
    for statement in TABLES:
        journal.execute(statement)
    for table, columns in COLUMNS.items():
        old, new = (
            ", ".join(f"{row}.{column}" for column in columns.split()) for row in ("OLD", "NEW")
        )
        inserted, deleted = (f"mixed(digest, '{table}', {row})" for row in (new, old))
        updated = f"mixed({deleted}, '{table}', {new})"
        for event, digest in (("INSERT", inserted), ("UPDATE", updated), ("DELETE", deleted)):
            change = f"UPDATE content SET digest = {digest}"  # noqa: S608
            head = f"CREATE TRIGGER {table}_{event} AFTER {event} ON {table}"
            journal.execute(f"{head} BEGIN {change}; END")


def mixed(digest: int, *row: object) -> int:
    """Return a digest of rows after adding a row, or after removing it."""
    found = blake2b(ascii(row).encode(), digest_size=8).digest()  # `repr` differs between Pythons
    return digest ^ int.from_bytes(found, "big", signed=True)


def connect(path: str) -> sqlite3.Connection:
    """Open a journal; each commit is on disk before it returns."""
    # A worker of Dask has one thread for tasks, which may be replaced.
    found = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    found.execute("PRAGMA synchronous = FULL")
    found.execute("PRAGMA trusted_schema = ON")  # else some SQLites keep triggers from functions
    found.create_function("mixed", -1, mixed, deterministic=True)
    return found


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a journal read-only; without a log, SQLite assumes that no process writes it.

    Otherwise SQLite would cut a damaged log when the last connection is closed.
    """
    log = Path(f"{path}-wal")
    is_alone = not log.exists() or not log.stat().st_size
    how = "immutable=1" if is_alone else "mode=ro"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None)


def last_number(journal: sqlite3.Connection) -> int:
    """Return the largest number of an attempt, including forgotten attempts."""
    query = (
        "SELECT max((SELECT coalesce(max(number), 0) FROM attempts),"
        " (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'forgotten'))"
    )
    return int(journal.execute(query).fetchone()[0])


def note_end(
    journal: sqlite3.Connection,
    number: int,
    seconds: float,
    problem: str | None = None,
    *,
    is_lost: bool = False,
) -> None:
    """Record the end of an attempt, unless it is known. A success completes its task.

    An attempt that was given up may still end. The first success counts.
    """
    measured = float(seconds) if 0 <= seconds < math.inf else None
    journal.execute(
        "UPDATE attempts SET ended = ?, seconds = ?, problem = ?, is_lost = ?"
        " WHERE number = ? AND (ended IS NULL OR is_lost)",
        (time.time(), measured, problem, is_lost, number),
    )
    journal.execute(
        "INSERT OR IGNORE INTO completed SELECT task, number FROM attempts"
        " WHERE number = ? AND problem IS NULL AND is_lost = 0",
        (number,),
    )


@dataclass(frozen=True)
class WorkerRecorder:
    """Lets a worker process record successes in the journal in *directory* before reporting them.

    So successes outlive the server. Workers on other machines cannot use the files of this one.
    """

    directory: str

    @property
    def run(self) -> str:
        """The name of the run on all machines: this machine, and the directory of the journal."""
        return f"{platform.node()}:{self.directory}"

    def is_completed(self, task: int, /) -> bool:
        """Whether a task is completed in the journal; False if the journal cannot be read."""
        query = "SELECT count(*) FROM completed WHERE task = ?"
        try:
            journal = _connection(f"{self.directory}/{FILE}")
            return bool(journal.execute(query, (task,)).fetchone()[0])
        except sqlite3.Error:
            return False

    def begin(self) -> None:
        """Hold the lock of the workers while this process lives, so that a new server waits."""
        _hold(f"{self.directory}/{WORKERS}")

    def end(self, number: int, seconds: float, /) -> None:
        """Record a success. If the disk is full, the server gets the error on its own record."""
        with suppress(sqlite3.Error):
            journal = _connection(f"{self.directory}/{FILE}")
            with transaction(journal):
                note_end(journal, number, seconds)


@contextmanager
def transaction(journal: sqlite3.Connection) -> Iterator[None]:
    """Make the statements of a block one transaction, which takes the write lock first."""
    journal.execute("BEGIN IMMEDIATE")
    try:
        yield
        journal.execute("COMMIT")
    except BaseException:
        if journal.in_transaction:
            journal.execute("ROLLBACK")
        raise


@cache
def _hold(path: str) -> None:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    fcntl.flock(handle, fcntl.LOCK_SH)


_connection = cache(connect)
