"""What comes out of simulated runs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched import _native
from icsched.arrays import Floats, Ids
from icsched.sim.model import AnyPool, Pool, Recorded

Counts = NDArray[np.int64]

Ending = _native.Ending


@dataclass(frozen=True, eq=False)
class Runs:
    """The results of some runs, with an entry per run.

    `time` is when the last task had its first result. The others count up to the last assignment:
    the `batches` that had come, their `requests`, and the `stalls`, which are batches that found
    no unassigned eligible task. If `workers` > 0, they are the `Workers`, or the visits of a
    `Recorded` pool. Then every time a worker asks is a batch of one request. `work` is the time
    that workers spent on first results, and `presence` the time that they were there, up to the
    last result.
    """

    tasks: int
    workers: int
    time: Floats
    batches: Counts
    stalls: Counts
    requests: Counts
    work: Floats
    presence: Floats

    def __len__(self) -> int:
        return len(self.time)

    @property
    def stall(self) -> Floats:
        """Share of batches that stalled: the "probability of stalling" of Malewicz et al. 2007."""
        return self.stalls / self.batches

    @property
    def utilisation(self) -> Floats:
        """Tasks over requests; for workers the share of their presence that led to results."""
        if self.workers:
            return self.work / self.presence
        return self.tasks / self.requests

    @classmethod
    def of(
        cls,
        tasks: int,
        pool: AnyPool,
        time: Floats,
        batches: Counts,
        stalls: Counts,
        requests: Counts,
        work: Floats,
    ) -> "Runs":
        """Return the results with the presence of the workers of *pool*."""
        workers = 0 if isinstance(pool, Pool) else pool.count
        presence = workers * time
        if isinstance(pool, Recorded):
            presence = np.maximum(pool.presence(time), work)  # less than work only by rounding
        return cls(tasks, workers, time, batches, stalls, requests, work, presence)


@dataclass(frozen=True, eq=False)
class Assignments:
    """An entry per assignment, in the order in which they were made.

    `request` is the number of the request; for `Workers` it is the number of the worker. `end` is
    after the end of the run for a copy whose result nobody waits for.
    """

    time: Floats
    task: Ids
    request: Counts
    end: Floats
    ending: NDArray[np.uint8]  # an Ending


@dataclass(frozen=True, eq=False)
class Batches:
    """An entry per batch up to the last assignment; for `Workers` all who ask at one time are one.

    `eligible` counts the unassigned eligible tasks that the batch found.
    """

    time: Floats
    size: Counts
    eligible: Counts


@dataclass(frozen=True, eq=False)
class Trace:
    """One run step by step."""

    assignments: Assignments
    batches: Batches
    result: Runs  # of this one run
