"""Exchanges: small changes of an order that make its area larger."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.theory.settled import Counts

MOST_ROUNDS = 50
MOST_LOOKS = 100_000  # at arcs: some tenths of a second


def last_parents(dag: Dag, order: Ids) -> Counts:
    """Return the place in *order* of the last parent of each task; -1 for sources."""
    place = np.full(len(dag), len(order), np.int64)
    place[order] = np.arange(len(order))
    last = np.full(len(dag), -1, np.int64)
    np.maximum.at(last, dag.arcs[:, 1], place[dag.arcs[:, 0]])
    return last


def step_gains(dag: Dag, order: Ids, gains: Counts) -> Counts:
    """Return what each step of *order* enables, by *gains*.

    >>> step_gains(Dag({"a": [], "b": ["a"], "c": ["a"]}), np.array([0]), np.ones(3, int)).tolist()
    [2]
    """
    last = last_parents(dag, order)
    counted = last >= 0
    enabled = np.zeros(len(order), np.int64)
    np.add.at(enabled, last[counted], gains[counted])
    return enabled


def area_of(dag: Dag, order: Ids, gains: Counts) -> int:
    """Return what *order*, which has all nonsinks, has enabled after each step, added up."""
    return int(np.cumsum(step_gains(dag, order, gains)).sum())


@dataclass
class Looks:
    """How many arcs exchanges may still look at."""

    left: int = MOST_LOOKS


def improved(dag: Dag, order: Ids, gains: Counts, looks: Looks | None = None) -> Ids:
    """Return *order*, which has all nonsinks and only these, with no less area.

    Each round delays tasks that wait for others. While *looks* are left, the round then exchanges
    neighbouring stretches.
    """
    looks = looks or Looks()
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

    No child is enabled later: the parents of a child still come among the tasks up to its last
    parent, and no task comes earlier than it did except by the delay of others.
    """
    last = last_parents(dag, order)
    deadline = np.full(len(dag), len(dag), np.int64)
    np.minimum.at(deadline, dag.arcs[:, 0], last[dag.arcs[:, 1]])
    return order[np.lexsort((np.arange(len(order)), deadline[order]))]


class _Stretches:
    """The stretches of an order that end with a step that enables something.

    A stretch of a tasks that enables g may come before one of b tasks that enables h without it.
    Then an exchange is worth a * h - b * g.
    """

    def __init__(self, dag: Dag, order: Ids, gains: Counts, looks: Looks) -> None:
        self._dag, self._gains, self._looks = dag, gains, looks
        ends = np.flatnonzero(step_gains(dag, order, gains)) + 1
        self._stretches = [stretch.tolist() for stretch in np.split(order, ends) if len(stretch)]
        last = last_parents(dag, order)
        self._enabler = np.where(last >= 0, np.searchsorted(ends, last, side="right"), -1).tolist()
        self._gained = step_gains(dag, order, gains)[ends - 1].tolist()
        self._gained += [0] * (len(self._stretches) - len(ends))

    def exchanged(self) -> Ids:
        """Move each stretch ahead of others while that is worth it."""
        done: list[int] = []
        for stretch in range(len(self._stretches)):
            at = len(done)
            while at and self._looks.left > 0 and self._passes(stretch, done[at - 1]):
                at -= 1
            done.insert(at, stretch)
        order = [task for stretch in done for task in self._stretches[stretch]]
        return np.array(order, np.int32)

    def _passes(self, stretch: int, before: int) -> bool:
        """Whether *stretch* is better ahead of *before*; if so, the gains are changed."""
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
        """Return what *stretch* enables only after *first*; None if it cannot run before."""
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
