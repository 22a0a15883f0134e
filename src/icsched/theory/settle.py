"""One recursion that finds a bound for a dag, and an order that meets the bound if it can.

The recursion takes a dag apart in every way that keeps a bound true: into a series of parts, into
pieces side by side, into its dual. An order that meets the bound at every step is IC-optimal, and
the steps are the proof. The work is limited by counts, never by a clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from icsched import pebble
from icsched.arrays import Ids, Rows
from icsched.dag import Dag
from icsched.errors import LimitError
from icsched.theory.analysis import EXACT_NONSINKS, Analysis, analyse_reduced
from icsched.theory.blocks import Kind
from icsched.theory.clock import Clock
from icsched.theory.duality import dual_order
from icsched.theory.envelope import Envelope, envelope
from icsched.theory.envelope import Work as CutWork
from icsched.theory.known import Known
from icsched.theory.merging import merged_order
from icsched.theory.profiles import (
    NOTHING,
    Work,
    in_series,
    series_gains,
    total,
    tree_bound,
    turned,
)
from icsched.theory.reduction import shortcuts, without_shortcuts
from icsched.theory.settled import (
    Blocks,
    Copies,
    Counts,
    Dual,
    Exact,
    Part,
    Series,
    Settled,
    Shares,
    Sum,
    Tree,
    Without,
)
from icsched.theory.splits import (
    Pieces,
    component_groups,
    series_parts,
    star_pieces,
    sum_pieces,
)

# Sets that the referee may visit for one part, and looks at parents for each set.
PART_SETS = 100_000
USUAL_LOOKS = 512
# What a part costs besides its tasks and arcs, in looks.
PART_LOOKS = 300
MORE_LOOKS = 40_000
# Parts of up to this many nonsinks are cut in all ways.
FEW_NONSINKS = 12
# A chain of pieces deeper than this is not taken apart further.
MOST_DEPTH = 40


@dataclass(frozen=True)
class Effort:
    """How much work the recursion may do.

    `cells` limits the tables of profiles, `sets` the sets that the referee visits, `looks` the
    tasks and arcs of all parts together, `cut_arcs` the arcs of a part whose envelope is computed.
    Larger dags get more looks, up to `MORE_LOOKS`.
    """

    cells: int
    sets: int
    looks: int
    cut_arcs: int = 0


QUICK = Effort(cells=20_000_000, sets=400_000, looks=10_000)
FULL = Effort(cells=2_000_000_000, sets=2_000_000, looks=20_000_000, cut_arcs=15_000_000)


def settle(dag: Dag, effort: Effort) -> Settled:
    """Return what is known of *dag* after some *effort*.

    >>> fork_and_pair = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    >>> settled = settle(fork_and_pair, QUICK)
    >>> settled.order.tolist(), settled.bound.tolist(), settled.is_met
    ([2, 0], [0, 2, 3], True)
    """
    dropped = shortcuts(dag)
    if not len(dropped):
        return settle_reduced(dag, effort)
    settled = settle_reduced(without_shortcuts(dag), effort)
    step = Without(dropped, settled)
    return Settled(dag, settled.order, settled.reached, settled.bound, step)


def settle_reduced(dag: Dag, effort: Effort, *, analysis: Analysis | None = None) -> Settled:
    """Return what is known of a dag without shortcuts; *analysis* is the dag's own, if known."""
    more = min(2 * (len(dag) + dag.arc_count), MORE_LOOKS)
    return _Settling(replace(effort, looks=effort.looks + more)).settled(dag, analysis=analysis)


class _Settling:
    """Settles parts until the work is done, or all effort spent."""

    def __init__(self, effort: Effort) -> None:
        self._effort = effort
        self._work = Work(effort.cells, effort.sets, effort.looks)
        self._found: dict[tuple[int, bytes], Settled] = {}

    def settled(
        self, dag: Dag, depth: int = 0, *, may_turn: bool = True, analysis: Analysis | None = None
    ) -> Settled:
        """Return what is known of *dag*; equal dags are settled once."""
        if not dag.arc_count:
            return Settled(dag, np.empty(0, np.int32), NOTHING, NOTHING, Sum(()))
        key = (len(dag) if may_turn else -len(dag), dag.arcs.tobytes())
        if key not in self._found:
            self._found[key] = self._settle(dag, depth, may_turn, analysis)
        return self._found[key]

    def _settle(self, dag: Dag, depth: int, may_turn: bool, analysis: Analysis | None) -> Settled:
        known = Known(dag)
        size = len(dag) + dag.arc_count + PART_LOOKS
        if depth > MOST_DEPTH or (depth > 0 and not self._work.look(size)):
            self._stars(known)
            return known.settled()
        analysis = analysis or self._analysis(dag)
        known.offer(analysis.order)
        if analysis.is_proved_by_blocks:
            self._blocks(known, analysis)
            if known.is_met or (known.has_bound and not analysis.superdag.arc_count):
                return known.settled()
        if (parts := series_parts(dag)) is not None:
            return self._series(dag, parts, depth)
        groups = component_groups(dag)
        if len(np.unique(groups[groups >= 0])) > 1 or (dag.in_degrees + dag.out_degrees == 0).any():
            self._sum(known, groups, depth)
        else:
            self._connected(known, analysis, depth, may_turn)
        if not known.has_bound:
            self._stars(known)
        return known.settled()

    def _analysis(self, dag: Dag) -> Analysis:
        """Take *dag* apart into blocks; the referee may help with small blocks."""
        sets = min(PART_SETS, self._work.sets)
        analysis = analyse_reduced(dag, "eligible", Clock(), exact_sets=sets)
        if sets:
            by_referee = analysis.orders.kind >= Kind.EXACT
            sizes = analysis.parts.blocks.nonsinks.sizes[by_referee]
            used = np.minimum(2.0 ** sizes[sizes <= EXACT_NONSINKS], sets).sum()
            self._work.sets = max(0, self._work.sets - int(used))
        return analysis

    def _connected(self, known: Known, analysis: Analysis, depth: int, may_turn: bool) -> None:
        """Try what is left for a dag that is neither a series nor a sum."""
        self._tree(known)
        if not known.is_met and may_turn:
            self._dual(known, depth)
        if not known.is_met and len(analysis.parts) > 1 and not analysis.is_proved_by_blocks:
            self._sum(known, analysis.parts.owner, depth)
        if not known.is_met:
            self._exact(known)
        if not known.is_met:
            self._segments(known, depth)
        if not known.is_met:
            self._shares(known, depth)
        if not known.is_met:
            self._prefixes(known, depth)
        if not known.is_met:
            self._fewer_arcs(known, depth)

    def _series(self, dag: Dag, classes: list[Pieces], depth: int) -> Settled:
        """Settle the parts of a series, equal ones once."""
        count = sum(len(pieces.places) for pieces in classes)
        parts: list[Part] = [None] * count  # type: ignore[list-item]
        orders: list[Ids] = [None] * count  # type: ignore[list-item]
        bounds: list[Counts] = [None] * count  # type: ignore[list-item]
        reached: list[Counts] = [None] * count  # type: ignore[list-item]
        for pieces in classes:
            settled = self.settled(pieces.dag, depth + 1)
            ends = len(pieces.dag.sinks), len(pieces.dag.sources)
            bound = series_gains(settled.bound, *ends)
            reach = series_gains(settled.reached, *ends)
            order = pieces.tasks[:, np.append(settled.order, pieces.dag.sinks)]
            for row, place in enumerate(pieces.places.tolist()):
                parts[place] = Part(pieces.tasks[row], settled)
                orders[place], bounds[place], reached[place] = order[row], bound, reach
        s = len(dag.nonsinks)
        step = Series(tuple(parts))
        order = np.concatenate(orders)[:s]
        return Settled(dag, order, in_series(reached, s), in_series(bounds, s), step)

    def _sum(self, known: Known, group: Ids, depth: int) -> None:
        """Settle a piece for each group of nonsinks; no arc may lead to a smaller group."""
        classes = sum_pieces(known.dag, group)
        if (
            len(classes) == 1
            and len(classes[0].places) == 1
            and len(classes[0].dag) == len(known.dag)
            and classes[0].dag.arc_count == known.dag.arc_count
        ):
            return  # the whole dag again
        copies = tuple(self._copies(pieces, depth) for pieces in classes)
        bound = total(((c.settled.bound, len(c.tasks)) for c in copies), self._work)
        if bound is not None:
            known.bounded(bound, Sum(copies))
        if self._affords(known.dag) or all(c.settled.is_met for c in copies):
            known.offer(_merged(known.dag, copies))

    def _copies(self, pieces: Pieces, depth: int) -> Copies:
        settled = self.settled(pieces.dag, depth + 1)
        counts = pieces.tasks[:, pieces.dag.in_degrees > 0]
        return Copies(pieces.tasks[:, : pieces.runs], counts, pieces.tasks, settled)

    def _blocks(self, known: Known, analysis: Analysis) -> None:
        """Use that all blocks have IC-optimal orders and all arcs lie inside blocks."""
        kinds = np.unique(analysis.orders.alike, return_inverse=True)[1].astype(np.int32)
        profiles = _block_profiles(analysis)
        pairs = zip(profiles, np.bincount(kinds).tolist(), strict=True)
        bound = total(pairs, self._work)
        if bound is None:
            return
        known.bounded(bound, Blocks(analysis))
        if not known.is_met:
            rows = Rows(analysis.parts.blocks.nonsinks.offsets, analysis.orders.nonsinks)
            known.offer(merged_order(known.dag, rows, kinds, [np.diff(p) for p in profiles]))

    def _tree(self, known: Known) -> None:
        """Solve a bipartite tree exactly."""
        if not self._work.take(len(known.dag.nonsinks) ** 2):
            return
        if (bound := tree_bound(known.dag)) is not None:
            known.bounded(bound, Tree())

    def _exact(self, known: Known) -> None:
        """Ask the referee about a small part."""
        dag, s = known.dag, len(known.dag.nonsinks)
        limit = min(PART_SETS, self._work.sets)
        if not limit or s > 60 or dag.arc_count > USUAL_LOOKS * s:
            return
        self._work.sets -= min(limit, 2**s)
        try:
            best = pebble.optimal_profile(dag, limit=limit)
            order = pebble.ic_optimal_order(dag, limit=limit)
            known.bounded((best + np.arange(len(best)))[: s + 1] - len(dag.sources), Exact())
            known.offer(pebble.maximum_area_order(dag, limit=limit) if order is None else order)
        except LimitError:
            return

    def _dual(self, known: Known, depth: int) -> None:
        """Settle the dual, and turn its bound and order around."""
        dual = known.dag.dual()
        if not self._affords(dual):
            return
        settled = self.settled(dual, depth + 1, may_turn=False)
        known.bounded(turned(settled.bound, len(known.dag.nonsinks)), Dual(settled))
        known.offer(dual_order(dual, np.append(settled.order, dual.sinks)))

    def _affords(self, dag: Dag) -> bool:
        return len(dag) + dag.arc_count + PART_LOOKS <= self._work.looks

    def _segments(self, known: Known, depth: int) -> None:
        """Cut the order where its profile bends down, and settle the pieces between the cuts."""
        if not self._affords(known.dag) or len(ends := _bends(known.reached)) < 2:
            return
        group = np.full(len(known.dag), -1, np.int32)
        group[known.order] = np.searchsorted(ends, np.arange(len(known.order)), side="right")
        self._sum(known, group, depth)

    def _shares(self, known: Known, depth: int) -> None:
        """Compute the concave envelope, and settle the pieces between its corners."""
        if (shares := _shares(known.dag, self._effort)) is None:
            return
        known.bounded(shares.bound, Shares(shares))
        if not known.is_met and len(shares.sizes) > 1 and self._affords(known.dag):
            self._sum(known, shares.segment, depth)

    def _prefixes(self, known: Known, depth: int) -> None:
        """Cut the order in two at each step in turn."""
        order, s = known.order, len(known.order)
        if s > FEW_NONSINKS:
            return
        for step in range(1, s):
            if known.is_met or not self._affords(known.dag):
                return
            group = np.full(len(known.dag), -1, np.int32)
            group[order] = np.arange(s) >= step
            self._sum(known, group, depth)

    def _fewer_arcs(self, known: Known, depth: int) -> None:
        """Drop an arc that is neither the only one of its parent nor the only one of its child."""
        dag = known.dag
        if len(known.order) > FEW_NONSINKS:
            return
        parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
        spare = (dag.out_degrees[parents] > 1) & (dag.in_degrees[children] > 1)
        for arc in np.flatnonzero(spare).tolist():
            if known.is_met or not self._affords(dag):
                return
            rest = dag.with_arcs(np.arange(len(dag.arcs)) != arc)
            settled = self.settled(rest, depth + 1)
            known.bounded(settled.bound, Without(dag.arcs[arc : arc + 1], settled))

    def _stars(self, known: Known) -> None:
        """Bound a dag by what each nonsink counts alone; this always works."""
        dag = known.dag
        known.offer(dag.fifo_order)
        group = np.full(len(dag), -1, np.int32)
        group[known.order] = np.arange(len(known.order), dtype=np.int32)
        copies = tuple(_star(pieces) for pieces in star_pieces(dag, group))
        sizes = np.repeat([c.settled.bound[-1] for c in copies], [len(c.tasks) for c in copies])
        known.bounded(np.append(0, np.cumsum(-np.sort(-sizes))), Sum(copies))


def _shares(dag: Dag, effort: Effort) -> Envelope | None:
    """Return the envelope of *dag*, or None if *effort* does not allow one."""
    if dag.arc_count > effort.cut_arcs:
        return None
    return envelope(dag, work=CutWork(effort.cut_arcs))


def _star(pieces: Pieces) -> Copies:
    """Return copies of a task with its children."""
    dag = pieces.dag
    profile = np.array([0, dag.arc_count]) if dag.arc_count else NOTHING
    settled = Settled(dag, dag.nonsinks, profile, profile, Tree() if dag.arc_count else Sum(()))
    return Copies(pieces.tasks[:, :1], pieces.tasks[:, 1:], pieces.tasks, settled)


def _merged(dag: Dag, copies: Iterable[Copies]) -> Ids:
    """Return the orders of all pieces merged."""
    runs = [c.tasks[:, c.settled.order] for c in copies]
    gains = [np.diff(c.settled.reached) for c in copies]
    sizes = np.concatenate([np.full(len(r), r.shape[1]) for r in runs])
    kinds = np.repeat(np.arange(len(runs), dtype=np.int32), [len(r) for r in runs])
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int32)
    rows = Rows(offsets, np.concatenate([r.ravel() for r in runs]))
    return merged_order(dag, rows, kinds, gains)


def _block_profiles(analysis: Analysis) -> list[Counts]:
    """Return the profile of the first block of each kind."""
    offsets, enabled = analysis.parts.blocks.nonsinks.offsets, analysis.orders.enabled
    return [
        enabled[offsets[block] + block : offsets[block + 1] + block + 1].astype(np.int64)
        for block in np.unique(analysis.orders.alike).tolist()
    ]


def _bends(reached: Counts) -> Counts:
    """Return the steps at which the concave envelope of a profile bends, the last one included.

    >>> _bends(np.array([0, 3, 3, 5, 6])).tolist()
    [1, 3, 4]
    """
    corners: list[int] = []
    for t, count in enumerate(reached.tolist()):
        while len(corners) > 1:
            a, b = corners[-2:]
            if (reached[b] - reached[a]) * (t - a) > (count - reached[a]) * (b - a):
                break
            corners.pop()
        corners.append(t)
    return np.array(corners[1:])
