"""Run times that a run has measured, for the next one."""

import csv
import io
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import numpy as np

from icsched.errors import ArgumentError, FormatError
from icsched.files import write_text
from icsched.history import read_run_times
from icsched.run.journal import Journal
from icsched.run_times import RunTimeTable
from icsched.workflow import Workflow

TABLE = "run-times.csv"


def write_learned(journal: Journal, directory: Path, instant: Iterable[str] = ()) -> str | None:
    """Write the seconds of completed tasks as a table for `--run-times`; return its name.

    *instant* tasks run nothing, so they take no time. Tasks that are in the table already and were
    not run again keep their seconds. A task whose name no table can hold is left out. There is no
    table as long as nothing is known.
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
    """Whether a table gives a name back as it is: one that does not would spoil the whole table."""
    return bool(name) and name == name.strip() and not {"\n", "\0"} & set(name)


def _known(path: Path) -> dict[str, float]:
    """Return the seconds in a table; none if there is no table that can be read."""
    with suppress(FormatError):
        table = read_run_times(path)
        return {**dict(zip(table.names, table.seconds.tolist(), strict=True)), **table.patterns}
    return {}


def with_learned(workflow: Workflow, directory: Path) -> Workflow:
    """Return the workflow with the run times that an earlier run has learned, if there are any."""
    path = directory / TABLE
    if not path.exists() or not len(workflow.whole):
        return workflow
    with suppress(ArgumentError, FormatError):  # no name fits any more, or someone else wrote it
        return workflow.with_run_times(_without_patterns(read_run_times(path)))
    return workflow


def _without_patterns(table: RunTimeTable) -> RunTimeTable:
    """Return a table that `write_learned` wrote: a task may be called ``a*``, and that is all."""
    seconds = np.concatenate([table.seconds, list(table.patterns.values())])
    return RunTimeTable((*table.names, *table.patterns), seconds)
