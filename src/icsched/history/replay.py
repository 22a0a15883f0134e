"""The last run of the logs, played again on the pool that was learned from it."""

from dataclasses import dataclass, field, replace

import numpy as np

from icsched.arrays import Floats, Ids, Mask, ids_where
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
from icsched.sim.pools import FAR_OFF, FAR_OFF_RUNNING

_GOOD = 0.05  # a fixed number of workers is good enough if it ends so near to the run
_REPLAYS = 100  # of a pool whose workers leave: chance decides which task is lost


@dataclass(frozen=True, eq=False)
class Learned:
    """What a run tells: who ran what and when, the pools that fit, the stalls, and the replays.

    `pool` is the one of the pools that reproduces the run. `actual` is when the last job succeeded
    on the real pool, `replays` when it does by simulation on a fixed number of workers and on the
    recorded slots, with the measured times, in the order of the starts. It is the mean of 100 runs
    if workers or slots leave. `running` has, for each replay (the first of the 100 runs), by how
    much the number of running jobs differs from the log on average, over its mean in the log.
    Without a dag there are neither stalls nor replays. `seen` has the machines, and `losses` what
    became of their cores; None if the log does not say the cores.
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
    running: dict[str, float] = field(default_factory=dict)

    def error_of(self, name: str) -> float:
        """Return simulated end over actual end, less 1; 0 for a run that took no time."""
        return self.replays[name] / self.actual - 1 if self.actual else 0.0

    @property
    def name(self) -> str:
        """The key of `pool` in `replays`."""
        return "workers" if isinstance(self.pool, Workers) else "recorded"

    @property
    def error(self) -> float:
        """The error on `pool`."""
        return self.error_of(self.name)

    @property
    def running_error(self) -> float:
        """How far off the number of running jobs is on `pool`; 0 without replays."""
        return self.running.get(self.name, 0.0)

    @property
    def is_far_off(self) -> bool:
        """Whether the run on `pool` is so different that a forecast on it means little."""
        return abs(self.error) > FAR_OFF or self.running_error > FAR_OFF_RUNNING


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
    actual, replays, running = _replays(usage, fit, dag)
    on_workers = Learned(*found, stalls, fit.workers, actual, replays, running)
    on_slots = replace(on_workers, pool=fit.recorded)
    return on_slots if recorded or _are_slots_better(on_workers, on_slots) else on_workers


def order_of_starts(usage: Usage, dag: Dag) -> Ids:
    """Return the tasks in the order of their first starts; those that did not start come last."""
    start = np.full(len(dag), np.inf)
    known = usage.is_first & (usage.task >= 0)
    start[usage.task[known]] = usage.start[known]
    return priority_order(dag, start)


def _are_slots_better(on_workers: Learned, on_slots: Learned) -> bool:
    """Whether a fixed number of workers is far from the run, and the recorded slots are nearer."""
    is_good = abs(on_workers.error) <= _GOOD and on_workers.running_error <= FAR_OFF_RUNNING
    far, near = (abs(each.error) + each.running_error for each in (on_workers, on_slots))
    return not is_good and near < far


def _replays(usage: Usage, fit: Fit, dag: Dag) -> tuple[float, dict[str, float], dict[str, float]]:
    """Return when the last job succeeded, when it does so on each pool, and how running differs.

    Times are since the first start.
    """
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
    ends = {name: _time(on, played) + fit.begin for name, on in pools.items()}
    is_played = _is_own(usage) & np.isin(usage.task, ended)
    start, end = usage.start[is_played], usage.end[is_played]
    running = {}
    for name, on in pools.items():
        given = on.trace(played, seed=0, run=0).assignments
        since = given.time + on.pool.overhead + fit.begin
        running[name] = running_difference(start, end, since, given.end + fit.begin)
    return actual, ends, running


def running_difference(start: Floats, end: Floats, since: Floats, until: Floats) -> float:
    """Return the mean difference of the jobs that run in a log and in a replay, over their mean.

    *start* and *end* are those of the log. 0 is the same at each moment, and 2 never at once.

    >>> one = np.array([0.0]), np.array([10.0])
    >>> running_difference(*one, *one), running_difference(*one, one[0] + 10, one[1] + 10)
    (0.0, 2.0)
    """
    moments = np.concatenate([start, end, since, until])
    pieces = [
        np.full(len(each), sign)
        for each, sign in zip((start, end, since, until), (1, -1, -1, 1), strict=True)
    ]
    in_order = np.argsort(moments, kind="stable")
    difference = np.cumsum(np.concatenate(pieces)[in_order])[:-1]
    apart = float((np.abs(difference) * np.diff(moments[in_order])).sum())
    total = float((end - start).sum())
    return apart / total if total else 0.0


def _is_own(usage: Usage) -> Mask:
    """Return which attempts a replay plays: those whose time counts for their task."""
    own: Mask = np.isin(usage.ending, [Ending.DONE, Ending.FAILED]) & (usage.task >= 0)
    return own


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
    is_own = _is_own(usage)
    lengths = (usage.end - usage.start)[is_own]
    return np.bincount(usage.task[is_own], lengths, minlength=tasks).astype(np.float64)
