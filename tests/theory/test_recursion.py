"""The recursion: no bound too low, no false claim, and the cases that must be proved."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag, families, pebble
from icsched.arrays import Rows
from icsched.orders import prioritize
from icsched.report.proofs import proof_sentence
from icsched.theory.pieces import component_groups, merged_order, series_parts, sum_pieces
from icsched.theory.profiles import Allowance, bends, side_by_side, total, tree_bound, turned
from icsched.theory.recursion import FULL, QUICK, Effort, bounded_order
from tests.theory import paper
from tests.theory.samples import chain, random_dags, shuffled

ALONE = replace(QUICK, sets=0)  # without the referee


def strand(*degrees: int) -> Dag:
    """The W-strand of sources with these degrees; neighbours share one sink."""
    arcs, sink = [], len(degrees)
    for source, degree in enumerate(degrees):
        first = sink - (source > 0)
        arcs += [(source, first + leaf) for leaf in range(degree)]
        sink = first + degree
    return Dag.from_arcs(sink, arcs)


def beside(*dags: Dag) -> Dag:
    starts = np.cumsum([0, *map(len, dags)])
    arcs = [dag.arcs + start for dag, start in zip(dags, starts, strict=False)]
    return Dag.from_arcs(int(starts[-1]), np.concatenate(arcs))


def after(first: Dag, second: Dag) -> Dag:
    """All sinks of the first are parents of all sources of the second."""
    size = len(first)
    arcs = [(a, size + b) for a in first.sinks.tolist() for b in second.sources.tolist()]
    return Dag.from_arcs(
        size + len(second), np.concatenate([first.arcs, second.arcs + size, np.array(arcs)])
    )


def sums_across_levels(k: int) -> Dag:
    """Cordasco et al. 2007, section 5.1: k strands hang from a fork, and k are beside it."""
    arcs, size = [(0, leaf) for leaf in range(1, k + 7)], k + 7
    for leaf in range(1, k + 1):
        narrow = size  # its second source, of degree 5, is a sink of the fork
        sinks = range(size + 1, size + 7)
        arcs += [(narrow, sink) for sink in sinks[:2]] + [(leaf, sink) for sink in sinks[1:]]
        size += 7
    hanging = Dag.from_arcs(size, arcs)
    return beside(hanging, *[strand(3, 3)] * k)


def sums_at_a_barrier(k: int) -> Dag:
    half = beside(*[strand(2, 5)] * k, *[strand(3, 3)] * k)
    return after(after(half, Dag.from_arcs(1, [])), half)


def best_enabled(dag: Dag) -> np.ndarray:
    best = pebble.optimal_profile(dag)
    return (best + np.arange(len(best)))[: len(dag.nonsinks) + 1] - len(dag.sources)


def check(dag: Dag, effort: Effort) -> bool:
    """The bound holds, the order reaches what it claims; return whether it is proved."""
    bounded, best = bounded_order(dag, effort), best_enabled(dag)
    whole = np.append(bounded.order, dag.sinks).astype(np.int32)

    assert (bounded.bound >= best).all()
    assert np.array_equal(pebble.enabled_profile(dag, whole)[: len(best)], bounded.reached)
    return bounded.is_met


def proved_alone(dag: Dag) -> bool:
    return bounded_order(shuffled(dag, seed=7), ALONE).is_met


@pytest.mark.parametrize("k", [1, 2, 12, 50, 300])
def test_sums_across_levels_are_proved(k):
    assert proved_alone(sums_across_levels(k))


def test_sums_across_levels_have_the_tasks_that_the_paper_draws():
    assert len(sums_across_levels(12)) == 187


@pytest.mark.parametrize("k", [1, 2, 6, 100])
def test_sums_between_bottlenecks_are_proved(k):
    assert proved_alone(sums_at_a_barrier(k))


@pytest.mark.parametrize(
    "dag",
    [families.mesh(4, 4), families.mesh(6, 3), families.montage(3, 4).dual()],
    ids=["mesh 4 4", "mesh 6 3", "montage"],
)
def test_dags_whose_dual_is_proved_are_proved(dag):
    assert prioritize(shuffled(dag, seed=3), "prio").proof.is_ic_optimal


@pytest.mark.parametrize(("k", "c", "m"), [(1, 2, 1), (3, 2, 4), (5, 7, 3), (60, 10, 60)])
def test_complete_junctions_are_proved(k, c, m):
    assert proved_alone(after(beside(*[strand(c)] * k), beside(*[strand(c)] * m)))


def all_dags(tasks: int) -> list[Dag]:
    pairs = list(combinations(range(tasks), 2))
    sets = range(1 << len(pairs))
    return [
        Dag.from_arcs(
            tasks, np.array([p for i, p in enumerate(pairs) if bits >> i & 1], int).reshape(-1, 2)
        )
        for bits in sets
    ]


@pytest.mark.parametrize("tasks", [1, 2, 3, 4, 5])
def test_every_small_dag_has_true_bounds(tasks):
    for dag in all_dags(tasks):
        check(dag, ALONE)


@pytest.mark.parametrize("seed", range(4))
def test_random_dags_have_true_bounds_and_the_referee_settles_them(seed):
    for dag in random_dags(40, most_tasks=9, seed=seed):
        check(dag, ALONE)
        assert check(dag, QUICK) == (pebble.ic_optimal_order(dag) is not None)


def test_with_full_effort_bounds_stay_true():
    for dag in random_dags(15, most_tasks=10, seed=11):
        check(dag, replace(FULL, sets=0, looks=20_000))


def test_a_long_chain_of_forks_and_joins_is_a_series():
    """20,000 times a fork of two and its join."""
    starts = 3 * np.arange(20_000)
    arcs = [np.column_stack([starts + a, starts + b]) for a, b in ((0, 1), (0, 2), (1, 3), (2, 3))]
    dag = shuffled(Dag.from_arcs(60_001, np.concatenate(arcs)), seed=1)

    assert sum(len(parts.tasks) for parts in series_parts(dag)) == 40_001
    assert bounded_order(dag, ALONE).is_met


def test_a_dag_without_a_cut_is_no_series():
    assert series_parts(Dag.from_arcs(4, [(0, 2), (0, 3), (1, 3)])) is None
    assert series_parts(Dag.from_arcs(2, [])) is None
    assert len(series_parts(chain(3))) == 1


def test_equal_components_are_one_piece_however_they_are_numbered():
    dag = shuffled(beside(*[strand(2, 5)] * 30), seed=5)
    (pieces,) = sum_pieces(dag, component_groups(dag))

    assert pieces.tasks.shape == (30, 8)
    for row in pieces.tasks:
        inside = {tuple(arc) for arc in row[pieces.dag.arcs].tolist()}
        assert inside <= {tuple(arc) for arc in dag.arcs.tolist()}


gains = st.lists(st.integers(0, 4), max_size=6)


def profile(steps: list[int]) -> np.ndarray:
    return np.append(0, np.cumsum(steps)).astype(np.int64)


@given(gains, gains)
def test_the_kernel_of_sums_agrees_with_all_divisions(first, second):
    a, b = profile(first), profile(second)

    assert side_by_side(a, b).tolist() == paper.convolve(a.tolist(), b.tolist())


@given(st.lists(st.tuples(gains, st.integers(1, 4)), max_size=4))
def test_copies_count_as_often_as_they_occur(parts):
    expected = [0]
    for steps, copies in parts:
        for _ in range(copies):
            expected = paper.convolve(expected, profile(steps).tolist())

    found = total([(profile(steps), copies) for steps, copies in parts], Allowance(10**6))
    assert found.tolist() == expected


@pytest.mark.parametrize(("copies", "cells"), [(1, 3 + 3), (2, 9 + 5 + 5), (3, 3 + 9 + 15 + 7)])
def test_too_few_cells_give_no_sum(copies, cells):
    """Squares first, then products. A profile of 3 entries times one of 5 takes 15 cells."""
    parts = [(np.array([0, 0, 1]), copies)]
    allowance = Allowance(cells)

    assert total(parts, allowance).tolist() == [steps // 2 for steps in range(2 * copies + 1)]
    assert allowance.left == 0
    assert total(parts, Allowance(cells - 1)) is None


@given(gains)
def test_a_profile_bends_at_the_corners_of_its_concave_envelope(steps):
    """From each corner, the next one is the last of the steps that the steepest line reaches."""
    counts = profile(steps).tolist()
    corners = [0]
    while corners[-1] < len(counts) - 1:
        here = corners[-1]
        slopes = [
            (Fraction(count - counts[here], step), here + step)
            for step, count in enumerate(counts[here + 1 :], 1)
        ]
        corners.append(max(slopes)[1])

    assert bends(np.array(counts)).tolist() == corners[1:]


@pytest.mark.parametrize(
    ("looks", "spent", "allowed", "left"),
    [
        # The parts have the sizes 10, 10 and 20: a quarter, then a third of the rest, then all.
        (200, [50, 50, 100], [50, 50, 100], 0),
        # The first leaves 30 of its 50: the second gets a third of 180, the third what is left.
        (200, [20, 0, 0], [50, 60, 180], 180),
        # Two looks at a part, if that is more: 20 of 60, 20 of 40, and the third gets the last 20.
        (60, [20, 20, 20], [20, 20, 20], 0),
        # Nobody gets more than there is.
        (15, [15, 0, 0], [15, 0, 0], 0),
        (0, [0, 0, 0], [0, 0, 0], 0),
    ],
)
def test_looks_are_rationed_by_size_and_what_a_part_leaves_goes_to_the_next(
    looks, spent, allowed, left
):
    allowance = Allowance(looks)
    found = []

    for name, look in zip(allowance.rationed("abc", [10, 10, 20]), spent, strict=True):
        found.append((name, allowance.left))
        assert allowance.take(look)

    assert found == list(zip("abc", allowed, strict=True))
    assert allowance.left == left


def test_work_can_be_taken_to_the_last_unit_and_no_further():
    allowance = Allowance(3)

    taken = [allowance.take(amount) for amount in (2, 2, 1, 1)]

    assert taken == [True, False, True, False]
    assert allowance.left == 0


def random_tree(seed: int, tasks: int) -> Dag:
    """A bipartite tree; some of its sinks occur twice."""
    rng = np.random.default_rng(seed)
    above, depth = [int(rng.integers(child)) for child in range(1, tasks)], [0]
    for parent in above:
        depth.append(depth[parent] + 1)
    pairs = [(p, c) if depth[p] % 2 == 0 else (c, p) for c, p in enumerate(above, 1)]
    twin = pairs[0][1]
    more = [(p, tasks) for p, c in pairs if c == twin] if rng.random() < 0.5 else []
    return Dag.from_arcs(tasks + bool(more), pairs + more)


@pytest.mark.parametrize("seed", range(60))
def test_the_tree_program_agrees_with_the_referee(seed):
    dag = random_tree(seed, 2 + seed % 11)

    assert tree_bound(dag).tolist() == best_enabled(dag).tolist()


def test_a_bound_that_falls_is_no_larger_before():
    """Three nonsinks of the dual enable 1 at most, so one or two of them do not enable 2.

    All four are needed to enable 2, so without any step nothing is enabled. Enabling 1 takes one of
    them, and leaves 3 that one step can enable.
    """
    assert turned(np.array([0, 2, 2, 1, 2]), 2).tolist() == [0, 3, 4]


@pytest.mark.parametrize("seed", range(5))
def test_a_bound_turned_around_is_that_of_the_dual(seed):
    for dag in random_dags(20, most_tasks=9, seed=seed):
        found = turned(best_enabled(dag.dual()), len(dag.nonsinks))
        assert found[1:].tolist() == best_enabled(dag)[1:].tolist()


def plainly_merged(dag: Dag, pieces: list[list[int]], strings: list[list[int]]) -> list[int]:
    """Take the eligible next task of the piece whose remaining gains are the largest string.

    Ties go to the smaller id.
    """
    done: list[int] = []
    at = [0] * len(pieces)
    while len(done) < sum(map(len, pieces)):
        ready = [
            piece
            for piece, tasks in enumerate(pieces)
            if at[piece] < len(tasks) and set(dag.parents(tasks[at[piece]])) <= set(done)
        ]
        best = max(ready, key=lambda p: (strings[p][at[p] :], -pieces[p][at[p]]))
        done.append(pieces[best][at[best]])
        at[best] += 1
    return done


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=5), min_size=1, max_size=4))
def test_merging_enables_as_much_as_taking_the_largest_string_each_time(strings):
    """Pieces are rows of tasks; each task has as many leaves as it gains, and one more."""
    sizes = [len(string) for string in strings]
    starts = np.cumsum([0, *sizes])
    pieces = [list(range(a, b)) for a, b in pairwise(starts.tolist())]
    arcs, leaf = [], int(starts[-1])
    for task, gain in enumerate(g for string in strings for g in string):
        arcs += [(task, leaf + k) for k in range(gain + 1)]
        leaf += gain + 1
    dag = Dag.from_arcs(leaf, arcs)
    rows = Rows(starts.astype(np.int32), np.arange(starts[-1], dtype=np.int32))
    more = [np.array(string) + 1 for string in strings]
    found = merged_order(dag, rows, np.arange(len(strings), dtype=np.int32), more)

    plain = plainly_merged(dag, pieces, [string.tolist() for string in more])
    gains = np.concatenate(more)
    assert gains[found].tolist() == gains[plain].tolist()
    for piece in pieces:
        assert [task for task in found.tolist() if task in piece] == piece


def test_of_equal_strings_the_smaller_id_goes_first():
    """Both pieces gain 2 at once; that the second goes on longer does not matter yet."""
    dag = Dag.from_arcs(7, [(0, 2), (0, 3), (1, 4), (1, 5), (4, 6)])
    bounded = bounded_order(dag, ALONE)

    assert bounded.is_met
    assert bounded.order.tolist() == [0, 1, 4]


def test_the_proof_is_printed_as_a_chain():
    """A strand has no left and right, so W[5,2] is W[2,5]."""
    plan = prioritize(sums_at_a_barrier(2), "prio")

    assert proof_sentence(plan.proof).endswith(
        "(bounds of parts: (W(2,3) x 2 + W[5,2] x 2) | M(1,22) | W(1,8)"
        " | (W(2,3) x 2 + W[5,2] x 2))."
    )


def test_no_tasks_and_no_arcs_are_settled():
    for tasks in (0, 1, 5):
        assert bounded_order(Dag.from_arcs(tasks, []), QUICK).bound.tolist() == [0]
