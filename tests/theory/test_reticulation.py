"""Persistent priority, reticulated dags and closures: Cordasco, Rosenberg and Sims 2011, 3.3."""

from itertools import product

import numpy as np
import pytest

from icsched import Dag
from icsched.errors import GraphError, LimitError, UnknownTaskError
from icsched.families import cycle, evolving_mesh, fft, m, mesh, n, out_tree, w
from icsched.theory import (
    analyse,
    best_profile,
    closure,
    has_persistent_priority_over,
    is_reticulated,
    is_universal_donor,
)
from tests.serve.clusters.posets import has_order, ideal_lists, small_dags
from tests.theorems.profiles import has_priority_over, most_enabled
from tests.theory.samples import shuffled
from tests.theory.test_donors import WIDE_TENTS, laid, random_stack

BLOCKS = [w(1, 2), w(2, 2), w(1, 3), w(2, 3), n(1), n(2), cycle(2), cycle(3), m(1, 2), m(2, 2)]


def reticulated(dag: Dag) -> bool:
    return is_reticulated(analyse(dag))


# Persistent priority


@pytest.mark.parametrize(("first", "second"), list(product(BLOCKS, BLOCKS)))
def test_persistent_priority_is_priority_of_all_that_is_left(first, second):
    """The definition, word for word, with every self-contained set of both blocks."""
    lefts = [[block.residual(taken) for taken in ideal_lists(block)] for block in (first, second)]
    expected = all(has_priority_over(one, other) for one, other in product(*lefts))

    assert has_persistent_priority_over(first, second) == expected


SIZES = 1, 2, 3


@pytest.mark.parametrize(("s", "d"), list(product(SIZES, (3, 4))))
def test_w_dags_of_degree_above_two_persist_as_lemma_3_2_says(s, d):
    """Over W-dags of a smaller degree, N-dags, cycles and M-dags, of any sizes."""
    flatter = [w(size, degree) for size in SIZES for degree in range(2, d)]
    m_dags = [m(size, degree) for size in SIZES for degree in (2, 3)]
    others = [*map(n, SIZES), *map(cycle, (2, 3, 4)), *m_dags]

    assert all(has_persistent_priority_over(w(s, d), lesser) for lesser in [*flatter, *others])
    assert not any(has_persistent_priority_over(lesser, w(s, d)) for lesser in flatter)


@pytest.mark.parametrize(("s", "size", "d"), list(product(SIZES, SIZES, (3, 4))))
def test_among_w_dags_of_one_degree_only_one_source_persists(s, size, d):
    """W(size,d) can leave W(1,d), over which W(s,d) has priority only if s is 1."""
    assert has_persistent_priority_over(w(s, d), w(size, d)) == (s == 1)


def test_what_may_be_left_without_an_ic_optimal_order_has_no_priority():
    """An arc beside a butterfly has no IC-optimal order, so the relation is not defined."""
    bad = n(1) + cycle(2)

    assert best_profile(bad) is None
    assert not has_persistent_priority_over(w(1, 9), bad)


def test_too_many_residuals_are_an_error():
    with pytest.raises(LimitError, match="a dag of 20 tasks has more than 100 residuals"):
        has_persistent_priority_over(n(10), n(2), limit=100)


# Reticulated dags


@pytest.mark.parametrize(
    "dag",
    [
        evolving_mesh(6),
        out_tree(3),
        w(3, 3).compose(w(2, 2), [(5, 0), (8, 1)]),  # Fig. 7, left: persistent, laid anyhow
        n(3).compose(n(4), [(3, 0), (4, 1), (5, 2)]),  # N on N, Fig. 7, middle
        cycle(4).compose(cycle(4), [(4, 2), (5, 3), (6, 0), (7, 1)]),  # C on C, Fig. 7, right
        Dag.from_arcs(3, []),
    ],
    ids=repr,
)
def test_compositions_laid_source_by_source_are_reticulated_however_they_are_numbered(dag):
    assert reticulated(dag)
    assert all(reticulated(shuffled(dag, seed=seed)) for seed in range(3))


@pytest.mark.parametrize(
    "dag",
    [
        mesh(4),  # M-dags: the definition makes no sense for them
        fft(2),  # butterflies crossed
        w(3, 2).compose(w(3, 2), [(3, 0), (4, 1)]),  # the last source leads elsewhere
        w(2, 2).compose(w(4, 2), [(2, 0), (3, 2), (4, 3)]),  # a gap
        n(1) + cycle(2),  # not a linear composition
    ],
    ids=repr,
)
def test_other_compositions_are_not(dag):
    assert not reticulated(dag)


@pytest.mark.parametrize(("sources", "has_drawing"), [((2, 3), True), ((3, 2), False)])
def test_one_drawing_must_serve_all_pairs(sources, has_drawing):
    """W(2,3) lies on W(2,3), and both on W(4,3): the first on its first two sources.

    The second lies on its last two. If it lies there the other way round, two of the three pairs
    can be drawn, but not all three.
    """
    two = w(2, 3).compose(w(2, 3), [(2, 0), (6, 1)])
    first, second = [3, 5], [two.sinks.tolist()[3], two.sinks.tolist()[-1]]
    joined = zip(first + second, [0, 1, *sources], strict=True)

    assert two.parents(first[0]).tolist() == [0]
    assert reticulated(two.compose(w(4, 3), joined)) == has_drawing


@pytest.mark.parametrize("tasks", [4, 5, 6])
def test_what_the_donor_test_passes_by_matching_w_and_c_dags_is_reticulated(tasks):
    """The donor test is stricter, except that it lets a source reach one place to both sides."""
    for dag in small_dags(tasks):
        analysis = analyse(dag)
        if is_universal_donor(analysis) and dag.in_degrees.max() <= 2 >= dag.out_degrees.max():
            is_dual = analyse(dag.dual())
            assert is_reticulated(analysis) or is_reticulated(is_dual)


ROWS_OF_W_AND_C = [w(1, 2), w(2, 2), w(3, 2), w(1, 3), w(2, 3), cycle(2), cycle(3)]


def test_reticulated_compositions_of_w_and_c_dags_are_universal_donors_that_stay_reticulated():
    """Theorem 3.3, both parts, without the N-dags for which the theorem fails."""
    rng = np.random.default_rng(11)
    drawn = [random_stack(ROWS_OF_W_AND_C, rng) for _ in range(150)]
    found = [dag for dag in drawn if len(dag) <= 11 and reticulated(dag)]

    assert len(found) >= 25
    for dag in found:
        for executed in ideal_lists(dag):
            left = dag.residual(executed)
            assert has_order(left)
            assert reticulated(left)


# Closures and Lemma 3.6


def test_the_closure_adds_what_the_cluster_leaves_isolated():
    """Running source 0 of W(2,2) leaves its own sink alone; running both leaves all sinks."""
    assert closure(w(2, 2), [0]).tolist() == [0, 2]
    assert closure(w(2, 2), [0, 1]).tolist() == [0, 1, 2, 3, 4]
    assert closure(Dag.from_arcs(2, []), []).tolist() == [0, 1]
    with pytest.raises(GraphError, match="cannot have run"):
        closure(w(1, 2), [1])
    for wrong in (-1, 3):
        with pytest.raises(UnknownTaskError):
            closure(w(1, 2), [wrong])


def duals_of_donors() -> list[Dag]:
    """Compositions of W-dags whose duals the donor test passes; degrees above 2 included."""
    rng = np.random.default_rng(5)
    drawn = [random_stack(WIDE_TENTS, rng) for _ in range(1200)]
    return [d.dual() for d in drawn if len(d) <= 12 and is_universal_donor(analyse(d))]


def test_closures_in_the_dual_of_a_composition_of_m_dags_have_an_ic_optimal_order():
    """Lemma 3.6, restated: each W lies with all its sinks, in a row, on one W of degree 2."""
    found = duals_of_donors()

    assert len(found) >= 50
    assert sum(bool((dag.out_degrees > 2).any()) for dag in found) >= 5
    for dag in found:
        assert all(has_order(dag.induced(closure(dag, run))) for run in ideal_lists(dag))


def test_as_printed_lemma_3_6_fails_for_out_trees():
    """The tasks of tests/serve/clusters/test_counterexamples.py, as a cluster of an out-tree.

    The cluster is far from the leaves of the out-tree, so that it is its own closure.
    """
    tall = out_tree(7)
    paths = ["", "0", "1", "00", "10", "000", "001", "100", "1000", "1001", "10000", "10001"]
    cluster = sorted(2 ** len(bits) - 1 + int(bits or "0", 2) for bits in paths)

    assert reticulated(tall)
    assert closure(tall, cluster).tolist() == cluster
    assert most_enabled(tall.induced(cluster))[:6] == [0, 2, 3, 5, 6, 8]
    assert not has_order(tall.induced(cluster))


@pytest.mark.parametrize(
    ("upper", "lower"), [(m(3, 2), m(1, 3)), (m(5, 2), m(2, 3)), (m(6, 2), m(2, 3))]
)
def test_m_dags_of_indegree_above_two_may_end_a_universal_donor(upper, lower):
    """Theorem 3.4 for indegrees above 2: all sources of the lower M are sinks in a row."""
    for start in range(len(upper.sinks) - len(lower.sources) + 1):
        dag = laid(upper, lower, start, 0, len(lower.sources), turned=False)
        assert is_universal_donor(analyse(dag))
        assert all(has_order(dag.residual(executed)) for executed in ideal_lists(dag))
