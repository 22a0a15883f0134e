"""What attempts leave behind if they are killed with their workers: files that got no name."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from icsched.engines.processes import remove_parts
from icsched.execution.commands import CommandTasks
from icsched.execution.records import COPIES, FILE, connect_to_read

_LOST = (
    "SELECT number, name FROM attempts WHERE (ended IS NULL OR is_lost)"
    " AND EXISTS (SELECT * FROM meta WHERE key = ?)"
)


def remove_leftovers(directory: Path, tasks: CommandTasks) -> None:
    """Remove the files of attempts that did not end by themselves, by the journal in *directory*.

    Only runs that allow copies leave such files. Nothing is removed if the journal cannot be read.
    No worker of the run may be alive.
    """
    lost = _lost(directory / FILE)
    if lost:
        names = {tasks.name(task): task for task in range(len(tasks.commands))}
        for number, name in lost:
            work = tasks.work(names[name]) if name in names else None
            if work is not None:
                with suppress(OSError):
                    remove_parts(work, number)


def _lost(path: Path) -> list[tuple[int, str]]:
    if not path.exists():
        return []
    try:
        with closing(connect_to_read(path)) as journal:
            return journal.execute(_LOST, (COPIES,)).fetchall()
    except sqlite3.Error:
        return []
