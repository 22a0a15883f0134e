"""The pools that are tried if nothing is known of the user's pool."""

import numpy as np
import pytest

from icsched import Dag, Pool, Workers, families
from icsched.sim.pools import MANY_TASKS, usual_pools
from tests.strategies import different_dags


def test_workers_are_shares_of_the_width_and_as_many_as_work_over_path():
    """40 chains of 2 tasks of 3: width 40, work 240, longest path 6, so 40 are balanced."""
    chains = Dag.from_arcs(80, [(i, 40 + i) for i in range(40)])

    pools = usual_pools(chains, np.full(80, 3.0))

    counts = [pool.count for pool in pools if isinstance(pool, Workers)]
    assert sorted(counts) == [5, 10, 20, 40]


def test_requests_are_as_many_as_the_workers_of_a_pool_of_that_size_would_make():
    """Width 40 and mean 3: a batch of 16 for 40 workers every 3 * 16 / 40 = 1.2."""
    chains = Dag.from_arcs(80, [(i, 40 + i) for i in range(40)])

    pools = usual_pools(chains, np.full(80, 3.0))

    batches = {pool.batch: pool.interval for pool in pools if isinstance(pool, Pool)}
    assert batches == pytest.approx({16: 1.2, 1: 3 / 40, 64: 3 * 64 / 10})


def test_times_that_are_twice_as_long_make_intervals_twice_as_long_and_nothing_else():
    dag = families.airsn(20)
    once = usual_pools(dag, np.ones(len(dag)))
    twice = usual_pools(dag, np.full(len(dag), 2.0))

    assert len(once) == len(twice)
    for one, two in zip(once, twice, strict=True):
        if isinstance(one, Workers):
            assert one == two
        else:
            assert (two.interval, two.batch) == (2 * one.interval, one.batch)


def test_large_dags_are_tried_on_three_pools():
    """A comb: a chain of tasks, each with a tooth of its own, so that no two pools are equal."""
    tasks = MANY_TASKS
    chain = [(task, task + 1) for task in range(99)]
    teeth = [(task % 100, task) for task in range(100, tasks)]

    assert len(usual_pools(Dag.from_arcs(tasks, chain + teeth), np.ones(tasks))) == 3


@pytest.mark.parametrize("tasks", [1, 2, 3, 4])
def test_no_pool_is_tried_twice_and_each_has_two_workers_or_more(tasks):
    for dag in different_dags(tasks):
        pools = usual_pools(dag, np.ones(tasks))

        assert all(pool not in pools[:place] for place, pool in enumerate(pools))
        assert all(pool.count >= 2 for pool in pools if isinstance(pool, Workers))
