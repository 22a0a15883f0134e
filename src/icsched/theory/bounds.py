"""A certified bound on the eligible tasks that any order of a dag can have."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from icsched.dag import Graph, dag_of
from icsched.pebble import Order, Schedule
from icsched.theory.certificate import Certificate, certificate_of
from icsched.theory.settled import Counts, Settled
from icsched.theory.settling import FULL, settle


@dataclass(frozen=True, eq=False)
class Bound:
    """A bound that no order of a dag exceeds; `settled` has the reasons."""

    settled: Settled

    def __repr__(self) -> str:
        return f"Bound(eligible={np.array2string(self.eligible, threshold=12, edgeitems=4)})"

    @cached_property
    def eligible(self) -> Counts:
        """The most tasks that can be eligible after 0, 1, 2, ... executed tasks, at most."""
        found, dag = self.settled, self.settled.dag
        whole = Schedule.trusted(dag, np.append(found.order, dag.sinks))
        return Certificate(found, whole).bound

    def certificate(self, order: Order) -> Certificate:
        """Compare *order* with the bound; raises ScheduleError if it is not legal."""
        return certificate_of(self.settled, order)


def bound(graph: Graph) -> Bound:
    """Return a bound on the eligible tasks of any order of *graph*.

    The work is limited by counts. So large dags get weaker bounds, and the same graph always the
    same bound. Raises GraphError for a graph that is not a dag.

    >>> found = bound({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    >>> found.eligible.tolist(), found.certificate([0, 2, 1, 3, 4]).area_ratio
    ([2, 3, 3, 2, 1, 0], 0.9090909090909091)
    """
    return Bound(settle(dag_of(graph), FULL))
