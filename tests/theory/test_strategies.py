"""Parent orientation, square and diagonal shells, and the eager mesh."""

from itertools import permutations
from math import comb, isqrt

import numpy as np
import pytest

from icsched import Dag, eligibility_profile, verify
from icsched.errors import ArgumentError, ScheduleError
from icsched.families import evolving_mesh, fft, mesh, tree, tree_of
from icsched.pebble import lifo_order, memory_profile, optimal_profile
from icsched.theory import diagonal_shell_order, is_parent_oriented, square_shell_order
from tests.theorems.search import Bits, orders


def all_orders(dag: Dag) -> list[list[int]]:
    return list(orders(Bits.of(dag), lambda _: True))


def runs_parents_in_a_row(dag: Dag, order: list[int]) -> bool:
    """The definition, word for word."""
    steps = [sorted(order.index(p) for p in dag.parents(task).tolist()) for task in range(len(dag))]
    return all(row == list(range(row[0], row[0] + len(row))) for row in steps if row)


@pytest.mark.parametrize("dag", [mesh(3), tree(2), tree_of("0,1,00,01"), fft(1)], ids=repr)
def test_parent_orientation_is_what_its_definition_says_for_every_order(dag):
    for order in all_orders(dag):
        assert is_parent_oriented(dag, order) == runs_parents_in_a_row(dag, order)


@pytest.mark.parametrize("dag", [tree(1), tree(2), tree_of("0,1,00,01"), tree_of("0,1,10,11")])
def test_an_order_of_a_reduction_tree_is_ic_optimal_iff_it_is_parent_oriented(dag):
    """Rosenberg and Yurkewych 2005, Theorem 4.1."""
    for order in all_orders(dag):
        assert is_parent_oriented(dag, order) == verify(dag, order).ic_optimal


def test_an_order_of_the_fft_dag_with_sinks_last_is_ic_optimal_iff_it_is_parent_oriented():
    """Theorem 5.1, for F_1 and its sinks last: four orders of six tasks, all of them both."""
    for sources, sinks in ((a, b) for a in permutations([0, 1]) for b in permutations([2, 3])):
        order = [*sources, *sinks]
        assert is_parent_oriented(fft(1), order)
        assert verify(fft(1), order).ic_optimal


@pytest.mark.parametrize("levels", [2, 3, 4])
def test_parent_orientation_suffices_for_a_mesh_and_is_not_needed(levels):
    """Theorem 3.1: the levels may also grow at both ends, see tests/theorems."""
    dag = mesh(levels)
    both = [(is_parent_oriented(dag, o), verify(dag, o).ic_optimal) for o in all_orders(dag)]

    assert (True, True) in both
    assert (True, False) not in both
    assert ((False, True) in both) == (levels > 2)


def test_parent_orientation_does_not_suffice_in_general():
    """Section 2.3 says so: of two trees, the first has two leaves a root, the second is a fork."""
    dag = Dag({"join": ["a", "b"], "x": ["c"], "y": ["c"]})
    order = ["a", "b", "c", "join", "x", "y"]

    assert is_parent_oriented(dag, order)
    assert not verify(dag, order).ic_optimal


def test_an_order_that_is_not_legal_is_refused():
    with pytest.raises(ScheduleError):
        is_parent_oriented(mesh(2), [2, 0, 1])


# Square and diagonal shells


@pytest.mark.parametrize("levels", [1, 2, 3, 4, 7, 12])
def test_by_square_shells_there_are_never_more_than_three_eligible_tasks(levels):
    """Cordasco et al. 2007, Fig. 1b."""
    eligible = eligibility_profile(evolving_mesh(levels), square_shell_order(levels))

    assert eligible.max() == min(levels, 3) or levels == 2
    assert eligible.max() <= 3


@pytest.mark.parametrize("levels", [1, 2, 3, 4, 5, 6])
def test_by_diagonal_shells_the_wave_front_is_ic_optimal(levels):
    """Cordasco et al. 2007, Fig. 1a."""
    dag = evolving_mesh(levels)
    eligible = eligibility_profile(dag, diagonal_shell_order(levels))

    assert np.array_equal(eligible, optimal_profile(dag))


def test_by_diagonal_shells_the_root_of_twice_the_executed_tasks_is_eligible():
    """After the k-th diagonal, at T = k (k + 1) / 2, the next diagonal has k + 1 tasks."""
    levels = 40
    eligible = eligibility_profile(evolving_mesh(levels), diagonal_shell_order(levels))

    for executed in range(1, comb(levels, 2)):
        assert abs(int(eligible[executed]) - isqrt(2 * executed)) <= 1


def test_the_mesh_of_the_shells_has_a_level_at_least():
    with pytest.raises(ArgumentError, match="levels: expected a whole number"):
        square_shell_order(0)


# The eager mesh


@pytest.mark.parametrize("levels", [2, 3, 5, 9, 16])
def test_the_eager_schedule_of_a_mesh_has_l_minus_k_plus_1_tasks_on_its_kth_diagonal(levels):
    """Rosenberg and Yurkewych 2005, section 3.4, Fig. 4a: t = k (k - 1) / 2 + q, q < k."""
    eligible = eligibility_profile(mesh(levels), lifo_order(mesh(levels)))

    for k in range(1, levels + 1):
        for q in range(k):
            assert eligible[comb(k, 2) + q] == levels - k + 1


@pytest.mark.parametrize("levels", [2, 3, 5, 9, 16])
def test_both_schedules_of_figure_4_need_memory_for_l_results(levels):
    for order in (lifo_order(mesh(levels)), range(len(mesh(levels)))):
        assert memory_profile(mesh(levels), list(order)).max() == levels


@pytest.mark.parametrize("levels", [2, 8, 32, 128])
def test_the_ratio_to_the_eager_schedule_grows_like_the_root_of_the_levels(levels):
    """Inequality (3.2): with U tasks left, the IC-optimal schedule has about the root of 2 U.

    When the eager schedule starts its last diagonal, U = l tasks are left. It has one eligible
    task, and the other has c or c + 1, where c full levels of the mesh have at most l tasks.
    """
    dag = mesh(levels)
    eager, lazy = (eligibility_profile(dag, o) for o in (lifo_order(dag), np.arange(len(dag))))
    step = comb(levels, 2)
    full = (isqrt(8 * levels + 1) - 1) // 2

    assert eager[step] == 1
    assert full <= lazy[step] <= full + 1
    for executed in range(len(dag)):
        assert (lazy[executed] + 2) ** 2 >= 2 * (len(dag) - executed)
        assert lazy[executed] >= eager[executed]
