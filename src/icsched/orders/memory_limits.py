"""Orders within a limit of memory, and what a limit costs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, NamedTuple

import numpy as np

from icsched import _native, checks, pebble
from icsched.arrays import Ids, Sizes
from icsched.dag import Dag, Graph, PerTask
from icsched.errors import LimitError, MemoryLimitError
from icsched.frames import Listed, Tabular
from icsched.graph_inputs import T, T_co
from icsched.orders.plan import Plan, prioritize
from icsched.pebble.residual import Residual
from icsched.theory import memory
from icsched.theory.blocks import without_shortcuts
from icsched.theory.memory import depth_first_order, lean_order, peak
from icsched.theory.proof import UNPROVED

# How often a task that would need too much memory is retried.
PATIENCE = 8
# How often the search restarts from its result while the area grows.
ROUNDS = 6
# How many limits the exact search tries below the memory of a known order.
TRIES = 8


@dataclass(frozen=True, eq=False)
class LimitedOrder(Tabular, Generic[T_co]):
    """An order within a limit of memory.

    `memory` is what the order needs, in `unit`: open results, or bytes. `exact` says that the area
    is proved to be the largest within `limit`. `plan` has the order and its proofs. A row of
    `to_pandas` is a row of the plan's.
    """

    limit: int
    memory: int
    unit: str
    exact: bool
    plan: Plan[T_co]

    def __repr__(self) -> str:
        order = Listed(self.order.tolist())
        need = f"memory={self.memory} of {self.limit} {self.unit}"
        return f"LimitedOrder(order={order}, area={self.area}, {need}, exact={self.exact})"

    def to_dict(self) -> dict[str, Any]:
        """Return the limit, the memory of the order, and the fields of the plan's `to_dict`."""
        need = {"limit": self.limit, "memory": self.memory, "unit": self.unit, "area": self.area}
        return {**need, "exact": self.exact, **self.plan.to_dict()}

    @property
    def dag(self) -> Dag[T_co]:
        """The dag."""
        return self.plan.dag

    @property
    def residual(self) -> pebble.Schedule[T_co]:
        """The schedule: its dag has the tasks that are left to run."""
        return self.plan.schedule

    @property
    def order(self) -> Ids:
        """The ids in `dag` of the tasks that are left to run, first to run first."""
        return self.plan.order

    @property
    def schedule(self) -> pebble.Schedule[T_co]:
        """The order with its profiles."""
        return self.plan.schedule

    @cached_property
    def area(self) -> int:
        """Sum of the eligible counts."""
        return self.plan.schedule.area


def order_within(graph: Graph[T], limit: int, *, sizes: PerTask | None = None) -> LimitedOrder[T]:
    """Order *graph* for the largest area, with no more than *limit* results in memory.

    With *sizes*, the bytes of each task's result, *limit* is in bytes. An IC-optimal order within
    the limit is proved best. On a small dag an exact search proves that the order is best. On a
    larger dag tasks run by the priorities of `prioritize`, as long as the rest can still finish
    within the limit in a known low-memory order (depth first or fifo). The search then restarts
    from its result. On a larger dag it takes O((tasks + arcs) log tasks).

    Raises MemoryLimitError if no order is found. The error says whether this is proved, and which
    limit is enough. Raises ArgumentError for a limit below 0, and unless *sizes* has a nonnegative
    integer for each task.

    >>> from icsched.families import tree
    >>> [order_within(tree(3), limit).area for limit in (6, 5, 4)]
    [64, 63, 61]
    >>> order_within(tree(3), 3)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    icsched.errors.MemoryLimitError: proved impossible within 3 open results: the least ... is 4
    """
    return _Search(graph, sizes).within(checks.whole_number("limit", limit, least=0))


def memory_curve(
    graph: Graph[T], *, sizes: PerTask | None = None, points: int = 12
) -> tuple[LimitedOrder[T], ...]:
    """Return orders from the least known memory to the largest area; the areas grow.

    On a small dag this is the exact trade-off: no order has both a larger area and less memory
    than one of these. On a larger dag the orders are for *points* limits at equal ratios. Raises
    ArgumentError for fewer than two points, and the errors of `order_within`.

    >>> from icsched.families import tree
    >>> [(point.memory, point.area) for point in memory_curve(tree(3))]
    [(4, 61), (5, 63), (6, 64)]
    """
    checks.whole_number("points", points, least=2)
    search = _Search(graph, sizes)
    try:
        found = search.frontier()
    except LimitError:
        least = max(search.leanest.memory, 1)
        limits = np.geomspace(least, max(search.best.memory, 1), points)
        found = [search.within(limit) for limit in sorted({*np.rint(limits).astype(int).tolist()})]
    return tuple(_rising(found))


def _rising(found: list[LimitedOrder[T]]) -> Iterator[LimitedOrder[T]]:
    """Leave out an order if another one needs less memory and has at least its area."""
    largest = -1
    for point in sorted(found, key=lambda point: (point.memory, -point.area)):
        if point.area > largest:
            largest = point.area
            yield point


def _open_before_joins(dag: Dag, sizes: Sizes) -> int:
    """Return a lower bound of the memory of all orders of *dag*, which must have no shortcuts.

    With shortcuts a dag needs no less. A nonsink is open after its own step. All parents of a task
    are open before the task runs. Before its last parent runs, the other parents are open, and so
    are all parents of the last parent.
    """
    rows = dag.parent_rows
    filled = np.flatnonzero(rows.sizes)
    if not len(filled):
        return 0
    starts = rows.offsets[filled]
    together = np.zeros(len(dag), np.int64)
    together[filled] = np.add.reduceat(sizes[rows.targets], starts)
    instead_of_last = np.minimum.reduceat((together - sizes)[rows.targets], starts)
    at_joins = together[filled] + np.maximum(instead_of_last, 0)
    return int(max(at_joins.max(), sizes[dag.nonsinks].max()))


def _held_before(dag: Dag, task: int, sizes: Sizes) -> int:
    """Return a lower bound of the memory of all orders before *task* runs.

    All ancestors of *task* have run then. An ancestor is open if one of its children is *task* or
    a descendant of *task*.
    """
    only = np.zeros(len(dag))
    only[task] = 1
    back = np.ascontiguousarray(dag.fifo_order[::-1])
    is_ancestor = _native.longest_paths(dag.parent_rows, back, only) > 0
    waits = _native.longest_paths(dag.child_rows, dag.fifo_order, only) > 0
    waits[task] = True
    parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
    held = np.zeros(len(dag), bool)
    held[parents[waits[children]]] = True
    return int(sizes[held & is_ancestor].sum())


class _Leanest(NamedTuple):
    """An order of little memory; no order needs less than `floor`."""

    order: Ids
    memory: int
    floor: int


class _Search(Generic[T]):
    """A dag and the orders from which a search starts, each computed once."""

    def __init__(self, graph: Graph[T], sizes: PerTask | None) -> None:
        left = Residual.of(graph)
        self.dag: Dag[T] = left.dag
        self.whole: Dag[T] = left.whole
        self.unit = "open results" if sizes is None else "bytes"
        self.sizes: Sizes = pebble.checked_sizes(self.dag, left.values("sizes", sizes))
        self.too_many_sets = math.inf  # above this limit the exact search overflows

    @cached_property
    def plan(self) -> Plan[T]:
        """The order without a limit."""
        return replace(prioritize(self.dag, "prio"), dag=self.whole)

    @cached_property
    def best(self) -> LimitedOrder[T]:
        """The leanest order found with the profile of `plan`."""
        order = lean_order(self.dag, self.plan, sizes=self.sizes)
        return self._limited(order, None, exact=self.plan.proof.is_ic_optimal)

    @cached_property
    def bases(self) -> list[tuple[Ids, int]]:
        """Low-memory orders for the remaining tasks, each with its memory."""
        orders = (depth_first_order(self.dag, self.sizes), self.dag.fifo_order)
        return [(order, peak(self.dag, order, self.sizes)) for order in orders]

    @cached_property
    def leanest(self) -> _Leanest:
        """The leanest order that is known.

        The exact search is tried for limits between the floor and the memory of a known order.
        Within a lower limit the search visits fewer sets, so it may succeed there.
        """
        try:
            order = memory.least_memory_order(self.dag, self.sizes)
        except LimitError:
            known = [(self.best.schedule.order, self.best.memory), *self.bases]
            order, least = min(known, key=lambda pair: pair[1])
        else:
            least = peak(self.dag, order, self.sizes)
            return _Leanest(order, least, least)
        widest = int(np.argmax(self.dag.in_degrees))
        joins = _open_before_joins(without_shortcuts(self.dag), self.sizes)
        floor = max(_held_before(self.dag, widest, self.sizes), joins)
        highest = least - 1
        for _ in range(TRIES):
            if floor > highest:
                break
            limit = (floor + highest) // 2
            try:
                found = memory.largest_area_order(self.dag, self.sizes, limit)
            except LimitError:
                self.too_many_sets = min(self.too_many_sets, limit)
                highest = limit - 1
                continue
            if found is None:
                floor = limit + 1
            else:
                order, least = found, peak(self.dag, found, self.sizes)
                highest = least - 1
        return _Leanest(order, least, floor)

    def within(self, limit: int) -> LimitedOrder[T]:
        """Return the best order found within *limit*; raises MemoryLimitError."""
        if self.plan.proof.is_ic_optimal and self.best.memory <= limit:
            return self._unchanged(limit)
        if limit >= self.too_many_sets:
            return self._found_within(limit)
        try:
            order = memory.largest_area_order(self.dag, self.sizes, limit)
        except LimitError:
            self.too_many_sets = limit
            return self._found_within(limit)
        if order is None:
            floor = max(self.leanest.floor, limit + 1)
            raise MemoryLimitError(limit, self.leanest.memory, floor, self.unit)
        return self._limited(order, limit, exact=True)

    def frontier(self) -> list[LimitedOrder[T]]:
        """Return the exact trade-off, largest area first; raises LimitError for a large dag."""
        order = memory.largest_area_order(self.dag, self.sizes)
        found = []
        while order is not None:
            found.append(self._limited(order, None, exact=True))
            if found[-1].memory == 0:
                break
            order = memory.largest_area_order(self.dag, self.sizes, found[-1].memory - 1)
        return found

    def _unchanged(self, limit: int) -> LimitedOrder[T]:
        """Return the order without a limit or, if it needs too much, the leaner `best`."""
        given = peak(self.dag, self.plan, self.sizes)
        if given <= limit:
            return LimitedOrder(limit, given, self.unit, self.best.exact, self.plan)
        return replace(self.best, limit=limit)

    def _found_within(self, limit: int) -> LimitedOrder[T]:
        found = [self._unchanged(limit)] if self.best.memory <= limit else []
        found += [self._pulled(base, limit) for base, memory in self.bases if memory <= limit]
        if not found:
            order, least, floor = self.leanest
            if least > limit:
                raise MemoryLimitError(limit, least, floor, self.unit)
            found = [self._pulled(order, limit)]
        largest = max(found, key=lambda limited: limited.area)  # ties are broken by position
        for _ in range(ROUNDS):
            again = self._pulled(largest.schedule.order, limit)
            if again.area <= largest.area:
                break
            largest = again
        return largest

    def _pulled(self, base: Ids, limit: int) -> LimitedOrder[T]:
        ranks = self.best.schedule.ranks
        rows = (self.dag.child_rows, self.dag.parent_rows)
        most = min(limit, 2**53)  # the most that the kernel takes; all sizes add up to less
        order = _native.pull_forward(*rows, base, ranks, self.sizes, most, PATIENCE)
        return self._limited(order, limit, exact=False)

    def _limited(self, order: Ids, limit: int | None, *, exact: bool) -> LimitedOrder[T]:
        """Return *order* with a plan, which keeps the proof only if the profile is the same."""
        plan = replace(self.plan, schedule=pebble.Schedule.trusted(self.dag, order))
        if not np.array_equal(plan.schedule.eligible, self.plan.schedule.eligible):
            plan = replace(plan, proof=UNPROVED)
        memory = peak(self.dag, plan, self.sizes)
        most = memory if limit is None else limit
        return LimitedOrder(most, memory, self.unit, exact, plan)
