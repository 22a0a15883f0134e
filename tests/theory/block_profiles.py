"""Profiles of blocks, by the formulas of the papers and by the referee."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np

from icsched import Dag
from icsched.families import (
    clique,
    complete_bipartite,
    cycle,
    n,
    random_tree_sum,
)
from icsched.theory import (
    BlockProfile,
    has_priority_over,
)
from tests.theorems.profiles import most_enabled


def profile_by_referee(block: Dag) -> BlockProfile:
    return BlockProfile(len(block.sources), tuple(most_enabled(block)))


# The papers' formulas (Cordasco et al. 2011, section 2.2)


@cache
def w_profile(s: int, d: int) -> BlockProfile:
    return BlockProfile(s, (*(x * (d - 1) for x in range(s)), s * (d - 1) + 1))


@cache
def m_profile(s: int, d: int) -> BlockProfile:
    sources = s * (d - 1) + 1
    return BlockProfile(sources, (0, *((x - 1) // (d - 1) for x in range(1, sources + 1))))


@cache
def n_profile(s: int) -> BlockProfile:
    return BlockProfile(s, tuple(range(s + 1)))


@cache
def cycle_profile(s: int) -> BlockProfile:
    return BlockProfile(s, (0, *range(s - 1), s))


SHAPES = [*product(range(1, 8), range(2, 7))]


CYCLES = range(2, 9)


# Laws


def trees(count: int) -> Iterator[Dag]:
    yield from (random_tree_sum(1, seed=seed) for seed in range(count))


@cache
def tree_profiles() -> list[BlockProfile]:
    """Distinct profiles of random planar bipartite trees and of the blocks with names."""
    small = [tree for tree in trees(600) if len(tree.sources) <= 14]
    named = [cycle(2), cycle(3), cycle(4), clique(4), complete_bipartite(3, 2), n(1), n(3)]
    return sorted(
        {*map(profile_by_referee, [*small, *named])}, key=lambda p: (p.enabled, p.sources)
    )


@cache
def relation() -> np.ndarray:
    known = tree_profiles()
    return np.array([[has_priority_over(a, b) for b in known] for a in known])
