"""The literal twin of Malewicz et al. 2007: shortcuts, blocks and their profiles, by hand."""

from itertools import pairwise, product

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag, eligibility_profile
from icsched.families import airsn, clique, cycle, inspiral, m, n, w
from tests.theory import paper
from tests.theory.paper_samples import (
    ALL_KINDS,
    CROSSED,
    block,
    profile,
)

DIAMOND = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})


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
