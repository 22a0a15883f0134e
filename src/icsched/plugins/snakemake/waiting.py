"""The jobs that wait for resources, as rows of arrays.

A round must be cheap among hundreds of thousands of ready jobs. So priorities and needs are in
arrays, and Python looks only at the jobs that are likely to start.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import and_

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats
from icsched.plugins.snakemake.jobs import Job

CHUNK = 1024  # jobs to check one by one before the arrays are searched again
MOST_MISSES = 32  # jobs in a row that do not fit, before the arrays are searched again

UNLIMITED = 2**53  # no job needs this much, and floats are exact up to here

_IS_USED, _NEEDS = 0, 3  # columns; from _NEEDS on, one for each resource

Amount = int | float
Numbers = NDArray[np.intp]


def needs(job: Job, names: Sequence[str]) -> list[Amount]:
    """Return how much *job* needs of each resource in *names*; 0 if that is missing or a word."""
    taken = job.scheduler_resources
    found = (taken.get(name) for name in names)
    return [amount if isinstance(amount, int | float) else 0 for amount in found]


def fits(need: Sequence[Amount], left: Sequence[Amount]) -> bool:
    """Whether *need* is available in *left*."""
    return all(amount <= most for amount, most in zip(need, left, strict=True))


class Waiting:
    """Waiting jobs with their priorities, ranks and needs of the resources *names*."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self._jobs: list[Job | None] = []  # by row
        self._free: list[int] = []  # rows without a job
        self._row_of: dict[Job, int] = {}
        # For each row: whether it has a job, the job's priority and rank, and what it needs.
        self._columns: Floats = np.zeros((_NEEDS + len(self.names), 0))

    def __len__(self) -> int:
        return len(self._row_of)

    def new_among(self, jobs: set[Job]) -> set[Job]:
        """Return the jobs that have no row yet."""
        return jobs.difference(self._row_of)  # of a dict: no copy is made

    def add(self, jobs: Sequence[Job], ranks: Iterable[float]) -> None:
        """Give rows to *jobs*, which must have none; a lower rank starts first."""
        rows = [self._new_row(job) for job in jobs]
        width, room = self._columns.shape
        if len(self._jobs) > room:
            more = max(len(self._jobs), 2 * room) - room
            self._columns = np.concatenate([self._columns, np.zeros((width, more))], axis=1)
        if rows:
            told = zip(jobs, ranks, strict=True)
            table = [(1, job.priority, rank, *needs(job, self.names)) for job, rank in told]
            self._columns[:, rows] = np.array(table, np.float64).T

    def pick(self, available: Mapping[str, Amount], ready: Collection[Job]) -> list[Job]:
        """Take out the jobs to start now: all that fit, by priority, then by rank.

        Jobs that are not in *ready* lose their rows. Every ready job that is left over needs more
        than what is available.
        """
        left = [max(0, available[name]) for name in self.names]
        # By whole columns: faster than by rows.
        fits_in = (column <= most for column, most in self._limited(left))
        rows = np.flatnonzero(reduce(and_, fits_in, self._columns[_IS_USED] > 0))
        picked: list[Job] = []
        while len(rows):
            looked_at = list(self._first_that_may_start(rows, left, ready, picked))
            # Each job in these rows has started, is not ready or does not fit. Later even less is
            # left.
            rows = rows[~np.isin(rows, looked_at)]
            for column, most in self._limited(left):
                rows = rows[column[rows] <= most]
        return picked

    def _first_that_may_start(
        self, rows: Numbers, left: list[Amount], ready: Collection[Job], picked: list[Job]
    ) -> Iterator[int]:
        """Start the best of *rows* that fit, and take them off *left*; yield each row seen."""
        misses = 0
        for row in self._best(rows):
            yield row
            job = self._jobs[row]
            assert job is not None  # noqa: S101  used rows have jobs
            if job not in ready:
                self._drop(row, job)
                continue
            need = needs(job, self.names)  # computed again: the row may be outdated
            if fits(need, left):
                left[:] = [most - amount for most, amount in zip(left, need, strict=True)]
                self._drop(row, job)
                picked.append(job)
                misses = 0
                continue
            misses += 1
            if misses == MOST_MISSES:
                return

    def _limited(self, left: Sequence[Amount]) -> Iterator[tuple[Floats, Amount]]:
        """Yield the jobs' needs of each limited resource, with the amount that is left."""
        for column, most in zip(self._columns[_NEEDS:], left, strict=True):
            if most < UNLIMITED:
                yield column, most

    def _best(self, rows: Numbers) -> list[int]:
        """Return the first CHUNK of *rows* by priority and rank, or all, in that order."""
        _, priorities, ranks = self._columns[:_NEEDS]
        if len(rows) > CHUNK:
            least = -np.partition(-priorities[rows], CHUNK)[CHUNK]
            above, level = rows[priorities[rows] > least], rows[priorities[rows] == least]
            wanted = CHUNK - len(above)
            if len(level) > wanted:
                level = level[np.argpartition(ranks[level], wanted)[:wanted]]
            rows = np.concatenate([above, level])
        best: list[int] = rows[np.lexsort((ranks[rows], -priorities[rows]))].tolist()
        return best

    def _new_row(self, job: Job) -> int:
        if not self._free:
            self._free.append(len(self._jobs))
            self._jobs.append(None)
        row = self._row_of[job] = self._free.pop()
        self._jobs[row] = job
        return row

    def _drop(self, row: int, job: Job) -> None:
        self._jobs[row] = None
        del self._row_of[job]
        self._columns[_IS_USED, row] = 0
        self._free.append(row)
