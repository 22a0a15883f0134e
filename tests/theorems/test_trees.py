"""Reduction-trees: Rosenberg and Yurkewych 2005, section 4."""

from collections import Counter
from functools import cache
from itertools import chain

import pytest

from icsched import Dag, Schedule, eligibility_profile
from icsched.families import tree, tree_of
from icsched.pebble import optimal_profile
from tests.theorems.known import lean_tree_order
from tests.theorems.search import (
    Bits,
    greatest_memory,
    ideals,
    is_best,
    least_peak_memory,
    orders,
    prefixes,
)


@cache
def shapes(leaves: int) -> list[list[str]]:
    """Bit strings of every full binary tree with that many leaves, the root left out."""
    if leaves == 1:
        return [[]]
    return [
        ["0", "1", *("0" + bits for bits in left), *("1" + bits for bits in right)]
        for left_leaves in range(1, leaves)
        for left in shapes(left_leaves)
        for right in shapes(leaves - left_leaves)
    ]


def trees(leaves: int) -> list[Dag]:
    return [tree_of(",".join(strings)) for strings in shapes(leaves)]


def paired_profile(leaves: int) -> list[int]:
    """S - ceil(t/2) for t < 2S - 1, and 0 after all 2S - 1 tasks."""
    return [leaves - (t + 1) // 2 for t in range(2 * leaves - 1)] + [0]


def sibling_pairs(dag: Dag) -> list[list[int]]:
    return [dag.parents(task).tolist() for task in range(len(dag)) if dag.in_degrees[task]]


def postorder(dag: Dag, task: int) -> list[int]:
    """Run the tree above *task*, its left half first, and then *task*."""
    above = [postorder(dag, parent) for parent in dag.parents(task).tolist()]
    return [*chain.from_iterable(above), task]


def postorder_execute(height: int) -> list[int]:
    """Algorithm Postorder-Execute of Rosenberg and Yurkewych 2005, section 4.3.

    Again and again the leftmost eligible sibling pair on the level nearest the root; when
    the root is eligible, the root.
    """
    dag = tree(height)
    root = len(dag) - 1
    waiting = sibling_pairs(dag)  # from the leaves down, each level from the left
    order: list[int] = []
    done: set[int] = set()
    while waiting:
        ready = [pair for pair in waiting if all(done >= {*dag.parents(t)} for t in pair)]
        pair = max(ready, key=lambda pair: (dag.levels[pair[0]], -pair[0]))
        waiting.remove(pair)
        order += pair
        done |= {*pair}
    return [*order, root]


@pytest.mark.parametrize("leaves", range(1, 8))
def test_a_tree_with_s_leaves_loses_an_eligible_task_every_second_step(leaves):
    """Theorem 4.1: E*(t) = S - ceil(t/2) for t < 2S - 1.

    All 1, 1, 2, 5, 14, 42 and 132 full binary trees of 1 to 7 leaves.
    """
    for dag in trees(leaves):
        assert optimal_profile(dag).tolist() == paired_profile(leaves)


@pytest.mark.parametrize("height", range(5))
def test_a_complete_tree_loses_an_eligible_task_every_second_step(height):
    """Theorem 4.1, on the complete trees of up to 16 leaves."""
    assert optimal_profile(tree(height)).tolist() == paired_profile(2**height)


@pytest.mark.parametrize("leaves", range(1, 6))
def test_an_order_of_a_tree_is_ic_optimal_iff_siblings_are_consecutive(leaves):
    """Theorem 4.1, on all legal orders of all trees of up to five leaves."""
    for dag in trees(leaves):
        bits = Bits.of(dag)
        best = is_best(bits)
        pairs = sibling_pairs(dag)
        for order in orders(bits):
            consecutive = all(abs(order.index(a) - order.index(b)) == 1 for a, b in pairs)
            assert consecutive == all(map(best, prefixes(order)))


@pytest.mark.parametrize("leaves", range(1, 8))
def test_ic_optimal_orders_are_exactly_those_that_run_siblings_together(leaves):
    """Theorem 4.1, for larger trees: the orders have the same prefixes."""
    for dag in trees(leaves):
        bits = Bits.of(dag)
        pairs = sibling_pairs(dag)

        def together(ideal, pairs=pairs):
            return sum((ideal >> a & 1) != (ideal >> b & 1) for a, b in pairs) <= 1

        assert ideals(bits, is_best(bits)) == ideals(bits, together)


@pytest.mark.parametrize("leaves", range(1, 8))
def test_with_siblings_paired_half_a_task_is_lost_per_step_and_per_odd_level(leaves):
    """Lemma 4.1.2: E = S - t/2 - (number of levels with odd X_l) / 2.

    Every ideal in which each level has at most one executed task without its sibling.
    """
    for dag in trees(leaves):
        bits = Bits.of(dag)
        level = [0 if name == "root" else len(name) for name in dag.names]
        pairs = sibling_pairs(dag)
        for ideal in ideals(bits):
            unpaired = Counter(level[a] for a, b in pairs if (ideal >> a & 1) != (ideal >> b & 1))
            if max(unpaired.values(), default=0) > 1:
                continue
            on_level = Counter(level[task] for task in range(len(dag)) if ideal >> task & 1)
            odd_levels = sum(count % 2 for count in on_level.values())
            assert 2 * len(bits.eligible(ideal)) == 2 * leaves - ideal.bit_count() - odd_levels


@pytest.mark.parametrize("leaves", range(1, 8))
def test_an_ideal_of_m_subtrees_misses_half_m_eligible_tasks_less_its_root_pairs(leaves):
    """Section 4.4, corrected.

    An ideal of a tree is a number m of subtrees, down to their roots. Printed is that it has
    m - 1 eligible tasks fewer than the best; it is floor(m/2) minus the number of sibling
    pairs among the m roots. If the subtrees have L leaves, t = 2L - m tasks have run and the
    best is S - ceil(t/2) = S - L + floor(m/2). The ideal has the S - L other leaves eligible,
    and a task for each pair.
    """
    for dag in trees(leaves):
        bits = Bits.of(dag)
        best = paired_profile(leaves)
        pairs = sibling_pairs(dag)
        for ideal in ideals(bits):
            roots = bits.open(ideal)
            root_pairs = sum({*roots}.issuperset(pair) for pair in pairs)
            missed = best[ideal.bit_count()] - len(bits.eligible(ideal))
            assert missed == len(roots) // 2 - root_pairs


@pytest.mark.parametrize("height", range(1, 9))
def test_postorder_has_as_few_eligible_tasks_as_section_4_4_says(height):
    """Section 4.4: 2^h - 2^(k+1) + 1 eligible after 2^(k+2) - (k+3) steps.

    One subtree each of heights 0 to k has run by then, for k < h.
    """
    dag = tree(height)
    eligible = eligibility_profile(dag, postorder(dag, len(dag) - 1))

    for k in range(height):
        assert eligible[2 ** (k + 2) - (k + 3)] == 2**height - 2 ** (k + 1) + 1


@pytest.mark.parametrize("height", range(1, 4))
def test_every_order_of_a_complete_tree_needs_memory_for_h_plus_1_results(height):
    """Lemma 4.2, over all orders. (T_0 is a sink, which is never open.)"""
    assert least_peak_memory(Bits.of(tree(height))) == height + 1


@pytest.mark.parametrize("height", range(1, 11))
def test_postorder_needs_memory_for_h_plus_1_results(height):
    """Lemma 4.2."""
    dag = tree(height)

    assert Schedule(dag, postorder(dag, len(dag) - 1)).peak_memory == height + 1


@pytest.mark.parametrize("height", range(1, 5))
def test_every_ic_optimal_order_of_a_complete_tree_needs_memory_for_2h_results(height):
    """Lemma 4.3, over all IC-optimal orders."""
    bits = Bits.of(tree(height))

    assert least_peak_memory(bits, is_best(bits, paired_profile(2**height))) == 2 * height


@pytest.mark.parametrize("height", range(9))
def test_the_lean_order_is_that_of_postorder_execute(height):
    assert lean_tree_order(height).tolist() == postorder_execute(height)


@pytest.mark.parametrize("height", range(1, 13))
def test_postorder_execute_is_ic_optimal_and_needs_memory_for_2h_results(height):
    """Theorem 4.2."""
    order = lean_tree_order(height)

    assert eligibility_profile(tree(height), order).tolist() == paired_profile(2**height)
    assert Schedule(tree(height), order).peak_memory == 2 * height


def test_postorder_execute_runs_t_2_in_the_order_worked_out_by_hand():
    r"""Section 4.3.

    0 1 2 3     The leaves 0, 1; then 2, 3, as 4 has no eligible sibling;
     4   5      then the pair 4, 5; then the root.
       6
    """
    assert postorder_execute(2) == [0, 1, 2, 3, 4, 5, 6]


def test_postorder_execute_runs_t_3_in_the_order_of_figure_5():
    r"""Fig. 5.

    0 1 2 3 4 5 6 7     One half first: two pairs of leaves, then the pair 8, 9 nearer
     8   9   a   b      the root. The same for the other half, then 12, 13, then the root.
       12      13
           14
    """
    half, other_half = [0, 1, 2, 3, 8, 9], [4, 5, 6, 7, 10, 11]

    assert postorder_execute(3) == [*half, *other_half, 12, 13, 14]


@pytest.mark.parametrize("height", range(1, 11))
def test_level_by_level_is_ic_optimal_and_needs_memory_for_all_leaves(height):
    """Corollary 4.1 and section 4.3: 2^h results at the midpoint."""
    dag = tree(height)

    assert eligibility_profile(dag, range(len(dag))).tolist() == paired_profile(2**height)
    assert Schedule(dag, range(len(dag))).peak_memory == 2**height


@pytest.mark.parametrize("height", range(1, 4))
def test_no_order_of_a_complete_tree_needs_memory_for_more_than_all_leaves(height):
    """Section 4.3: level by level is pessimal."""
    assert greatest_memory(Bits.of(tree(height))) == 2**height
