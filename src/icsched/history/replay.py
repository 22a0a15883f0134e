"""The last run of the logs, played again on the pools that were learned from it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from icsched.arrays import Floats, Ids, Mask, ids_where
from icsched.dag import Dag
from icsched.errors import PoolError, SimulationError
from icsched.history.losses import Losses
from icsched.history.machine_fit import machine_pools, needs_of
from icsched.history.past_run import Ending, PastRun
from icsched.history.slots import Seen, machines_of
from icsched.history.summary import Stalls, find_stalls
from icsched.history.throttle import Submission
from icsched.history.usage import Fit, Usage, fitted
from icsched.pebble import priority_order
from icsched.sim import AnyPool, Experiment, Played, Recorded, Times
from icsched.sim.machines import CORES, demands
from icsched.sim.pools import FAR_OFF, FAR_OFF_RUNNING
from icsched.workflow import Workflow

_GOOD = 0.05  # a fixed number of workers is good enough if it ends so near to the run
_REPLAYS = 100  # of a pool whose workers leave: chance decides which task is lost
_ALIKE = 0.05  # errors so near to the least may be chance: the first such pool is taken
_DRAWS = 10  # on machines, because chance decides how soon a claim is reused
_MOST_TASKS = 20_000  # of these replays together, if there are several


@dataclass(frozen=True)
class Replay:
    """A run on a pool, by simulation.

    `end` is when the last job succeeds, in seconds since the first start. `error` is that over the
    actual end, less 1; 0 for a run that took no time. `running` is by how much the number of
    running jobs differs from the log on average, over its mean in the log. `cores` is the same for
    the cores that these jobs asked for.
    """

    pool: AnyPool
    end: float
    error: float
    running: float
    cores: float
    has_priorities: bool = True  # HTCondor took jobs by the priorities of the workflow, if any

    @property
    def errors(self) -> float:
        """The sum of all errors."""
        return abs(self.error) + self.running + self.cores

    def is_near(self, most: float) -> bool:
        """Whether the end is off by *most* at most, and not many more or fewer jobs run."""
        return abs(self.error) <= most and self.running <= FAR_OFF_RUNNING


@dataclass(frozen=True, eq=False)
class Learned:
    """What a run tells: who ran what and when, the pools that fit, the stalls, and the replays.

    `actual` is when the last job succeeded on the real pool. `replays` has the run by simulation,
    with the measured times: on a fixed number of "workers" and on the "recorded" slots, where tasks
    start in the recorded order; and on "machines", if the log shows divided ones. `name` is the one
    that is taken for the pool. Without a dag there are neither stalls nor replays. `seen` has the
    machines, and `losses` what became of their cores; None if the log does not say the cores.
    `needs` has the cores and the memory of each task, as far as they are known.
    """

    usage: Usage
    fit: Fit
    submission: Submission
    seen: Seen | None
    losses: Losses | None
    stalls: Stalls | None = None
    needs: Mapping[str, Floats] = field(default_factory=dict)
    actual: float = 0.0
    replays: Mapping[str, Replay] = field(default_factory=dict)
    name: str = "workers"

    @property
    def pool(self) -> AnyPool:
        """The pool that reproduces the run."""
        return self.replays[self.name].pool if self.replays else self.fit.workers

    @property
    def begin(self) -> float:
        """Time 0 of the pool, in seconds since the first start."""
        if self.name == "machines":
            return float(self.submission.queued.min())
        return self.fit.begin

    @property
    def error(self) -> float:
        """The error of the end on `pool`; 0 without replays."""
        return self.replays[self.name].error if self.replays else 0.0

    @property
    def running_error(self) -> float:
        """How far off the number of running jobs is on `pool`; 0 without replays."""
        return self.replays[self.name].running if self.replays else 0.0

    @property
    def is_far_off(self) -> bool:
        """Whether the run on `pool` is so different that a forecast on it means little."""
        return abs(self.error) > FAR_OFF or self.running_error > FAR_OFF_RUNNING


def learned_from(run: PastRun, workflow: Workflow | None, *, recorded: bool = False) -> Learned:
    """Return what *run* tells, of which *workflow* has all jobs: those that are done now, too.

    *recorded* takes the recorded slots for the pool in any case. Raises SimulationError for a run
    without a start, or that cannot be followed.
    """
    usage = Usage.of(run, None if workflow is None else workflow.dag)
    if not len(usage):
        raise SimulationError("expected the start of a job in the last run, got none")
    fit, told = fitted(usage), Submission.of(usage)
    seen = machines_of(usage, run.slots)
    losses = None if seen is None else Losses.of(usage, seen, told)
    found = Learned(usage, fit, told, seen, losses)
    if workflow is None:
        return found
    stalls = find_stalls(usage, workflow.dag.names)
    needs = {} if seen is None else needs_of(usage, seen, workflow.needs, len(workflow.dag))
    found = replace(found, stalls=stalls, needs=needs)
    found = _played_again(found, workflow)
    return replace(found, name="recorded" if recorded else _nearest(found))


def _nearest(found: Learned) -> str:
    """Return the name of the pool to take.

    It is the machines if jobs of different sizes shared them, unless the machines are far from the
    run. Else it is a fixed number of workers, or what is nearer if these are far from the run.
    """
    replays = found.replays
    if found.seen and found.seen.is_divided and "machines" in replays:
        if replays["machines"].is_near(FAR_OFF):
            return "machines"
    elif replays["workers"].is_near(_GOOD):
        return "workers"
    return min(replays, key=lambda name: replays[name].errors)


def order_of_starts(usage: Usage, dag: Dag) -> Ids:
    """Return the tasks in the order of their first starts; those that did not start come last."""
    start = np.full(len(dag), np.inf)
    known = usage.is_first & (usage.task >= 0)
    start[usage.task[known]] = usage.start[known]
    return priority_order(dag, start)


def _played_again(found: Learned, workflow: Workflow) -> Learned:
    """Return this with the time of the last success, and with the run on each pool."""
    usage, fit, dag = found.usage, found.fit, workflow.dag
    ended = _ended(usage, dag)
    place = np.full(len(dag), -1, np.int32)
    place[ended] = np.arange(len(ended))
    part = replace(workflow, done=np.zeros(len(dag), bool), needs=found.needs)
    if len(ended) < len(dag):  # without the limits of categories
        part = Workflow(
            dag.induced(ended),
            needs={name: amounts[ended] for name, amounts in found.needs.items()},
            priorities=None if workflow.priorities is None else workflow.priorities[ended],
        )
    own = np.flatnonzero(_is_own(usage) & (place[usage.task] >= 0))
    is_done = (usage.ending == Ending.DONE) & (usage.task >= 0)
    actual = float(usage.end[is_done].max(initial=0.0))
    cores = np.nan_to_num(part.needs.get(CORES, np.ones(len(ended))), nan=1.0)
    log = _Log(place[usage.task[own]], usage.start[own], usage.end[own], cores, actual)
    order = place[order_of_starts(usage, dag)]
    played = Played("static", order[order >= 0])
    times = Times("constant", means=_seconds(usage, len(dag))[ended])
    on_workers = Experiment(part, fit.workers, times)
    replays = {
        name: log.beside(experiment, played, fit.begin)
        for name, experiment in {
            "workers": on_workers,
            "recorded": on_workers.on(fit.recorded),
        }.items()
    }
    found = replace(found, actual=actual, replays=replays)
    options = list(_on_machines(found, workflow, log, on_workers))
    most = min((option.errors for option in options), default=0.0) + _ALIKE
    near = [option for option in options if option.errors <= most]
    return replace(found, replays={**replays, "machines": near[0]}) if near else found


def _on_machines(
    found: Learned, workflow: Workflow, log: "_Log", experiment: Experiment
) -> Iterator[Replay]:
    """Yield the run on the machines, with the nearest settings for each memory and priorities.

    The log does not say whether the run had the priorities that the workflow has now. Nothing is
    yielded if a task needs more than any machine had.
    """
    if found.seen is None or found.losses is None:
        return
    given = experiment.workflow.priorities
    orders = {True: Played("fifo")}
    if given is not None and len(np.unique(given)) > 1:
        orders = {True: Played("priority", priorities=given), False: Played("fifo")}
    told = found.usage, found.seen, found.losses, found.submission
    for (has_priorities, played), pools in product(orders.items(), machine_pools(*told)):
        try:
            demands(found.needs, len(workflow.dag), pools[0])
        except PoolError:
            continue
        yield min(
            (log.beside_machines(experiment.on(pool), played, has_priorities) for pool in pools),
            key=lambda replay: replay.errors,
        )


@dataclass(frozen=True, eq=False)
class _Log:
    """The attempts that a replay plays: task, start, end; the cores of tasks, and the last end."""

    task: Ids
    start: Floats
    end: Floats
    cores: Floats
    actual: float

    def beside(self, experiment: Experiment, played: Played, begin: float) -> Replay:
        """Return a replay that begins at *begin*."""
        end = _time(experiment, played) + begin
        given = experiment.trace(played, seed=0, run=0).assignments
        since = given.time + experiment.pool.overhead + begin
        return self._replay(experiment.pool, end, given.task, since, given.end + begin)

    def beside_machines(
        self, experiment: Experiment, played: Played, has_priorities: bool
    ) -> Replay:
        """Return the mean of several replays whose first start is that of the log."""
        draws = max(1, min(_DRAWS, _MOST_TASKS // len(experiment.dag)))
        found = []
        for run in range(draws):
            given = experiment.trace(played, seed=0, run=run).assignments
            since = given.time + experiment.pool.overhead
            times = since - since.min(), given.end - since.min()
            end = float(times[1].max())
            found.append(self._replay(experiment.pool, end, given.task, *times))
        rows = [(each.end, each.error, each.running, each.cores) for each in found]
        end, error, running, cores = np.mean(rows, axis=0).tolist()
        return Replay(experiment.pool, end, error, running, cores, has_priorities)

    def _replay(self, pool: AnyPool, end: float, task: Ids, since: Floats, until: Floats) -> Replay:
        times = self.start, self.end, since, until
        error = end / self.actual - 1 if self.actual else 0.0
        cores = running_difference(*times, self.cores[self.task], self.cores[task])
        return Replay(pool, end, error, running_difference(*times), cores)


def running_difference(
    start: Floats,
    end: Floats,
    since: Floats,
    until: Floats,
    held: Floats | None = None,
    played: Floats | None = None,
) -> float:
    """Return the mean difference of the jobs that run in a log and in a replay, over their mean.

    *start* and *end* are those of the log. 0 is the same at each moment, and 2 never at once. With
    the cores that the jobs *held* in the log, and those of the jobs that are *played*, it is the
    difference of the cores.

    >>> one = np.array([0.0]), np.array([10.0])
    >>> running_difference(*one, *one), running_difference(*one, one[0] + 10, one[1] + 10)
    (0.0, 2.0)
    """
    held = np.ones(len(start)) if held is None else held
    played = np.ones(len(since)) if played is None else played
    moments = np.concatenate([start, end, since, until])
    in_order = np.argsort(moments, kind="stable")
    difference = np.cumsum(np.concatenate([held, -held, -played, played])[in_order])[:-1]
    apart = float((np.abs(difference) * np.diff(moments[in_order])).sum())
    total = float(((end - start) * held).sum())
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
