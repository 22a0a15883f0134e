"""The same profile with less memory."""

from collections.abc import Sequence
from itertools import chain, islice

import numpy as np
import pytest

from icsched import Dag, Schedule, _native, eligibility_profile, prioritize
from icsched.errors import ScheduleError
from icsched.families import airsn, fft, mesh, montage, out_tree, tree
from icsched.pebble import memory_profile, random_order
from icsched.theory import lean_order, memory
from tests.strategies import naturally_labelled_dags
from tests.theorems.search import Bits, least_peak_memory
from tests.theory.samples import random_dag, random_dags, shuffled


def least_of_profile(dag: Dag, profile: Sequence[int]) -> int:
    """Least memory over all orders of exactly this profile."""
    bits = Bits.of(dag)
    return least_peak_memory(bits, lambda i: len(bits.eligible(i)) == profile[i.bit_count()])


def check_no_worse(dag: Dag, order, lean, sizes=None) -> None:
    assert eligibility_profile(dag, lean).tolist() == eligibility_profile(dag, order).tolist()
    memory = memory_profile(dag, lean, sizes=sizes).max()
    assert memory <= memory_profile(dag, order, sizes=sizes).max()


def test_on_small_dags_no_order_of_the_profile_of_an_ic_optimal_one_needs_less():
    """All dags of up to four tasks and samples of those of five and six."""
    small = (naturally_labelled_dags(tasks) for tasks in range(5))
    five = islice(naturally_labelled_dags(5), 0, None, 4)
    six = islice(naturally_labelled_dags(6), 0, None, 200)
    improved = 0
    for dag in chain(*small, five, six):
        plan = prioritize(dag, "prio")
        if not plan.proof.is_ic_optimal:
            continue
        lean = lean_order(dag, plan.order)
        check_no_worse(dag, plan.order, lean)
        peak = Schedule(dag, lean).peak_memory
        assert peak == least_of_profile(dag, plan.schedule.eligible.tolist())
        improved += peak < plan.schedule.peak_memory
    assert improved > 0


def test_on_small_dags_no_order_of_the_profile_of_any_order_needs_less():
    improved = 0
    for seed, dag in enumerate(random_dags(150, most_tasks=9, seed=6)):
        order = random_order(dag, seed=seed)
        lean = lean_order(dag, order)
        check_no_worse(dag, order, lean)
        peak = Schedule(dag, lean).peak_memory
        assert peak == least_of_profile(dag, eligibility_profile(dag, order).tolist())
        improved += peak < Schedule(dag, order).peak_memory
    assert improved > 0


@pytest.mark.parametrize("sizes", [False, True])
def test_on_larger_dags_the_profile_stays_and_memory_never_grows(sizes, monkeypatch):
    monkeypatch.setattr(memory, "MOST_TASKS", 0)  # so that smaller ones count as large
    improved = 0
    for seed in range(150):
        dag = random_dag(30, 0.06, seed=seed)
        weights = np.random.default_rng(seed).integers(0, 9, 30) if sizes else None
        order = random_order(dag, seed=seed)
        lean = lean_order(dag, order, sizes=weights)
        check_no_worse(dag, order, lean, weights)
        profiles = [memory_profile(dag, o, sizes=weights).max() for o in (lean, order)]
        improved += profiles[0] < profiles[1]
    assert improved > 0


@pytest.mark.parametrize("dag", [airsn(250), montage(12, 12), out_tree(10), mesh(60)])
def test_the_order_of_a_workflow_keeps_its_profile(dag):
    plan = prioritize(dag, "prio")

    check_no_worse(dag, plan.order, lean_order(dag, plan.order))


@pytest.mark.parametrize("height", range(1, 14))
def test_a_complete_tree_comes_down_from_all_leaves_to_2h(height):
    """Rosenberg and Yurkewych 2005, Lemma 4.3 and Theorem 4.2: what Postorder-Execute needs, on any
    numbering.
    """
    dag = shuffled(tree(height), seed=height)
    order = prioritize(dag, "prio").order

    lean = lean_order(dag, order)
    check_no_worse(dag, order, lean)
    assert Schedule(dag, lean).peak_memory == 2 * height


@pytest.mark.parametrize("d", range(2, 11))
def test_an_fft_dag_comes_down_from_half_as_much_again_to_2_to_the_d_plus_2(d):
    """Rosenberg and Yurkewych 2005, Theorem 5.2, corrected: what fours that share parents need."""
    dag = fft(d)
    order = prioritize(dag, "prio").order

    lean = lean_order(dag, order)
    check_no_worse(dag, order, lean)
    assert Schedule(dag, lean).peak_memory == 2**d + 2


def test_where_moving_pieces_would_need_more_the_order_stays_as_it_was(monkeypatch):
    r"""
      a (2)     b (1)      The given order has 2, 0, 1 and 6 bytes open. b takes less than a, so
      |         |          it would go first; then y must follow, and 6 + 2 are open.
      x (0)     y (6)
     / \       / \
    p   q     r   s
    """
    names = {"a": [], "x": "a", "b": [], "y": "b", "p": "x", "q": "x", "r": "y", "s": "y"}
    dag = Dag({name: list(parents) for name, parents in names.items()})
    given, sizes = np.arange(8, dtype=np.int32), np.array([2, 0, 1, 6, 0, 0, 0, 0])
    moved = _native.exchange_pieces(dag.child_rows, dag.parent_rows, given, given, sizes)
    monkeypatch.setattr(memory, "MOST_TASKS", 0)

    assert memory_profile(dag, moved, sizes=sizes)[:5].tolist() == [0, 1, 6, 8, 6]
    assert memory_profile(dag, given, sizes=sizes)[:5].tolist() == [0, 2, 0, 1, 6]
    assert lean_order(dag, given, sizes=sizes).tolist() == given.tolist()


def test_memory_is_never_bought_with_eligible_tasks():
    r"""
    a   b      a, c, b, d has 9 bytes open at most, but the profile 2 2 1 1 0. To have two
    |   |      eligible after two steps, a and b must both have run: 9 + 1.
    c   d
    """
    dag, sizes = Dag({"a": [], "b": [], "c": ["a"], "d": ["b"]}), [9, 1, 0, 0]

    lean = lean_order(dag, [0, 1, 2, 3], sizes=sizes)
    assert eligibility_profile(dag, lean).tolist() == [2, 2, 2, 1, 0]
    assert memory_profile(dag, lean, sizes=sizes).max() == 10


def test_of_two_closers_the_one_that_frees_more_bytes_goes_first():
    r"""
    a     b        With a (9) and b (1) open, x and y, of 5 bytes each, may run in either
    |     |        order: x first leaves 1 + 5 and then 5 + 5, y first 9 + 5.
    x     y
    |     |
    u     v
    """
    dag = Dag({"a": [], "b": [], "x": ["a"], "y": ["b"], "u": ["x"], "v": ["y"]})
    sizes = [9, 1, 5, 5, 0, 0]

    assert memory_profile(dag, [0, 1, 3, 2, 4, 5], sizes=sizes).max() == 14
    lean = lean_order(dag, [0, 1, 3, 2, 4, 5], sizes=sizes)
    assert memory_profile(dag, lean, sizes=sizes).max() == 10


def test_an_order_that_cannot_be_leaner_comes_back_as_it_was():
    for order in ([0, 1, 2], [1, 0, 2]):
        assert lean_order(mesh(2), order).tolist() == order


def test_the_empty_dag_has_its_empty_order():
    assert lean_order(Dag({}), []).tolist() == []


def test_an_order_that_is_not_legal_is_refused():
    with pytest.raises(ScheduleError, match="step 1 runs 2 before its parent 0"):
        lean_order(mesh(2), [2, 0, 1])
