"""A recursion that finds a bound of a dag, and if possible an order that meets the bound.

The recursion divides a dag by all rules that keep a bound valid: into a series of parts, into
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
from icsched.theory.blocks import Kind, shortcuts, without_shortcuts
from icsched.theory.bounds import BoundedOrder, Dual, Least, Series, Step, Sum, Without
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
    """No looks are left."""


class UnmetError(Exception):
    """The order of a part does not meet its bound."""


@dataclass(frozen=True)
class AllowedRules:
    """Rules that may still be tried with a part.

    The dual of a dual is the dag itself. The envelope of a dual follows from the envelope, and the
    envelope of a piece between two corners is a straight line.
    """

    dual: bool = True
    shares: bool = True


ALL_RULES = AllowedRules()
IN_DUALS = AllowedRules(dual=False, shares=False)
IN_SEGMENTS = AllowedRules(shares=False)


# Sets that the referee may visit for one part.
PART_SETS = 100_000
USUAL_ARCS = 16  # for each nonsink, because a set then costs more
# Fixed cost of a part in looks, in addition to its tasks and arcs.
PART_LOOKS = 1_000
# Up to this many nonsinks, all cuts of a part are tried.
FEW_NONSINKS = 12
# Above this size in looks, a dag is divided for a proof only if all its blocks are proved.
LARGE = 4_000
# Below this depth, pieces are not divided further.
MOST_DEPTH = 40


@dataclass(frozen=True)
class Effort:
    """Limits of the recursion's work.

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
    """Return the best order and bound of *dag* found within *effort*.

    >>> fork_and_pair = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    >>> found = bounded_order(fork_and_pair, QUICK)
    >>> found.order.tolist(), found.bound.tolist(), found.is_met
    ([2, 0], [0, 2, 3], True)
    """
    reduced = without_shortcuts(dag)
    recursion = _Recursion(reduced, effort)
    found = recursion.part(reduced, is_free=True)
    if reduced is dag:
        return found
    return replace(found, dag=dag, step=Without(shortcuts(dag), found))


def optimal_by_parts(dag: Dag, analysis: Analysis, effort: Effort = PROOF) -> BoundedOrder | None:
    """Return an order of a dag without shortcuts that meets its bound; None if none is found.

    *analysis* is the dag's own. Stops when no looks are left. Stops a division of the dag when the
    order of a part does not meet its bound. A large dag must consist of blocks that all have
    IC-optimal orders.
    """
    if _size(dag) > LARGE and not analysis.is_proved_by_blocks:
        return None
    try:
        return _Recursion(dag, effort, proves=True).part(dag, analysis=analysis)
    except (SpentError, UnmetError):
        return None


class _Candidate:
    """A part while rules are tried: its best order by area, and its bounds."""

    def __init__(self, dag: Dag, depth: int, rules: AllowedRules) -> None:
        self.dag, self.depth, self.rules = dag, depth, rules
        self.order: Ids = np.empty(0, np.int32)
        self.reached: Counts = np.empty(0, np.int64)
        self.bound: Counts | None = None  # the least of the bounds
        self.is_exact = False  # whether bound and area are known to be best
        self._bounds: list[tuple[Counts, Step]] = []

    def offer(self, order: Ids) -> None:
        """Keep a legal order, with or without sinks, if its area is larger; sinks go last."""
        nonsinks = order[self.dag.out_degrees[order] > 0]
        whole = pebble.Schedule.trusted(self.dag, np.append(nonsinks, self.dag.sinks))
        reached = whole.enabled[: len(nonsinks) + 1]
        if not len(self.order) or reached.sum() > self.reached.sum():
            self.order, self.reached = nonsinks, reached

    def add_bound(self, bound: Counts, step: Step) -> None:
        """Add a bound; a short bound continues with its last value.

        Without executed tasks nothing is enabled, so every bound starts at 0. Bounds that are never
        below another bound are dropped.
        """
        padded = np.full(len(self.dag.nonsinks) + 1, bound[-1])
        padded[: len(bound)] = bound
        padded[0] = 0
        if any((padded >= other).all() for other, _ in self._bounds):
            return
        kept = [(other, why) for other, why in self._bounds if (other < padded).any()]
        self._bounds = [*kept, (padded, step)]
        self.bound = padded if self.bound is None else np.minimum(self.bound, padded)

    def add_star_bound(self) -> None:
        """Add a bound from the tasks that each nonsink counts alone; this always works."""
        self.offer(self.dag.fifo_order)
        pieces = star_pieces(self.dag, _groups(self.dag, self.order, np.arange(len(self.order))))
        sizes = np.repeat([stars.dag.arc_count for stars in pieces], [len(s) for s in pieces])
        stars = tuple((stars, _star(stars.dag)) for stars in pieces)
        self.add_bound(np.append(0, np.cumsum(-np.sort(-sizes))), Sum(stars))

    @property
    def is_met(self) -> bool:
        """Whether the order meets the least of the bounds at every step."""
        return self.bound is not None and np.array_equal(self.reached, self.bound)

    def result(self) -> BoundedOrder:
        """Return the order and the least of the bounds."""
        if self.bound is None:
            self.add_star_bound()
        found = tuple(BoundedOrder(self.dag, self.order, self.reached, *b) for b in self._bounds)
        if len(found) == 1:
            return found[0]
        least = np.minimum.reduce([bounded.bound for bounded in found])
        return replace(found[0], bound=least, step=Least(found))


def _groups(dag: Dag, order: Ids, numbers: Counts) -> Ids:
    """Return the group of each task, in *numbers* by place in *order*; -1 for sinks."""
    group = np.full(len(dag), -1, np.int32)
    group[order] = numbers
    return group


def _star(dag: Dag) -> BoundedOrder:
    """Return the only order of a task with its children, or of tasks without arcs."""
    if not dag.arc_count:
        return BoundedOrder(dag, np.empty(0, np.int32), NOTHING, NOTHING, Sum(()))
    profile = np.array([0, dag.arc_count])
    return BoundedOrder(dag, dag.nonsinks, profile, profile, "tree")


class _Recursion:
    """Divides parts until the work is done, or the effort is used up."""

    def __init__(self, dag: Dag, effort: Effort, *, proves: bool = False) -> None:
        more = min(3 * (len(dag) + dag.arc_count), effort.more_looks)
        self._looks = Allowance(effort.looks + more)
        self._cells, self._cuts = Allowance(effort.cells), Allowance(effort.cut_arcs)
        self._sets = effort.sets
        self._proves = proves  # whether a part is useful only if its bound is met
        self._found: dict[tuple[int, AllowedRules, bytes], BoundedOrder | None] = {}

    def part(
        self,
        dag: Dag,
        depth: int = 0,
        rules: AllowedRules = ALL_RULES,
        analysis: Analysis | None = None,
        *,
        is_free: bool = False,
    ) -> BoundedOrder:
        """Return the best order and bound of *dag*; equal dags are solved once.

        *analysis* is that of *dag*, if it is known. A part that *is_free* costs no looks for its
        size: it is the whole dag, or one of several parts that together are no larger.
        """
        if not dag.arc_count:
            return _star(dag)
        key = (len(dag), rules, dag.arcs.tobytes())
        if key not in self._found:
            self._found[key] = None
            looks = PART_LOOKS if is_free else _size(dag)
            if analysis is None and depth <= MOST_DEPTH and self._looks.take(looks):
                analysis = self._analysis(dag)
            self._found[key] = self._by_rules(_Candidate(dag, depth, rules), analysis)
        found = self._found[key]
        if found is None or (self._proves and not found.is_met):
            raise UnmetError
        return found

    def _by_rules(self, part: _Candidate, analysis: Analysis | None) -> BoundedOrder:
        """Try the rules for a series, for blocks, for a sum, and for all other parts.

        *analysis* is None if the part is too deep, or if no looks are left.
        """
        if analysis is None:
            if self._proves:
                raise SpentError
            return part.result()
        dag = part.dag
        part.offer(analysis.order)
        if analysis.is_linear:  # theorem 2.1: no order exceeds the profile of this order
            return BoundedOrder(dag, part.order, part.reached, part.reached, analysis)
        if (parts := series_parts(dag)) is not None:
            return self._series(part, parts)
        if analysis.is_proved_by_blocks:
            self._blocks(part, analysis)
            if part.is_met or (part.bound is not None and not analysis.parts.superdag.arc_count):
                return part.result()
        groups = component_groups(dag)
        if len(np.unique(groups[groups >= 0])) > 1 or (dag.in_degrees + dag.out_degrees == 0).any():
            self._sum(part, groups, is_free=True)
            return part.result()
        for attempt in self._attempts(part, analysis):
            with suppress(UnmetError):
                attempt(part)
            if part.is_met or part.is_exact:
                break
        return part.result()

    def _analysis(self, dag: Dag) -> Analysis:
        """Split *dag* into blocks; the referee may help with small blocks."""
        sets = min(PART_SETS, self._sets)
        analysis = analyse_reduced(dag, exact_sets=sets)
        if sets:
            by_referee = analysis.orders.kind >= Kind.EXACT
            sizes = analysis.parts.blocks.nonsinks.sizes[by_referee]
            used = np.minimum(2.0 ** sizes[sizes <= EXACT_NONSINKS], sets).sum()
            self._sets = max(0, self._sets - int(used))
        return analysis

    def _attempts(
        self, part: _Candidate, analysis: Analysis
    ) -> Iterator[Callable[[_Candidate], None]]:
        """Yield the rules for a dag that is neither a series nor a sum."""
        yield self._tree
        if part.rules.shares:
            yield self._shares
        if part.rules.dual:
            yield self._dual
        if len(analysis.parts) > 1 and not analysis.is_proved_by_blocks:
            yield lambda part: self._sum(part, analysis.parts.owner)
        yield self._exact
        yield self._segments
        if len(part.order) <= FEW_NONSINKS:
            yield self._prefixes
            yield self._fewer_arcs

    def _series(self, whole: _Candidate, classes: list[Pieces]) -> BoundedOrder:
        """Bound the parts of a series; equal parts are bounded once."""
        found: dict[int, tuple[tuple[Ids, BoundedOrder], Ids, Counts, Counts]] = {}  # by place
        for pieces in self._rationed(classes):
            part = self.part(pieces.dag, whole.depth + 1, whole.rules, is_free=True)
            ends = len(pieces.dag.sinks), len(pieces.dag.sources)
            gains = series_gains(part.reached, *ends), series_gains(part.bound, *ends)
            orders = pieces.tasks[:, np.append(part.order, pieces.dag.sinks)]
            rows = zip(pieces.places.tolist(), pieces.tasks, orders, strict=True)
            found |= {place: ((tasks, part), run, *gains) for place, tasks, run in rows}
        in_turn = [found[place] for place in range(len(found))]
        parts, runs, reached, bounds = zip(*in_turn, strict=True)
        s = len(whole.dag.nonsinks)
        profiles = in_series(reached, s), in_series(bounds, s)
        return BoundedOrder(whole.dag, np.concatenate(runs)[:s], *profiles, Series(parts))

    def _sum(
        self,
        whole: _Candidate,
        group: Ids,
        rules: AllowedRules | None = None,
        *,
        is_free: bool = False,
    ) -> None:
        """Bound a piece for each group of nonsinks; no arc may lead to a smaller group.

        *is_free* is for connected parts, which together are no larger than the dag.
        """
        dag = whole.dag
        if not is_free and not self._looks.take(_size(dag)) and self._proves:
            raise SpentError
        classes = sum_pieces(dag, group)
        first, whole_size = classes[0], (len(dag), dag.arc_count)
        if len(first) == 1 and (len(first.dag), first.dag.arc_count) == whole_size:
            return
        pieces = []
        for copies in self._rationed(classes):
            part = self.part(copies.dag, whole.depth + 1, rules or whole.rules, is_free=is_free)
            pieces.append((copies, part))
        bound = total(((part.bound, len(copies)) for copies, part in pieces), self._cells)
        if bound is not None:
            whole.add_bound(bound, Sum(tuple(pieces)))
        if self._affords(dag) or all(part.is_met for _, part in pieces):
            runs = [copies.tasks[:, part.order] for copies, part in pieces]
            kinds = np.repeat(np.arange(len(runs)), [len(r) for r in runs])
            sizes = np.array([r.shape[1] for r in runs])[kinds]
            offsets = np.append(0, np.cumsum(sizes)).astype(np.int32)
            rows = Rows(offsets, np.concatenate([r.ravel() for r in runs]))
            whole.offer(merged_order(dag, rows, kinds, [np.diff(p.reached) for _, p in pieces]))

    def _rationed(self, classes: list[Pieces]) -> Iterator[Pieces]:
        """Yield all pieces, each with its ration, unless a proof needs all pieces."""
        if self._proves:
            return iter(classes)
        return self._looks.rationed(classes, [_size(pieces.dag) for pieces in classes])

    def _blocks(self, part: _Candidate, analysis: Analysis) -> None:
        """Bound a dag whose blocks all have IC-optimal orders and contain all arcs."""
        firsts, kinds = np.unique(analysis.orders.alike, return_inverse=True)
        profiles = [enabled_by(analysis, block) for block in firsts.tolist()]
        bound = total(zip(profiles, np.bincount(kinds).tolist(), strict=True), self._cells)
        if bound is None:
            return
        part.add_bound(bound, analysis)
        if not part.is_met:
            rows = Rows(analysis.parts.blocks.nonsinks.offsets, analysis.orders.nonsinks)
            part.offer(merged_order(part.dag, rows, kinds, [np.diff(p) for p in profiles]))

    def _tree(self, part: _Candidate) -> None:
        """Solve a bipartite tree exactly."""
        if not part.dag.is_bipartite or not self._cells.take(len(part.dag.nonsinks) ** 2):
            return
        if (bound := tree_bound(part.dag)) is not None:
            part.add_bound(bound, "tree")

    def _exact(self, part: _Candidate) -> None:
        """Ask the referee about a small part."""
        dag, s = part.dag, len(part.dag.nonsinks)
        cost = 1 + dag.arc_count // (USUAL_ARCS * s)
        limit = min(PART_SETS, self._sets // cost)
        if not limit or s > 60 or dag.arc_count > USUAL_LOOKS * s:
            return
        self._sets -= cost * min(limit, 2**s)
        with suppress(LimitError):
            best = pebble.optimal_profile(dag, limit=limit)
            order = pebble.ic_optimal_order(dag, limit=limit)
            part.add_bound((best + np.arange(len(best)))[: s + 1] - len(dag.sources), "exact")
            if order is None and not self._proves:
                order = pebble.maximum_area_order(dag, limit=limit)
            if order is not None:
                part.offer(order)
            part.is_exact = True

    def _dual(self, part: _Candidate) -> None:
        """Bound the dual, and convert its bound and order."""
        dual = part.dag.dual()
        if not self._affords(dual):
            return
        found = self.part(dual, part.depth + 1, IN_DUALS)
        part.add_bound(turned(found.bound, len(part.dag.nonsinks)), Dual(found))
        part.offer(dual_order(dual, np.append(found.order, dual.sinks)))

    def _affords(self, dag: Dag) -> bool:
        """Whether enough looks are left for *dag*."""
        return _size(dag) <= self._looks.left

    def _segments(self, part: _Candidate) -> None:
        """Cut the order where its profile bends down, and bound the pieces between the cuts."""
        if not self._affords(part.dag) or len(ends := bends(part.reached)) < 2:
            return
        segment = np.searchsorted(ends, np.arange(len(part.order)), side="right")
        self._sum(part, _groups(part.dag, part.order, segment))

    def _shares(self, part: _Candidate) -> None:
        """Compute the concave envelope, and bound the pieces between its corners."""
        if not self._cuts.left or not self._looks.take(PART_LOOKS):
            return
        shares = envelope(part.dag, arcs=self._cuts)
        part.add_bound(shares.bound, shares)
        if not part.is_met and len(shares.sizes) > 1 and self._affords(part.dag):
            self._sum(part, shares.segment, IN_SEGMENTS)

    def _prefixes(self, part: _Candidate) -> None:
        """Cut the order of a small dag into two at each step."""
        order, steps = part.order, np.arange(len(part.order))
        for step in steps[1:]:
            if part.is_met or not self._affords(part.dag):
                return
            with suppress(UnmetError):
                self._sum(part, _groups(part.dag, order, steps >= step))

    def _fewer_arcs(self, part: _Candidate) -> None:
        """Drop an arc that is neither the only one of its parent nor the only one of its child."""
        dag = part.dag
        parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
        spare = (dag.out_degrees[parents] > 1) & (dag.in_degrees[children] > 1)
        for arc in np.flatnonzero(spare).tolist():
            if part.is_met or not self._affords(dag):
                return
            rest = dag.with_arcs(np.arange(len(dag.arcs)) != arc)
            with suppress(UnmetError):
                found = self.part(rest, part.depth + 1, part.rules)
                part.add_bound(found.bound, Without(dag.arcs[arc : arc + 1], found))


def _size(dag: Dag) -> int:
    """Return the cost of a part in looks."""
    return len(dag) + dag.arc_count + PART_LOOKS
