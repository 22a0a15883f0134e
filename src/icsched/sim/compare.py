"""Policies side by side on the same simulated luck, until the ratio of their times is known."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Protocol, TypeAlias, get_args, runtime_checkable

import numpy as np

from icsched import pebble
from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.errors import SimulationError
from icsched.pebble import Order
from icsched.sim import plain, stats
from icsched.sim.clusters import Clustered, run_clusters
from icsched.sim.engine import simulate_runs
from icsched.sim.model import (
    Floats,
    Policy,
    Pool,
    Rule,
    Runs,
    Times,
    Workers,
    check_count,
    check_inputs,
    check_number,
)
from icsched.sim.plain import Allocator
from icsched.sim.stats import Mean, Ratio

METRICS = ("time", "stall", "utilisation")
ORDERS = ("level", "critical-path", "critical-path-times")
POLICIES = ("fifo", "lifo", "random", *ORDERS)

FEWEST_RUNS = 500  # before an interval is believed
LEAST_RUNS, MOST_RUNS = 20, 10**7  # that may be asked for
RESOLUTION = 0.25  # of the half-width asked for: no interval of a ratio is shorter
FIRST_TASKS = 1_000_000  # in the first call of the kernel
SECONDS_AT_ONCE = 0.5  # in one of the later ones: between two signs of life

Progress: TypeAlias = Callable[[int, int], None]  # runs done, runs expected in all


@runtime_checkable
class HasOrder(Protocol):
    """A `Plan`, a `Schedule`: anything with an order."""

    @property
    def order(self) -> Ids:
        """The task ids, first to run first."""


AllocatorMaker: TypeAlias = Callable[[Dag], Allocator]
Resolved: TypeAlias = Policy | Clustered | AllocatorMaker
PolicyLike: TypeAlias = str | HasOrder | Order | Resolved


@dataclass(frozen=True)
class Paired:
    """Runs in which all policies meet the same luck, with bootstrap intervals.

    They go on until the time of each policy over the baseline's has an interval of relative
    *half_width*, or *most_runs* were made. No interval of a ratio is shorter than a quarter of
    that: it would promise more than was asked for, and more than it holds.
    """

    half_width: float = 0.01
    most_runs: int = 20_000

    def __post_init__(self) -> None:
        check_number("half-width", self.half_width, least=1e-6, most=1)
        check_count("runs", self.most_runs, least=LEAST_RUNS, most=MOST_RUNS)


@dataclass(frozen=True)
class PaperSampling:
    """As Malewicz et al. 2007: *samples* means of *runs* runs for each order, drawn apart."""

    samples: int = 300
    runs: int = 300

    def __post_init__(self) -> None:
        check_count("samples", self.samples, most=3_000)  # all ratios of two are in memory
        check_count("runs", self.runs, most=MOST_RUNS)
        check_count("runs", self.samples * self.runs, most=MOST_RUNS)


@dataclass(frozen=True)
class Estimates:
    """What was estimated of a policy."""

    time: Mean
    stall: Mean
    utilisation: Mean


@dataclass(frozen=True)
class Ratios:
    """A policy's estimates over those of the baseline; None where one was 0 or that may be."""

    time: Ratio | None
    stall: Ratio | None
    utilisation: Ratio | None


@dataclass(frozen=True)
class Simulation:
    """What came out of a comparison of policies.

    `ratio` has a key ``NAME_over_BASELINE`` for each other policy. `precise` says whether the
    half-width asked for was reached, in enough runs to believe it; the paper's way asks for
    none. `half_width` is that of the ratios of time, or of the times if there are none.
    """

    policies: Mapping[str, Estimates]
    ratio: Mapping[str, Ratios]
    runs: int
    seed: int
    precise: bool
    half_width: float = field(repr=False)


def simulate(
    dag: Dag,
    policies: Mapping[str, PolicyLike],
    *,
    pool: Pool | Workers | None = None,
    times: Times | None = None,
    seed: int = 0,
    baseline: str | None = None,
    sampling: Paired | PaperSampling | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Simulate *dag* under each of *policies* and compare them with that named *baseline*.

    By default that is the one named "fifo", or the first.

    A policy is one of the names in `POLICIES`, a `Policy`, an order or what has one (a `Plan`),
    a function that makes an `Allocator` for a dag, or `Clustered`; "critical-path-times"
    weighs paths by the means of *times*. By default the pool is ``Pool()``, times are
    ``Times()``, sampling is ``Paired()``. *progress* is called now and then. Raises
    SimulationError, or ScheduleError for an order of another dag.

    >>> fork = Dag({"lone": [], "a": [], "b": ["a"], "c": ["a"]})
    >>> found = simulate(fork, {"good": [1, 0, 2, 3], "fifo": "fifo"}, pool=Pool(batch=1), seed=1)
    >>> list(found.ratio), found.ratio["good_over_fifo"].time.high < 1, found.precise
    (['good_over_fifo'], True, True)
    """
    pool, times = pool or Pool(), times or Times()
    check_inputs(dag, pool, times)
    if not policies:
        raise SimulationError("policies: expected at least one")
    baseline = baseline or ("fifo" if "fifo" in policies else next(iter(policies)))
    if baseline not in policies:
        known = ", ".join(map(str, policies))
        raise SimulationError(f"baseline: expected one of {known}, got {baseline!r}")
    chosen = {name: resolved(dag, name, wanted, times) for name, wanted in policies.items()}
    source = _Source(dag, chosen, pool, times, seed, threads)
    tell = progress or (lambda _done, _expected: None)
    sampling = sampling or Paired()
    if isinstance(sampling, PaperSampling):
        return _by_paper(source, sampling, baseline, tell)
    return _paired(source, sampling, baseline, tell)


def resolved(dag: Dag, name: str, wanted: PolicyLike, times: Times) -> Resolved:
    """Return what stands for a policy as one that an engine takes; raises SimulationError.

    >>> resolved(Dag({"a": []}), "mine", "lifo", Times()).rule
    'lifo'
    """
    if isinstance(wanted, str):
        return _named(dag, wanted, times)
    if isinstance(wanted, HasOrder) and not isinstance(wanted, Policy):
        return Policy("static", order=wanted.order)
    if isinstance(wanted, Policy | Clustered) or callable(wanted):
        return wanted
    if not isinstance(wanted, list | tuple | range | np.ndarray):
        raise SimulationError(f"policy {name!r}: expected a name or an order, got {wanted!r}")
    return Policy("static", order=wanted)


def _named(dag: Dag, name: str, times: Times) -> Policy:
    if name == "level":
        return Policy("static", order=pebble.level_order(dag))
    if name == "critical-path":
        return Policy("static", order=pebble.critical_path_order(dag))
    if name == "critical-path-times":
        means = times.means_for(dag)
        return Policy("static", order=pebble.critical_path_order(dag, run_times=means))
    for rule in get_args(Rule):
        if name == rule != "static":
            return Policy(rule)
    raise SimulationError(f"policy: expected {', '.join(POLICIES)}, got {name!r}")


@dataclass(frozen=True, eq=False)
class _Source:
    """Where runs come from."""

    dag: Dag
    policies: Mapping[str, Resolved]
    pool: Pool | Workers
    times: Times
    seed: int
    threads: int | None

    def runs(self, first: int, last: int, tell: Progress) -> Floats:
        """Return a row for each metric of each policy, a column for runs *first* to *last* - 1."""
        step = max(1, FIRST_TASKS // (len(self.dag) * len(self.policies)))
        parts, start = [], first
        while start < last:
            stop = min(start + step, last)
            began = time.perf_counter()
            rows = [self.runs_of(policy, start, stop) for policy in self.policies.values()]
            step = _next_step(step, time.perf_counter() - began)
            parts.append(np.concatenate(rows))
            tell(stop, last)
            start = stop
        return np.concatenate(parts, axis=1)

    def runs_of(self, policy: Resolved, start: int, stop: int) -> Floats:
        """Return the metrics, a row each, of runs *start* to *stop* - 1."""
        dag, pool, times, seed = self.dag, self.pool, self.times, self.seed
        if isinstance(policy, Policy):
            made = simulate_runs(
                *(dag, policy, pool, times),
                seed=seed,
                first_run=start,
                runs=stop - start,
                threads=self.threads,
            )
            return _metrics(made)
        alone = [self.run_of(policy, run) for run in range(start, stop)]
        return np.concatenate(list(map(_metrics, alone)), axis=1)

    def run_of(self, policy: Clustered | AllocatorMaker, run: int) -> Runs:
        """Return one run, made in Python."""
        dag, pool, times, seed = self.dag, self.pool, self.times, self.seed
        if not isinstance(policy, Clustered):
            return plain.run(dag, policy(dag), pool, times, seed=seed, run=run).result
        if not isinstance(pool, Workers):
            raise SimulationError("clusters: expected a fixed set of workers, got batches")
        return run_clusters(dag, policy, pool, times, seed=seed, run=run)


def _next_step(runs: int, seconds: float) -> int:
    """Return how many runs to make in one go, after *runs* took *seconds*."""
    return max(1, int(runs * min(2.0, SECONDS_AT_ONCE / max(seconds, 1e-9))))


def _metrics(runs: Runs) -> Floats:
    return np.stack([getattr(runs, metric) for metric in METRICS])


def _paired(source: _Source, sampling: Paired, baseline: str, tell: Progress) -> Simulation:
    rows = np.empty((len(METRICS) * len(source.policies), 0))
    wanted = min(FEWEST_RUNS, sampling.most_runs)
    while True:
        rows = np.concatenate([rows, source.runs(rows.shape[1], wanted, tell)], axis=1)
        found = _estimated(source, rows, baseline, sampling)
        if found.precise or wanted == sampling.most_runs:
            return found
        wanted = _next_count(wanted, found.half_width / sampling.half_width, sampling.most_runs)


def _next_count(runs: int, excess: float, most: int) -> int:
    """Return how many runs should make an interval *excess* times shorter."""
    needed = min(4.0 * runs, 1.1 * excess * excess * runs)
    return min(most, max(runs + runs // 4, int(needed)))


def _estimated(source: _Source, rows: Floats, baseline: str, sampling: Paired) -> Simulation:
    drawn = stats.Bootstrap.of(rows, seed=source.seed)
    ratio_of = partial(drawn.ratio, resolution=RESOLUTION * sampling.half_width)
    width = len(METRICS)
    at = {name: range(i * width, i * width + width) for i, name in enumerate(source.policies)}
    policies = {name: Estimates(*map(drawn.mean, rows)) for name, rows in at.items()}
    ratio = {
        f"{name}_over_{baseline}": Ratios(*map(ratio_of, at[name], at[baseline]))
        for name in policies
        if name != baseline
    }
    found = _simulation(source, policies, ratio, rows.shape[1])
    is_precise = found.runs >= FEWEST_RUNS and found.half_width <= sampling.half_width
    return replace(found, precise=is_precise)


def _by_paper(
    source: _Source, sampling: PaperSampling, baseline: str, tell: Progress
) -> Simulation:
    each = sampling.samples * sampling.runs
    total = each * len(source.policies)
    samples: dict[str, Floats] = {}
    for number, (name, policy) in enumerate(source.policies.items()):
        alone = replace(source, policies={name: policy})
        rows = alone.runs(number * each, (number + 1) * each, lambda done, _last: tell(done, total))
        samples[name] = rows.reshape(len(METRICS), sampling.samples, sampling.runs).mean(axis=2)
    policies = {name: Estimates(*map(stats.paper_mean, rows)) for name, rows in samples.items()}
    ratio = {
        f"{name}_over_{baseline}": Ratios(*map(stats.paper_ratio, samples[name], samples[baseline]))
        for name in policies
        if name != baseline
    }
    return _simulation(source, policies, ratio, each)


def _simulation(
    source: _Source,
    policies: dict[str, Estimates],
    ratio: dict[str, Ratios],
    runs: int,
) -> Simulation:
    watched = [found.time for found in (ratio or policies).values()]
    half_width = max(found.half_width for found in watched if found is not None)
    return Simulation(
        policies=MappingProxyType(policies),
        ratio=MappingProxyType(ratio),
        runs=runs,
        seed=source.seed,
        precise=True,
        half_width=half_width,
    )
