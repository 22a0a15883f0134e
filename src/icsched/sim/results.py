"""Results of simulated runs."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icsched import _native
from icsched.arrays import Floats, Ids
from icsched.frames import Answer, Listed, Tabular, brief
from icsched.sim.machines import Machines
from icsched.sim.model import AnyPool, Pool, Recorded

Counts = NDArray[np.int64]

Ending = _native.Ending


@dataclass(frozen=True, eq=False)
class Runs(Tabular):
    """The results of some runs, with an entry per run.

    `time` is the time of the last first result of a task. `batches` counts the batches up to the
    last assignment, `requests` their requests, and `stalls` the batches that found no unassigned
    eligible task. `workers` is the number of `Workers` or of `Recorded` visits, or 0. With workers,
    each request is a batch. `work` is the time that workers spent on first results, and `presence`
    the time that they were present up to the last result. For `Machines` the workers are cores: a
    core asks at the start, and when a task that held it has ended. A core that asks stalls if no
    task starts that needs it, even if tasks wait that need more than there is. Parts of cores count
    as parts, and sums are rounded up. `to_pandas` has a row for each run.
    """

    tasks: int
    workers: int
    time: Floats
    batches: Counts
    stalls: Counts
    requests: Counts
    work: Floats
    presence: Floats

    def __repr__(self) -> str:
        return brief(self, runs=len(self), tasks=self.tasks, time=Listed(self.time.tolist()))

    def __len__(self) -> int:
        return len(self.time)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, `stall` and `utilisation` as plain data."""
        shares = {"stall": self.stall.tolist(), "utilisation": self.utilisation.tolist()}
        return {**super().to_dict(), **shares}

    @property
    def stall(self) -> Floats:
        """Share of batches that stalled: the "probability of stalling" of Malewicz et al. 2007."""
        return self.stalls / np.maximum(self.batches, 1)  # 0 if no task holds a core

    @property
    def utilisation(self) -> Floats:
        """Tasks over requests; for workers the share of their presence spent on first results."""
        if self.workers:
            return self.work / self.presence
        return self.tasks / self.requests

    @classmethod
    def of(cls, tasks: int, pool: AnyPool, time: Floats, *counts: Counts, work: Floats) -> "Runs":
        """Return results that include the presence of the workers of *pool*.

        *counts* are batches, stalls and requests.
        """
        batches, stalls, requests = counts
        workers = _workers(pool)
        presence = workers * time
        if isinstance(pool, Recorded):
            presence = np.maximum(pool.presence(time), work)  # can be less by rounding
        return cls(tasks, math.ceil(workers), time, batches, stalls, requests, work, presence)

    @classmethod
    def joined(cls, parts: Sequence["Runs"]) -> "Runs":
        """Return all runs of *parts*, which must be from the same experiment."""
        names = ("time", "batches", "stalls", "requests", "work", "presence")
        columns = [np.concatenate([getattr(each, name) for each in parts]) for name in names]
        return cls(parts[0].tasks, parts[0].workers, *columns)


def _workers(pool: AnyPool) -> float:
    if isinstance(pool, Machines):
        return pool.cores
    return 0 if isinstance(pool, Pool) else pool.count


@dataclass(frozen=True, eq=False)
class Assignments(Tabular):
    """An entry per assignment, in the order in which they were made.

    `request` is the number of the request; for `Workers` it is the number of the worker, and for
    `Machines` that of the machine. `end` may
    be after the end of the run, for a copy of a task that is done. `names` has the names of all
    tasks by id. `to_pandas` has a row for each assignment.
    """

    time: Floats
    task: Ids
    request: Counts
    end: Floats
    ending: NDArray[np.uint8]  # an Ending
    names: Sequence[Hashable]

    def __repr__(self) -> str:
        return brief(self, count=len(self.time), tasks=len(self.names))

    def to_dict(self) -> dict[str, Any]:
        """Return the columns as lists, with tasks by name and endings in words."""
        tasks = [self.names[task] for task in self.task.tolist()]
        endings = [Ending(ending).name.lower() for ending in self.ending.tolist()]
        data = {**super().to_dict(), "task": tasks, "ending": endings}
        del data["names"]
        return data


@dataclass(frozen=True, eq=False)
class Batches(Tabular):
    """An entry per batch up to the last assignment; `Workers` that ask together are one batch.

    `eligible` counts the unassigned eligible tasks that the batch found. `to_pandas` has a row for
    each batch.
    """

    time: Floats
    size: Counts
    eligible: Counts

    def __repr__(self) -> str:
        return brief(self, count=len(self.time))


@dataclass(frozen=True, eq=False)
class Trace(Answer):
    """One run step by step; `assignments` and `batches` are tables."""

    assignments: Assignments
    batches: Batches
    result: Runs  # the result of this run


@dataclass(frozen=True, eq=False)
class SlotCounts:
    """Counts of the batches of one run, an entry per slot of time.

    `batches` counts the batches in the slot. `eligible` adds up the unassigned eligible tasks that
    each of these batches found. `unserved` counts the requests that got nothing when they came. For
    `Workers`, `unserved` is 0, because workers wait.
    """

    batches: Counts
    eligible: Counts
    unserved: Counts

    @classmethod
    def of(cls, trace: Trace, edges: Floats) -> "SlotCounts":
        """Sum up the steps of a run between *edges*; the last slot includes its right end."""
        found = (np.ones_like(trace.batches.size), trace.batches.eligible, unserved(trace))
        sums = (np.histogram(trace.batches.time, edges, weights=each)[0] for each in found)
        return cls(*(each.astype(np.int64) for each in sums))


def unserved(trace: Trace) -> Counts:
    """Return how many requests of each batch got nothing when they came; 0 for `Workers`."""
    if trace.result.workers:
        return np.zeros_like(trace.batches.size)
    given, batches = trace.assignments, trace.batches
    batch = np.searchsorted(np.cumsum(batches.size), given.request, side="right")
    at_once = batch[given.time == batches.time[batch]]
    return batches.size - np.bincount(at_once, minlength=len(batches.size))
