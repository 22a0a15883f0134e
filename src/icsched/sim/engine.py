"""Many runs of a simulation through the kernel, on all cores."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from icsched import _native
from icsched._native import Rule, TimeLaw
from icsched.arrays import Floats
from icsched.dag import Dag
from icsched.errors import PoolError
from icsched.machine import usable_cores
from icsched.sim.draws import lognormal_sigma
from icsched.sim.model import (
    AnyPool,
    Pool,
    Recorded,
    Times,
    Workers,
    check_inputs,
    check_runs,
    check_seed,
)
from icsched.sim.played import Played
from icsched.sim.results import Assignments, Batches, Runs, Trace
from icsched.sim.slots import SlotCounts

_RULES = {
    "static": Rule.RANKED,
    "fifo": Rule.FIFO,
    "lifo": Rule.LIFO,
    "random": Rule.RANDOM,
    "priority": Rule.CLASSED,
}
_NONE: Floats = np.empty(0)


def simulate_runs(
    dag: Dag,
    played: Played,
    pool: AnyPool,
    times: Times,
    *,
    seed: int,
    runs: int,
    first_run: int = 0,
    threads: int | None = None,
) -> Runs:
    """Simulate *runs* runs, numbered from *first_run* on; return what came out of each.

    A run is determined by *seed* and its number alone, so ranges of runs can be computed
    separately. All orders see the same random draws: in runs of the same seed and number the same
    batches arrive, and each task takes the same time when it is first assigned. *threads* (all
    cores by default) changes only the wall time. Raises ArgumentError for inputs that do not fit
    together, ScheduleError if the order is not a legal order of *dag*.

    >>> fork = Dag({"a": [], "b": ["a"], "c": ["a"]})
    >>> pool = Pool(batch=2, batch_law="fixed")
    >>> runs = simulate_runs(fork, Played("fifo"), pool, Times("constant"), seed=1, runs=100)
    >>> len(runs), bool(runs.time.min() > 2), bool(runs.utilisation.max() <= 0.75)
    (100, True, True)
    """
    workforce = cores() if threads is None else threads
    check_runs(runs, workforce)
    check_seed(seed, first_run)
    model = _model(dag, played, pool, times)
    with _within_memory():
        results = _native.simulate(
            model, seed=seed, first_run=first_run, runs=runs, threads=workforce
        )
    return _runs(dag, pool, results)


def trace(
    dag: Dag,
    played: Played,
    pool: AnyPool,
    times: Times,
    *,
    seed: int,
    run: int,
    by_events: bool = False,
) -> Trace:
    """Simulate one run and return every step of it; raises as `simulate_runs` does.

    *by_events* forces the kernel's general engine; the result is the same.

    >>> chain = Dag({"a": [], "b": ["a"]})
    >>> steps = trace(chain, Played("fifo"), Workers(1), Times("constant"), seed=1, run=0)
    >>> steps.assignments.task.tolist(), steps.assignments.end.tolist()
    ([0, 1], [1.0, 2.0])
    """
    check_seed(seed, run)
    model = _model(dag, played, pool, times)
    with _within_memory():
        results, steps = _native.simulate_trace(model, seed=seed, run=run, by_events=by_events)
    return Trace(
        Assignments(steps.time, steps.task, steps.request, steps.end, steps.ending, dag.names),
        Batches(steps.batch_time, steps.batch_size, steps.batch_eligible),
        _runs(dag, pool, results),
    )


def slot_counts(
    dag: Dag,
    played: Played,
    pool: Pool,
    times: Times,
    edges: Floats,
    *,
    seed: int,
    run: int,
    by_events: bool = False,
) -> SlotCounts:
    """Simulate one run and return what its batches found in each slot between *edges*.

    The result equals ``SlotCounts.of`` the run's `trace`, but the memory used does not grow with
    the number of batches. There are two or more *edges*, which ascend from 0. Raises as
    `simulate_runs` does.

    >>> pair = Dag({"a": [], "b": []})
    >>> pool = Pool(batch=5, batch_law="fixed")
    >>> edges = np.array([0.0, 1.0, 2.0])
    >>> found = slot_counts(pair, Played("fifo"), pool, Times(), edges, seed=1, run=0)
    >>> found.eligible.tolist(), found.unserved.tolist()
    ([2, 0], [3, 0])
    """
    check_seed(seed, run)
    model = _model(dag, played, pool, times)
    with _within_memory():
        found = _native.simulate_slots(model, edges, seed=seed, run=run, by_events=by_events)
    return SlotCounts(found.batches, found.eligible, found.unserved)


@contextmanager
def _within_memory() -> Iterator[None]:
    """Turn the kernel's MemoryError into an error that names the pool as the cause."""
    try:
        yield
    except MemoryError:
        problem = "simulation: this pool needs more memory than there is"
        raise PoolError(problem) from None


def give_up_runs() -> None:
    """End all simulations that run now, on any thread, with KeyboardInterrupt."""
    _native.give_up_kernels()


def cores() -> int:
    """Return the number of cores this process may use, at most 1024."""
    return min(1024, usable_cores())


def _runs(dag: Dag, pool: AnyPool, results: _native.SimRuns) -> Runs:
    return Runs.of(
        len(dag),
        pool,
        results.time,
        results.batches,
        results.stalls,
        results.requests,
        results.work,
    )


def _model(dag: Dag, played: Played, pool: AnyPool, times: Times) -> _native.SimModel:
    """Check the inputs and return them in the form that the kernel takes."""
    check_inputs(dag, pool, times)
    batches = pool if isinstance(pool, Pool) else Pool()
    scale, shift = batches.size_law
    return _native.SimModel(
        children=dag.child_rows,
        rule=_RULES[played.by],
        order=played.order_for(dag),
        means=times.means_for(dag),
        law=TimeLaw.LOGNORMAL if times.law == "lognormal" else TimeLaw.NORMAL,
        width=times.width,
        workers=0 if isinstance(pool, Pool) else pool.count,
        speeds=_speeds(pool),
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
        classes=played.classes_for(dag),
    )


def _speeds(pool: AnyPool) -> Floats:
    if not isinstance(pool, Workers):
        return _NONE
    return np.ones(pool.count) if pool.speeds is None else np.array(pool.speeds)
