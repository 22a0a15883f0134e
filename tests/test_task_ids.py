"""Ids that icsched returns stay ids, also in dags whose tasks have integers for names."""

import pickle

import numpy as np

import icsched
from icsched import Dag
from icsched.serve.clusters import best_cluster
from icsched.serve.games import IdealGame


def chain_and_fork() -> Dag:
    r"""
    1   0        Task 1 has id 0 and task 0 has id 1: every reading of a small integer matters.
    |  / \
    2 3   4
    """
    return Dag({1: [], 0: [], 2: [1], 3: [0], 4: [0]})


def test_the_tasks_of_a_batch_can_be_given_back_as_executed():
    dag = chain_and_fork()
    first = icsched.best_batch(dag, [], 1)

    # The fork enables two tasks and the chain one. Then tasks 1, 3 and 4 are eligible, and only
    # task 1 enables another task.
    assert (first.take, first.names) == ((1,), (0,))
    assert icsched.best_batch(dag, first.take, 1).names == (1,)
    assert icsched.best_batch(dag, [*first.take], 1).names == (1,)
    assert icsched.best_batch(dag, set(first.take), 1).names == (1,)


def test_the_tasks_of_a_cluster_can_be_taken_out_of_their_dag():
    dag = chain_and_fork()
    cluster = best_cluster(dag, 2, clusterer="direct")

    assert cluster.names == (0, 1)
    assert dag.residual(cluster.tasks).names == (2, 3, 4)
    assert dag.residual(cluster).names == (2, 3, 4)


def test_what_a_game_executed_is_an_order():
    dag = chain_and_fork()
    game = IdealGame(dag)
    while not game.is_over:
        game.execute(game.eligible[-1])

    # The last eligible id each time: 1, then 4, 3, 0 and 2.
    assert game.executed == (1, 4, 3, 0, 2)
    assert list(icsched.Schedule(dag, game.executed).names) == [0, 4, 3, 1, 2]
    assert list(icsched.Schedule(dag, list(game.executed)).names) == [0, 4, 3, 1, 2]


def test_the_tasks_of_a_batch_server_and_of_a_verdict_are_ids():
    dag = chain_and_fork()
    verdict = icsched.verify(dag, [1, 0, 2, 3, 4])

    assert list(dag.induced(icsched.BatchServer(dag).take(1))) == [0]
    assert verdict.better is not None
    assert (0,) == verdict.better_names == tuple(dag.induced(verdict.better))


def test_ids_stay_ids_when_they_are_pickled_and_are_plain_numbers_as_data():
    batch = icsched.best_batch(chain_and_fork(), [], 1)
    again = pickle.loads(pickle.dumps(batch))  # noqa: S301  our own bytes

    assert again == batch
    assert chain_and_fork().find(again.take[0]) == 1
    assert [type(task) for task in best_cluster_without_names()["tasks"]] == [int]


def best_cluster_without_names() -> dict[str, list[int]]:
    return icsched.serve.clusters.Cluster((1,), 2, True, "direct").to_dict()


def test_integers_of_the_user_are_names_in_a_list_and_ids_in_an_array():
    dag = chain_and_fork()

    assert list(dag.induced([1])) == [1]
    assert list(dag.induced(np.array([1]))) == [0]
