"""The exact referee: what no order of a dag can beat.

The referee visits the ideals of the dag: the sets of tasks that can have run. So its answer is
exact, and its cost grows with the number of ideals: ten million for a mesh of 14 levels, up to
2**s for s independent nonsinks. It raises LimitError past *limit* ideals, 1,024 nonsinks or 2 GB.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from icsched import _native, checks
from icsched._native import MOST_NONSINKS, Walk
from icsched.arrays import Ids, Rows
from icsched.dag import Dag, Graph, dag_of
from icsched.errors import LimitError
from icsched.frames import Answer, names_of
from icsched.graph_inputs import T, T_co
from icsched.pebble.profile import Profile, eligibility_profile
from icsched.pebble.residual import Order, Residual

X = TypeVar("X")
DEFAULT_LIMIT = 50_000_000


def optimal_profile(graph: Graph, *, limit: int = DEFAULT_LIMIT) -> Profile:
    """Return the most tasks that can be eligible after t executions, for every t.

    An order is IC-optimal if and only if its eligibility profile equals this one. Some
    dags have no IC-optimal order. Raises LimitError past *limit* ideals.

    >>> optimal_profile(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})).tolist()
    [2, 3, 3, 2, 1, 0]
    """
    return _best(dag_of(graph), limit)[0]


def maximum_area_order(graph: Graph, *, limit: int = DEFAULT_LIMIT) -> Ids:
    """Return an order whose eligibility profile has the largest sum; sinks come last.

    Raises LimitError past *limit* ideals. Takes about 200 bytes for each ideal of the
    largest size class, more past 64 nonsinks.

    >>> maximum_area_order(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})).tolist()
    [2, 0, 1, 3, 4]
    """
    left = Residual.of(graph)
    _, nonsinks = _walked(_native.maximum_area_order, left.dag, limit)
    return left.ids(np.concatenate([nonsinks, left.dag.sinks]))


def ic_optimal_order(graph: Graph, *, limit: int = DEFAULT_LIMIT) -> Ids | None:
    """Return an IC-optimal order of *graph*, sinks last, or None if there is none.

    Raises LimitError past *limit* ideals.

    >>> ic_optimal_order(Dag({"a": [], "b": ["a"], "c": ["a"]})).tolist()
    [0, 1, 2]
    """
    left = Residual.of(graph)
    is_found, nonsinks = _walked(_native.ic_optimal_order, left.dag, limit)
    return left.ids(np.concatenate([nonsinks, left.dag.sinks])) if is_found else None


@dataclass(frozen=True)
class Verdict(Answer, Generic[T_co]):
    """Whether an order is IC-optimal and, if not, where it first falls short.

    After `step` executed tasks the order has `eligible` eligible tasks. If the tasks in `better`
    had run instead, there would be `best_eligible`. `better_names` has the names of these tasks.
    For an IC-optimal order there are no names, and the other four are None.
    """

    ic_optimal: bool
    step: int | None = None
    eligible: int | None = None
    best_eligible: int | None = None
    better: tuple[int, ...] | None = None
    better_names: tuple[T_co, ...] = names_of("better")


def verify(graph: Graph[T], order: Order, *, limit: int = DEFAULT_LIMIT) -> Verdict[T]:
    """Say whether *order* is IC-optimal; if not, where it first falls short, and a better set.

    Raises ScheduleError if *order* is not legal, LimitError past *limit* ideals.

    >>> verify(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]}), [0, 1, 2, 3, 4])
    Verdict(ic_optimal=False, step=1, eligible=2, best_eligible=3, better=(2,))
    """
    left = Residual.of(graph)
    reached = eligibility_profile(left, order)
    best, sets = _best(left.dag, limit)
    short = np.flatnonzero(reached < best)
    if not len(short):
        return Verdict(ic_optimal=True)
    # The first short step comes no later than the number of nonsinks: an order that has not run
    # all nonsinks by then is short. So this step has a best set of nonsinks.
    step = int(short[0])
    better = left.task_ids(sets[step].tolist())
    names = tuple(left.whole.names[task] for task in better)
    return Verdict(False, step, int(reached[step]), int(best[step]), better, names)


def _best(dag: Dag, limit: int) -> tuple[Profile, list[Ids]]:
    """Return the best eligible counts, and a best set of nonsinks for each size."""
    enabled, sets = _walked(_native.best_ideals, dag, limit)
    # Once all nonsinks have run everything is enabled, and only sinks remain.
    best = np.concatenate([enabled, np.full(len(dag.sinks), enabled[-1])])
    by_size = np.split(sets, np.cumsum(np.arange(len(enabled)))[:-1])
    return best + len(dag.sources) - np.arange(len(dag) + 1), by_size


def _walked(
    kernel: Callable[[Rows, Rows, Ids, int], tuple[Walk, X, Ids]], dag: Dag, limit: int
) -> tuple[X, Ids]:
    """Return what *kernel* finds; raises LimitError if the dag is too large for it."""
    checks.whole_number("limit", limit, least=0)
    if len(dag.nonsinks) > MOST_NONSINKS:
        raise LimitError(
            f"the exact referee takes dags of up to {MOST_NONSINKS:,} tasks that have children;"
            f" this one has {len(dag.nonsinks):,}"
        )
    most = min(limit, 2**63 - 1)  # what the kernels take
    walk, found, tasks = kernel(dag.child_rows, dag.parent_rows, dag.fifo_order, most)
    if walk != Walk.COMPLETE:
        is_long = walk == Walk.OVER_LIMIT
        reached = f"{limit:,} sets of executed tasks" if is_long else "2 GB of memory"
        raise LimitError(
            f"the exact referee gave up at {reached};"
            f" this dag of {len(dag):,} tasks is too large for it"
        )
    return found, tasks
