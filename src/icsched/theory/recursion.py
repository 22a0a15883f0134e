"""One recursion that finds a bound for a dag, and an order that meets the bound if it can.

The recursion takes a dag apart in every way that keeps a bound true: into a series of parts, into
pieces side by side, into its dual. An order that meets the bound at every step is IC-optimal, and
the steps are the proof. The work is limited by counts, never by a clock.

Not every dag with an IC-optimal order is proved. The levels of larger meshes, such as mesh(12, 3),
are blocks too large for the referee; a bound for them would need Macaulay's theorem on shadows of
monomials.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from icsched import pebble
from icsched.arrays import Ids, Rows
from icsched.dag import Dag
from icsched.errors import LimitError
from icsched.theory.analysis import (
    EXACT_NONSINKS,
    USUAL_LOOKS,
    Analysis,
    analyse_reduced,
    enabled_by,
)
from icsched.theory.blocks import Kind
from icsched.theory.bounds import (
    Blocks,
    BoundedOrder,
    Copies,
    Dual,
    Exact,
    Least,
    Part,
    Series,
    Shares,
    Step,
    Sum,
    Tree,
    Without,
)
from icsched.theory.decomposition import shortcuts, without_shortcuts
from icsched.theory.envelopes import envelope
from icsched.theory.pieces import (
    Pieces,
    component_groups,
    merged_order,
    series_parts,
    star_pieces,
    sum_pieces,
)
from icsched.theory.profiles import (
    NOTHING,
    Allowance,
    Counts,
    bends,
    in_series,
    series_gains,
    total,
    tree_bound,
    turned,
)
from icsched.theory.strategies import dual_order


class SpentError(Exception):
    """All looks are spent."""


class UnmetError(Exception):
    """The order of a part does not meet its bound."""


@dataclass(frozen=True)
class AllowedRules:
    """Rules that may still be tried with a part.

    The dual of a dual is the dag itself. The envelope of a dual is the envelope turned around, and
    that of a piece between two corners is a straight line.
    """

    dual: bool = True
    shares: bool = True


ALL_RULES = AllowedRules()
IN_DUALS = AllowedRules(dual=False, shares=False)
IN_SEGMENTS = AllowedRules(shares=False)


# Sets that the referee may visit for one part.
PART_SETS = 100_000
USUAL_ARCS = 16  # for each nonsink; with more a set costs more
# What a part costs besides its tasks and arcs, in looks.
PART_LOOKS = 1_000
# Parts of up to this many nonsinks are cut in all ways.
FEW_NONSINKS = 12
# A larger dag, in looks, is taken apart for a proof only if all its blocks are proved.
LARGE = 4_000
# A chain of pieces deeper than this is not taken apart further.
MOST_DEPTH = 40


@dataclass(frozen=True)
class Effort:
    """How much work the recursion may do.

    `cells` limits the tables of profiles, `sets` the sets that the referee visits, `looks` the
    tasks and arcs of all parts together, `cut_arcs` the arcs of all flows together.
    Larger dags get more looks, three for each task and arc, up to `more_looks`.
    """

    cells: int
    sets: int
    looks: int
    cut_arcs: int = 0
    more_looks: int = 40_000


QUICK = Effort(cells=20_000_000, sets=400_000, looks=30_000)
PROOF = replace(QUICK, looks=8_000)  # a few milliseconds, for the order "prio"
FULL = Effort(
    cells=1_000_000_000, sets=4_000_000, looks=150_000, cut_arcs=15_000_000, more_looks=8_000_000
)


def bounded_order(dag: Dag, effort: Effort) -> BoundedOrder:
    """Return the best order and bound of *dag* that some *effort* finds.

    >>> fork_and_pair = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    >>> found = bounded_order(fork_and_pair, QUICK)
    >>> found.order.tolist(), found.bound.tolist(), found.is_met
    ([2, 0], [0, 2, 3], True)
    """
    dropped = shortcuts(dag)
    if not len(dropped):
        return bounded_order_reduced(dag, effort)
    found = bounded_order_reduced(without_shortcuts(dag), effort)
    return replace(found, dag=dag, step=Without(dropped, found))


def bounded_order_reduced(dag: Dag, effort: Effort) -> BoundedOrder:
    """Return the best order and bound of a dag without shortcuts."""
    recursion = _Recursion(dag, effort)
    return recursion.part(dag, analysis=recursion.free_analysis(dag))


def optimal_by_parts(dag: Dag, analysis: Analysis, effort: Effort = PROOF) -> BoundedOrder | None:
    """Return an order of a dag without shortcuts that meets its bound; None if none is found.

    *analysis* is the dag's own. Gives up once all looks are spent, and gives up on a way to take
    the dag apart once the order of one part does not meet its bound. A large dag must be made of
    blocks that all have IC-optimal orders.
    """
    if _size(dag) > LARGE and not analysis.is_proved_by_blocks:
        return None
    try:
        return _Recursion(dag, effort, proves=True).part(dag, analysis=analysis)
    except (SpentError, UnmetError):
        return None


class _Findings:
    """A part while rules are tried with it: its best order so far, by area, and its bounds."""

    def __init__(self, dag: Dag, depth: int, rules: AllowedRules) -> None:
        self.dag, self.depth, self.rules = dag, depth, rules
        self.order: Ids = np.empty(0, np.int32)
        self.reached: Counts = np.empty(0, np.int64)
        self.is_exact = False  # whether no bound can be lower, and no area larger
        self._bounds: list[tuple[Counts, Step]] = []

    def offer(self, order: Ids) -> None:
        """Take a legal order, with or without sinks, if its area is larger; sinks go last."""
        nonsinks = order[self.dag.out_degrees[order] > 0]
        whole = pebble.Schedule.trusted(self.dag, np.append(nonsinks, self.dag.sinks))
        reached = whole.enabled[: len(nonsinks) + 1]
        if not len(self.order) or reached.sum() > self.reached.sum():
            self.order, self.reached = nonsinks, reached

    def bounded(self, bound: Counts, step: Step) -> None:
        """Add a bound; a bound that is short goes on at its last value.

        Nothing enables nothing, so every bound starts at 0. Bounds that are nowhere below another
        bound are dropped.
        """
        padded = np.full(len(self.dag.nonsinks) + 1, bound[-1])
        padded[: len(bound)] = bound
        padded[0] = 0
        if any((padded >= other).all() for other, _ in self._bounds):
            return
        kept = [(other, why) for other, why in self._bounds if (other < padded).any()]
        self._bounds = [*kept, (padded, step)]

    def bounded_by_stars(self) -> None:
        """Add a bound by what each nonsink counts alone; this always works."""
        self.offer(self.dag.fifo_order)
        group = np.full(len(self.dag), -1, np.int32)
        group[self.order] = np.arange(len(self.order), dtype=np.int32)
        copies = tuple(Copies(stars, _star(stars.dag)) for stars in star_pieces(self.dag, group))
        sizes = np.repeat([c.pieces.dag.arc_count for c in copies], [len(c) for c in copies])
        self.bounded(np.append(0, np.cumsum(-np.sort(-sizes))), Sum(copies))

    @property
    def has_bound(self) -> bool:
        """Whether there is a bound."""
        return bool(self._bounds)

    @property
    def is_met(self) -> bool:
        """Whether the order meets the least of the bounds at every step."""
        return self.has_bound and bool(np.array_equal(self.reached, self._least()))

    def _least(self) -> Counts:
        least: Counts = np.minimum.reduce([bound for bound, _ in self._bounds])
        return least

    def result(self) -> BoundedOrder:
        """Return the order and the least of the bounds; there must be a bound."""
        if not self.has_bound:
            self.bounded_by_stars()
        found = tuple(
            BoundedOrder(self.dag, self.order, self.reached, bound, step)
            for bound, step in self._bounds
        )
        if len(found) == 1:
            return found[0]
        return replace(found[0], bound=self._least(), step=Least(found))


def _star(dag: Dag) -> BoundedOrder:
    """Return the only order of a task with its children."""
    if not dag.arc_count:
        return _without_arcs(dag)
    profile = np.array([0, dag.arc_count])
    return BoundedOrder(dag, dag.nonsinks, profile, profile, Tree())


def _without_arcs(dag: Dag) -> BoundedOrder:
    """Return the empty order of nonsinks of a dag that has none."""
    return BoundedOrder(dag, np.empty(0, np.int32), NOTHING, NOTHING, Sum(()))


class _Recursion:
    """Takes parts apart until the work is done, or all effort spent."""

    def __init__(self, dag: Dag, effort: Effort, *, proves: bool = False) -> None:
        more = min(3 * (len(dag) + dag.arc_count), effort.more_looks)
        self._looks = Allowance(effort.looks + more)
        self._cells, self._cuts = Allowance(effort.cells), Allowance(effort.cut_arcs)
        self._sets = effort.sets
        self._proves = proves  # whether parts are of use only if they are met
        self._found: dict[tuple[int, AllowedRules, bytes], BoundedOrder | None] = {}

    def part(
        self,
        dag: Dag,
        depth: int = 0,
        rules: AllowedRules = ALL_RULES,
        analysis: Analysis | None = None,
    ) -> BoundedOrder:
        """Return the best order and bound of *dag*; equal dags are taken apart once.

        *analysis* is given for a dag that need not be paid for: the whole, or a part of a series.
        """
        if not dag.arc_count:
            return _without_arcs(dag)
        key = (len(dag), rules, dag.arcs.tobytes())
        if key not in self._found:
            self._found[key] = None
            self._found[key] = self._by_rules(_Findings(dag, depth, rules), analysis)
        found = self._found[key]
        if found is None or (self._proves and not found.is_met):
            raise UnmetError
        return found

    def free_analysis(self, dag: Dag) -> Analysis | None:
        """Analyse a dag, or one of several parts that together are no larger than the dag."""
        return self._analysis(dag) if dag.arc_count and self._looks.take(PART_LOOKS) else None

    def _by_rules(self, known: _Findings, analysis: Analysis | None) -> BoundedOrder:
        """Try the rules for a series, for blocks, for a sum, and for what is none of these."""
        dag = known.dag
        if known.depth > MOST_DEPTH or (analysis is None and not self._looks.take(_size(dag))):
            if self._proves:
                raise SpentError
            return known.result()
        analysis = analysis or self._analysis(dag)
        known.offer(analysis.order)
        parts = None if analysis.is_linear else series_parts(dag)
        if parts is None and analysis.is_proved_by_blocks:
            self._blocks(known, analysis)
            if known.is_met or (known.has_bound and not analysis.superdag.arc_count):
                return known.result()
        if parts is not None:
            return self._series(known, parts)
        groups = component_groups(dag)
        if len(np.unique(groups[groups >= 0])) > 1 or (dag.in_degrees + dag.out_degrees == 0).any():
            self._sum(known, groups, is_free=True)
        else:
            self._connected(known, analysis)
        return known.result()

    def _analysis(self, dag: Dag) -> Analysis:
        """Take *dag* apart into blocks; the referee may help with small blocks."""
        sets = min(PART_SETS, self._sets)
        analysis = analyse_reduced(dag, exact_sets=sets)
        if sets:
            by_referee = analysis.orders.kind >= Kind.EXACT
            sizes = analysis.parts.blocks.nonsinks.sizes[by_referee]
            used = np.minimum(2.0 ** sizes[sizes <= EXACT_NONSINKS], sets).sum()
            self._sets = max(0, self._sets - int(used))
        return analysis

    def _connected(self, known: _Findings, analysis: Analysis) -> None:
        """Try what is left for a dag that is neither a series nor a sum."""
        for attempt in self._attempts(known, analysis):
            with suppress(UnmetError):
                attempt(known)
            if known.is_met or known.is_exact:
                return

    def _attempts(
        self, known: _Findings, analysis: Analysis
    ) -> Iterator[Callable[[_Findings], None]]:
        yield self._tree
        if known.rules.shares:
            yield self._shares
        if known.rules.dual:
            yield self._dual
        if len(analysis.parts) > 1 and not analysis.is_proved_by_blocks:
            yield lambda known: self._sum(known, analysis.parts.owner)
        yield self._exact
        yield self._segments
        if len(known.order) <= FEW_NONSINKS:
            yield self._prefixes
            yield self._fewer_arcs

    def _series(self, known: _Findings, classes: list[Pieces]) -> BoundedOrder:
        """Bound the parts of a series, equal ones once."""
        found: dict[int, tuple[Part, Ids, Counts, Counts]] = {}  # by place in the series
        for pieces in self._rationed(classes):
            analysis = self.free_analysis(pieces.dag)
            part = self.part(pieces.dag, known.depth + 1, known.rules, analysis)
            ends = len(pieces.dag.sinks), len(pieces.dag.sources)
            gains = series_gains(part.reached, *ends), series_gains(part.bound, *ends)
            orders = pieces.tasks[:, np.append(part.order, pieces.dag.sinks)]
            rows = zip(pieces.places.tolist(), pieces.tasks, orders, strict=True)
            found |= {place: (Part(tasks, part), run, *gains) for place, tasks, run in rows}
        in_turn = [found[place] for place in range(len(found))]
        parts, runs, reached, bounds = zip(*in_turn, strict=True)
        s = len(known.dag.nonsinks)
        profiles = in_series(reached, s), in_series(bounds, s)
        return BoundedOrder(known.dag, np.concatenate(runs)[:s], *profiles, Series(parts))

    def _sum(
        self,
        known: _Findings,
        group: Ids,
        rules: AllowedRules | None = None,
        *,
        is_free: bool = False,
    ) -> None:
        """Bound a piece for each group of nonsinks; no arc may lead to a smaller group.

        *is_free* is for connected parts, which together are no larger than the dag.
        """
        dag = known.dag
        if not is_free and not self._looks.take(_size(dag)) and self._proves:
            raise SpentError
        classes = sum_pieces(dag, group)
        first = classes[0]
        whole = len(dag), dag.arc_count
        if len(first.places) == 1 and (len(first.dag), first.dag.arc_count) == whole:
            return
        copies = []
        for pieces in self._rationed(classes):
            analysis = self.free_analysis(pieces.dag) if is_free else None
            part = self.part(pieces.dag, known.depth + 1, rules or known.rules, analysis)
            copies.append(Copies(pieces, part))
        bound = total(((c.bounded.bound, len(c)) for c in copies), self._cells)
        if bound is not None:
            known.bounded(bound, Sum(tuple(copies)))
        if self._affords(dag) or all(c.bounded.is_met for c in copies):
            known.offer(_merged_copies(dag, copies))

    def _rationed(self, classes: list[Pieces]) -> Iterator[Pieces]:
        """Yield all pieces; each has its ration, unless a proof needs them all."""
        if self._proves:
            return iter(classes)
        return self._looks.rationed(classes, [_size(pieces.dag) for pieces in classes])

    def _blocks(self, known: _Findings, analysis: Analysis) -> None:
        """Use that all blocks have IC-optimal orders and all arcs lie inside blocks."""
        firsts, kinds = np.unique(analysis.orders.alike, return_inverse=True)
        profiles = [
            enabled_by(analysis.parts, analysis.orders, block).astype(np.int64)
            for block in firsts.tolist()
        ]
        bound = total(zip(profiles, np.bincount(kinds).tolist(), strict=True), self._cells)
        if bound is None:
            return
        known.bounded(bound, Blocks(analysis))
        if not known.is_met:
            rows = Rows(analysis.parts.blocks.nonsinks.offsets, analysis.orders.nonsinks)
            known.offer(merged_order(known.dag, rows, kinds, [np.diff(p) for p in profiles]))

    def _tree(self, known: _Findings) -> None:
        """Solve a bipartite tree exactly."""
        if not known.dag.is_bipartite or not self._cells.take(len(known.dag.nonsinks) ** 2):
            return
        if (bound := tree_bound(known.dag)) is not None:
            known.bounded(bound, Tree())

    def _exact(self, known: _Findings) -> None:
        """Ask the referee about a small part."""
        dag, s = known.dag, len(known.dag.nonsinks)
        cost = 1 + dag.arc_count // (USUAL_ARCS * s)
        limit = min(PART_SETS, self._sets // cost)
        if not limit or s > 60 or dag.arc_count > USUAL_LOOKS * s:
            return
        self._sets -= cost * min(limit, 2**s)
        with suppress(LimitError):
            best = pebble.optimal_profile(dag, limit=limit)
            order = pebble.ic_optimal_order(dag, limit=limit)
            known.bounded((best + np.arange(len(best)))[: s + 1] - len(dag.sources), Exact())
            if order is None and not self._proves:
                order = pebble.maximum_area_order(dag, limit=limit)
            if order is not None:
                known.offer(order)
            known.is_exact = True

    def _dual(self, known: _Findings) -> None:
        """Bound the dual, and turn its bound and order around."""
        dual = known.dag.dual()
        if not self._affords(dual):
            return
        part = self.part(dual, known.depth + 1, IN_DUALS)
        known.bounded(turned(part.bound, len(known.dag.nonsinks)), Dual(part))
        known.offer(dual_order(dual, np.append(part.order, dual.sinks)))

    def _affords(self, dag: Dag) -> bool:
        """Whether there are looks left for all of *dag*."""
        return _size(dag) <= self._looks.left

    def _segments(self, known: _Findings) -> None:
        """Cut the order where its profile bends down, and bound the pieces between the cuts."""
        if not self._affords(known.dag) or len(ends := bends(known.reached)) < 2:
            return
        group = np.full(len(known.dag), -1, np.int32)
        group[known.order] = np.searchsorted(ends, np.arange(len(known.order)), side="right")
        self._sum(known, group)

    def _shares(self, known: _Findings) -> None:
        """Compute the concave envelope, and bound the pieces between its corners."""
        if not self._cuts.left or not self._looks.take(PART_LOOKS):
            return
        shares = envelope(known.dag, arcs=self._cuts)
        known.bounded(shares.bound, Shares(shares))
        if not known.is_met and len(shares.sizes) > 1 and self._affords(known.dag):
            self._sum(known, shares.segment, IN_SEGMENTS)

    def _prefixes(self, known: _Findings) -> None:
        """Cut the order of a small dag in two at each step in turn."""
        order, s = known.order, len(known.order)
        for step in range(1, s):
            if known.is_met or not self._affords(known.dag):
                return
            group = np.full(len(known.dag), -1, np.int32)
            group[order] = np.arange(s) >= step
            with suppress(UnmetError):
                self._sum(known, group)

    def _fewer_arcs(self, known: _Findings) -> None:
        """Drop an arc that is neither the only one of its parent nor the only one of its child."""
        dag = known.dag
        parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
        spare = (dag.out_degrees[parents] > 1) & (dag.in_degrees[children] > 1)
        for arc in np.flatnonzero(spare).tolist():
            if known.is_met or not self._affords(dag):
                return
            rest = dag.with_arcs(np.arange(len(dag.arcs)) != arc)
            with suppress(UnmetError):
                part = self.part(rest, known.depth + 1, known.rules)
                known.bounded(part.bound, Without(dag.arcs[arc : arc + 1], part))


def _merged_copies(dag: Dag, copies: list[Copies]) -> Ids:
    """Return the orders of all pieces merged."""
    runs = [c.pieces.tasks[:, c.bounded.order] for c in copies]
    gains = [np.diff(c.bounded.reached) for c in copies]
    sizes = np.concatenate([np.full(len(r), r.shape[1]) for r in runs])
    kinds = np.repeat(np.arange(len(runs)), [len(r) for r in runs])
    offsets = np.append(0, np.cumsum(sizes)).astype(np.int32)
    rows = Rows(offsets, np.concatenate([r.ravel() for r in runs]))
    return merged_order(dag, rows, kinds, gains)


def _size(dag: Dag) -> int:
    """Return how many looks a part takes."""
    return len(dag) + dag.arc_count + PART_LOOKS
