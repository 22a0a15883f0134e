"""Blocks are drawn with sources below, sinks above, as in the papers."""

import pytest

from icsched import Dag
from icsched.errors import ArgumentError
from icsched.families import (
    clique,
    complete_bipartite,
    cycle,
    m,
    m_strand,
    n,
    pbt,
    w,
    w_strand,
)

SIZES = range(1, 7)
DEGREES = range(2, 6)


def children_of_sources(block: Dag) -> list[list[int]]:
    """Sinks of each source, both counted from 0, left to right."""
    sources = len(block.sources)
    return [(block.children(v) - sources).tolist() for v in range(sources)]


def upside_down(block: Dag) -> Dag:
    """The dual, its sources numbered first again."""
    sources, sinks = len(block.sources), len(block.sinks)
    moved = [*range(sinks, sinks + sources), *range(sinks)]
    return Dag.from_arcs(len(block), [(moved[c], moved[p]) for p, c in block.arcs.tolist()])


def is_numbered_sources_first(block: Dag) -> bool:
    return block.is_bipartite and block.sources.tolist() == list(range(len(block.sources)))


@pytest.mark.parametrize("s", SIZES)
@pytest.mark.parametrize("d", DEGREES)
def test_a_w_dag_has_s_sources_of_d_children_and_one_shared_sink_per_pair_of_neighbours(s, d):
    block = w(s, d)

    assert (len(block.sources), len(block.sinks), block.arc_count) == (s, s * (d - 1) + 1, s * d)
    assert is_numbered_sources_first(block)
    assert len(block.connected_parts) == 1
    assert sorted(block.in_degrees[s:]) == [1] * (s * (d - 2) + 2) + [2] * (s - 1)


def test_a_w_dag_is_drawn_from_left_to_right():
    r"""
    0   1   2   3   4
      \ | /   \ | /      each source has three sinks, sink 2 is shared
        0       1
    """
    assert children_of_sources(w(2, 3)) == [[0, 1, 2], [2, 3, 4]]


@pytest.mark.parametrize("s", SIZES)
@pytest.mark.parametrize("d", DEGREES)
def test_an_m_dag_is_a_w_dag_upside_down(s, d):
    assert m(s, d) == upside_down(w(s, d))
    assert is_numbered_sources_first(m(s, d))


@pytest.mark.parametrize("s", SIZES)
def test_an_n_dag_lacks_one_arc_of_the_zigzag_that_closes_it(s):
    r"""
    0 1 2
    |/|/|      sink 0 has one parent, source 2 one child
    0 1 2
    """
    block = n(s)

    assert children_of_sources(block) == [[v, v + 1] for v in range(s - 1)] + [[s - 1]]
    assert is_numbered_sources_first(block)


@pytest.mark.parametrize("s", range(2, 7))
def test_in_a_cycle_every_task_has_two_neighbours(s):
    block = cycle(s)

    assert len(block) == block.arc_count == 2 * s
    assert set(block.out_degrees[:s]) == set(block.in_degrees[s:]) == {2}
    assert len(block.connected_parts) == 1
    assert is_numbered_sources_first(block)


def test_a_cycle_closes_at_the_leftmost_sink():
    assert children_of_sources(cycle(4)) == [[0, 1], [1, 2], [2, 3], [0, 3]]


@pytest.mark.parametrize("s", range(2, 8))
def test_a_clique_has_one_sink_for_each_pair_of_sources(s):
    block = clique(s)
    pairs = [(a, b) for a in range(s) for b in range(a + 1, s)]

    assert [tuple(block.parents(sink)) for sink in range(s, len(block))] == pairs
    assert len(block) == s + len(pairs)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 4), (3, 1), (2, 5), (4, 4)])
def test_a_complete_bipartite_dag_has_every_arc(a, b):
    block = complete_bipartite(a, b)

    assert children_of_sources(block) == [list(range(b))] * a
    assert len(block) == a + b


def test_a_tree_grows_at_its_rightmost_source_and_sink():
    r"""
    0  1 2  3  4  5
     \ | | / \ | /     [4,1/2,3]: source 0 has sinks 0 to 3; sink 3 gets source 1 as well;
       0       1       source 1 gets sinks 4 and 5
    """
    assert children_of_sources(pbt("4,1/2,3")) == [[0, 1, 2, 3], [3, 4, 5]]


def test_a_tree_may_start_with_a_sink():
    r"""
       0     1
     / | \  /      [1/3,2]: sink 0 has sources 0, 1, 2; source 2 gets sink 1
    0  1  2
    """
    assert children_of_sources(pbt("1/3,2")) == [[0], [0], [0, 1]]


def test_the_tree_of_figure_4b_has_the_stated_sources_and_sinks():
    tree = pbt("1/4,3,1/3,3,1/2,2,1/4,3,1/2")

    # 4 + 2 + 1 + 3 + 1 sources and 1 + 2 + 2 + 1 + 2 sinks
    assert (len(tree.sources), len(tree.sinks)) == (11, 8)
    assert tree.arc_count == len(tree) - 1
    assert len(tree.connected_parts) == 1
    assert is_numbered_sources_first(tree)


def test_swapping_integers_and_reciprocals_turns_a_tree_upside_down():
    assert pbt("4,1/3,2") == upside_down(pbt("1/4,3,1/2"))


def test_spaces_between_values_do_not_matter():
    assert pbt(" 4, 1/2 ,3") == pbt("4,1/2,3")


@pytest.mark.parametrize("s", SIZES)
def test_uniform_strands_are_w_and_m_dags(s):
    degrees = ",".join(["3"] * s)

    assert w_strand(degrees) == w(s, 3)
    assert m_strand(degrees) == m(s, 3)


@pytest.mark.parametrize("s", SIZES)
def test_a_strand_of_twos_that_ends_with_one_is_an_n_dag(s):
    assert w_strand(",".join(["2"] * (s - 1) + ["1"])) == n(s)


def test_strands_are_trees_with_twos_between():
    assert w_strand("4,2,4,3") == pbt("4,1/2,2,1/2,4,1/2,3")
    assert m_strand("4,2,4,3") == pbt("1/4,2,1/2,2,1/4,2,1/3")


def test_a_value_of_one_adds_nothing_at_either_end():
    assert pbt("1,1/3,2") == pbt("1/3,2")
    assert pbt("1/3,2,1/1") == pbt("1/3,2")
    assert pbt("1") == n(1)


@pytest.mark.parametrize(
    ("family", "arguments", "message"),
    [
        (w, (0, 2), "argument s: expected a whole number, 1 or more, got 0"),
        (w, (2, 1), "argument d: expected a whole number, 2 or more, got 1"),
        (m, (-3, 2), "argument s: expected a whole number, 1 or more, got -3"),
        (n, (0,), "argument s: expected a whole number, 1 or more, got 0"),
        (n, (2.0,), "argument s: expected a whole number, 1 or more, got 2.0"),
        (cycle, (1,), "argument s: expected a whole number, 2 or more, got 1"),
        (clique, (1,), "argument s: expected a whole number, 2 or more, got 1"),
        (complete_bipartite, (0, 3), "argument a: expected a whole number, 1 or more, got 0"),
        (complete_bipartite, (3, 0), "argument b: expected a whole number, 1 or more, got 0"),
        (pbt, ("",), "argument zigzag: expected integers and reciprocals such as 4,1/2,3, got ''"),
        (pbt, ("4,2/3",), "expected integers and reciprocals such as 4,1/2,3, got '2/3'"),
        (pbt, ("4,-2",), "expected integers and reciprocals such as 4,1/2,3, got '-2'"),
        (pbt, ("4,3",), "expected integers and reciprocals in turn, got 4 before 3"),
        (pbt, ("4,1/2,1/3",), "expected integers and reciprocals in turn, got 1/2 before 1/3"),
        (pbt, ("4,1/1,3",), "expected degrees above 1, or 1 at either end, got 1/1 at place 2"),
        (pbt, ("0",), "expected degrees above 1, or 1 at either end, got 0 at place 1"),
        (w_strand, ("4,1/2",), "argument degrees: expected integers such as 4,2,3, got '1/2'"),
        (m_strand, ("4,1,3",), "argument degrees: expected degrees above 1, or 1 at either end"),
        (clique, (10**9,), "too large: expected at most 20,000,000 tasks, asked for more"),
        (complete_bipartite, (10**5, 10**5), "at most 100,000,000 arcs, asked for more"),
        (pbt, ("9" * 18,), "too large"),
    ],
)
def test_impossible_blocks_are_refused_with_the_argument_named(family, arguments, message):
    with pytest.raises(ArgumentError) as caught:
        family(*arguments)

    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
