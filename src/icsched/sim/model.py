"""The inputs of a simulation: pools of workers, times of tasks, and how orders are played.

Time has no fixed unit, but task times and intervals must have the same unit. All inputs are checked
when they are made. Inputs that depend on a dag are checked when they are used with it. A bad input
raises ArgumentError.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from icsched import checks
from icsched.arrays import LONGEST, SHORTEST, Floats, Ids
from icsched.dag import Dag
from icsched.errors import ArgumentError, PoolError, SimulationError
from icsched.frames import changed
from icsched.pebble import Order, RunTimes, Schedule, checked_run_times
from icsched.sim.doubt import Doubt
from icsched.sim.draws import lognormal_sigma
from icsched.sim.machines import Machines

BatchLaw = Literal["geometric", "exponential", "fixed"]
TimeLaw = Literal["normal", "lognormal", "constant"]
Playing = Literal["static", "fifo", "lifo", "random", "priority"]

SMALLEST, LARGEST = SHORTEST, LONGEST  # limit of all times and speeds
LARGEST_BATCH = 10**9
LARGEST_SPREAD = 1000
SPREAD = 0.3  # default spread of run times around their means
LARGEST_COUNT = 10**7  # limit of workers and replicas
MOST_VISITS = 10**6
MOST_BATCHES = 10**9  # limit in a run, which takes half a minute to simulate


@dataclass(frozen=True)
class Pool:
    """Batches of requests, as in the grid of Malewicz et al. 2007, with more options.

    That paper is "A Tool for Prioritizing DAGMan Jobs and its Evaluation".

    The first batch comes at time 0. The gap between two batches is exponential with mean
    *interval*. The size of a batch has mean *batch* and the law *batch_law*: "geometric" on 1, 2,
    ..., "fixed", or "exponential", rounded to the nearest whole number, as in the paper. A batch of
    size 0 is left out. Each request asks for one task. A request that finds no unassigned eligible
    task is lost. With *waiting* the request waits instead, and the oldest waiting request is served
    first.

    Workers have speeds of mean 1 and coefficient of variation *speed_spread* (lognormal). A worker
    that got a task leaves after an exponential time of mean *leave*. If the task has not finished
    by then, it is lost and becomes eligible again. A task that has not finished by *deadline* after
    its assignment becomes eligible again, while the first copy goes on. Each task is given to up to
    *replicas* of the requests that are present. The first result counts. Each assignment takes
    *overhead* in addition to the task's own time, at any speed of the worker.

    Sources can be taken from time 0 on. A result changes what can be taken only *delay* later: a
    task that the result frees at time t can be taken from t + *delay* on. The same holds for a
    task that is lost or overdue at time t. In DAGMan the delay is the time until DAGMan reads its
    log, submits the job, and the pool finds a machine for it.

    >>> Pool(interval=0.5, batch=4, leave=60)
    Pool(interval=0.5, batch=4.0, leave=60.0)
    """

    interval: float = 1.0
    batch: float = 16.0
    batch_law: BatchLaw = "geometric"
    waiting: bool = False
    speed_spread: float = 0.0
    leave: float = math.inf
    deadline: float = math.inf
    replicas: int = 1
    overhead: float = 0.0
    delay: float = 0.0

    def __repr__(self) -> str:
        return changed(self, "interval", "batch")

    def __post_init__(self) -> None:
        checks.one_of("batch_law", self.batch_law, get_args(BatchLaw))
        _check_numbers(self)
        if self.batch_law == "fixed" and self.batch != int(self.batch):
            raise ArgumentError(f"batch: expected an integer for fixed sizes, got {self.batch}")

    @property
    def size_law(self) -> tuple[float, float]:
        """Scale and shift: a size is floor(scale * e + shift), where e is exponential with mean 1.

        >>> Pool(batch=16, batch_law="fixed").size_law
        (0.0, 16.0)
        """
        if self.batch_law == "fixed" or (self.batch_law == "geometric" and self.batch == 1):
            return 0.0, self.batch
        if self.batch_law == "exponential":
            return self.batch, 0.5
        return -1.0 / math.log1p(-1.0 / self.batch), 1.0


@dataclass(frozen=True)
class Workers:
    """A fixed set of workers. Each asks for a task at time 0 and after each task it finishes.

    At time 0 the workers ask in the order of their numbers. A worker that gets nothing waits. The
    worker that has waited longest is served first. *speeds* has one number per worker; by default
    each is 1. *leave*, *deadline*, *replicas*, *overhead* and *delay* are as for a `Pool`. A worker
    that leaves is replaced at once by a worker with the same number and speed. If another copy of
    its task finishes first, a worker stays busy until its own copy has finished.

    >>> Workers(2, speeds=[1, 0.5])
    Workers(count=2, speeds=[1.0, 0.5])
    """

    count: int
    speeds: Sequence[float] | None = None
    leave: float = math.inf
    deadline: float = math.inf
    replicas: int = 1
    overhead: float = 0.0
    delay: float = 0.0

    def __repr__(self) -> str:
        return changed(self, "count")

    def __post_init__(self) -> None:
        count = checks.whole_number("workers", self.count, least=1, most=LARGEST_COUNT)
        _set(self, "count", count)
        _check_numbers(self)
        if self.replicas > count:
            most = f"at most {count}, the number of workers"
            raise ArgumentError(f"replicas: expected {most}, got {self.replicas}")
        if self.speeds is None:
            return
        if len(self.speeds) != count:
            expected = f"expected {count}, one per worker"
            raise ArgumentError(f"speeds: {expected}, got {len(self.speeds)}")
        named = ((f"speed of worker {i}", speed) for i, speed in enumerate(self.speeds))
        _set(self, "speeds", tuple(_positive(name, speed) for name, speed in named))


@dataclass(frozen=True, eq=False)
class Recorded:
    """Workers that come and leave at known moments, for example those in the log of a past run.

    Each visit is a worker of speed 1. The worker of visit i comes at *starts* [i] and asks for one
    task after the other. When it gets nothing, it waits. Each run puts the visits in a random
    order. If several workers are free, the first in this order is served. The worker leaves at
    *ends* [i]. Its task is lost then and becomes eligible again, unless it finishes at this very
    moment. At least one end must be infinite, so that every run ends. *delay* and *overhead* are as
    for a `Pool`. The visits are kept in the order of their starts, and workers have the numbers of
    their visits.

    >>> Recorded([3, 0], [math.inf, 2]).ends.tolist()
    [2.0, inf]
    """

    starts: Floats
    ends: Floats
    delay: float = 0.0
    overhead: float = 0.0

    leave: ClassVar[float] = math.inf  # options of other pools
    deadline: ClassVar[float] = math.inf
    replicas: ClassVar[int] = 1

    def __init__(
        self, starts: ArrayLike, ends: ArrayLike, delay: float = 0.0, overhead: float = 0.0
    ) -> None:
        first, last = _checked_moments("starts", starts), _checked_moments("ends", ends)
        if len(first) != len(last):
            raise ArgumentError(f"ends: expected {len(first)}, one per start, got {len(last)}")
        _check_visits(first, last)
        by_start = np.argsort(first, kind="stable")
        first, last = first[by_start], last[by_start]
        first.flags.writeable = last.flags.writeable = False
        values = {"starts": first, "ends": last, "delay": delay, "overhead": overhead}
        for name, value in values.items():
            _set(self, name, value)
        _check_numbers(self)

    def __repr__(self) -> str:
        return changed(self)

    @property
    def count(self) -> int:
        """Number of visits."""
        return len(self.starts)

    def presence(self, until: Floats) -> Floats:
        """Return the total presence of all workers before each moment.

        >>> Recorded([0, 1], [2, math.inf]).presence(np.array([1.0, 3.0])).tolist()
        [1.0, 4.0]
        """
        return time_since(self.starts, until) - time_since(self.ends, until)


AnyPool: TypeAlias = Pool | Workers | Recorded | Machines


def time_since(moments: Floats, until: Floats) -> Floats:
    """Return, for each of *until*, the sum of the times since all earlier *moments*.

    An infinite moment is never earlier.

    >>> time_since(np.array([3.0, 1.0, math.inf]), np.array([2.0, 4.0])).tolist()
    [1.0, 4.0]
    """
    ascending = np.sort(moments[np.isfinite(moments)])
    before = np.searchsorted(ascending, until)
    total = np.concatenate([[0.0], np.cumsum(ascending)])
    since: Floats = before * until - total[before]
    return since


def _check_visits(starts: Floats, ends: Floats) -> None:
    bad = np.flatnonzero(~((starts >= 0) & (starts <= LARGEST)))
    if len(bad):
        checks.number_within(f"start of visit {bad[0]}", starts[bad[0]], least=0, most=LARGEST)
    bad = np.flatnonzero(~((ends > starts) & ((ends <= LARGEST) | (ends == math.inf))))
    if len(bad):
        visit = bad[0]
        expected = f"more than its start, {starts[visit]}, and at most {LARGEST:g} or inf"
        raise ArgumentError(f"end of visit {visit}: expected {expected}, got {ends[visit]}")
    if ends.max() < math.inf:
        raise SimulationError(
            "ends: expected at least one worker who stays, with end inf;"
            f" got workers who have all left at {ends.max()}"
        )


@dataclass(frozen=True, eq=False)
class Times:
    """Times of tasks on a worker of speed 1.

    A task's time is its mean multiplied by a random number of mean 1. *law* is the law of this
    number:

    - "lognormal" with coefficient of variation *spread*, 0.3 by default, as in all commands.
    - "normal" with deviation *spread*, drawn again while it is not positive. Drawing again raises
      the mean: by 0.7% at a spread of 0.4, by 29% at a spread of 1. Use "lognormal" for large
      spreads. Malewicz et al. 2007 use "normal" with a spread of 0.1.
    - "constant": the number is 1.

    *means* has a number for each task, or for each name. The default is 1, or in `simulate` the run
    times of the workflow. A mean of 0 means that a task takes no time; it is simulated as 1e-100.
    *doubt* says what is not known of these means; by default nothing is unknown.

    >>> Times("constant").means_for(Dag({"a": [], "b": ["a"]})).tolist()
    [1.0, 1.0]
    >>> Times("lognormal", means=[60] * 1000)
    Times(law='lognormal', spread=0.3, means=[60, 60, 60, 60, 60, 60, 60, 60, ... 1,000 in all])
    """

    law: TimeLaw = "lognormal"
    spread: float = SPREAD
    means: RunTimes | None = None
    doubt: Doubt | None = None

    def __repr__(self) -> str:
        return changed(self, "law", "spread")

    def __post_init__(self) -> None:
        checks.one_of("law", self.law, get_args(TimeLaw))
        _check_numbers(self)

    @property
    def width(self) -> float:
        """Deviation of the normal number from which times are made; 0 if all times are constant."""
        if self.law == "constant":
            return 0.0
        return self.spread if self.law == "normal" else lognormal_sigma(self.spread)

    def means_for(self, dag: Dag) -> Floats:
        """Return the mean time of each task of *dag*, at least 1e-100; raises ArgumentError."""
        means = checked_run_times(dag, self.means)
        return np.where(means == 0, SMALLEST, means)


@dataclass(frozen=True, eq=False)
class Played:
    """An order for the simulator: the rule by which a request gets an unassigned eligible task.

    By "static" a request gets the first task in *order*. By "fifo" a request gets the task that
    became eligible first, by "lifo" the one that became eligible last. With both, sources come in
    *order*, or by id if *order* is None. Tasks that one result frees come by id. By "random" a
    request gets the first task in a random order, which differs in each run. By "priority" a
    request gets the task with the largest number in *priorities*; ties are broken by the time of
    becoming eligible, as DAGMan does.

    >>> chosen = Played("static", order=["a", "c", "b"])
    >>> chosen.order_for(Dag({"a": [], "b": ["a"], "c": []})).tolist()
    [0, 2, 1]
    """

    by: Playing
    order: Order | None = None
    priorities: Sequence[int] | Ids | None = None

    def __post_init__(self) -> None:
        checks.one_of("by", self.by, get_args(Playing))
        if self.by == "priority" and self.priorities is None:
            raise ArgumentError("priorities: expected one per task to play by priority, got None")
        if self.priorities is not None:
            if self.by != "priority":
                raise ArgumentError(f"priorities: can only be played by priority, not by {self.by}")
            object.__setattr__(self, "priorities", _checked_priorities(self.priorities))
        if self.by == "static" and self.order is None:
            raise ArgumentError("order: expected one to play by static, got None")

    def order_for(self, dag: Dag) -> Ids:
        """Return the order as ids of *dag*; raises ScheduleError if the order is not legal."""
        return dag.fifo_order if self.order is None else Schedule.of(dag, self.order).order

    def classes_for(self, dag: Dag) -> Ids:
        """Return the rank of each priority, 0 for the largest; empty without priorities.

        >>> Played("priority", priorities=[-5, 7, -5]).classes_for(Dag.from_arcs(3, [])).tolist()
        [1, 0, 1]
        """
        if self.priorities is None:
            return np.empty(0, np.int32)
        if (got := len(self.priorities)) != len(dag):
            raise ArgumentError(f"priorities: expected {len(dag)}, one per task, got {got}")
        values, places = np.unique(np.asarray(self.priorities), return_inverse=True)
        classes: Ids = (len(values) - 1 - places).astype(np.int32)
        return classes


def checked_means(dag: Dag, times: Times) -> Floats:
    """Return the mean time of each task; raises SimulationError if *dag* has no tasks."""
    if len(dag) == 0:
        raise SimulationError("dag: expected at least one task")
    return times.means_for(dag)


def check_pool(pool: AnyPool, dag: Dag, means: Floats) -> None:
    """Raise PoolError if a run of *dag* on *pool* would not end, or not soon.

    That happens if workers leave too soon to finish a task, or if too many batches come while a
    task runs.
    """
    longest = int(np.argmax(means))
    speeds = pool.speeds if isinstance(pool, Workers) else None
    takes = pool.overhead + float(means[longest]) / (max(speeds) if speeds else 1.0)
    # A task that takes 20 mean stays succeeds once in e^20 = 485 million attempts.
    if takes > 20 * pool.leave:
        raise PoolError(
            f"leave: workers that stay {pool.leave} on average will never finish"
            f" {dag.names[longest]!r}, which takes {takes}"
        )
    takes += pool.delay
    if isinstance(pool, Pool) and takes > MOST_BATCHES * pool.interval:
        raise PoolError(
            f"interval: expected at least {takes / MOST_BATCHES:.3g}, got {pool.interval}: over"
            f" {MOST_BATCHES:,} batches would come while {dag.names[longest]!r} runs"
        )


def check_seed(seed: int, run: int) -> None:
    """Raise ArgumentError unless *seed* and *run* are valid for `Draws`."""
    checks.whole_number("seed", seed, least=0, most=2**64 - 1)
    checks.whole_number("run", run, least=0, most=2**62 - 1)


def check_runs(runs: int, threads: int) -> None:
    """Raise ArgumentError unless both are at least 1."""
    checks.whole_number("runs", runs, least=1, most=10**9)
    checks.whole_number("threads", threads, least=1, most=1024)


def _set(model: object, name: str, value: object) -> None:
    """Set a field of a frozen dataclass that is being made."""
    object.__setattr__(model, name, value)


def _check_numbers(model: Any) -> None:
    """Check the fields of a dataclass that are in `_CHECKS`, and make plain numbers of them."""
    for each in fields(model):
        if each.name in _CHECKS:
            checked = _CHECKS[each.name](each.name, getattr(model, each.name))
            _set(model, each.name, checked)


def _positive(name: str, value: float) -> float:
    if isinstance(value, Real) and not 0 < value < math.inf:
        raise ArgumentError(f"{name}: expected a positive number, got {value}")
    return checks.number_within(name, value, least=SMALLEST, most=LARGEST)


def _positive_or_infinite(name: str, value: Any) -> float:
    return math.inf if value == math.inf else _positive(name, value)


_of_spread = partial(checks.number_within, least=0, most=LARGEST_SPREAD)
_added = partial(checks.number_within, least=0, most=LARGEST)
_CHECKS: dict[str, Callable[[str, Any], float]] = {
    "interval": _positive,
    "batch": partial(checks.number_within, least=1, most=LARGEST_BATCH),
    "speed_spread": _of_spread,
    "spread": _of_spread,
    "leave": _positive_or_infinite,
    "deadline": _positive_or_infinite,
    "replicas": partial(checks.whole_number, least=1, most=LARGEST_COUNT),
    "overhead": _added,
    "delay": _added,
}


def _checked_moments(name: str, values: object) -> Floats:
    """Return a copy of *values* as an array; raises ArgumentError unless they are numbers."""
    try:
        moments = np.array(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name}: expected numbers, one per visit") from None
    if moments.ndim != 1 or not 1 <= len(moments) <= MOST_VISITS:
        expected = f"1 to {MOST_VISITS:,} numbers, one per visit"
        raise ArgumentError(f"{name}: expected {expected}, got shape {moments.shape}")
    return moments


def _checked_priorities(values: Sequence[int] | Ids) -> Ids:
    """Return a copy of *values* as an array; raises ArgumentError unless they are integers."""
    try:
        given = np.array(values if isinstance(values, np.ndarray) else list(values))
    except (TypeError, ValueError):  # lists of different lengths, for example
        raise ArgumentError("priorities: expected one integer per task") from None
    if given.ndim != 1:
        raise ArgumentError(f"priorities: expected one integer per task, got shape {given.shape}")
    if given.dtype.kind not in "iu":
        raise ArgumentError(f"priorities: expected integers, got {given.dtype}")
    return given
