"""Reduction-meshes: Rosenberg and Yurkewych 2005, section 3.

The mesh of l levels has level l-1, its l sources, first; then level l-2 and so on to the
sink, level 0. Each level is numbered from one end to the other.
"""

from collections import defaultdict

import pytest

from icsched import Schedule, eligibility_profile
from icsched.families import evolving_mesh, mesh
from icsched.pebble import optimal_profile
from tests.theorems.known import lean_mesh_order
from tests.theorems.search import (
    Bits,
    ideals,
    is_best,
    least_peak_memory,
    order_count,
    orders,
    prefixes,
    task_set,
)


def lazy_profile(levels: int) -> list[int]:
    """Return l, then l-1 for l steps, l-2 for l-1 steps, .., and 0 for the last."""
    return [levels] + [level for level in range(levels)[::-1] for _ in range(level + 1)]


def executed_places(levels: int, ideal: int) -> list[list[int]]:
    """Places along levels 0, 1, .., l-1 of the tasks in *ideal*."""
    places = []
    for level in range(levels)[::-1]:
        places.append([place for place in range(level + 1) if ideal >> place & 1])
        ideal >>= level + 1
    return places[::-1]


def all_consecutive(places: list[list[int]]) -> bool:
    return all(not level or level[-1] - level[0] == len(level) - 1 for level in places)


def level_by_level(places: list[list[int]]) -> bool:
    """Whether every level has run before a task of the next one has."""
    full = [len(on_level) == level + 1 for level, on_level in enumerate(places)]
    return all(full[level + 1] for level in range(len(places) - 1) if places[level])


@pytest.mark.parametrize("levels", range(1, 15))
def test_a_mesh_of_l_levels_keeps_at_most_l_minus_r_tasks_eligible_on_its_rth_level(levels):
    """Theorem 3.1 with Lemma 3.1: E* = l, l-1 (l times), l-2 (l-1 times), .., 0."""
    assert optimal_profile(mesh(levels)).tolist() == lazy_profile(levels)


@pytest.mark.parametrize("levels", [*range(1, 20), 100, 200])
def test_sweeping_the_levels_attains_the_most_eligible_tasks(levels):
    """Theorem 3.1; for meshes past the referee's reach too."""
    order = lean_mesh_order(levels)

    assert eligibility_profile(mesh(levels), order).tolist() == lazy_profile(levels)


@pytest.mark.parametrize("levels", range(1, 9))
def test_with_consecutive_executed_tasks_c_plus_1_minus_x_c_are_eligible(levels):
    """Lemma 3.1.2: X_c is 0 or 1, so c or c + 1 tasks are eligible.

    c is the lowest level with an eligible or executed task, X_c the number of executed
    ones there. Every ideal whose executed tasks are consecutive on each level.
    """
    bits = Bits.of(mesh(levels))
    for ideal in ideals(bits):
        places = executed_places(levels, ideal)
        if not all_consecutive(places):
            continue
        eligible = bits.eligible(ideal)
        seen = executed_places(levels, ideal | task_set(eligible))
        c = next(level for level, on_level in enumerate(seen) if on_level)
        assert len(places[c]) in (0, 1)
        assert len(eligible) == c + 1 - len(places[c])


@pytest.mark.parametrize("levels", range(1, 9))
def test_consecutive_executed_tasks_are_best_among_equal_counts_on_each_level(levels):
    """Lemma 3.1.1."""
    bits = Bits.of(mesh(levels))
    eligible_by_counts = defaultdict(list)
    consecutive = {}
    for ideal in ideals(bits):
        places = executed_places(levels, ideal)
        counts = tuple(map(len, places))
        eligible_by_counts[counts].append(len(bits.eligible(ideal)))
        if all_consecutive(places):
            consecutive[counts] = len(bits.eligible(ideal))

    for counts, eligible in consecutive.items():
        assert eligible == max(eligible_by_counts[counts])


@pytest.mark.parametrize("levels", range(1, 5))
def test_an_order_is_ic_optimal_iff_it_runs_consecutive_tasks_level_by_level(levels):
    """Theorem 3.1, on all legal orders: 1, 2, 16 and 768 of them."""
    bits = Bits.of(mesh(levels))
    best = is_best(bits)
    for order in orders(bits):
        shapes = [executed_places(levels, ideal) for ideal in prefixes(order)]
        orderly = all(map(all_consecutive, shapes)) and all(map(level_by_level, shapes))
        assert orderly == all(map(best, prefixes(order)))


@pytest.mark.parametrize("levels", range(1, 9))
def test_ic_optimal_orders_are_exactly_those_by_consecutive_tasks_level_by_level(levels):
    """Theorem 3.1, for larger meshes: the orders have the same prefixes."""
    bits = Bits.of(mesh(levels))

    def orderly(ideal):
        places = executed_places(levels, ideal)
        return all_consecutive(places) and level_by_level(places)

    assert ideals(bits, is_best(bits)) == ideals(bits, orderly)


@pytest.mark.parametrize("levels", range(1, 9))
def test_a_level_of_k_tasks_can_be_run_in_2_to_the_k_minus_1_ways(levels):
    """The IC-optimal orders number the product of 2^(k-1) for k = 1 .. l.

    A level that grows at either end is known once it is said, for each task but the first,
    at which end it comes.
    """
    bits = Bits.of(mesh(levels))
    exponent = sum(k - 1 for k in range(1, levels + 1))

    assert order_count(bits, is_best(bits)) == 2**exponent


@pytest.mark.parametrize("levels", range(2, 9))
def test_every_order_of_a_mesh_needs_memory_for_l_results(levels):
    """Lemma 3.2. (The mesh of one level is a sink, which is never open.)"""
    assert least_peak_memory(Bits.of(mesh(levels))) == levels


@pytest.mark.parametrize("levels", [*range(2, 20), 100, 200])
def test_a_sweep_from_one_end_of_each_level_needs_memory_for_l_results(levels):
    """Theorem 3.2."""
    assert Schedule(mesh(levels), lean_mesh_order(levels)).peak_memory == levels


@pytest.mark.parametrize("levels", range(2, 6))
def test_an_ic_optimal_order_needs_one_more_iff_it_starts_the_second_level_inside(levels):
    """So not every IC-optimal order is memory-optimal, from l = 4 on.

    With all l sources open, a task inside the second level closes none of them: l + 1. A
    task at an end closes the end source. Lower levels are too short to matter.
    """
    dag = mesh(levels)
    bits = Bits.of(dag)
    costs = set()
    for order in orders(bits, is_best(bits)):
        starts_inside = levels < order[levels] < 2 * levels - 2
        cost = Schedule(dag, order).peak_memory
        assert cost == levels + starts_inside
        costs.add(cost)
    assert costs == ({levels} if levels < 4 else {levels, levels + 1})


@pytest.mark.parametrize("levels", [*range(4, 20), 100])
def test_a_second_level_started_in_the_middle_needs_memory_for_l_plus_1_results(levels):
    """The same for large meshes: the second level grows right, then left, from its middle."""
    dag = mesh(levels)
    first, end = levels, 2 * levels - 1
    middle = (first + end) // 2
    second_level = [*range(middle, end), *range(first, middle)[::-1]]
    order = [*range(first), *second_level, *range(end, len(dag))]

    assert eligibility_profile(dag, order).tolist() == lazy_profile(levels)
    assert Schedule(dag, order).peak_memory == levels + 1


@pytest.mark.parametrize("levels", range(1, 15))
def test_an_evolving_mesh_keeps_k_tasks_eligible_for_k_steps(levels):
    """Cordasco et al. 2011, Fig. 1: W(1,2), W(2,2), .. in turn, each source of which enables one.

    The last source of each enables two, so the count rises by one per level: 1, 2, 2, 3,
    3, 3, .. until the nonsinks have run; then the l sinks drain.
    """
    growing = [k for k in range(1, levels) for _ in range(k)]

    assert optimal_profile(evolving_mesh(levels)).tolist() == [
        *growing,
        *range(levels + 1)[::-1],
    ]
