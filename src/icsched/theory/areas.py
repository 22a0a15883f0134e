"""Orders with a large area: the sum over all steps of the gains of eligible tasks.

The area falls by a task's gain with each step before the task is enabled. So the largest area is
the least sum of weighted completion times of one machine with precedences. Sidney 1975 cuts the dag
into segments (those of `envelope`) that some best order runs one after the other. In a segment,
parts in series follow one another, and orders of components merge by the slopes of their concave
hulls. On series-parallel dags this is the rule of Lawler 1978. These rules keep the largest area. A
part that cannot be cut is solved exactly if it is small. Otherwise the closure rule orders it, and
exchanges (small changes that enlarge the area) improve the order. The work is limited by counts,
never by a clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched import pebble
from icsched.arrays import Floats, Ids, ids_where, ranks_of
from icsched.dag import Dag
from icsched.errors import LimitError
from icsched.theory.envelopes import envelope
from icsched.theory.pieces import Pieces, component_groups, series_parts, sum_pieces
from icsched.theory.profiles import Allowance, Counts
from icsched.theory.recursion import PART_SETS, QUICK, bounded_order

MOST_ROUNDS = 50  # rounds of exchanges
EXCHANGE_LOOKS = 100_000  # arcs to visit: some tenths of a second


def last_parents(dag: Dag, order: Ids) -> Counts:
    """Return the place in *order* of the last parent of each task; -1 for sources."""
    place = np.full(len(dag), len(order), np.int64)
    place[order] = np.arange(len(order))
    last = np.full(len(dag), -1, np.int64)
    np.maximum.at(last, dag.arcs[:, 1], place[dag.arcs[:, 0]])
    return last


def step_gains(dag: Dag, order: Ids, gains: Counts) -> Counts:
    """Return the gain that each step of *order* enables, by *gains*.

    >>> step_gains(Dag({"a": [], "b": ["a"], "c": ["a"]}), np.array([0]), np.ones(3, int)).tolist()
    [2]
    """
    last = last_parents(dag, order)
    counted = last >= 0
    enabled = np.zeros(len(order), np.int64)
    np.add.at(enabled, last[counted], gains[counted])
    return enabled


def area_of(dag: Dag, order: Ids, gains: Counts) -> int:
    """Return the sum over all steps of the gains that *order* (all nonsinks) has enabled so far."""
    return int(np.cumsum(step_gains(dag, order, gains)).sum())


def improved(dag: Dag, order: Ids, gains: Counts, looks: Allowance | None = None) -> Ids:
    """Return an order with the area of *order* or more; *order* has exactly the nonsinks.

    Each round delays tasks that may wait. While *looks* are left, the round then exchanges
    neighbouring stretches.
    """
    looks = looks or Allowance(EXCHANGE_LOOKS)
    best, most = order, area_of(dag, order, gains)
    for _ in range(MOST_ROUNDS):
        found = _delayed(dag, best)
        if looks.left > 0:
            found = _Stretches(dag, found, gains, looks).exchanged()
        area = area_of(dag, found, gains)
        if area <= most:
            break
        best, most = found, area
    return best


def _delayed(dag: Dag, order: Ids) -> Ids:
    """Run each task just in time for the first of its children that has no later parent.

    No child is enabled later: all its parents still come before or at the old place of its last
    parent.
    """
    last = last_parents(dag, order)
    deadline = np.full(len(dag), len(dag), np.int64)
    np.minimum.at(deadline, dag.arcs[:, 0], last[dag.arcs[:, 1]])
    return order[np.lexsort((np.arange(len(order)), deadline[order]))]


class _Stretches:
    """The stretches of an order that end with a step that enables something.

    Suppose that a stretch of a tasks with gain g is followed by a stretch of b tasks, which alone
    has gain h. Then their exchange adds a * h - b * g to the area.
    """

    def __init__(self, dag: Dag, order: Ids, gains: Counts, looks: Allowance) -> None:
        self._dag, self._gains, self._looks = dag, gains, looks
        ends = np.flatnonzero(step_gains(dag, order, gains)) + 1
        self._stretches = [stretch.tolist() for stretch in np.split(order, ends) if len(stretch)]
        last = last_parents(dag, order)
        self._enabler = np.where(last >= 0, np.searchsorted(ends, last, side="right"), -1).tolist()
        self._gained = step_gains(dag, order, gains)[ends - 1].tolist()
        self._gained += [0] * (len(self._stretches) - len(ends))

    def exchanged(self) -> Ids:
        """Move each stretch ahead of others while this enlarges the area."""
        done: list[int] = []
        for stretch in range(len(self._stretches)):
            at = len(done)
            while at and self._looks.left > 0 and self._passes(stretch, done[at - 1]):
                at -= 1
            done.insert(at, stretch)
        order = [task for stretch in done for task in self._stretches[stretch]]
        return np.array(order, np.int32)

    def _passes(self, stretch: int, before: int) -> bool:
        """Whether *stretch* is better ahead of *before*; if so, update the gains."""
        first = set(self._stretches[before])
        both = self._shared(stretch, first)
        if both is None:
            return False
        shared = sum(int(self._gains[child]) for child in both)
        alone = self._gained[stretch] - shared
        if len(first) * alone <= len(self._stretches[stretch]) * self._gained[before]:
            return False
        self._gained[stretch] = alone
        self._gained[before] += shared
        for child in both:
            self._enabler[child] = before
        return True

    def _shared(self, stretch: int, first: set[int]) -> list[int] | None:
        """Return the tasks that *stretch* enables only after *first*.

        Returns None if *stretch* cannot run before *first*.
        """
        enabled: set[int] = set()
        for task in self._stretches[stretch]:
            children = self._dag.child_rows[task].tolist()
            parents = self._dag.parent_rows[task].tolist()
            self._looks.left -= len(parents) + len(children) + 1
            if not first.isdisjoint(parents):
                return None
            enabled.update(child for child in children if self._enabler[child] == stretch)
        both = []
        for child in sorted(enabled):
            parents = self._dag.parent_rows[child].tolist()
            self._looks.left -= len(parents)
            if not first.isdisjoint(parents):
                both.append(child)
        return both


MOST_DEPTH = 60  # parts deeper than this are not cut
CUT_ARCS = 3_000_000  # arcs as `envelope` counts them: some seconds
MOST_LOOKS = 8_000_000  # tasks and arcs of parts to visit
PART_LOOKS = 500  # fixed cost of a part
MOST_SETS = 2_000_000  # for all parts together
MOST_ATTEMPTS = 5  # to prove the order of a part that is too large for the referee
MOST_COPIES = 20_000  # most tasks of a proof for gains other than 1
MOST_CELLS = 100_000_000  # that the closure rule may fill


@dataclass(frozen=True, eq=False)
class LargeArea:
    """An order with a large area; `is_largest` says that this is proved to be the largest."""

    order: Ids
    is_largest: bool


def large_area(dag: Dag, gains: Counts | None = None) -> LargeArea:
    """Return an order of *dag*, which has no shortcuts, with a large area; sinks come last.

    *gains* has the weight of each task while it is eligible, 1 by default. Raises ArgumentError for
    gains that `envelope` refuses.

    >>> found = large_area(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]}))
    >>> found.order.tolist(), found.is_largest
    ([2, 0, 1, 3, 4], True)
    """
    weights = np.ones(len(dag), np.int64) if gains is None else gains.astype(np.int64)
    cutting = _Cutting()
    order = np.append(cutting.nonsinks(dag, weights), dag.sinks)
    return LargeArea(order, cutting.is_exact)


class _Cutting:
    """Cuts dags into parts, and orders the parts, while there is work left."""

    def __init__(self) -> None:
        self.is_exact = True
        self._sets, self._parts, self._attempts = MOST_SETS, MOST_LOOKS, MOST_ATTEMPTS
        self._cells, self._cuts = Allowance(MOST_CELLS), Allowance(CUT_ARCS)
        self._looks = Allowance(EXCHANGE_LOOKS)
        self._found: dict[tuple[int, bytes, bytes], Ids] = {}

    def nonsinks(self, dag: Dag, gains: Counts, depth: int = 0) -> Ids:
        """Return the nonsinks of *dag*, first to run first; equal parts are ordered once."""
        if not dag.arc_count:
            return np.empty(0, np.int32)
        key = len(dag), dag.arcs.tobytes(), np.where(dag.in_degrees > 0, gains, 0).tobytes()
        if key not in self._found:
            self._found[key] = self._ordered(dag, gains, depth)
        return self._found[key]

    def _ordered(self, dag: Dag, gains: Counts, depth: int) -> Ids:
        self._parts -= len(dag) + dag.arc_count + PART_LOOKS if depth else 0
        if depth > MOST_DEPTH or self._parts < 0:
            self.is_exact = False
            return _nonsinks(dag)
        if (parts := series_parts(dag)) is not None:
            tasks = self._one_by_one(parts, gains, depth, series=True)
            return tasks[dag.out_degrees[tasks] > 0]
        groups = component_groups(dag)
        if (dag.in_degrees + dag.out_degrees == 0).any() or len(np.unique(groups)) > 2:
            return self._merged(sum_pieces(dag, groups), gains, depth)
        segments = envelope(dag, gains=gains, arcs=self._cuts)
        if len(segments.sizes) > 1:
            parts = sum_pieces(dag, segments.segment)
            return self._one_by_one(parts, gains, depth, series=False)
        return self._uncut(dag, gains)

    def _runs(
        self, parts: list[Pieces], gains: Counts, depth: int, *, series: bool
    ) -> Iterator[tuple[Pieces, NDArray[np.int64], Ids, Counts]]:
        """Yield groups of equal parts with equal gains: rows, order and gains."""
        for pieces in parts:
            counted = pieces.dag.in_degrees > 0
            for rows in _alike(np.where(counted, gains[pieces.tasks], 0)):
                own = gains[pieces.tasks[rows[0]]]
                order = self.nonsinks(pieces.dag, own, depth + 1)
                sinks = pieces.dag.sinks
                last = sinks if series else sinks[sinks < pieces.runs]
                yield pieces, rows, np.append(order, last), own

    def _one_by_one(self, parts: list[Pieces], gains: Counts, depth: int, *, series: bool) -> Ids:
        """Order parts that run one after the other."""
        slots: list[Ids] = [np.empty(0, np.int32)] * sum(len(p.places) for p in parts)
        for pieces, rows, run, _ in self._runs(parts, gains, depth, series=series):
            for place, tasks in zip(pieces.places[rows].tolist(), pieces.tasks[rows], strict=True):
                slots[place] = tasks[run]
        return np.concatenate(slots)

    def _merged(self, parts: list[Pieces], gains: Counts, depth: int) -> Ids:
        """Order components side by side, by the slopes of the hulls of their profiles."""
        tasks, slopes, owners = [], [], []
        for pieces, rows, run, own in self._runs(parts, gains, depth, series=False):
            tasks.append(pieces.tasks[rows][:, run].ravel())
            slope = hull_slopes(step_gains(pieces.dag, run, own))
            slopes.append(np.tile(slope, len(rows)))
            owners.append(np.repeat(pieces.places[rows], len(run)))
        order = np.lexsort((np.concatenate(owners), -np.concatenate(slopes)))
        return np.concatenate(tasks)[order].astype(np.int32)

    def _uncut(self, dag: Dag, gains: Counts) -> Ids:
        """Order a part that cannot be cut: exactly, or by the best rule."""
        proved, found = self._solved(_with_copies(dag, gains))
        if proved:
            return found[0]
        self.is_exact = False
        if self._cells.take(len(dag) ** 2 * len(dag.nonsinks)):
            found.append(by_closures(dag, gains))
        found = [improved(dag, order, gains, self._looks) for order in found or [_nonsinks(dag)]]
        return max(found, key=lambda order: area_of(dag, order, gains))

    def _solved(self, dag: Dag | None) -> tuple[bool, list[Ids]]:
        """Return the order of largest area of a part, or some good order, within the work left."""
        if dag is None:
            return False, []
        if len(dag.nonsinks) <= 60 and self._sets:
            limit = min(PART_SETS, self._sets)
            self._sets -= min(limit, 2 ** len(dag.nonsinks))
            try:
                return True, [pebble.maximum_area_order(dag, limit=limit)[: len(dag.nonsinks)]]
            except LimitError:
                pass
        if not self._attempts or len(dag) > MOST_COPIES:
            return False, []
        self._attempts -= 1
        bounded = bounded_order(dag, QUICK)
        return bounded.is_met, [bounded.order]


def _alike(gains: Counts) -> list[NDArray[np.int64]]:
    """Return the numbers of equal rows, the first rows first."""
    found: dict[bytes, list[int]] = {}
    if len(gains) and (gains == gains[0]).all():
        return [np.arange(len(gains))]
    for number, row in enumerate(gains):
        found.setdefault(row.tobytes(), []).append(number)
    return [np.array(rows) for rows in found.values()]


def _nonsinks(dag: Dag) -> Ids:
    order = dag.fifo_order
    return order[dag.out_degrees[order] > 0]


def _with_copies(dag: Dag, gains: Counts) -> Dag | None:
    """Return *dag* with further sinks beside each task, so that all gains are 1; None if large.

    A task of gain 3 gets two copies with the same parents. The nonsinks stay the same.
    """
    counted = dag.in_degrees > 0
    if (gains[counted] == 1).all():
        return dag
    if (gains[counted] < 1).any() or int(gains[counted].max()) * len(dag) > MOST_COPIES:
        return None
    of = np.repeat(ids_where(counted), gains[counted] - 1)
    numbers = np.repeat(len(dag) + np.arange(len(of)), dag.in_degrees[of])
    copies = np.column_stack([dag.parent_rows.take(of), numbers])
    return Dag.from_arcs(len(dag) + len(of), np.concatenate([dag.arcs, copies]))


def hull_slopes(gains: Counts) -> Floats:
    """Return the slope of the concave hull of a profile at each of its steps.

    >>> hull_slopes(np.array([0, 4, 1, 2])).tolist()
    [2.0, 2.0, 1.5, 1.5]
    """
    hulls: list[tuple[int, int]] = []  # gain and steps of each straight piece
    for gain in gains.tolist():
        whole, steps = gain, 1
        while hulls and hulls[-1][0] * steps <= whole * hulls[-1][1]:
            before = hulls.pop()
            whole, steps = whole + before[0], steps + before[1]
        hulls.append((whole, steps))
    return np.repeat([whole / steps for whole, steps in hulls], [steps for _, steps in hulls])


def by_closures(dag: Dag, gains: Counts) -> Ids:
    """Order the nonsinks by closures of single tasks: the best closure is taken again and again.

    The closure of a task has its ancestors that have not run. The best closure has the largest gain
    per task. O(tasks^2 * nonsinks) time, O(tasks^2) memory.

    >>> pair_and_fork = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    >>> by_closures(pair_and_fork, np.ones(5, int)).tolist()
    [2, 0]
    """
    place = np.full(len(dag), -1)
    place[dag.nonsinks] = np.arange(len(dag.nonsinks))
    needs = np.zeros((len(dag), len(dag.nonsinks)), np.float32)  # nonsinks that each task needs
    for task in dag.fifo_order.tolist():
        parents = dag.parent_rows[task]
        if len(parents):
            needs[task] = needs[parents].max(axis=0)
            needs[task, place[parents]] = 1
    targets = np.flatnonzero(dag.in_degrees > 0)
    weights, needs = gains[targets].astype(np.float64), needs[targets]
    column = np.arange(len(dag.nonsinks))
    by_level = ranks_of(dag.fifo_order)[dag.nonsinks]
    order: list[int] = []
    common = needs @ needs.T  # number of tasks in both of two closures
    while len(needs):
        cost = common.diagonal()
        gain = (common == cost) @ weights  # a closure enables the targets whose closures it has
        best = int(np.argmax(gain / cost))
        run = column[needs[best] > 0]
        order += run[np.argsort(by_level[run])].tolist()
        common = common - needs[:, run] @ needs[:, run].T
        needs[:, run] = 0
        left = common.diagonal() > 0
        needs, weights, common = needs[left], weights[left], common[np.ix_(left, left)]
    return dag.nonsinks[order]
