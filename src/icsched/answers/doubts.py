"""What is wrong or missing in the logs of a past run, so that a user can judge the rest."""

from dataclasses import dataclass, replace

import numpy as np

from icsched.arrays import Mask
from icsched.logs import Ending, PastRun, Usage
from icsched.logs.usage import CLOCK_S
from icsched.workflow import Workflow

_YEAR_S = 366 * 86400.0


@dataclass(frozen=True)
class Doubts:
    """What the last run in the logs lacks.

    `running` counts the jobs that run when the logs end, `absent` those of the workflow that never
    started; jobs that run nothing do not count. `set_back` is by how many seconds the clock went
    backwards; `skipped` attempts after that count for run times alone. `backwards` counts the
    attempts of all runs that ended before their start: they have no run time. `has_year` is
    false if the logs have no years. `is_over_a_year` is whether the run took longer than a year.
    """

    running: int = 0
    absent: int = 0
    set_back: float = 0.0
    skipped: int = 0
    backwards: int = 0
    has_year: bool = True
    is_over_a_year: bool = False


def doubts_about(past: PastRun, usage: Usage, workflow: Workflow | None) -> Doubts:
    """Return what the last run of *past*, whose usage is given, lacks; clocks are not looked at."""
    run = past.last_run
    is_open = (run.ending == Ending.RUNNING) & np.isnan(run.ended)
    return Doubts(
        running=len(np.unique(run.job[is_open])),
        absent=0 if workflow is None else _absent(run, workflow),
        backwards=int((past.set_back > 0).sum()),
        has_year=past.has_year,
        is_over_a_year=usage.length > _YEAR_S,
    )


def _absent(run: PastRun, workflow: Workflow) -> int:
    """Return how many jobs of the workflow, of those that run something, never started."""
    started = {run.names[job] for job in np.unique(run.job).tolist()}
    runs = _runs_something(workflow)
    return sum(str(name) not in started for name in workflow.dag.names if str(name) in runs)


def _runs_something(workflow: Workflow) -> set[str]:
    names = map(str, workflow.names)
    if workflow.describe is None:
        return set(names)
    return {name for name, by in zip(names, workflow.describe(), strict=True) if by}


def set_back_in(run: PastRun) -> tuple[Mask, float]:
    """Return the attempts that start before an earlier one in the log, and by how many seconds."""
    known = np.where(np.isnan(run.started), -np.inf, run.started)
    late = np.maximum.accumulate(known) - run.started if len(run) else known
    behind: Mask = late > CLOCK_S  # never of an unknown start, which is NaN
    return behind, float(late[behind].max(initial=0.0))


def without(run: PastRun, behind: Mask) -> PastRun:
    """Return *run* with the starts of the attempts *behind* unknown."""
    return replace(run, started=np.where(behind, np.nan, run.started))
