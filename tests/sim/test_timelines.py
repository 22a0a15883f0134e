"""What requests found over time: worked by hand, and nothing gets lost."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import ArgumentError, Dag, families
from icsched.sim import AnyPool, Experiment, Played, Pool, Timeline, Times, Trace, Workers
from icsched.sim.experiment import Player
from icsched.sim.results import SlotCounts, unserved
from icsched.sim.timelines import SLOTS
from tests.sim.models import OldestFirst, pools, seeds, times
from tests.sim.servers import plain_run
from tests.strategies import dags

CONSTANT = Times("constant")
FIFO = Played("fifo")
FORK = Dag({"a": [], "b": ["a"], "c": ["a"]})


def chain(length: int) -> Dag:
    return Dag.from_arcs(length, [(i, i + 1) for i in range(length - 1)])


def follow(dag: Dag, order: Player, pool: AnyPool, times: Times, **runs) -> Timeline:
    return Timeline.of(Experiment(dag, pool, times), order, **runs)


def test_two_workers_on_a_fork():
    r"""
      a       0..1 on worker 0, while worker 1 is idle and found 1 task for two who asked;
     / \      at 1 the other two tasks are eligible, and both work until 2.
    b   c
    """
    found = follow(FORK, FIFO, Workers(2), CONSTANT, seed=1, runs=3, until=2.0)
    half = SLOTS // 2

    assert found.time == pytest.approx([2.0 * slot / SLOTS for slot in range(SLOTS)])
    assert found.idle[:half] == pytest.approx([1.0] * half)
    assert found.idle[half:].tolist() == [0.0] * half  # not nearly: a chart would show it
    assert found.eligible.tolist() == [1, *[0] * (half - 1), 2, *[0] * (half - 1)]


def test_after_its_end_a_run_counts_as_one_in_which_nobody_asks():
    """The fork is over at 2; one worker was idle until 1. Slots are 1/12 long."""
    found = follow(FORK, FIFO, Workers(2), CONSTANT, seed=1, runs=1, until=4.0)

    quarter = SLOTS // 4
    assert found.idle == pytest.approx([1.0] * quarter + [0.0] * 3 * quarter)


def test_what_happens_later_is_left_out():
    found = follow(FORK, FIFO, Workers(2), CONSTANT, seed=1, runs=1, until=0.5)

    assert found.idle == pytest.approx([1.0] * SLOTS)
    assert found.eligible.tolist() == [1, *[0] * (SLOTS - 1)]


def test_an_ignored_copy_keeps_its_worker_busy_to_the_end_of_the_run():
    """Worker 0 needs 4; worker 1 is idle until the task is overdue at 0.5, and done at 1.5."""
    lone, pool = chain(1), Workers(2, speeds=[0.25, 1.0], deadline=0.5)
    found = follow(lone, FIFO, pool, CONSTANT, seed=1, runs=1, until=1.5)

    third = SLOTS // 3
    assert found.idle == pytest.approx([1.0] * third + [0.0] * 2 * third)


def test_requests_of_batches_of_three_on_a_chain_of_two():
    """The first and the last batch find a task each; those before a's result find none."""
    pool = Pool(0.2, 3, "fixed")
    trace = plain_run(chain(2), FIFO, pool, CONSTANT, seed=1, run=0)
    in_vain = len(trace.batches.time) - 2
    assert in_vain > 0

    assert unserved(trace).tolist() == [2, *[3] * in_vain, 2]
    found = follow(chain(2), FIFO, pool, CONSTANT, seed=1, runs=1, until=6.0)
    slot_of = [int(moment / 6.0 * SLOTS) for moment in trace.batches.time]
    assert found.eligible[slot_of[0]] > 0
    assert found.eligible[slot_of[-1]] > 0
    assert found.idle.sum() * 6.0 / SLOTS == pytest.approx(4 + 3 * in_vain)
    assert found.idle[slot_of[-1] + 1 :].tolist() == [0.0] * (SLOTS - 1 - slot_of[-1])


def test_the_eligible_count_is_a_mean_over_the_batches_of_a_slot():
    """Two runs of one slot's length: batches of one take 9 tasks one by one: 9, 8, ..., 1."""
    nine = Dag.from_arcs(9, [])
    pool = Pool(1e-6, 1, "fixed")

    found = follow(nine, FIFO, pool, CONSTANT, seed=1, runs=2, until=1.0)

    assert found.eligible.tolist() == [5.0, *[0.0] * (SLOTS - 1)]
    assert found.idle.tolist() == [0.0] * SLOTS


def test_requests_that_wait_count_when_they_come():
    """Of three requests at time 0 on a chain one is served at once; later ones all wait."""
    pool = Pool(5.0, 3, "fixed", waiting=True)
    trace = plain_run(chain(3), FIFO, pool, CONSTANT, seed=1, run=0)

    assert unserved(trace).tolist() == [2, *[3] * (len(trace.batches.time) - 1)]


def lost_or_waiting(trace: Trace) -> int:
    """Requests that got nothing when they came, one by one."""
    served = dict(zip(trace.assignments.request.tolist(), trace.assignments.time, strict=True))
    number = missed = 0
    for moment, size in zip(trace.batches.time, trace.batches.size, strict=True):
        for request in range(number, number + size):
            missed += served.get(request) != moment
        number += size
    return missed


@given(st.data(), dags(most_tasks=8), pools(), seeds)
def test_no_request_and_no_idle_moment_gets_lost(data, dag, pool, seed):
    if not len(dag):
        return
    by = data.draw(st.sampled_from(["fifo", "lifo", "random"]))
    model = dag, Played(by), pool, data.draw(times(len(dag)))
    traces = [plain_run(*model, seed=seed, run=run) for run in range(3)]
    until = 1.1 * max(float(trace.result.time[0]) for trace in traces)

    found = follow(*model, seed=seed, runs=3, until=until)

    total = 3 * found.idle.sum() * until / SLOTS
    assert found.idle.min() >= -1e-9
    if isinstance(pool, Workers):
        assert total == pytest.approx(sum(idle_time(trace, pool.count) for trace in traces))
        assert found.idle.max() <= pool.count + 1e-9
    else:
        assert total == pytest.approx(sum(map(lost_or_waiting, traces)))
        if not pool.waiting:
            given_out = sum(len(trace.assignments.time) for trace in traces)
            assert total == pytest.approx(sum(t.batches.size.sum() for t in traces) - given_out)


def idle_time(trace: Trace, workers: int) -> float:
    """Time of all workers until the last result, less the time of their assignments."""
    over = float(trace.result.time[0])
    steps = trace.assignments
    busy = sum(min(end, over) - start for start, end in zip(steps.time, steps.end, strict=True))
    return float(workers * over - busy)


@given(dags(most_tasks=8), pools(), seeds)
def test_eligible_counts_are_means_over_batches(dag, pool, seed):
    if not len(dag):
        return
    model = dag, FIFO, pool, Times()
    traces = [plain_run(*model, seed=seed, run=run) for run in range(2)]
    until = 2.0
    seen: list[list[int]] = [[] for _ in range(SLOTS)]
    for trace in traces:
        for moment, eligible in zip(trace.batches.time, trace.batches.eligible, strict=True):
            if moment < until:
                seen[np.searchsorted(np.linspace(0, 2, SLOTS + 1), moment, "right") - 1].append(
                    eligible
                )

    found = follow(*model, seed=seed, runs=2, until=until)

    assert found.eligible == pytest.approx([np.mean(slot) if slot else 0.0 for slot in seen])


@given(st.data(), dags(most_tasks=8), pools(), seeds, st.booleans())
def test_the_kernel_adds_up_what_the_steps_of_a_run_say(data, dag, pool, seed, by_events):
    if not len(dag) or isinstance(pool, Workers):
        return
    model = dag, Played(data.draw(st.sampled_from(["fifo", "lifo", "random"]))), pool, Times()
    trace = plain_run(*model, seed=seed, run=0)
    until = data.draw(st.sampled_from([0.5, 1.0, 1.5])) * float(trace.batches.time[-1]) or 1.0
    edges = np.linspace(0.0, until, 8)

    expected = SlotCounts.of(trace, edges)
    found = Experiment(dag, pool, Times()).slot_counts(
        model[1], edges, seed=seed, run=0, by_events=by_events
    )

    assert found.batches.tolist() == expected.batches.tolist()
    assert found.eligible.tolist() == expected.eligible.tolist()
    assert found.unserved.tolist() == expected.unserved.tolist()


MEASURED = """
import resource
from icsched import Dag
from icsched.sim import Experiment, Played, Pool, Timeline, Times

def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

chain = Dag({"a": [], "b": ["a"]})
def follow(interval):
    pool = Pool(interval, 1, "fixed", waiting=WAITING)
    experiment = Experiment(chain, pool, Times("constant"))
    return Timeline.of(experiment, Played("fifo"), seed=1, runs=1, until=2.0)

follow(0.1)
before = peak_mib()
found = follow(1e-7)
print(peak_mib() - before, found.idle.sum() * 2 / len(found.idle))
"""


@pytest.mark.parametrize("waiting", [False, True])
def test_ten_million_batches_take_no_more_memory_than_ten(waiting):
    """Until a's result at 1 about 10^7 batches of one come; their steps would take 240 MB."""
    program = MEASURED.replace("WAITING", str(waiting))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    grown_mib, unserved_requests = map(float, done.stdout.split())
    assert unserved_requests == pytest.approx(1e7, rel=0.01)
    assert grown_mib < 32


@pytest.mark.parametrize("pool", [Pool(0.5, 3), Workers(3)])
def test_a_server_in_python_has_the_timeline_of_the_order_it_follows(pool):
    model = pool, Times()
    mesh = families.mesh(5)

    by_name = follow(mesh, FIFO, *model, seed=2, runs=4, until=20.0)
    by_hand = follow(mesh, OldestFirst, *model, seed=2, runs=4, until=20.0)

    assert by_hand.idle.tolist() == by_name.idle.tolist()
    assert by_hand.eligible.tolist() == by_name.eligible.tolist()


@pytest.mark.parametrize("until", [0.0, -1.0, float("nan"), float("inf")])
def test_an_end_that_cannot_be(until):
    with pytest.raises(ArgumentError) as caught:
        follow(FORK, FIFO, Pool(), Times(), seed=1, runs=1, until=until)
    assert str(caught.value) == f"until: expected a positive number, got {until}"
