"""Blocks: what is recognised, and what it is called."""

import re
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from icsched import Dag, eligibility_profile
from icsched.families import (
    clique,
    complete_bipartite,
    cycle,
    m,
    m_strand,
    n,
    pbt,
    random_tree_sum,
    w,
    w_strand,
)
from icsched.orders import prioritize
from icsched.pebble import optimal_profile
from icsched.theory import Kind, family_name
from tests.proofs import chain_of
from tests.strategies import dags
from tests.theory import paper
from tests.theory.kinds import is_ic_optimal, kind_of, kinds, name_of
from tests.theory.paper_samples import tangled_dags
from tests.theory.samples import shuffled

MAKERS = {"W": w, "M": m, "N": n, "C": cycle, "K": complete_bipartite, "Clique": clique}


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
