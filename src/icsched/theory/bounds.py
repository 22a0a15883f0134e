"""An order of a dag with a bound that no order exceeds, and why the bound holds.

A profile is an array of counts: how many nonsources are enabled after 0, 1, 2, ... nonsinks have
run. Sinks enable nothing, so they run last. A bound is at least the profile of every order. An
order whose profile meets a bound at every step is IC-optimal.

Each `Step` says why a bound holds. The steps of a dag are a tree, whose leaves need no other bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.theory.analysis import Analysis
from icsched.theory.envelopes import Envelope
from icsched.theory.pieces import Pieces
from icsched.theory.profiles import Counts


@dataclass(frozen=True, eq=False)
class BoundedOrder:
    """A dag with the best order found for it, and a bound.

    `order` has all nonsinks, first to run first. `reached` is its profile. `bound` is at least
    the profile of every order, for the reason that `step` gives.
    """

    dag: Dag
    order: Ids
    reached: Counts
    bound: Counts
    step: Step

    @property
    def is_met(self) -> bool:
        """Whether the order meets the bound at every step, so that it is IC-optimal."""
        return bool(np.array_equal(self.reached, self.bound))


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a series; `tasks` has the id in the whole of each id in the part."""

    tasks: Ids
    bounded: BoundedOrder


@dataclass(frozen=True, eq=False)
class Series:
    """Parts one after the other: every sink of a part is a parent of every source of the next.

    So a part starts when all earlier parts are done, and bounds follow one another.
    """

    parts: tuple[Part, ...]


@dataclass(frozen=True, eq=False)
class Copies:
    """Equal pieces of a sum, bounded once."""

    pieces: Pieces
    bounded: BoundedOrder

    def __len__(self) -> int:
        return len(self.pieces.tasks)

    @property
    def runs(self) -> NDArray[np.int32]:
        """A row for each piece, with the nonsinks that run in it."""
        return np.asarray(self.pieces.tasks[:, : self.pieces.runs])

    @property
    def counts(self) -> NDArray[np.int32]:
        """A row for each piece, with the nonsources that it counts."""
        return np.asarray(self.pieces.tasks[:, self.pieces.dag.in_degrees > 0])


@dataclass(frozen=True, eq=False)
class Sum:
    """Pieces side by side: each nonsink runs in one piece, each nonsource is counted in one.

    A piece has only the arcs from its runs to its counts. Without the other arcs no set of tasks
    enables less, so the bound is the best division of the steps among the pieces: the max-plus
    convolution of their bounds.
    """

    pieces: tuple[Copies, ...]


@dataclass(frozen=True, eq=False)
class Blocks:
    """A sum whose pieces are the blocks of an analysis, all with IC-optimal orders."""

    analysis: Analysis


@dataclass(frozen=True, eq=False)
class Dual:
    """A bound of the dag with all arcs reversed, turned around."""

    bounded: BoundedOrder


@dataclass(frozen=True, eq=False)
class Least:
    """Several bounds of the same dag; at each step the least of them."""

    bounds: tuple[BoundedOrder, ...]


@dataclass(frozen=True, eq=False)
class Without:
    """The bound of the dag without some of its arcs, each a row of parent and child."""

    arcs: NDArray[np.int32]
    bounded: BoundedOrder


@dataclass(frozen=True, eq=False)
class Exact:
    """All sets of tasks that can have run were looked at."""


@dataclass(frozen=True, eq=False)
class Tree:
    """A bipartite tree: the program of Malewicz and Rosenberg 2006 finds the best of each size."""


@dataclass(frozen=True, eq=False)
class Shares:
    """The concave envelope: each enabled task shares itself out among the tasks it needs."""

    envelope: Envelope


Step = Series | Sum | Blocks | Dual | Least | Without | Exact | Tree | Shares
