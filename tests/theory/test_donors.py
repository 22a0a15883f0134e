"""The test for universal donors: never a false one, and which it finds."""

from itertools import islice, product

import numpy as np
import pytest

from icsched import Dag, prioritize
from icsched.families import cycle, fft, m, mesh, montage, n, out_tree, tree, w
from icsched.theory.reticulation import is_universal_donor
from tests.serve.clusters.posets import gives_everything, small_dags
from tests.theory.samples import shuffled


def passes(dag: Dag) -> bool:
    return is_universal_donor(prioritize(dag, "prio").analysis)


def laid(upper: Dag, lower: Dag, sink: int, source: int, count: int, *, turned: bool) -> Dag:
    """Compose, merging *count* sinks in a row, from *sink*, with sources in a row."""
    sinks = upper.sinks.tolist()[sink : sink + count]
    sources = lower.sources.tolist()[source : source + count]
    return upper.compose(lower, zip(sinks, sources[::-1] if turned else sources, strict=True))


def random_stack(blocks: list[Dag], rng: np.random.Generator) -> Dag:
    """Two blocks, the first laid on the second somewhere, and now and then a third beside."""
    upper, lower, beside = (blocks[i] for i in rng.integers(len(blocks), size=3))
    count = int(rng.integers(1, min(len(upper.sinks), len(lower.sources)) + 1))
    sink = int(rng.integers(len(upper.sinks) - count + 1))
    source = int(rng.integers(len(lower.sources) - count + 1))
    dag = laid(upper, lower, sink, source, count, turned=bool(rng.integers(2)))
    return dag + beside if rng.integers(3) == 0 else dag


@pytest.mark.parametrize(("tasks", "step"), [*((tasks, 1) for tasks in range(1, 7)), (7, 8)])
def test_every_dag_of_up_to_six_tasks_that_passes_is_a_universal_donor(tasks, step):
    """And every eighth of seven tasks; all of them were checked when the test was written."""
    passing = [dag for dag in islice(small_dags(tasks), 0, None, step) if passes(dag)]

    assert len(passing) >= 2 ** (tasks - 2)
    assert all(map(gives_everything, passing))


ROWS = [w(1, 2), w(2, 2), w(3, 2), w(1, 3), w(2, 3), n(1), n(2), n(3), cycle(2), cycle(3)]
TENTS = [m(1, 2), m(2, 2), m(3, 2), m(4, 2)]
WIDE_TENTS = [*TENTS, m(1, 3), m(2, 3), m(1, 4)]


@pytest.mark.parametrize(
    "blocks", [ROWS, TENTS, WIDE_TENTS], ids=["W, N and C", "M", "M of any degree"]
)
def test_every_random_stack_of_blocks_that_passes_is_a_universal_donor(blocks):
    rng = np.random.default_rng(7)
    drawn = [random_stack(blocks, rng) for _ in range(500)]
    passing = [dag for dag in drawn if len(dag) <= 13 and passes(dag)]

    assert len(passing) >= 25
    assert all(map(gives_everything, passing))


def test_the_sample_holds_dags_that_are_linear_but_no_universal_donors():
    """So that the test above can fail: the priorities of blocks alone are not enough."""
    rng = np.random.default_rng(7)
    drawn = [random_stack(TENTS, rng) for _ in range(500)]
    linear = [d for d in drawn if len(d) <= 13 and prioritize(d, "prio").analysis.is_linear]

    assert any(not gives_everything(dag) for dag in linear if not passes(dag))


@pytest.mark.parametrize(
    "dag",
    [
        w(4, 2),
        m(4, 2),
        m(3, 3),
        m(5, 2).compose(m(2, 3), [(6 + i, i) for i in range(5)]),
        cycle(5),
        n(6),
        mesh(9),
        mesh(9).dual(),
        out_tree(4),
        out_tree(3, 3),
        n(3).compose(n(3), [(3, 0), (4, 1), (5, 2)]),
        cycle(3).compose(cycle(3), [(3, 0), (4, 1), (5, 2)]),
        cycle(4).compose(cycle(4), [(4, 2), (5, 3), (6, 0), (7, 1)]),
        w(1, 3).compose(w(3, 2), [(1, 0), (2, 1), (3, 2)]),
        w(2, 3).compose(w(2, 2), [(2, 0), (3, 1)]),
        w(2, 2).compose(cycle(4), [(2, 3), (3, 0), (4, 1)]),
        w(2, 2).compose(n(4), [(2, 2), (3, 1), (4, 0)]),
        Dag.from_arcs(4, []),
        Dag.from_arcs(3, [(0, 1), (1, 2), (0, 2)]),  # with a shortcut
    ],
    ids=repr,
)
def test_the_families_of_the_theorems_pass_however_they_are_numbered(dag):
    assert passes(dag)
    assert all(passes(shuffled(dag, seed=seed)) for seed in range(3))


@pytest.mark.parametrize(
    "dag",
    [
        fft(2),  # a donor, but the butterflies are not laid source by source: beyond the theorem
        fft(3),
        tree(3),  # likewise a donor, unlike taller ones
        tree(5),
        montage(),
        m(7, 3).compose(m(3, 3), [(15 + i, i) for i in range(7)]),  # degree 3 may only come last
        w(3, 2).compose(w(3, 2), [(3, 0), (4, 1)]),  # the last source of the upper leads elsewhere
        w(2, 2).compose(w(4, 2), [(2, 0), (3, 2), (4, 3)]),  # a gap between the sources it leads to
        w(2, 2).compose(n(3), [(2, 0)]),  # of degree 2, and the second source leads elsewhere
        n(2).compose(n(3), [(2, 0), (3, 1)]),  # not flush
        n(2).compose(n(2), [(2, 1), (3, 0)]),  # turned
        w(1, 2).compose(m(1, 2), [(1, 0), (2, 1)]),  # mixed
    ],
    ids=repr,
)
def test_what_the_theorems_do_not_cover_does_not_pass(dag):
    assert not passes(dag)


@pytest.mark.parametrize(("s", "t"), [*product((1, 2, 3), (1, 2, 3, 4))])
def test_a_w_dag_on_another_passes_if_all_its_sources_lead_into_it_side_by_side(s, t):
    """Of W(s,2) at least s sinks must be sources of W(t,2); then s <= t, as priority asks."""
    for count in range(1, min(s + 1, t) + 1):
        assert passes(laid(w(s, 2), w(t, 2), 0, 0, count, turned=False)) == (count >= s)
