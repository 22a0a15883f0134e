"""A cell: a workflow on a pool, with every order on the same draws."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from icsched import Dag, Plan, Pool, Workers, prioritize
from icsched.arrays import Floats
from icsched.commands.comparison import contest_of
from icsched.pebble import remaining_paths
from icsched.sim import AnyPool, Experiment, Played, Times
from tools.gains.subjects import World

ORDERS = ("critical-path", "prio", "critical-path-steps")  # beside fifo and auto
SPREAD = 0.3  # of run times around their means
PRECISE = 0.003  # half of the 95% interval of a ratio, relative: enough
FIRST_RUNS, MOST_RUNS = 64, 512
BUDGET = 0.1  # seconds of simulation for each choice of "auto"
CHOOSING, JUDGING = 0, 1  # seeds

Name = TypeVar("Name")


@dataclass(frozen=True)
class Estimate:
    """The time of an order over fifo's, with its standard error."""

    ratio: float
    error: float


@dataclass(frozen=True)
class CellFound:
    """What a cell gave: an estimate by order and by what was known, and what "auto" chose.

    `area_ratio` is that of the order prio without run times, as `icsched prio` tells it.
    """

    workflow: str
    source: str
    times: str
    pool: str
    runs: int
    ratios: dict[str, dict[str, Estimate]]  # by what was known, then by order
    chosen: dict[str, str]  # by what was known
    area_ratio: float


def pools_of(dag: Dag, means: Floats) -> dict[str, AnyPool]:
    """Return the pools by name: W, L, P:1, P:16 and P:64 with the share of the width, balanced."""
    width = int(np.bincount(dag.levels).max())
    mean = float(means.mean())
    balanced = max(2, round(float(means.sum() / remaining_paths(dag, means).max())))
    made: dict[str, AnyPool] = {}
    for part in (8, 4, 2):
        workers = max(2, width // part)
        made[f"W 1/{part}"] = Workers(workers)
        # A worker stays 10 mean times, or long enough that the longest task ends some day.
        made[f"L 1/{part}"] = Workers(workers, leave=max(10 * mean, float(means.max()) / 3))
    for batch in (1, 16, 64):
        for part in (8, 2):
            workers = max(2, width // part)
            made[f"P:{batch} 1/{part}"] = Pool(interval=mean * batch / workers, batch=batch)
    made["balanced W"] = Workers(balanced)
    made["balanced P:16"] = Pool(interval=mean * 16 / balanced, batch=16)
    return made


def cells_of(world: World) -> Iterator[CellFound]:
    """Measure all orders of *world* on each pool."""
    plans = {
        (known, order): prioritize(world.dag, order, run_times=times)
        for known, times in world.known.items()
        for order in ORDERS
    }
    area_ratio = contest_of(plans["nothing", "prio"]).area_ratio
    for name, pool in pools_of(world.dag, world.means).items():
        autos = {known: chosen_for(pool, world, times) for known, times in world.known.items()}
        made = {**plans, **{(known, "auto"): plan for known, plan in autos.items()}}
        orders = {name: played(plan) for name, plan in made.items()}
        runs, found = measured(world.dag, orders, pool, world.means)
        ratios: dict[str, dict[str, Estimate]] = {known: {} for known in world.known}
        for (known, order), estimate in found.items():
            ratios[known][order] = estimate
        chosen = {known: plan.choice.chosen for known, plan in autos.items()}
        yield CellFound(
            world.workflow, world.source, world.times, name, runs, ratios, chosen, area_ratio
        )


def chosen_for(pool: AnyPool, world: World, times: Floats | None) -> Plan:
    """Return what "auto" chooses; without run times it is told the pool in units of the mean."""
    told = pool if times is not None else in_units(pool, float(world.means.mean()))
    return prioritize(world.dag, "auto", run_times=times, pool=told, budget=BUDGET, seed=CHOOSING)


def in_units(pool: AnyPool, unit: float) -> AnyPool:
    """Return *pool* with its times in this unit.

    >>> in_units(Workers(3, leave=20.0), 2.0).leave
    10.0
    """
    if isinstance(pool, Pool):
        return replace(pool, interval=pool.interval / unit)
    return replace(pool, leave=pool.leave / unit)


def played(plan: Plan) -> Played:
    """Return how a plan is played: "auto" may choose to leave everything as it is."""
    if plan.choice is not None and plan.choice.chosen == "fifo":
        return Played("fifo")
    return Played("static", plan.order)


def measured(
    dag: Dag,
    orders: Mapping[Name, Played],
    pool: AnyPool,
    means: Floats,
    *,
    most_runs: int = MOST_RUNS,
) -> tuple[int, dict[Name, Estimate]]:
    """Return the runs made, and each order's time over fifo's; equal orders are played once."""
    times = Times("lognormal", SPREAD, means)
    keys = {name: _key(order) for name, order in orders.items()}
    rivals = {keys[name]: order for name, order in orders.items() if order.by != "fifo"}
    made: dict[bytes, Floats] = {key: np.empty(0) for key in [_FIFO, *rivals]}
    first, runs = 0, FIRST_RUNS
    experiment = Experiment(dag, pool, times)
    while True:
        for key, order in {_FIFO: Played("fifo"), **rivals}.items():
            more = experiment.runs(order, seed=JUDGING, first_run=first, runs=runs, threads=1)
            made[key] = np.concatenate([made[key], more.time])
        first, runs = first + runs, first + runs
        found = {key: ratio_of_means(made[key], made[_FIFO]) for key in made}
        if first + runs > most_runs or is_precise(found.values()):
            return first, {name: found[key] for name, key in keys.items()}


_FIFO = b""


def _key(order: Played) -> bytes:
    return _FIFO if order.by == "fifo" else np.asarray(order.order).tobytes()


def is_precise(estimates: Iterable[Estimate]) -> bool:
    """Whether the 95% intervals are as narrow as wanted."""
    return all(1.96 * estimate.error <= PRECISE * estimate.ratio for estimate in estimates)


def ratio_of_means(above: Floats, below: Floats) -> Estimate:
    """Return the ratio of the means of runs on the same draws, with its standard error.

    >>> ratio_of_means(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    Estimate(ratio=0.5, error=0.0)
    """
    ratio = float(above.mean() / below.mean())
    left = above - ratio * below
    error = float(left.std(ddof=1)) / (math.sqrt(len(left)) * float(below.mean()))
    return Estimate(ratio, error)
