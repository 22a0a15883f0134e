"""Clusterers: the ways to choose the next cluster.

Each is a `NamedClusterer` in the table `CLUSTERERS`. The theorems are those of Cordasco, Rosenberg
and Sims 2011.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from math import inf

import numpy as np

from icsched.arrays import Rows
from icsched.dag import Dag, PerTask
from icsched.errors import ClusterError, LimitError
from icsched.orders import Plan, prioritize
from icsched.pebble import Order, Schedule, checked_sizes, verify
from icsched.pebble.residual import Residual
from icsched.serve.clusters.frontier import Frontier, Neighbourhood, Rest
from icsched.theory import Analysis, analyse
from icsched.theory.reticulation import is_universal_donor

VERIFY_SETS = 200_000  # the referee's limit for checking an order of the user's


class Clusterer(ABC):
    """Proposes sets of tasks to hand out; the server tells it what becomes of them.

    `name` is the name of the clusterer in `CLUSTERERS`.
    """

    def __init__(self, name: str, frontiers: Sequence[Frontier]) -> None:
        self.name = name
        self._frontiers = frontiers

    @abstractmethod
    def choose(self, size: int) -> list[int]:
        """Return the best self-contained set of at most *size* tasks."""

    def ready(self, tasks: Sequence[int]) -> None:
        """Note free tasks that wait for no parent."""
        for frontier in self._frontiers:
            frontier.add(tasks)

    def settle(self) -> None:
        """Forget the sets that were not taken."""
        for frontier in self._frontiers:
            frontier.settle()

    def took(self, tasks: Iterable[int]) -> None:  # noqa: B027  most need no note
        """Note tasks that were handed out."""

    def finished(self, tasks: Iterable[int]) -> None:  # noqa: B027
        """Note tasks that are done."""

    def lost(self, tasks: Iterable[int]) -> None:  # noqa: B027
        """Note tasks that were lost and can be handed out again."""


@dataclass(frozen=True, eq=False)
class Ground:
    """The input of a clusterer.

    `rest` is the state of `dag`, which the server updates. `order` is a legal order, and `proved`
    says whether it is known to be IC-optimal. `sizes` are the bytes of each task's result; None
    means that the cost of a set is the number of arcs it cuts. `has_own_order` says whether the
    order differs from the order of the dag's analysis.
    """

    dag: Dag
    rest: Rest
    order: Sequence[int]
    proved: bool
    sizes: Sequence[int] | None
    has_own_order: bool

    @classmethod
    def of(cls, left: Residual, order: Order | Plan | None, sizes: PerTask | None) -> Ground:
        """Check *order* and *sizes*; raises ClusterError for a plan of another dag."""
        dag, own = left.dag, left.values("sizes", sizes)
        checked = None if own is None else checked_sizes(dag, own).tolist()
        basis = prioritize(dag, "prio") if order is None else order
        if not isinstance(basis, Plan):
            ids = Schedule.of(left, basis).order
            proved, is_own = _is_ic_optimal(dag, ids), True
        elif basis.schedule.dag is dag or basis.schedule.dag == dag:
            ids, proved = basis.schedule.order, basis.proof.is_ic_optimal
            is_own = basis.ordered_by != "prio"
        else:
            got = f"one of another dag, {basis.schedule.dag}"
            raise ClusterError(f"order: expected a plan of {dag}, got {got}")
        return cls(dag, Rest(dag), ids.tolist(), proved, checked, has_own_order=is_own)

    @cached_property
    def analysis(self) -> Analysis:
        """The dag split into blocks; computed here if the order is the user's own."""
        return analyse(self.dag)


def _is_ic_optimal(dag: Dag, order: Order) -> bool:
    """Whether the referee, within its limit, proves *order* IC-optimal."""
    try:
        return verify(dag, order, limit=VERIFY_SETS).ic_optimal
    except LimitError:
        return False


@dataclass(frozen=True)
class NamedClusterer:
    """A clusterer in the table `CLUSTERERS`.

    `sentence` describes it in help and pages. `make` returns the clusterer of a server. `objection`
    says why the clusterer cannot be used with a dag, its analysis or its order; None means that it
    can be used.
    """

    name: str
    sentence: str
    make: Callable[[Ground], Clusterer]
    objection: Callable[[Ground], str | None] = lambda _: None


class Direct(Clusterer):
    """Takes the first tasks of an order.

    If the order is IC-optimal, the cluster is productive, and the rest of the order is IC-optimal
    for the residual (Theorem 3.1). The order of a linear composition follows the blocks of its
    chain, so Corollary 3.1 implies the same.
    """

    def __init__(self, ground: Ground) -> None:
        super().__init__("direct", [Frontier(ground.rest, ground.order)])

    def choose(self, size: int) -> list[int]:
        """Return the first *size* tasks, or fewer if no more can be taken."""
        return self._frontiers[0].grow(size) or []


DIRECT = NamedClusterer("direct", "the first tasks of the order", Direct)


# Arcs that each of the ways may visit in sets that are not taken: at first, and more for each task
# and arc that is handed out.
_FIRST_LOOKS = 100_000
_LOOKS = 16


class Lean(Clusterer):
    """Takes the cheapest of four sets, each grown in a different way.

    The four ways are: the tasks that open fewest arcs, a neighbourhood, depth first, and direct,
    which follows the order. So a lean cluster never costs more than a direct cluster in its place.
    The cost of a set is the bytes that it sends to other tasks, or the arcs that it cuts if sizes
    are unknown.

    A task with very many children could be visited again for every cluster, in sets that are never
    the cheapest. So each way has a budget of arcs to visit in sets that are not taken. A way
    without budget is skipped until more tasks have been handed out. If the direct way has no budget
    left, its set is taken.
    """

    def __init__(self, ground: Ground, name: str = "lean") -> None:
        dag, rest, order = ground.dag, ground.rest, ground.order
        deep = sink_by_sink_order(dag, order)
        super().__init__(
            name,
            [
                # First, because it takes tasks with very many children last. A set that is sure to
                # cost more is given up early, so the children of these tasks are rarely visited in
                # vain.
                Frontier(rest, deep, score=lambda task: rest.out_degree(task) - rest.missing[task]),
                Neighbourhood(rest, deep, dag.parent_rows),
                # From the other end, so that the sets differ much.
                Frontier(rest, sink_by_sink_order(dag, order[::-1])),
                Frontier(rest, order),
            ],
        )
        self._rest = rest
        self._sizes = ground.sizes
        self._looks = [_FIRST_LOOKS] * len(self._frontiers)

    def choose(self, size: int) -> list[int]:
        """Return the cheapest set, the last one on a tie; all sets have the same size."""
        best, way, least = list[int](), len(self._looks) - 1, inf
        asked = [i for i, looks in enumerate(self._looks) if looks >= 0]
        if way not in asked:  # take its set without counting the cost
            best, asked = self._frontiers[way].grow(size) or [], []
        for i in asked:
            tasks = self._frontiers[i].grow(size, least, self._sizes)
            if tasks is not None and (cost := self._cost(tasks)) <= least:
                best, least, way = tasks, cost, i
        for i in asked:
            if i != way:
                self._looks[i] -= self._frontiers[i].looked
        arcs = sum(map(self._rest.out_degree, best))
        self._looks = [looks + _LOOKS * (len(best) + arcs) for looks in self._looks]
        return best

    def _cost(self, tasks: Sequence[int]) -> int:
        if self._sizes is None:
            return self._rest.cut_arcs(tasks)
        return self._rest.cut_bytes(tasks, self._sizes)


def sink_by_sink_order(dag: Dag, order: Sequence[int]) -> list[int]:
    """Return an order that finishes the ancestors of one sink before it begins another sink.

    The sinks are in the order of *order*. Before each sink come its remaining ancestors, depth
    first. A prefix has whole subtrees of reductions and whole branches of expansions, so few arcs
    leave the prefix. O(tasks + arcs).

    >>> in_tree = Dag.from_arcs(7, [(0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6)])
    >>> sink_by_sink_order(in_tree, range(7))
    [0, 1, 4, 2, 3, 5, 6]
    """
    offsets, targets = dag.parent_rows.offsets.tolist(), dag.parent_rows.targets.tolist()
    begun, deep = bytearray(len(dag)), []
    out_degrees = dag.out_degrees.tolist()
    stack = [task for task in reversed(order) if not out_degrees[task]]
    while stack:
        task = stack[-1]
        if begun[task]:
            stack.pop()
            if begun[task] == 1:
                deep.append(task)
            begun[task] = 2
            continue
        begun[task] = 1
        stack += [p for p in targets[offsets[task] : offsets[task + 1]][::-1] if not begun[p]]
    return deep


def _no_donor(ground: Ground) -> str | None:
    if is_universal_donor(ground.analysis):
        return None
    expected = "expected W-, N- and C-dags, or M-dags, laid on each other source by source"
    return f"{expected}; this dag is not made of them"


LEAN = NamedClusterer("lean", "the cheapest set, for any dag", Lean)
DONOR = NamedClusterer(
    "donor",
    "the cheapest set, for dags of which every residual has an IC-optimal order",
    partial(Lean, name="donor"),
    _no_donor,
)


class Staggered(Clusterer):
    """Takes whole blocks, and skips others, if that cuts fewer arcs than the order does.

    The residual is then a chain of blocks again, so it has an IC-optimal order. Only the direct
    cluster takes a part of a block, and only of the first block left, because after a skip the
    lemma does not hold for parts. A block that was begun is finished before others are skipped.
    Sinks of the dag whose parents are in the cluster join it, because they enable nothing.
    """

    def __init__(self, ground: Ground) -> None:
        analysis = ground.analysis
        order = analysis.order.tolist()
        parts = analysis.parts
        rows = Rows(parts.blocks.nonsinks.offsets, analysis.orders.nonsinks)
        super().__init__("staggered", [Frontier(ground.rest, order)])
        self._rest = ground.rest
        self._offsets: list[int] = rows.offsets.tolist()
        self._nonsinks: list[int] = rows.targets.tolist()
        self._owner: list[int] = parts.owner.tolist()
        self._handed, self._done = [0] * len(parts), [0] * len(parts)
        place = np.zeros(len(order), np.int64)
        place[rows.targets] = np.arange(len(rows.targets))
        self._place: list[int] = place.tolist()  # positions of nonsinks in self._nonsinks
        self._kept = bytearray(b"\x01") * len(self._nonsinks)  # by position: 0 once handed out
        self._begun: set[int] = set()
        self._left = 0  # tasks left in blocks that were begun
        # Arcs that leave each block, minus the arcs that enter it from tasks not done. The last
        # entry is for tasks in no block, whose owner is -1.
        opens = self._rest.opened()[self._nonsinks]
        ends = np.concatenate([[0], np.cumsum(opens)])[self._offsets]
        self._opens: list[int] = [*np.diff(ends).tolist(), 0]
        self._blocks = Rest(analysis.superdag)
        sizes = [self._size(block) for block in range(len(parts))]
        deep = sink_by_sink_order(analysis.superdag, analysis.sequence.tolist())
        self._by_block = [
            Frontier(self._blocks, deep, sizes=sizes),
            Frontier(self._blocks, deep, score=self._opens.__getitem__, sizes=sizes),
        ]

    def _size(self, block: int) -> int:
        return self._offsets[block + 1] - self._offsets[block]

    def choose(self, size: int) -> list[int]:
        """Return the direct set, or a set of whole blocks of the same size that cuts fewer arcs."""
        best = self._frontiers[0].grow(size) or []
        if self._left >= size:
            return best
        head = [task for block in sorted(self._begun) for task in self._free_tasks(block)]
        if not self._rest.is_self_contained(head):
            return best
        for frontier in self._by_block:
            blocks = frontier.grow(size - len(head)) or []
            whole = (self._nonsinks[slice(*self._offsets[block : block + 2])] for block in blocks)
            tasks = [*head, *chain.from_iterable(whole)]
            inside = self._rest.parents_inside(tasks)
            enabled = (task for task, n in inside.items() if n == self._rest.missing[task])
            sinks = sorted(task for task in enabled if self._owner[task] < 0)
            tasks += sinks[: size - len(tasks)]
            if len(tasks) == len(best) and self._rest.cut_arcs(tasks) < self._rest.cut_arcs(best):
                best = tasks
        return best

    def _free_tasks(self, block: int) -> Iterator[int]:
        """Yield the free tasks of *block*; a search in bytes is fast for a wide block."""
        end = self._offsets[block + 1]
        place = self._kept.find(1, self._offsets[block], end)
        while place >= 0:
            yield self._nonsinks[place]
            place = self._kept.find(1, place + 1, end)

    def took(self, tasks: Iterable[int]) -> None:
        """Note tasks that were handed out."""
        for task in tasks:
            if (block := self._owner[task]) >= 0:
                self._kept[self._place[task]] = 0
                self._count_handed(block, 1)
                if self._blocks.free[block]:
                    self._blocks.take((block,))

    def lost(self, tasks: Iterable[int]) -> None:
        """Note tasks that were lost and can be handed out again."""
        for task in tasks:
            if (block := self._owner[task]) >= 0:
                self._kept[self._place[task]] = 1
                self._count_handed(block, -1)
                if not self._handed[block]:
                    self._add(self._blocks.give_back([block]))

    def finished(self, tasks: Iterable[int]) -> None:
        """Note tasks that are done."""
        done, opens, owner = list(tasks), self._opens, self._owner
        for child in chain.from_iterable(map(self._rest.children, done)):
            opens[owner[child]] += 1
        for task in done:
            if (block := self._owner[task]) >= 0:
                self._done[block] += 1
                if self._done[block] == self._size(block):
                    self._add(self._blocks.finish([block]))

    def _count_handed(self, block: int, change: int) -> None:
        """Add *change* to the tasks of *block* that are handed out; note whether it was begun."""
        size, before = self._size(block), self._handed[block]
        handed = self._handed[block] = before + change
        if 0 < before < size:
            self._left -= size - before
        if 0 < handed < size:
            self._left += size - handed
            self._begun.add(block)
        else:
            self._begun.discard(block)

    def _add(self, blocks: list[int]) -> None:
        for frontier in self._by_block:
            frontier.add(blocks)

    def settle(self) -> None:
        """Forget the sets that were not taken."""
        super().settle()
        for frontier in self._by_block:
            frontier.settle()


def _not_linear(ground: Ground) -> str | None:
    if ground.has_own_order:
        return "it goes by blocks and cannot be used with an order"
    if ground.analysis.is_linear:
        return None
    return "expected blocks each with priority over the next, which this dag does not consist of"


STAGGERED = NamedClusterer(
    "staggered",
    "whole blocks where that cuts fewer arcs, for linear compositions",
    Staggered,
    _not_linear,
)
