"""The journal of a run: attempts, outcomes, and completed tasks.

It is an SQLite database in WAL mode, in a directory of its own:

| file | has |
| --- | --- |
| `journal.sqlite` | attempts, completed tasks, the fingerprint of the workflow |
| `server.lock` | locked while a server runs |
| `workers.lock` | locked (shared) while a worker process that has begun an attempt lives |
| `reserve` | space to free when the disk is full, so that running attempts can be recorded |
| `logs/` | the output of each attempt |
| `run-times.csv` | seconds of completed tasks |
"""

import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from icsched.dag import Dag
from icsched.errors import FormatError
from icsched.files.owned import check_owned, open_owned
from icsched.run.crew import Outcome, tell_nobody
from icsched.run.damage import LOGS, check_log, check_sound, last_log_number
from icsched.run.directory import RESERVE, reserve, sole_server
from icsched.run.identity import (
    Identity,
    check_rows,
    check_same,
    describe,
    identity_of,
    note,
    note_works,
)
from icsched.run.records import (
    COLUMNS,
    FILE,
    connect,
    connect_to_read,
    create_tables,
    last_number,
    note_end,
    transaction,
)

_UNSAFE = re.compile(r"[^\w.+-]", re.ASCII)
_LONGEST_NAME = 100  # length of a task's name in the name of its log


@dataclass(frozen=True)
class Opening:
    """Options for opening a journal: to *resume* a run, or to run everything *again*."""

    resume: bool = False
    again: bool = False
    tell: Callable[[str], None] = tell_nobody  # of a missing journal, or workers to wait for


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and of the system into a FormatError with the name of the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise FormatError(str(path), None, f"the journal: {error}") from error
    except OSError as error:
        name = str(error.filename or path)
        raise FormatError(name, None, f"the journal: {error.strerror}") from error


class Journal:
    """An open journal. Tasks are ids of the workflow.

    Every method raises FormatError, with the name of the file, if the journal cannot be used.
    """

    def __init__(self, directory: Path | None, journal: sqlite3.Connection) -> None:
        self.directory = directory
        self._path = (directory or Path()) / FILE
        self._journal = journal

    @classmethod
    def in_memory(cls) -> Self:
        """Return a journal in memory, for a run that is never resumed."""
        journal = connect(":memory:")
        _create(journal, identity_of(Dag({}), ()))
        return cls(None, journal)

    def close(self) -> None:
        """Close the file. An earlier run that is not yet forgotten stays."""
        self._journal.close()

    def completed(self) -> set[int]:
        """Return the tasks that are completed."""
        return {task for (task,) in self._rows("SELECT task FROM completed")}

    def is_completed(self, task: int) -> bool:
        """Whether a task is completed, for example by a worker that died after recording this."""
        return bool(self._rows("SELECT task FROM completed WHERE task = ?", task))

    def seconds(self) -> dict[str, float]:
        """Return the seconds of the successful attempts, by name of the completed task."""
        rows = self._rows("SELECT name, seconds FROM completed JOIN attempts USING (number)")
        return {name: seconds for name, seconds in rows if seconds is not None}

    def begin(self, tasks: Sequence[tuple[int, str]]) -> list[int]:
        """Record that attempts at *tasks*, ids with names, begin now; return their numbers."""
        now = time.time()
        with self._writing():
            first = last_number(self._journal) + 1
            rows = [(number, *task, now) for number, task in enumerate(tasks, first)]
            self._journal.executemany(
                "INSERT INTO attempts (number, task, name, began) VALUES (?, ?, ?, ?)", rows
            )
        return [number for number, *_ in rows]

    def end(self, ends: Iterable[Outcome]) -> None:
        """Record how attempts ended."""
        with self._writing():
            for one in ends:
                note_end(self._journal, one.number, one.seconds, one.problem, is_lost=one.is_lost)

    def complete(self, tasks: Iterable[int]) -> None:
        """Record that tasks without a command are completed."""
        with self._writing():
            rows = ((task,) for task in tasks)
            self._journal.executemany("INSERT OR IGNORE INTO completed VALUES (?, NULL)", rows)

    def forget(self, tasks: Iterable[int]) -> None:
        """Make completed tasks run again; their attempts stay recorded."""
        with self._writing():
            rows = ((task,) for task in tasks)
            self._journal.executemany("DELETE FROM completed WHERE task = ?", rows)

    def log_of(self, number: int, name: str) -> Path:
        """Return the path of an attempt's log."""
        shown = _UNSAFE.sub("_", name)[:_LONGEST_NAME]
        return (self.directory or Path()) / LOGS / f"{shown}.{number}.log"

    def last_log(self, task: int, name: str) -> Path:
        """Return the log of the last attempt at a task."""
        query = "SELECT coalesce(max(number), 0) FROM attempts WHERE task = ?"
        [(number,)] = self._rows(query, task)
        return self.log_of(number, name)

    def make_room(self) -> None:
        """Free the reserve, because the disk is full."""
        if self.directory is not None:
            with suppress(OSError):
                (self.directory / RESERVE).unlink()

    def forget_earlier(self) -> None:
        """Forget an earlier run permanently, if this run runs everything again.

        The first record does so, too. Before that, the journal is unchanged.
        """
        with _naming(self._path):
            if self._journal.in_transaction:
                self._journal.execute("COMMIT")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self.forget_earlier()
        with _naming(self._path), transaction(self._journal):
            yield

    def _rows(self, query: str, *given: object) -> list[Any]:
        with _naming(self._path):
            return self._journal.execute(query, given).fetchall()


@contextmanager
def read_journal(directory: Path, identity: Identity, opening: Opening) -> Iterator[Journal]:
    """Open the journal in *directory* read-only, without a lock.

    A missing journal is empty. Raises FormatError if the journal is damaged, or of another or a
    changed workflow.
    """
    path = directory / FILE
    with _naming(path):
        check_owned(directory)
        check_log(path)
        is_there = path.exists()
    if not is_there:
        opening.tell(f"{directory}: no journal to resume: all jobs run")
        yield Journal.in_memory()
        return
    with ExitStack() as stack:
        with _naming(path):
            journal = stack.enter_context(closing(connect_to_read(path)))
            is_made = check_sound(path, journal)
            if is_made:
                check_same(path, journal, identity)
                check_rows(path, journal, identity)
        yield Journal(directory, journal) if is_made else Journal.in_memory()


@contextmanager
def open_journal(
    directory: Path, identity: Identity, opening: Opening, *, writers: int = 1
) -> Iterator[Journal]:
    """Open the journal in *directory*, locked against other servers until the end.

    Raises FormatError if another server runs, if there is a journal that was not to be resumed, if
    the workflow is another or has changed, or if the directory cannot be written. After this or
    another error before the run begins, all files are unchanged.
    """
    path = directory / FILE
    with ExitStack() as stack:
        with _naming(path):
            _check_wanted(path, opening)
            if opening.resume:
                with read_journal(directory, identity, opening):
                    pass  # the run may be resumed
            place = stack.enter_context(sole_server(directory, opening.tell))
            _check_wanted(path, opening)  # another server may have been faster
            with suppress(FileExistsError):
                os.mkdir(LOGS, 0o700, dir_fd=place)
            reserve(place, writers)
            journal = stack.enter_context(closing(_opened(path, identity, opening)))
        yield journal
        journal.forget_earlier()


def _check_wanted(path: Path, opening: Opening) -> None:
    if path.exists() and not opening.resume and not opening.again:
        problem = "use --resume to go on, --again to run all"
        raise FormatError(str(path), None, f"the journal of a run is here already: {problem}")


def _set_strange_aside(path: Path) -> None:
    """Rename a file that is damaged, no journal, or of another schema, in case it is needed."""
    if not path.exists():
        return
    with suppress(FormatError):
        check_log(path)
        with closing(connect_to_read(path)) as journal:
            check_sound(path, journal)
            return
    _remove(Path(f"{path}.bak"))
    for end in ("-wal", ""):
        with suppress(FileNotFoundError):
            Path(f"{path}{end}").replace(f"{path}.bak{end}")
    _remove(path)


def _remove(path: Path) -> None:
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with suppress(OSError):
            name.unlink()


def _opened(path: Path, identity: Identity, opening: Opening) -> Journal:
    """Open a journal, or make one; raises FormatError for a journal of another run."""
    if opening.again:
        _set_strange_aside(path)
    with ExitStack() as undoing:
        if not path.exists():
            undoing.callback(_remove, path)
        journal = _connected(path)
        undoing.callback(journal.close)
        if journal.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
            raise FormatError(str(path), None, "this file system cannot hold a journal in WAL mode")
        if not journal.execute("SELECT name FROM sqlite_master").fetchone():
            _create(journal, identity, last_log_number(path.parent))
        if not opening.again:
            check_same(path, journal, identity)
        opened = Journal(path.parent, journal)
        with transaction(journal):  # checks that the journal can be written
            note(journal, "opened", str(time.time()))
            if not opening.again:
                note_works(journal, identity)
        if opening.again:  # in a transaction that stays open until `forget_earlier`
            journal.execute("BEGIN IMMEDIATE")
            last = max(last_number(journal), last_log_number(path.parent))  # the logs stay
            for table in COLUMNS:
                journal.execute(f"DELETE FROM {table}")  # noqa: S608
            describe(journal, identity, last)
        undoing.pop_all()
    return opened


def _connected(path: Path) -> sqlite3.Connection:
    """Open a journal, or make one that only this user may read."""
    file = open_owned(path, os.O_RDWR | os.O_CREAT)
    try:
        os.fchmod(file, 0o600)  # SQLite gives the files beside it the same permissions
    finally:
        os.close(file)
    return connect(str(path))


def _create(journal: sqlite3.Connection, identity: Identity, last: int = 0) -> None:
    with transaction(journal):
        create_tables(journal)
        describe(journal, identity, last)
