"""What is known of one dag while it is being settled: the best order so far, and bounds."""

from __future__ import annotations

import numpy as np

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.pebble import Schedule
from icsched.theory.profiles import NOTHING
from icsched.theory.settled import Copies, Counts, Least, Settled, Step, Sum, Tree
from icsched.theory.splits import Pieces, star_pieces


class Known:
    """The best order offered so far, by area, and the bounds found so far."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self.order: Ids = np.empty(0, np.int32)
        self.reached: Counts = np.empty(0, np.int64)
        self.is_exact = False  # whether no bound can be lower, and no area larger
        self._bounds: list[tuple[Counts, Step]] = []

    def offer(self, order: Ids) -> None:
        """Take a legal order, with or without sinks, if its area is larger; sinks go last."""
        nonsinks = order[self.dag.out_degrees[order] > 0]
        whole = Schedule.trusted(self.dag, np.append(nonsinks, self.dag.sinks))
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
        copies = tuple(_star(pieces) for pieces in star_pieces(self.dag, group))
        sizes = np.repeat([c.settled.bound[-1] for c in copies], [len(c.tasks) for c in copies])
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

    def settled(self) -> Settled:
        """Return what is known; there must be a bound."""
        found = tuple(
            Settled(self.dag, self.order, self.reached, bound, step) for bound, step in self._bounds
        )
        if len(found) == 1:
            return found[0]
        return Settled(self.dag, self.order, self.reached, self._least(), Least(found))


def _star(pieces: Pieces) -> Copies:
    """Return copies of a task with its children."""
    dag = pieces.dag
    profile = np.array([0, dag.arc_count]) if dag.arc_count else NOTHING
    settled = Settled(dag, dag.nonsinks, profile, profile, Tree() if dag.arc_count else Sum(()))
    return Copies(pieces.tasks[:, :1], pieces.tasks[:, 1:], pieces.tasks, settled)
