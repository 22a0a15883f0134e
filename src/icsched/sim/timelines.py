"""Eligible tasks and idle workers over time, averaged over runs."""

from dataclasses import dataclass

import numpy as np

from icsched.arrays import Floats
from icsched.errors import ArgumentError
from icsched.frames import Tabular
from icsched.sim.experiment import Experiment, Player
from icsched.sim.machines import Machines
from icsched.sim.model import Pool, Recorded, Workers, check_runs, time_since
from icsched.sim.results import Counts, SlotCounts, Trace

SLOTS = 48


@dataclass(frozen=True, eq=False)
class Timeline(Tabular):
    """Averages over runs, an entry per period; all are equally long and `time` has their starts.

    `eligible` is the number of unassigned eligible tasks that a batch in the period found, averaged
    over all batches in the period; 0 if the period has no batch. `Workers` that ask at the same
    time are one batch.

    For a `Pool`, `idle` counts the requests in the period, per unit of time, that were lost or had
    to wait. The sum over all periods, multiplied by the length of a period, is the mean number of
    requests minus the assignments made at once. For `Workers` and `Recorded`, `idle` is the number
    of workers without a task, averaged over the period. The sum, multiplied by the length of a
    period, is the time that workers spent without a task. For `Machines` the workers are cores.

    Batches count up to the last assignment, workers up to the last result. After that a run has no
    requests, but still counts in the averages. `to_pandas` has a row for each period.
    """

    time: Floats
    eligible: Floats
    idle: Floats

    @classmethod
    def of(
        cls, experiment: Experiment, order: Player, *, seed: int, runs: int, until: float
    ) -> "Timeline":
        """Follow the first *runs* runs under *order* from time 0 to *until*.

        The runs are those of `simulate` with this *seed*. Events after *until* are left out. Raises
        the errors of `Experiment`.

        A `Pool` needs O(tasks + copies running) memory for any number of batches. `Workers`, and a
        server written in Python, need memory for every step of a run.

        >>> from icsched import Dag, Times
        >>> from icsched.sim import Played
        >>> chain = Dag({"a": [], "b": ["a"], "c": ["b"]})
        >>> experiment = Experiment(chain, Workers(2), Times("constant"))
        >>> found = Timeline.of(experiment, Played("fifo"), seed=1, runs=5, until=3.0)
        >>> set(found.idle.tolist()), float(found.eligible[0]), float(found.eligible[1])
        ({1.0}, 1.0, 0.0)
        """
        check_runs(runs, 1)
        if not 0 < until < np.inf:
            raise ArgumentError(f"until: expected a positive number, got {until}")
        edges = np.linspace(0.0, until, SLOTS + 1)
        batches, eligible, idle = np.zeros((3, SLOTS))
        for run in range(runs):
            found, unused = _slots(experiment, order, edges, seed, run)
            batches += found.batches
            eligible += found.eligible
            idle += unused
        return cls(edges[:-1], eligible / np.maximum(batches, 1), idle / runs / edges[1])


def _slots(
    experiment: Experiment, order: Player, edges: Floats, seed: int, run: int
) -> tuple[SlotCounts, Counts | Floats]:
    """Return the counts of a run in each slot, and `idle` of each slot."""
    pool = experiment.pool
    if isinstance(pool, Pool):
        found = experiment.slot_counts(order, edges, seed=seed, run=run)
        return found, found.unserved
    trace = experiment.trace(order, seed=seed, run=run)
    return SlotCounts.of(trace, edges), _idle_time(experiment, pool, trace, edges)


def _idle_time(
    experiment: Experiment, pool: Workers | Recorded | Machines, trace: Trace, edges: Floats
) -> Floats:
    """Return the idle time of workers in each slot, up to the last result."""
    over = float(trace.result.time[0])
    passed, held = np.minimum(edges, over), experiment.cores_held(trace.assignments)
    busy = np.zeros_like(passed)
    for cores in np.unique(held):
        kept = held == cores
        start, end = trace.assignments.time[kept], trace.assignments.end[kept]
        busy += cores * (time_since(start, passed) - time_since(np.minimum(end, over), passed))
    workers = pool.cores if isinstance(pool, Machines) else pool.count
    presence = pool.presence(passed) if isinstance(pool, Recorded) else workers * passed
    idle = np.diff(presence - busy)
    is_rounding = abs(idle) < 1e-9 * workers * edges[1]
    return np.where(is_rounding, 0.0, idle)
