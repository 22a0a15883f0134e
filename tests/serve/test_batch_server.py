"""`BatchServer` plays the batched game, in tests of its own and in the simulator."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import ArgumentError, BatchServer, Dag, families, sim
from icsched.errors import GameError, UnknownTaskError
from icsched.serve import BatchedGame
from tests.sim.servers import plain_run
from tests.strategies import dags, dags_with_orders
from tests.theory.batches.brute import best_eligible
from tests.twins import eligible_after


@given(dags(most_tasks=9), st.data())
def test_it_plays_the_batched_game_by_its_rules_and_best_at_every_step(dag, data):
    """Every batch is executed before the next: the game of Malewicz and Rosenberg 2006."""
    game, server = BatchedGame(dag), BatchServer(dag)
    while not game.is_over:
        requests = data.draw(st.integers(1, 4))
        best = best_eligible(dag, set(game.executed), requests)
        chosen = server.take(requests)
        game.step(chosen, requests=requests)
        assert len(game.eligible) == best
        assert server.is_active()
        server.done(*chosen)
    assert server.take(1) == []
    assert not server.is_active()


@given(dags(most_tasks=9), st.data())
def test_with_results_coming_late_it_completes_what_runs_as_well_as_any(dag, data):
    """Batches are taken while others run, tasks are lost and offered again."""
    server = BatchServer(dag, method="exact")
    running, done = [], set()
    while len(done) < len(dag):
        offered = eligible_after(dag, done) - set(running)
        requests = data.draw(st.integers(0, 3))
        if requests and offered:
            best = best_eligible(dag, done, requests, set(running))
            taken = server.take(requests)
            assert set(taken) <= offered
            assert len(set(taken)) == len(taken) == min(requests, len(offered))
            assert len(eligible_after(dag, done | set(running) | set(taken))) == best
            running += taken
        if running:
            task = running.pop(data.draw(st.integers(0, len(running) - 1)))
            if data.draw(st.booleans()):
                server.lost(task)
                continue
            done.add(task)
            server.done(task)


@given(dags_with_orders())
def test_tasks_that_enable_nothing_come_by_the_given_order(dag_and_order):
    dag, order = dag_and_order
    lone = Dag.from_arcs(len(dag), [])
    server = BatchServer(lone, order=order)

    assert [server.take(1)[0] for _ in order] == order


def test_sinks_wait_for_tasks_that_lead_somewhere_even_if_not_yet():
    """No single task enables anything now, and the order of prioritize has sinks last."""
    dag = Dag({"sink": [], "a": [], "b": [], "c": ["a", "b"]})
    server = BatchServer(dag)

    assert [server.take(1) for _ in range(3)] == [[1], [2], [0]]


@pytest.mark.parametrize("method", ["auto", "greedy", "exact"])
@pytest.mark.parametrize(
    "pool", [sim.Pool(1.0, 4.0), sim.Workers(3), sim.Pool(1.0, 3.0, leave=3.0, deadline=1.5)]
)
def test_the_simulator_runs_with_it(method, pool):
    dag = families.airsn(8)
    server = BatchServer(dag, method=method)

    trace = plain_run(dag, server, pool, sim.Times(), seed=1, run=0)
    assert set(trace.assignments.task.tolist()) == set(range(len(dag)))


def test_a_run_is_the_same_every_time():
    dag = families.montage(4, 4)
    runs = [
        plain_run(dag, BatchServer(dag), sim.Pool(1.0, 5.0), sim.Times(), seed=3, run=0)
        for _ in range(2)
    ]
    assert np.array_equal(runs[0].assignments.task, runs[1].assignments.task)


def test_asking_for_nothing_takes_nothing():
    server = BatchServer(Dag({"a": []}))

    assert server.take(0) == []
    assert server.take(7) == [0]
    assert server.take(7) == []


def test_a_task_done_while_it_is_offered_again_is_not_taken():
    server = BatchServer(Dag({"a": [], "b": []}))
    assert server.take(1) == [0]
    server.lost(0)
    server.done(0)
    server.done(0)

    assert server.take(2) == [1]


def test_a_task_that_is_done_is_never_offered_again():
    server = BatchServer(Dag({"a": [], "b": ["a"]}))
    server.done(*server.take(1))
    server.lost(0)

    assert server.take(2) == [1]


def test_a_task_that_was_not_taken_cannot_be_lost_but_may_be_done():
    """Results of an earlier run may be told in any legal order."""
    server = BatchServer(Dag({"a": [], "b": ["a"], "c": ["b"], "d": []}))
    server.lost(0)
    server.done(0, 1)

    assert sorted(server.take(9)) == [2, 3]


def test_what_breaks_the_rules_is_refused():
    server = BatchServer(Dag({"a": [], "b": ["a"]}))
    with pytest.raises(GameError, match="task 'b' is not eligible: its parent 'a' is not done"):
        server.done(1)
    for report in (server.lost, server.done):
        for unknown in (-1, 2):
            with pytest.raises(UnknownTaskError):
                report(unknown)
        for wrong in ("a", None, [0]):
            with pytest.raises(ArgumentError) as error:
                report(wrong)
            assert str(error.value) == f"task id: expected a whole number, got {wrong!r}"
    assert server.take(9) == [0]


def test_tasks_named_before_one_that_breaks_the_rules_are_done():
    server = BatchServer(Dag({"a": [], "b": ["a"], "c": ["b"]}))
    with pytest.raises(GameError, match="task 'c' is not eligible"):
        server.done(0, 2)

    assert server.take(9) == [1]


def test_an_unknown_method_is_refused():
    with pytest.raises(ArgumentError, match="method: expected auto, tree"):
        BatchServer(Dag({}), method="best")


@pytest.mark.parametrize("count", [-1, 1.5, None, True])
def test_fewer_than_no_tasks_cannot_be_taken(count):
    server = BatchServer(Dag({"a": []}))

    with pytest.raises(ArgumentError) as error:
        server.take(count)
    assert str(error.value) == f"count: expected a whole number, 0 or more, got {count!r}"
    assert server.take(1) == [0]
