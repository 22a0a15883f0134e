"""Orders side by side on the same random draws, until the ratio of their times is known."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from icsched import checks
from icsched.arrays import Floats
from icsched.dag import Dag
from icsched.errors import ArgumentError
from icsched.frames import Answer, Rounded, Shown, brief, data_frame
from icsched.orders import ORDERS, Aim, Graph, Made, Plan, dag_of, made_order, run_times_of
from icsched.pebble import HasOrder, Order, Schedule
from icsched.ready import Server
from icsched.sim import plain, stats
from icsched.sim.engine import simulate_runs
from icsched.sim.model import AnyPool, Pool, Recorded, Times, Workers, check_inputs
from icsched.sim.played import Played
from icsched.sim.results import Runs
from icsched.sim.stats import Mean, Ratio

METRICS = ("time", "stall", "utilisation")

FEWEST_RUNS = 500  # with fewer runs an interval is not trusted
LEAST_RUNS, MOST_RUNS = 20, 10**7  # that a user may ask for
RESOLUTION = 0.25  # no interval of a ratio is shorter than this share of the half-width asked for
FIRST_TASKS = 1_000_000  # in the first call of the kernel
SECONDS_AT_ONCE = 0.5  # in each later call: progress is reported between calls

Progress: TypeAlias = Callable[[int, int], None]  # runs done, runs expected in all


ServerMaker: TypeAlias = Callable[[Dag], Server[int]]
Resolved: TypeAlias = Played | ServerMaker
OrderLike: TypeAlias = str | Order | Resolved
Orders: TypeAlias = str | Mapping[str, OrderLike] | Sequence[str | Plan]


@dataclass(frozen=True)
class Paired:
    """Runs in which all orders see the same random draws, with bootstrap intervals.

    Runs are made until the ratio of each order's time to the baseline's has an interval of relative
    *half_width*, or until there are *most_runs*. No interval of a ratio is shorter than a quarter
    of *half_width*, because a shorter one would claim more precision than it has.
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
        )  # all ratios of two are in memory
        checks.whole_number("runs", self.runs, least=1, most=MOST_RUNS)
        checks.whole_number("runs", self.samples * self.runs, least=1, most=MOST_RUNS)


@dataclass(frozen=True)
class Estimates:
    """What was estimated of an order."""

    time: Mean
    stall: Mean
    utilisation: Mean


@dataclass(frozen=True)
class Ratios:
    """An order's estimates over the baseline's.

    `stall` is None if one of the two never found nothing, or if the baseline may never do so.
    """

    time: Ratio
    stall: Ratio | None
    utilisation: Ratio


@dataclass(frozen=True)
class Simulation(Answer, Shown):
    """What came out of a comparison of orders.

    `ratio` has a key ``NAME_over_BASELINE`` for each other order. `precise` says whether the
    half-width asked for was reached, in enough runs to trust it; `PaperSampling` asks for no
    half-width. `half_width` is that of the ratios of time, or of the times if there are no ratios.

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


def simulate(
    graph: Graph,
    orders: Orders,
    *,
    pool: AnyPool | None = None,
    times: Times | None = None,
    seed: int = 0,
    baseline: str | None = None,
    sampling: Paired | PaperSampling | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Simulate *graph* under each of *orders* and compare them with the order named *baseline*.

    The baseline is by default the order named "fifo", or else the first. *graph* is what
    `prioritize` takes.

    *orders* are names of `ORDERS` and plans, or a mapping from names of your own. In a mapping an
    order is a name of `ORDERS`, a plan, a schedule, task names or ids, a `Played`, or a function
    that makes a `Server` for a dag. Orders that use run times get the means of *times*. By default
    the pool is ``Pool()``, and the sampling is ``Paired()``. If *times* have no means, these are
    the run times of the workflow, if it has some. *progress* is called from time to time.

    Raises ArgumentError for an argument that is wrong, SimulationError for a run that would not
    end, ScheduleError for an order of another dag.

    >>> fork = Dag({"lone": [], "a": [], "b": ["a"], "c": ["a"]})
    >>> found = simulate(fork, ["prio", "fifo"], pool=Pool(batch=1), seed=1)
    >>> list(found.ratio), found.ratio["prio_over_fifo"].time.high < 1, found.precise
    (['prio_over_fifo'], True, True)
    """
    dag = dag_of(graph)
    pool = Pool() if pool is None else pool
    times = Times() if times is None else times
    sampling = Paired() if sampling is None else sampling
    _check_kind("pool", pool, Pool, Workers, Recorded)
    _check_kind("times", times, Times)
    if times.means is None:
        times = replace(times, means=run_times_of(graph))
    _check_kind("sampling", sampling, Paired, PaperSampling)
    check_inputs(dag, pool, times)
    named = _by_name(orders)
    baseline = baseline or ("fifo" if "fifo" in named else next(iter(named)))
    checks.one_of("baseline", baseline, list(map(str, named)))
    chosen = {name: resolved(dag, name, wanted, times, pool) for name, wanted in named.items()}
    source = _Source(dag, chosen, pool, times, seed, threads)
    tell = progress or (lambda _done, _expected: None)
    if isinstance(sampling, PaperSampling):
        return _by_paper(source, sampling, baseline, tell)
    return _paired(source, sampling, baseline, tell)


def _check_kind(what: str, value: object, *kinds: type) -> None:
    if not isinstance(value, kinds):
        *first, last = (kind.__name__ for kind in kinds)
        expected = f"{', '.join(first)} or {last}" if first else last
        raise ArgumentError(f"{what}: expected {expected}, got {value!r}")


def _by_name(orders: Orders) -> Mapping[str, OrderLike]:
    """Return the orders by name; raises ArgumentError if there are none or one has no name."""
    if not isinstance(orders, Mapping):
        listed = [orders] if isinstance(orders, str | Plan) else orders
        if not isinstance(listed, Iterable):
            expected = "names of orders, or a mapping from names to orders"
            raise ArgumentError(f"orders: expected {expected}, got {orders!r}")
        orders = {_name_of(order): order for order in listed}
    if not orders:
        raise ArgumentError("orders: expected at least one")
    for name in orders:
        if not isinstance(name, str):
            raise ArgumentError(f"orders: expected a mapping from names, got the key {name!r}")
    return orders


def _name_of(order: object) -> str:
    name = order.ordered_by if isinstance(order, Plan) else order
    if not isinstance(name, str):
        raise ArgumentError(f"orders: expected names, or a mapping from names, got {order!r}")
    return name


def resolved(
    dag: Dag, name: str, wanted: OrderLike, times: Times, pool: AnyPool | None = None
) -> Resolved:
    """Return an order in the form that an engine takes, checked once.

    Raises ArgumentError, or ScheduleError for an order of another dag.

    >>> resolved(Dag({"a": []}), "mine", "lifo", Times()).by
    'lifo'
    """
    if isinstance(wanted, str):
        return _named(dag, wanted, times, pool)
    if isinstance(wanted, Played):
        checked = None if wanted.order is None else Schedule.of(dag, wanted.order)
        return replace(wanted, order=checked)
    if callable(wanted):
        return partial(_server, name, wanted)
    if not isinstance(wanted, HasOrder | list | tuple | range | np.ndarray):
        raise ArgumentError(f"order {name!r}: expected a name or an order, got {wanted!r}")
    return Played("static", Schedule.of(dag, wanted))


def _server(name: str, make: ServerMaker, dag: Dag) -> Server[int]:
    """Return a new server, ready to be asked; raises ArgumentError if it is none."""
    server = make(dag)
    if not all(hasattr(server, asked) for asked in ("take", "done", "lost")):
        got = f"one that makes {server!r}"
        raise ArgumentError(f"order {name!r}: expected a function that makes a Server, got {got}")
    try:
        getattr(server, "is_active", bool)()  # runs do not need it
    except ValueError as error:  # a Sorter that is not prepared
        raise ArgumentError(f"order {name!r}: its server cannot be asked: {error}") from error
    return server


def _named(dag: Dag, name: str, times: Times, pool: AnyPool | None) -> Played:
    entry = ORDERS.find(name)
    if entry.played != "static":
        return Played(entry.played)
    made = made_order(dag, name, times.means_for(dag), Aim(pool))
    ids = made.order if isinstance(made, Made) else made
    return Played("static", Schedule.trusted(dag, ids))


@dataclass(frozen=True, eq=False)
class _Source:
    """Where runs come from."""

    dag: Dag
    orders: Mapping[str, Resolved]
    pool: AnyPool
    times: Times
    seed: int
    threads: int | None

    def runs(self, first: int, last: int, tell: Progress) -> Floats:
        """Return a row for each metric of each order, with a column for each run from *first*."""
        step = max(1, FIRST_TASKS // (len(self.dag) * len(self.orders)))
        parts, start = [], first
        while start < last:
            stop = min(start + step, last)
            began = time.perf_counter()
            rows = [self.runs_of(played, start, stop) for played in self.orders.values()]
            step = _next_step(step, time.perf_counter() - began)
            parts.append(np.concatenate(rows))
            tell(stop, last)
            start = stop
        return np.concatenate(parts, axis=1)

    def runs_of(self, played: Resolved, start: int, stop: int) -> Floats:
        """Return a row for each metric, with a column for each run from *start* to *stop* - 1."""
        dag, pool, times, seed = self.dag, self.pool, self.times, self.seed
        if isinstance(played, Played):
            made = simulate_runs(
                *(dag, played, pool, times),
                seed=seed,
                first_run=start,
                runs=stop - start,
                threads=self.threads,
            )
            return _metrics(made)
        alone = [self.run_of(played, run) for run in range(start, stop)]
        return np.concatenate(list(map(_metrics, alone)), axis=1)

    def run_of(self, made: ServerMaker, run: int) -> Runs:
        """Return one run, made in Python."""
        dag, pool, times, seed = self.dag, self.pool, self.times, self.seed
        return plain.run(dag, made(dag), pool, times, seed=seed, run=run).result


def _next_step(runs: int, seconds: float) -> int:
    """Return how many runs to make in one go, after *runs* took *seconds*."""
    return max(1, int(runs * min(2.0, SECONDS_AT_ONCE / max(seconds, 1e-9))))


def _metrics(runs: Runs) -> Floats:
    return np.stack([getattr(runs, metric) for metric in METRICS])


def _paired(source: _Source, sampling: Paired, baseline: str, tell: Progress) -> Simulation:
    rows = np.empty((len(METRICS) * len(source.orders), 0))
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
    at = {name: range(i * width, i * width + width) for i, name in enumerate(source.orders)}
    orders = {name: Estimates(*map(drawn.mean, rows)) for name, rows in at.items()}
    ratio = {
        f"{name}_over_{baseline}": _ratios(map(ratio_of, at[name], at[baseline]))
        for name in orders
        if name != baseline
    }
    found = _simulation(source, orders, ratio, rows.shape[1])
    is_precise = found.runs >= FEWEST_RUNS and found.half_width <= sampling.half_width
    return replace(found, precise=is_precise)


def _by_paper(
    source: _Source, sampling: PaperSampling, baseline: str, tell: Progress
) -> Simulation:
    each = sampling.samples * sampling.runs
    total = each * len(source.orders)
    samples: dict[str, Floats] = {}
    for number, (name, played) in enumerate(source.orders.items()):
        alone = replace(source, orders={name: played})
        rows = alone.runs(number * each, (number + 1) * each, lambda done, _last: tell(done, total))
        samples[name] = rows.reshape(len(METRICS), sampling.samples, sampling.runs).mean(axis=2)
    orders = {name: Estimates(*map(stats.paper_mean, rows)) for name, rows in samples.items()}
    ratio = {
        f"{name}_over_{baseline}": _ratios(map(stats.paper_ratio, samples[name], samples[baseline]))
        for name in orders
        if name != baseline
    }
    return _simulation(source, orders, ratio, each)


def _ratios(ratios: Iterable[Ratio | None]) -> Ratios:
    """Return the ratios, one for each of `METRICS`."""
    time, stall, utilisation = ratios
    assert time is not None, "times are never 0"  # noqa: S101  for the type checker
    assert utilisation is not None, "nor is this"  # noqa: S101
    return Ratios(time, stall, utilisation)


def _simulation(
    source: _Source,
    orders: dict[str, Estimates],
    ratio: dict[str, Ratios],
    runs: int,
) -> Simulation:
    half_width = max(found.time.half_width for found in (ratio or orders).values())
    return Simulation(
        orders=orders,
        ratio=ratio,
        runs=runs,
        seed=source.seed,
        precise=True,
        half_width=half_width,
    )
