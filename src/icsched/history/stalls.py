"""Times in which slots were free and no job could be taken, and the jobs that all waited for."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from icsched.arrays import Floats, Ids
from icsched.history.summary import profile
from icsched.history.usage import Usage

_MOST = 10  # periods and jobs that are named


@dataclass(frozen=True)
class Stall:
    """A period in which slots stood empty for want of jobs, and the job that ended it.

    Times are in seconds since the first start. `lost` is the seconds of all slots together.
    """

    start: float
    end: float
    lost: float
    waited_for: str | None


@dataclass(frozen=True)
class Stalls:
    """For how long slots were free without a job to take, and for which jobs they waited.

    `seconds` is how long at least one slot was, `lost` that of all slots together, `share` that
    over all the time of the slots. `longest` has the worst periods, `waited_for` the jobs with the
    slots' seconds that were lost until each of them ended.
    """

    seconds: float
    lost: float
    share: float
    longest: tuple[Stall, ...]
    waited_for: tuple[tuple[str, float], ...]


def find_stalls(usage: Usage, names: Sequence[Hashable]) -> Stalls:
    """Return when jobs were missing; *names* are those of the dag's tasks.

    All slots wait for the last parent of the job that can be taken next; at the end of the run for
    the job that ends last.
    """
    moments, _, _, missing = profile(usage)
    steps = np.diff(moments)
    lost = missing[:-1] * steps
    blamed = _blamed(usage, moments[:-1])
    present = usage.present(moments[:-1]) * steps
    return Stalls(
        seconds=float(steps[missing[:-1] > 0].sum()),
        lost=float(lost.sum()),
        share=float(lost.sum() / max(present.sum(), 1e-9)),
        longest=_longest(moments, lost, blamed, names),
        waited_for=_worst(blamed, lost, names),
    )


def _blamed(usage: Usage, moments: Floats) -> Ids:
    """Return the task that free slots wait for at each moment, -1 if it is unknown."""
    by_time = np.argsort(usage.takeable, kind="stable")
    after = np.searchsorted(usage.takeable[by_time], moments, side="right")
    blamed = np.append(usage.last[by_time], usage.task[np.argmax(usage.end)])[after]
    return blamed.astype(np.int32)


def _worst(blamed: Ids, lost: Floats, names: Sequence[Hashable]) -> tuple[tuple[str, float], ...]:
    known = blamed >= 0
    totals = np.bincount(blamed[known], lost[known], minlength=1)
    worst = np.argsort(-totals, kind="stable")[:_MOST]
    return tuple((str(names[task]), float(totals[task])) for task in worst if totals[task] > 0)


def _longest(
    moments: Floats, lost: Floats, blamed: Ids, names: Sequence[Hashable]
) -> tuple[Stall, ...]:
    """Return the periods in which the most was lost, each with one job that all waited for."""
    if not len(lost):
        return ()
    is_new = np.append(True, (blamed[1:] != blamed[:-1]) | (lost[1:] == 0) | (lost[:-1] == 0))
    first = np.flatnonzero(is_new)
    totals = np.add.reduceat(lost, first)
    stop = np.append(first[1:], len(lost))
    worst = np.argsort(-totals, kind="stable")[:_MOST]
    return tuple(
        Stall(
            float(moments[first[at]]),
            float(moments[stop[at]]),
            float(totals[at]),
            str(names[blamed[first[at]]]) if blamed[first[at]] >= 0 else None,
        )
        for at in np.sort(worst).tolist()
        if totals[at] > 0
    )
