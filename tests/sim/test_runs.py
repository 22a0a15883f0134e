"""Runs worked by hand, on the plain engine; the kernel's agree with it."""

import math
from itertools import accumulate, count

import pytest

from icsched import Dag
from icsched.ready import Readiness
from icsched.sim import Ending, Played, Pool, Times, Trace, Workers
from icsched.sim.draws import Draws, Stream
from tests.sim.models import assert_engines_agree
from tests.sim.servers import plain_run

CONSTANT = Times("constant")
FIFO = Played("fifo")


def chain(length: int) -> Dag:
    return Dag.from_arcs(length, [(i, i + 1) for i in range(length - 1)])


def independent(tasks: int) -> Dag:
    return Dag.from_arcs(tasks, [])


def run(dag: Dag, played: Played, pool: Pool | Workers, times: Times = CONSTANT) -> Trace:
    """Run 0 of seed 1, which all engines agree on."""
    assert_engines_agree(dag, played, pool, times, seed=1, run=0)
    return plain_run(dag, played, pool, times, seed=1, run=0)


def rows(trace: Trace) -> list[tuple[float, int, int, float, Ending]]:
    """Time, task, request or worker, end and ending of each assignment."""
    a = trace.assignments
    arrays = (a.time, a.task, a.request, a.end, map(Ending, a.ending))
    return list(zip(*(x if isinstance(x, map) else x.tolist() for x in arrays), strict=True))


def counts(trace: Trace) -> list[int]:
    """Batches, stalls and requests."""
    result = trace.result
    return [int(result.batches[0]), int(result.stalls[0]), int(result.requests[0])]


# Workers


def test_two_workers_on_a_fork():
    r"""
      a       0..1 on worker 0, while worker 1 is idle, and so served first when a ends:
     / \      b on worker 1, c on worker 0, both 1..2.
    b   c
    """
    trace = run(Dag({"a": [], "b": ["a"], "c": ["a"]}), FIFO, Workers(2))

    assert rows(trace) == [
        (0.0, 0, 0, 1.0, Ending.RESULT),
        (1.0, 1, 1, 2.0, Ending.RESULT),
        (1.0, 2, 0, 2.0, Ending.RESULT),
    ]
    assert counts(trace) == [3, 1, 3]  # worker 1 asked in vain at time 0
    assert trace.result.time[0] == 2.0
    assert trace.result.utilisation[0] == 3 / 4
    assert trace.batches.time.tolist() == [0.0, 1.0]
    assert trace.batches.size.tolist() == [2, 1]
    assert trace.batches.eligible.tolist() == [1, 2]


def test_asks_after_the_last_assignment_do_not_count():
    """a -> b: at time 1 idle worker 1 gets b before worker 0 asks again."""
    trace = run(chain(2), FIFO, Workers(2))

    assert counts(trace) == [2, 1, 2]
    assert trace.result.utilisation[0] == 1 / 2


@pytest.mark.parametrize(
    ("played", "expected"),
    [
        (Played("fifo"), [0, 1, 2, 3]),
        (Played("fifo", [1, 0, 2, 3]), [1, 0, 2, 3]),
        (Played("lifo"), [0, 3, 2, 1]),
        (Played("lifo", [1, 0, 2, 3]), [1, 0, 3, 2]),
        (Played("static", [0, 2, 1, 3]), [0, 2, 1, 3]),
        (Played("static", [1, 0, 3, 2]), [1, 0, 3, 2]),
    ],
)
def test_each_way_to_play_on_one_worker(played, expected):
    r"""
      a   b     Running a frees c and d, which join the line in this order.
     / \
    c   d
    """
    dag = Dag({"a": [], "b": [], "c": ["a"], "d": ["a"]})

    assert run(dag, played, Workers(1)).assignments.task.tolist() == expected


def test_results_at_one_moment_all_count_before_tasks_are_handed_out():
    """Tasks 0 and 1 end at time 1; worker 0 asks first and already gets 2, whose rank is best."""
    dag = Dag.from_arcs(4, [(1, 2)])

    trace = run(dag, Played("static", [0, 1, 2, 3]), Workers(2))

    assert rows(trace)[2:] == [
        (1.0, 2, 0, 2.0, Ending.RESULT),
        (1.0, 3, 1, 2.0, Ending.RESULT),
    ]


def test_a_slow_worker_takes_longer():
    trace = run(independent(3), FIFO, Workers(2, speeds=[1.0, 0.25]))

    assert rows(trace) == [
        (0.0, 0, 0, 1.0, Ending.RESULT),
        (0.0, 1, 1, 4.0, Ending.RESULT),
        (1.0, 2, 0, 2.0, Ending.RESULT),
    ]
    assert trace.result.utilisation[0] == (1 + 4 + 1) / (2 * 4)


def test_an_overdue_task_is_handed_out_again_and_the_first_result_counts():
    """Worker 0 needs 4 for the task; worker 1 gets a copy when it is overdue, and wins.

    That copy is overdue too, at time 1, but nobody is there to take another.
    """
    trace = run(independent(1), FIFO, Workers(2, speeds=[0.25, 1.0], deadline=0.5))

    assert rows(trace) == [
        (0.0, 0, 0, 4.0, Ending.IGNORED),
        (0.5, 0, 1, 1.5, Ending.RESULT),
    ]
    assert trace.result.time[0] == 1.5
    assert trace.result.work[0] == 1.0


def test_a_worker_is_busy_with_an_ignored_copy_until_it_ends():
    """As before, and task 1 follows task 0: worker 1, free at 1.5, gets it."""
    trace = run(chain(2), FIFO, Workers(2, speeds=[0.25, 1.0], deadline=0.5))

    assert rows(trace) == [
        (0.0, 0, 0, 4.0, Ending.IGNORED),
        (0.5, 0, 1, 1.5, Ending.RESULT),
        (1.5, 1, 1, 2.5, Ending.RESULT),
    ]


def test_a_task_done_while_it_is_eligible_again_is_not_handed_out():
    """Task 0 is overdue at 0.5 and done at 1.0, when worker 0 asks and gets task 1."""
    trace = run(independent(2), Played("static", [0, 1]), Workers(1, deadline=0.5))

    assert trace.assignments.task.tolist() == [0, 1]


@pytest.mark.parametrize(("by", "expected"), [("fifo", [0, 1, 2, 3, 0]), ("lifo", [0, 1, 2, 0, 3])])
def test_overdue_tasks_join_the_line_anew(by, expected):
    """Worker 0 needs 5 for task 0, which joins task 3 in the line at 1.5.

    Worker 1 runs tasks 1 and 2 until 2, and then what has been in the line longest, or
    shortest: task 3 or the copy. It has done both by 4.
    """
    pool = Workers(2, speeds=[0.2, 1.0], deadline=1.5)

    trace = run(independent(4), Played(by), pool)

    assert trace.assignments.task.tolist() == expected
    assert trace.assignments.request.tolist() == [0, 1, 1, 1, 1]
    assert trace.result.time[0] == 4.0


def test_overhead_comes_on_top_of_each_task_and_is_no_work():
    """Twice as fast, the worker needs 0.5 for each task, and 0.5 to get it."""
    trace = run(chain(2), FIFO, Workers(1, speeds=[2.0], overhead=0.5))

    assert rows(trace) == [(0.0, 0, 0, 1.0, Ending.RESULT), (1.0, 1, 0, 2.0, Ending.RESULT)]
    assert trace.result.utilisation[0] == 0.5


def test_replicas_go_to_requests_that_are_there():
    """Three workers: two get task 0, one task 1, which has no second copy until somebody asks."""
    trace = run(independent(3), FIFO, Workers(3, speeds=[1.0, 0.5, 1.0], replicas=2))

    assert rows(trace) == [
        (0.0, 0, 0, 1.0, Ending.RESULT),
        (0.0, 0, 1, 2.0, Ending.IGNORED),
        (0.0, 1, 2, 1.0, Ending.RESULT),
        (1.0, 2, 0, 2.0, Ending.RESULT),
        (1.0, 2, 2, 2.0, Ending.IGNORED),
    ]


@pytest.mark.parametrize(
    ("played", "second"),
    [(Played("fifo"), 1), (Played("lifo"), 0), (Played("static", [0, 1]), 0)],
)
def test_a_lost_task_comes_back_at_its_rank_at_the_end_or_on_top(played, second):
    """A seed in whose run 0 the worker leaves during its first task."""
    seed = next(s for s in count() if stay(s, 0) < 0.9 and stay(s, 1) < 0.9)

    trace = plain_run(independent(2), played, Workers(1, leave=1.0), CONSTANT, seed=seed, run=0)

    first = rows(trace)[0]
    assert first == (0.0, 0, 0, stay(seed, 0), Ending.LOSS)
    assert trace.assignments.task[1] == second
    assert trace.assignments.time[1] == stay(seed, 0)
    assert_engines_agree(independent(2), played, Workers(1, leave=1.0), CONSTANT, seed=seed, run=0)


def stay(seed: int, task: int) -> float:
    return Draws(seed=seed, run=0).exponential(Stream.LEAVE, task, 0)


def test_the_deadline_of_a_lost_copy_is_void():
    """Lost before it is overdue, the task is assigned anew and due a full deadline later."""
    seed = next(s for s in count() if stay(s, 0) < 0.5 and second_stay(s) > 2.0)
    pool = Workers(2, leave=1.0, deadline=1.5)

    trace = plain_run(independent(1), FIFO, pool, CONSTANT, seed=seed, run=0)

    assert [ending for *_, ending in rows(trace)] == [Ending.LOSS, Ending.RESULT]
    assert_engines_agree(independent(1), FIFO, pool, CONSTANT, seed=seed, run=0)


def second_stay(seed: int) -> float:
    return Draws(seed=seed, run=0).exponential(Stream.LEAVE, 0, 1)


# Batches


def test_a_batch_takes_what_is_eligible_and_the_other_requests_are_lost():
    trace = run(independent(3), FIFO, Pool(1.0, 2, "fixed"))

    second = float(trace.batches.time[1])
    assert rows(trace) == [
        (0.0, 0, 0, 1.0, Ending.RESULT),
        (0.0, 1, 1, 1.0, Ending.RESULT),
        (second, 2, 2, second + 1, Ending.RESULT),
    ]
    assert counts(trace) == [2, 0, 4]
    assert trace.result.utilisation[0] == 3 / 4
    assert trace.batches.eligible.tolist() == [3, 1]


def test_batches_that_come_before_the_result_stall():
    """a -> b: only the first batch after time 1 finds b."""
    trace = run(chain(2), FIFO, Pool(0.2, 3, "fixed"))

    arrivals = trace.batches.time
    in_vain = int(((arrivals > 0) & (arrivals < 1)).sum())
    assert in_vain > 0
    assert trace.batches.eligible.tolist() == [1, *[0] * in_vain, 1]
    assert arrivals[-1] >= 1.0
    assert counts(trace) == [in_vain + 2, in_vain, 3 * (in_vain + 2)]
    assert trace.result.stall[0] == in_vain / (in_vain + 2)
    assert trace.result.time[0] == arrivals[-1] + 1


def test_a_request_that_waits_is_served_between_arrivals():
    """a -> b -> c: requests 0, 1 and 2 get one each, as soon as it is eligible."""
    trace = run(chain(3), FIFO, Pool(5.0, 3, "fixed", waiting=True))

    assert rows(trace) == [
        (0.0, 0, 0, 1.0, Ending.RESULT),
        (1.0, 1, 1, 2.0, Ending.RESULT),
        (2.0, 2, 2, 3.0, Ending.RESULT),
    ]
    assert counts(trace) == [
        len(trace.batches.time),
        len(trace.batches.time) - 1,
        3 * len(trace.batches.time),
    ]
    assert trace.batches.time[-1] <= 2.0


def test_requests_of_several_batches_wait_in_turn():
    """Batches of one: request i waits for task i of the chain from its arrival on."""
    trace = run(chain(4), FIFO, Pool(0.01, 1, "fixed", waiting=True))

    assert trace.assignments.request.tolist() == [0, 1, 2, 3]
    assert trace.assignments.time.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_empty_batches_are_none():
    """Exponential sizes of mean 1, rounded, are 0 in four of ten cases; their gaps count though.

    200 batches are enough for 50 tasks.
    """
    trace = run(independent(50), FIFO, Pool(1.0, 1, "exponential"))

    draws = Draws(seed=1, run=0)
    sizes = [math.floor(draws.exponential(Stream.SIZE, batch) + 0.5) for batch in range(200)]
    gaps = [0.0, *(draws.exponential(Stream.GAP, batch) for batch in range(1, 200))]
    there = [(time, size) for time, size in zip(accumulate(gaps), sizes, strict=True) if size > 0]
    found = list(zip(trace.batches.time.tolist(), trace.batches.size.tolist(), strict=True))
    assert found == there[: len(found)]
    assert 0 in sizes[: len(found)]
    assert counts(trace)[0] == len(found)


def test_replicas_within_a_batch():
    """Five requests, pairs of copies: task 2 finds only one request in this batch."""
    trace = run(independent(3), FIFO, Pool(50.0, 5, "fixed", replicas=2))

    assert trace.assignments.task.tolist() == [0, 0, 1, 1, 2]
    assert trace.result.utilisation[0] == 3 / 5


def test_a_lost_task_waits_for_the_next_batch():
    seed = next(s for s in count() if stay(s, 0) < 0.3 and second_stay(s) > 1)
    pool = Pool(1.0, 2, "fixed", leave=1.0)

    trace = plain_run(independent(1), FIFO, pool, CONSTANT, seed=seed, run=0)

    lost, kept = rows(trace)
    assert lost == (0.0, 0, 0, stay(seed, 0), Ending.LOSS)
    assert kept[0] == trace.batches.time[-1] >= stay(seed, 0)
    assert kept[4] is Ending.RESULT
    assert counts(trace)[0] == len(trace.batches.time)


# Servers


class LargestFirst:
    """Hands out the eligible task with the largest id, and writes down what it hears."""

    def __init__(self, dag: Dag) -> None:
        self.readiness = Readiness(dag)
        self.heard: list[tuple[str, int]] = []

    def done(self, task: int) -> None:
        self.heard.append(("done", task))
        self.readiness.finish([task])

    def lost(self, task: int) -> None:
        self.heard.append(("lost", task))
        self.readiness.give_back([task])

    def take(self, count: int) -> list[int]:
        taken = self.readiness.ready()[::-1][:count]
        self.readiness.take(taken)
        self.heard += [("take", task) for task in taken]
        return taken


def test_a_server_written_in_python_decides():
    fork = Dag.from_arcs(4, [(0, 1), (0, 2), (0, 3)])
    server = LargestFirst(fork)

    trace = plain_run(fork, server, Workers(2), CONSTANT, seed=1, run=0)

    assert trace.assignments.task.tolist() == [0, 3, 2, 1]
    assert server.heard[:4] == [("take", 0), ("done", 0), ("take", 3), ("take", 2)]


def test_a_server_hears_of_overdue_tasks_and_of_their_first_results_when_out_again():
    """Worker 0 needs 4 for the task, worker 1 gets it when it is overdue and needs 1.

    It is overdue again, so that it is not out when its first result comes.
    """
    server = LargestFirst(independent(1))
    pool = Workers(2, speeds=[0.25, 1.0], deadline=0.5)

    plain_run(independent(1), server, pool, CONSTANT, seed=1, run=0)

    assert server.heard == [("take", 0), ("lost", 0)] * 2 + [("done", 0)]


def test_a_server_may_hold_tasks_back():
    class OneAtATime(LargestFirst):
        def take(self, count: int) -> list[int]:
            return super().take(min(count, 1))

    dag = independent(3)
    trace = plain_run(dag, OneAtATime(dag), Pool(1.0, 3, "fixed"), CONSTANT, seed=1, run=0)

    assert len(set(trace.assignments.time.tolist())) == 3
    assert trace.result.requests[0] == 9
    assert math.isclose(trace.result.utilisation[0], 1 / 3)
