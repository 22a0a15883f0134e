"""Runs as lanes."""

import numpy as np
import pytest

from icsched import Dag, Pool, Times, Workers, families
from icsched.report.lanes import Lanes, recorded_lanes, run_lanes
from icsched.sim import Experiment, Machine, Machines, Played
from tests.sim.models import trace

POOLS = [
    Pool(interval=1, batch=4),
    Pool(interval=0.5, batch=3, leave=2, replicas=2),
    Workers(3),
    Workers(4, leave=3, deadline=2),
    Machines([Machine({"cores": 2}, count=2)], leave=3),
]


def overlaps(lanes: Lanes) -> list[tuple[int, int]]:
    """Return pairs of bars in a lane of which one begins before the other ends."""
    bars = list(zip(lanes.lane, lanes.start, lanes.stop, strict=True))
    return [
        (i, j)
        for i, (lane, start, stop) in enumerate(bars)
        for j, (other, begin, end) in enumerate(bars[:i])
        if lane == other and begin < stop and start < end
    ]


@pytest.mark.parametrize("pool", POOLS)
def test_lanes_show_the_simulated_run_and_bars_never_overlap(pool):
    dag = families.airsn(10)
    steps = trace(dag, Played("fifo"), pool, Times(), seed=3, run=0)
    lanes = run_lanes(steps, pool)

    given = steps.assignments
    assert lanes.task.tolist() == given.task.tolist()
    assert lanes.start.tolist() == given.time.tolist()
    end = steps.result.time[0]
    assert lanes.stop.tolist() == [min(stop, end) for stop in given.end.tolist()]
    assert lanes.end == end
    assert lanes.ending.tolist() == given.ending.tolist()
    assert overlaps(lanes) == []
    assert not lanes.is_cut
    if isinstance(pool, Workers):
        assert lanes.lane.tolist() == given.request.tolist()


def test_lanes_of_batches_are_as_many_as_run_at_once():
    pair = Dag({"a": [], "b": [], "c": ["a", "b"]})
    pool = Pool(batch=5, batch_law="fixed")
    lanes = run_lanes(trace(pair, Played("fifo"), pool, Times("constant"), seed=1, run=0), pool)

    assert (lanes.workers, lanes.lane.tolist()) == (2, [0, 1, 0])


def test_a_long_run_is_cut_after_its_first_bars():
    dag, pool = families.airsn(10), Workers(3)
    steps = trace(dag, Played("fifo"), pool, Times(), seed=3, run=0)
    lanes = run_lanes(steps, pool, most=7)

    assert (len(lanes), lanes.is_cut) == (7, True)
    assert lanes.task.tolist() == steps.assignments.task[:7].tolist()


@pytest.mark.parametrize("pool", POOLS)
def test_a_run_that_is_cut_has_all_its_workers(pool):
    steps = trace(families.airsn(10), Played("fifo"), pool, Times(), seed=3, run=0)

    assert run_lanes(steps, pool, most=2).workers == run_lanes(steps, pool).workers > 2


def test_recorded_bars_that_overlap_by_a_second_are_cut_short():
    lanes = recorded_lanes(
        lane=np.array([7, 7, 9], np.int32),
        task=np.array([0, 1, -1], np.int32),
        start=np.array([0.0, 9.0, 1.0]),
        stop=np.array([10.0, 12.0, 3.0]),
        ending=np.array([0, 1, 2], np.int32),
    )

    assert lanes.lane.tolist() == [0, 1, 0]
    assert lanes.task.tolist() == [0, -1, 1]
    assert lanes.stop.tolist() == [9.0, 3.0, 12.0]
    assert (lanes.workers, lanes.end) == (2, 12.0)


def test_a_machine_has_a_lane_for_each_task_that_it_runs_at_once():
    # Two machines of 2 cores; tasks of 1 core, so two lanes a machine.
    pool, tasks = Machines([Machine({"cores": 2}, count=2)]), Dag.from_arcs(5, [])
    times = Times("constant", means=[1.0, 2.0, 3.0, 3.0, 1.0])
    order = Played("static", order=range(5))
    found = run_lanes(Experiment(tasks, pool, times).trace(order, seed=1, run=0), pool)

    assert found.task.tolist() == [0, 1, 2, 3, 4]
    assert found.lane.tolist() == [0, 1, 2, 3, 0]
    assert found.workers == 4
