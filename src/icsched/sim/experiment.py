"""Experiments: a dag on a pool, with which the kernel simulates orders."""

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import fields, replace
from functools import partial
from typing import Any, TypeAlias, TypeVar

import numpy as np

from icsched import _native
from icsched._native import Rule, TimeLaw
from icsched.arrays import Floats, Ids
from icsched.dag import Dag, Graph
from icsched.errors import ArgumentError, PoolError
from icsched.machine import usable_cores
from icsched.pebble.residual import Residual
from icsched.ready import Server
from icsched.sim import slot_engine
from icsched.sim.doubt import RUNS_ALIKE
from icsched.sim.draws import lognormal_sigma
from icsched.sim.machines import Demands, HTCondor, Machines, demands
from icsched.sim.model import (
    AnyPool,
    Played,
    Pool,
    Recorded,
    Times,
    Workers,
    check_pool,
    check_runs,
    check_seed,
    checked_means,
)
from icsched.sim.results import Assignments, Batches, Runs, SlotCounts, Trace
from icsched.workflow import workflow_of

ServerMaker: TypeAlias = Callable[[Dag], Server[int]]
Player: TypeAlias = Played | ServerMaker
T = TypeVar("T")

_RULES = {
    "static": Rule.RANKED,
    "fifo": Rule.FIFO,
    "lifo": Rule.LIFO,
    "random": Rule.RANDOM,
    "priority": Rule.CLASSED,
}
_NONE: Floats = np.empty(0)
_NO_LIMIT = 2**62
_NO_MACHINES = _native.SimMachines(
    0, np.empty(0, np.int32), np.empty(0, np.int64), np.empty(0, np.int64), 0, 0
)


class Experiment:
    """The tasks of *graph* on a pool, checked once, for simulations of any number of orders.

    *graph* is as in `prioritize`. Tasks that are done are not run: `dag` and `means` belong to the
    residual. Orders, priorities, means and traces use the ids of the whole workflow.

    An order is a `Played`, or a function that makes a `Server` for a dag. Each `Played` is checked
    on first use. A server is simulated in Python, about a hundred times slower. If *times* has no
    means, the run times of the workflow are used.

    Only its seed and its number determine a run. All orders see the same random draws: with the
    same seed and number the same batches arrive, and each task takes the same time when it is first
    assigned.

    Raises SimulationError for a run that would not end, ArgumentError for inputs that do not fit
    together, and ScheduleError for an illegal order.

    >>> fork = Dag({"a": [], "b": ["a"], "c": ["a"]})
    >>> experiment = Experiment(fork, Pool(batch=2, batch_law="fixed"), Times("constant"))
    >>> runs = experiment.runs(Played("fifo"), seed=1, runs=100)
    >>> len(runs), bool(runs.time.min() > 2), bool(runs.utilisation.max() <= 0.75)
    (100, True, True)
    """

    def __init__(self, graph: Graph, pool: AnyPool, times: Times) -> None:
        self.workflow = workflow_of(graph)
        self._left, given = Residual.of(self.workflow), times.means
        self.dag, left = self._left.dag, self.workflow.residual
        self._needs = left.needs
        means = left.run_times if given is None else self._left.values("run_times", given)
        doubt = times.doubt
        if doubt is not None and not self._left.is_whole:
            doubt = doubt.left(self._left.places)
        self.times = replace(times, means=means, doubt=doubt)
        self.means = checked_means(self.dag, self.times).copy()
        self.means.flags.writeable = False  # the kernel takes the array itself
        self._orders: dict[Played, tuple[Ids, Ids]] = {}  # checked orders, with their classes
        self._enter(pool)

    def on(self, pool: AnyPool) -> "Experiment":
        """Return the same tasks on another pool; only the pool is checked."""
        other = copy(self)
        other._enter(pool)
        return other

    def _enter(self, pool: AnyPool) -> None:
        check_pool(pool, self.dag, self.means)
        self.pool = pool
        self._held = self._slots = None
        model = _model(self.dag, pool, self.times, self.means)
        if isinstance(pool, Machines):
            self._held = demands(self._needs, len(self.dag), pool, self.dag.names)
            model = replace(model, machines=_machines(pool, self._held))
            if pool.htcondor:
                limited = self.workflow.residual.source.categories()
                categories = slot_engine.Categories.none(len(self.dag))
                if limited is not None:
                    categories = slot_engine.Categories(*limited)
                self._slots = slot_model(pool, pool.htcondor, self._held, categories)
        self._model = model

    def runs(
        self,
        order: Player,
        *,
        seed: int,
        runs: int,
        first_run: int = 0,
        threads: int | None = None,
    ) -> Runs:
        """Simulate *runs* runs, numbered from *first_run* on; return the result of each.

        *threads* (all cores by default) changes only the wall time.
        """
        workforce = cores() if threads is None else threads
        check_runs(runs, workforce)
        check_seed(seed, first_run)
        if self.times.doubt is not None:
            return Runs.joined(
                [
                    self._drawn(seed, part.start).runs(
                        order, seed=seed, first_run=part.start, runs=len(part), threads=threads
                    )
                    for part in _alike(first_run, runs)
                ]
            )
        if isinstance(order, Played):
            options = {"seed": seed, "first_run": first_run, "runs": runs, "threads": workforce}
            if self._slots is not None:
                kernel = partial(_native.simulate_condor, slots=self._slots)
                return self._runs(self._in_kernel(kernel, order, **options))
            return self._runs(self._in_kernel(_native.simulate, order, **options))
        numbers = range(first_run, first_run + runs)
        return Runs.joined([self.trace(order, seed=seed, run=run).result for run in numbers])

    def trace(self, order: Player, *, seed: int, run: int, by_events: bool = False) -> Trace:
        """Simulate one run and return every step of it.

        *by_events* uses the kernel's general engine, with the same result.
        """
        check_seed(seed, run)
        if self.times.doubt is not None:
            drawn = self._drawn(seed, run)
            return drawn.trace(order, seed=seed, run=run, by_events=by_events)
        if not isinstance(order, Played):
            from icsched.sim import python_engine  # the kernel plays all other orders

            model = self.dag, order(self.dag), self.pool, self.times, self.means
            return self._in_workflow(python_engine.run(*model, seed=seed, run=run))
        if self._slots is None:
            kernel = partial(_native.simulate_trace, by_events=by_events)
        else:
            kernel = partial(_native.simulate_condor_trace, slots=self._slots)
        results, steps = self._in_kernel(kernel, order, seed=seed, run=run)
        assignments = Assignments(*steps[:5], self.dag.names)
        return self._in_workflow(Trace(assignments, Batches(*steps[5:]), self._runs(results)))

    def _drawn(self, seed: int, run: int) -> "Experiment":
        """Return the experiment with the mean times of a run, as the doubt about them says."""
        if self.times.doubt is None:
            return self
        other = copy(self)
        other.means = self.means * self.times.doubt.factors(seed=seed, run=run)
        other.times = replace(self.times, doubt=None)
        other._model = replace(self._model, means=other.means)
        return other

    def _in_workflow(self, found: Trace) -> Trace:
        """Return a trace with the ids of the workflow."""
        tasks = self._left.ids(found.assignments.task)
        given = replace(found.assignments, task=tasks, names=self.workflow.names)
        return replace(found, assignments=given)

    def cores_held(self, given: Assignments) -> Floats:
        """Return the cores that each assignment of a trace holds; 1 where workers have one task."""
        if self._held is None:
            return np.ones(len(given.task))
        is_left = self.workflow.dag is not self.dag
        tasks = np.cumsum(~self.workflow.done)[given.task] - 1 if is_left else given.task
        return self._held.cores[tasks]

    def slot_counts(
        self, order: Player, edges: Floats, *, seed: int, run: int, by_events: bool = False
    ) -> SlotCounts:
        """Simulate one run and return the counts of its batches in each slot between *edges*.

        The result equals ``SlotCounts.of`` the run's `trace`. On a `Pool`, memory for a `Played`
        does not grow with the number of batches. Raises ArgumentError unless *edges* has two or
        more numbers that ascend from 0.

        >>> pair = Dag({"a": [], "b": []})
        >>> experiment = Experiment(pair, Pool(batch=5, batch_law="fixed"), Times())
        >>> edges = np.array([0.0, 1.0, 2.0])
        >>> found = experiment.slot_counts(Played("fifo"), edges, seed=1, run=0)
        >>> found.eligible.tolist(), found.unserved.tolist()
        ([2, 0], [3, 0])
        """
        edges = np.asarray(edges, np.float64)
        ascends = edges.ndim == 1 and len(edges) > 1 and (np.diff(edges) > 0).all()
        if not ascends or edges[0] or edges[-1] == np.inf:
            raise ArgumentError("edges: expected two or more times that ascend from 0")
        options: dict[str, Any] = {"seed": seed, "run": run, "by_events": by_events}
        if not isinstance(order, Played) or not isinstance(self.pool, Pool):
            return SlotCounts.of(self.trace(order, **options), edges)
        check_seed(seed, run)
        drawn = self._drawn(seed, run)
        return SlotCounts(*drawn._in_kernel(_native.simulate_slots, order, edges, **options))

    def _in_kernel(
        self, simulate: Callable[..., T], played: Played, *edges: Floats, **on: Any
    ) -> T:
        """Return the result of a kernel; an order is checked on first use."""
        if self._slots is not None:
            slot_engine.check_played(played)
        if played not in self._orders:
            left = self._in_residual(played)
            self._orders[played] = left.order_for(self.dag), left.classes_for(self.dag)
        order, classes = self._orders[played]
        model = replace(self._model, rule=_RULES[played.by], order=order, classes=classes)
        try:
            return simulate(model, *edges, **on)
        except MemoryError:
            problem = "simulation: this pool needs more memory than there is"
            raise PoolError(problem) from None

    def _in_residual(self, played: Played) -> Played:
        """Return an order of the workflow by the ids of the tasks that are left."""
        order, given = played.order, played.priorities
        return replace(
            played,
            order=None if order is None else self._left.order(order),
            priorities=self._left.values("priorities", given),
        )

    def _runs(self, columns: Sequence[Any]) -> Runs:
        *counted, work = columns
        if np.isinf(counted[0]).any():
            raise slot_engine.too_long()
        return Runs.of(len(self.dag), self.pool, *counted, work=work)


def _alike(first: int, runs: int) -> Iterator[range]:
    """Yield the numbers of the runs, in parts that have the same mean times."""
    last = first + runs
    while first < last:
        after = min(last, first - first % RUNS_ALIKE + RUNS_ALIKE)
        yield range(first, after)
        first = after


def give_up_runs() -> None:
    """End all simulations that run now, on any thread, with KeyboardInterrupt."""
    _native.give_up_kernels()


def cores() -> int:
    """Return the number of cores this process may use, at most 1024."""
    return min(1024, usable_cores())


def _model(dag: Dag, pool: AnyPool, times: Times, means: Floats) -> _native.SimModel:
    """Return checked inputs in the form that the kernel takes, played by fifo."""
    batches = pool if isinstance(pool, Pool) else Pool()
    scale, shift = batches.size_law
    speeds = (pool.speeds or [1.0] * pool.count) if isinstance(pool, Workers) else ()
    return _native.SimModel(
        children=dag.child_rows,
        rule=Rule.FIFO,
        order=dag.fifo_order,
        means=means,
        law=TimeLaw.LOGNORMAL if times.law == "lognormal" else TimeLaw.NORMAL,
        width=times.width,
        workers=0 if isinstance(pool, Pool | Machines) else pool.count,
        speeds=np.array(speeds, np.float64),
        interval=batches.interval,
        size_scale=scale,
        size_shift=shift,
        waiting=bool(batches.waiting),
        speed_sigma=lognormal_sigma(batches.speed_spread),
        leave=pool.leave,
        deadline=pool.deadline,
        replicas=pool.replicas,
        overhead=pool.overhead,
        delay=pool.delay,
        starts=pool.starts if isinstance(pool, Recorded) else _NONE,
        ends=pool.ends if isinstance(pool, Recorded) else _NONE,
        classes=np.empty(0, np.int32),
        machines=_NO_MACHINES,
    )


def _machines(pool: Machines, held: Demands) -> _native.SimMachines:
    """Return machines in the form that the kernel takes."""
    return _native.SimMachines(
        resources=held.amounts.shape[1],
        groups=held.groups,
        amounts=held.amounts.ravel(),
        capacities=held.capacities.ravel(),
        max_jobs=pool.max_jobs or _NO_LIMIT,
        max_idle=pool.max_idle or _NO_LIMIT,
    )


def slot_model(
    pool: Machines, condor: HTCondor, held: Demands, categories: slot_engine.Categories
) -> _native.SlotModel:
    """Return what HTCondor does with *pool* in the form that the kernel takes."""
    delays = slot_engine.Delays().times(condor.latency)
    passed_on = [each.name for each in fields(_native.SlotDelays)]
    return _native.SlotModel(
        groups=held.groups,
        amounts=held.amounts.ravel(),
        capacities=held.capacities.ravel(),
        resources=held.amounts.shape[1],
        categories=categories.of_task,
        limits=categories.limits,
        max_jobs=pool.max_jobs or _NO_LIMIT,
        max_idle=pool.max_idle or slot_engine.USUAL_IDLE,
        scan_submissions=condor.scan_submissions,
        exact_cores=condor.exact_cores,
        scan_interval=condor.scan_interval + delays.scan,
        hold=condor.hold,
        schedd_interval=condor.schedd_interval + delays.schedd,
        heartbeat=condor.heartbeat,
        negotiator_interval=condor.negotiator_interval,
        cycle_delay=condor.cycle_delay,
        worklife=condor.worklife,
        first_pass=condor.schedd_interval,
        latest=slot_engine.latest(condor, delays),
        delays=_native.SlotDelays(**{name: getattr(delays, name) for name in passed_on}),
    )
