"""The concave envelope: a bound on the tasks that any order enables, and its proof by shares.

A chain of nested legal sets divides the nonsinks into segments. A nonsource is enabled in the
segment of its last parent. In a segment of `size` tasks that enables `total`, each enabled task
distributes its gain times `size` among the tasks of the segment that it needs: its parents, and
their parents. If no task keeps more than `total`, then x tasks of the segment enable at most x *
total / size. `docs/certificates.md` proves this.

Sharing out is a maximum flow. If the flow hands out everything, the segment is final. If not, the
minimum cut divides the segment into two, the first of which enables more for each task (Sidney
1975). Each round puts all open segments through one flow of OR-tools.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, Mask
from icsched.dag import Dag
from icsched.errors import ArgumentError, LimitError
from icsched.theory.pieces import counting_groups
from icsched.theory.profiles import Allowance, Counts

# Arcs of all flows together, about ten seconds. Each arc counts as the binary digits of the dag's
# depth, because deep flows take longer.
MOST_CUT_ARCS = 15_000_000
Numbers = NDArray[np.int64]

_WIDEST = 1 << 62  # sizes times gains: all units of a flow fit int64


@dataclass(frozen=True, eq=False)
class Envelope:
    """Segments of nonsinks, first to run first, and the shares that bound their gains.

    `segment` has the segment of each task, -1 for sinks. `sizes` and `totals` have the number of
    tasks and the gain of each segment. `shares` has for each arc the share that the child gives to
    the parent. An enabled task gives away its gain times the size. A task keeps at most the total
    of its segment. `rest` is the part that could not be given away: 0, unless the work was limited.
    """

    segment: Ids
    shares: Counts
    sizes: Counts
    totals: Counts
    rest: Counts

    @cached_property
    def bound(self) -> Counts:
        """An upper bound of the gain of any 0, 1, 2, ... nonsinks, rounded down."""
        ends = np.cumsum(self.sizes)
        place = np.repeat(np.arange(len(ends)), self.sizes)
        steps = np.arange(1, len(place) + 1) - (ends - self.sizes)[place]
        before = (np.cumsum(self.totals) - self.totals)[place]
        slope = before + self.totals[place] * steps // self.sizes[place]
        jumps = np.sort(-(-self.rest // self.sizes))[::-1]
        extra = np.cumsum(np.pad(jumps, (0, len(place) - len(jumps))))
        most = np.minimum(slope + extra, self.totals.sum())
        return np.concatenate([np.zeros(1, np.int64), most]).astype(np.int64)


def envelope(dag: Dag, *, gains: Counts | None = None, arcs: Allowance | None = None) -> Envelope:
    """Return the concave envelope of the gains of sets of tasks of *dag*.

    *gains* has the weight of each nonsource, 1 by default. Once *arcs* are used up, segments are
    not divided any more, and their rests weaken the bound. Raises ArgumentError for gains that are
    negative, or whose sum times the number of nonsinks passes 2**62.

    >>> found = envelope(Dag({"a": [], "b": ["a"], "c": ["a"], "d": [], "e": ["d"]}))
    >>> found.bound.tolist(), found.segment.tolist()
    ([0, 2, 3], [0, -1, -1, 1, -1])
    """
    weights = _checked_gains(dag, gains)
    rounds = _Rounds(dag, weights, arcs or Allowance(MOST_CUT_ARCS))
    rounds.run()
    return rounds.result()


def _checked_gains(dag: Dag, gains: Counts | None) -> Counts:
    weights = np.ones(len(dag), np.int64) if gains is None else np.asarray(gains)
    if weights.shape != (len(dag),) or weights.dtype.kind not in "iu":
        raise ArgumentError(f"gains: expected {len(dag):,} whole numbers, one for each task")
    if len(weights) and int(weights.min()) < 0:
        raise ArgumentError(f"gains: expected 0 or more, got {int(weights.min())}")
    total = float(weights[dag.in_degrees > 0].sum(dtype=np.float64))
    if total * max(1, len(dag.nonsinks)) > _WIDEST:
        raise ArgumentError("gains: their sum times the number of tasks with children passes 2**62")
    return weights.astype(np.int64)


@dataclass(frozen=True, eq=False)
class _Open:
    """The open segments of a round: tasks, and arcs grouped by child.

    An arc is open if its parent is in the segment in which its child is enabled.
    """

    tasks: Ids
    parent: Ids
    child: Ids
    number: NDArray[np.int64]  # of each arc, in dag.arcs

    def part(self, tasks: Mask, arcs: Mask) -> _Open:
        return _Open(self.tasks[tasks], self.parent[arcs], self.child[arcs], self.number[arcs])


class _Rounds:
    """The segments while they are divided; the number of tasks before a segment identifies it."""

    def __init__(self, dag: Dag, weights: Counts, cuts: Allowance) -> None:
        self.dag, self.weights, self.cuts = dag, weights, cuts
        self.start = np.full(len(dag), -1, np.int64)
        self.start[dag.nonsinks] = 0
        self.shares = np.zeros(dag.arc_count, np.int64)
        self.digits = int(dag.levels.max(initial=1)).bit_length()
        self.place = np.zeros(len(dag), np.int64)  # of open tasks

    def run(self) -> None:
        number = np.argsort(self.dag.arcs[:, 1], kind="stable")
        arcs = self.dag.arcs[number]
        left = _Open(self.dag.nonsinks, arcs[:, 0].copy(), arcs[:, 1].copy(), number)
        if not self.cuts.take(len(number) * self.digits):
            self._share_evenly()
            return
        while len(left.tasks):
            left = self._cut(self._flat_ones(left))

    def _share_evenly(self) -> None:
        """Distribute shares evenly, without a flow; full tasks take only a part."""
        dag, size = self.dag, len(self.dag.nonsinks)
        total = int(self.weights[dag.in_degrees > 0].sum())
        parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
        shares = self.weights[children] * size // dag.in_degrees[children]
        handed = np.zeros(len(dag), np.int64)
        np.add.at(handed, parents, shares)
        part = np.minimum(1, total * (1 - 1e-9) / np.maximum(1, handed))
        self.shares[:] = np.floor(shares * part[parents]).astype(np.int64)

    def _flat_ones(self, left: _Open) -> _Open:
        """Finish segments where each enabled task needs one task: the largest loads run first."""
        view = _View(left, self)
        deep = view.degree > 1
        inner = self.start[view.enabled] == view.starts[view.home]
        flat = np.ones(len(view.starts), bool)
        flat[view.home[deep | inner]] = False
        if not flat.any():
            return left
        tasks, arcs = flat[view.segment_of_task], flat[view.segment_of_arc]
        self._finish_flat(left.part(tasks, arcs))
        return left.part(~tasks, ~arcs)

    def _finish_flat(self, flat: _Open) -> None:
        self.place[flat.tasks] = np.arange(len(flat.tasks))
        load = np.zeros(len(flat.tasks), np.int64)
        np.add.at(load, self.place[flat.parent], self.weights[flat.child])
        start = self.start[flat.tasks]
        order = np.lexsort((-load, start))
        old, load = start[order], load[order]
        new_segment = np.append(True, (np.diff(old) != 0) | (np.diff(load) != 0))
        firsts = np.flatnonzero(new_segment)
        sizes = np.diff(np.append(firsts, len(order)))
        lead = np.flatnonzero(np.append(True, np.diff(old) != 0))  # first of each old segment
        shift = np.arange(len(order)) - np.repeat(lead, np.diff(np.append(lead, len(order))))
        self.start[flat.tasks[order]] = np.repeat(old[firsts] + shift[firsts], sizes)
        size_of = np.empty(len(order), np.int64)
        size_of[order] = np.repeat(sizes, sizes)
        self.shares[flat.number] = self.weights[flat.child] * size_of[self.place[flat.parent]]

    def _cut(self, left: _Open) -> _Open:
        """Solve one flow for *left*; keep final segments and return the divided ones."""
        if not len(left.tasks):
            return left
        view = _View(left, self)
        flow = _Flow(view, self)
        rest = view.supply - flow.handed_out
        again = self._affordable(view, rest)
        self.shares[left.number] = flow.shares()
        return self._divided(left, view, flow, again)

    def _affordable(self, view: _View, rest: Counts) -> Mask:
        """Choose the segments to divide: all, or those with the largest gaps if work is limited."""
        again = np.zeros(len(rest), bool)
        wanting = np.flatnonzero(rest > 0)
        gaps = -(-rest[wanting] // view.sizes[wanting])
        wanting = wanting[np.argsort(-gaps, kind="stable")]
        arcs = np.bincount(view.segment_of_arc, minlength=len(rest))
        for place in wanting.tolist():
            again[place] = self.cuts.take(int(arcs[place]) * self.digits)
        return again

    def _divided(self, left: _Open, view: _View, flow: _Flow, again: Mask) -> _Open:
        first = flow.first_side()
        open_ = again[view.segment_of_task]
        earlier = np.bincount(view.segment_of_task[first], minlength=len(again))
        later = left.tasks[open_ & ~first]
        self.start[later] += earlier[view.segment_of_task[open_ & ~first]]
        last = np.maximum.reduceat(self.start[left.parent], view.groups)
        stays = self.start[left.parent] == np.repeat(last, view.degree)
        kept = again[view.segment_of_arc]
        self.shares[left.number[kept]] = 0
        return left.part(open_, kept & stays)

    def result(self) -> Envelope:
        dag = self.dag
        starts, number = np.unique(self.start[dag.nonsinks], return_inverse=True)
        segment = np.full(len(dag), -1, np.int32)
        segment[dag.nonsinks] = number
        sizes = np.bincount(number, minlength=len(starts)).astype(np.int64)
        totals = np.zeros(len(starts), np.int64)
        enabled = counting_groups(dag, segment)
        nonsources = dag.in_degrees > 0
        np.add.at(totals, enabled[nonsources], self.weights[nonsources])
        left = self._unshared(segment, enabled, sizes, totals)
        rest = np.zeros(len(starts), np.int64)
        np.add.at(rest, enabled[nonsources], left[nonsources])
        return Envelope(segment, self.shares, sizes, totals, rest)

    def _unshared(self, segment: Ids, enabled: Ids, sizes: Counts, totals: Counts) -> Counts:
        """Return the part that each task cannot give away, because no task may keep it."""
        dag = self.dag
        handed, passed, own = np.zeros((3, len(dag)), np.int64)
        np.add.at(handed, dag.arcs[:, 0], self.shares)
        np.add.at(passed, dag.arcs[:, 1], self.shares)
        own[enabled >= 0] = (self.weights * sizes[enabled])[enabled >= 0] if len(sizes) else 0
        inside = (enabled >= 0) & (segment == enabled)
        limit = totals[segment] if len(sizes) else own
        left: Counts = np.maximum(0, own - passed)
        left[inside] = np.maximum(left, handed + own - passed - limit)[inside]
        return left


class _View:
    """The open segments of a round, numbered from 0."""

    def __init__(self, left: _Open, rounds: _Rounds) -> None:
        start, weights = rounds.start, rounds.weights
        self.left = left
        self.starts, self.segment_of_task = np.unique(start[left.tasks], return_inverse=True)
        self.sizes = np.bincount(self.segment_of_task, minlength=len(self.starts)).astype(np.int64)
        rounds.place[left.tasks] = np.arange(len(left.tasks))
        self.parent = rounds.place[left.parent]  # places in left.tasks
        self.segment_of_arc = self.segment_of_task[self.parent]
        changes = np.flatnonzero(np.diff(left.child)) + 1
        self.groups = np.append(0, changes) if len(left.child) else changes
        self.degree = np.diff(np.append(self.groups, len(left.child)))
        self.enabled = left.child[self.groups]
        self.home = self.segment_of_arc[self.groups]  # the segment of each enabled task
        self.own = weights[self.enabled] * self.sizes[self.home]
        self.totals = np.zeros(len(self.starts), np.int64)
        np.add.at(self.totals, self.home, weights[self.enabled])
        self.supply = self.sizes * self.totals


class _Flow:
    """One maximum flow for all open segments.

    Nodes: the source, the sink, each task of a segment, and each enabled task with several
    parents in the segment. An enabled task with one such parent adds to what that parent gets
    from the source.
    """

    def __init__(self, view: _View, rounds: _Rounds) -> None:
        self.view, self.tasks = view, len(view.left.tasks)
        self.deep = view.degree > 1
        self.single, self.several = np.flatnonzero(~self.deep), np.flatnonzero(self.deep)
        self.deep_arc = np.repeat(self.deep, view.degree)
        self.inner = np.flatnonzero(rounds.start[view.enabled] == view.starts[view.home])
        self.direct = np.zeros(self.tasks, np.int64)  # from the source, through single parents
        np.add.at(self.direct, view.parent[view.groups[self.single]], view.own[self.single])
        self.given = np.flatnonzero(self.direct)
        columns = self._columns(2 + rounds.place[view.enabled[self.inner]])
        direct, own, _, self.up, self.through = self._solved(columns)
        self.direct_flow = np.zeros(self.tasks, np.int64)
        self.direct_flow[self.given] = direct
        self.handed_out = np.zeros(len(view.starts), np.int64)
        np.add.at(self.handed_out, view.segment_of_task[self.given], direct)
        np.add.at(self.handed_out, view.home[self.several], own)

    def _columns(self, inner_nodes: Numbers) -> list[tuple[Numbers, Numbers, Counts]]:
        """Return tails, heads and capacities: out of the source, into the sink, and between."""
        view, inner = self.view, self.inner
        node = np.full(len(view.degree), -1)  # of each enabled task with several parents
        node[self.several] = 2 + self.tasks + np.arange(len(self.several))
        above = np.where(self.deep[inner], node[inner], 2 + view.parent[view.groups[inner]])
        up = 2 + view.parent[self.deep_arc]
        wide = view.supply[view.segment_of_arc[self.deep_arc]]
        source, sink = np.zeros(1, int), np.ones(1, int)
        limits = view.totals[view.segment_of_task]
        return [
            (source.repeat(len(self.given)), 2 + self.given, self.direct[self.given]),
            (source.repeat(len(self.several)), node[self.several], view.own[self.several]),
            (2 + np.arange(self.tasks), sink.repeat(self.tasks), limits),
            (np.repeat(node, view.degree)[self.deep_arc], up, wide),
            (inner_nodes, above, view.supply[view.home[inner]]),
        ]

    def _solved(self, columns: list[tuple[Numbers, Numbers, Counts]]) -> list[Counts]:
        """Return the flow on the arcs of each of *columns*."""
        from ortools.graph.python.max_flow import (  # type: ignore[import-untyped]  # 50 ms
            SimpleMaxFlow,
        )

        self.solver = SimpleMaxFlow()
        tails, heads, capacities = (np.concatenate(column) for column in zip(*columns, strict=True))
        arcs = self.solver.add_arcs_with_capacity(tails, heads, capacities)
        if self.solver.solve(0, 1) != self.solver.OPTIMAL:
            raise LimitError(f"the maximum flow of {len(tails):,} arcs failed")
        ends = np.cumsum([len(column[0]) for column in columns])
        return np.split(self.solver.flows(arcs), ends[:-1])

    def first_side(self) -> Mask:
        """Return the tasks on the first side of the minimum cut."""
        nodes = np.asarray(self.solver.get_source_side_min_cut(), np.int64)
        side = np.zeros(max(2 + self.tasks, int(nodes.max(initial=0)) + 1), bool)
        side[nodes] = True
        return side[2 : 2 + self.tasks]

    def shares(self) -> Counts:
        """Return the share that the child of each open arc gives to its parent."""
        view = self.view
        shares = np.zeros(len(view.parent), np.int64)
        shares[self.deep_arc] = self.up
        single = view.groups[self.single]
        shares[single] = self._direct_shares(view.parent[single], view.own[self.single])
        plain = ~self.deep[self.inner]
        shares[view.groups[self.inner[plain]]] += self.through[plain]
        return shares

    def _direct_shares(self, parent: NDArray[np.int64], own: Counts) -> Counts:
        """Divide the flow that each task received from the source among its givers, in turn."""
        order = np.argsort(parent, kind="stable")
        before = np.cumsum(own[order]) - own[order]
        firsts = np.append(True, np.diff(parent[order]) != 0)[: len(order)]
        base = np.maximum.accumulate(np.where(firsts, before, 0))
        left = self.direct_flow[parent[order]] - (before - base)
        shares = np.empty(len(own), np.int64)
        shares[order] = np.clip(left, 0, own[order])
        return shares
