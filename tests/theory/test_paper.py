"""The literal twin of Malewicz et al. 2007 on cases worked by hand, and the laws it must keep."""

from fractions import Fraction
from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from icsched import Dag, eligibility_profile
from icsched.families import airsn, clique, cycle, inspiral, m, n, w
from icsched.pebble import check_order
from tests.strategies import dags
from tests.theorems.profiles import most_enabled
from tests.theory import paper
from tests.theory.paper import Block

PAPER_EXAMPLE = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
DIAMOND = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})

# Drawn at the test of arcs out of a component.
CROSSED = Dag.from_arcs(8, [(0, 2), (1, 3), (0, 4), (3, 4), (1, 5), (2, 5), (2, 6), (6, 7)])


def block(nonsinks, sinks) -> Block:
    return Block(frozenset(nonsinks), frozenset(sinks))


def profile(dag: Dag) -> list[int]:
    """Enabled tasks of a bipartite *dag* of one block whose sources run left to right."""
    (whole,) = paper.decompose(dag)
    return paper.enabled(dag, whole, dag.sources.tolist())


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


@st.composite
def tangled_dags(draw: st.DrawFn) -> Dag:
    """Dags of 14 tasks, most with components that are not bipartite, a third not closed."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shuffled = rng.permutation(14)
    pairs = np.argwhere(np.triu(rng.random((14, 14)) < 0.25, k=1))
    return Dag.from_arcs(14, shuffled[pairs])


ALL_KINDS = dags() | tangled_dags()


# Shortcuts


def test_an_arc_is_a_shortcut_if_a_longer_path_does_the_same():
    r"""
      a
     /|
    b |     a -> c is one; a -> b and b -> c are not.
     \|
      c
    """
    dag = Dag({"a": [], "b": ["a"], "c": ["a", "b"]})

    assert paper.shortcuts(dag) == {(0, 2)}
    assert paper.without_shortcuts(dag) == Dag.from_arcs(3, [(0, 1), (1, 2)])
    assert paper.shortcuts(DIAMOND) == set()


@given(ALL_KINDS)
def test_without_shortcuts_a_dag_is_its_transitive_reduction(dag):
    reduced = nx.transitive_reduction(dag.to_networkx())

    assert set(paper.arcs(paper.without_shortcuts(dag))) == set(reduced.edges)


# Decomposition


def test_a_chain_falls_into_its_arcs():
    """0 -> 1 -> 2 -> 3"""
    chain = Dag.from_arcs(4, [(0, 1), (1, 2), (2, 3)])
    blocks = paper.decompose(chain)

    assert blocks == [block([0], [1]), block([1], [2]), block([2], [3])]
    assert paper.superdag_arcs(chain, blocks) == {(0, 1), (1, 2)}
    assert paper.prio_order(chain) == [0, 1, 2, 3]


def test_a_diamond_falls_into_a_fork_and_a_join():
    r"""
      a
     / \
    b   c
     \ /
      d
    """
    blocks = paper.decompose(DIAMOND)

    assert blocks == [block([0], [1, 2]), block([1, 2], [3])]
    assert paper.superdag_arcs(DIAMOND, blocks) == {(0, 1)}
    assert paper.prio_order(DIAMOND) == [0, 1, 2, 3]


def test_the_component_of_a_source_has_the_ancestors_but_only_children_of_sources():
    r"""
      a   d       C(d) has d's child e and all above it, b and a. As a source, a brings its
     / \  |       other child c; b is no source, so its child f stays out.
    c   b |
       / \|
      f   e
    """
    dag = Dag({"a": [], "b": ["a"], "c": ["a"], "d": [], "e": ["b", "d"], "f": ["b"]})

    assert paper.closure(dag, range(6), 3) == {0, 1, 2, 3, 4}
    assert paper.closure(dag, range(6), 0) == {0, 1, 2}
    assert paper.decompose(dag) == [block([0], [1, 2]), block([1, 3], [4, 5])]


def test_removed_tasks_are_parents_no_more():
    """In the chain 0 -> 1 -> 2 without 0, task 1 is a source."""
    chain = Dag.from_arcs(3, [(0, 1), (1, 2)])

    assert paper.closure(chain, {0, 1, 2}, 0) == {0, 1}
    assert paper.closure(chain, {1, 2}, 1) == {1, 2}


def test_an_isolated_task_is_a_block_without_nonsinks():
    dag = Dag({"a": [], "b": [], "c": ["b"]})
    blocks = paper.decompose(dag)

    assert blocks == [block([], [0]), block([1], [2])]
    assert paper.enabled(dag, blocks[0], []) == [0]
    assert paper.eligible(dag, blocks[0], []) == [1]
    assert paper.prio_order(dag) == [1, 0, 2]


def test_a_dag_without_tasks_has_no_blocks():
    empty = Dag({})

    assert paper.decompose(empty) == []
    assert paper.prio_order(empty) == []
    assert paper.closed_blocks_bound([]) == [0]


def test_a_bipartite_component_goes_before_another_with_smaller_tasks():
    """The non-bipartite component of CROSSED, tasks 0 to 5, waits for the arc 8 -> 9."""
    dag = CROSSED + Dag.from_arcs(2, [(0, 1)])
    blocks = paper.decompose(dag)

    assert blocks[0] == block([8], [9])
    assert blocks[1] == block([0, 1, 2, 3], [4, 5])


def test_arcs_out_of_a_component_order_blocks_that_share_no_task():
    """
    0 --> 2 --> 6 --> 7     The components of the sources 0 and 1 are the same, tasks 0 to 5:
    |     |                 0 brings its children 2 and 4, 4 its parent 3, that its parent 1,
    v     v                 and 1 its child 5. Task 6, a child of 2 only, which is no source,
    4     5                 stays out, and becomes a source when 2 is gone.
    ^     ^
    |     |
    3 <-- 1
    """
    blocks = paper.decompose(CROSSED)

    assert paper.shortcuts(CROSSED) == set()
    assert blocks == [block([0, 1, 2, 3], [4, 5]), block([6], [7])]
    assert not blocks[0].tasks & blocks[1].tasks
    assert not paper.is_bipartite(CROSSED, blocks[0].tasks)
    assert not paper.are_closed(CROSSED, blocks)
    assert paper.superdag_arcs(CROSSED, blocks) == {(0, 1)}
    assert paper.prio_order(CROSSED) == [0, 1, 2, 3, 6, 4, 5, 7]


def test_airsn_falls_into_its_handle_and_four_bipartite_blocks():
    """Malewicz et al. 2007, Fig. 5: the handle's arcs, then two joins and two covers.

    Tasks: fringes 0-2, handle 3-23, first cover 24-26, join 27, second cover 28-30, join 31.
    While handle tasks are left, the component of a fringe contains that of the first of them.
    """
    dag = airsn(3)
    blocks = paper.decompose(dag)

    assert blocks[:20] == [block([task], [task + 1]) for task in range(3, 23)]
    assert blocks[20:] == [
        block([0, 1, 2, 23], [24, 25, 26]),
        block([24, 25, 26], [27]),
        block([27], [28, 29, 30]),
        block([28, 29, 30], [31]),
    ]
    assert paper.superdag_arcs(dag, blocks) == set(pairwise(range(24)))


def test_airsn_runs_the_handle_before_the_fringes():
    """Malewicz et al. 2007, section 3.3. The handle's end has three children, a fringe has one."""
    assert paper.prio_order(airsn(3)) == [*range(3, 24), 0, 1, 2, *range(24, 32)]


def test_the_first_four_stages_of_inspiral_are_one_component_that_is_not_bipartite():
    """Stage k holds tasks 3k, 3k + 1, 3k + 2; i + 1 is counted modulo 3.

    Each thinca needs filter a of its segment and filter b of the next; a trigger bank
    follows, then two filters, then a coincidence of the same kind.
    """
    dag = inspiral(3)
    first, *rest = paper.decompose(dag)

    assert paper.shortcuts(dag) == set()
    assert first == block(range(6), range(6, 12))
    assert not paper.is_bipartite(dag, first.tasks)
    expected = []
    for i in range(3):
        following = (i + 1) % 3
        expected += [
            block([6 + i, 9 + following], [12 + i]),
            block([12 + i], [15 + i]),
            block([15 + i], [18 + i, 21 + i]),
            block([18 + i, 21 + following], [24 + i]),
        ]
    assert set(rest) == set(expected)
    assert len(rest) == len(expected) == 12


@given(ALL_KINDS)
def test_blocks_partition_the_nonsinks_and_cover_all_tasks(dag):
    reduced = paper.without_shortcuts(dag)
    blocks = paper.decompose(reduced)
    executed = [task for one in blocks for task in sorted(one.nonsinks)]

    assert sorted(executed) == dag.nonsinks.tolist()
    assert set().union(*(one.tasks for one in blocks)) == set(range(len(dag)))
    assert not any(one.nonsinks & one.sinks for one in blocks)


@given(ALL_KINDS)
def test_arcs_of_the_superdag_go_from_earlier_to_later_blocks(dag):
    """So it is acyclic."""
    reduced = paper.without_shortcuts(dag)
    blocks = paper.decompose(reduced)

    assert all(i < j for i, j in paper.superdag_arcs(reduced, blocks))
    assert all(i < j for i, j in paper.superdag_arcs(dag, blocks))


@given(ALL_KINDS)
def test_minimal_components_are_disjoint(dag):
    """Malewicz et al. 2007, section 3.1, step 2."""
    tasks = range(len(dag))
    found = {paper.closure(dag, tasks, s) for s in dag.sources.tolist()}
    minimal = [one for one in found if not any(other < one for other in found)]

    assert sum(map(len, minimal)) == len(frozenset().union(*minimal))


@given(ALL_KINDS, st.data())
def test_the_blocks_do_not_depend_on_the_ids(dag, data):
    reduced = paper.without_shortcuts(dag)
    new_id = data.draw(st.permutations(range(len(dag))))
    renamed = Dag.from_arcs(len(dag), [(new_id[u], new_id[v]) for u, v in paper.arcs(reduced)])

    assert set(paper.decompose(renamed)) == {
        block((new_id[task] for task in one.nonsinks), (new_id[task] for task in one.sinks))
        for one in paper.decompose(reduced)
    }


@given(ALL_KINDS)
def test_bipartite_blocks_are_closed(dag):
    reduced = paper.without_shortcuts(dag)
    bipartite = [b for b in paper.decompose(reduced) if paper.is_bipartite(reduced, b.tasks)]

    assert paper.are_closed(reduced, bipartite)


# Orders and profiles of blocks


@pytest.mark.parametrize(("s", "d"), [*product((1, 2, 3), (2, 3, 4))])
def test_w_and_m_dags_have_the_profiles_of_the_papers(s, d):
    """W(s,d) enables d - 1 sinks a step and the last one at the end; M(s,d) is its dual."""
    assert profile(w(s, d)) == [x * (d - 1) for x in range(s)] + [s * (d - 1) + 1]
    assert profile(m(s, d)) == [0] + [x // (d - 1) for x in range(s * (d - 1) + 1)]


@pytest.mark.parametrize("s", [2, 3, 4, 5])
def test_n_cycle_and_clique_dags_have_the_profiles_of_the_papers(s):
    assert profile(n(s)) == list(range(s + 1))
    assert profile(cycle(s)) == [0, *range(s - 1), s]
    assert profile(clique(s)) == [x * (x - 1) // 2 for x in range(s + 1)]


def test_an_n_dag_run_from_the_wrong_end_enables_late():
    """Source v has sinks v and v + 1, so that 2 alone enables none and 1 then sink 2."""
    dag = n(3)
    (whole,) = paper.decompose(dag)

    assert paper.enabled(dag, whole, [2, 1, 0]) == [0, 0, 1, 3]
    assert paper.eligible(dag, whole, [2, 1, 0]) == [3, 2, 2, 3]


def test_outdegree_order_takes_the_eligible_nonsink_with_most_children():
    """In CROSSED 0 and 1 have two children each; in the component 2 and 3 have one each."""
    first, _ = paper.decompose(CROSSED)
    assert paper.outdegree_order(CROSSED, first) == [0, 1, 2, 3]

    wide_last = Dag.from_arcs(5, [(0, 3), (1, 3), (2, 3), (2, 4)])
    (whole,) = paper.decompose(wide_last)
    assert paper.outdegree_order(wide_last, whole) == [2, 0, 1]


def test_children_outside_the_block_do_not_count_in_its_outdegree_order():
    """With two children more, 3 has three, but as in CROSSED only one in the component."""
    dag = Dag.from_arcs(10, [*paper.arcs(CROSSED), (3, 8), (3, 9)])
    first, *_ = paper.decompose(dag)

    assert first == block([0, 1, 2, 3], [4, 5])
    assert paper.outdegree_order(dag, first) == [0, 1, 2, 3]


def test_a_nonsink_counts_as_enabled_also_after_its_own_execution():
    """CROSSED, order 0, 1, 2, 3: 0 enables 2, 1 enables 3, 2 enables 5, 3 enables 4."""
    first, _ = paper.decompose(CROSSED)

    assert paper.enabled(CROSSED, first, [0, 1, 2, 3]) == [0, 1, 2, 3, 4]
    assert paper.eligible(CROSSED, first, [0, 1, 2, 3]) == [2, 2, 2, 2, 2]


@given(ALL_KINDS)
def test_eligible_is_what_the_pebble_game_counts_on_the_block_alone(dag):
    reduced = paper.without_shortcuts(dag)
    for one in paper.decompose(reduced):
        order = paper.outdegree_order(reduced, one)
        place = {task: index for index, task in enumerate(sorted(one.tasks))}
        legal = [place[task] for task in (*order, *sorted(one.sinks))]
        counted = eligibility_profile(reduced.induced(one.tasks), legal).tolist()

        assert paper.eligible(reduced, one, order) == counted[: len(order) + 1]


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
