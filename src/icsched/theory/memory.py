"""Orders of little memory: with the profile of a given order, or within a limit.

Memory is the size of the results of open tasks. On small dags icsched visits every possible set of
executed tasks. The referee visits only sets of nonsinks. This walk must also run sinks early,
because a sink may close its parents. Three facts safely reduce the number of sets:

- Tasks with the same parents and children may run by size, the smallest first. Sinks with the
  same parents may run by id.
- A sink must be tried only if eligible tasks alone can close one of its parents. Otherwise the sink
  may wait: this costs no memory, and each step of waiting leaves one more eligible task.
- Once only sinks are left they run by id, because memory then only shrinks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from icsched import _native, pebble
from icsched.arrays import Ids, Sizes, ranks_of
from icsched.dag import Dag, Graph, PerTask
from icsched.errors import LimitError
from icsched.pebble import Order, Profile
from icsched.pebble.residual import Residual


def lean_order(graph: Graph, order: Order, *, sizes: PerTask | None = None) -> Ids:
    """Return an order with the eligibility profile of *order* that needs no more memory.

    Memory is the largest number of open tasks, or of their bytes with *sizes*. On a small dag no
    order of that profile needs less. A dag is small if orders of the profile have up to 50,000
    moves between sets of executed tasks. On a larger dag pieces of *order* are exchanged if their
    steps enable the same counts. A piece is a stretch of the order: if it has one parent of a task,
    it has all of them. Returns *order* if this gains nothing. O((tasks + arcs) log tasks). Raises
    ScheduleError if *order* is not legal, ArgumentError if *sizes* are not one nonnegative integer
    per task.

    >>> from icsched.families import tree
    >>> by_level = range(15)
    >>> lean = lean_order(tree(3), by_level)
    >>> [pebble.Schedule(tree(3), order).peak_memory for order in (by_level, lean)]
    [8, 6]
    """
    left = Residual.of(graph)
    dag, schedule = left.dag, pebble.Schedule.of(left, order)
    weights = pebble.checked_sizes(dag, left.values("sizes", sizes))
    try:
        leanest = leanest_order(dag, weights, schedule.eligible)
    except LimitError:
        return left.ids(_with_pieces_moved(dag, schedule.order, weights))
    is_leaner = peak(dag, leanest, weights) < peak(dag, schedule, weights)
    return left.ids(leanest if is_leaner else schedule.order)


def peak(dag: Dag, order: Order, sizes: Sizes) -> int:
    """Return the memory that *order* needs."""
    return int(pebble.memory_profile(dag, order, sizes=sizes).max())


def depth_first_order(dag: Dag, sizes: Sizes) -> Ids:
    """Return a depth-first order, which needs least memory on trees, and little on other dags."""
    return _native.depth_first_order(dag.child_rows, dag.parent_rows, dag.fifo_order, sizes)


def _with_pieces_moved(dag: Dag, given: Ids, sizes: Sizes) -> Ids:
    """Move pieces twice: ties are broken by the given order, then by a depth-first order."""
    lean = given
    for guide in (given, depth_first_order(dag, sizes)):
        moved = _native.exchange_pieces(
            dag.child_rows, dag.parent_rows, lean, ranks_of(guide), sizes
        )
        lean = _leaner_stretches(dag, lean, moved, sizes)
    return lean


def _leaner_stretches(dag: Dag, given: Ids, moved: Ids, sizes: Sizes) -> Ids:
    """Cut both orders where they have executed the same tasks, and join the leaner stretches.

    The stretches do not depend on each other, so the result never needs more than *given*.
    """
    if not len(dag):
        return given
    reached = np.maximum.accumulate(ranks_of(given)[moved])
    meets = np.flatnonzero(reached == np.arange(len(dag)))
    starts = np.concatenate([[0], meets[:-1] + 1])
    heights = [
        np.maximum.reduceat(pebble.memory_profile(dag, order, sizes=sizes)[1:], starts)
        for order in (moved, given)
    ]
    is_leaner = np.repeat(heights[0] < heights[1], np.diff(starts, append=len(dag)))
    return np.where(is_leaner, moved, given)


MOST_MOVES = 50_000  # eligible tasks of all sets together: a fraction of a second
MOST_TASKS = 500


class _State(NamedTuple):  # not a dataclass, which takes twice as long to make
    """A set of executed tasks, and the best way to it; sets are ints with bit v for task v."""

    area: int
    peak: int
    memory: int
    eligible: int
    before: int
    task: int

    def beats(self, other: _State) -> bool:
        """Whether this way to the same set has a larger area, or the same area and a lower peak.

        Later steps add the same area to both ways, and need the same memory.
        """
        return (self.area, -self.peak) > (other.area, -other.peak)


def largest_area_order(dag: Dag, sizes: Sizes, limit: int | None = None) -> Ids | None:
    """Return the order of largest area within *limit*; ties are broken by least memory.

    Returns None if no order is within *limit*. Raises LimitError past MOST_MOVES.
    """
    return _Walk(dag, sizes, limit=limit).order()


def least_memory_order(dag: Dag, sizes: Sizes) -> Ids:
    """Return an order that needs the least memory of all; raises LimitError past MOST_MOVES."""
    order = _Walk(dag, sizes, counts_area=False).order()
    assert order is not None  # noqa: S101  without a limit there is one
    return order


def leanest_order(dag: Dag, sizes: Sizes, profile: Profile) -> Ids:
    """Return an order that needs the least memory of all orders with this *profile*.

    Raises LimitError past MOST_MOVES.
    """
    order = _Walk(dag, sizes, profile=profile).order()
    assert order is not None  # noqa: S101  some order has the profile
    return order


class _Walk:
    """The possible sets of executed tasks; sets of t tasks are made from sets of t - 1."""

    def __init__(
        self,
        dag: Dag,
        sizes: Sizes,
        *,
        limit: int | None = None,
        profile: Profile | None = None,
        counts_area: bool = True,
    ) -> None:
        if len(dag) > MOST_TASKS:
            raise LimitError(f"expected up to {MOST_TASKS:,} tasks, got {len(dag):,}")
        self.tasks = len(dag)
        self.limit = limit
        self.profile = None if profile is None else profile.tolist()
        self.counts_area = counts_area
        self.sizes = sizes.tolist()
        self.parents = [dag.parent_rows[task].tolist() for task in range(len(dag))]
        self.needed = [_set(parents) for parents in self.parents]
        self.children = [dag.child_rows[task].tolist() for task in range(len(dag))]
        self.wanting = [_set(children) for children in self.children]
        self.nonsinks = _set(dag.nonsinks.tolist())
        self.sources = _set(dag.sources.tolist())
        self.twin = [0] * self.tasks  # bit of the twin that runs just before each task, if any
        latest: dict[tuple[int, int], int] = {}
        for task in sorted(range(self.tasks), key=self._weight):
            kind = (self.needed[task], self.wanting[task])
            self.twin[task] = latest.get(kind, 0)
            latest[kind] = 1 << task

    def _weight(self, task: int) -> int:
        return self.sizes[task] if self.wanting[task] else 0

    def order(self) -> Ids | None:
        """Return the best order, or None if there is none."""
        layers = [{0: _State(0, 0, 0, self.sources, -1, -1)}]
        moves = 0
        for step in range(1, self.tasks + 1):
            layer: dict[int, _State] = {}
            for executed, state in layers[-1].items():
                moves += state.eligible.bit_count()
                if moves > MOST_MOVES:
                    raise LimitError(f"over {MOST_MOVES:,} moves from sets of executed tasks")
                for task in self._moves(executed, state.eligible):
                    self._offer(layer, step, executed, state, task)
            if not layer:
                return None
            layers.append(layer)
        order, executed = [], (1 << self.tasks) - 1
        for layer in reversed(layers[1:]):
            order.append(layer[executed].task)
            executed = layer[executed].before
        return np.array(order[::-1], np.int32)

    def _moves(self, executed: int, eligible: int) -> Iterator[int]:
        if self.profile is None and not self.nonsinks & ~executed:
            yield _first(eligible)
            return
        later = ~(executed | eligible)
        for task in _members(eligible):
            if self.twin[task] & ~executed:
                continue
            if (
                self.profile is not None
                or self.wanting[task]
                or any(not self.wanting[parent] & later for parent in self.parents[task])
            ):
                yield task

    def _offer(
        self, layer: dict[int, _State], step: int, before: int, state: _State, task: int
    ) -> None:
        executed = before | 1 << task
        eligible = state.eligible ^ 1 << task
        for child in self.children[task]:
            if not self.needed[child] & ~executed:
                eligible |= 1 << child
        if self.profile is not None and eligible.bit_count() != self.profile[step]:
            return
        memory = state.memory + self._weight(task)
        for parent in self.parents[task]:
            if not self.wanting[parent] & ~executed:
                memory -= self.sizes[parent]
        if self.limit is not None and memory > self.limit:
            return
        area = state.area + eligible.bit_count() if self.counts_area else 0
        reached = _State(area, max(state.peak, memory), memory, eligible, before, task)
        if executed not in layer or reached.beats(layer[executed]):
            layer[executed] = reached


def _set(tasks: list[int]) -> int:
    return sum(1 << task for task in tasks)


def _first(members: int) -> int:
    return (members & -members).bit_length() - 1


def _members(members: int) -> Iterator[int]:
    while members:
        yield _first(members)
        members &= members - 1
