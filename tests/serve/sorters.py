"""Sorters of both kinds, and what tests ask them."""

from collections.abc import Hashable
from graphlib import TopologicalSorter

from icsched import Sorter

EitherSorter = TopologicalSorter | Sorter


# The manual's first example: D needs B and C, which both need A.
DIAMOND = {"D": ["B", "C"], "C": ["A"], "B": ["A"]}


def prepared(sorter: EitherSorter) -> EitherSorter:
    sorter.prepare()
    return sorter


def groups(sorter: EitherSorter) -> list[set[Hashable]]:
    """Run a sorter to its end, finishing each group whole."""
    sorter.prepare()
    found = []
    while sorter.is_active():
        group = sorter.get_ready()
        found.append(set(group))
        sorter.done(*group)
    return found
