"""What logs lack, and what is wrong with their clocks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from icsched.arrays import Mask
from icsched.errors import FormatError
from icsched.history.past_run import Ending, PastRun
from icsched.history.sources import Content, content_of
from icsched.history.usage import CLOCK_S, Usage
from icsched.run_times import RunTimeTable
from icsched.workflow import Workflow

_YEAR_S = 366 * 86400.0


@dataclass(frozen=True)
class LogProblems:
    """What the last run in the logs lacks.

    `running` counts the jobs that run when the logs end, `absent` those of the workflow that never
    started; jobs that run nothing do not count. `set_back` is by how many seconds the clock went
    backwards; `skipped` attempts after that count for run times alone. `backwards` counts the
    attempts of all runs that ended before their start: they have no run time. `unread` counts the
    amounts of cores, memory and other resources that cannot be read. `has_year` is false if the
    logs have no years. `is_over_a_year` is whether the run took longer than a year.
    """

    running: int
    absent: int
    set_back: float
    skipped: int
    backwards: int
    unread: int
    has_year: bool
    is_over_a_year: bool

    @classmethod
    def of(
        cls, past: PastRun, usage: Usage, workflow: Workflow | None, *, is_in_order: bool
    ) -> Self:
        """Return what the last run of *past*, whose usage is given, lacks.

        *is_in_order* says whether the starts come as they happened: others say nothing of clocks.
        """
        run = past.last_run
        is_open = (run.ending == Ending.RUNNING) & np.isnan(run.ended)
        behind, seconds = _set_back(run) if is_in_order else (np.zeros(0, bool), 0.0)
        return cls(
            running=len(np.unique(run.job[is_open])),
            absent=0 if workflow is None else _absent(run, workflow),
            set_back=seconds,
            skipped=int(behind.sum()),
            backwards=int((past.set_back > 0).sum()),
            unread=past.unread,
            has_year=past.has_year,
            is_over_a_year=usage.length > _YEAR_S,
        )


def _absent(run: PastRun, workflow: Workflow) -> int:
    """Return how many jobs of the workflow, of those that run something, never started."""
    started = {run.names[job] for job in np.unique(run.job).tolist()}
    words = workflow.source.descriptions()
    if words is not None:
        pairs = zip(workflow.names, words, strict=True)
        started |= {str(name) for name, description in pairs if not description}
    return sum(str(name) not in started for name in workflow.residual.names)


def without_set_back(run: PastRun) -> PastRun:
    """Return *run* without the starts after the clock was set back."""
    return replace(run, started=np.where(_set_back(run)[0], np.nan, run.started))


def _set_back(run: PastRun) -> tuple[Mask, float]:
    """Return the attempts that start before an earlier one in the log, and by how many seconds."""
    known = np.where(np.isnan(run.started), -np.inf, run.started)
    late = np.maximum.accumulate(known) - run.started if len(run) else known
    behind: Mask = late > CLOCK_S  # never of an unknown start, which is NaN
    return behind, float(late[behind].max(initial=0.0))


def is_one_log(read: Sequence[tuple[str, bytes]]) -> bool:
    """Whether there is one file, a log, whose events come as they happened."""
    return len(read) == 1 and content_of(*read[0]) is Content.LOG


def checked_run_times(
    past: PastRun, read: Sequence[tuple[str, bytes]], *, is_replayed: bool
) -> RunTimeTable:
    """Return the run times in the files that were *read*.

    Raises FormatError if there are none, or if the run is to be replayed and a clock was set back.
    """
    where = ", ".join(path for path, _ in read)
    clock, without = "the clock went backwards", "without the workflow, learn tells the"
    bad = np.flatnonzero(past.set_back > CLOCK_S)
    if is_replayed and len(bad):
        job, seconds = past.names[past.job[bad[0]]], past.set_back[bad[0]]
        problem = f"{clock}: job {job!r} ended {seconds:g} s before its start"
        raise FormatError(where, None, f"{problem}; {without} other run times")
    if not len(past):
        raise FormatError(where, None, "expected jobs that were executed, got none")
    table = past.run_times()
    if not len(table):
        problem = "expected a successful job with its start and its end, got none"
        raise FormatError(where, None, problem)
    if not table.seconds.any():
        problem = "all run times are 0: learn needs jobs that take a second or more"
        raise FormatError(where, None, problem)
    if is_replayed and is_one_log(read) and (seconds := _set_back(past)[1]):
        problem = f"{clock} by {seconds:g} s between two starts: {without} run times"
        raise FormatError(where, None, problem)
    return table
