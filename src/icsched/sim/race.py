"""A race between orders: simulated on the same draws, losers dropped early, the winner checked.

The work is counted in simulated tasks and batches, not in seconds. So a race of the same inputs
and seed ends the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist

import numpy as np

from icsched.arrays import Floats
from icsched.dag import Dag
from icsched.errors import PoolError
from icsched.frames import Answer
from icsched.pebble import remaining_paths
from icsched.sim.experiment import Experiment
from icsched.sim.model import AnyPool, Pool, Times, checked_means
from icsched.sim.played import Played

WORK_A_SECOND = 12_000_000  # simulated tasks and batches: about what one core does in a second
SLOWER = 0.01  # an order that is slower than the present one by more, on some pool, is not chosen
CLEAR = 3.0  # standard errors between an order and a better one, before it is dropped
ALIKE = 0.0005  # of the time: orders that differ by less are alike
FEWEST_RUNS, USUAL_RUNS, MOST_RUNS = 1, 2, 1024  # for each order and pool, in the race
FEWEST_CHECKS = 4  # runs of the winner and of the present order on each pool; fewer say too little
FIRST_RUNS = 8  # with fewer nobody knows what chance does, so no order is dropped
FAR = 10  # a race of batches may take this many times its budget
CHECKED_SHARE = 1 / 3  # of the work, kept for the check
RACED, FRESH = 1 << 29, 1 << 30  # numbers of the first runs of race and check: no others use them


@dataclass(frozen=True)
class Interval(Answer):
    """A ratio of times with its 95% interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Raced(Answer):
    """What came out of a race.

    `ratios` has the time of each order over the present one's, as the race saw it when the order
    was dropped or won; it is the geometric mean over all pools. `winner` may be the present order.
    `checked` is its ratio on fresh draws. `runs` counts all simulated runs, the check included, and
    `seconds` is their work in the unit of the budget: no clock is read. `intervals` has the ratios
    of the other orders with their 95% intervals, if the race made two runs of an order or more.
    """

    winner: str
    present: str
    ratios: Mapping[str, float]
    checked: Interval
    runs: int
    seconds: float
    intervals: Mapping[str, Interval] = field(default_factory=dict)


class _Track:
    """Where orders are played: all on the same draws."""

    def __init__(self, dag: Dag, pools: Sequence[AnyPool], times: Times, seed: int) -> None:
        self.pools = pools
        self.tasks = len(dag)
        self.longest = float(remaining_paths(dag, checked_means(dag, times)).max())
        self.work = 0.0  # simulated so far
        self.runs = 0
        self._dag, self._times, self._seed = dag, times, seed

    @cached_property
    def _experiments(self) -> list[Experiment]:
        """One for each pool: made once the race is known to be affordable, which says more."""
        first = Experiment(self._dag, self.pools[0], self._times)
        return [first, *map(first.on, self.pools[1:])]

    @property
    def work_of_a_run(self) -> float:
        """What one run on each pool takes, about."""
        return sum(_expected_work(self.tasks, pool, self.longest) for pool in self.pools)

    def logs(self, played: Played, first: int, runs: int) -> Floats:
        """Return the logarithm of the time of each run, a row for each pool."""
        rows = []
        for experiment in self._experiments:
            made = experiment.runs(played, seed=self._seed, first_run=first, runs=runs)
            self.work += self.tasks * runs + float(made.batches.sum())
            self.runs += runs
            rows.append(np.log(made.time))
        return np.stack(rows)


def run_race(
    dag: Dag,
    orders: Mapping[str, Played],
    present: str,
    pools: Sequence[AnyPool],
    times: Times,
    *,
    budget: float,
    seed: int,
) -> Raced:
    """Find the order that is fastest on average over *pools*, within a budget of seconds.

    The race goes on until chance explains no difference that matters, or the budget is used. An
    order that is more than 1% slower than the order named *present* on some pool does not win.
    The check on fresh draws refuses a winner only if it is clearly slower by that much. A check
    that refused all that look slower would select what it reports. The first of the orders that
    are alike wins.

    >>> from icsched.sim import Workers
    >>> fork = Dag({"lone": [], "a": [], "b": ["a"], "c": ["b"]})
    >>> orders = {"path": Played("static", ["a", "b", "lone", "c"]), "fifo": Played("fifo")}
    >>> model = [Workers(1)], Times()
    >>> run_race(fork, orders, "fifo", *model, budget=0.01, seed=1).winner
    'path'
    """
    track = _Track(dag, pools, times, seed)
    most = budget * WORK_A_SECOND
    _check_affordable(track, len(orders), most)
    heats = _Heats(track, orders, present)
    kept = max(most * CHECKED_SHARE, 2 * FEWEST_CHECKS * track.work_of_a_run)
    heats.run(most - kept)
    winner = heats.winner()
    fresh = _fresh(track, orders, winner, present, most - track.work)
    if _is_clearly_slower(fresh):
        winner, fresh = present, np.zeros_like(fresh)
    checked, seconds = _interval(fresh.mean(axis=0)), track.work / WORK_A_SECOND
    return Raced(winner, present, heats.ratios(), checked, track.runs, seconds, heats.intervals())


def affordable(
    dag: Dag, pools: Sequence[AnyPool], times: Times, *, orders: int, budget: float
) -> Sequence[AnyPool]:
    """Return the first of *pools* for which a race between *orders* keeps its budget; at least one.

    >>> from icsched.sim import Workers
    >>> tasks = Dag.from_arcs(1000, [])
    >>> pools = [Workers(2), Workers(4), Workers(8)]
    >>> len(affordable(tasks, pools, Times(), orders=4, budget=0.005))
    2
    """
    runs = orders * FEWEST_RUNS + 2 * FEWEST_CHECKS
    longest = float(remaining_paths(dag, times.means_for(dag)).max(initial=0.0))
    work = np.cumsum([runs * _expected_work(len(dag), pool, longest) for pool in pools])
    return pools[: max(1, int(np.searchsorted(work, budget * WORK_A_SECOND, side="right")))]


def _expected_work(tasks: int, pool: AnyPool, longest: float) -> float:
    """Return about how many tasks and batches a run has; workers ask alone, once for each task."""
    if not isinstance(pool, Pool):
        return 2.0 * tasks
    return tasks + tasks / pool.batch + longest / pool.interval


def _check_affordable(track: _Track, orders: int, most: float) -> None:
    """Raise PoolError for batches so frequent that the budget is far too small for them."""
    longest = track.longest
    intervals = [pool.interval for pool in track.pools if isinstance(pool, Pool)]
    batches = sum(longest / interval for interval in intervals) * orders * USUAL_RUNS
    if batches > FAR * most:
        shortest = min(intervals)
        raise PoolError(
            f"interval {shortest:g}: too many batches to simulate in {most / WORK_A_SECOND:g} s;"
            f" the longest path takes {longest:g}; give a longer interval,"
            " or the name of an order that is not auto"
        )


@dataclass(eq=False)
class _Heats:
    """The rounds of a race."""

    track: _Track
    orders: Mapping[str, Played]
    present: str
    logs: dict[str, Floats] = field(default_factory=dict)  # by order: a row for each pool
    running: list[str] = field(default_factory=list)
    runs: int = 0

    def run(self, most: float) -> None:
        """Make rounds until it is clear who wins, all are alike, or the work is done."""
        self.running = list(self.orders)
        round_of_one = len(self.orders) * self.track.work_of_a_run
        runs = USUAL_RUNS if USUAL_RUNS * round_of_one <= most else FEWEST_RUNS
        while True:
            for name in self.running:
                made = self.track.logs(self.orders[name], RACED + self.runs, runs)
                known = self.logs.get(name, np.empty((len(made), 0)))
                self.logs[name] = np.concatenate([known, made], axis=1)
            self.runs += runs
            self._drop()
            runs = self.runs  # the next round doubles them
            if self._is_over() or 2 * self.track.work > most or 2 * self.runs > MOST_RUNS:
                return

    def winner(self) -> str:
        """Return the first of the best orders that are nowhere much slower than the present."""
        safe = self._safe()
        best = min(self._lead(name).mean() for name in safe)
        return next(name for name in safe if self._lead(name).mean() <= best + ALIKE)

    def ratios(self) -> dict[str, float]:
        """Return the time of each order over the present one's."""
        return {name: math.exp(self._lead(name).mean()) for name in self.orders}

    def intervals(self) -> dict[str, Interval]:
        """Return the ratios with their intervals: of all orders but the present, if runs suffice.

        Orders leave the race when they look slow, and one wins because it looks fast. In 300 races
        on each of four dags, 94% to 96% of these intervals held the ratio of 100,000 runs.
        """
        leads = {name: self._lead(name) for name in self.orders if name != self.present}
        return {name: _interval(lead) for name, lead in leads.items() if len(lead) > 1}

    def _lead(self, name: str) -> Floats:
        """Return how far each run is behind the present order's, as a logarithm."""
        lead: Floats = self._by_pool(name).mean(axis=0)
        return lead

    def _by_pool(self, name: str) -> Floats:
        mine = self.logs[name]
        behind: Floats = mine - self.logs[self.present][:, : mine.shape[1]]
        return behind

    def _safe(self) -> list[str]:
        """Return the orders that may win; the present one is always among them."""
        return [name for name in self.running if _is_safe(self._by_pool(name))]

    def _drop(self) -> None:
        if self.runs < FIRST_RUNS:
            return
        leads = {name: self._lead(name) for name in self.running}
        best = min(self._safe(), key=lambda name: leads[name].mean())
        self.running = [
            name
            for name in self.running
            if name in (best, self.present)
            or not (_is_clear(leads[name] - leads[best]) or _is_unsafe(self._by_pool(name)))
        ]

    def _is_over(self) -> bool:
        """Whether more runs would change nothing: one order leads clearly, or all are alike."""
        if self.runs < FIRST_RUNS:
            return False
        leads = {name: self._lead(name) for name in self.running}
        others = [name for name in self.running if name != self.present]
        if len(others) == 1 and _is_safe(self._by_pool(others[0])):
            return _is_clear(-leads[others[0]]) or _is_known(leads[others[0]])
        first = leads[self.running[0]]
        return all(_is_known(lead - first) for lead in leads.values())


def _is_safe(by_pool: Floats) -> bool:
    """Whether an order is nowhere more than 1% slower; *by_pool* has a row for each pool."""
    return float(by_pool.mean(axis=1).max()) <= math.log1p(SLOWER)


def _is_unsafe(by_pool: Floats) -> bool:
    """Whether an order is more than 1% slower on some pool, by more than chance explains."""
    behind = by_pool - math.log1p(SLOWER)
    return any(float(row.mean()) > CLEAR * _error(row) for row in behind)


def _is_clearly_slower(by_pool: Floats) -> bool:
    """Whether an order is more than 1% slower on some pool, beyond the 95% interval there."""
    return any(float(row.mean()) - _reach(row) > math.log1p(SLOWER) for row in by_pool)


def _is_clear(behind: Floats) -> bool:
    """Whether an order is behind by more than chance explains."""
    return float(behind.mean()) > max(ALIKE, CLEAR * _error(behind))


def _is_known(behind: Floats) -> bool:
    """Whether the error of the mean is too small to matter."""
    return _error(behind) < ALIKE / CLEAR


def _error(values: Floats) -> float:
    """Return the standard error of the mean."""
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def _fresh(
    track: _Track, orders: Mapping[str, Played], winner: str, present: str, most: float
) -> Floats:
    """Return how far the winner is behind on fresh draws, a row for each pool."""
    if winner == present:
        return np.zeros((len(track.pools), 2))
    cost = 2 * len(track.pools) * track.work / track.runs
    runs = max(FEWEST_CHECKS, min(MOST_RUNS, int(most / cost)))
    rows = [track.logs(orders[name], FRESH, runs) for name in (winner, present)]
    behind: Floats = rows[0] - rows[1]
    return behind


def _interval(behind: Floats) -> Interval:
    """Return the ratio of times of runs that are *behind* by these logarithms."""
    mean, reach = float(behind.mean()), _reach(behind)
    return Interval(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach))


def _reach(values: Floats) -> float:
    """Return half the length of the 95% interval of the mean."""
    return _t_quantile(len(values) - 1) * _error(values)


def _t_quantile(freedom: int) -> float:
    """Return the 97.5% point of Student's t, by the expansion of Fisher and Cornish.

    >>> round(_t_quantile(3), 2), round(_t_quantile(30), 3), round(_t_quantile(10**6), 2)
    (3.18, 2.042, 1.96)
    """
    z = NormalDist().inv_cdf(0.975)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))
