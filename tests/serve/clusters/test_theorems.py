"""Cordasco et al. 2011, section 3: what clusters leave of every small dag, by the referee."""

from itertools import groupby, pairwise, product

import numpy as np
import pytest

from icsched import Dag, best_cluster, families, prioritize, verify
from icsched.families import cycle, fft, m, mesh, n, out_tree, tree, w
from icsched.pebble import enabled_profile, ic_optimal_order, optimal_profile
from icsched.theory import Decomposition
from tests.proofs import chain_of
from tests.serve.clusters.posets import (
    gives_everything,
    has_order,
    ideal_lists,
    small_dags,
    source_sets,
    task_list,
)
from tests.strategies import naturally_labelled_dags
from tests.theorems.profiles import has_priority_over, most_enabled
from tests.theorems.search import Bits, ideals, is_best, orders


def tail(order: list[int], taken: int) -> list[int]:
    """The rest of *order* after *taken* tasks, as ids of the residual dag."""
    left = sorted(order[taken:])
    return [left.index(task) for task in order[taken:]]


# Theorem 3.1: direct clusters


@pytest.mark.parametrize("tasks", range(1, 6))
def test_the_tails_of_every_ic_optimal_order_are_ic_optimal_for_the_residual(tasks):
    """Theorem 3.1, (d), for all IC-optimal orders of all dags of up to five tasks."""
    seen = 0
    for dag in small_dags(tasks):
        bits = Bits.of(dag)
        for order in orders(bits, is_best(bits)):
            seen += 1
            for k in range(1, tasks):
                assert verify(dag.residual(order[:k]), tail(order, k)).ic_optimal
    assert seen >= 2**tasks // 2


def test_direct_clusters_of_all_dags_of_six_tasks_are_as_the_theorem_says():
    """Theorem 3.1: self-contained, of any size, productive, with an IC-optimal tail."""
    with_one = 0
    for dag in small_dags(6):
        order = ic_optimal_order(dag)
        if order is None:
            continue
        with_one += 1
        best = optimal_profile(dag)
        for k in range(1, 7):
            taken = best_cluster(dag, k, clusterer="direct", order=order)
            left = dag.residual(taken.tasks)  # raises unless self-contained
            assert taken.tasks == tuple(order[:k].tolist())
            assert taken.productive
            assert len(left.sources) == best[k]
            assert verify(left, tail(order.tolist(), k)).ic_optimal
    assert with_one > 900


def test_direct_clusters_of_a_linear_composition_take_its_blocks_in_the_order_of_the_chain():
    """Corollary 3.1: whole blocks first, in the order of their priority, sinks at the end."""
    dag = m(1, 2) + w(1, 3) + n(2)  # the chain is W(1,3) > N(2) > M(1,2)
    n_sources = [7, 8]

    assert best_cluster(dag, 1, clusterer="direct").tasks == (3,)
    assert set(best_cluster(dag, 3, clusterer="direct").tasks) == {3, *n_sources}
    assert set(best_cluster(dag, 5, clusterer="direct").tasks) == {3, *n_sources, 0, 1}
    assert chain_of(prioritize(dag, "prio")) == "W(1,3) > N(2) > M(1,2)"


def blocks_met(parts: Decomposition, tasks: list[int]) -> list[int]:
    """The blocks of *tasks*, which are nonsinks of the dag, one entry for each run of a block."""
    blocks = range(len(parts.superdag))
    block_of = {task: block for block in blocks for task in parts.nonsinks(block).tolist()}
    return [block for block, _ in groupby(tasks, block_of.__getitem__)]


@pytest.mark.parametrize("seed", range(40))
def test_direct_clusters_of_random_linear_compositions_go_block_by_block(seed):
    """Corollary 3.1, every size: blocks by falling priority, none twice, all sinks at the end."""
    dag = families.random_linear_composition(4, seed=seed)
    parts = prioritize(dag, "prio").analysis.parts
    taken = [list(best_cluster(dag, k, clusterer="direct").tasks) for k in range(1, len(dag) + 1)]
    nonsinks = taken[-1][: len(dag.nonsinks)]
    met = blocks_met(parts, nonsinks)
    dags = [parts.dag.induced([*parts.nonsinks(b), *parts.sinks(b)]) for b in met]

    assert all(longer[:-1] == shorter for shorter, longer in pairwise(taken))
    assert sorted(nonsinks) == dag.nonsinks.tolist()
    assert len(met) == len(set(met)) >= 2
    assert all(has_priority_over(left, right) for left, right in pairwise(dags))


# Lemma 3.1: staggered clusters


def test_whole_blocks_of_a_linear_composition_can_go_in_any_order_that_the_superdag_allows():
    """Lemma 3.1 for whole blocks: every ideal of the superdag, as residual and as cluster.

    The cluster with the sinks of its blocks: without them it is no composition of blocks, see
    test_counterexamples.py.
    """
    drawn = [families.random_linear_composition(3, seed=seed) for seed in range(60)]
    small = [dag for dag in drawn if len(dag.nonsinks) <= 16]
    assert len(small) >= 40
    for parts in (prioritize(dag, "prio").analysis.parts for dag in small):
        for blocks in map(task_list, ideals(Bits.of(parts.superdag))):
            taken = [task for block in blocks for task in parts.nonsinks(block).tolist()]
            sinks = [task for block in blocks for task in parts.sinks(block).tolist()]
            assert has_order(parts.dag.residual(taken))
            assert has_order(parts.dag.induced(taken + sinks))


# Lemma 3.2: persistent priority


def persists(first: Dag, second: Dag) -> bool:
    """Whether every residual of *first* has priority over every residual of *second*."""
    pairs = product(source_sets(first), source_sets(second))
    return all(has_priority_over(first.residual(a), second.residual(b)) for a, b in pairs)


@pytest.mark.parametrize("s", [1, 2, 3])
def test_w_dags_of_degree_three_keep_their_priority(s):
    """Lemma 3.2, all four parts."""
    lesser = [w(1, 2), w(3, 2), n(1), n(3), m(1, 2), m(2, 2), m(2, 3), cycle(2), cycle(3)]
    for other in lesser:
        assert has_priority_over(w(s, 3), other)
        assert persists(w(s, 3), other)


@pytest.mark.parametrize("other", [w(3, 2), n(3), cycle(3), m(2, 2)], ids=["W", "N", "C", "M"])
def test_w_dags_of_degree_two_do_not(other):
    """Lemma 3.2 needs d > 2: W(3,2) has priority, but not over the W(1,2) that can be left.

    Of W(3,2), N(3) and C(3) some sources leave W(1,2), of M(2,2) the two outer ones.
    """
    assert has_priority_over(w(3, 2), other)
    assert not has_priority_over(w(3, 2), w(1, 2))
    assert any(most_enabled(other.residual(taken)) == [0, 2] for taken in source_sets(other))
    assert not persists(w(3, 2), other)


# Lemmas 3.3 to 3.5: what is left of a block


def pieces(block: Dag, taken: list[int]) -> list[str]:
    """Families of what is left of *block*, isolated tasks aside."""
    left = block.residual(taken)
    groups = prioritize(left, "prio").analysis.blocks
    return sorted(group.family for group in groups for _ in range(group.count))


def runs(size: int, taken: list[int], *, around: bool = False) -> list[tuple[int, int]]:
    """First and last source of each run of sources that are not taken."""
    left = [source for source in range(size) if source not in taken]
    begins = [s for s in left if s - 1 not in left and not (around and (s - 1) % size in left)]
    ends = []
    for begin in begins:
        end = begin
        while (end + 1) % size in left and (around or end + 1 < size):
            end = (end + 1) % size
        ends.append(end)
    return list(zip(begins, ends, strict=True))


@pytest.mark.parametrize(("s", "d"), [(4, 2), (5, 2), (4, 3), (3, 4)])
def test_w_dags_leave_w_dags_of_their_degree(s, d):
    """Lemma 3.3: one for each run of sources that are left."""
    for taken in source_sets(w(s, d)):
        expected = sorted(f"W({b - a + 1},{d})" for a, b in runs(s, taken))
        assert pieces(w(s, d), taken) == expected


@pytest.mark.parametrize("s", [2, 3, 4, 5])
def test_cycles_leave_w_dags_of_degree_two(s):
    """Lemma 3.4: one for each run around the cycle; one alone if the cluster is compact."""
    for taken in source_sets(cycle(s))[1:]:
        expected = sorted(f"W({(b - a) % s + 1},2)" for a, b in runs(s, taken, around=True))
        assert pieces(cycle(s), taken) == expected


@pytest.mark.parametrize("s", [1, 2, 3, 4, 5])
def test_n_dags_leave_w_dags_and_at_most_one_n_dag(s):
    """Lemma 3.5: the run that holds the last source is an N-dag, the others are W-dags."""
    for taken in source_sets(n(s)):
        expected = sorted(
            f"N({b - a + 1})" if b == s - 1 else f"W({b - a + 1},2)" for a, b in runs(s, taken)
        )
        assert pieces(n(s), taken) == expected


@pytest.mark.parametrize("s", [1, 2, 3, 4])
def test_m_dags_leave_w_n_and_m_dags(s):
    """Fig. 12: W between two gaps, N beside one, and the M-dag itself without any."""
    for taken in source_sets(m(s, 2)):
        expected = []
        for a, b in runs(s + 1, taken):
            gaps = (a > 0) + (b < s)
            expected.append([f"M({s},2)", f"N({b - a + 1})", f"W({b - a + 1},2)"][gaps])
        assert pieces(m(s, 2), taken) == sorted(expected)


# Theorems 3.3 and 3.4: universal donors, where they hold

DONORS = {
    "out-mesh 4": mesh(4).dual(),
    "in-mesh 4": mesh(4),
    "FFT 2": fft(2),
    "out-tree 3": out_tree(3),
    "in-tree 3": tree(3),
    "N(3) on N(3)": n(3).compose(n(3), [(3, 0), (4, 1), (5, 2)]),
    "C(3) on C(3)": cycle(3).compose(cycle(3), [(3, 0), (4, 1), (5, 2)]),
    "W(1,3) on W(3,2)": w(1, 3).compose(w(3, 2), [(1, 0), (2, 1), (3, 2)]),
    "W(2,3) on W(2,2)": w(2, 3).compose(w(2, 2), [(2, 0), (3, 1)]),
}


@pytest.mark.parametrize("name", DONORS)
def test_whatever_has_run_the_rest_of_a_universal_donor_has_an_ic_optimal_order(name):
    """Theorems 3.3 and 3.4 on the paper's families, every set that can have run."""
    assert gives_everything(DONORS[name])


def test_the_order_of_a_residual_is_proved_anew():
    for executed in ideal_lists(mesh(3)):
        plan = prioritize(mesh(3).residual(executed), "prio")
        assert plan.proof.is_ic_optimal
        assert verify(plan.dag, plan.order).ic_optimal


def test_a_cluster_is_productive_if_no_set_of_its_size_enables_more():
    """Against every set of that size, on all dags of four tasks."""
    for dag in naturally_labelled_dags(4):
        for k, clusterer in product(range(1, 5), ("direct", "lean")):
            taken = best_cluster(dag, k, clusterer=clusterer)
            enabled = [
                enabled_profile(dag, [*tasks, *np.setdiff1d(range(4), tasks)])[k]
                for tasks in (sorted(ideal) for ideal in ideal_lists(dag) if len(ideal) == k)
            ]
            ours = enabled_profile(dag, [*taken.tasks, *np.setdiff1d(range(4), taken.tasks)])[k]
            assert taken.productive == (ours == max(enabled))
