"""A past run: which jobs were executed, when, where and with what end."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids
from icsched.run_times import RunTimeTable

FIRST_YEAR = 2000  # of logs without years; a leap year, because they may have 29 February
_DAY = timedelta(days=1)  # more than the offset of any time zone
_YEARLESS = (  # when logs without years begin, as POSIX times
    (datetime(FIRST_YEAR - 1, 12, 1, tzinfo=UTC) - _DAY).timestamp(),
    (datetime(FIRST_YEAR + 1, 1, 1, tzinfo=UTC) + _DAY).timestamp(),
)


class Ending(IntEnum):
    """How an attempt to execute a job ended."""

    DONE = 0
    FAILED = 1
    EVICTED = 2  # or was held, or HTCondor's shadow or connection failed: its work was lost
    REMOVED = 3  # by somebody, while it ran
    RUNNING = 4  # when the log ends


@dataclass(frozen=True, eq=False)
class PastRun:
    """The attempts to execute jobs that logs tell of, in the order in which they appear there.

    `names` has the name of each job: of its DAG node, or "cluster.proc" if it has none. The arrays
    have one entry per attempt. `job` and `slot` are indexes into `names` and `slots`. Times are
    seconds since the earliest event, whose POSIX time is `began`; NaN and -1 mean unknown. If a
    clock was set back, the earlier of two moments is unknown, and `set_back` has the seconds from
    start to end. `suspended` has the seconds within an attempt in which the job did not run. `run`
    counts the runs of the same workflow in the logs, from 0.

    By the name of a resource, such as "cores" or "memory_bytes", `requested` has what the job of
    each attempt asked for, and `allocated` what its slot held; NaN means unknown. `unread` counts
    the resources in the logs that are no amounts.
    """

    names: tuple[str, ...]
    slots: tuple[str, ...]
    began: float
    job: Ids
    submitted: Floats
    started: Floats
    ended: Floats
    suspended: Floats
    set_back: Floats
    ending: NDArray[np.uint8]
    slot: Ids
    run: Ids
    requested: Mapping[str, Floats] = field(default_factory=dict)
    allocated: Mapping[str, Floats] = field(default_factory=dict)
    unread: int = 0

    def __len__(self) -> int:
        return len(self.job)

    @property
    def has_year(self) -> bool:
        """Whether the logs say the year: those that do not are taken to begin in 2000."""
        return not _YEARLESS[0] <= self.began < _YEARLESS[1]

    @cached_property
    def seconds(self) -> Floats:
        """Seconds of each attempt from start to end, without its suspensions; NaN if unknown."""
        seconds: Floats = np.maximum(self.ended - self.started - self.suspended, 0)
        return seconds

    @cached_property
    def last_run(self) -> "PastRun":
        """The attempts of the last run alone; `names` and `slots` stay the same.

        A new run begins where a job is submitted again that had succeeded. Retries, and the rest
        of a run that continues from a rescue file, belong to the same run.
        """
        kept = self.run == self.run.max(initial=0)
        arrays = [field.name for field in fields(self) if field.name not in _NOT_PER_ATTEMPT]
        changes: dict[str, Any] = {name: getattr(self, name)[kept] for name in arrays}
        for name in _BY_RESOURCE:
            changes[name] = {word: held[kept] for word, held in getattr(self, name).items()}
        return replace(self, **changes)

    @cached_property
    def needs(self) -> Mapping[str, Floats]:
        """What each job asked for, by resource: the most that an attempt did; NaN if unknown."""
        return {word: self._most(asked) for word, asked in self.requested.items()}

    def _most(self, values: Floats) -> Floats:
        most = np.full(len(self.names), np.nan)
        np.fmax.at(most, self.job, values)
        return most

    def run_times(self) -> RunTimeTable:
        """Return the mean seconds of each job's successful attempts, of all runs.

        A job without a successful attempt of known length is not in the table.
        """
        good = (self.ending == Ending.DONE) & ~np.isnan(self.seconds)
        counts = np.bincount(self.job[good], minlength=len(self.names))
        totals = np.bincount(self.job[good], self.seconds[good], minlength=len(self.names))
        known = np.flatnonzero(counts)
        names = tuple(self.names[job] for job in known.tolist())
        return RunTimeTable(names, totals[known] / counts[known])


_BY_RESOURCE = ("requested", "allocated")
_NOT_PER_ATTEMPT = ("names", "slots", "began", "unread", *_BY_RESOURCE)
