"""The contract of `ready.Server`, which all servers by task ids keep."""

from functools import partial

import pytest

from icsched import BatchServer, ClusterServer, Dag
from icsched.errors import ArgumentError, GameError, UnknownTaskError

r"""
a   d      a is out, d is ready, b waits for a, and c waits for b.
|
b
|
c
"""
DAG = Dag({"a": [], "b": ["a"], "c": ["b"], "d": []})


MAKERS = [BatchServer, partial(ClusterServer, clusterer="direct")]


@pytest.fixture(params=MAKERS, ids=["batches", "clusters"])
def server(request):
    made = request.param(DAG, order=["a", "b", "c", "d"])
    assert list(made.take(1)) == [0]
    return made


def test_nothing_is_taken_if_nothing_is_wanted(server):
    assert list(server.take(0)) == []
    assert server.is_active()
    with pytest.raises(ArgumentError, match=r"expected a whole number, 0 or more, got -1"):
        server.take(-1)


def test_only_a_task_that_is_out_can_be_lost(server):
    server.lost(1, 2, 3)  # they wait, or are ready
    assert list(server.take(9)) == [3]

    server.lost(0)
    assert list(server.take(1)) == [0]


def test_a_task_that_is_done_stays_done(server):
    server.done(0)
    server.lost(0)
    server.done(0)

    assert 0 not in list(server.take(9))


def test_a_task_that_was_not_taken_may_be_done(server):
    server.done(3)

    assert list(server.take(9)) == []


def test_a_task_that_waits_cannot_be_done(server):
    with pytest.raises(GameError, match="task 'b' is not eligible: its parent 'a' is not done"):
        server.done(1)


@pytest.mark.parametrize("report", ["done", "lost"])
def test_a_task_must_be_known(server, report):
    with pytest.raises(UnknownTaskError):
        getattr(server, report)(4)
    with pytest.raises(ArgumentError, match="task id: expected a whole number, got 'a'"):
        getattr(server, report)("a")


def test_nothing_is_lost_if_one_of_the_tasks_is_unknown(server):
    with pytest.raises(UnknownTaskError):
        server.lost(0, 4)

    assert list(server.take(9)) == [3]
