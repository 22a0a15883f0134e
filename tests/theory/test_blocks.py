"""Blocks: what is recognised, what it is called, and whether its order is as good as claimed."""

import re
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from icsched import Dag, _native, eligibility_profile
from icsched.families import (
    clique,
    complete_bipartite,
    cycle,
    inspiral,
    m,
    m_strand,
    montage,
    n,
    pbt,
    random_bipartite,
    random_layered,
    random_tree_sum,
    sdss,
    w,
    w_strand,
)
from icsched.orders import prioritize
from icsched.pebble import enabled_profile, ic_optimal_order, maximum_area_order, optimal_profile
from icsched.theory import Decomposition, Kind, decompose, family_name
from icsched.theory.analysis import EXACT_NONSINKS, EXACT_SETS
from tests.proofs import chain_of
from tests.strategies import dags, naturally_labelled_dags
from tests.theory import paper
from tests.theory.samples import random_dag, shuffled
from tests.theory.test_paper import tangled_dags

MAKERS = {"W": w, "M": m, "N": n, "C": cycle, "K": complete_bipartite, "Clique": clique}


def kinds(dag: Dag, *, exact: bool = True) -> tuple[Decomposition, _native.BlockOrders]:
    """Blocks of a dag without shortcuts with their orders; without the referee if not *exact*."""
    parts = decompose(dag)
    nonsinks = EXACT_NONSINKS if exact else 0
    orders = _native.order_blocks(
        dag.child_rows, parts.blocks, exact_nonsinks=nonsinks, exact_sets=EXACT_SETS, all_sets=10**9
    )
    return parts, orders


def kind_of(block: Dag) -> Kind:
    """What a dag of one block is recognised as."""
    parts, orders = kinds(block)
    assert len(parts) == 1
    return Kind(int(orders.kind[0]))


def name_of(block: Dag) -> str:
    return family_name(block, kind_of(block))


STRANDS = {"W": w_strand, "M": m_strand, "P": pbt}


def member(name: str) -> Dag | None:
    """The dag that a name such as W(3,2) or P[4,1/3,2] means; None for T, B and G."""
    if name.endswith("]"):
        return STRANDS[name[0]](name[2:-1])
    family, numbers = re.fullmatch(r"([A-Za-z]+\*?)\((.*)\)", name).groups()
    sizes = [int(number) for number in numbers.split(",")]
    if family == "Clique*":
        return clique(*sizes).dual()
    return MAKERS[family](*sizes) if family in MAKERS else None


def is_same(first: Dag, second: Dag) -> bool:
    """Whether the two are the same but for the ids."""
    if (len(first), first.arc_count) != (len(second), second.arc_count):
        return False
    return nx.is_isomorphic(first.to_networkx(), second.to_networkx())


def check_name(block: Dag, kind: Kind) -> None:
    """A name with a meaning is right; other names state the block's sizes."""
    name = family_name(block, kind)
    known = member(name)
    if known is not None:
        assert is_same(block, known), name
        return
    sources, sinks = len(block.sources), len(block.sinks)
    assert name in (f"T({sources},{sinks})", f"B({sources},{sinks})", f"G({len(block)})")
    assert name.startswith("G") == (not block.is_bipartite)
    assert name.startswith("T") == (kind in (Kind.TREE, Kind.FOREST))


def is_ic_optimal(dag: Dag, order: object) -> bool:
    return np.array_equal(eligibility_profile(dag, order), optimal_profile(dag))


def check_claim(dag: Dag) -> None:
    """If *dag* is claimed to have an IC-optimal order, the referee agrees."""
    plan = prioritize(dag, "prio")
    if plan.proof.is_ic_optimal:
        assert is_ic_optimal(dag, plan.order)
    else:
        eligibility_profile(dag, plan.order)  # raises if the order is not legal


# The kinds that theorems cover

W_AND_M = [(s, d) for d in range(2, 6) for s in range(1, 8) if s * (d - 1) < 14]
RECOGNISED = [
    *((f"W({s},{d})", w(s, d), Kind.TREE) for s, d in W_AND_M),
    *((f"M({s},{d})", m(s, d), Kind.TREE) for s, d in W_AND_M),
    *((f"N({s})", n(s), Kind.TREE) for s in range(1, 13)),
    *((f"C({s})", cycle(s), Kind.CYCLE) for s in range(2, 13)),
    *((f"Clique({s})", clique(s), Kind.CLIQUE) for s in range(4, 10)),
    *((f"Clique*({s})", clique(s).dual(), Kind.COCLIQUE) for s in range(4, 7)),
    *(
        (f"K({a},{b})", complete_bipartite(a, b), Kind.COMPLETE)
        for a, b in product(range(2, 8), range(2, 6))
        if (a, b) != (2, 2)
    ),
]


@pytest.mark.parametrize(("name", "block", "kind"), RECOGNISED, ids=[r[0] for r in RECOGNISED])
def test_a_block_of_a_known_family_is_named_and_ordered_whatever_its_ids(name, block, kind):
    for seed in range(4):
        renumbered = shuffled(block, seed=seed)
        plan = prioritize(renumbered, "prio")

        assert kind_of(renumbered) is kind
        assert name_of(renumbered) == name
        assert [(group.family, group.count) for group in plan.analysis.blocks] == [(name, 1)]
        assert (plan.proof.is_ic_optimal, chain_of(plan)) == (True, name)
        assert is_ic_optimal(renumbered, plan.order)


@pytest.mark.parametrize(
    ("block", "name"),
    [
        (complete_bipartite(1, 1), "N(1)"),
        (complete_bipartite(1, 4), "W(1,4)"),
        (complete_bipartite(4, 1), "M(1,4)"),
        (complete_bipartite(2, 1), "M(1,2)"),
        (complete_bipartite(2, 2), "C(2)"),
        (clique(2), "M(1,2)"),
        (clique(2).dual(), "W(1,2)"),
        (clique(3), "C(3)"),
        (clique(3).dual(), "C(3)"),
        (n(2).dual(), "N(2)"),
        (w_strand("2,2,1"), "N(3)"),
        (m_strand("3,3"), "M(2,3)"),
    ],
)
def test_a_block_of_two_families_has_the_simpler_name(block, name):
    assert name_of(shuffled(block, seed=1)) == name


@pytest.mark.parametrize(
    "block", [w_strand("4,2,4,3"), m_strand("4,2,4,3"), pbt("3,1/3,2,1/2")], ids=["W", "M", "P"]
)
def test_a_strand_has_one_name_from_whichever_end_it_is_read(block):
    assert len({name_of(shuffled(block, seed=seed)) for seed in range(10)}) == 1


def test_equal_strands_are_one_group_however_they_are_numbered():
    strands = [shuffled(w_strand("4,2"), seed=seed) for seed in range(6)]
    groups = prioritize(sum(strands, start=Dag({})), "prio").analysis.blocks

    assert [(group.count, group.sources, group.sinks) for group in groups] == [(6, 2, 5)]


@pytest.mark.parametrize("seed", range(150))
def test_a_random_planar_bipartite_tree_is_recognised_and_ordered(seed):
    block = shuffled(random_tree_sum(1, seed=seed), seed=seed)
    kind = kind_of(block)

    assert kind is Kind.TREE
    check_name(block, kind)
    assert prioritize(block, "prio").proof.is_ic_optimal
    assert is_ic_optimal(block, prioritize(block, "prio").order)


@pytest.mark.parametrize("zigzag", ["1/4,3,1/3,3,1/2,2,1/4,3,1/2", "4,1/3,3,1/3,2,1/2,4,1/3,2"])
def test_the_trees_of_cordasco_2007_are_recognised(zigzag):
    """Figs. 4 and 6: P and its dual."""
    block = shuffled(pbt(zigzag), seed=3)

    assert kind_of(block) is Kind.TREE
    assert is_ic_optimal(block, prioritize(block, "prio").order)


@given(dags(most_tasks=10) | tangled_dags())
@settings(max_examples=150)
def test_every_name_is_right(dag):
    reduced = paper.without_shortcuts(dag)
    parts, orders = kinds(reduced)
    for number in range(len(parts)):
        check_name(parts.block(number), Kind(int(orders.kind[number])))


# Near misses


def bipartite(*parents_of_sinks: str) -> Dag:
    """A dag of one-letter sources, with a sink for each string that lists its parents."""
    sources = sorted(set("".join(parents_of_sinks)))
    sinks = {f"{place}:{parents}": list(parents) for place, parents in enumerate(parents_of_sinks)}
    return Dag({**{source: [] for source in sources}, **sinks})


# Sinks are written as their parents: "ab" is a sink of a and b.
NEAR_MISSES = {
    # the four-cycle a-b-c-d with the arc from a to the sink of c and d
    "a cycle with a chord": bipartite("ab", "bc", "acd", "da"),
    # a and b share two sinks, so it is no cycle of three, though all sinks have two parents
    "two sinks of one pair": bipartite("ab", "ab", "bc"),
    # as many arcs as a four-cycle and all sinks of degree two, but b has three and d has one
    "a cycle with an arc moved": bipartite("ab", "bc", "cb", "ad"),
    # a cycle of three and one source that hangs from it
    "a cycle with a tail": bipartite("ab", "bc", "ca", "ad"),
    # from x three paths lead away, each two long: no drawing has all three on a line
    "a tree whose spine branches": bipartite("xa", "xb", "xc", "a", "b", "c"),
    # the same upside down: a sink of three parents with another child each
    "a tree whose spine branches at a sink": bipartite("abc", "ad", "be", "cf"),
    "a complete block without one arc": bipartite("abc", "abc", "ab"),
    "a clique with a pair twice and one missing": bipartite("ab", "ac", "ad", "bc", "bd", "bd"),
    "a clique with one sink of three": bipartite("ab", "ac", "ad", "bc", "bd", "bcd"),
    # its sinks are w, x, y, z; of the six sources two share x and z, and none has y and z
    "a coclique with a pair twice and one missing": bipartite("abc", "adef", "bd", "cef"),
}


@pytest.mark.parametrize("what", NEAR_MISSES)
def test_a_near_miss_is_not_misnamed_and_claims_no_more_than_is_so(what):
    for seed in range(5):
        block = shuffled(NEAR_MISSES[what], seed=seed)
        kind = kind_of(block)

        assert kind in (Kind.EXACT, Kind.SEARCHED, Kind.FOREST)
        assert member(family_name(block, kind)) is None
        check_claim(block)
        check_claim(block.dual())


@pytest.mark.parametrize("what", NEAR_MISSES)
def test_a_near_miss_is_not_misnamed_without_the_referee_either(what):
    block = NEAR_MISSES[what]
    _, orders = kinds(block, exact=False)

    assert orders.kind.tolist() in ([Kind.RULED], [Kind.FOREST])


def test_two_cycles_side_by_side_are_two_blocks():
    """All degrees are two, but it is not one cycle of four."""
    plan = prioritize(shuffled(cycle(2) + cycle(2), seed=1), "prio")

    assert [(group.family, group.count) for group in plan.analysis.blocks] == [("C(2)", 2)]


@pytest.mark.parametrize(("sources", "sinks"), [(2, 3), (3, 2), (3, 3), (3, 4), (4, 3)])
def test_every_small_bipartite_dag_gets_right_names_and_right_claims(sources, sinks):
    """All 64 to 4,096 sets of arcs; for each block the claim and the name."""
    possible = np.array([(u, sources + v) for u in range(sources) for v in range(sinks)])
    for bits in range(2 ** len(possible)):
        chosen = possible[[bits >> i & 1 == 1 for i in range(len(possible))]]
        dag = Dag.from_arcs(sources + sinks, chosen)
        parts, orders = kinds(dag)
        enabled = np.split(orders.enabled, np.cumsum(np.diff(parts.blocks.nonsinks.offsets) + 1))
        for number in range(len(parts)):
            block, kind = parts.block(number), Kind(int(orders.kind[number]))
            best = optimal_profile(block) - len(block.sources) + np.arange(len(block) + 1)
            reached = enabled[number]
            assert np.array_equal(reached, best[: len(reached)]) == kind.is_proved
            check_name(block, kind)


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
