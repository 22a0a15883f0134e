"""Run times that users give in files, with what a report says about them."""

from collections.abc import Sequence

import numpy as np

from icsched.answers.known import TimesKnown
from icsched.errors import ArgumentError, FormatError
from icsched.run_times import Origin, RunTimeTable
from icsched.workflow import Workflow


def with_run_times(workflow: Workflow, paths: Sequence[str]) -> Workflow:
    """Return the workflow with run times from the files at *paths*; the same without any file.

    Raises FormatError for a file that cannot be read, or if all of them are of another workflow.
    """
    if not paths:
        return workflow
    from icsched.logs import read_run_times  # slow to import

    return timed(workflow, read_run_times(*paths), paths)


def timed(workflow: Workflow, table: RunTimeTable, paths: Sequence[str]) -> Workflow:
    """Return the workflow with the run times of a table, which is from the files at *paths*."""
    if not len(workflow.whole):
        return workflow
    try:
        return workflow.with_run_times(table)
    except ArgumentError as error:
        raise FormatError(", ".join(paths), None, str(error)) from error


def times_known(workflow: Workflow, *, is_own: bool = False) -> TimesKnown | None:
    """Return where the run times come from; *is_own* if the user gave no file with run times.

    Returns None without run times, and if the workflow file has all of them.
    """
    if workflow.run_time_origins is None:
        return None
    measured, pattern, kind, of_all = np.bincount(
        workflow.run_time_origins, minlength=len(Origin)
    ).tolist()
    unused = workflow.unused_run_times
    return TimesKnown(measured, pattern, kind, of_all, unused, is_own=is_own)
