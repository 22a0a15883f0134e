"""The order "auto": simulates several good orders, and takes the one that ends the run earliest.

The candidates are "prio", "critical-path-steps", "critical-path", for small dags "area" and
"area-paths", and the order that the user has now. They race on the user's pool, or on usual pools
if the user gives none.
"""

from dataclasses import replace

import numpy as np

from icsched.arrays import Floats, Ids, ranks_of
from icsched.dag import Dag
from icsched.orders.area import area_order, area_paths_order
from icsched.orders.definition import FIFO, NEW, PRESENT, Aim, Choice, Made, NamedOrder
from icsched.orders.prio import by_steps, prio_order
from icsched.pebble import Schedule, critical_path_order, priority_order
from icsched.sim import Played, Times, pool_to_dict
from icsched.sim.doubt import doubt_about
from icsched.sim.pools import usual_pools
from icsched.sim.race import affordable, run_race
from icsched.theory import confirmed
from icsched.workflow import Workflow

# Above this size, in tasks plus arcs, "area" is left out: it would take longer than the race.
MOST_FOR_AREA = 1_500


def auto_order(dag: Dag, run_times: Floats | None = None, aim: Aim | None = None) -> Made:
    """Return the candidate that ends the runs of *dag* earliest, with the reasons.

    If it saves less than 1%, the result is the order that the user has now. Among equal orders
    "prio" wins, because most is proved about it. The same inputs and seed give the same order.

    >>> fork = Dag({"lone": [], "a": [], "b": ["a"], "c": ["b"]})
    >>> made = auto_order(fork, np.array([1.0, 5.0, 1.0, 1.0]))
    >>> made.choice.present, made.order.tolist()[0]
    ('fifo', 1)
    """
    aim = Aim() if aim is None else aim
    prio = prio_order(dag, run_times)
    if not len(dag):  # no task is left to run
        return prio
    orders = candidates(dag, run_times, prio)
    choice = _raced(dag, orders, run_times, aim)
    if choice.chosen == "prio":
        return Made(prio.order, prio.proof, choice)
    schedule = Schedule.trusted(dag, orders[choice.chosen])
    return Made(schedule.order, confirmed(dag, schedule), choice)


def challenged(dag: Dag, order: Ids, run_times: Floats | None, aim: Aim) -> Choice:
    """Return whether *order*, called "new", should replace the user's present order, and why.

    >>> fork = Dag({"lone": [], "a": [], "b": ["a"], "c": ["b"]})
    >>> slow = Aim(priorities=np.array([4, 3, 2, 1], np.int32))
    >>> challenged(fork, np.array([1, 2, 0, 3], np.int32), None, slow).chosen
    'new'
    """
    other_draws = replace(aim, seed=(aim.seed + 1) % 2**64)  # not the draws that chose *order*
    return _raced(dag, {NEW: order}, run_times, other_draws)


def order_of(dag: Dag, priorities: Ids) -> Ids:
    """Return the order in which tasks with these priorities run, larger first.

    Ties are broken by `Dag.fifo_order`. DAGMan breaks ties by the time at which tasks become ready
    in the run, as `Played` by "priority" does.

    >>> order_of(Dag({"a": [], "b": []}), np.array([-5, 2])).tolist()
    [1, 0]
    """
    keys = -priorities.astype(np.int64)  # the least 32-bit integer cannot be negated
    wanted = np.lexsort((ranks_of(dag.fifo_order), keys)).astype(np.int32)
    return priority_order(dag, ranks_of(wanted))


def candidates(dag: Dag, run_times: Floats | None, prio: Made) -> dict[str, Ids]:
    """Return the different orders to choose from; of equal orders only the first."""
    made = {
        "prio": prio.order,
        "critical-path-steps": by_steps(dag, run_times, prio.order),
        "critical-path": critical_path_order(dag, run_times=run_times),
    }
    if len(dag) + dag.arc_count <= MOST_FOR_AREA:
        made["area"] = area_order(dag, prio).order
        made["area-paths"] = area_paths_order(dag, prio)
    distinct = {order.tobytes(): name for name, order in reversed(made.items())}
    return {name: order for name, order in made.items() if name in distinct.values()}


def _raced(dag: Dag, orders: dict[str, Ids], run_times: Floats | None, aim: Aim) -> Choice:
    """Let *orders* race against the user's present order, which is added to them."""
    present, played, listed = present_order(dag, aim.priorities)
    racing = {name: Played("static", Schedule.trusted(dag, ids)) for name, ids in orders.items()}
    racing[present] = played
    orders[present] = listed
    known = None if run_times is None or not run_times.any() else run_times
    means = np.ones(len(dag)) if known is None else known
    workflow = Workflow(dag, run_times=known) if aim.workflow is None else aim.workflow
    times = Times(means=means, doubt=doubt_about(workflow))
    asked = usual_pools(dag, means) if aim.pool is None else [aim.pool]
    pools = affordable(dag, asked, times, orders=len(racing), budget=aim.budget)
    graph = dag if aim.workflow is None else aim.workflow
    entered = graph, racing, present, pools, times
    raced = run_race(*entered, budget=aim.budget, seed=aim.seed)
    return Choice(
        best=raced.winner,
        present=present,
        ratio=raced.checked,
        ratios=dict(raced.ratios),
        pools=tuple(map(pool_to_dict, pools)),
        is_own_pool=aim.pool is not None,
        is_timed=known is not None,
        runs=raced.runs,
        seed=aim.seed,
        budget=aim.budget,
        budget_used=raced.seconds,
        is_clear=raced.is_clear,
        intervals=dict(raced.intervals),
        ends=dict(raced.ends) if aim.pool is not None and known is not None else {},
    )


def present_order(dag: Dag, priorities: Ids | None) -> tuple[str, Played, Ids]:
    """Return the user's present order: its name, how it is played, and its ids."""
    if priorities is None or (priorities == priorities[0]).all():
        return FIFO, Played("fifo"), dag.fifo_order
    return PRESENT, Played("priority", priorities=priorities), order_of(dag, priorities)


AUTO = NamedOrder(
    "auto",
    "what ends the run earliest in a simulation: prio, critical-path or another",
    auto_order,
    run_times="used",
    for_pool=True,
)
