"""A recorded run, played again on the pool that was learned from it."""

from collections.abc import Sized
from dataclasses import dataclass

import numpy as np

from icsched import history
from icsched.arrays import Floats, Ids, ids_where
from icsched.commands.order_options import differ
from icsched.commands.terminal import Signs
from icsched.dag import Dag
from icsched.errors import SimulationError
from icsched.history import Ending, Fit, PastRun, Stalls, Usage
from icsched.orders import simulate
from icsched.orders.simulation import OrderLike
from icsched.pebble import priority_order
from icsched.sim import (
    AnyPool,
    Paired,
    Played,
    Recorded,
    Simulation,
    Times,
    Workers,
    simulate_runs,
)
from icsched.sim.model import SPREAD
from icsched.sim.pools import FAR_OFF
from icsched.workflow import Workflow

_GOOD = 0.05  # a fixed number of workers is good enough if it ends this near to the run
_REPLAYS = 100  # of a pool whose workers leave: chance decides which task is lost


@dataclass(frozen=True, eq=False)
class Replayed:
    """The pool of a run, and how well it reproduces the run.

    `actual` is when the last job succeeded on the real pool, `replays` when it does by simulation
    on a fixed number of workers and on the recorded slots, with the measured times, in the order of
    the starts. It is the mean of 100 runs if workers or slots leave.
    """

    pool: AnyPool
    actual: float
    replays: dict[str, float]

    def error_of(self, name: str) -> float:
        """Return simulated end over actual end, less 1; 0 for a run that took no time."""
        return self.replays[name] / self.actual - 1 if self.actual else 0.0

    @property
    def error(self) -> float:
        """The error on `pool`."""
        return self.error_of("workers" if isinstance(self.pool, Workers) else "recorded")

    @property
    def is_far_off(self) -> bool:
        """Whether the run on `pool` ends so differently that what is foretold means little."""
        return abs(self.error) > FAR_OFF


@dataclass(frozen=True, eq=False)
class Learned:
    """What a run tells: who ran what and when, the pools that fit, the stalls, the replays."""

    usage: Usage
    fit: Fit
    stalls: Stalls
    replayed: Replayed


def learned_from(run: PastRun, whole: Dag, *, recorded: bool = False) -> Learned:
    """Return what *run* tells, of which *whole* has all jobs: those that are done now, too.

    `recorded` takes the recorded slots for the pool, not a fixed number. Raises SimulationError for
    a run that cannot be followed.
    """
    usage = usage_of(run, whole)
    fit = history.fitted(usage)
    stalls = history.find_stalls(usage, whole.names)
    return Learned(usage, fit, stalls, _replayed(usage, fit, whole, recorded=recorded))


def usage_of(run: PastRun, dag: Dag | None) -> Usage:
    """Return who ran what and when; raises SimulationError if nothing started."""
    usage = Usage.of(run, dag)
    if not len(usage):
        raise SimulationError("expected the start of a job in the last run, got none")
    return usage


def order_of_starts(usage: Usage, dag: Dag) -> Ids:
    """Return the tasks in the order of their first starts; those that did not start come last."""
    start = np.full(len(dag), np.inf)
    known = usage.is_first & (usage.task >= 0)
    start[usage.task[known]] = usage.start[known]
    return priority_order(dag, start)


def places_left(workflow: Workflow) -> Ids:
    """Return the id among the tasks that are left of each task of *workflow*; -1 if it is done.

    >>> places_left(Workflow(Dag({"a": [], "b": ["a"]}), np.array([True, False]))).tolist()
    [-1, 0]
    """
    places = np.full(len(workflow.whole), -1, np.int32)
    places[workflow.left] = np.arange(len(workflow.dag), dtype=np.int32)
    return places


def _replayed(usage: Usage, fit: Fit, dag: Dag, *, recorded: bool) -> Replayed:
    actual, replays = _replays(usage, fit, dag)
    use_slots = recorded or _are_slots_better(actual, replays)
    return Replayed(fit.recorded if use_slots else fit.workers, actual, replays)


def _are_slots_better(actual: float, replays: dict[str, float]) -> bool:
    """Whether a fixed number of workers ends far from the run, and the recorded slots nearer."""
    is_good = abs(replays["workers"] - actual) <= _GOOD * actual
    is_nearer = abs(replays["recorded"] - actual) < abs(replays["workers"] - actual)
    return not is_good and is_nearer


def _replays(usage: Usage, fit: Fit, dag: Dag) -> tuple[float, dict[str, float]]:
    """Return when the last job succeeded, and does so on each pool, since the first start."""
    ended = _ended(usage, dag)
    part = dag.induced(ended) if len(ended) < len(dag) else dag
    times = Times("constant", means=_seconds(usage, len(dag))[ended])
    order = order_of_starts(usage, dag)
    place = np.full(len(dag), -1)
    place[ended] = np.arange(len(ended))
    played = Played("static", place[order][place[order] >= 0].astype(np.int32))
    is_done = (usage.ending == Ending.DONE) & (usage.task >= 0)
    actual = float(usage.end[is_done].max(initial=0.0))
    pools: dict[str, AnyPool] = {"workers": fit.workers, "recorded": fit.recorded}
    return actual, {n: _time(part, played, p, times) + fit.begin for n, p in pools.items()}


def _time(dag: Dag, played: Played, pool: AnyPool, times: Times) -> float:
    earliest = pool.ends.min() if isinstance(pool, Recorded) else pool.leave
    runs = 1 if earliest == np.inf else _REPLAYS
    return float(simulate_runs(dag, played, pool, times, seed=0, runs=runs).time.mean())


def _ended(usage: Usage, dag: Dag) -> Ids:
    """Return the tasks that succeeded, and those before them that the log does not show."""
    is_in = np.zeros(len(dag), bool)
    is_in[usage.task[(usage.ending == Ending.DONE) & (usage.task >= 0)]] = True
    parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
    open_ = np.unique(parents[is_in[children] & ~is_in[parents]]).tolist()
    is_in[open_] = True
    while open_:
        above = dag.parent_rows[open_.pop()]
        more = above[~is_in[above]]
        is_in[more] = True
        open_.extend(more.tolist())
    return ids_where(is_in)


def _seconds(usage: Usage, tasks: int) -> Floats:
    """Return how long each task held a slot: its successful attempt and those that failed."""
    is_own = np.isin(usage.ending, [Ending.DONE, Ending.FAILED]) & (usage.task >= 0)
    lengths = (usage.end - usage.start)[is_own]
    return np.bincount(usage.task[is_own], lengths, minlength=tasks).astype(np.float64)


USED = "used"  # what the order of the recorded starts is called
FIFO = "fifo"  # what HTCondor does without priorities
ORDERS_TRIED = ("critical-path", "prio", "critical-path-steps")
_MOST_TASKS = 50_000_000  # simulated, of all orders together
_FEWEST_REPEATED = 20  # jobs measured several times, to know their spread


@dataclass(frozen=True, eq=False)
class Foretold(Replayed):
    """The pool, how well it reproduces the run, and the times of other orders on it.

    `found` has all jobs of the workflow, with times that vary by `times`. Orders are compared with
    `baseline`: fifo if the workflow has no priorities, because HTCondor then takes jobs so; else
    the recorded order of the starts.
    """

    times: Times
    spread_is_measured: bool
    baseline: str
    found: Simulation


def foretell(past: PastRun, learned: Learned, workflow: Workflow, signs: Signs) -> Foretold:
    """Simulate the workflow in other orders on the pool that was learned."""
    dag, replayed = workflow.dag, learned.replayed
    spread, is_measured = _spread(past)
    is_normal = is_measured and spread <= 0.3
    times = Times("normal" if is_normal else "lognormal", spread, means=workflow.run_times)
    orders = _orders(learned.usage, workflow)
    baseline = _baseline(workflow)
    with signs.progress("simulating other orders", len(dag)) as tell:
        found = simulate(
            dag,
            orders,
            pool=replayed.pool,
            times=times,
            seed=0,
            baseline=baseline,
            sampling=Paired(most_runs=_most_runs(dag, orders)),
            progress=tell,
        )
    known = replayed.pool, replayed.actual, replayed.replays
    return Foretold(*known, times, is_measured, baseline, found)


def _most_runs(dag: Dag, orders: Sized) -> int:
    return int(min(2000, max(20, _MOST_TASKS / (len(dag) * len(orders)))))


def _orders(usage: Usage, workflow: Workflow) -> dict[str, OrderLike]:
    """Return the orders to try by name; the one that was used is first."""
    places = places_left(workflow)[order_of_starts(usage, workflow.whole)]
    used = Played("static", places[places >= 0])
    return {USED: used, **{word: word for word in (*ORDERS_TRIED, FIFO)}}


def _baseline(workflow: Workflow) -> str:
    """Return what other orders are compared with.

    A list of recorded starts is no rule. It knows when jobs became eligible in that one run, so it
    is not what fifo would do in the next run.
    """
    return USED if differ(workflow.priorities) else FIFO


def _spread(past: PastRun) -> tuple[float, bool]:
    """Return how much the times of one job vary, and whether the logs say so."""
    is_good = (past.ending == Ending.DONE) & (past.seconds > 0)
    job, seconds = past.job[is_good], past.seconds[is_good]
    count = np.bincount(job, minlength=len(past.names))
    mean = np.bincount(job, seconds, minlength=len(past.names)) / np.maximum(count, 1)
    squares = np.bincount(job, (seconds / mean[job] - 1) ** 2, minlength=len(past.names))
    repeated = count > 1
    if repeated.sum() < _FEWEST_REPEATED:
        return SPREAD, False
    return float(np.sqrt(np.mean(squares[repeated] / (count[repeated] - 1)))), True
