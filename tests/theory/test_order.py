"""The order of a whole dag: the papers' examples, the twin, and the table of orders."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import ArgumentError, Dag, eligibility_profile, pebble, verify
from icsched.families import (
    airsn,
    cordasco2007_fig6,
    cordasco2011_fig6,
    inspiral,
    montage,
    out_tree,
    random_layered,
    sdss,
)
from icsched.orders import ORDERS, Plan, prioritize
from icsched.pebble import compare, optimal_profile
from icsched.theory import Analysis, Kind, analyse
from icsched.theory.proof import Theorem
from tests.proofs import chain_of
from tests.strategies import dags
from tests.theory import paper
from tests.theory.paper_samples import PAPER_EXAMPLE, tangled_dags
from tests.theory.samples import chain


def names(plan: Plan) -> str:
    return " ".join(map(str, plan.schedule.names))


def block_orders(analysis: Analysis) -> list[tuple[paper.Block, list[int]]]:
    """Blocks by number, each with its nonsinks in execution order."""
    parts, orders = analysis.parts, analysis.orders
    ends = parts.blocks.nonsinks.offsets.tolist()
    return [
        (
            paper.Block(
                frozenset(parts.nonsinks(number).tolist()), frozenset(parts.sinks(number).tolist())
            ),
            orders.nonsinks[ends[number] : ends[number + 1]].tolist(),
        )
        for number in range(len(parts))
    ]


def check_linear(plan: Plan) -> None:
    """Theorem 2.1 applies: each block has priority over the next, and the order is theirs."""
    analysis = plan.analysis
    reduced = analysis.parts.dag
    in_turn = [block_orders(analysis)[number] for number in analysis.sequence.tolist()]
    enabled = [paper.enabled(reduced, block, order) for block, order in in_turn]
    nonsinks = [task for _, order in in_turn for task in order]

    assert all(paper.has_priority(a, b) for a, b in pairwise(enabled))
    assert paper.are_closed(reduced, [block for block, _ in in_turn])
    assert analysis.order.tolist() == nonsinks + plan.dag.sinks.tolist()
    in_order = eligibility_profile(plan.dag, analysis.order)
    assert np.array_equal(plan.schedule.eligible, in_order)  # ties may differ


# The papers' examples


def test_the_example_of_malewicz_2007_runs_the_fork_before_the_chain():
    r"""
    a   c       c leaves three tasks eligible, a would leave two.
    |  / \
    b d   e
    """
    plan = prioritize(PAPER_EXAMPLE, "prio")

    assert names(plan) == "c a b d e"
    assert plan.priorities_by_id.tolist() == [4, 3, 5, 2, 1]
    assert plan.proof.is_ic_optimal
    assert (plan.proof.theorem, chain_of(plan)) == (Theorem.BLOCKS, "W(1,2) > N(1)")
    check_linear(plan)


@pytest.mark.parametrize("first", ["fringes", "handle"])
def test_airsn_runs_its_handle_first_and_is_never_behind_fifo(first):
    """Malewicz et al. 2007, section 3.3: the last of the 21 handle tasks has priority 773 - 20 =
    753.
    """
    dag = airsn(250, first)
    plan = prioritize(dag, "prio")
    handle = [dag.id_of(f"handle_{i:02}") for i in range(21)]

    assert plan.priorities_by_id[handle].tolist() == [*range(753, 774)][::-1]
    assert compare(dag, plan.order, pebble.fifo_order(dag)).never_below


def test_airsn_leads_fifo_by_249_tasks_if_the_fringes_come_first():
    """After the fringes FIFO has nothing but the handle; PRIO's fringes have a cover each."""
    dag = airsn()
    comparison = compare(dag, prioritize(dag, "prio").order, pebble.fifo_order(dag))

    assert comparison.largest_lead == (250, 249)
    assert comparison.difference[251] == 249


def test_airsn_is_proved_between_its_bottlenecks():
    """The first join waits for all before it, and all after it wait for it."""
    plan = prioritize(airsn(), "prio")

    assert plan.proof.is_ic_optimal
    assert chain_of(plan) == "N(1) x 20 > T(251,250) | M(1,250) | W(1,250) | M(1,250)"


@pytest.mark.parametrize(
    ("dag", "chain_of_blocks"),
    [
        (cordasco2007_fig6("left"), "W(1,4) > W[4,2,4,3] > M[4,2,4,3] > M(1,4)"),
        (
            cordasco2007_fig6("right"),
            "W(1,5) > P[4,1/3,3,1/3,2,1/2,4,1/3,2] > P[1/4,3,1/3,3,1/2,2,1/4,3,1/2] > M(1,6)",
        ),
        (
            cordasco2011_fig6(),
            "W(1,2) x 2 > W(2,2) x 2 > W(3,2) x 2 > W(4,2) x 2 > W(5,2) > W(6,2) > W(10,2)",
        ),
    ],
    ids=["Cordasco et al. 2007 left", "Cordasco et al. 2007 right", "Cordasco et al. 2011"],
)
def test_the_linear_compositions_of_both_figures_6_are_proved_by_theorem_2_1(dag, chain_of_blocks):
    plan = prioritize(dag, "prio")

    assert plan.proof.theorem == Theorem.BLOCKS
    assert chain_of(plan) == chain_of_blocks
    check_linear(plan)
    assert verify(dag, plan.order).ic_optimal


@pytest.mark.parametrize("dag", [inspiral(5), montage(3, 4), sdss(12)], ids=repr)
def test_the_other_scientific_dags_are_never_behind_fifo(dag):
    order = prioritize(dag, "prio").order

    assert compare(dag, order, pebble.fifo_order(dag)).never_below


# The order against the twin


@given(dags(most_tasks=10) | tangled_dags())
@settings(max_examples=150)
def test_blocks_run_in_the_greedy_order_of_the_twin(dag):
    """Step 6 of Malewicz et al. 2007 on the kernel's own block orders."""
    analysis = analyse(dag)
    reduced = analysis.parts.dag
    blocks = block_orders(analysis)
    profiles = [paper.eligible(reduced, block, order) for block, order in blocks]
    expected = paper.greedy(reduced, [block for block, _ in blocks], profiles)

    assert analysis.sequence.tolist() == expected
    enabled = [paper.enabled(reduced, *blocks[number]) for number in expected]
    has_priority = [paper.has_priority(a, b) for a, b in pairwise(enabled)]
    assert analysis.has_priority.tolist() == has_priority + [True] * bool(expected)


@given(dags(most_tasks=10) | tangled_dags())
def test_the_order_is_legal_and_a_claim_is_confirmed(dag):
    plan = prioritize(dag, "prio")
    reached = eligibility_profile(dag, plan.order)

    assert set(plan.order[len(dag.nonsinks) :].tolist()) == set(dag.sinks.tolist())
    if plan.proof.is_ic_optimal:
        assert np.array_equal(reached, optimal_profile(dag))


def test_a_shortcut_changes_nothing():
    """0 -> 2 -> 3 with the shortcut 0 -> 3, and 1 -> 4."""
    arcs = [(0, 2), (2, 3), (1, 4)]
    with_it = prioritize(Dag.from_arcs(5, [*arcs, (0, 3)]), "prio")
    without = prioritize(Dag.from_arcs(5, arcs), "prio")

    assert with_it.order.tolist() == without.order.tolist() == [0, 1, 2, 3, 4]
    assert with_it.proof == without.proof


# The table of orders and the plan


@pytest.mark.parametrize("dag", [PAPER_EXAMPLE, airsn(5), random_layered(60, 7, seed=1)], ids=repr)
def test_the_simple_orders_are_the_orders_of_the_pebble_game(dag):
    expected = {
        "fifo": pebble.fifo_order(dag),
        "lifo": pebble.lifo_order(dag),
        "level": pebble.level_order(dag),
        "critical-path": pebble.critical_path_order(dag),
    }

    assert set(expected) < set(ORDERS)
    for name, order in expected.items():
        plan = prioritize(dag, name)
        assert plan.ordered_by == name
        assert np.array_equal(plan.order, order)
        if plan.proof.is_ic_optimal:
            assert np.array_equal(plan.schedule.eligible, optimal_profile(dag))


def test_an_unknown_order_is_refused_with_the_known_ones():
    expected = f"order: expected {', '.join(ORDERS)}, got 'best'"

    with pytest.raises(ArgumentError) as error:
        prioritize(PAPER_EXAMPLE, "best")

    assert str(error.value) == expected


@given(dags(), st.sampled_from(["prio", "fifo", "lifo", "random", "level", "critical-path"]))
def test_priorities_fall_from_n_to_1_along_the_order(dag, name):
    plan = prioritize(dag, name)

    assert plan.priorities_by_id[plan.order].tolist() == [*range(1, len(dag) + 1)][::-1]


def test_the_analysis_groups_blocks_by_family_and_size():
    """An out-tree is three forks; the chain beside it is two arcs."""
    dag = out_tree(2)
    groups = prioritize(dag, "prio").analysis.blocks
    both = prioritize(dag + chain(3), "prio").analysis.blocks

    assert [(g.family, g.count, g.sources, g.sinks) for g in groups] == [("W(1,2)", 3, 1, 2)]
    assert [(g.family, g.count) for g in both] == [("W(1,2)", 3), ("N(1)", 2)]


def test_kinds_up_to_exact_are_proved():
    assert [kind.name for kind in Kind if not kind.is_proved] == ["SEARCHED", "RULED"]


# Bad and large sizes


def test_a_dag_without_tasks_has_an_empty_order():
    plan = prioritize(Dag({}), "prio")

    assert plan.order.tolist() == plan.priorities_by_id.tolist() == []
    assert plan.proof.is_ic_optimal
    assert plan.analysis.blocks == []


def test_one_task_runs():
    plan = prioritize(Dag({"a": []}), "prio")

    assert names(plan) == "a"
    assert plan.priorities_by_id.tolist() == [1]
    assert plan.proof.is_ic_optimal
