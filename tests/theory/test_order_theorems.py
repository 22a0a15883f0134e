"""Families that a theorem covers: the order is IC-optimal, by the referee and by formula."""

from collections.abc import Callable

import numpy as np
import pytest

from icsched import Dag
from icsched.families import (
    clique,
    complete_bipartite,
    cordasco2007_fig3,
    cordasco2007_fig6,
    cordasco2011_fig6,
    cycle,
    divide_and_conquer,
    evolving_mesh,
    fft,
    laplace,
    m,
    matmul,
    mesh,
    n,
    out_tree,
    prefix,
    tree,
    w,
)
from icsched.orders import prioritize
from icsched.pebble import optimal_profile
from tests.theorems.test_fft import steady_profile
from tests.theorems.test_meshes import lazy_profile
from tests.theorems.test_trees import trees
from tests.theory.samples import shuffled


def check_proved(dag: Dag, expected: object) -> None:
    """The order of *dag*, however numbered, is claimed IC-optimal and has that profile."""
    for numbered in (dag, shuffled(dag, seed=1), shuffled(dag, seed=2)):
        plan = prioritize(numbered, "prio")
        assert plan.proof.is_ic_optimal
        assert np.array_equal(plan.schedule.eligible, expected)


# By the referee, in all sizes that it can walk

WITHIN_REACH: dict[str, list[Dag]] = {
    "W-dags": [w(s, d) for d in (2, 3, 4) for s in range(1, 11)],
    "M-dags": [m(s, d) for d in (2, 3, 4) for s in range(1, 7)],
    "N-dags": [n(s) for s in range(1, 15)],
    "cycles": [cycle(s) for s in range(2, 15)],
    "cliques": [clique(s) for s in range(2, 11)],
    "dual cliques": [clique(s).dual() for s in range(2, 7)],
    "complete bipartite dags": [complete_bipartite(a, b) for a in range(1, 8) for b in (1, 2, 5)],
    "meshes": [mesh(levels) for levels in range(1, 12)],
    "evolving meshes": [evolving_mesh(levels) for levels in range(1, 12)],
    "trees": [tree(height) for height in range(5)],
    "ternary trees": [tree(height, 3) for height in range(3)],
    "out-trees": [out_tree(height) for height in range(5)],
    "ternary out-trees": [out_tree(height, 3) for height in range(3)],
    "fft dags": [fft(d) for d in range(4)],
    "parallel prefixes": [prefix(inputs) for inputs in range(1, 11)],
    "laplace transforms": [laplace(inputs) for inputs in range(1, 9)],
    "divide and conquer": [divide_and_conquer(height) for height in range(5)],
    "ternary divide and conquer": [divide_and_conquer(height, 3) for height in range(3)],
    "the matrix product": [matmul()],
    "Cordasco et al. 2011, Fig. 6": [cordasco2011_fig6()],
    "Cordasco et al. 2007, Fig. 6": [cordasco2007_fig6(which) for which in ("left", "right")],
}


@pytest.mark.parametrize("family", WITHIN_REACH)
def test_the_order_of_a_family_with_a_theorem_is_ic_optimal(family):
    for dag in WITHIN_REACH[family]:
        check_proved(dag, optimal_profile(dag))


@pytest.mark.parametrize("which", ["a", "b", "c"])
def test_the_expansive_reductive_dags_of_figure_3_are_run_ic_optimally(which):
    """Cordasco et al. 2007, Fig. 3: all three can be scheduled optimally by strands."""
    dag = cordasco2007_fig3(which)

    check_proved(dag, optimal_profile(dag))


@pytest.mark.parametrize("leaves", range(1, 8))
def test_every_binary_tree_is_run_ic_optimally_both_ways(leaves):
    """Rosenberg and Yurkewych 2005, Theorem 4.1, on all 1, 1, 2, 5, 14, 42 and 132 trees; and their
    duals.
    """
    for dag in trees(leaves):
        check_proved(dag, reducing(leaves))
        check_proved(dag.dual(), growing(leaves - 1))


# By formula, beyond


def reducing(leaves: int, arity: int = 2) -> list[int]:
    """Each task eligible is one leaf less, and every *arity* steps one task more; then the root."""
    nonsinks = (leaves - 1) // (arity - 1) * arity
    return [leaves - t + t // arity for t in range(nonsinks + 1)] + [0]


def growing(nonsinks: int, arity: int = 2) -> list[int]:
    """Each nonsink run adds its children less itself; then the leaves drain."""
    leaves = 1 + nonsinks * (arity - 1)
    return [1 + t * (arity - 1) for t in range(nonsinks)] + [*range(leaves + 1)][::-1]


def growing_and_reducing(height: int, arity: int) -> list[int]:
    leaves = arity**height
    nonsinks = (leaves - 1) // (arity - 1)
    return growing(nonsinks, arity)[:nonsinks] + reducing(leaves, arity)


def growing_mesh(levels: int) -> list[int]:
    """1, 2, 2, 3, 3, 3, .. while nonsinks run; then the l sinks drain."""
    return [k for k in range(1, levels) for _ in range(k)] + [*range(levels + 1)][::-1]


def constant(inputs: int, steps: int) -> list[int]:
    """A scan: every nonsink run enables one task, so the count stays until sinks drain."""
    return [inputs] * steps + [*range(inputs + 1)][::-1]


def scan_levels(inputs: int) -> int:
    return (inputs - 1).bit_length()


def summed_scan(inputs: int) -> list[int]:
    """A scan, whose outputs a binary tree adds up."""
    return [inputs] * (inputs * scan_levels(inputs)) + reducing(inputs)


BEYOND_REACH: dict[str, tuple[Callable[..., Dag], Callable[..., list[int]], list[tuple]]] = {
    "meshes": (mesh, lazy_profile, [(12,), (30,), (60,), (200,)]),
    "evolving meshes": (evolving_mesh, growing_mesh, [(12,), (30,), (60,), (200,)]),
    "trees": (
        tree,
        lambda height, arity=2: reducing(arity**height, arity),
        [(5,), (8,), (10,), (14,), (6, 3), (5, 5)],
    ),
    "out-trees": (
        out_tree,
        lambda height, arity=2: growing((arity**height - 1) // (arity - 1), arity),
        [(5,), (8,), (10,), (14,), (6, 3), (5, 5)],
    ),
    "fft dags": (fft, steady_profile, [(4,), (6,), (8,), (10,)]),
    "parallel prefixes": (
        prefix,
        lambda inputs: constant(inputs, inputs * scan_levels(inputs)),
        [(11,), (64,), (200,), (1000,)],
    ),
    "laplace transforms": (laplace, summed_scan, [(9,), (64,), (150,), (1000,)]),
    "divide and conquer": (
        divide_and_conquer,
        lambda height, arity=2: growing_and_reducing(height, arity),
        [(5,), (9,), (12,), (5, 3)],
    ),
}
CASES = [
    (family, sizes) for family, (_, _, all_sizes) in BEYOND_REACH.items() for sizes in all_sizes
]


@pytest.mark.parametrize(("family", "sizes"), CASES, ids=str)
def test_a_large_member_has_the_profile_of_the_formula(family, sizes):
    make, formula, _ = BEYOND_REACH[family]

    check_proved(make(*sizes), formula(*sizes))


@pytest.mark.parametrize("family", BEYOND_REACH)
def test_the_formulas_are_what_the_referee_finds_on_small_members(family):
    make, formula, _ = BEYOND_REACH[family]
    for size in range(1, 4):
        assert formula(size) == optimal_profile(make(size)).tolist()


LARGE_BLOCKS = {
    "W": (w(300, 4), [300 + 2 * x for x in range(300)] + [*range(902)][::-1]),
    "M": (m(300, 4), [901 - x + max(0, x - 1) // 3 for x in range(902)] + [*range(300)][::-1]),
    "N": (n(1000), constant(1000, 1000)),
    "C": (cycle(1000), [1000] + [999] * 999 + [*range(1001)][::-1]),
    "clique": (
        clique(60),
        [60 - x + x * (x - 1) // 2 for x in range(60)] + [*range(60 * 59 // 2 + 1)][::-1],
    ),
    "complete": (
        complete_bipartite(300, 200),
        [300 - x for x in range(300)] + [*range(201)][::-1],
    ),
}


@pytest.mark.parametrize("block", LARGE_BLOCKS)
def test_a_large_block_has_the_profile_of_the_formula(block):
    """Cordasco et al. 2011, section 2.2, and Malewicz et al. 2007: sources less executed plus
    enabled.
    """
    dag, expected = LARGE_BLOCKS[block]

    check_proved(dag, expected)
