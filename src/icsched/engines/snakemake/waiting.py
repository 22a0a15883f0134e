"""The jobs that wait for resources, as rows of arrays.

A round must be cheap among hundreds of thousands of ready jobs. So what decides is in arrays, and
Python looks only at the jobs that are likely to start.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Mask
from icsched.engines.snakemake.jobs import Job

CHUNK = 1024  # jobs that are looked at one by one before the arrays are asked again
MOST_MISSES = 32  # jobs in a row that do not fit, before the arrays are asked again

UNLIMITED = 2**53  # no job takes so much, and up to here columns are exact

Amount = int | float
Numbers = NDArray[np.intp]


def needs(job: Job, names: Sequence[str]) -> list[Amount]:
    """Return what *job* takes of each resource in *names*; 0 if it says nothing, or a word."""
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
        self._jobs: list[Job | None] = []
        self._free: list[int] = []  # rows without a job
        self._row_of: dict[Job, int] = {}
        self._is_used: Mask = np.zeros(0, bool)
        self._priorities: Floats = np.zeros(0)
        self._ranks: Floats = np.zeros(0)
        self._needs: list[Floats] = [np.zeros(0) for _ in self.names]

    def __len__(self) -> int:
        return len(self._row_of)

    def new_among(self, jobs: set[Job]) -> set[Job]:
        """Return the jobs that have no row yet."""
        return jobs.difference(self._row_of)  # of a dict: no copy is made

    def add(self, jobs: Sequence[Job], ranks: Iterable[float]) -> None:
        """Give rows to *jobs*, which must have none; a lower rank starts first."""
        rows = np.array([self._new_row(job) for job in jobs], np.intp)
        self._grow(len(self._jobs))
        self._is_used[rows] = True
        self._priorities[rows] = [job.priority for job in jobs]
        self._ranks[rows] = list(ranks)
        table = [needs(job, self.names) for job in jobs]
        for column, amounts in zip(self._needs, zip(*table, strict=True), strict=False):
            column[rows] = amounts

    def pick(self, available: Mapping[str, Amount], ready: Collection[Job]) -> list[Job]:
        """Take out the jobs to start now: by priority, then by rank, each if it fits.

        Jobs that are not in *ready* lose their rows. Every ready job that is left over does not
        fit into what is left.
        """
        left = [max(0, available[name]) for name in self.names]
        rows = self._fitting(left)
        picked: list[Job] = []
        while len(rows):
            looked_at = list(self._first_that_may_start(rows, left, ready, picked))
            # What was looked at has started, has gone or does not fit; less will be left later.
            rows = self._still_fitting(rows[~np.isin(rows, looked_at)], left)
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
            need = needs(job, self.names)  # again: a row may have old ones
            if fits(need, left):
                left[:] = [most - amount for most, amount in zip(left, need, strict=True)]
                self._drop(row, job)
                picked.append(job)
                misses = 0
                continue
            misses += 1
            if misses == MOST_MISSES:
                return

    def _fitting(self, left: Sequence[Amount]) -> Numbers:
        """Return the rows of the jobs that fit, by whole columns: faster than by rows."""
        fitting = self._is_used.copy()
        for column, most in zip(self._needs, left, strict=True):
            if most < UNLIMITED:
                fitting &= column <= most
        return np.flatnonzero(fitting)

    def _still_fitting(self, rows: Numbers, left: Sequence[Amount]) -> Numbers:
        for column, most in zip(self._needs, left, strict=True):
            if most < UNLIMITED:
                rows = rows[column[rows] <= most]
        return rows

    def _best(self, rows: Numbers) -> list[int]:
        """Return the first CHUNK of *rows* by priority and rank, or all, in that order."""
        if len(rows) > CHUNK:
            priorities = self._priorities[rows]
            least = -np.partition(-priorities, CHUNK)[CHUNK]
            above, level = rows[priorities > least], rows[priorities == least]
            wanted = CHUNK - len(above)
            if len(level) > wanted:
                level = level[np.argpartition(self._ranks[level], wanted)[:wanted]]
            rows = np.concatenate([above, level])
        order = np.lexsort((self._ranks[rows], -self._priorities[rows]))
        best: list[int] = rows[order].tolist()
        return best

    def _new_row(self, job: Job) -> int:
        if self._free:
            row = self._free.pop()
            self._jobs[row] = job
        else:
            row = len(self._jobs)
            self._jobs.append(job)
        self._row_of[job] = row
        return row

    def _drop(self, row: int, job: Job) -> None:
        self._jobs[row] = None
        del self._row_of[job]
        self._is_used[row] = False
        self._free.append(row)

    def _grow(self, rows: int) -> None:
        if rows <= len(self._is_used):
            return
        more = max(rows, 2 * len(self._is_used)) - len(self._is_used)
        self._is_used = np.concatenate([self._is_used, np.zeros(more, bool)])
        self._priorities = np.concatenate([self._priorities, np.zeros(more)])
        self._ranks = np.concatenate([self._ranks, np.zeros(more)])
        self._needs = [np.concatenate([column, np.zeros(more)]) for column in self._needs]
