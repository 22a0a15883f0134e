"""Orders with a large area: exact where they say so, legal and never below "prio" everywhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import Dag, families, pebble, prioritize
from icsched.orders.area import area_order, area_paths_order
from icsched.theory import areas, without_shortcuts
from icsched.theory.areas import area_of, by_closures, hull_slopes, improved, large_area, step_gains
from tests.strategies import dags, different_dags


def ones(dag: Dag) -> np.ndarray:
    return np.ones(len(dag), np.int64)


def largest_weighted(dag: Dag, gains: list[int]) -> int:
    """Return the largest weighted area of the nonsinks, by a look at all sets of executed ones."""
    nonsinks = dag.nonsinks.tolist()
    parents = [set(dag.parents(task).tolist()) for task in range(len(dag))]
    best = {frozenset[int](): 0}
    for _ in nonsinks:
        after: dict[frozenset[int], int] = {}
        for run, area in best.items():
            for task in nonsinks:
                if task in run or not parents[task] <= run:
                    continue
                more = run | {task}
                enabled = sum(g for p, g in zip(parents, gains, strict=True) if p and p <= more)
                after[more] = max(after.get(more, 0), area + enabled)
        best = after
    return next(iter(best.values()))


def nonsinks(dag: Dag, order: np.ndarray) -> np.ndarray:
    return order[dag.out_degrees[order] > 0]


def test_every_dag_of_up_to_five_tasks_gets_the_largest_area():
    for tasks in range(1, 6):
        for dag in different_dags(tasks):
            reduced = without_shortcuts(dag)
            found = large_area(reduced)
            best = pebble.maximum_area_order(dag)

            assert found.is_largest
            assert pebble.area(dag, found.order) == pebble.area(dag, best)


@given(dags(most_tasks=9), st.lists(st.integers(1, 4), min_size=9, max_size=9))
def test_gains_count_as_often_as_they_say(dag: Dag, drawn: list[int]):
    reduced = without_shortcuts(dag)
    gains = np.array(drawn[: len(dag)], np.int64)
    found = large_area(reduced, gains)

    assert found.is_largest
    reached = area_of(dag, nonsinks(dag, found.order), gains)
    assert reached == largest_weighted(dag, gains.tolist())


@pytest.mark.parametrize("seed", range(30))
def test_series_parallel_dags_without_leaves_to_solve_get_the_largest_area(seed: int):
    dag = without_shortcuts(families.random_series_parallel(16, seed=seed))
    found = large_area(dag)

    assert found.is_largest
    assert pebble.area(dag, found.order) == pebble.area(dag, pebble.maximum_area_order(dag))


@given(dags(most_tasks=14))
def test_the_order_is_legal_and_has_no_less_area_than_prio(dag: Dag):
    made = area_order(dag)

    pebble.check_order(dag, made.order.tolist())
    assert pebble.area(dag, made.order) >= pebble.area(dag, prioritize(dag, "prio").order)


@given(dags(most_tasks=14))
def test_by_paths_no_weighted_area_is_less_than_that_of_prio(dag: Dag):
    order = area_paths_order(dag)
    gains = pebble.remaining_paths(dag).astype(np.int64)
    prio = prioritize(dag, "prio").order

    pebble.check_order(dag, order.tolist())
    areas = [area_of(dag, nonsinks(dag, each), gains) for each in (order, prio)]
    assert areas[0] >= areas[1]


@settings(max_examples=30)
@given(st.integers(0, 10**6))
def test_layers_are_ordered_better_than_by_prio_and_always_the_same(seed: int):
    dag = families.random_layered(120, 12, seed=seed)
    first, again = area_order(dag).order, area_order(dag).order

    assert first.tolist() == again.tolist()
    assert pebble.area(dag, first) >= pebble.area(dag, prioritize(dag, "prio").order)


def test_the_task_that_gains_more_goes_first():
    """`a` leads to one task and `b` to three; if `x` counts 5, `a` gains more than `b`."""
    dag = Dag({"a": [], "x": ["a"], "b": [], "y": ["b"], "z": ["b"], "w": ["b"]})
    plain = large_area(dag).order.tolist()
    weighted = large_area(dag, np.array([1, 5, 1, 1, 1, 1])).order.tolist()

    assert [dag.names[task] for task in plain[:2]] == ["b", "a"]
    assert [dag.names[task] for task in weighted[:2]] == ["a", "b"]


def test_the_slope_of_a_hull_falls():
    assert hull_slopes(np.array([1, 3, 0, 2, 2])).tolist() == [2.0, 2.0, 4 / 3, 4 / 3, 4 / 3]


def test_a_closure_runs_all_that_its_target_needs():
    r"""
    a  b   c
     \ |   |
       d   e  f    e and f for one step of c; d needs two steps.
    """
    dag = Dag({"a": [], "b": [], "c": [], "d": ["a", "b"], "e": ["c"], "f": ["c"]})

    assert by_closures(dag, ones(dag)).tolist() == [2, 0, 1]


@given(dags(most_tasks=10))
def test_exchanges_keep_an_order_legal_and_never_lose_area(dag: Dag):
    reduced = without_shortcuts(dag)
    before = nonsinks(dag, dag.fifo_order)
    after = improved(reduced, before, ones(dag))

    pebble.check_order(dag, [*after.tolist(), *dag.sinks.tolist()])
    assert area_of(dag, after, ones(dag)) >= area_of(dag, before, ones(dag))


def test_an_exchange_moves_the_stretch_that_enables_more_ahead():
    dag = Dag.from_arcs(5, [(0, 2), (1, 3), (1, 4)])

    assert improved(dag, np.array([0, 1], np.int32), ones(dag)).tolist() == [1, 0]


def test_steps_enable_what_their_task_was_missed_by():
    dag = Dag.from_arcs(4, [(0, 2), (1, 2), (1, 3)])

    assert step_gains(dag, np.array([0, 1], np.int32), ones(dag)).tolist() == [0, 2]


def test_long_nested_dags_are_cut_only_so_far():
    """A ladder of 400 rungs: at each a lone task beside the rest."""
    arcs = [(k, k + 1) for k in range(400)] + [(k, 401 + k) for k in range(400)]
    dag = Dag.from_arcs(801, arcs)

    assert pebble.area(dag, large_area(dag).order) == pebble.area(dag, prioritize(dag).order)


def test_a_dag_without_arcs_or_tasks_is_ordered():
    assert area_order(Dag({})).order.tolist() == []
    assert area_paths_order(Dag.from_arcs(3, [])).tolist() == [0, 1, 2]


def test_without_work_for_proofs_no_area_is_called_the_largest_that_is_not(monkeypatch):
    """What cannot be cut is then ordered by rules, and some of these orders are not the best."""
    monkeypatch.setattr(areas, "MOST_SETS", 0)
    monkeypatch.setattr(areas, "MOST_ATTEMPTS", 0)
    smaller = 0
    for seed in range(60):
        dag = without_shortcuts(families.random_layered(16, 5, seed=seed))
        found = large_area(dag)
        best = pebble.area(dag, pebble.maximum_area_order(dag))
        smaller += pebble.area(dag, found.order) < best

        assert pebble.area(dag, found.order) == best or not found.is_largest
    assert smaller > 0
