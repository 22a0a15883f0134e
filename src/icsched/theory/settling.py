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
from icsched.theory.analysis import EXACT_NONSINKS, Analysis, analyse_reduced
from icsched.theory.blocks import Kind
from icsched.theory.decomposition import shortcuts, without_shortcuts
from icsched.theory.envelopes import CutWork, envelope
from icsched.theory.known import Known
from icsched.theory.merging import block_profiles, copies_of, merged_copies, merged_order
from icsched.theory.profiles import (
    NOTHING,
    Work,
    bends,
    in_series,
    series_gains,
    total,
    tree_bound,
    turned,
)
from icsched.theory.settled import (
    Blocks,
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
from icsched.theory.splits import Pieces, component_groups, series_parts, sum_pieces
from icsched.theory.strategies import dual_order


class SpentError(Exception):
    """All looks are spent."""


class UnmetError(Exception):
    """The order of a part does not meet its bound."""


@dataclass(frozen=True)
class Ways:
    """What may still be tried with a part.

    The dual of a dual is the dag itself. The envelope of a dual is the envelope turned around, and
    that of a piece between two corners is a straight line.
    """

    turn: bool = True
    share: bool = True


ALL_WAYS = Ways()
IN_DUALS = Ways(turn=False, share=False)
IN_SEGMENTS = Ways(share=False)


# Sets that the referee may visit for one part, and looks at parents for each set.
PART_SETS = 100_000
USUAL_LOOKS = 512
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


def settle_reduced(dag: Dag, effort: Effort) -> Settled:
    """Return what is known of a dag without shortcuts."""
    return _Settling(_with_looks(effort, dag)).free_part(dag, -1, ALL_WAYS)


def met_by_parts(dag: Dag, analysis: Analysis, effort: Effort = PROOF) -> Settled | None:
    """Return what is known of a dag without shortcuts if its order meets its bound.

    *analysis* is the dag's own. Gives up once all looks are spent, and gives up on a way to take
    the dag apart once the order of one part does not meet its bound. A large dag must be made of
    blocks that all have IC-optimal orders.
    """
    if _size(dag) > LARGE and not analysis.is_proved_by_blocks:
        return None
    try:
        return _Settling(_with_looks(effort, dag), proves=True).settled(dag, analysis=analysis)
    except (SpentError, UnmetError):
        return None


def _with_looks(effort: Effort, dag: Dag) -> Effort:
    more = min(3 * (len(dag) + dag.arc_count), effort.more_looks)
    return replace(effort, looks=effort.looks + more)


class _Settling:
    """Settles parts until the work is done, or all effort spent."""

    def __init__(self, effort: Effort, *, proves: bool = False) -> None:
        self._proves = proves  # whether parts are of use only if they are met
        self._work = Work(effort.cells, effort.sets, effort.looks)
        self._cuts = CutWork(effort.cut_arcs)
        self._found: dict[tuple[int, Ways, bytes], Settled | None] = {}

    def settled(
        self,
        dag: Dag,
        depth: int = 0,
        ways: Ways = ALL_WAYS,
        analysis: Analysis | None = None,
    ) -> Settled:
        """Return what is known of *dag*; equal dags are settled once.

        *analysis* is given for a dag that need not be paid for: the whole, or a part of a series.
        """
        if not dag.arc_count:
            return Settled(dag, np.empty(0, np.int32), NOTHING, NOTHING, Sum(()))
        key = (len(dag), ways, dag.arcs.tobytes())
        if key not in self._found:
            self._found[key] = None
            self._found[key] = self._settle(dag, depth, ways, analysis)
        found = self._found[key]
        if found is None or (self._proves and not found.is_met):
            raise UnmetError
        return found

    def free_part(self, dag: Dag, depth: int, ways: Ways) -> Settled:
        """Settle a dag, or one of several parts that together are no larger than the dag."""
        analysis = self._analysis(dag) if dag.arc_count and self._work.look(PART_LOOKS) else None
        return self.settled(dag, depth + 1, ways, analysis)

    def _paid_part(self, dag: Dag, depth: int, ways: Ways) -> Settled:
        return self.settled(dag, depth + 1, ways)

    def _settle(self, dag: Dag, depth: int, ways: Ways, analysis: Analysis | None) -> Settled:
        known = Known(dag)
        if depth > MOST_DEPTH or (analysis is None and not self._look(dag)):
            if self._proves:
                raise SpentError
            known.bounded_by_stars()
            return known.settled()
        analysis = analysis or self._analysis(dag)
        known.offer(analysis.order)
        parts = None if analysis.is_linear else series_parts(dag)
        if parts is None and analysis.is_proved_by_blocks:
            self._blocks(known, analysis)
            if known.is_met or (known.has_bound and not analysis.superdag.arc_count):
                return known.settled()
        if parts is not None:
            return self._series(dag, parts, depth, ways)
        groups = component_groups(dag)
        if len(np.unique(groups[groups >= 0])) > 1 or (dag.in_degrees + dag.out_degrees == 0).any():
            self._sum(known, groups, depth, ways, is_free=True)
        else:
            self._connected(known, analysis, depth, ways)
        if not known.has_bound:
            known.bounded_by_stars()
        return known.settled()

    def _analysis(self, dag: Dag) -> Analysis:
        """Take *dag* apart into blocks; the referee may help with small blocks."""
        sets = min(PART_SETS, self._work.sets)
        analysis = analyse_reduced(dag, exact_sets=sets)
        if sets:
            by_referee = analysis.orders.kind >= Kind.EXACT
            sizes = analysis.parts.blocks.nonsinks.sizes[by_referee]
            used = np.minimum(2.0 ** sizes[sizes <= EXACT_NONSINKS], sets).sum()
            self._work.sets = max(0, self._work.sets - int(used))
        return analysis

    def _connected(self, known: Known, analysis: Analysis, depth: int, ways: Ways) -> None:
        """Try what is left for a dag that is neither a series nor a sum."""
        for attempt in self._attempts(known, analysis, depth, ways):
            with suppress(UnmetError):
                attempt()
            if known.is_met or known.is_exact:
                return

    def _attempts(
        self, known: Known, analysis: Analysis, depth: int, ways: Ways
    ) -> Iterator[Callable[[], None]]:
        yield lambda: self._tree(known)
        if ways.share:
            yield lambda: self._shares(known, depth)
        if ways.turn:
            yield lambda: self._dual(known, depth)
        if len(analysis.parts) > 1 and not analysis.is_proved_by_blocks:
            yield lambda: self._sum(known, analysis.parts.owner, depth, ways)
        yield lambda: self._exact(known)
        yield lambda: self._segments(known, depth, ways)
        if len(known.order) <= FEW_NONSINKS:
            yield lambda: self._prefixes(known, depth, ways)
            yield lambda: self._fewer_arcs(known, depth, ways)

    def _series(self, dag: Dag, classes: list[Pieces], depth: int, ways: Ways) -> Settled:
        """Settle the parts of a series, equal ones once."""
        found: dict[int, tuple[Part, Ids, Counts, Counts]] = {}  # by place in the series
        for pieces in self._rationed(classes):
            settled = self.free_part(pieces.dag, depth, ways)
            ends = len(pieces.dag.sinks), len(pieces.dag.sources)
            gains = series_gains(settled.reached, *ends), series_gains(settled.bound, *ends)
            orders = pieces.tasks[:, np.append(settled.order, pieces.dag.sinks)]
            rows = zip(pieces.places.tolist(), pieces.tasks, orders, strict=True)
            found |= {place: (Part(tasks, settled), run, *gains) for place, tasks, run in rows}
        in_turn = [found[place] for place in range(len(found))]
        parts, runs, reached, bounds = zip(*in_turn, strict=True)
        s = len(dag.nonsinks)
        profiles = in_series(reached, s), in_series(bounds, s)
        return Settled(dag, np.concatenate(runs)[:s], *profiles, Series(parts))

    def _sum(
        self, known: Known, group: Ids, depth: int, ways: Ways, *, is_free: bool = False
    ) -> None:
        """Settle a piece for each group of nonsinks; no arc may lead to a smaller group.

        *is_free* is for connected parts, which together are no larger than the dag.
        """
        if not is_free and not self._look(known.dag) and self._proves:
            raise SpentError
        classes = sum_pieces(known.dag, group)
        if (
            len(classes) == 1
            and len(classes[0].places) == 1
            and len(classes[0].dag) == len(known.dag)
            and classes[0].dag.arc_count == known.dag.arc_count
        ):
            return  # the whole dag again
        settled = self.free_part if is_free else self._paid_part
        copies = tuple(
            copies_of(pieces, settled(pieces.dag, depth, ways))
            for pieces in self._rationed(classes)
        )
        bound = total(((c.settled.bound, len(c.tasks)) for c in copies), self._work)
        if bound is not None:
            known.bounded(bound, Sum(copies))
        if self._affords(known.dag) or all(c.settled.is_met for c in copies):
            known.offer(merged_copies(known.dag, copies))

    def _rationed(self, classes: list[Pieces]) -> Iterator[Pieces]:
        """Yield all pieces; each has its ration, unless a proof needs them all."""
        if self._proves:
            return iter(classes)
        return self._work.rationed(classes, [_size(pieces.dag) for pieces in classes])

    def _blocks(self, known: Known, analysis: Analysis) -> None:
        """Use that all blocks have IC-optimal orders and all arcs lie inside blocks."""
        kinds = np.unique(analysis.orders.alike, return_inverse=True)[1].astype(np.int32)
        profiles = block_profiles(analysis)
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
        if not known.dag.is_bipartite or not self._work.take(len(known.dag.nonsinks) ** 2):
            return
        if (bound := tree_bound(known.dag)) is not None:
            known.bounded(bound, Tree())

    def _exact(self, known: Known) -> None:
        """Ask the referee about a small part."""
        dag, s = known.dag, len(known.dag.nonsinks)
        cost = 1 + dag.arc_count // (USUAL_ARCS * s)
        limit = min(PART_SETS, self._work.sets // cost)
        if not limit or s > 60 or dag.arc_count > USUAL_LOOKS * s:
            return
        self._work.sets -= cost * min(limit, 2**s)
        try:
            best = pebble.optimal_profile(dag, limit=limit)
            order = pebble.ic_optimal_order(dag, limit=limit)
            known.bounded((best + np.arange(len(best)))[: s + 1] - len(dag.sources), Exact())
            if order is None and not self._proves:
                order = pebble.maximum_area_order(dag, limit=limit)
            if order is not None:
                known.offer(order)
            known.is_exact = True
        except LimitError:
            return

    def _dual(self, known: Known, depth: int) -> None:
        """Settle the dual, and turn its bound and order around."""
        dual = known.dag.dual()
        if not self._affords(dual):
            return
        settled = self.settled(dual, depth + 1, IN_DUALS)
        known.bounded(turned(settled.bound, len(known.dag.nonsinks)), Dual(settled))
        known.offer(dual_order(dual, np.append(settled.order, dual.sinks)))

    def _affords(self, dag: Dag) -> bool:
        return _size(dag) <= self._work.looks

    def _look(self, dag: Dag) -> bool:
        return self._work.look(_size(dag))

    def _segments(self, known: Known, depth: int, ways: Ways) -> None:
        """Cut the order where its profile bends down, and settle the pieces between the cuts."""
        if not self._affords(known.dag) or len(ends := bends(known.reached)) < 2:
            return
        group = np.full(len(known.dag), -1, np.int32)
        group[known.order] = np.searchsorted(ends, np.arange(len(known.order)), side="right")
        self._sum(known, group, depth, ways)

    def _shares(self, known: Known, depth: int) -> None:
        """Compute the concave envelope, and settle the pieces between its corners."""
        if not self._cuts.arcs or not self._work.look(PART_LOOKS):
            return
        shares = envelope(known.dag, work=self._cuts)
        known.bounded(shares.bound, Shares(shares))
        if not known.is_met and len(shares.sizes) > 1 and self._affords(known.dag):
            self._sum(known, shares.segment, depth, IN_SEGMENTS)

    def _prefixes(self, known: Known, depth: int, ways: Ways) -> None:
        """Cut the order of a small dag in two at each step in turn."""
        order, s = known.order, len(known.order)
        for step in range(1, s):
            if known.is_met or not self._affords(known.dag):
                return
            group = np.full(len(known.dag), -1, np.int32)
            group[order] = np.arange(s) >= step
            with suppress(UnmetError):
                self._sum(known, group, depth, ways)

    def _fewer_arcs(self, known: Known, depth: int, ways: Ways) -> None:
        """Drop an arc that is neither the only one of its parent nor the only one of its child."""
        dag = known.dag
        parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
        spare = (dag.out_degrees[parents] > 1) & (dag.in_degrees[children] > 1)
        for arc in np.flatnonzero(spare).tolist():
            if known.is_met or not self._affords(dag):
                return
            rest = dag.with_arcs(np.arange(len(dag.arcs)) != arc)
            with suppress(UnmetError):
                settled = self.settled(rest, depth + 1, ways)
                known.bounded(settled.bound, Without(dag.arcs[arc : arc + 1], settled))


def _size(dag: Dag) -> int:
    """Return how many looks a part takes."""
    return len(dag) + dag.arc_count + PART_LOOKS
