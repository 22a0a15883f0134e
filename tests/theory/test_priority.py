"""The priority relation: the kernel against the twin, and the theorems of Cordasco et al. 2007 and
2011.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import Dag, _native
from icsched.families import (
    clique,
    complete_bipartite,
    cycle,
    evolving_mesh,
    fft,
    m,
    mesh,
    n,
    out_tree,
    prefix,
    random_bipartite,
    random_layered,
    random_tree_sum,
    tree,
    w,
    w_strand,
)
from icsched.pebble import ic_optimal_order
from icsched.theory import (
    BlockProfile,
    best_profile,
    has_dual_priority_over,
    has_priority_over,
    priority,
)
from tests.serve.clusters.posets import small_dags
from tests.theorems.profiles import most_enabled
from tests.theory import paper
from tests.theory.priorities import convolution

COUNTINGS = ("eligible", "nonsources")


def profile_of(gains: list[int], sources: int = 0) -> BlockProfile:
    """Return a profile with these gains; with *sources* if that leaves no count negative."""
    enabled = np.concatenate([[0], np.cumsum(gains, dtype=np.int64)])
    fewest = int((np.arange(len(enabled)) - enabled).max())
    return BlockProfile(max(sources, fewest), tuple(enabled.tolist()))


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
SIZES = range(1, 9)
CYCLES = range(2, 9)


@pytest.mark.parametrize(("s", "d"), [*product((1, 2, 3), (2, 3, 4))])
def test_the_formulas_used_below_are_what_the_referee_finds(s, d):
    assert w_profile(s, d) == profile_by_referee(w(s, d))
    assert m_profile(s, d) == profile_by_referee(m(s, d))
    assert n_profile(s) == profile_by_referee(n(s))
    assert cycle_profile(d) == profile_by_referee(cycle(d))


# The kernel and its twin


@st.composite
def profiles(draw: st.DrawFn) -> BlockProfile:
    """A profile as some block might have it."""
    gains = draw(st.lists(st.integers(0, 4), max_size=8))
    return profile_of(gains, draw(st.integers(0, 10)))


@st.composite
def long_profiles(draw: st.DrawFn) -> BlockProfile:
    """A profile of a few long stretches of equal slope, which the kernel jumps over."""
    stretch = st.tuples(st.integers(0, 3), st.integers(1, 25))
    stretches = draw(st.lists(stretch, min_size=1, max_size=4))
    gains = [slope for slope, length in stretches for _ in range(length)]
    return profile_of(gains, draw(st.integers(0, 100)))


COUNTS = st.lists(st.integers(0, 6), min_size=1, max_size=9)


@st.composite
def long_counts(draw: st.DrawFn) -> list[int]:
    """Nonnegative counts that rise, fall and rest in long stretches."""
    ends = draw(st.lists(st.tuples(st.integers(-2, 2), st.integers(1, 25)), max_size=4))
    slopes = [slope for slope, length in ends for _ in range(length)]
    counts = np.concatenate([[0], np.cumsum(slopes, dtype=np.int64)])
    return (counts - counts.min() + draw(st.integers(0, 3))).tolist()


def least_share(first: list[int], second: list[int]) -> Fraction:
    """The least share that one after the other has of the most: the priority once more."""
    a, b = np.array(first), np.array(second)
    in_turn = np.concatenate([a + b[0], a[-1] + b[1:]]).tolist()
    most = convolution(first, second).tolist()
    return min([Fraction(1), *(Fraction(x, y) for x, y in zip(in_turn, most, strict=True) if y)])


def kernel(first: list[int], second: list[int]) -> Fraction:
    return Fraction(*_native.priority(np.array(first, np.int64), np.array(second, np.int64)))


@given(profiles() | long_profiles(), profiles() | long_profiles(), st.sampled_from(COUNTINGS))
def test_the_priority_of_profiles_is_that_of_the_twin(first, second, counting):
    counts = first.counts(counting).tolist(), second.counts(counting).tolist()

    assert priority(first, second, counting=counting) == paper.priority(*counts)


@given(COUNTS | long_counts(), COUNTS | long_counts())
def test_the_kernel_is_right_on_any_nonnegative_counts(first, second):
    """Not only on those that an order of a block can have."""
    assert kernel(first, second) == paper.priority(first, second)


@pytest.mark.parametrize("seed", range(40))
def test_the_kernel_is_right_on_profiles_of_thousands_of_steps(seed):
    """Piecewise linear, of two to ten stretches of up to 400 steps."""
    rng = np.random.default_rng(seed)
    blocks = []
    for _ in range(2):
        lengths = rng.integers(1, 400, size=rng.integers(2, 11))
        blocks.append(profile_of(np.repeat(rng.integers(0, 4, size=len(lengths)), lengths), 5))
    for counting in COUNTINGS:
        counts = [block.counts(counting).tolist() for block in blocks]
        assert priority(*blocks, counting=counting) == least_share(*counts)


@given(profiles(), profiles())
def test_full_priority_does_not_depend_on_what_is_counted(first, second):
    expected = paper.has_priority(first.enabled, second.enabled)

    assert has_priority_over(first, second) == expected
    assert (priority(first, second, counting="nonsources") == 1) == expected


@given(profiles(), profiles(), st.sampled_from(COUNTINGS))
def test_a_priority_is_a_share(first, second, counting):
    assert 0 <= priority(first, second, counting=counting) <= 1


@given(COUNTS, COUNTS)
def test_the_convolution_is_that_of_the_twin(first, second):
    assert convolution(first, second).tolist() == paper.convolve(first, second)


def test_an_m_dag_over_a_w_dag_loses_everything_or_half():
    """M(1,2) enables 0, 0, 1 and W(1,2) 0, 2; of all tasks eligible are 2, 1, 1 and 1, 2.

    The worst is to have run a source of M instead of W's: 0 enabled instead of 2, or
    1 + 1 eligible instead of 2 + 2.
    """
    join, fork = m_profile(1, 2), w_profile(1, 2)

    assert (join.counts().tolist(), fork.counts().tolist()) == ([2, 1, 1], [1, 2])
    assert priority(join, fork) == Fraction(1, 2)
    assert priority(join, fork, counting="nonsources") == 0
    assert priority(fork, join) == priority(fork, join, counting="nonsources") == 1


def test_blocks_without_nonsinks_lose_nothing():
    nothing = BlockProfile(0, (0,))

    assert priority(nothing, nothing) == 1
    assert priority(nothing, w_profile(2, 3), counting="nonsources") == 1
    assert priority(m_profile(2, 3), nothing, counting="nonsources") == 1


# Theorem 2.2 of Cordasco et al. 2011, for d >= 2 though it is printed with d > 0


@pytest.mark.parametrize(("s", "d"), SHAPES)
def test_w_dags_have_priority_over_whatever_is_not_more_expansive(s, d):
    """Part 1, and no more than that: never over the same d with fewer sources."""
    own = w_profile(s, d)
    for s2, d2 in SHAPES:
        assert has_priority_over(own, w_profile(s2, d2)) == (d2 < d or (d2 == d and s2 >= s))
        assert has_priority_over(own, m_profile(s2, d2))
    assert all(has_priority_over(own, n_profile(s2)) for s2 in SIZES)
    assert all(has_priority_over(own, cycle_profile(s2)) for s2 in CYCLES)


@pytest.mark.parametrize("s", SIZES)
def test_n_dags_have_priority_over_n_and_m_dags_and_never_over_w_dags_or_cycles(s):
    """Part 2."""
    own = n_profile(s)
    assert all(has_priority_over(own, n_profile(s2)) for s2 in SIZES)
    assert not any(has_priority_over(own, cycle_profile(s2)) for s2 in CYCLES)
    for s2, d2 in SHAPES:
        assert has_priority_over(own, m_profile(s2, d2))
        assert not has_priority_over(own, w_profile(s2, d2))


@pytest.mark.parametrize("s", CYCLES)
def test_cycles_have_priority_over_their_equals_and_m_dags_and_never_over_w_or_n_dags(s):
    """Part 3."""
    own = cycle_profile(s)
    assert [s2 for s2 in CYCLES if has_priority_over(own, cycle_profile(s2))] == [s]
    assert not any(has_priority_over(own, n_profile(s2)) for s2 in SIZES)
    for s2, d2 in SHAPES:
        assert has_priority_over(own, m_profile(s2, d2))
        assert not has_priority_over(own, w_profile(s2, d2))


@pytest.mark.parametrize(("s", "d"), SHAPES)
def test_m_dags_have_priority_over_whatever_is_not_less_reductive(s, d):
    """Part 4, and no more than that."""
    own = m_profile(s, d)
    for s2, d2 in SHAPES:
        assert has_priority_over(own, m_profile(s2, d2)) == (d2 > d or (d2 == d and s2 <= s))
        assert not has_priority_over(own, w_profile(s2, d2))
    assert not any(has_priority_over(own, n_profile(s2)) for s2 in SIZES)
    assert not any(has_priority_over(own, cycle_profile(s2)) for s2 in CYCLES)


def test_with_d_equal_to_1_the_theorem_would_be_false():
    """W(2,1) would be two sources over one sink: 0, 0, 1. One step into N(1) enables more."""
    assert not has_priority_over(BlockProfile(2, (0, 0, 1)), n_profile(1))


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


def test_priority_is_transitive():
    """On all triples of the profiles of 150 and more blocks."""
    over = relation().astype(int)
    triples = over @ over

    assert len(over) >= 150
    assert triples.sum() > 30_000
    assert not ((triples > 0) & (over == 0)).any()


def test_priority_is_neither_reflexive_nor_antisymmetric():
    """Two steps enable most of two strands W[4,2] by one in each: 3 + 3, not 3 + 2.

    N(1) and N(2) have priority over each other.
    """
    strand = profile_by_referee(w_strand("4,2"))

    assert strand.enabled == (0, 3, 5)
    assert not has_priority_over(strand, strand)
    assert has_priority_over(n_profile(1), n_profile(2))
    assert has_priority_over(n_profile(2), n_profile(1))


def test_a_block_has_priority_over_another_iff_its_dual_has_the_lower_one():
    """Cordasco et al. 2007, Theorem 4.2: G1 |> G2 iff dual(G2) |> dual(G1)."""
    duals = [block.dual() for block in tree_profiles()]
    over = np.array([[has_priority_over(a, b) for a in duals] for b in duals])

    assert np.array_equal(over, relation())


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
