"""Simulation of several orders, icsched's or the user's own, side by side."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from icsched import checks
from icsched.dag import Dag, Graph
from icsched.errors import ArgumentError
from icsched.orders.definition import Aim, Made
from icsched.orders.named_orders import ORDERS
from icsched.orders.plan import Plan, made_order
from icsched.pebble import HasOrder, Order, Schedule
from icsched.ready import Server
from icsched.sim import (
    Experiment,
    Machines,
    Paired,
    PaperSampling,
    Played,
    Pool,
    Recorded,
    Times,
    Workers,
)
from icsched.sim.experiment import Player, ServerMaker
from icsched.sim.model import AnyPool
from icsched.sim.sampling import Progress, SideBySide, Simulation, silent

OrderLike: TypeAlias = str | Order | Player
Orders: TypeAlias = str | Mapping[str, OrderLike] | Sequence[str | Plan]


def simulate(
    graph: Graph,
    orders: Orders,
    *,
    pool: AnyPool | None = None,
    times: Times | None = None,
    seed: int = 0,
    baseline: str | None = None,
    sampling: Paired | PaperSampling | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Simulation:
    """Simulate *graph* under each of *orders* and compare them with the order named *baseline*.

    The default baseline is the order named "fifo", or else the first. *graph* is as in
    `prioritize`.

    *orders* is a list of plans and names of `ORDERS`, or a mapping from your own names to orders.
    In a mapping an order is a name of `ORDERS`, a plan, a schedule, task names or ids, a `Played`,
    or a function that makes a `Server` for a dag. Orders that use run times get the means of
    *times*, which by default are the run times of the workflow. By default the pool is ``Pool()``,
    and the sampling is ``Paired()``. *progress* is called from time to time.

    Raises ArgumentError for a wrong argument, SimulationError for a run that would not end, and
    ScheduleError for an order of another dag.

    >>> fork = Dag({"lone": [], "a": [], "b": ["a"], "c": ["a"]})
    >>> found = simulate(fork, ["prio", "fifo"], pool=Pool(batch=1), seed=1)
    >>> list(found.ratio), found.ratio["prio_over_fifo"].time.high < 1, found.precise
    (['prio_over_fifo'], True, True)
    """
    pool = Pool() if pool is None else pool
    times = Times() if times is None else times
    sampling = Paired() if sampling is None else sampling
    _check_kind("pool", pool, Pool, Workers, Recorded, Machines)
    _check_kind("times", times, Times)
    _check_kind("sampling", sampling, Paired, PaperSampling)
    experiment = Experiment(graph, pool, times)
    named = _by_name(orders)
    baseline = baseline or ("fifo" if "fifo" in named else next(iter(named)))
    checks.one_of("baseline", baseline, list(map(str, named)))
    players = {name: player(experiment, name, wanted) for name, wanted in named.items()}
    beside = SideBySide(experiment, players, baseline, seed, threads, progress or silent)
    return beside.simulated(sampling)


def _check_kind(what: str, value: object, *kinds: type) -> None:
    if not isinstance(value, kinds):
        *first, last = (kind.__name__ for kind in kinds)
        expected = f"{', '.join(first)} or {last}" if first else last
        raise ArgumentError(f"{what}: expected {expected}, got {value!r}")


def _by_name(orders: Orders) -> Mapping[str, OrderLike]:
    """Return the orders by name; raises ArgumentError for no orders, or an order without a name."""
    if not isinstance(orders, Mapping):
        listed = [orders] if isinstance(orders, str | Plan) else orders
        if not isinstance(listed, Iterable):
            expected = "names of orders, or a mapping from names to orders"
            raise ArgumentError(f"orders: expected {expected}, got {orders!r}")
        orders = {_name_of(order): order for order in listed}
    if not orders:
        raise ArgumentError("orders: expected at least one")
    for name in orders:
        if not isinstance(name, str):
            raise ArgumentError(f"orders: expected a mapping from names, got the key {name!r}")
    return orders


def _name_of(order: object) -> str:
    name = order.ordered_by if isinstance(order, Plan) else order
    if not isinstance(name, str):
        raise ArgumentError(f"orders: expected names, or a mapping from names, got {order!r}")
    return name


def player(experiment: Experiment, name: str, wanted: OrderLike) -> Player:
    """Return an order in the form that *experiment* takes, checked once.

    Raises ArgumentError, or ScheduleError for an order of another dag.

    >>> player(Experiment(Dag({"a": []}), Pool(), Times()), "mine", "lifo").by
    'lifo'
    """
    if isinstance(wanted, str):
        return _named(experiment, wanted)
    if isinstance(wanted, Played):
        given = wanted.order
        checked = None if given is None else Schedule.of(experiment.workflow, given)
        return replace(wanted, order=checked)
    if callable(wanted):
        return partial(_server, name, wanted)
    if not isinstance(wanted, HasOrder | list | tuple | range | np.ndarray):
        raise ArgumentError(f"order {name!r}: expected a name or an order, got {wanted!r}")
    return Played("static", Schedule.of(experiment.workflow, wanted))


def _server(name: str, make: ServerMaker, dag: Dag) -> Server[int]:
    """Return a new server, ready for requests; raises ArgumentError if it is not a `Server`."""
    server = make(dag)
    if not all(hasattr(server, asked) for asked in ("take", "done", "lost")):
        got = f"one that makes {server!r}"
        raise ArgumentError(f"order {name!r}: expected a function that makes a Server, got {got}")
    try:
        getattr(server, "is_active", bool)()  # optional: runs do not need it
    except ValueError as error:  # a Sorter whose `prepare` was not called
        raise ArgumentError(f"order {name!r}: its server cannot be asked: {error}") from error
    return server


def _named(experiment: Experiment, name: str) -> Played:
    entry = ORDERS.find(name)
    if entry.played != "static":
        return Played(entry.played)
    aim = Aim(experiment.pool, workflow=experiment.workflow.residual)
    made = made_order(experiment.dag, name, experiment.means, aim)
    ids = made.order if isinstance(made, Made) else made
    return Played("static", Schedule.trusted(experiment.dag, ids))
