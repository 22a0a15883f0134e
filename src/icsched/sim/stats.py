"""Intervals for estimates from simulated runs: bootstrap, and those of Malewicz et al. 2007.

A bootstrap interval should contain the long-run value with a probability of at least 95%. An
interval of Malewicz et al. 2007, "A Tool for Prioritizing DAGMan Jobs and its Evaluation", says how
much means of a given number of runs vary.
"""

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from icsched.arrays import Floats
from icsched.sim.doubt import RUNS_ALIKE, doubted

RESAMPLES = 2000
MOST_BLOCKS = 1000  # runs are resampled in at most this many blocks of consecutive runs
_AT_ONCE = 20  # resamples in memory at once: few, so that memory is reused
_CUT = 0.025  # share that is cut at each end
_REACH = NormalDist().inv_cdf(1 - _CUT)  # standard deviations from a normal mean to that share
_FEW = round(1 / _CUT) - 1  # with fewer runs, the quantile of that share is outside of all runs


@dataclass(frozen=True)
class Mean:
    """A mean over runs with its interval."""

    mean: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half the interval's length, relative to the mean; 0 if there is no interval."""
        return _relative_half_width(self.mean, self.low, self.high)


@dataclass(frozen=True)
class Ratio:
    """A ratio of two means: the median of the resampled ratios, with an interval.

    `mean` and `deviation` are the mean and the standard deviation of the resampled ratios.
    """

    median: float
    low: float
    high: float
    mean: float
    deviation: float

    @property
    def half_width(self) -> float:
        """Half the interval's length, relative to the median."""
        return _relative_half_width(self.median, self.low, self.high)


def _relative_half_width(middle: float, low: float, high: float) -> float:
    return 0.0 if low == high else (high - low) / 2 / middle


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Means of rows over runs resampled with replacement; rows have a column per run.

    The same runs are drawn for all rows, so effects that two rows share in a run cancel in their
    ratio. More than `MOST_BLOCKS` runs are drawn in blocks of consecutive runs, which are
    independent. Intervals are percentiles. With corrections for skewness, intervals contained the
    long-run value less often if orders differ in few runs.

    >>> drawn = Bootstrap.of(np.array([[1.0, 3.0], [2.0, 6.0]]), seed=1)
    >>> sorted(set(drawn.means[:, 0].tolist()))
    [1.0, 2.0, 3.0]
    >>> drawn.ratio(1, 0)
    Ratio(median=2.0, low=2.0, high=2.0, mean=2.0, deviation=0.0)
    """

    means: Floats  # one row per resample
    found: Floats  # means of the original rows
    rows: Floats

    @classmethod
    def of(cls, rows: Floats, *, seed: int) -> "Bootstrap":
        """Resample *rows*, `RESAMPLES` times."""
        starts = np.unique(np.linspace(0, rows.shape[1], MOST_BLOCKS, endpoint=False).astype(int))
        blocks = np.add.reduceat(rows, starts, axis=1)
        runs = np.diff(starts, append=rows.shape[1]).astype(float)
        rng = np.random.default_rng(seed)
        drawn = [_drawn_means(blocks, runs, rng) for _ in range(0, RESAMPLES, _AT_ONCE)]
        return cls(np.concatenate(drawn), rows.mean(axis=1), rows)

    def mean(self, row: int) -> Mean:
        """Return the mean of a row with its interval."""
        low, high = np.quantile(self.means[:, row], [_CUT, 1 - _CUT]).tolist()
        return Mean(float(self.found[row]), low, high)

    def doubted_ratio(self, above: int, below: int, *, resolution: float = 0.0) -> Ratio | None:
        """Return the ratio, with an interval that also has what is not known of mean times."""
        found = self.ratio(above, below, resolution=resolution)
        if found is None or not self.rows[below].all():
            return found
        known = _REACH * doubted(self.rows[above] / self.rows[below])
        low = math.hypot(found.median - found.low, known)
        high = math.hypot(found.high - found.median, known)
        return replace(found, low=max(0.0, found.median - low), high=found.median + high)

    def ratio(self, above: int, below: int, *, resolution: float = 0.0) -> Ratio | None:
        """Return the ratio of the means of two rows; None if one is 0, or the denominator may be.

        A mean of 0 does not show how near to 0 the long-run mean is. The interval extends at least
        *resolution*, relative to the median, to each side, because if few runs differ, resampling
        says little about other runs.
        """
        if not self.found[above] or not self.means[:, below].all():
            return None
        ratios = self.means[:, above] / self.means[:, below]
        low, median, high = np.quantile(ratios, [_CUT, 0.5, 1 - _CUT]).tolist()
        least = resolution * median
        interval = min(low, median - least), max(high, median + least)
        return Ratio(median, *interval, float(ratios.mean()), float(ratios.std()))


def end_of_a_run(times: Floats, *, is_doubted: bool = False) -> Mean:
    """Return the mean of the *times* of runs, with an interval that has 95% of all further runs.

    Few runs do not show such rare times, so the logarithms of the times are then taken for normal.
    With *is_doubted* both runs of a pair have the same mean times.

    >>> end_of_a_run(np.full(500, 7.0))
    Mean(mean=7.0, low=7.0, high=7.0)
    >>> end_of_a_run(np.array([10.0, 11.0, 12.0, 13.0])).high > 13
    True
    """
    low, high = np.quantile(times, [_CUT, 1 - _CUT], method="weibull").tolist()
    draws = len(times) // RUNS_ALIKE if is_doubted else len(times)
    if 1 < draws < _FEW and 0 < low < high:
        logs = np.log(times)
        reach = t_quantile(draws - 1) * float(logs.std(ddof=1)) * math.sqrt(1 + 1 / draws)
        low, high = (math.exp(float(logs.mean()) + side) for side in (-reach, reach))
    return Mean(float(times.mean()), low, high)


def t_quantile(freedom: int) -> float:
    """Return the 97.5% point of Student's t, by the expansion of Fisher and Cornish.

    >>> round(t_quantile(3), 2), round(t_quantile(30), 3), round(t_quantile(10**6), 2)
    (3.18, 2.042, 1.96)
    """
    z = _REACH
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))


def _drawn_means(
    blocks: Floats,
    runs: Floats,
    rng: "np.random.Generator",  # in quotes, because numpy.random is slow to import
) -> Floats:
    count = len(runs)
    drawn = rng.integers(count, size=(_AT_ONCE, count)) + count * np.arange(_AT_ONCE)[:, None]
    weights = np.bincount(drawn.ravel(), minlength=_AT_ONCE * count).astype(float)
    weights = weights.reshape(_AT_ONCE, count)
    # Not a matrix product, whose order of summation depends on the machine.
    totals: Floats = np.einsum("rb,kb->rk", weights, blocks)
    drawn_runs: Floats = np.einsum("rb,b->r", weights, runs)
    return totals / drawn_runs[:, None]


def paper_mean(samples: Floats) -> Mean:
    """Return the mean of *samples* and their range after cutting both ends.

    >>> paper_mean(np.arange(40.0))
    Mean(mean=19.5, low=1.0, high=38.0)
    """
    low, high = _cut(np.sort(samples))
    return Mean(float(samples.mean()), low, high)


def paper_ratio(above: Floats, below: Floats) -> Ratio | None:
    """Return the interval of Malewicz et al. 2007: ratios of all pairs, 2.5% cut at each end.

    None if a sample in the denominator is 0. Each sample is a mean of some runs. The interval shows
    the variation of such means, and does not shrink with more samples. Mean and standard deviation
    are over all pairs (section 4.2).

    >>> paper_ratio(np.array([1.0, 3.0]), np.array([1.0]))
    Ratio(median=2.0, low=1.0, high=3.0, mean=2.0, deviation=1.0)
    """
    if not below.all():
        return None
    ratios = np.sort(np.divide.outer(above, below), axis=None)
    low, high = _cut(ratios)
    return Ratio(float(np.median(ratios)), low, high, float(ratios.mean()), float(ratios.std()))


def _cut(ascending: Floats) -> tuple[float, float]:
    out = int(_CUT * len(ascending))
    return float(ascending[out]), float(ascending[-1 - out])
