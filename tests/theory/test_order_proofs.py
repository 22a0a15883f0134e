"""What is proved about the order of a whole dag, and what is not."""

from cProfile import Profile

import pytest

from icsched import Dag, verify
from icsched.families import (
    cycle,
    m,
    n,
    w,
)
from icsched.orders import prioritize
from icsched.pebble import area, maximum_area_order, optimal_profile
from icsched.theory import without_shortcuts
from icsched.theory.proof import LARGEST_AREA, Sign, Theorem
from tests.proofs import chain_of
from tests.theory.paper_samples import CROSSED

# Proofs


def forks_and_joins(forks: int, width: int) -> Dag:
    """One task, then *forks* of *width* tasks each that join again, then one task."""
    parents: dict[str, list[str]] = {"prepare": []}
    for fork in range(forks):
        middle = [f"work {fork} {i}" for i in range(width)]
        parents |= {f"split {fork}": ["prepare"], **{m: [f"split {fork}"] for m in middle}}
        parents[f"merge {fork}"] = middle
    return Dag(parents | {"collect": [f"merge {fork}" for fork in range(forks)]})


def test_forks_and_joins_between_a_lone_source_and_sink_are_a_series():
    r"""
           prepare             Neither W(1,2) nor M(1,2) at the ends has priority as the
          /       \            blocks beside them need it; but `prepare` is first and `collect`
       split     split         last in every order, and between them forks come before joins.
       / | \     / | \
       \ | /     \ | /
       merge     merge
          \       /
           collect
    """
    dag = forks_and_joins(2, 3)

    plan = prioritize(dag, "prio")

    assert plan.proof.theorem == Theorem.PARTS
    assert chain_of(plan) == "W(1,2) | W(1,3) x 2 > M(1,3) x 2 | M(1,2)"
    assert plan.schedule.eligible.tolist() == optimal_profile(dag).tolist()
    assert plan.schedule.names[0] == "prepare"
    assert plan.schedule.names[-1] == "collect"


def test_lone_ends_may_be_chains():
    """Two tasks before the forks, two after the joins: all four are out of the question."""
    inner = forks_and_joins(2, 3).to_mapping()
    inner["prepare"] = ["order"]
    dag = Dag({"order": [], **inner, "publish": ["collect"]})

    plan = prioritize(dag, "prio")

    assert plan.proof.theorem == Theorem.PARTS
    assert plan.schedule.eligible.tolist() == optimal_profile(dag).tolist()


def test_a_part_of_a_series_is_not_searched_for_shortcuts_again():
    profile = Profile()
    plan = profile.runcall(prioritize, forks_and_joins(2, 3), "prio")
    calls = [
        entry.callcount for entry in profile.getstats() if entry.code is without_shortcuts.__code__
    ]

    assert plan.proof.theorem == Theorem.PARTS
    assert calls == [1]


def test_of_two_sinks_neither_is_left_out():
    """`log` is beside the forks and joins, and one of two sinks."""
    dag = Dag({**forks_and_joins(2, 3).to_mapping(), "log": ["prepare"]})

    plan = prioritize(dag, "prio")

    assert plan.proof.is_ic_optimal
    assert plan.schedule.eligible.tolist() == optimal_profile(dag).tolist()


def test_a_join_before_a_fork_is_proved_at_the_bottleneck_between_them():
    r"""
    0  1  2
     \ | /       Not by priority: the fork would rather go first. But no task of it can.
       3
     / | \
    4  5  6
    """
    plan = prioritize(m(1, 3).compose(w(1, 3), [(3, 0)]), "prio")

    assert plan.order.tolist() == [*range(7)]
    assert (plan.proof.is_ic_optimal, chain_of(plan)) == (True, "M(1,3) | W(1,3)")
    assert plan.proof.theorem == Theorem.PARTS


@pytest.mark.parametrize(
    "beside",
    [Dag.from_arcs(1, []), n(1), w(1, 2), m(1, 2)],
    ids=["a task", "an arc", "a fork", "a join"],
)
def test_with_anything_beside_it_a_task_is_no_bottleneck(beside):
    """The same join and fork, twenty wide."""
    dag = m(1, 20).compose(w(1, 20), [(20, 0)]) + beside
    plan = prioritize(dag, "prio")

    assert plan.proof.chain is None or Sign.SERIES not in [x.sign for x in plan.proof.chain.links]
    if plan.proof.is_ic_optimal:
        assert verify(dag, plan.order).ic_optimal


def test_a_sink_beside_a_bottleneck_spoils_it():
    r"""
    0   1
     \ / \      Once 0 and 1 have run, 3 is eligible beside 2.
      2   3
     / \
    4   5
    """
    dag = Dag.from_arcs(6, [(0, 2), (1, 2), (1, 3), (2, 4), (2, 5)])
    plan = prioritize(dag, "prio")

    assert plan.proof.chain is None or Sign.SERIES not in [x.sign for x in plan.proof.chain.links]
    assert verify(dag, plan.order).ic_optimal == plan.proof.is_ic_optimal


def test_a_general_block_that_is_not_closed_is_not_proved_by_theorem_2_1():
    """CROSSED has the arc 2 -> 6 between its blocks, so block profiles do not add up."""
    plan = prioritize(CROSSED, "prio")

    assert not plan.analysis.is_proved_by_blocks
    assert plan.proof.theorem in (None, Theorem.EXACT, Theorem.PARTS)
    assert verify(CROSSED, plan.order).ic_optimal == plan.proof.is_ic_optimal


def test_a_dag_without_an_ic_optimal_order_is_not_proved():
    """An arc beside a butterfly: {arc} is best after one step, {butterfly} after two."""
    plan = prioritize(n(1) + cycle(2), "prio")

    assert not plan.proof.is_ic_optimal
    assert plan.proof == LARGEST_AREA
    assert area(plan.dag, plan.order) == area(plan.dag, maximum_area_order(plan.dag))


def test_long_chains_are_cut_short():
    """At most twelve links; runs of equal blocks are one link."""
    blocks = chain_of(prioritize(Dag.from_arcs(91, [(0, v) for v in range(1, 91)]), "prio"))
    many = sum((w(1, d) for d in range(30, 2, -1)), start=Dag({}))
    links = chain_of(prioritize(many, "prio")).split(" > ")

    assert blocks == "W(1,90)"
    assert links == [f"W(1,{d})" for d in range(30, 18, -1)] + ["..."]
