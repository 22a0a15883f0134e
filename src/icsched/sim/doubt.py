"""What is not known of mean run times, and how much of a forecast depends on it."""

import math
from dataclasses import dataclass

import numpy as np

from icsched.arrays import Floats, Ids, Mask, ids_where
from icsched.run_times import Origin
from icsched.workflow import Workflow

RUNS_ALIKE = 2  # so many runs, one after another, have the same mean times
UNKNOWN = 1.0  # deviation of the logarithm of the mean time of a kind of which nothing is known
LEAST_KINDS = 3  # from fewer known kinds nobody can say how kinds differ


@dataclass(frozen=True, eq=False)
class Doubt:
    """How far the mean time of each group of tasks may be off.

    In each pair of runs, the mean times of all tasks of a group are multiplied by one lognormal
    number of mean 1. The deviation of its logarithm is that of the group in *deviations*; *groups*
    has the group of each task. So a forecast varies with what nobody knows, and not only with the
    luck of a run.

    >>> doubt = Doubt(np.array([0, 1, 1]), np.array([0.0, 1.0]))
    >>> first, same, other = (doubt.factors(seed=1, run=run) for run in (0, 1, 2))
    >>> bool((first == same).all()), bool((first == other).all()), float(first[0])
    (True, False, 1.0)
    """

    groups: Ids
    deviations: Floats

    def factors(self, *, seed: int, run: int) -> Floats:
        """Return the factor of each task's mean time in a run."""
        rng = np.random.default_rng([seed, run // RUNS_ALIKE])
        normal, deviations = rng.standard_normal(len(self.deviations)), self.deviations
        return np.asarray(np.exp(deviations * normal - deviations**2 / 2)[self.groups])

    def left(self, tasks: Ids) -> "Doubt":
        """Return the doubt about some of the tasks."""
        return Doubt(self.groups[tasks], self.deviations)


def doubt_about(workflow: Workflow) -> Doubt | None:
    """Return the doubt about the run times of *workflow*; None if there is none.

    Nothing is known of a kind whose tasks have the mean of all tasks: its mean differs from that of
    all as the means of the known kinds differ from each other. Without any run times each kind is
    in doubt by a factor of about 3, up or down.

    >>> from icsched.dag import Dag
    >>> doubt_about(Workflow(Dag({"map_1": [], "map_2": [], "end": ["map_1"]}))).deviations.tolist()
    [1.0, 1.0]
    """
    kinds, seconds = workflow.kinds, workflow.run_times
    deviations = np.zeros(int(kinds.max(initial=-1)) + 1)
    if seconds is None or not seconds.any():
        deviations[:] = UNKNOWN
    elif workflow.run_time_origins is not None:
        is_strange = workflow.run_time_origins == Origin.ALL
        deviations[kinds[is_strange]] = _deviation_of_kinds(kinds, seconds, ~is_strange)
    return Doubt(kinds, deviations) if deviations.any() else None


def _deviation_of_kinds(kinds: Ids, seconds: Floats, is_known: Mask) -> float:
    """Return the deviation of the logarithms of the mean times of known kinds."""
    known = ids_where(is_known & (seconds > 0))
    totals, counts = np.bincount(kinds[known], seconds[known]), np.bincount(kinds[known])
    means = totals[counts > 0] / counts[counts > 0]
    return float(np.log(means).std(ddof=1)) if len(means) >= LEAST_KINDS else UNKNOWN


def doubted(ratios: Floats) -> float:
    """Return how much the mean of *ratios*, one of each run, depends on what is in doubt.

    The result is a standard deviation. Each pair of runs has the same mean times, so what both runs
    of a pair have in common is not the luck of a run. Few pairs may show too little of that, so its
    standard error is added.

    >>> doubted(np.array([1.0, 1.0, 3.0, 3.0])), doubted(np.array([1.0, 3.0, 3.0, 1.0]))
    (1.0, 0.0)
    """
    pairs = ratios[: len(ratios) // RUNS_ALIKE * RUNS_ALIKE].reshape(-1, RUNS_ALIKE)
    if len(pairs) < 2:
        return 0.0
    first, second = (pairs - pairs.mean()).T
    common = first * second
    error = float(common.std(ddof=1)) / math.sqrt(len(pairs))
    return math.sqrt(max(0.0, float(common.mean()) + error))
