"""Simulation of orders on the same random draws, until the ratio of their times is precise."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from icsched import checks
from icsched.arrays import Floats
from icsched.frames import Answer, Rounded, Shown, brief, data_frame
from icsched.sim import stats
from icsched.sim.experiment import Experiment, Player
from icsched.sim.stats import Mean, Ratio

METRICS = ("time", "stall", "utilisation")

FEWEST_RUNS = 500  # with fewer runs an interval is not reliable
LEAST_RUNS, MOST_RUNS = 20, 10**7  # limit for users
RESOLUTION = 0.25  # the shortest interval of a ratio, as a share of *half_width*
FIRST_TASKS = 1_000_000  # simulated tasks in the first call of the kernel
SECONDS_AT_ONCE = 0.5  # time of each later call; progress is reported between calls

Progress: TypeAlias = Callable[[int, int], None]  # called with runs done and runs expected in total


@dataclass(frozen=True)
class Paired:
    """Sampling in which all orders see the same random draws, with bootstrap intervals.

    Runs are added until each ratio of times has an interval of relative *half_width*, or until
    there are *most_runs*. No interval of a ratio is shorter than a quarter of *half_width*, because
    it would claim too much precision.
    """

    half_width: float = 0.01
    most_runs: int = 20_000

    def __post_init__(self) -> None:
        checks.number_within("half-width", self.half_width, least=1e-6, most=1)
        checks.whole_number("runs", self.most_runs, least=LEAST_RUNS, most=MOST_RUNS)


@dataclass(frozen=True)
class PaperSampling:
    """Sampling of Malewicz et al. 2007: for each order, *samples* means of *runs* separate runs."""

    samples: int = 300
    runs: int = 300

    def __post_init__(self) -> None:
        checks.whole_number(
            "samples", self.samples, least=1, most=3_000
        )  # the ratios of all pairs are in memory
        checks.whole_number("runs", self.runs, least=1, most=MOST_RUNS)
        checks.whole_number("runs", self.samples * self.runs, least=1, most=MOST_RUNS)


Sampling: TypeAlias = Paired | PaperSampling


@dataclass(frozen=True)
class Estimates:
    """Estimates for an order."""

    time: Mean
    stall: Mean
    utilisation: Mean


@dataclass(frozen=True)
class Ratios:
    """Ratios of an order's estimates to the baseline's.

    `stall` is None if one of the two orders never stalled, or if the baseline may never stall.
    """

    time: Ratio
    stall: Ratio | None
    utilisation: Ratio


@dataclass(frozen=True)
class Simulation(Answer, Shown):
    """The result of a comparison of orders.

    `ratio` has a key ``NAME_over_BASELINE`` for each other order. `precise` says whether the wanted
    half-width was reached in enough runs; `PaperSampling` has no wanted half-width. `half_width` is
    the largest of the ratios of time, or of the times if there are no ratios. `ends` has, for each
    order, the mean time of a run and the interval that has 95% of all runs; `PaperSampling` has
    none.

    >>> twice = Estimates(Mean(2.0, 1.9, 2.1), Mean(0, 0, 0), Mean(1, 1, 1))
    >>> Simulation({"fifo": twice}, {}, runs=20, seed=0, precise=True, half_width=0.01)
    Simulation(time={'fifo': 2}, ratio={}, runs=20, precise=True)
    """

    orders: Mapping[str, Estimates]
    ratio: Mapping[str, Ratios]
    runs: int
    seed: int
    precise: bool
    half_width: float
    ends: Mapping[str, Mean] = field(default_factory=dict)

    def __repr__(self) -> str:
        time = {name: Rounded(found.time.mean) for name, found in self.orders.items()}
        ratio = {name: Rounded(found.time.median) for name, found in self.ratio.items()}
        return brief(self, time=time, ratio=ratio, runs=self.runs, precise=self.precise)

    def to_pandas(self) -> Any:
        """Return a data frame with a row per order and metric; raises EngineError."""
        rows = [
            (name, metric, *astuple(getattr(estimates, metric)))
            for name, estimates in self.orders.items()
            for metric in METRICS
        ]
        names = ("order", "metric", "mean", "low", "high")
        return data_frame(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def silent(done: int, expected: int) -> None:
    """Report no progress."""


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Orders by name in one experiment, all compared with the order named *baseline*.

    *tell* is called from time to time with the number of runs done and expected.

    >>> from icsched import Dag, Times, Workers
    >>> from icsched.sim import Played
    >>> fork = Experiment(Dag({"a": [], "b": ["a"], "c": ["a"]}), Workers(2), Times("constant"))
    >>> SideBySide(fork, {"fifo": Played("fifo")}, "fifo").simulated(Paired(most_runs=20))
    Simulation(time={'fifo': 2}, ratio={}, runs=20, precise=False)
    """

    experiment: Experiment
    orders: Mapping[str, Player]
    baseline: str
    seed: int = 0
    threads: int | None = None
    tell: Progress = silent

    def simulated(self, sampling: Sampling) -> Simulation:
        """Return the result of runs by this *sampling*; raises the errors of `Experiment`."""
        if isinstance(sampling, PaperSampling):
            return self._by_paper(sampling)
        rows = np.empty((len(METRICS) * len(self.orders), 0))
        wanted = min(FEWEST_RUNS, sampling.most_runs)
        while True:
            more = self._metrics(self.orders.values(), rows.shape[1], wanted, self.tell)
            rows = np.concatenate([rows, more], axis=1)
            found = self._paired(rows, sampling)
            if found.precise or wanted == sampling.most_runs:
                return found
            excess = found.half_width / sampling.half_width
            wanted = _next_count(wanted, excess, sampling.most_runs)

    def _metrics(self, orders: Iterable[Player], first: int, last: int, tell: Progress) -> Floats:
        """Return a row for each metric of each order, with a column for each run from *first*."""
        orders = list(orders)
        step = max(1, FIRST_TASKS // (len(self.experiment.dag) * len(orders)))
        parts, start = [], first
        while start < last:
            runs = min(step, last - start)
            began, rows = time.perf_counter(), list[Floats]()
            for order in orders:
                options: dict[str, Any] = {"seed": self.seed, "threads": self.threads}
                made = self.experiment.runs(order, first_run=start, runs=runs, **options)
                rows += [getattr(made, metric) for metric in METRICS]
            parts.append(np.stack(rows))
            start += runs
            tell(start, last)
            seconds = max(time.perf_counter() - began, 1e-9)
            step = max(1, int(step * min(2.0, SECONDS_AT_ONCE / seconds)))
        return np.concatenate(parts, axis=1)

    def _paired(self, rows: Floats, sampling: Paired) -> Simulation:
        drawn = stats.Bootstrap.of(rows, seed=self.seed)
        ratio = partial(drawn.ratio, resolution=RESOLUTION * sampling.half_width)
        width, runs = len(METRICS), rows.shape[1]
        places = {name: range(i * width, (i + 1) * width) for i, name in enumerate(self.orders)}
        found = self._simulation(places, drawn.mean, ratio, runs)
        is_precise = runs >= FEWEST_RUNS and found.half_width <= sampling.half_width
        is_doubted = self.experiment.times.doubt is not None
        if is_doubted:  # no number of runs takes that away
            wide = partial(drawn.doubted_ratio, resolution=RESOLUTION * sampling.half_width)
            found = self._simulation(places, drawn.mean, wide, runs)
        ends = {
            name: stats.end_of_a_run(rows[own[0]], is_doubted=is_doubted)
            for name, own in places.items()
        }
        return replace(found, precise=is_precise, ends=ends)

    def _by_paper(self, sampling: PaperSampling) -> Simulation:
        each = sampling.samples * sampling.runs
        total = each * len(self.orders)
        samples: dict[str, Floats] = {}
        for number, (name, order) in enumerate(self.orders.items()):
            first, last = number * each, (number + 1) * each
            rows = self._metrics([order], first, last, lambda done, _last: self.tell(done, total))
            shape = len(METRICS), sampling.samples, sampling.runs
            samples[name] = rows.reshape(shape).mean(axis=2)
        return self._simulation(samples, stats.paper_mean, stats.paper_ratio, each)

    def _simulation(
        self,
        rows: Mapping[str, Iterable[Any]],
        mean: Callable[[Any], Mean],
        ratio: Callable[[Any, Any], Any],
        runs: int,
    ) -> Simulation:
        """Return the results of *mean* and *ratio* for *rows*: for each order a row per metric."""
        orders = {name: Estimates(*map(mean, own)) for name, own in rows.items()}
        ratios = {
            f"{name}_over_{self.baseline}": Ratios(*map(ratio, own, rows[self.baseline]))
            for name, own in rows.items()
            if name != self.baseline
        }
        half_width = max(found.time.half_width for found in (ratios or orders).values())
        return Simulation(orders, ratios, runs, self.seed, precise=True, half_width=half_width)


def _next_count(runs: int, excess: float, most: int) -> int:
    """Return the number of runs that should make an interval *excess* times shorter."""
    needed = min(4.0 * runs, 1.1 * excess * excess * runs)
    return min(most, max(runs + runs // 4, int(needed)))
