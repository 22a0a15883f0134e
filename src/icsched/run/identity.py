"""The identity of a workflow in a journal, and checks that the workflow is still the same."""

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import numpy as np

from icsched.arrays import Mask
from icsched.dag import Dag
from icsched.errors import FormatError
from icsched.run.damage import SCHEMA, damaged, last_log_number
from icsched.run.records import last_number

WORK_BYTES = 8  # size of the digest of a task's command
_FORGETS = "--again forgets the run in the journal, and runs all"


@dataclass(frozen=True)
class Identity:
    """The identity of a workflow, for checks when a run is resumed."""

    fingerprint: str  # of names and dependencies
    works: bytes  # for each task a digest of its command, `WORK_BYTES` long
    dag: Dag = field(compare=False)
    idle: Mask = field(compare=False)  # tasks that run nothing
    done: Mask = field(compare=False)  # tasks that were done before the run


def identity_of(dag: Dag, works: Iterable[object], done: Mask | None = None) -> Identity:
    """Return the names, arcs and works that a journal must share with a workflow.

    *works* has an object for each task whose `repr` identifies the command; None for no command.
    *done* has the tasks that were done before the run.
    """
    digest = sha256()
    for name in dag.names:
        digest.update(_bytes(name))
    digest.update(np.ascontiguousarray(dag.arcs, np.int64).tobytes())
    works = list(works)
    return Identity(
        digest.hexdigest(),
        b"".join(sha256(_bytes(work)).digest()[:WORK_BYTES] for work in works),
        dag,
        idle=np.array([work is None for work in works], bool),
        done=np.zeros(len(dag), bool) if done is None else done,
    )


def _bytes(value: object) -> bytes:
    return f"{value!r}\n".encode("utf-8", "backslashreplace")


def note(journal: sqlite3.Connection, key: str, value: str | bytes) -> None:
    """Write a value into `meta`, and replace an earlier one."""
    journal.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        " WHERE value IS NOT excluded.value",
        (key, value),
    )


def describe(journal: sqlite3.Connection, identity: Identity, last: int) -> None:
    """Write the identity of a journal; *last* is the largest number that earlier runs have used."""
    note(journal, "schema", SCHEMA)
    note(journal, "fingerprint", identity.fingerprint)
    note(journal, "tasks", str(len(identity.dag)))
    note(journal, "forgotten", str(last))
    note(journal, "done", np.packbits(identity.done).tobytes())
    note_works(journal, identity)


def note_works(journal: sqlite3.Connection, identity: Identity) -> None:
    """Write the current works, and the tasks that were done before this or an earlier run."""
    note(journal, "works", identity.works)
    note(journal, "done", np.packbits(identity.done | _done_before(journal, identity)).tobytes())


def _done_before(journal: sqlite3.Connection, identity: Identity) -> Mask:
    """Return the tasks that were done before a run of the journal."""
    (kept,) = journal.execute("SELECT value FROM meta WHERE key = 'done'").fetchone()
    bits = np.unpackbits(np.frombuffer(kept, np.uint8), count=len(identity.dag))
    return bits.astype(bool)


def check_same(path: Path, journal: sqlite3.Connection, identity: Identity) -> None:
    """Raise FormatError unless the workflow can go on with the journal at *path*.

    Names, dependencies and the commands of completed tasks must be the same. Other commands may
    have changed, so that a user can fix the command of a task that failed.
    """
    meta = dict(journal.execute("SELECT key, value FROM meta"))
    if meta["fingerprint"] != identity.fingerprint:
        problem = "the journal is of another workflow, or names or dependencies have changed since"
        raise FormatError(str(path), None, f"{problem}: {_FORGETS}")
    sizes = str(len(identity.dag)), len(identity.works), len(np.packbits(identity.done))
    if (meta["tasks"], len(meta["works"]), len(meta["done"])) != sizes:
        raise damaged(path, "it describes another number of jobs")
    digest = np.dtype(f"V{WORK_BYTES}")
    before, now = (np.frombuffer(works, digest) for works in (meta["works"], identity.works))
    changed = set(np.flatnonzero(before != now).tolist())
    completed = {task for (task,) in journal.execute("SELECT task FROM completed")}
    outdated = sorted(completed & changed)
    if outdated:
        problem = f"{_name(outdated[0], identity)} is completed, but what it runs has changed since"
        raise FormatError(str(path), None, f"{problem}: {_FORGETS}")


def _name(task: int, identity: Identity) -> str:
    return repr(str(identity.dag.names[task]))


def check_rows(path: Path, journal: sqlite3.Connection, identity: Identity) -> None:
    """Raise FormatError if the journal has rows that no run of the workflow can have written."""
    meta = dict(journal.execute("SELECT key, value FROM meta"))
    problem = _strange_attempt(journal, meta["forgotten"], identity)
    problem = problem or _strange_completion(journal, identity)
    # An attempt is on the disk before its log.
    if last_log_number(path.parent) > last_number(journal):
        problem = problem or "it does not know of all attempts that have logs"
    if problem:
        raise damaged(path, problem)


def _strange_attempt(journal: sqlite3.Connection, forgotten: str, identity: Identity) -> str | None:
    names = [str(name) for name in identity.dag.names]
    for number, task, name in journal.execute("SELECT number, task, name FROM attempts"):
        if task >= len(names) or names[task] != name:
            return f"attempt {number} is not at a job of the workflow"
        if number <= int(forgotten):
            return f"attempt {number} is of an earlier run"
    return None


def _strange_completion(journal: sqlite3.Connection, identity: Identity) -> str | None:
    """Return the problem with completed tasks, if any."""
    found = journal.execute("SELECT task, number IS NULL FROM completed").fetchall()
    tasks, is_without = np.array(found, np.int64).reshape(-1, 2).T
    size = len(identity.dag)
    if tasks.size and tasks.max() >= size:
        return f"it knows job number {tasks.max() + 1}, but the workflow has {size}"
    query = (
        "SELECT task FROM completed LEFT JOIN attempts USING (number, task)"
        " WHERE number IS NOT NULL AND (problem IS NULL AND is_lost = 0) IS NOT 1 LIMIT 1"
    )
    without = [task for (task,) in journal.execute(query)]
    without += tasks[(is_without == 1) & ~identity.idle[tasks]].tolist()
    if without:
        return f"{_name(without[0], identity)} is completed without an attempt that succeeded"
    known = identity.done | _done_before(journal, identity)
    known[tasks] = True
    completed = np.zeros(size, bool)
    completed[tasks] = True
    parents, children = identity.dag.arcs.T
    early = children[completed[children] & ~known[parents]]
    if early.size:
        return f"{_name(early[0], identity)} is completed, but a parent of it is not"
    return None
