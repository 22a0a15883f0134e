"""Run times that a run has measured, for the next one."""

import csv
import io
from contextlib import suppress
from pathlib import Path

from icsched.errors import ArgumentError
from icsched.execution.journal import Journal
from icsched.files import write_text
from icsched.workflow import Workflow

TABLE = "run-times.csv"


def write_learned(journal: Journal, directory: Path) -> str | None:
    """Write the seconds of completed tasks as a table for `--run-times`; return its name.

    Tasks that are in the table already and were not run again keep their seconds.
    """
    known = journal.seconds()
    if not known:
        return None
    path = directory / TABLE
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["job", "seconds"])
    rows.writerows((name, f"{seconds:.6g}") for name, seconds in known.items())
    write_text(path, text.getvalue())
    return str(path)


def with_learned(workflow: Workflow, directory: Path) -> Workflow:
    """Return the workflow with the run times that an earlier run has learned, if there are any."""
    path = directory / TABLE
    if not path.exists() or not len(workflow.whole):
        return workflow
    from icsched.logs import read_run_times  # slow to import

    with suppress(ArgumentError):  # none of its names is left in the workflow
        return workflow.with_run_times(read_run_times(path))
    return workflow
