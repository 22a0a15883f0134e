"""Priorities of icsched for Dask's own scheduler."""

import re

import dask
import dask.array as da
import pytest
from distributed import Client, LocalCluster

from icsched.errors import ArgumentError, CycleError
from icsched.plugins.dask import static_priorities
from tests.plugins.cluster import add

DIAMOND = {"a": (add, 1), "b": (add, "a", 10), "c": (add, "a", 100), "d": (add, "b", "c")}


@pytest.fixture(scope="module")
def client():
    """A client of a process with one thread."""
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def test_static_priorities_reach_the_scheduler(client):
    """The scheduler negates a priority: what is smaller runs first."""
    priority = static_priorities(DIAMOND, order=["a", "c", "b", "d"])

    future = client.get(DIAMOND, "d", priority=priority, sync=False)
    assert future.result() == 112
    given = client.run_on_scheduler(
        lambda dask_scheduler: {key: task.priority[0] for key, task in dask_scheduler.tasks.items()}
    )
    assert sorted(given, key=given.__getitem__) == ["a", "c", "b", "d"]


def test_static_priorities_know_the_keys_of_a_delayed_collection(client):
    rows = [dask.delayed(add)(number) for number in range(3)]
    total = dask.delayed(sum)(rows)

    priority = static_priorities(total, order="prio")

    assert priority(total.key) < min(priority(row.key) for row in rows)
    assert client.compute(total, priority=priority).result() == 3


def test_static_priorities_know_the_keys_of_each_collection_in_a_list():
    first, second = (dask.delayed(add)(number) for number in (1, 2))

    assert min(map(static_priorities([first, {"x": second}]), (first.key, second.key))) > 0


def test_results_that_the_cluster_has_already_are_no_tasks(client):
    held = client.persist(dask.delayed(add)(1, 2))
    more = dask.delayed(add)(held, 4)

    assert static_priorities(more)(more.key) > 0


def test_an_array_that_is_rechunked_from_peer_to_peer_has_priorities(client):
    rechunked = da.ones((4, 4), chunks=(4, 1)).rechunk((1, 4), method="p2p")
    priority = static_priorities(rechunked, order="prio")

    assert client.compute(rechunked, priority=priority).result().sum() == 16


def test_tasks_without_run_time_get_the_mean_of_the_others():
    r"""
     a 10
    /    \
    b-1   c     b-1 takes 30 s, as its kind; c and d get the mean of 10 s and 30 s.
    \    /
      d
    """
    graph = {"a": (add, 1), "b-1": (add, "a", 10), "c": (add, "a", 100), "d": (add, "b-1", "c")}
    priority = static_priorities(graph, order="critical-path", run_times={"a": 10, "b": 30})

    assert sorted(graph, key=priority, reverse=True) == ["a", "b-1", "c", "d"]


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        (5, {}, "graph: expected a graph or a collection of Dask, or a list of .*, got int"),
        ({}, {"order": "best"}, ".*best.*"),
        (DIAMOND, {"run_times": {"x": 1}}, "run_times: expected .*: 'a', 'b', 'c', 'd'; got 'x'"),
        (DIAMOND, {"run_times": {"b": -1}}, "run time of 'b': expected 0 or more, got -1"),
    ],
)
def test_bad_arguments_are_one_line(graph, options, message):
    with pytest.raises(ArgumentError) as caught:
        static_priorities(graph, **options)

    assert re.fullmatch(message, str(caught.value))


def test_a_cycle_is_named():
    with pytest.raises(CycleError, match=r"a -> b -> a|b -> a -> b"):
        static_priorities({"a": (add, "b"), "b": (add, "a")})
