"""The game of a report beside a plain play of it."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from icsched import Dag, families
from icsched.pebble import Schedule, fifo_order, lifo_order
from icsched.report.bottlenecks import FEW, bottlenecks_of, critical_path
from icsched.report.drawing import game_keys
from icsched.report.scene import dag_picture
from tests.strategies import dags, dags_with_orders, naturally_labelled_dags


def played(dag: Dag, order: list[int]) -> list[tuple[set[int], set[int]]]:
    """Return the done and the eligible tasks after 0, 1, ... executions."""
    found, done = [], set()
    for task in [*order, None]:
        eligible = {
            t for t in range(len(dag)) if t not in done and set(dag.parents(t).tolist()) <= done
        }
        found.append((set(done), eligible))
        done.add(task)
    return found


def check_game(dag: Dag, order: list[int]) -> None:
    game = game_keys({"x": Schedule(dag, np.array(order, np.int32))}, dag_picture(dag))
    moves = game["orders"]["x"]
    rank, ready = moves["rank"].tolist(), moves["ready"].tolist()
    for k, (done, eligible) in enumerate(played(dag, order)):
        assert {t for t in range(len(dag)) if rank[t] < k} == done
        assert {t for t in range(len(dag)) if ready[t] <= k <= rank[t]} == eligible


def test_rank_and_ready_are_the_game_on_every_dag_of_four_tasks():
    for dag in naturally_labelled_dags(4):
        check_game(dag, fifo_order(dag).tolist())
        check_game(dag, lifo_order(dag).tolist())


@given(dags_with_orders(most_tasks=10))
def test_rank_and_ready_are_the_game_of_any_order(case):
    check_game(*case)


@given(dags_with_orders(most_tasks=10))
def test_a_game_of_groups_counts_the_tasks_of_each_group(case):
    dag, order = case
    if not len(dag):
        return
    picture = dag_picture(dag, most_drawn=0)
    game = game_keys({"x": Schedule(dag, np.array(order, np.int32))}, picture)
    states, moves = played(dag, order), game["orders"]["x"]
    for row, step in enumerate(game["steps"].tolist()):
        for found, expected in zip((moves["done"], moves["ready"]), states[step], strict=True):
            counts = np.bincount(picture.node[list(expected)], minlength=len(picture))
            assert found[row].tolist() == counts.tolist()
    assert (game["steps"][0], game["steps"][-1]) == (0, len(dag))


def test_a_game_of_many_groups_has_few_steps():
    dag = families.airsn(1100)
    game = game_keys({"fifo": Schedule(dag, dag.fifo_order)}, dag_picture(dag))

    assert len(game["steps"]) == 60


# Bottlenecks and the longest path


def descendants(dag: Dag, task: int) -> set[int]:
    return {task}.union(*(descendants(dag, child) for child in dag.children(task).tolist()))


def plain_bottlenecks(dag: Dag, order: list[int]) -> dict[int, tuple[int, int]]:
    """Return step and waiting tasks of each bottleneck, by the definition word for word."""
    states = played(dag, order)[:-1]
    counts = [float("inf"), *(len(eligible) for _, eligible in states), float("inf")]
    found = {}
    for step, (done, eligible) in enumerate(states):
        here = counts[step + 1]
        falls = next((a > b for a, b in reversed(list(pairwise(counts[: step + 2]))) if a != b))
        is_narrow = falls and counts[step + 2] > here
        for task in eligible if is_narrow and here <= FEW else ():
            waiting = len(descendants(dag, task)) - 1
            if 2 * waiting >= len(dag) - len(done):
                found[task] = step, waiting
    return found


@given(dags_with_orders(most_tasks=10))
def test_bottlenecks_are_what_their_definition_says(case):
    dag, order = case
    found = bottlenecks_of(Schedule(dag, np.array(order, np.int32)))

    expected = plain_bottlenecks(dag, order)
    assert {f.task: (f.step, f.waiting) for f in found} == expected
    assert [f.waiting for f in found] == sorted((f.waiting for f in found), reverse=True)


def test_the_joins_of_two_umbrellas_are_the_bottlenecks():
    """All covers of the first umbrella end in a join, from which the second one opens."""
    dag = families.airsn(5)
    found = bottlenecks_of(Schedule(dag, dag.fifo_order))

    joins = [t for t in range(len(dag)) if dag.in_degrees[t] > 2 and dag.out_degrees[t] > 2]
    assert joins[0] in [each.task for each in found]


@given(dags(most_tasks=8))
def test_the_longest_path_is_a_path_of_the_largest_sum(dag):
    if not len(dag):
        return
    means = np.arange(1.0, len(dag) + 1) % 3 + 0.5

    def longest(task: int) -> float:
        return means[task] + max(map(longest, dag.children(task).tolist()), default=0.0)

    path = critical_path(dag, means)
    assert path.time == pytest.approx(max(map(longest, range(len(dag)))))
    assert means[path.tasks].sum() == pytest.approx(path.time)
    assert all(child in dag.children(parent) for parent, child in pairwise(path.tasks.tolist()))
