"""Orders of blocks: whether they are as good as claimed."""

import numpy as np
import pytest

from icsched import Dag, _native
from icsched.families import (
    inspiral,
    montage,
    random_bipartite,
    random_layered,
    sdss,
)
from icsched.orders import prioritize
from icsched.pebble import enabled_profile, ic_optimal_order, maximum_area_order, optimal_profile
from icsched.theory import Decomposition, Kind, decompose, family_name
from icsched.theory.analysis import EXACT_NONSINKS
from tests.strategies import naturally_labelled_dags
from tests.theory import paper
from tests.theory.kinds import is_ic_optimal, kind_of, kinds, name_of
from tests.theory.samples import random_dag, shuffled

# Orders of general and of large blocks


def area(enabled: object) -> int:
    return int(np.sum(enabled))


def rows(parts: Decomposition, orders: _native.BlockOrders, number: int) -> tuple[list, list]:
    """Nonsinks of a block in execution order, and what they enable."""
    offsets = parts.blocks.nonsinks.offsets
    first, end = int(offsets[number]), int(offsets[number + 1])
    return (
        orders.nonsinks[first:end].tolist(),
        orders.enabled[first + number : end + number + 1].tolist(),
    )


def check_orders(dag: Dag, *, exact: bool) -> set[Kind]:
    """Block orders are legal, enable what they say, and are never worse than outdegree's."""
    parts, orders = kinds(dag, exact=exact)
    for number in range(len(parts)):
        block = paper.Block(
            frozenset(parts.nonsinks(number).tolist()), frozenset(parts.sinks(number).tolist())
        )
        order, enabled = rows(parts, orders, number)
        assert sorted(order) == sorted(block.nonsinks)
        assert enabled == paper.enabled(dag, block, order)
        for place, task in enumerate(order):
            assert paper.parents_in(dag, block.tasks, task) <= set(order[:place])
        by_outdegree = paper.enabled(dag, block, paper.outdegree_order(dag, block))
        assert area(enabled) >= area(by_outdegree)
        inside = sum(len(paper.children_in(dag, block.tasks, task)) for task in order)
        assert orders.arcs[number] == inside
        sources = sum(not paper.parents_in(dag, block.tasks, task) for task in block.tasks)
        assert orders.sources[number] == sources
    return {Kind(kind) for kind in orders.kind.tolist()}


@pytest.mark.parametrize("exact", [True, False])
def test_block_orders_are_legal_and_never_worse_than_by_outdegree(exact):
    """Dags of 14 tasks, many with general blocks; with and without the referee."""
    seen: set[Kind] = set()
    for seed in range(300):
        seen |= check_orders(paper.without_shortcuts(random_dag(14, 0.25, seed=seed)), exact=exact)
    assert {Kind.TREE, Kind.EXACT if exact else Kind.RULED} <= seen


@pytest.mark.parametrize(
    "dag",
    [
        inspiral(11),
        montage(5, 5),
        sdss(24).induced(range(48)),
        *(random_bipartite(24, 24, arcs, seed=arcs) for arcs in (60, 80, 120)),
        *(random_layered(200, 25, 3, 2, seed=seed) for seed in range(6)),
    ],
    ids=repr,
)
def test_a_block_too_large_for_the_referee_is_never_worse_than_by_outdegree(dag):
    reduced = paper.without_shortcuts(dag)
    seen = check_orders(reduced, exact=True)
    sizes = np.diff(decompose(reduced).blocks.nonsinks.offsets)

    assert sizes.max() > EXACT_NONSINKS
    assert Kind.RULED in seen


def test_where_no_order_is_ic_optimal_a_small_block_takes_one_of_largest_area():
    """All blocks of 12-task dags that the referee finds without an IC-optimal order."""
    searched = 0
    for seed in range(3000):
        dag = random_bipartite(6, 6, 10 + seed % 8, seed=seed)
        parts, orders = kinds(dag)
        for number in np.flatnonzero(orders.kind == Kind.SEARCHED).tolist():
            block = parts.block(number)
            _, enabled = rows(parts, orders, number)
            best = enabled_profile(block, maximum_area_order(block))[: len(enabled)]
            assert ic_optimal_order(block) is None
            assert area(enabled) == area(best)
            searched += 1
    assert searched >= 100


@pytest.mark.parametrize("tasks", range(1, 6))
def test_a_proved_kind_is_ic_optimal_on_every_block_of_every_small_dag(tasks):
    for dag in naturally_labelled_dags(tasks):
        reduced = paper.without_shortcuts(dag)
        parts, orders = kinds(reduced)
        for number in range(len(parts)):
            block = parts.block(number)
            _, enabled = rows(parts, orders, number)
            best = optimal_profile(block) - len(block.sources) + np.arange(len(block) + 1)
            kind = Kind(int(orders.kind[number]))
            assert kind.is_proved == (enabled == best[: len(enabled)].tolist())


# Trees that cannot be drawn as strands, past the referee


def random_bipartite_tree(members: int, *, seed: int) -> Dag:
    """A random tree, its members coloured in two: sources and sinks."""
    rng = np.random.default_rng(seed)
    joined = [int(rng.integers(v)) for v in range(1, members)]
    is_source = [True]
    for above in joined:
        is_source.append(not is_source[above])
    arcs = [(a, v) if is_source[a] else (v, a) for v, a in enumerate(joined, start=1)]
    return Dag.from_arcs(members, arcs)


def test_a_bound_for_trees_proves_orders_only_where_the_referee_agrees():
    """Trees of 8 to 17 members without the referee's help, which then judges the claims."""
    proved = 0
    for seed in range(1500):
        block = random_bipartite_tree(8 + seed % 10, seed=seed)
        parts, orders = kinds(block, exact=False)
        (kind,) = orders.kind.tolist()
        if kind == Kind.FOREST:
            order, _ = rows(parts, orders, 0)
            assert is_ic_optimal(block, [*order, *block.sinks.tolist()])
            assert family_name(block, Kind.FOREST).startswith("T(")
            proved += 1
        else:
            assert kind in (Kind.TREE, Kind.RULED)
    assert proved >= 5


def test_a_comb_of_joins_meets_the_bound_for_trees():
    """Airsn's first cover: 30 sinks, each of the handle's end and of a fringe of its own.

    All sinks are on the spine and meet at the handle, so that no drawing has them in a row.
    As every sink has two parents, x sources enable at most x - 1 sinks. The handle first and
    then the fringes do that: 0, 0, 1, 2, ..
    """
    fringes = 30
    sinks = range(fringes + 1, 2 * fringes + 1)
    arcs = [(0, sink) for sink in sinks] + list(zip(range(1, fringes + 1), sinks, strict=True))
    block = shuffled(Dag.from_arcs(2 * fringes + 1, arcs), seed=1)
    plan = prioritize(block, "prio")
    enabled = enabled_profile(block, plan.order)[: fringes + 2]

    assert kind_of(block) is Kind.FOREST
    assert name_of(block) == "T(31,30)"
    assert enabled.tolist() == [0, *range(fringes + 1)]
    assert plan.proof.is_ic_optimal
