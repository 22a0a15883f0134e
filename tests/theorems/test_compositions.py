"""Compositions and sums of blocks with an IC-optimal order: Cordasco et al. 2007 and 2011."""

from itertools import pairwise, product

import numpy as np
import pytest

from icsched import Dag, eligibility_profile, prioritize, verify
from icsched.families import (
    cordasco2007_fig3,
    cordasco2007_fig6,
    cordasco2011_fig6,
    cycle,
    divide_and_conquer,
    evolving_mesh,
    laplace,
    m,
    m_strand,
    matmul,
    mesh,
    n,
    out_tree,
    pbt,
    prefix,
    random_linear_composition,
    random_tree_sum,
    w,
    w_strand,
)
from icsched.pebble import ic_optimal_order, optimal_profile
from icsched.theory import dual_order
from icsched.theory.proof import Theorem
from tests.theorems.profiles import has_priority_over

MOST_NONSINKS = 20  # at most 2**20 ideals, so the referee always answers

W_DAGS = [w(s, d) for d in (4, 3, 2) for s in (1, 2, 3)]
M_DAGS = [m(s, d) for d in (2, 3) for s in (3, 2, 1)]
CHAINS = {
    "with N-dags": [*W_DAGS, n(2), n(1), n(3), *M_DAGS],
    "with a cycle": [*W_DAGS, cycle(3), *M_DAGS],
}

P = pbt("1/4,3,1/3,3,1/2,2,1/4,3,1/2")


def admits_one(dag: Dag) -> bool:
    return ic_optimal_order(dag) is not None


def composed(blocks: list[Dag], rng: np.random.Generator) -> tuple[Dag, list[int]]:
    """Compose *blocks*, merging at random; with the order that Theorem 2.1 names."""
    dag, order = blocks[0], blocks[0].sources.tolist()
    for block in blocks[1:]:
        merged = int(rng.integers(min(len(dag.sinks), len(block.sources)) + 1))
        sinks = rng.permutation(dag.sinks)[:merged].tolist()
        sources = rng.permutation(block.sources)[:merged].tolist()
        new_id = dict(zip(sources, sinks, strict=True))
        fresh = [task for task in range(len(block)) if task not in new_id]
        new_id |= {task: len(dag) + place for place, task in enumerate(fresh)}
        dag = dag.compose(block, zip(sinks, sources, strict=True))
        order += [new_id[source] for source in block.sources.tolist()]
    return dag, order + dag.sinks.tolist()


@pytest.mark.parametrize(("s", "d"), [*product((1, 2, 3), (2, 3, 4))])
def test_w_dags_have_priority_over_less_expansive_blocks(s, d):
    """Cordasco et al. 2011, Theorem 2.2, part 1, which needs d >= 2 though it is printed with d >
    0.
    """
    for other_s, other_d in product((1, 2, 3), (2, 3, 4)):
        expected = other_d < d or (other_d == d and other_s >= s)
        assert has_priority_over(w(s, d), w(other_s, other_d)) == expected
        assert has_priority_over(w(s, d), m(other_s, other_d))
    assert all(has_priority_over(w(s, d), n(other)) for other in (1, 2, 3, 4))
    assert all(has_priority_over(w(s, d), cycle(other)) for other in (2, 3, 4))


@pytest.mark.parametrize("s", [2, 3, 4])
def test_n_dags_and_cycles_have_priority_over_m_dags_but_not_over_each_other(s):
    """Cordasco et al. 2011, Theorem 2.2, parts 2 and 3; unequal cycles are incomparable."""
    for other in (2, 3, 4):
        assert has_priority_over(n(s), n(other))
        assert has_priority_over(cycle(s), cycle(other)) == (s == other)
        assert not has_priority_over(n(s), cycle(other))
        assert not has_priority_over(cycle(s), n(other))
    for other_s, d in product((1, 2, 3), (2, 3, 4)):
        assert has_priority_over(n(s), m(other_s, d))
        assert has_priority_over(cycle(s), m(other_s, d))


@pytest.mark.parametrize(("s", "d"), [*product((1, 2, 3), (2, 3, 4))])
def test_m_dags_have_priority_over_more_reductive_ones(s, d):
    """Cordasco et al. 2011, Theorem 2.2, part 4."""
    for other_s, other_d in product((1, 2, 3), (2, 3, 4)):
        expected = other_d > d or (other_d == d and other_s <= s)
        assert has_priority_over(m(s, d), m(other_s, other_d)) == expected


@pytest.mark.parametrize("chain", CHAINS)
def test_running_the_blocks_of_a_linear_composition_in_turn_is_ic_optimal(chain):
    """Cordasco et al. 2011, Theorem 2.1: the nonsinks of G_1, those of G_2, .., then all sinks.

    Three blocks drawn from a chain of falling priorities, merged in random ways.
    """
    blocks = CHAINS[chain]
    assert all(has_priority_over(block, block) for block in blocks)
    assert all(has_priority_over(left, right) for left, right in pairwise(blocks))

    rng = np.random.default_rng(1)
    for _ in range(150):
        drawn = np.sort(rng.integers(len(blocks), size=3)).tolist()
        dag, order = composed([blocks[place] for place in drawn], rng)
        assert np.array_equal(eligibility_profile(dag, order), optimal_profile(dag))


@pytest.mark.parametrize("chain", CHAINS)
def test_the_dual_of_a_linear_composition_is_one_of_the_dual_blocks_in_reverse(chain):
    """Cordasco et al. 2007, Corollary 5.1: then Theorem 2.1 proves the dual, too.

    All parents of a nonsource are in one block. So the dual order, whose packets go from the last
    to the first, runs the dual blocks one after the other, the last block first.
    """
    blocks = CHAINS[chain]
    duals = [block.dual() for block in reversed(blocks)]
    assert all(has_priority_over(left, right) for left, right in pairwise(duals))

    rng = np.random.default_rng(2)
    for _ in range(60):
        drawn = np.sort(rng.integers(len(blocks), size=3)).tolist()
        dag, order = composed([blocks[place] for place in drawn], rng)
        dual = dag.dual()
        assert np.array_equal(
            eligibility_profile(dual, dual_order(dag, order)), optimal_profile(dual)
        )
        assert prioritize(dag, "prio").proof.theorem is Theorem.BLOCKS
        assert prioritize(dual, "prio").proof.theorem is Theorem.BLOCKS


@pytest.mark.parametrize("blocks", [2, 3, 4])
def test_random_linear_compositions_admit_an_ic_optimal_order(blocks):
    """Cordasco et al. 2011, Theorem 2.1, on the family of its name."""
    drawn = [random_linear_composition(blocks, seed=seed) for seed in range(300)]
    small = [dag for dag in drawn if len(dag.nonsinks) <= MOST_NONSINKS]

    assert len(small) >= 200
    assert all(map(admits_one, small))


@pytest.mark.parametrize("trees", [1, 2, 3])
def test_sums_of_planar_bipartite_trees_admit_an_ic_optimal_order(trees):
    """Cordasco et al. 2007, Theorem 3.1."""
    drawn = [random_tree_sum(trees, seed=seed) for seed in range(300)]
    small = [dag for dag in drawn if len(dag.nonsinks) <= MOST_NONSINKS]

    assert len(small) >= 200
    assert all(map(admits_one, small))


@pytest.mark.parametrize(
    ("side", "chain"),
    [
        ("left", [w(1, 4), w_strand("4,2,4,3"), m_strand("4,2,4,3"), m(1, 4)]),
        ("right", [w(1, 5), P.dual(), P, m(1, 6)]),
    ],
)
def test_both_dags_of_figure_6_are_linear_compositions_and_admit_an_ic_optimal_order(side, chain):
    """Cordasco et al. 2007, Fig. 6: W[4] |> W[4,2,4,3] |> M[4,2,4,3] |> M[4] and W[5] |> P~ |> P |>
    M[6].
    """
    assert all(has_priority_over(left, right) for left, right in pairwise(chain))
    assert admits_one(cordasco2007_fig6(side))


@pytest.mark.parametrize("which", ["a", "b", "c"])
def test_the_expansive_reductive_dags_of_figure_3_admit_an_ic_optimal_order(which):
    """Cordasco et al. 2007, Fig. 3."""
    assert admits_one(cordasco2007_fig3(which))


def test_a_one_sided_cluster_cuts_six_arcs_where_the_direct_one_cuts_eight():
    """Cordasco et al. 2011, Fig. 6: two out-meshes under W(10,2); clusters of six tasks.

    The direct cluster is W(1,2) and W(2,2) of both meshes: the sources of both W(2,2) have
    two arcs each to the outside, 8. The one-sided is W(1,2), W(2,2), W(3,2) of the left: the
    sources of W(3,2) have two arcs each, 6. Both residual dags admit an IC-optimal order.
    """
    dag = cordasco2011_fig6()
    right = 1 + 2 + 3 + 4 + 5 + 6 + 7  # tasks of the left mesh, its seven ends included
    one_sided = range(6)
    direct = [0, 1, 2, right, right + 1, right + 2]

    assert admits_one(dag)
    for cluster, cut in ((one_sided, 6), (direct, 8)):
        assert sum(p in cluster and c not in cluster for p, c in dag.arcs.tolist()) == cut
        assert admits_one(dag.residual(cluster))


def test_only_the_direct_cluster_is_productive():
    """Cordasco et al. 2011, section 3.1, on Fig. 6: after six tasks the most eligible ones are six.

    The direct cluster enables the sinks of two W(1,2) and two W(2,2), 2 + 2 + 3 + 3 = 10;
    with 2 sources and 6 executions 6 are eligible. The one-sided enables 2 + 3 + 4 = 9.
    """
    dag = cordasco2011_fig6()
    rest = [task for task in range(len(dag)) if task not in (0, 1, 2, 28, 29, 30)]
    direct_first = eligibility_profile(dag, [0, 28, 1, 2, 29, 30, *rest])
    one_sided_first = eligibility_profile(dag, range(len(dag)))

    assert optimal_profile(dag)[6] == direct_first[6] == 6
    assert one_sided_first[6] == 5
    assert not verify(dag, range(len(dag))).ic_optimal


@pytest.mark.parametrize(
    ("family", "size"),
    [
        *((prefix, inputs) for inputs in range(1, 11)),
        *((laplace, inputs) for inputs in range(1, 9)),
        *((divide_and_conquer, height) for height in range(5)),
        *((evolving_mesh, levels) for levels in range(1, 12)),
    ],
)
def test_scan_laplace_divide_and_conquer_and_wavefront_admit_an_ic_optimal_order(family, size):
    """Cordasco et al. 2011, section 2.2, and Cordasco et al. 2007, Fig. 2, name these as what the
    theory schedules.
    """
    assert admits_one(family(size))


def test_the_matrix_product_and_a_ternary_divide_and_conquer_admit_an_ic_optimal_order():
    """Cordasco et al. 2007, Fig. 2."""
    assert admits_one(matmul())
    assert admits_one(divide_and_conquer(2, 3))


# Laws


def merged(first: Dag, second: Dag, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Some sinks of *first*, each with a source of *second*, perhaps none."""
    most = min(len(first.sinks), len(second.sources))
    count = int(rng.integers(most + 1))
    sinks, sources = (rng.permutation(ends)[:count] for ends in (first.sinks, second.sources))
    return list(zip(sinks.tolist(), sources.tolist(), strict=True))


def new_ids(first: Dag, second: Dag, pairs: list[tuple[int, int]]) -> list[int]:
    """Ids of the tasks of *second* in ``first.compose(second, pairs)``: merged, or appended."""
    sink_of = {source: sink for sink, source in pairs}
    rest = iter(range(len(first), len(first) + len(second)))
    return [sink_of[task] if task in sink_of else next(rest) for task in range(len(second))]


def spare_pairs(
    first: Dag, second: Dag, used_sinks: set[int], used_sources: set[int]
) -> list[tuple[int, int]]:
    """Pair the sinks of *first* with the sources of *second* that are not used yet."""
    sinks = [sink for sink in first.sinks.tolist() if sink not in used_sinks]
    sources = [source for source in second.sources.tolist() if source not in used_sources]
    return list(zip(sinks, sources, strict=False))[:2]


@pytest.mark.parametrize("seed", range(60))
def test_composition_is_associative(seed):
    """Cordasco et al. 2007, Lemma 2.1 (c): G1 with G2, then G3, or G1 with (G2 with G3).

    G3 is merged with sinks of G2, and with sinks of G1 that G2 leaves.
    """
    rng = np.random.default_rng(seed)
    pool = [w(2, 2), w(1, 3), m(2, 2), m(1, 3), n(3), cycle(3), mesh(3), out_tree(2)]
    one, two, three = (pool[i] for i in rng.integers(len(pool), size=3))
    upper, lower = merged(one, two, rng), merged(two, three, rng)
    outer = spare_pairs(one, three, {sink for sink, _ in upper}, {source for _, source in lower})
    twos = new_ids(one, two, upper)
    to_three = [(twos[sink], source) for sink, source in lower] + outer
    left = one.compose(two, upper).compose(three, to_three)
    threes = new_ids(two, three, lower)
    from_one = upper + [(sink, threes[source]) for sink, source in outer]
    last = two.compose(three, lower)
    right = one.compose(last, from_one)

    lasts = new_ids(one, last, from_one)
    in_left = new_ids(one.compose(two, upper), three, to_three)
    same = {task: task for task in range(len(one))}
    same |= {twos[task]: lasts[task] for task in range(len(two))}
    same |= {in_left[task]: lasts[threes[task]] for task in range(len(three))}
    renamed = {(same[parent], same[child]) for parent, child in left.arcs.tolist()}
    assert sorted(same.values()) == list(range(len(right)))
    assert renamed == set(map(tuple, right.arcs.tolist()))
