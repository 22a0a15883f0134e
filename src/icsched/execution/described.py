"""What a journal says of its workflow, and whether that is still the same workflow."""

import sqlite3
from pathlib import Path

import numpy as np

from icsched.errors import FormatError
from icsched.execution.opening import WORK_BYTES, Identity

SCHEMA = "3"


def describe(journal: sqlite3.Connection, identity: Identity, last: int) -> None:
    """Write what a journal is about; *last* is the largest number that earlier runs have used."""
    meta = {"schema": SCHEMA, "fingerprint": identity.fingerprint, "tasks": str(identity.tasks)}
    meta["forgotten"] = str(last)
    journal.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
    note_works(journal, identity)


def note_works(journal: sqlite3.Connection, identity: Identity) -> None:
    """Write what the tasks run now."""
    journal.execute("INSERT OR REPLACE INTO meta VALUES ('works', ?)", (identity.works,))


def check_same(path: Path, journal: sqlite3.Connection, identity: Identity) -> None:
    """Raise FormatError unless the workflow can go on with the journal at *path*.

    Names and dependencies must be the same, and what completed tasks have run. What the other
    tasks run may have changed, so that a user can mend the command of a task that failed.
    """
    meta = dict(journal.execute("SELECT key, value FROM meta"))
    if meta.get("schema") != SCHEMA:
        got = meta.get("schema")
        raise FormatError(str(path), None, f"expected a journal of schema {SCHEMA}, got {got}")
    forgets = "--again forgets the run in the journal, and runs all"
    if meta.get("fingerprint") != identity.fingerprint:
        problem = "the journal is of another workflow, or names or dependencies have changed since"
        raise FormatError(str(path), None, f"{problem}: {forgets}")
    changed = _changed(meta["works"], identity.works)
    completed = {task for (task,) in journal.execute("SELECT task FROM completed")}
    outdated = sorted(completed & changed)
    if outdated:
        problem = f"{_name(journal, outdated[0])} is completed, but what it runs has changed since"
        raise FormatError(str(path), None, f"{problem}: {forgets}")


def _changed(before: bytes, now: bytes) -> set[int]:
    """Return the tasks that run something else."""
    digest = np.dtype(f"V{WORK_BYTES}")
    return set(np.flatnonzero(np.frombuffer(before, digest) != np.frombuffer(now, digest)).tolist())


def _name(journal: sqlite3.Connection, task: int) -> str:
    """Return what messages call a completed task; one that ran nothing has no name here."""
    found = journal.execute("SELECT name FROM attempts WHERE task = ?", (task,)).fetchone()
    return repr(found[0]) if found else f"number {task + 1}"
