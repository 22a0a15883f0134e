"""Nodes in layers: levels, places and crossings, each beside a plain computation."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from icsched import Dag, families
from icsched.report import layout
from icsched.report.scene import dag_picture
from tests.strategies import dags


def longest_path_to(dag: Dag, task: int) -> int:
    return max((1 + longest_path_to(dag, parent) for parent in dag.parents(task)), default=0)


def drawn(dag: Dag, passes: int) -> tuple[np.ndarray, int]:
    """Return the places, and how many crossings there are."""
    x = layout.places_across(dag.levels, *dag.arcs.T, passes)
    return x, layout.crossings(dag.levels, x, *dag.arcs.T)


def crossings(dag: Dag, x: np.ndarray) -> int:
    """Count pairs of straight arcs that cross between two neighbouring levels, all pairs tried."""
    level = dag.levels.tolist()

    def at(arc, height):
        parent, child = arc
        share = (height - level[parent]) / (level[child] - level[parent])
        return x[parent] * (1 - share) + x[child] * share

    found = 0
    for one, other in combinations(dag.arcs.tolist(), 2):
        top = max(level[one[0]], level[other[0]])
        bottom = min(level[one[1]], level[other[1]])
        found += sum(
            (at(one, h) - at(other, h)) * (at(one, h + 1) - at(other, h + 1)) < 0
            for h in range(top, bottom)
        )
    return found


@given(dags(most_tasks=12))
def test_the_place_from_the_top_is_the_longest_path_and_no_two_nodes_share_a_place(dag):
    picture = dag_picture(dag)

    assert (picture.y - 0.5).tolist() == [longest_path_to(dag, task) for task in range(len(dag))]
    assert len(set(zip(picture.x.tolist(), picture.y.tolist(), strict=True))) == len(dag)
    assert all(0 < x < picture.width for x in picture.x.tolist())
    assert all(0 < y < picture.height for y in picture.y.tolist())


@given(dags(most_tasks=12))
def test_passes_never_add_a_crossing_and_crossings_are_counted_right(dag):
    (before, most), (after, fewest) = drawn(dag, 0), drawn(dag, 8)

    assert most == crossings(dag, before)
    assert fewest == crossings(dag, after) <= most


@pytest.mark.parametrize("seed", range(3))
def test_passes_untangle_random_layers(seed):
    dag = families.random_layered(60, 10, seed=seed)
    (_, most), (after, fewest) = drawn(dag, 0), drawn(dag, 8)

    assert fewest == crossings(dag, after) < most


def test_a_shuffled_tree_is_drawn_without_a_crossing():
    r"""
         0
       /   \        Ids of the leaves are exchanged, so that arcs cross in the order of ids.
      1     2
     / \   / \
    3   5 4   6
    """
    tree = Dag.from_arcs(7, [(0, 1), (0, 2), (1, 3), (1, 5), (2, 4), (2, 6)])

    assert (drawn(tree, 0)[1], drawn(tree, 8)[1]) == (1, 0)


def test_a_dag_without_tasks_has_a_picture():
    picture = dag_picture(Dag({}))

    assert (len(picture), picture.label) == (0, ())
