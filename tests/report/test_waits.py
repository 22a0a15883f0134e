"""When nothing could be taken in a run, and what everybody waited for."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag, Pool, Workers
from icsched.report.stalls import waits_of
from icsched.sim import Played, Recorded, Times
from tests.sim.models import trace
from tests.strategies import dags


def run_of(dag, pool, means=None, law="constant", seed=0):
    times = Times(law, means=means) if law == "constant" else Times(law, 0.3, means)
    return trace(dag, Played("fifo"), pool, times, seed=seed, run=0)


def test_a_chain_on_two_workers_waits_for_each_task_in_turn():
    r"""a (2 s) - b (3 s) - c (1 s): one of two workers is always free, and nothing can be taken."""
    chain = Dag({"a": [], "b": ["a"], "c": ["b"]})
    pool = Workers(2)
    found = waits_of(chain, run_of(chain, pool, [2.0, 3.0, 1.0]), pool)

    assert found.time == pytest.approx(6.0)
    assert found.share == pytest.approx(1.0)
    assert found.lost == pytest.approx(0.5)  # one of two workers
    assert list(found.tasks.items()) == [(1, 3.0), (0, 2.0), (2, 1.0)]


def test_nobody_waits_while_all_workers_are_busy():
    alone = Dag({"a": [], "b": ["a"]})
    pool = Workers(1)

    assert waits_of(alone, run_of(alone, pool, [2.0, 3.0]), pool).time == 0.0


def test_a_worker_who_has_not_come_yet_does_not_wait():
    """a and b take 2 s each. The second worker comes at 1 s, and loses 3 s of 4 s + 3 s."""
    chain = Dag({"a": [], "b": ["a"]})
    pool = Recorded([0.0, 1.0], [np.inf, np.inf])
    found = waits_of(chain, run_of(chain, pool, [2.0, 2.0]), pool)

    assert found.time == pytest.approx(3.0)
    assert found.lost == pytest.approx(3 / 7)


def test_nobody_knows_what_workers_from_outside_lose():
    alone = Dag({"a": []})
    pool = Pool()

    assert waits_of(alone, run_of(alone, pool), pool).lost is None


def test_all_wait_for_the_last_parent_of_what_comes_next():
    r"""a (1 s) and b (5 s) above c: from 1 s on the first worker waits for b, then one for c."""
    join = Dag({"a": [], "b": [], "c": ["a", "b"]})
    pool = Workers(2)
    found = waits_of(join, run_of(join, pool, [1.0, 5.0, 2.0]), pool)

    assert found.tasks == {1: 4.0, 2: 2.0}


def plain_waits(dag, run, pool):
    """The same by the definition, moment by moment; no task is lost and nothing is delayed."""
    given = run.assignments
    begin = dict(zip(given.task.tolist(), given.time.tolist(), strict=True))
    end = dict(zip(given.task.tolist(), given.end.tolist(), strict=True))
    parents = {task: dag.parents(task).tolist() for task in range(len(dag))}
    ready = {task: max((end[p] for p in above), default=0.0) for task, above in parents.items()}
    moments = sorted({0.0, *begin.values(), *end.values()})
    waits: dict[int, float] = {}
    for now, then in pairwise(moments):
        can_start = [t for t in begin if ready[t] <= now < begin[t]]
        running = sum(begin[t] <= now < end[t] for t in begin)
        if can_start or (isinstance(pool, Workers) and running >= pool.count):
            continue
        later = [t for t in begin if ready[t] > now]
        first = min(later, key=lambda t: ready[t], default=None)
        moment = max(end.values()) if first is None else ready[first]
        blamed = [t for t in end if end[t] == moment]
        assert len(blamed) == 1, "times are drawn so that no two tasks end at once"
        waits[blamed[0]] = waits.get(blamed[0], 0.0) + then - now
    return waits


@given(dags(most_tasks=9), st.integers(1, 4), st.integers(0, 1000))
def test_waits_are_what_their_definition_says(dag, workers, seed):
    if not len(dag):
        return
    pool = Workers(workers)
    run = run_of(dag, pool, law="lognormal", seed=seed)
    found, expected = waits_of(dag, run, pool), plain_waits(dag, run, pool)

    assert found.time == pytest.approx(sum(expected.values()))
    shown = found.tasks
    whole = run.result.time[0]
    assert shown == pytest.approx({t: w for t, w in expected.items() if w > 0.005 * whole})


def test_requests_of_a_pool_may_come_at_any_time():
    """One task: from its start to its end, whoever asks gets nothing."""
    one = Dag({"a": []})
    pool = Pool(interval=1, batch=1)
    run = run_of(one, pool, [4.0])
    found = waits_of(one, run, pool)

    assert found.time == pytest.approx(4.0)
    assert list(found.tasks) == [0]


def test_a_lost_task_is_waited_for_until_it_has_a_result():
    chain = Dag({"a": [], "b": ["a"]})
    pool = Workers(2, leave=3.0)
    run = run_of(chain, pool, [5.0, 1.0], seed=3)
    found = waits_of(chain, run, pool)

    assert (run.assignments.ending != 0).any(), "the seed must lose a task"
    assert found.time <= run.result.time[0] + 1e-9
    assert np.isclose(sum(found.tasks.values()), found.time, rtol=0.02)
