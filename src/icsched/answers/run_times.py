"""Run times that users give in files, with what a report says about them."""

from collections.abc import Mapping, Sequence

import numpy as np

from icsched.answers.known import TimesKnown
from icsched.errors import ArgumentError, FormatError
from icsched.run_times import Origin, RunTimeTable
from icsched.workflow import Workflow


def with_run_times(workflow: Workflow, paths: Sequence[str]) -> Workflow:
    """Return the workflow with run times from the files at *paths*; the same without any file.

    Raises FormatError for a file that cannot be read, or if all of them are of another workflow.
    """
    return timed(workflow, _table(paths), paths) if paths else workflow


def _table(paths: Sequence[str]) -> RunTimeTable:
    """Return the run times in logs, tables and workflows; logs and tables replace workflows'."""
    from icsched.answers.contents import is_trace  # slow to import
    from icsched.logs import read_run_times

    traces = [path for path in paths if is_trace(path)]
    others = [path for path in paths if path not in traces]
    known = {name: seconds for path in traces for name, seconds in _own_times(path).items()}
    patterns: Mapping[str, float] = {}
    if others:
        table = read_run_times(*others)
        known.update(zip(table.names, table.seconds.tolist(), strict=True))
        patterns = table.patterns
    return RunTimeTable(tuple(known), np.array([*known.values()]), patterns)


def _own_times(path: str) -> dict[str, float]:
    """Return the seconds that a workflow file itself has; raises FormatError if it has none."""
    from icsched import formats  # slow to import
    from icsched.formats.stated import said

    trace = formats.read(path)
    pairs = zip(map(str, trace.names), said(trace, "run_times"), strict=True)
    known = {name: seconds for name, seconds in pairs if seconds is not None}
    if not known:
        instead = "give a trace of a run, a log, or a table of jobs and seconds"
        raise FormatError(path, None, f"this workflow has no run times: {instead}")
    return known


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
