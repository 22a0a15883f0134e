"""Detection of damaged journals, which are refused.

SQLite finds pages that do not fit together, but no change inside of a value. So the journal has a
digest of all its rows (`records.create_tables`).

SQLite has transactions in a log of its own, `journal.sqlite-wal`, until it copies them into the
file. The log is a header and frames; a frame is one page. The header and each frame end with a
checksum of all bytes before (https://www.sqlite.org/fileformat2.html#the_write_ahead_log). SQLite
silently stops reading at the first frame with a wrong checksum, because a power cut may tear the
last transaction. If the cause is damage, SQLite loses the frames after it. Damage at the end of the
log can look like a power cut. Then some completed tasks run again, but no task is left out.
"""

import sqlite3
import struct
from contextlib import closing
from functools import cache
from pathlib import Path

from icsched.errors import FormatError
from icsched.run.records import COLUMNS, connect, create_tables, mixed

SCHEMA = "3"
LOGS = "logs"
_KEYS = {"schema", "fingerprint", "tasks", "forgotten", "works", "done"}
_NOT_DAMAGE = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
)
_HEADER, _FRAME = 32, 24  # bytes
_ORDERS = {0x377F0682: "<", 0x377F0683: ">"}  # byte order of the numbers in the checksum


def damaged(path: Path, problem: str) -> FormatError:
    """Return the error for a damaged journal, with advice."""
    remedy = "restore a copy of its directory, or use --again to run all jobs"
    return FormatError(str(path), None, f"the journal is damaged: {problem}: {remedy}")


def check_sound(path: Path, journal: sqlite3.Connection) -> bool:
    """Return whether a journal has any content: a server may be killed before it has made one.

    Raises FormatError if the journal is damaged, or of another schema.
    """
    try:
        with closing(connect(":memory:")) as copy:  # a server may write the journal meanwhile
            journal.backup(copy)
            is_made = bool(_schema(copy))
            problem = _problem(copy) if is_made else None
    except (sqlite3.Error, UnicodeError) as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF in _NOT_DAMAGE:
            raise
        raise damaged(path, "SQLite cannot read it") from error
    if not is_made and last_log_number(path.parent):
        problem = "it is empty, but jobs have run"
    if problem:
        raise damaged(path, problem)
    return is_made


def _problem(journal: sqlite3.Connection) -> str | None:
    """Return the problem of a writable journal; in others SQLite does not check constraints."""
    if journal.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
        return "its pages or values are invalid"
    if _schema(journal) != _expected_schema():
        return f"expected the tables of schema {SCHEMA}, as this version of icsched makes them"
    if journal.execute("SELECT digest FROM content").fetchall() != [(_digest(journal),)]:
        return "its rows are not as they were written"
    meta = dict(journal.execute("SELECT key, value FROM meta"))
    if not meta.keys() >= _KEYS or not meta["forgotten"].isdecimal() or meta["schema"] != SCHEMA:
        return "it does not describe a workflow"
    return None


def _schema(journal: sqlite3.Connection) -> list[tuple[str, ...]]:
    return journal.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()


@cache
def _expected_schema() -> list[tuple[str, ...]]:
    with closing(connect(":memory:")) as journal:
        create_tables(journal)
        return _schema(journal)


def _digest(journal: sqlite3.Connection) -> int:
    digest = 0
    for table, columns in COLUMNS.items():
        for row in journal.execute(f"SELECT {columns.replace(' ', ', ')} FROM {table}"):  # noqa: S608
            digest = mixed(digest, table, *row)
    return digest


def last_log_number(directory: Path) -> int:
    """Return the largest number of an attempt whose log is in the directory of a run."""
    names = [path.name.split(".") for path in (directory / LOGS).glob("*.*.log")]
    return max((int(words[-2]) for words in names if words[-2].isdecimal()), default=0)


def check_log(path: Path) -> None:
    """Raise FormatError if SQLite would forget transactions in the log beside the file at *path*.

    A server may be writing the log, so the log counts as damaged only if it does not change.
    """
    log = Path(f"{path}-wal")
    before, found = None, _content(log)
    while _forgets(found) or (len(found) > _HEADER and not _content(path)):
        if found == before:
            raise damaged(path, f"{log.name} has lost transactions")
        before, found = found, _content(log)


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _forgets(log: bytes) -> bool:
    """Whether SQLite loses a transaction of a log that was completely written.

    A transaction begins only when the previous one is on the disk. So only the last may be torn.
    """
    if len(log) <= _HEADER:
        return False
    magic, _version, size = struct.unpack(">3I", log[:12])
    order = _ORDERS.get(magic)
    if order is None:
        return True
    sums = _summed((0, 0), log[:24], order)
    if sums != struct.unpack(">2I", log[24:_HEADER]):
        return True
    unread, is_read = 0, True
    for at in range(_HEADER, len(log) - _FRAME - size + 1, _FRAME + size):
        head = log[at : at + _FRAME]
        if head[8:16] != log[16:24]:  # an older frame, not yet written over
            is_read = False
            continue
        if is_read:
            page = log[at + _FRAME : at + _FRAME + size]
            sums = _summed(sums, head[:8] + page, order)
            is_read = sums == struct.unpack(">2I", head[16:])
        unread += not is_read and head[4:8] != bytes(4)  # it ends a transaction
    return unread > 1


def _summed(sums: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    """Return the two checksums of SQLite's log after more data."""
    first, second = sums
    numbers = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for one, two in zip(numbers, numbers, strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second
