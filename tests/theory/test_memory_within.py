"""Orders within a limit of memory, against every order there is and against the limit itself."""

import pickle
from collections.abc import Iterator, Sequence
from itertools import islice, permutations

import numpy as np
import pytest

from icsched import ArgumentError, Dag, Schedule, families, order_within, prioritize
from icsched.errors import MemoryLimitError
from icsched.orders import memory_curve
from icsched.pebble import memory_profile
from icsched.theory import memory
from tests.strategies import naturally_labelled_dags
from tests.theorems.search import Bits, least_peak_memory, orders, prefixes
from tests.theory.samples import chain, random_dag, random_dags

FORK_AND_PAIR = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})


def points(dag: Dag, sizes: Sequence[int]) -> set[tuple[int, int]]:
    """Memory and area of every order of *dag*."""
    bits = Bits.of(dag)
    seen = {}
    for ideal in {ideal for order in orders(bits) for ideal in prefixes(order)}:
        seen[ideal] = len(bits.eligible(ideal)), sum(sizes[task] for task in bits.open(ideal))
    return {
        (max(seen[i][1] for i in path), sum(seen[i][0] for i in path))
        for path in map(prefixes, orders(bits))
    }


def check_every_limit(dag: Dag, sizes: Sequence[int] | None) -> None:
    """Compare `order_within` with all orders, from a limit of 1 to more than any needs."""
    all_points = points(dag, sizes or [1] * len(dag))
    least = min(memory for memory, _ in all_points)
    for limit in sorted({1, *(m - d for m, _ in all_points for d in (0, 1) if m > d)}):
        if limit < least:
            with pytest.raises(MemoryLimitError) as caught:
                order_within(dag, limit, sizes=sizes)
            assert (caught.value.least, caught.value.is_proved) == (least, True)
            continue
        found = order_within(dag, limit, sizes=sizes)
        assert found.exact
        assert found.memory == memory_profile(dag, found.order, sizes=sizes).max() <= limit
        assert found.area == max(area for memory, area in all_points if memory <= limit)


def different_dags(tasks: int) -> Iterator[Dag]:
    """Every dag of that many tasks, one of those that differ by numbering only."""
    seen: set[frozenset[tuple[int, int]]] = set()
    for dag in naturally_labelled_dags(tasks):
        arcs = dag.arcs.tolist()
        if frozenset(map(tuple, arcs)) in seen:
            continue
        seen |= {frozenset((p[a], p[b]) for a, b in arcs) for p in permutations(range(tasks))}
        yield dag


def test_there_are_302_different_dags_of_five_tasks():
    assert [sum(1 for _ in different_dags(tasks)) for tasks in range(6)] == [1, 1, 2, 6, 31, 302]


def test_on_all_dags_of_up_to_five_tasks_no_order_within_any_limit_has_a_larger_area():
    """And where no order is within the limit it says so, with the least that will do."""
    for tasks in range(6):
        for dag in different_dags(tasks):
            check_every_limit(dag, None)


def test_so_with_bytes_on_a_sample_of_dags_of_five_and_six_tasks():
    rng = np.random.default_rng(1)
    five = islice(naturally_labelled_dags(5), 3, None, 13)
    six = islice(naturally_labelled_dags(6), 9, None, 600)
    for dag in [*five, *six]:
        check_every_limit(dag, rng.integers(5, size=len(dag)).tolist())


def test_so_on_a_sample_of_dags_of_six_tasks():
    for dag in islice(naturally_labelled_dags(6), 7, None, 400):
        check_every_limit(dag, None)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_curve_of_a_small_dag_has_every_order_worth_having(weighted):
    rng = np.random.default_rng(2)
    for dag in islice(naturally_labelled_dags(5), 1, None, 5):
        sizes = rng.integers(1, 6, size=5).tolist() if weighted else None
        everything = points(dag, sizes or [1] * 5)
        worth = {
            (memory, area)
            for memory, area in everything
            if not any(m <= memory and a >= area for m, a in everything - {(memory, area)})
        }
        curve = memory_curve(dag, sizes=sizes)
        assert [(point.memory, point.area) for point in curve] == sorted(worth)
        assert all(point.exact and point.limit == point.memory for point in curve)


def test_a_tight_limit_runs_a_sink_early_where_no_other_order_is_within_it():
    r"""
    a    c      Two open results are too many, so a's child runs before c, or c's two
    |   / \     before a: 2 3 2 1 1 0 beats 2 2 1 2 1 0.
    b  d   e
    """
    found = order_within(FORK_AND_PAIR, 1)

    assert [FORK_AND_PAIR.names[task] for task in found.order] == ["c", "d", "e", "a", "b"]
    assert (found.memory, found.area, found.exact) == (1, 9, True)
    assert not found.plan.proof.is_ic_optimal


def test_a_limit_that_the_best_order_keeps_leaves_it_and_its_proof_alone():
    best = prioritize(FORK_AND_PAIR, "prio")
    found = order_within(FORK_AND_PAIR, 2)

    assert found.order.tolist() == best.order.tolist()
    assert found.plan.proof == best.proof
    assert (found.memory, found.exact) == (2, True)


def test_a_dag_without_an_ic_optimal_order_is_settled_too():
    r"""
    a    b   c      Of its orders none is best at every step; within three open results the
    |    | X |      one of largest area runs b, c, a: 3 2 3 3 2 1 0.
    x    y   z
    """
    dag = Dag({"a": [], "b": [], "c": [], "x": ["a"], "y": ["b", "c"], "z": ["b", "c"]})
    found = order_within(dag, 3)

    assert (found.exact, found.area) == (True, max(area for _, area in points(dag, [1] * 6)))
    assert not found.plan.proof.is_ic_optimal


def test_a_limit_beyond_all_memory_there_is_is_no_limit():
    layered = families.random_layered(1500, 20, seed=1)

    assert (
        order_within(layered, 10**30).order.tolist() == prioritize(layered, "prio").order.tolist()
    )


def test_a_task_with_many_parents_proves_that_less_is_not_possible_on_dags_of_any_size():
    """All 10,000 parents of the last task are open before it runs."""
    wide = families.m(1, 10_000)

    with pytest.raises(MemoryLimitError) as caught:
        order_within(wide, 9_999)
    assert str(caught.value) == (
        "proved impossible within 9,999 open results: the least possible is 10,000"
    )


def test_the_parents_of_the_last_parent_count_too():
    """AIRSN: before the last of 900 parents runs, the others and its own two are open: 901."""
    with pytest.raises(MemoryLimitError) as caught:
        order_within(families.airsn(900), 900)
    assert (
        str(caught.value) == "proved impossible within 900 open results: the least possible is 901"
    )


def test_results_that_wait_for_a_join_and_are_needed_after_it_count_too():
    """Montage: before the 342 fits of 100 images are joined, all of both are open.

    The images are needed again for the corrections that the join is for.
    """
    montage = families.montage(10, 10)
    fits = int(montage.in_degrees.max())
    with pytest.raises(MemoryLimitError) as caught:
        order_within(montage, fits + 99)
    assert (caught.value.least, caught.value.floor) == (fits + 100, fits + 100)


@pytest.mark.parametrize("weighted", [False, True])
def test_no_order_needs_less_than_the_floor_of_a_large_dag(weighted, monkeypatch):
    """The floor for dags of any size, held against all orders of small ones."""
    rng = np.random.default_rng(3)
    reached = 0
    for seed in range(150):
        dag = random_dag(8, 0.35, seed=seed)
        sizes = rng.integers(2, 7, 8) if weighted else np.full(8, 2)
        least = memory_profile(dag, memory.least_memory_order(dag, sizes), sizes=sizes).max()
        with monkeypatch.context() as patch:
            patch.setattr(memory, "MOST_TASKS", 0)
            with pytest.raises(MemoryLimitError) as caught:
                order_within(dag, 1, sizes=sizes)
        floor = caught.value.floor
        assert floor <= least
        reached += floor == least
    assert reached > 30


def test_what_is_only_not_found_is_not_called_impossible():
    """An FFT of 64 inputs needs 65 or more, but no task has more than two parents."""
    with pytest.raises(MemoryLimitError) as caught:
        order_within(families.fft(6), 60)
    assert not caught.value.is_proved
    assert str(caught.value) == (
        "no order was found within 60 open results:"
        f" {caught.value.least} is enough (not proved least)"
    )
    copied = pickle.loads(pickle.dumps(caught.value))  # noqa: S301  our own bytes
    assert str(copied) == str(caught.value)


@pytest.mark.parametrize("sizes", [None, 3])
def test_large_dags_keep_every_limit_from_the_least_found_on(sizes):
    rng = np.random.default_rng(4)
    for dag in (
        families.montage(4, 4),
        families.sdss(20),
        families.random_layered(1500, 20, seed=1),
        families.out_tree(9),
        families.fft(8),
    ):
        weights = None if sizes is None else rng.integers(0, 50, len(dag))
        curve = memory_curve(dag, sizes=weights, points=5)
        for point in curve:
            reached = memory_profile(dag, point.order, sizes=weights).max()
            assert reached == point.memory <= point.limit
            assert point.area == Schedule(dag, point.order).area
        memories, areas = [p.memory for p in curve], [p.area for p in curve]
        assert memories == sorted({*memories})
        assert areas == sorted({*areas})
        assert areas[-1] >= prioritize(dag, "prio").schedule.area


def test_a_heuristic_order_is_never_claimed_to_be_exact_and_a_lean_ic_optimal_one_is():
    layered = families.random_layered(400, 20, seed=1)
    most = Schedule(layered, prioritize(layered, "prio").order).peak_memory

    assert not order_within(layered, most - 1).exact
    tree = order_within(families.tree(9), 18)
    assert (tree.memory, tree.exact, tree.plan.proof.is_ic_optimal) == (18, True, True)


def test_the_exact_walk_finds_the_least_memory_of_larger_random_dags():
    for dag in random_dags(60, most_tasks=11, seed=5):
        found = memory.least_memory_order(dag, np.ones(len(dag), np.int64))
        assert Schedule(dag, found).peak_memory == least_peak_memory(Bits.of(dag))


def test_the_heuristics_come_close_on_dags_that_the_exact_walk_can_judge(monkeypatch):
    """120 dags of 12 tasks: the limit is the least possible plus one."""
    ratios = []
    for seed in range(120):
        dag = random_dag(12, 0.2, seed=seed)
        sizes = np.ones(12, np.int64)
        best = order_within(
            dag, 1 + Schedule(dag, memory.least_memory_order(dag, sizes)).peak_memory
        )
        with monkeypatch.context() as patch:
            patch.setattr(memory, "MOST_TASKS", 0)
            try:
                ratios.append(order_within(dag, best.limit).area / best.area)
            except MemoryLimitError:
                ratios.append(0.0)
    assert sum(ratio == 0 for ratio in ratios) <= 12
    assert np.mean([ratio for ratio in ratios if ratio]) > 0.95
    assert max(ratios) <= 1


@pytest.mark.parametrize("dag", [Dag({}), Dag({"a": []}), chain(4), chain(2000)])
def test_chains_and_less_need_memory_for_one_result_at_most(dag):
    found = order_within(dag, 1)

    assert found.order.tolist() == list(range(len(dag)))
    assert found.memory == (len(dag) > 1)
    assert len(memory_curve(dag)) == 1


@pytest.mark.parametrize("limit", [-1, 1.5, True, "7", None])
def test_a_limit_is_an_integer_of_0_or_more(limit):
    with pytest.raises(
        ArgumentError, match=f"limit: expected a whole number, 0 or more, got {limit!r}"
    ):
        order_within(FORK_AND_PAIR, limit)


@pytest.mark.parametrize(
    ("sizes", "problem"),
    [
        ([1, 2, 3], r"sizes: expected 5 integers, got shape \(3,\)"),
        ([1, 2, 3, 4, 0.5], "sizes: expected 5 integers, got float64"),
        ([1, 2, -3, 4, 5], "size of 'c': expected 0 or more, got -3"),
        ([2**52, 2**52, 0, 0, 0], "sizes: expected a sum below 9,007,199,254,740,992"),
    ],
)
def test_sizes_are_one_nonnegative_integer_per_task(sizes, problem):
    with pytest.raises(ArgumentError, match=problem):
        order_within(FORK_AND_PAIR, 9, sizes=sizes)
    with pytest.raises(ArgumentError, match=problem):
        memory_curve(FORK_AND_PAIR, sizes=sizes)


def test_a_curve_has_two_points_or_more():
    with pytest.raises(ArgumentError, match="points: expected a whole number, 2 or more, got 1"):
        memory_curve(FORK_AND_PAIR, points=1)


def test_an_order_within_a_limit_says_what_matters_when_printed():
    """Of a tree of height 3, 15 tasks, an order within 4 has the area 61 (docs/memory.md)."""
    found = order_within(families.tree(3), 4)

    assert repr(found).startswith("LimitedOrder(order=[")
    assert repr(found).endswith(
        ", ... 15 in all], area=61, memory=4 of 4 open results, exact=True)"
    )
    assert repr(order_within(Dag({"a": [], "b": ["a"]}), 1)) == (
        "LimitedOrder(order=[0, 1], area=2, memory=1 of 1 open results, exact=True)"
    )


def test_independent_tasks_need_no_memory():
    found = order_within({"a": [], "b": []}, 0)

    assert (found.memory, found.exact) == (0, True)
    with pytest.raises(MemoryLimitError, match="proved impossible within 0 open results"):
        order_within({"a": [], "b": ["a"]}, 0)


def test_the_curve_begins_where_a_search_within_a_low_limit_succeeds():
    """Without a limit the exact search overflows. Within 7 it finds an order, within 6 none."""
    dag = families.random_layered(44, 4, seed=483204)

    assert memory_curve(dag)[0].memory == 7
    assert order_within(dag, 7).exact
    with pytest.raises(MemoryLimitError) as caught:
        order_within(dag, 6)
    assert str(caught.value) == ("proved impossible within 6 open results: the least possible is 7")
