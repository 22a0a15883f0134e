"""The priority relation: the kernel against the twin, and the theorems of Cordasco et al. 2007 and
2011.
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import _native
from icsched.errors import ArgumentError
from icsched.families import (
    cycle,
    m,
    n,
    w,
    w_strand,
)
from icsched.theory import (
    BlockProfile,
    has_priority_over,
    priority,
)
from tests.theory import paper
from tests.theory.block_profiles import (
    CYCLES,
    SHAPES,
    cycle_profile,
    m_profile,
    n_profile,
    profile_by_referee,
    relation,
    tree_profiles,
    w_profile,
)
from tests.theory.priorities import convolution


def profile_of(gains: list[int], sources: int = 0) -> BlockProfile:
    """Return a profile with these gains, and with enough *sources* that each step has a task."""
    enabled = np.concatenate([[0], np.cumsum(gains, dtype=np.int64)])
    fewest = int((np.arange(1, len(enabled)) - enabled[:-1]).max(initial=0))
    return BlockProfile(max(sources, fewest), tuple(enabled.tolist()))


SIZES = range(1, 9)


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


@given(profiles() | long_profiles(), profiles() | long_profiles())
def test_the_priority_of_profiles_is_that_of_the_twin(first, second):
    counts = first.counts().tolist(), second.counts().tolist()

    assert priority(first, second) == paper.priority(*counts)


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
    counts = [block.counts().tolist() for block in blocks]

    assert priority(*blocks) == least_share(*counts)


@given(profiles(), profiles())
def test_full_priority_does_not_depend_on_what_is_counted(first, second):
    expected = paper.has_priority(first.enabled, second.enabled)

    assert has_priority_over(first, second) == expected


@given(profiles(), profiles())
def test_a_priority_is_a_share(first, second):
    assert 0 <= priority(first, second) <= 1


@given(COUNTS, COUNTS)
def test_the_convolution_is_that_of_the_twin(first, second):
    assert convolution(first, second).tolist() == paper.convolve(first, second)


def test_an_m_dag_over_a_w_dag_loses_half():
    """Of all tasks of M(1,2) 2, 1, 1 are eligible, of W(1,2) 1, 2.

    The worst is to have run a source of M instead of W's: 1 + 1 eligible instead of 2 + 2.
    """
    join, fork = m_profile(1, 2), w_profile(1, 2)

    assert (join.counts().tolist(), fork.counts().tolist()) == ([2, 1, 1], [1, 2])
    assert priority(join, fork) == Fraction(1, 2)
    assert priority(fork, join) == 1


@pytest.mark.parametrize("enabled", [(), (1, 2), (0, 2, 1), (0, 0.5)])
def test_what_is_no_profile_is_refused(enabled):
    with pytest.raises(ArgumentError, match="enabled: expected counts that start at 0"):
        BlockProfile(2, enabled)


def test_a_block_cannot_run_more_tasks_than_become_eligible():
    """One source enables nothing, so there is no second task to run."""
    with pytest.raises(ArgumentError, match="sources: expected a whole number, 2 or more, got 1"):
        BlockProfile(1, (0, 0, 1))


def test_blocks_without_nonsinks_lose_nothing():
    nothing = BlockProfile(0, (0,))

    assert priority(nothing, nothing) == 1
    assert priority(nothing, w_profile(2, 3)) == 1
    assert priority(m_profile(2, 3), nothing) == 1


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
