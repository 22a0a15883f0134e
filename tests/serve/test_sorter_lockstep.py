"""Sorter and graphlib, call by call side by side."""

import graphlib
from collections.abc import Hashable
from graphlib import TopologicalSorter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import Sorter
from tests.serve.sorters import EitherSorter
from tests.strategies import arc_lists

# Lockstep with graphlib


def both(tasks: int, arcs: list[tuple[int, int]]) -> tuple[TopologicalSorter, Sorter]:
    theirs, ours = TopologicalSorter(), Sorter()
    for sorter in (theirs, ours):
        for task in range(tasks):
            sorter.add(task)
        for parent, child in arcs:
            sorter.add(child, parent)
    return theirs, ours


def prepare_both(theirs: TopologicalSorter, ours: Sorter, arcs: list[tuple[int, int]]) -> None:
    """Prepare both; they agree on whether there is a cycle, and ours names a real one."""
    try:
        theirs.prepare()
    except graphlib.CycleError:
        with pytest.raises(graphlib.CycleError) as caught:
            ours.prepare()
        cycle = caught.value.args[1]
        assert cycle[0] == cycle[-1]
        assert set(pairwise(cycle)) <= set(arcs)
    else:
        ours.prepare()


@settings(deadline=None)
@given(arc_lists(), st.data())
def test_sorter_and_graphlib_hand_out_the_same_tasks_as_workers_finish(graph, data):
    tasks, arcs = graph
    theirs, ours = both(tasks, arcs)
    prepare_both(theirs, ours, arcs)
    out: list[Hashable] = []

    while theirs.is_active():
        assert ours.is_active()
        fresh = ours.get_ready()
        assert set(fresh) == set(theirs.get_ready())
        out.extend(fresh)
        shuffled = data.draw(st.permutations(out))
        finished = shuffled[: data.draw(st.integers(1, len(out)))]
        theirs.done(*finished)
        ours.done(*finished)
        out = [task for task in out if task not in finished]

    assert not ours.is_active()
    assert ours.get_ready() == theirs.get_ready() == ()


def outcome(sorter: EitherSorter, finished: list[int] | None) -> object:
    """What one call does: the tasks it hands out, or the first words of its objection."""
    if finished is None:
        return set(sorter.get_ready())
    try:
        return sorter.done(*finished)
    except ValueError as error:
        return str(error)[: len("node 0 was not passed out")]


@settings(deadline=None)
@given(arc_lists(), st.lists(st.none() | st.lists(st.integers(0, 8), max_size=4), max_size=12))
def test_sorter_and_graphlib_agree_on_any_calls_right_or_wrong(graph, calls):
    """None stands for get_ready(), a list for done() of these tasks; 8 is never a task."""
    tasks, arcs = graph
    theirs, ours = both(tasks, arcs)
    prepare_both(theirs, ours, arcs)

    for finished in calls:
        assert outcome(ours, finished) == outcome(theirs, finished)
        assert ours.is_active() == theirs.is_active()
