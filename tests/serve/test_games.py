"""The pebble games, rule by rule, and random plays to the end."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import Dag, eligibility_profile
from icsched.errors import GameError, ScheduleError
from icsched.serve import BatchedGame, ClientGame, IdealGame
from icsched.serve.games import Answer, Pebble, Reply
from tests import twins
from tests.diamond import diamond
from tests.strategies import dags, dags_with_orders

NONE, ELIGIBLE, ALLOCATED, EXECUTED = Pebble

GAMES = [IdealGame, BatchedGame, ClientGame]
Game = IdealGame | BatchedGame | ClientGame


def two_sources() -> Dag:
    r"""
    a   b
     \ / \
      c   d
    """
    return Dag({"a": [], "b": [], "c": ["a", "b"], "d": ["b"]})


def pebbles(game: Game) -> list[Pebble]:
    return [game.pebble(task) for task in range(len(game.dag))]


def board(game: Game) -> tuple[object, ...]:
    """Everything that a move could have changed."""
    return pebbles(game), game.eligible, game.executed, game.is_over


# Every game


@pytest.mark.parametrize("game_class", GAMES)
def test_rule_1_every_source_starts_eligible_and_nothing_else(game_class):
    game = game_class(two_sources())

    assert pebbles(game) == [ELIGIBLE, ELIGIBLE, NONE, NONE]
    assert game.eligible == (0, 1)
    assert game.executed == ()
    assert not game.is_over


@pytest.mark.parametrize("game_class", GAMES)
def test_a_game_on_the_empty_dag_is_over_at_once(game_class):
    game = game_class(Dag({}))

    assert game.is_over
    assert game.eligible == game.executed == ()


@pytest.mark.parametrize("game_class", GAMES)
@pytest.mark.parametrize("task", [-1, 4, 2**40])
def test_asking_for_the_pebble_of_an_unknown_task_names_the_known_ones(game_class, task):
    with pytest.raises(GameError) as caught:
        game_class(diamond()).pebble(task)

    assert str(caught.value) == f"unknown task id {task}: expected 0 to 3"


@pytest.mark.parametrize("game_class", GAMES)
def test_asking_for_a_pebble_on_the_empty_dag_says_that_it_is_empty(game_class):
    with pytest.raises(GameError, match=r"^unknown task id 0: the dag has no tasks$"):
        game_class(Dag({})).pebble(0)


# The idealised game


def test_executing_a_task_makes_eligible_each_child_whose_parents_are_all_executed():
    game = IdealGame(diamond())

    assert game.execute(0) == (1, 2)
    assert pebbles(game) == [EXECUTED, ELIGIBLE, ELIGIBLE, NONE]
    assert game.execute(2) == ()  # d still waits for b
    assert pebbles(game) == [EXECUTED, ELIGIBLE, EXECUTED, NONE]
    assert game.execute(1) == (3,)
    assert pebbles(game) == [EXECUTED, EXECUTED, EXECUTED, ELIGIBLE]
    assert not game.is_over
    assert game.execute(3) == ()
    assert game.executed == (0, 2, 1, 3)
    assert game.is_over


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (0, "task 'a': expected eligible, it is executed"),
        (3, "task 'd': expected eligible, it is waiting for its parents"),
        (4, "unknown task id 4: expected 0 to 3"),
        (-1, "unknown task id -1: expected 0 to 3"),
    ],
)
def test_only_an_eligible_task_can_be_executed(task, message):
    game = IdealGame(diamond())
    game.execute(0)
    before = board(game)

    with pytest.raises(GameError) as caught:
        game.execute(task)

    assert str(caught.value) == message
    assert board(game) == before


@given(dags_with_orders())
def test_an_ideal_play_ends_with_all_executed_and_follows_the_eligibility_profile(dag_and_order):
    dag, order = dag_and_order
    profile = eligibility_profile(dag, order).tolist()
    game = IdealGame(dag)

    for step, task in enumerate(order):
        assert len(game.eligible) == profile[step]
        before = set(game.eligible)
        fresh = game.execute(task)
        assert set(game.eligible) == (before - {task}) | set(fresh)
        assert set(game.eligible) == twins.eligible_after(dag, set(order[: step + 1]))

    assert game.is_over
    assert game.executed == tuple(order)
    assert pebbles(game) == [EXECUTED] * len(dag)
    assert profile[-1] == len(game.eligible) == 0


# The batched game


def test_a_batch_is_executed_together():
    game = BatchedGame(two_sources())

    assert game.step([0, 1], requests=2) == (2, 3)
    assert pebbles(game) == [EXECUTED, EXECUTED, ELIGIBLE, ELIGIBLE]
    assert game.step([3, 2], requests=2) == ()
    assert game.executed == (0, 1, 3, 2)
    assert game.is_over


def test_a_batch_has_as_many_tasks_as_there_are_requests():
    game = BatchedGame(two_sources())

    assert game.step([1], requests=1) == (3,)
    assert game.eligible == (0, 3)


def test_a_batch_has_all_eligible_tasks_if_there_are_more_requests():
    game = BatchedGame(two_sources())

    assert game.step([1, 0], requests=100) == (2, 3)


def test_a_step_without_requests_executes_nothing():
    game = BatchedGame(two_sources())
    before = board(game)

    assert game.step([], requests=0) == ()
    assert board(game) == before


@pytest.mark.parametrize(
    ("chosen", "requests", "message"),
    [
        ([0], -1, "requests: expected 0 or more, got -1"),
        ([], 1, "chosen: expected 1 different tasks, got []"),
        ([0, 1], 1, "chosen: expected 1 different tasks, got [0, 1]"),
        ([0], 2, "chosen: expected 2 different tasks, got [0]"),
        ([0], 0, "chosen: expected 0 different tasks, got [0]"),
        ([1, 1], 2, "chosen: expected 2 different tasks, got [1, 1]"),
        ([0, 1, 2], 3, "chosen: expected 2 different tasks, got [0, 1, 2]"),
        # d would be enabled by b, in the same step: too late.
        ([1, 3], 2, "task 'd': expected eligible, it is waiting for its parents"),
        ([0, 4], 2, "unknown task id 4: expected 0 to 3"),
        ([0, -1], 2, "unknown task id -1: expected 0 to 3"),
    ],
)
def test_an_illegal_batch_is_refused_and_nothing_moves(chosen, requests, message):
    game = BatchedGame(two_sources())
    before = board(game)

    with pytest.raises(GameError) as caught:
        game.step(chosen, requests=requests)

    assert str(caught.value) == message
    assert board(game) == before


def test_an_executed_task_cannot_be_in_a_batch_again():
    game = BatchedGame(two_sources())
    game.step([0], requests=1)
    before = board(game)

    with pytest.raises(GameError, match=r"^task 'a': expected eligible, it is executed$"):
        game.step([0], requests=1)
    assert board(game) == before


@settings(deadline=None)
@given(dags(), st.data())
def test_any_batched_play_ends_with_all_executed(dag, data):
    game = BatchedGame(dag)

    while not game.is_over:
        before = game.eligible
        requests = data.draw(st.integers(1, 4))
        chosen = data.draw(st.permutations(before))[:requests]
        fresh = game.step(chosen, requests=requests)
        assert list(fresh) == sorted(set(fresh))
        assert set(game.eligible) == (set(before) - set(chosen)) | set(fresh)
        assert set(game.eligible) == twins.eligible_after(dag, set(game.executed))

    assert pebbles(game) == [EXECUTED] * len(dag)
    eligibility_profile(dag, game.executed)  # raises unless it was a legal order


# The game with clients


def test_rule_2_the_request_of_a_client_that_holds_a_task_is_ignored():
    game = ClientGame(two_sources())
    game.request("ann")
    before = board(game)

    assert game.request("ann") == Answer(Reply.REFUSED)
    assert board(game) == before
    assert game.complete("ann") == ()  # still the first task, a


def test_rule_2_1_a_client_gets_an_eligible_task_which_becomes_allocated():
    game = ClientGame(two_sources())

    assert game.request("ann") == Answer(Reply.TASK, 0)
    assert pebbles(game) == [ALLOCATED, ELIGIBLE, NONE, NONE]
    assert game.eligible == (1,)
    assert game.request("bob") == Answer(Reply.TASK, 1)
    assert pebbles(game) == [ALLOCATED, ALLOCATED, NONE, NONE]
    assert game.executed == ()


def test_rule_2_2_with_no_eligible_task_a_client_is_told_to_withdraw_and_nothing_moves():
    game = ClientGame(diamond())
    game.request("ann")
    before = board(game)

    assert game.request("bob") == Answer(Reply.WITHDRAW)
    assert board(game) == before
    with pytest.raises(GameError, match=r"^client 'bob' holds no task$"):
        game.complete("bob")
    game.complete("ann")
    assert game.request("bob") == Answer(Reply.TASK, 1)  # free to ask again


def test_rule_3_a_returned_task_is_executed_and_its_ready_children_become_eligible():
    game = ClientGame(diamond())
    game.request("ann")

    assert game.complete("ann") == (1, 2)
    assert pebbles(game) == [EXECUTED, ELIGIBLE, ELIGIBLE, NONE]
    game.request("ann")
    game.request("bob")
    assert game.complete("bob") == ()  # d waits for ann's b
    assert pebbles(game) == [EXECUTED, ALLOCATED, EXECUTED, NONE]
    assert game.complete("ann") == (3,)
    assert game.executed == (0, 2, 1)


def test_rule_4_the_game_is_over_once_every_task_is_executed_not_merely_allocated():
    game = ClientGame(Dag({"a": []}))
    assert game.request("ann").task == 0
    assert game.eligible == ()

    assert not game.is_over
    game.complete("ann")
    assert game.is_over
    assert game.request("ann") == Answer(Reply.WITHDRAW)


def test_the_server_gives_out_tasks_in_the_priority_of_the_order():
    r"""
    a   b
     \ / \      Priority b, d, a, c: d is given out before a once b is back.
      c   d
    """
    game = ClientGame(two_sources(), [1, 3, 0, 2])

    assert game.request("ann").task == 1
    game.complete("ann")
    assert game.request("ann").task == 3
    assert game.request("bob").task == 0


def test_without_an_order_the_server_is_first_in_first_out():
    game = ClientGame(diamond())

    given_out = []
    while not game.is_over:
        given_out.append(game.request("ann").task)
        game.complete("ann")

    assert given_out == [0, 1, 2, 3]


def test_an_illegal_order_is_refused():
    with pytest.raises(ScheduleError, match=r"^step 1 runs 'b' before its parent 'a'$"):
        ClientGame(diamond(), [1, 0, 2, 3])


def test_a_client_that_holds_no_task_cannot_return_one():
    game = ClientGame(diamond())
    before = board(game)

    with pytest.raises(GameError) as caught:
        game.complete("ann")

    assert str(caught.value) == "client 'ann' holds no task"
    assert board(game) == before


def test_a_client_cannot_return_a_task_twice():
    game = ClientGame(diamond())
    game.request("ann")
    game.complete("ann")
    before = board(game)

    with pytest.raises(GameError, match=r"^client 'ann' holds no task$"):
        game.complete("ann")
    assert board(game) == before


@settings(deadline=None)
@given(dags_with_orders(), st.data())
def test_any_play_with_clients_ends_with_all_executed(dag_and_order, data):
    dag, order = dag_and_order
    game = ClientGame(dag, order)
    holding: dict[str, int] = {}

    while not game.is_over:
        before = board(game)
        idle = [client for client in ("ann", "bob", "cy") if client not in holding]
        for client in holding:
            assert game.request(client) == Answer(Reply.REFUSED)
        if not game.eligible and idle:
            assert game.request(idle[0]) == Answer(Reply.WITHDRAW)
        assert board(game) == before

        client = data.draw(st.sampled_from([*holding, *(idle if game.eligible else [])]))
        if client in holding:
            task = holding.pop(client)
            fresh = game.complete(client)
            assert game.executed[-1] == task
            assert set(fresh) <= set(game.eligible)
        else:
            best = min(game.eligible, key=order.index)
            assert game.request(client) == Answer(Reply.TASK, best)
            holding[client] = best
        offered = twins.eligible_after(dag, set(game.executed)) - set(holding.values())
        assert set(game.eligible) == offered

    assert not holding
    assert pebbles(game) == [EXECUTED] * len(dag)
    eligibility_profile(dag, game.executed)  # raises unless it was a legal order
