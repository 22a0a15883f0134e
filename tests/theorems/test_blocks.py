"""Profiles of the bipartite building blocks of the papers.

They are in Cordasco et al. 2007 and 2011 and in Malewicz et al. 2007.
"""

from collections.abc import Sequence
from itertools import permutations

import pytest

from icsched import Dag
from icsched.families import clique, complete_bipartite, cycle, m, m_strand, n, pbt, w, w_strand
from icsched.pebble import enabled_profile
from tests.theorems.profiles import most_enabled

MOST_SOURCES = 13
UP_TO_TWELVE = range(1, 13)


def enabled_by(block: Dag, sources: Sequence[int]) -> list[int]:
    """Sinks enabled after each of the *sources*, all of them, in the given order."""
    order = [*sources, *block.sinks.tolist()]
    return enabled_profile(block, order)[: len(sources) + 1].tolist()


def check_left_to_right(block: Dag, profile: list[int]) -> None:
    """No order of *block* beats *profile*, and the sources from left to right attain it."""
    assert most_enabled(block) == profile
    assert enabled_by(block, range(len(block.sources))) == profile


@pytest.mark.parametrize("d", range(2, 7))
@pytest.mark.parametrize("s", UP_TO_TWELVE)
def test_each_source_of_a_w_dag_enables_d_minus_1_sinks_and_the_last_one_more(s, d):
    """Cordasco et al. 2011: E(x) = x(d-1) for x < s and E(s) = s(d-1) + 1."""
    check_left_to_right(w(s, d), [x * (d - 1) for x in range(s)] + [s * (d - 1) + 1])


@pytest.mark.parametrize(
    ("s", "d"),
    [(s, d) for d in range(2, 8) for s in UP_TO_TWELVE if s * (d - 1) + 1 <= MOST_SOURCES],
)
def test_an_m_dag_enables_a_sink_for_every_d_minus_1_sources_past_the_first(s, d):
    """Cordasco et al. 2011: s(d-1) + 1 sources, and E(x) = floor((x-1) / (d-1)) for x >= 1."""
    sources = s * (d - 1) + 1

    check_left_to_right(m(s, d), [0] + [(x - 1) // (d - 1) for x in range(1, sources + 1)])


@pytest.mark.parametrize("s", UP_TO_TWELVE)
def test_each_source_of_an_n_dag_enables_one_sink(s):
    """Cordasco et al. 2011: E(x) = x, from the source that owns a sink of its own."""
    check_left_to_right(n(s), list(range(s + 1)))


@pytest.mark.parametrize("s", UP_TO_TWELVE)
def test_an_n_dag_run_backwards_lags_by_one_sink_until_the_end(s):
    """0, 0, 1, .., s-2, s: every sink but the leftmost waits for two neighbours."""
    assert enabled_by(n(s), range(s)[::-1]) == [0, *range(s - 1), s]


@pytest.mark.parametrize("s", range(2, 13))
def test_the_first_source_of_a_cycle_enables_nothing_and_the_last_enables_two(s):
    """Cordasco et al. 2011: E(x) = x - 1 for 0 < x < s and E(s) = s."""
    check_left_to_right(cycle(s), [0, *range(s - 1), s])


@pytest.mark.parametrize("s", range(2, 8))
def test_an_order_of_a_cycle_is_optimal_iff_the_executed_sources_stay_consecutive(s):
    """x sources enable x - 1 sinks if and only if they are an arc of the cycle."""

    def is_arc(sources):
        return sum((v + 1) % s not in sources for v in sources) == 1

    for order in permutations(range(s)):
        optimal = enabled_by(cycle(s), order) == [0, *range(s - 1), s]
        assert optimal == all(is_arc(set(order[:x])) for x in range(1, s))


@pytest.mark.parametrize("s", range(2, 13))
def test_x_sources_of_a_clique_enable_every_pair_among_them(s):
    """Malewicz et al. 2007, Fig. 2: E(x) = x(x-1) / 2."""
    check_left_to_right(clique(s), [x * (x - 1) // 2 for x in range(s + 1)])


@pytest.mark.parametrize("s", range(2, 7))
def test_any_order_of_a_clique_is_optimal(s):
    """Any x sources have x(x-1) / 2 pairs."""
    for order in permutations(range(s)):
        assert enabled_by(clique(s), order) == [x * (x - 1) // 2 for x in range(s + 1)]


@pytest.mark.parametrize("a", UP_TO_TWELVE)
@pytest.mark.parametrize("b", [1, 2, 7])
def test_a_complete_bipartite_dag_enables_all_sinks_at_once_at_the_end(a, b):
    """Every sink needs every source: E(x) = 0 for x < a and E(a) = b."""
    check_left_to_right(complete_bipartite(a, b), [0] * a + [b])


def test_a_strand_of_w_dags_starts_at_its_largest_end():
    """Cordasco et al. 2007, Fig. 6, W[4] and W[4,2,4,3].

    Sources a, b, c, d; from left to right three sinks of a alone, one of a and b, one of b
    and c, two of c alone, one of c and d, two of d alone. First a enables its three, then c
    its two, then d its two and the one it shares with c, and b the last two.
    """
    assert most_enabled(w_strand("4")) == [0, 4]
    assert most_enabled(w_strand("4,2,4,3")) == [0, 3, 5, 8, 10]


def test_a_strand_of_m_dags_starts_at_its_smallest_sink():
    """Cordasco et al. 2007, Fig. 6, M[4,2,4,3] and M[4].

    The sink of 2 parents costs 2 sources, the next of 4 only 3 more since it shares one,
    the one of 3 another 2, and the first of 4 another 3: steps 2, 5, 7 and 10.
    """
    assert most_enabled(m_strand("4")) == [0, 0, 0, 0, 1]
    assert most_enabled(m_strand("4,2,4,3")) == [0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 4]


def test_the_planar_bipartite_tree_p_has_the_profile_worked_out_by_hand():
    """Cordasco et al. 2007, Figs. 4 and 6: P = [1/4,3,1/3,3,1/2,2,1/4,3,1/2].

    Its sources 1 to 11 have eight sinks, named here by their parents: 1234, 4, 456, 6,
    67, 789A, A and AB. Running A, B, 6, 7, 4, 5 enables one each. Then 789A lacks two
    sources and 1234 three: steps 8 and 11.
    """
    p = pbt("1/4,3,1/3,3,1/2,2,1/4,3,1/2")

    assert (len(p.sources), len(p.sinks)) == (11, 8)
    assert most_enabled(p) == [0, 1, 2, 3, 4, 5, 6, 6, 7, 7, 7, 8]


def test_the_dual_of_p_has_the_profile_that_duality_gives():
    """Cordasco et al. 2007, Fig. 6: the least number of sources that enable e sinks is 8 - E(11-e).

    For e = 1 .. 11 that is 1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8.
    """
    dual_of_p = pbt("4,1/3,3,1/3,2,1/2,4,1/3,2")

    assert most_enabled(dual_of_p) == [0, 3, 5, 6, 7, 8, 9, 10, 11]
    assert most_enabled(pbt("1/4,3,1/3,3,1/2,2,1/4,3,1/2").dual()) == most_enabled(dual_of_p)
