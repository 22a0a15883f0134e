"""The literal twin of Malewicz et al. 2007: priorities, orders and bounds, by hand."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from icsched import Dag
from icsched.families import cycle, m, n, w
from icsched.pebble import check_order
from tests.strategies import dags
from tests.theorems.profiles import most_enabled
from tests.theory import paper
from tests.theory.paper_samples import (
    ALL_KINDS,
    PAPER_EXAMPLE,
    block,
    profile,
)


def eligible_profile(dag: Dag) -> list[int]:
    (whole,) = paper.decompose(dag)
    return paper.eligible(dag, whole, dag.sources.tolist())


def concatenated(first: list[int], second: list[int]) -> list[int]:
    """Profile of the order that runs all of *first* and then *second*."""
    return [count + second[0] for count in first] + [first[-1] + count for count in second[1:]]


def running_sums(gains: list[int]) -> list[int]:
    return [sum(gains[:x]) for x in range(len(gains) + 1)]


@st.composite
def profiles(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Counts of enabled and of eligible tasks for one order, as some dag might have them."""
    enabled = running_sums(draw(st.lists(st.integers(0, 4), max_size=6)))
    sources = max(x - count for x, count in enumerate(enabled)) + draw(st.integers(0, 3))
    return enabled, [sources + count - x for x, count in enumerate(enabled)]


# Priorities


def test_an_m_dag_over_a_w_dag_loses_everything_or_half():
    """M(1,2) enables 0, 0, 1 and W(1,2) 0, 2; of all tasks eligible are 2, 1, 1 and 1, 2.

    The worst is to have run a source of M instead of W's: 0 enabled instead of 2, or
    1 + 1 eligible instead of 2 + 2.
    """
    join, fork = m(1, 2), w(1, 2)

    assert (profile(join), profile(fork)) == ([0, 0, 1], [0, 2])
    assert (eligible_profile(join), eligible_profile(fork)) == ([2, 1, 1], [1, 2])
    assert paper.priority(profile(join), profile(fork)) == 0
    assert paper.priority(eligible_profile(join), eligible_profile(fork)) == Fraction(1, 2)
    assert paper.priority(profile(fork), profile(join)) == 1
    assert paper.priority(eligible_profile(fork), eligible_profile(join)) == 1


def test_sums_of_nothing_impose_nothing():
    assert paper.priority([0], [0]) == 1
    assert paper.priority([0, 0], [0]) == 1
    assert paper.has_priority([0, 0], [0])


@pytest.mark.parametrize(("s", "d"), [*product((1, 2, 3), (2, 3, 4))])
def test_w_dags_have_priority_over_less_expansive_blocks(s, d):
    """Cordasco et al. 2011, Theorem 2.2, part 1, for d >= 2."""
    own = profile(w(s, d))
    for other_s, other_d in product((1, 2, 3), (2, 3, 4)):
        expected = other_d < d or (other_d == d and other_s >= s)
        assert paper.has_priority(own, profile(w(other_s, other_d))) == expected
        assert paper.has_priority(own, profile(m(other_s, other_d)))
    assert all(paper.has_priority(own, profile(n(other))) for other in (1, 2, 3, 4))
    assert all(paper.has_priority(own, profile(cycle(other))) for other in (2, 3, 4))


@pytest.mark.parametrize("s", [2, 3, 4])
def test_n_dags_and_cycles_have_priority_over_m_dags_but_not_over_each_other(s):
    """Cordasco et al. 2011, Theorem 2.2, parts 2 and 3; unequal cycles are incomparable."""
    for other in (2, 3, 4):
        assert paper.has_priority(profile(n(s)), profile(n(other)))
        assert paper.has_priority(profile(cycle(s)), profile(cycle(other))) == (s == other)
        assert not paper.has_priority(profile(n(s)), profile(cycle(other)))
        assert not paper.has_priority(profile(cycle(s)), profile(n(other)))
    for other_s, d in product((1, 2, 3), (2, 3, 4)):
        assert paper.has_priority(profile(n(s)), profile(m(other_s, d)))
        assert paper.has_priority(profile(cycle(s)), profile(m(other_s, d)))


@pytest.mark.parametrize(("s", "d"), [*product((1, 2, 3), (2, 3, 4))])
def test_m_dags_have_priority_over_more_reductive_ones(s, d):
    """Cordasco et al. 2011, Theorem 2.2, part 4."""
    for other_s, other_d in product((1, 2, 3), (2, 3, 4)):
        expected = other_d > d or (other_d == d and other_s <= s)
        assert paper.has_priority(profile(m(s, d)), profile(m(other_s, other_d))) == expected


@given(profiles(), profiles())
def test_full_r_priority_is_priority_whatever_is_counted(first, second):
    """Malewicz et al. 2007, section 3.1: r = 1 is the relation |>, and does not depend on the
    counts.
    """
    expected = paper.has_priority(first[0], second[0])

    assert (paper.priority(first[0], second[0]) == 1) == expected
    assert (paper.priority(first[1], second[1]) == 1) == expected


@given(profiles(), profiles(), st.sampled_from([0, 1]))
def test_r_priority_is_the_least_share_that_one_block_after_the_other_has_of_the_most(
    first, second, counted
):
    e1, e2 = first[counted], second[counted]
    in_turn, most = concatenated(e1, e2), paper.convolve(e1, e2)
    shares = [Fraction(a, b) for a, b in zip(in_turn, most, strict=True) if b > 0]
    r = paper.priority(e1, e2)

    assert 0 <= r <= 1
    assert r == min(shares, default=1)
    assert paper.has_priority(e1, e2) == (in_turn == most)


# The order of the blocks


def test_the_example_of_malewicz_2007_runs_the_fork_before_the_chain():
    r"""
    a   c       a leaves 1 task eligible, c leaves 2: c has priority 1 over a,
    |  / \      a has (1 + 1) / (1 + 2) = 2/3 over c.
    b d   e
    """
    order = paper.prio_order(PAPER_EXAMPLE)

    assert [PAPER_EXAMPLE.names[task] for task in order] == ["c", "a", "b", "d", "e"]


def test_the_greedy_choice_loses_least_in_the_worst_case():
    """The join 0, 1 -> 2, the chain 3 -> 4 and the fork 5 -> 6, 7, 8, side by side.

    Eligible are 2, 1, 1 and 1, 1 and 1, 3. The fork has priority 1 over both others. Over
    the fork the join has only (1 + 1) / (2 + 3), the chain (1 + 1) / (1 + 3). Then the chain
    has 1 over the join, and the join (1 + 1) / (2 + 1) over the chain.
    """
    dag = Dag.from_arcs(9, [(0, 2), (1, 2), (3, 4), (5, 6), (5, 7), (5, 8)])
    blocks = paper.decompose(dag)
    counts = [[2, 1, 1], [1, 1], [1, 3]]

    assert paper.priority(counts[0], counts[2]) == Fraction(2, 5)
    assert paper.priority(counts[1], counts[2]) == Fraction(1, 2)
    assert paper.priority(counts[0], counts[1]) == Fraction(2, 3)
    assert paper.greedy(dag, blocks, counts) == [2, 1, 0]
    assert paper.prio_order(dag) == [5, 3, 0, 1, 2, 4, 6, 7, 8]


def test_equal_blocks_go_by_their_smallest_nonsink():
    """The fork 3 -> 0, 1 is detached first, for its sink 0, but runs after 2 -> 4, 5."""
    dag = Dag.from_arcs(6, [(3, 0), (3, 1), (2, 4), (2, 5)])

    assert paper.decompose(dag) == [block([3], [0, 1]), block([2], [4, 5])]
    assert paper.greedy(dag, paper.decompose(dag), [[1, 2], [1, 2]]) == [1, 0]
    assert paper.prio_order(dag) == [2, 3, 0, 1, 4, 5]


def test_a_block_waits_for_those_it_depends_on():
    """The fork 3 -> 4, 5, 6 follows the join 0, 1 -> 3, so the chain 2 -> 7 goes first."""
    dag = Dag.from_arcs(8, [(0, 3), (1, 3), (3, 4), (3, 5), (3, 6), (2, 7)])
    assert paper.prio_order(dag) == [2, 0, 1, 3, 4, 5, 6, 7]


def test_a_shortcut_does_not_hold_blocks_together():
    """0 -> 2 -> 3 with the shortcut 0 -> 3, and 1 -> 4: three blocks of one arc, by id."""
    dag = Dag.from_arcs(5, [(0, 2), (2, 3), (0, 3), (1, 4)])

    assert len(paper.decompose(dag)) == 2
    assert len(paper.decompose(paper.without_shortcuts(dag))) == 3
    assert paper.prio_order(dag) == [0, 1, 2, 3, 4]


def test_the_order_may_depend_on_what_the_priorities_compare():
    """The cycle 0, 1 -> 2, 3 beside the arc 4 -> 5.

    Eligible are 2, 1, 2 and 1, 1, and 3 at best after every step. Cycle first has 3, 2, 3, 3,
    arc first 3, 3, 2, 3: a priority of 2/3 for either, and the smaller ids go first. Enabled
    are 0, 0, 2 and 0, 1, at best 0, 1, 2, 3. Cycle first has 0, 0, 2, 3, a priority of 0; arc
    first has 0, 1, 1, 3, a priority of 1/2.
    """
    dag = cycle(2) + Dag.from_arcs(2, [(0, 1)])

    assert paper.prio_order(dag) == [0, 1, 4, 2, 3, 5]
    assert paper.prio_order(dag, profile=paper.enabled) == [4, 0, 1, 2, 3, 5]


@given(ALL_KINDS, st.sampled_from([paper.eligible, paper.enabled]))
def test_the_whole_order_is_legal_with_the_sinks_at_the_end_by_id(dag, counted):
    order = paper.prio_order(dag, profile=counted)

    check_order(dag, order)
    assert order[len(dag.nonsinks) :] == dag.sinks.tolist()


# Bounds


@given(dags(most_tasks=6), dags(most_tasks=6))
def test_the_best_profile_of_a_sum_is_the_convolution_of_the_best_profiles(first, second):
    best = paper.convolve(most_enabled(first), most_enabled(second))

    assert most_enabled(first + second) == best


@given(ALL_KINDS)
def test_closed_blocks_bound_what_any_order_enables(dag):
    reduced = paper.without_shortcuts(dag)
    blocks = paper.decompose(reduced)
    assume(paper.are_closed(reduced, blocks))
    bound = paper.closed_blocks_bound(most_enabled(reduced.induced(b.tasks)) for b in blocks)

    assert len(bound) == len(dag.nonsinks) + 1
    assert all(most <= limit for most, limit in zip(most_enabled(dag), bound, strict=True))
