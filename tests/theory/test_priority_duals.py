"""The priority relation of duals, and of dags that are not bipartite."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched.families import (
    evolving_mesh,
    fft,
    mesh,
    out_tree,
    prefix,
    random_bipartite,
    random_layered,
    tree,
)
from icsched.pebble import ic_optimal_order
from icsched.theory import (
    BlockProfile,
    best_profile,
    has_dual_priority_over,
    has_priority_over,
)
from tests.serve.clusters.posets import small_dags
from tests.theory.block_profiles import (
    CYCLES,
    SHAPES,
    cycle_profile,
    m_profile,
    n_profile,
    profile_by_referee,
    relation,
    tree_profiles,
    trees,
    w_profile,
)

# Profiles of duals


def test_the_dual_of_a_fork_is_a_join():
    assert BlockProfile(1, (0, 3)).dual() == BlockProfile(3, (0, 0, 0, 1))
    assert BlockProfile(3, (0, 0, 0, 1)).dual() == BlockProfile(1, (0, 3))


@pytest.mark.parametrize(("s", "d"), SHAPES)
def test_w_and_m_dags_are_dual(s, d):
    assert w_profile(s, d).dual() == m_profile(s, d)
    assert m_profile(s, d).dual() == w_profile(s, d)


@pytest.mark.parametrize("s", CYCLES)
def test_n_dags_and_cycles_are_their_own_duals(s):
    assert n_profile(s).dual() == n_profile(s)
    assert cycle_profile(s).dual() == cycle_profile(s)


def test_the_dual_profile_is_what_the_referee_finds_for_the_dual_block():
    """Cordasco et al. 2007, section 4, on random trees and on bipartite dags without isolated
    tasks.
    """
    blocks = [tree for tree in trees(150) if max(len(tree.sources), len(tree.sinks)) <= 13]
    drawn = [random_bipartite(6, 5, arcs, seed=seed) for arcs in (9, 12, 16) for seed in range(100)]
    blocks += [dag for dag in drawn if (dag.in_degrees + dag.out_degrees).min() > 0]
    with_order = sum(ic_optimal_order(block) is not None for block in blocks)

    assert len(blocks) >= 300
    assert 0 < with_order < len(blocks)  # the formula holds with and without such an order
    for block in blocks:
        assert profile_by_referee(block).dual() == profile_by_referee(block.dual())


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
@settings(max_examples=200)
def test_the_dual_of_the_dual_is_the_profile_itself(gains):
    """For blocks whose nonsinks are all sources, and whose last source enables something."""
    gains[-1] += 1
    block = BlockProfile(len(gains), (0, *np.cumsum(gains).tolist()))

    assert block.dual().dual() == block


# The dual priority relation


def fewest_to_enable(enabled: tuple[int, ...]) -> list[int]:
    """X(0), X(1), ..: the fewest executions that enable e nonsources or more."""
    return [
        next(x for x, count in enumerate(enabled) if count >= e) for e in range(enabled[-1] + 1)
    ]


def dual_priority(first: BlockProfile, second: BlockProfile) -> bool:
    """Inequality (6) of Cordasco et al. 2007, word for word."""
    x1, x2 = fewest_to_enable(first.enabled), fewest_to_enable(second.enabled)
    n1 = len(x1) - 1
    return all(
        x1[e] + x2[f] >= x1[min(e + f, n1)] + x2[max(0, e + f - n1)]
        for e, f in product(range(len(x1)), range(len(x2)))
    )


def test_dual_priority_is_priority():
    """Cordasco et al. 2007, Lemma 4.1, on all pairs of the profiles of 150 and more blocks."""
    known = tree_profiles()

    assert [[has_dual_priority_over(a, b) for b in known] for a in known] == relation().tolist()


@cache
def profiles_of_any_dags() -> list[BlockProfile]:
    """Profiles of small dags of three levels and more that have an IC-optimal order."""
    drawn = [random_layered(8, 3, 2, seed=seed) for seed in range(150)]
    meshes = [mesh(3), mesh(4), evolving_mesh(4), out_tree(2), tree(2), fft(2), prefix(4)]
    found = [profile for dag in [*drawn, *meshes] if (profile := best_profile(dag)) is not None]
    return sorted(set(found), key=lambda p: (p.enabled, p.sources))


def test_dual_priority_is_priority_for_dags_that_are_not_bipartite():
    """Lemma 4.1 and inequality (6) on all pairs of profiles of deeper dags."""
    known = profiles_of_any_dags()

    assert len(known) >= 30
    for first, second in product(known, known):
        by_words = dual_priority(first, second)
        assert has_dual_priority_over(first, second) == by_words
        assert has_priority_over(first, second) == by_words


def test_a_dag_that_is_not_bipartite_has_priority_iff_its_dual_has_the_lower_one():
    """Cordasco et al. 2007, Theorem 4.2, through either relation."""
    for first, second in product(profiles_of_any_dags(), repeat=2):
        over = has_priority_over(first, second)
        assert has_dual_priority_over(second.dual(), first.dual()) == over
        assert has_priority_over(second.dual(), first.dual()) == over


@pytest.mark.parametrize("tasks", [3, 4, 5, 6])
def test_the_profile_of_the_dual_is_read_off_for_every_small_dag(tasks):
    for dag in small_dags(tasks):
        profile = best_profile(dag)
        if profile is not None:
            assert profile.dual() == best_profile(dag.dual())


def test_priority_is_transitive_for_dags_that_are_not_bipartite():
    known = profiles_of_any_dags()
    over = np.array([[has_priority_over(a, b) for b in known] for a in known]).astype(int)
    triples = over @ over

    assert triples.sum() > 100
    assert not ((triples > 0) & (over == 0)).any()
