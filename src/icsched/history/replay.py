"""The last run of the logs, played again on the pool that was learned from it."""

from dataclasses import dataclass, field

import numpy as np

from icsched.arrays import Floats, Ids, ids_where
from icsched.dag import Dag
from icsched.errors import SimulationError
from icsched.history.losses import Losses
from icsched.history.past_run import Ending, PastRun
from icsched.history.slots import Seen, machines_of
from icsched.history.summary import Stalls, find_stalls
from icsched.history.throttle import Submission
from icsched.history.usage import Fit, Usage, fitted
from icsched.pebble import priority_order
from icsched.sim import AnyPool, Experiment, Played, Recorded, Times, Workers
from icsched.sim.pools import FAR_OFF

_GOOD = 0.05  # a fixed number of workers is good enough if it ends this near to the run
_REPLAYS = 100  # of a pool whose workers leave: chance decides which task is lost


@dataclass(frozen=True, eq=False)
class Learned:
    """What a run tells: who ran what and when, the pools that fit, the stalls, and the replays.

    `pool` is the one of the pools that reproduces the run. `actual` is when the last job succeeded
    on the real pool, `replays` when it does by simulation on a fixed number of workers and on the
    recorded slots, with the measured times, in the order of the starts. It is the mean of 100 runs
    if workers or slots leave. Without a dag there are neither stalls nor replays. `seen` has the
    machines, and `losses` what became of their cores; None if the log does not say the cores.
    """

    usage: Usage
    fit: Fit
    submission: Submission
    seen: Seen | None
    losses: Losses | None
    stalls: Stalls | None
    pool: AnyPool
    actual: float = 0.0
    replays: dict[str, float] = field(default_factory=dict)

    def error_of(self, name: str) -> float:
        """Return simulated end over actual end, less 1; 0 for a run that took no time."""
        return self.replays[name] / self.actual - 1 if self.actual else 0.0

    @property
    def error(self) -> float:
        """The error on `pool`; 0 without replays."""
        return self.error_of("workers" if isinstance(self.pool, Workers) else "recorded")

    @property
    def is_far_off(self) -> bool:
        """Whether the run on `pool` ends so differently that a forecast on it means little."""
        return abs(self.error) > FAR_OFF


def learned_from(run: PastRun, dag: Dag | None, *, recorded: bool = False) -> Learned:
    """Return what *run* tells, of which *dag* has all jobs: those that are done now, too.

    *recorded* takes the recorded slots for the pool, not a fixed number. Raises SimulationError for
    a run without a start, or that cannot be followed.
    """
    usage = Usage.of(run, dag)
    if not len(usage):
        raise SimulationError("expected the start of a job in the last run, got none")
    fit, told = fitted(usage), Submission.of(usage)
    seen = machines_of(usage, run.slots)
    losses = None if seen is None else Losses.of(usage, seen, told)
    found = usage, fit, told, seen, losses
    if dag is None:
        return Learned(*found, None, fit.workers)
    stalls = find_stalls(usage, dag.names)
    actual, replays = _replays(usage, fit, dag)
    use_slots = recorded or _are_slots_better(actual, replays)
    pool = fit.recorded if use_slots else fit.workers
    return Learned(*found, stalls, pool, actual, replays)


def order_of_starts(usage: Usage, dag: Dag) -> Ids:
    """Return the tasks in the order of their first starts; those that did not start come last."""
    start = np.full(len(dag), np.inf)
    known = usage.is_first & (usage.task >= 0)
    start[usage.task[known]] = usage.start[known]
    return priority_order(dag, start)


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
    on_workers = Experiment(part, fit.workers, times)
    pools = {"workers": on_workers, "recorded": on_workers.on(fit.recorded)}
    return actual, {name: _time(on, played) + fit.begin for name, on in pools.items()}


def _time(experiment: Experiment, played: Played) -> float:
    """Return the mean time of some runs, or the time of one if chance decides nothing."""
    pool = experiment.pool
    earliest = pool.ends.min() if isinstance(pool, Recorded) else pool.leave
    runs = 1 if earliest == np.inf else _REPLAYS
    return float(experiment.runs(played, seed=0, runs=runs).time.mean())


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
