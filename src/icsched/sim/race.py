"""Races between orders, which are simulated on the same draws; slow orders are dropped early.

The work is counted in simulated tasks and batches, not in seconds. So a race of the same inputs
and seed ends the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from icsched.arrays import Floats
from icsched.dag import Dag, Graph
from icsched.errors import PoolError
from icsched.frames import Answer
from icsched.pebble import remaining_paths
from icsched.sim.doubt import RUNS_ALIKE, doubted
from icsched.sim.experiment import Experiment
from icsched.sim.model import AnyPool, Played, Pool, Times, checked_means
from icsched.sim.stats import end_of_a_run, t_quantile
from icsched.workflow import workflow_of

WORK_A_SECOND = 12_000_000  # simulated tasks and batches: about one second of work for one core
SLOWER = 0.01  # an order that is slower than the present order by more on some pool is not chosen
CLEAR = 3.0  # an order is dropped if this many standard errors behind
ALIKE = 0.0005  # orders whose times differ by less than this share count as equal
FEWEST_RUNS, USUAL_RUNS, MOST_RUNS = 1, 2, 1024  # runs for each order and pool in the race
FEWEST_CHECKS = 4  # least runs of the winner and of the present order on each pool
FIRST_RUNS = 8  # with fewer runs the error is unknown, so no order is dropped
FAR = 10  # a race of batches may take this many times its budget
CHECKED_SHARE = 1 / 3  # share of the work that is kept for the check
MOST_DOUBTED = 256  # the same if mean times are in doubt: each pair of runs is a call of the kernel
RACED, FRESH = 1 << 29, 1 << 30  # numbers of the first runs of race and check; unused elsewhere


@dataclass(frozen=True)
class Interval(Answer):
    """A ratio of times with its 95% interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Raced(Answer):
    """The result of a race.

    `ratios` has the time of each order over the present order's time, a geometric mean over all
    pools, when the order was dropped or won. `winner` may be the present order. `checked` is the
    winner's ratio on fresh draws. `runs` counts all simulated runs, including the check. `seconds`
    is their work in the unit of the budget; no clock is read. `intervals` has 95% intervals of the
    ratios of other orders, if the race made two or more runs of each. `is_clear` says whether the
    mean of `checked` is below 1, not only by the luck of the simulated runs. The interval also has
    what is not known of mean times. On one pool, `ends` has the time of a single run in the order
    `winner` and in `present`: the mean and the interval that has 95% of all runs.
    """

    winner: str
    present: str
    ratios: Mapping[str, float]
    checked: Interval
    runs: int
    seconds: float
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    ends: Mapping[str, Interval] = field(default_factory=dict)
    is_clear: bool = True


def run_race(
    graph: Graph,
    orders: Mapping[str, Played],
    present: str,
    pools: Sequence[AnyPool],
    times: Times,
    *,
    budget: float,
    seed: int,
    elsewhere: Mapping[str, AnyPool] | None = None,
    alike: float = ALIKE,
) -> Raced:
    """Find the order that is fastest on average over *pools*, within a budget of seconds.

    The race goes on until the winner is clear or all orders are equal, or the budget is used. An
    order that is more than 1% slower than the order named *present* on some pool does not win. The
    check on fresh draws refuses a winner only if it is clearly slower by that much. Refusing every
    winner that looks slower would bias the reported ratio. Among equal orders the first wins.
    *graph* is a dag, or a workflow whose tasks hold what they need on machines.

    An order that *elsewhere* names runs on that pool in place of *pools*, which is then one pool.
    So the same order can race against itself with other settings. Orders whose times differ by a
    smaller share than *alike* count as equal.

    >>> from icsched.sim import Workers
    >>> fork = Dag({"lone": [], "a": [], "b": ["a"], "c": ["b"]})
    >>> orders = {"path": Played("static", ["a", "b", "lone", "c"]), "fifo": Played("fifo")}
    >>> model = [Workers(1)], Times()
    >>> run_race(fork, orders, "fifo", *model, budget=0.01, seed=1).winner
    'path'
    """
    dag = workflow_of(graph).residual.dag
    longest = float(remaining_paths(dag, checked_means(dag, times)).max())
    most = budget * WORK_A_SECOND
    _check_affordable(pools, longest, len(orders), most)
    first = Experiment(graph, pools[0], times)
    usual = [first, *map(first.on, pools[1:])]
    moved = {} if elsewhere is None else elsewhere
    own = {name: [first.on(moved[name])] if name in moved else usual for name in orders}
    race = _Race(own, orders, present, seed, alike, is_doubted=times.doubt is not None)
    work = sum(_expected_work(len(dag), pool, longest) for pool in pools)
    race.run(most - max(most * CHECKED_SHARE, 2 * FEWEST_CHECKS * work), work)
    winner = race.winner()
    fresh = race.fresh(winner, most - race.work)
    if _is_clearly_slower(fresh):
        winner, fresh = present, np.zeros_like(fresh)
    behind = fresh.mean(axis=0)
    by_draw = race.by_draw(behind)
    return Raced(
        winner,
        present,
        race.ratios(),
        race.interval(behind),
        race.runs,
        race.work / WORK_A_SECOND,
        is_clear=float(by_draw.mean()) + _reach(by_draw) < 0,
        intervals=race.intervals(),
        ends={name: race.ends[name] for name in (winner, present) if name in race.ends},
    )


def affordable(
    dag: Dag, pools: Sequence[AnyPool], times: Times, *, orders: int, budget: float
) -> Sequence[AnyPool]:
    """Return the first *pools*, at least one, for which a race between *orders* keeps its budget.

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
    """Return the estimated tasks and batches of a run; each task is a batch for workers."""
    if not isinstance(pool, Pool):
        return 2.0 * tasks
    return tasks + tasks / pool.batch + longest / pool.interval


def _check_affordable(pools: Sequence[AnyPool], longest: float, orders: int, most: float) -> None:
    """Raise PoolError for batches so frequent that the budget is far too small for them."""
    intervals = [pool.interval for pool in pools if isinstance(pool, Pool)]
    batches = sum(longest / interval for interval in intervals) * orders * USUAL_RUNS
    if batches > FAR * most:
        shortest = min(intervals)
        raise PoolError(
            f"interval {shortest:g}: too many batches to simulate in {most / WORK_A_SECOND:g} s;"
            f" the longest path takes {longest:g}; give a longer interval,"
            " or the name of an order that is not auto"
        )


class _Race:
    """The logarithms of the times of orders on the same draws of several pools."""

    def __init__(
        self,
        experiments: Mapping[str, Sequence[Experiment]],
        orders: Mapping[str, Played],
        present: str,
        seed: int,
        alike: float,
        *,
        is_doubted: bool,
    ) -> None:
        self.work = 0.0  # work done so far
        self.runs = 0
        self._experiments, self._seed, self._alike = experiments, seed, alike
        self._pools = len(experiments[present])
        self._orders, self._present = orders, present
        self._running = list(orders)
        self._logs = {name: np.empty((self._pools, 0)) for name in orders}
        self.ends: dict[str, Interval] = {}  # of fresh runs on one pool
        self._is_doubted = is_doubted
        self._most_runs = MOST_DOUBTED if is_doubted else MOST_RUNS

    def run(self, most: float, work_of_a_run: float) -> None:
        """Make rounds until the winner is clear, all orders are equal, or the budget is used."""
        is_usual = USUAL_RUNS * len(self._orders) * work_of_a_run <= most
        done, runs = 0, USUAL_RUNS if is_usual else FEWEST_RUNS
        while True:
            for name in self._running:
                made = self._simulated(name, RACED + done, runs)
                self._logs[name] = np.concatenate([self._logs[name], made], axis=1)
            done += runs
            runs = done  # the next round doubles them
            if done >= FIRST_RUNS:
                self._drop()
                if self._is_decided():
                    return
            if 2 * self.work > most or 2 * done > self._most_runs:
                return

    def fresh(self, winner: str, most: float) -> Floats:
        """Return how far the winner is behind on fresh draws, with a row for each pool."""
        cost = 2 * self._pools * self.work / self.runs
        most_runs = min(self._most_runs, int(most / cost)) // RUNS_ALIKE * RUNS_ALIKE
        runs = max(FEWEST_CHECKS, most_runs)
        if winner == self._present:
            if self._pools == 1:
                self._note_end(winner, self._simulated(winner, FRESH, runs))
            return np.zeros((self._pools, 2 * RUNS_ALIKE))
        mine, theirs = (self._simulated(name, FRESH, runs) for name in (winner, self._present))
        if self._pools == 1:
            self._note_end(winner, mine)
            self._note_end(self._present, theirs)
        return mine - theirs

    def _note_end(self, name: str, logs: Floats) -> None:
        """Keep the mean time of a run, and the interval that has 95% of all runs."""
        end = end_of_a_run(np.exp(logs[0]), is_doubted=self._is_doubted)
        self.ends[name] = Interval(end.mean, end.low, end.high)

    def _simulated(self, name: str, first: int, runs: int) -> Floats:
        """Return the logarithm of the time of each run, a row for each pool."""
        rows = []
        for experiment in self._experiments[name]:
            made = experiment.runs(self._orders[name], seed=self._seed, first_run=first, runs=runs)
            self.work += len(experiment.dag) * runs + float(made.batches.sum())
            self.runs += runs
            rows.append(np.log(made.time))
        return np.stack(rows)

    def winner(self) -> str:
        """Return the first of the best orders that are on no pool much slower than the present."""
        safe = self._safe()
        best = min(self._lead(name).mean() for name in safe)
        return next(name for name in safe if self._lead(name).mean() <= best + self._alike)

    def ratios(self) -> dict[str, float]:
        """Return the ratio of each order's time to the present order's time."""
        return {name: math.exp(self._lead(name).mean()) for name in self._orders}

    def intervals(self) -> dict[str, Interval]:
        """Return the ratios with their intervals for all other orders with enough runs.

        Orders are dropped because they look slow, which could bias the intervals. But in 300 races
        on each of four dags, 94% to 96% of the intervals contained the ratio of 100,000 runs.
        """
        leads = {name: self._lead(name) for name in self._orders if name != self._present}
        least = 2 * RUNS_ALIKE if self._is_doubted else 2
        return {name: self.interval(lead) for name, lead in leads.items() if len(lead) >= least}

    def by_draw(self, behind: Floats) -> Floats:
        """Return how far an order is behind for each draw of mean times, or else for each run."""
        if not self._is_doubted:
            return behind
        whole = behind[: len(behind) // RUNS_ALIKE * RUNS_ALIKE]
        return np.asarray(whole.reshape(-1, RUNS_ALIKE).mean(axis=1))

    def interval(self, behind: Floats) -> Interval:
        """Return the ratio of times with all that is not known, from logarithms for each run."""
        doubt = doubted(behind) if self._is_doubted else 0.0
        return interval_of(self.by_draw(behind), doubt)

    def _by_pool(self, name: str) -> Floats:
        """Return how far each run is behind the present order's, a row for each pool."""
        mine = self._logs[name]
        return mine - self._logs[self._present][:, : mine.shape[1]]

    def _lead(self, name: str) -> Floats:
        """Return how far each run is behind the present order's, as a mean over all pools."""
        return np.asarray(self._by_pool(name).mean(axis=0))

    def _safe(self) -> list[str]:
        """Return the orders that may win, always including the present order."""
        return [name for name in self._running if _is_safe(self._by_pool(name))]

    def _drop(self) -> None:
        """Drop the orders that are clearly behind the best, or clearly slower on some pool."""
        leads = {name: self._lead(name) for name in self._running}
        best = min(self._safe(), key=lambda name: leads[name].mean())
        self._running = [
            name
            for name in self._running
            if name in (best, self._present)
            or not (_is_clear(leads[name] - leads[best]) or _is_unsafe(self._by_pool(name)))
        ]

    def _is_decided(self) -> bool:
        """Whether one order leads clearly, or all orders are equal."""
        leads = {name: self._lead(name) for name in self._running}
        others = [name for name in self._running if name != self._present]
        if len(others) == 1 and _is_safe(self._by_pool(others[0])):
            return _is_clear(-leads[others[0]]) or _is_known(leads[others[0]])
        first = leads[self._running[0]]
        return all(_is_known(lead - first) for lead in leads.values())


def _is_safe(by_pool: Floats) -> bool:
    """Whether an order is more than 1% slower on no pool; *by_pool* has a row for each pool."""
    return float(by_pool.mean(axis=1).max()) <= math.log1p(SLOWER)


def _is_unsafe(by_pool: Floats) -> bool:
    """Whether an order is significantly more than 1% slower on some pool."""
    behind = by_pool - math.log1p(SLOWER)
    return any(float(row.mean()) > CLEAR * _error(row) for row in behind)


def _is_clearly_slower(by_pool: Floats) -> bool:
    """Whether an order is more than 1% slower on some pool, beyond the 95% interval there."""
    return any(float(row.mean()) - _reach(row) > math.log1p(SLOWER) for row in by_pool)


def _is_clear(behind: Floats) -> bool:
    """Whether an order is significantly behind."""
    return float(behind.mean()) > max(ALIKE, CLEAR * _error(behind))


def _is_known(behind: Floats) -> bool:
    """Whether the error of the mean is too small to matter."""
    return _error(behind) < ALIKE / CLEAR


def _error(values: Floats) -> float:
    """Return the standard error of the mean."""
    return float(values.std(ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else math.inf


def interval_of(behind: Floats, doubt: float = 0.0) -> Interval:
    """Return the ratio of times, with its interval, from the logarithms *behind*.

    *doubt* is the deviation of the mean that comes from what is not known of mean times.
    """
    freedom = len(behind) - 1
    mean, reach = float(behind.mean()), math.hypot(_reach(behind), t_quantile(freedom) * doubt)
    return Interval(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach))


def _reach(values: Floats) -> float:
    """Return half the length of the 95% interval of the mean."""
    return t_quantile(len(values) - 1) * _error(values)
