"""Runs in an order of icsched on a real Dask cluster of several processes."""

import operator
import os
import re
import signal
import subprocess
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask
import dask.array as da
import dask.bag as db
import numpy as np
import pytest
from distributed import Client, Future, LocalCluster
from hypothesis import HealthCheck, given, settings

from icsched.engines.dask import compute, static_priorities
from icsched.engines.dask.graphs import seconds_of, tasks_of_mapping
from icsched.errors import ArgumentError, CycleError, EngineError, UnknownTaskError
from tests.engines.cluster import add, fail, later, noted, seen, slow_add, wait_for, watched
from tests.engines.test_dask import scheduler, worker_at
from tests.strategies import dags

ROOT = Path(__file__).parents[2]
WORKERS = 3
DIAMOND = {"a": (add, 1), "b": (add, "a", 10), "c": (add, "a", 100), "d": (add, "b", "c")}


def test_tasks_without_run_time_get_the_mean_of_the_others():
    """a has its own time, b that of its kind; c and d get the mean of 10 and 30."""
    graph = {"a": (add, 1), "b-1": (add, "a", 10), "c": (add, "a", 100), "d": (add, "b-1", "c")}
    found = seconds_of(tasks_of_mapping(graph, None), {"a": 10, "b": 30})

    assert found == {"a": 10, "b-1": 30, "c": 20, "d": 20}


@pytest.fixture(scope="module")
def cluster():
    """Processes of one thread each."""
    with LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
    ) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def client(cluster):
    with Client(cluster) as client:
        yield client


def kept(client):
    """How many tasks the scheduler knows."""
    return client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))


def becomes(wanted, look):
    """Look until another process gets there; give up after a minute."""
    end = time.monotonic() + 60
    while (found := look()) != wanted and time.monotonic() < end:
        time.sleep(0.01)
    return found == wanted


# What it computes


@pytest.mark.usefixtures("client")
def test_a_mapping_gives_the_results_of_its_sinks():
    assert compute(DIAMOND) == {"d": 112}


def test_a_mapping_gives_the_results_that_are_asked_for(client):
    assert compute(DIAMOND, client, results=["c", "a"]) == {"c": 101, "a": 1}


def test_only_what_the_results_need_is_computed(client):
    assert compute({**DIAMOND, "x": (fail, 3)}, client, results=["b"]) == {"b": 11}


def test_a_function_alone_is_called_without_arguments(client):
    assert compute({"a": dict, "b": (len, "a")}, client) == {"b": 0}


def test_names_inside_lists_stand_for_results_and_other_words_for_themselves(client):
    graph = {"a": (add, 1), "b": (add, 2), "c": (sum, ["a", "b"]), "d": (operator.add, "x", "y")}

    assert compute(graph, client) == {"c": 3, "d": "xy"}


def test_a_coroutine_is_awaited(client):
    assert compute({"a": (add, 1), "b": (later, "a")}, client) == {"b": 2}


def test_an_empty_mapping_gives_nothing(client):
    assert compute({}, client) == {}
    assert compute([], client) == []


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(dag=dags(most_tasks=8))
def test_any_dag_gives_what_dask_itself_gives(client, dag):
    """Each task adds 1 to its parents' results."""
    graph = {
        f"t{task}": (add, 1, *(f"t{p}" for p in dag.parents(task))) for task in range(len(dag))
    }

    assert compute(graph, client, order="prio", results=list(graph)) == dict(
        zip(graph, dask.get(graph, list(graph)), strict=True)
    )


def test_delayed_collections_give_what_dask_itself_gives(client):
    inc = dask.delayed(add)
    rows = [inc(number, 1) for number in range(6)]
    total = dask.delayed(sum)(rows)

    assert compute(total, client) == total.compute() == 21
    assert compute([total, {"second": rows[1]}, 5], client) == [21, {"second": 2}, 5]


def test_named_arguments_that_submit_has_too_reach_the_function(client):
    task = dask.delayed(dict)(key=1, workers="x", priority=dask.delayed(add)(2, 3))

    assert compute(task, client) == {"key": 1, "workers": "x", "priority": 5}


def test_arrays_and_bags_give_what_dask_itself_gives(client):
    x = da.random.default_rng(3).integers(100, size=(60, 60), chunks=(20, 20))
    y = (x @ x.T).sum(axis=0)
    words = db.from_sequence(["a b", "b c", "c b"], npartitions=3).map(str.split).flatten()

    array, counts = compute([y, words.frequencies()], client)

    assert np.array_equal(array, y.compute())
    assert sorted(counts) == [("a", 1), ("b", 3), ("c", 2)]


def test_a_graph_of_layers_gives_what_dask_itself_gives(client):
    x = da.ones((4, 4), chunks=2) + 1
    keys = [key for row in x.__dask_keys__() for key in row]

    blocks = compute(x.__dask_graph__(), client, results=keys)

    assert list(blocks) == keys
    assert all(np.array_equal(block, np.full((2, 2), 2.0)) for block in blocks.values())


def test_results_that_the_cluster_has_already_are_used(client):
    held = client.persist(dask.delayed(add)(1, 2))

    assert compute(dask.delayed(add)(held, 4), client) == 7
    assert compute(held, client) == 3


def test_terms_of_dask_for_one_task_are_kept(client):
    """No worker has this resource, so the task waits until it is cancelled."""
    with dask.annotate(resources={"telescope": 1}):
        task = dask.delayed(add)(1)
    with ThreadPoolExecutor() as pool:
        ending = pool.submit(compute, task, client)
        assert becomes(True, lambda: "no-worker" in states(client))
        client.cancel([Future(key, client) for key in list(client.futures)])
        with pytest.raises(EngineError, match=r"^dask: task .* was lost: "):
            ending.result()


def states(client):
    return client.run_on_scheduler(
        lambda dask_scheduler: [task.state for task in dask_scheduler.tasks.values()]
    )


# The order, and what is stored meanwhile


def test_a_task_begins_at_most_as_many_places_early_as_are_in_flight(client):
    """Sources are handed out in the order itself; 5 are in flight on 3 threads.

    When s tasks have begun, at most s have ended and s + 5 were handed out. So the task that begins
    in place s is at most 4 places early.
    """
    graph = {f"t{number}": (slow_add, number) for number in range(40)}
    order = [f"t{7 * number % 40}" for number in range(40)]
    watched(client)

    compute(graph, client, order=order)

    began = [f"t{key.split('-')[1]}" for key in seen(client)[1]]
    assert sorted(began) == sorted(order)
    early = [order.index(name) - place for place, name in enumerate(began)]
    assert max(early) <= WORKERS + 1


def test_a_result_is_released_when_its_last_child_is_done(client):
    """Of a chain, only the result that is needed and the one that is made are stored."""
    graph = {"t0": (add, 0), **{f"t{n}": (add, f"t{n - 1}", 1) for n in range(1, 30)}}
    watched(client)

    assert compute(graph, client) == {"t29": 29}

    assert seen(client)[0] == 2
    assert becomes(0, lambda: kept(client))


def test_tasks_in_flight_follow_the_size_of_the_cluster(client, cluster, tmp_path):
    """All tasks wait for a file; 2 more than there are threads are known to the scheduler."""
    gate = tmp_path / "gate"
    graph = {f"t{number}": (wait_for, str(gate), number) for number in range(20)}
    with ThreadPoolExecutor() as pool:
        ending = pool.submit(compute, graph, client)
        try:
            assert becomes(WORKERS + 2, lambda: kept(client))
            cluster.scale(WORKERS + 1)
            assert becomes(WORKERS + 3, lambda: kept(client))
        finally:
            gate.touch()
        assert ending.result() == {f"t{number}": number for number in range(20)}
    cluster.scale(WORKERS)


# When something goes wrong


def test_what_a_killed_worker_stored_is_computed_again_even_from_released_parents(client, tmp_path):
    r"""
    x0 ... x5
     |      |      The results of x are released once y are done. A worker that stores some y
    y0 ... y5      is killed then, so x must run again for them.
      \   /
        z --- gate
    """
    gate, runs = tmp_path / "gate", tmp_path / "runs"
    runs.mkdir()
    graph = {f"x{n}": (noted, str(runs), n) for n in range(6)}
    graph |= {f"y{n}": (add, f"x{n}", 10) for n in range(6)}
    graph |= {"gate": (wait_for, str(gate), 1000)}
    graph |= {"z": (add, "gate", *(f"y{n}" for n in range(6)))}
    with ThreadPoolExecutor() as pool:
        ending = pool.submit(compute, graph, client, order="fifo")
        try:
            assert becomes({"y": 6}, lambda: stored(client))
            os.kill(pid_of_a_holder(client), signal.SIGKILL)
        finally:
            gate.touch()
        assert ending.result() == {"z": 1000 + 60 + 15}

    assert len(list(runs.iterdir())) > 6


def stored(client):
    """How many results of each kind, gate apart, are stored."""

    def look(dask_scheduler):
        kinds = [key[0] for key, task in dask_scheduler.tasks.items() if task.state == "memory"]
        return {kind: kinds.count(kind) for kind in kinds}

    return client.run_on_scheduler(look)


def pid_of_a_holder(client):
    holders = {worker for held in client.who_has().values() for worker in held}
    busy = {worker for worker, keys in client.processing().items() if keys}
    return client.run(os.getpid)[sorted(holders - busy)[0]]


def test_an_error_names_its_task_and_keeps_its_traceback(client):
    graph = {"a": (add, 7), "bad one": (fail, "a"), "c": (add, "bad one")}

    with pytest.raises(ValueError, match=r"^cannot use 7\n") as caught:
        compute(graph, client)

    assert caught.value.__notes__ == ["dask: task 'bad one' failed"]
    assert "in fail" in "".join(traceback.format_exception(caught.value))
    assert becomes(0, lambda: kept(client))


SCRIPT = """
import sys
from distributed import Client
from icsched.engines.dask import compute
from tests.engines.cluster import wait_for, noted
address, runs, gate = sys.argv[1:]
with Client(address) as client:
    compute({**{f"n{i}": (noted, runs, i) for i in range(3)},
             **{f"w{i}": (wait_for, gate, i) for i in range(9)}}, client, order="fifo")
"""


def test_ctrl_c_cancels_what_is_in_flight(client, cluster, tmp_path):
    runs, gate = tmp_path / "runs", tmp_path / "gate"
    runs.mkdir()
    command = [sys.executable, "-c", SCRIPT, cluster.scheduler_address, str(runs), str(gate)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE) as process:
        try:
            assert becomes(3, lambda: len(list(runs.iterdir())))
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=60)[1]
        finally:
            gate.touch()

    assert said.rstrip().endswith(b"KeyboardInterrupt")
    assert becomes(0, lambda: kept(client))


# Bad arguments


@pytest.mark.parametrize(
    ("graph", "options", "message"),
    [
        (5, {}, "graph: expected a mapping, a collection of Dask, or a list of .*, got int"),
        ({}, {"workers": 0}, "workers: .*"),
        ({}, {"order": "best"}, ".*best.*"),
        ({}, {"client": 3}, "client: expected a Client of Dask that is not asynchronous"),
        ([], {"results": ["a"]}, "results cannot be used with a collection of Dask, .*"),
        (DIAMOND, {"run_times": {"x": 1}}, "run_times: expected .*: 'a', 'b', 'c', 'd'; got 'x'"),
        (DIAMOND, {"run_times": {"b": -1}}, "run time of 'b': expected 0 or more, got -1"),
    ],
)
@pytest.mark.usefixtures("client")
def test_bad_arguments_are_one_line(graph, options, message):
    with pytest.raises(ArgumentError) as caught:
        compute(graph, **options)

    assert re.fullmatch(message, str(caught.value))


def test_a_shuffle_from_peer_to_peer_is_refused_in_one_line_that_says_what_to_do(client):
    x = da.ones((4, 4), chunks=(4, 1))
    with pytest.raises(ArgumentError) as caught:
        compute(x.rechunk((1, 4), method="p2p"), client)

    assert str(caught.value) == (
        "graph: a shuffle from peer to peer cannot be ordered: make the collection under"
        ' dask.config.set({"array.rechunk.method": "tasks"})'
    )
    with dask.config.set({"array.rechunk.method": "tasks"}):
        assert compute(x.rechunk((1, 4)), client).tolist() == np.ones((4, 4)).tolist()


def test_run_times_may_name_kinds(client):
    """Dask takes "inc" as the kind of "inc-1" and "inc-2"."""
    graph = {"inc-1": (add, 1), "inc-2": (add, "inc-1"), "end": (add, "inc-2")}

    assert compute(graph, client, order="critical-path", run_times={"inc": 3.0, "end": 1.0}) == {
        "end": 1
    }


@pytest.mark.usefixtures("client")
def test_a_cycle_and_an_unknown_result_are_named():
    with pytest.raises(CycleError, match=r"a -> b -> a|b -> a -> b"):
        compute({"a": (add, "b"), "b": (add, "a")}, results=["a"])
    with pytest.raises(UnknownTaskError, match="unknown task: 'z'"):
        compute(DIAMOND, results=["z"])


# Priorities


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


def test_a_scheduler_that_is_killed_is_one_line(tmp_path):
    with (
        scheduler(tmp_path) as (process, address),
        worker_at(address, tmp_path, "one"),
        Client(address, set_as_default=False) as own,
        ThreadPoolExecutor() as pool,
    ):
        ending = pool.submit(compute, {"a": (time.sleep, 5)}, own)
        assert becomes(1, lambda: kept(own))
        process.kill()
        message = r"^dask: (the scheduler is lost: |task 'a' was lost: )[^\n]*$"
        with pytest.raises(EngineError, match=message):
            ending.result(timeout=60)
