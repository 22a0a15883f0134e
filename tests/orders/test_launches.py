"""Advice on submit files and throttles, for workflows whose runs can be worked out by hand."""

import random

import numpy as np
import pytest

from icsched import Dag, HTCondor, Machines
from icsched.orders import Aim
from icsched.orders.auto import candidates
from icsched.orders.launches import EXACT, NO_HOLD, advised
from icsched.orders.prio import prio_order
from icsched.pebble import Schedule
from icsched.sim import Experiment, Played, Times
from icsched.sim.machines import machine_in
from icsched.workflow import Workflow

FIFO = Played("fifo")
PAIR = Dag({"a": [], "b": ["a"]})


def slots(words, **settings):
    return Machines([machine_in(words)], htcondor=HTCondor(), **settings)


def workflow(dag, seconds, cores):
    return Workflow(dag, run_times=np.array(seconds), needs={"cores": np.array(cores, np.float64)})


def advice(work, pool, **options):
    return advised(work, FIFO, FIFO, pool, Aim(pool, workflow=work), **options)


def test_a_large_child_of_a_small_job_needs_the_claim_to_go():
    """The claim of a has one core and is held for 20 s, and then until the schedd looks.

    That is up to 300 s after its last look. Without the hold b waits for a negotiation alone. The
    second line would change nothing, so it is not advised.
    """
    found = advice(workflow(PAIR, [10.0, 10.0], [1, 2]), slots("2"))

    assert found.submit_lines == (NO_HOLD,)
    assert found.lines.high < 0.6
    assert found.ratio.high < 0.6
    assert found.next_order is None


@pytest.mark.parametrize("cores", [[1, 1], [2, 2], [1, np.nan]])
def test_jobs_that_need_the_same_get_no_lines(cores):
    found = advice(workflow(PAIR, [10.0, 10.0], cores), slots("2"))

    assert (found.submit_lines, found.lines, found.next_order) == ((), None, None)


def test_small_jobs_after_large_ones_need_both_lines():
    """Two large jobs take the whole machine, one after the other. 20 small ones follow.

    As it is, they run one by one in the claim of the large ones: 660 s. If they ask for claims of
    one core, they run two by two: 360 s and some negotiations.
    """
    dag = Dag.from_arcs(22, [])
    found = advice(workflow(dag, [30.0] * 22, [2] * 2 + [1] * 20), slots("2"))

    assert found.submit_lines == (NO_HOLD, EXACT)
    assert found.lines.high < 0.85


def test_lines_that_the_files_have_are_not_advised_again():
    dag = Dag.from_arcs(22, [])
    work = workflow(dag, [30.0] * 22, [2] * 2 + [1] * 20)
    pool = Machines([machine_in("2")], htcondor=HTCondor(hold=0))

    assert advice(work, pool).submit_lines == (EXACT,)


def test_a_throttle_that_keeps_cores_idle_is_not_advised():
    """20 equal jobs on 4 cores: each place that gets free stays empty for one to two scans."""
    found = advice(workflow(Dag.from_arcs(20, []), [20.0] * 20, [1] * 20), slots("4"))

    assert found.max_jobs is None
    assert found.ratio is None
    assert list(found.throttles) == [8, 6, 4]
    assert found.throttles[4] > 1.05


def test_a_throttle_that_the_user_has_is_lifted():
    """One job at a time on 4 cores: 20 jobs of 20 s take 400 s and more, without it 100 s."""
    work = workflow(Dag.from_arcs(20, []), [20.0] * 20, [1] * 20)

    free = advice(work, slots("4", max_jobs=1))
    fixed = advice(work, slots("4", max_jobs=1), may_unlimit=False)

    assert free.max_jobs is None
    assert free.throttle.high < 0.5
    assert fixed.max_jobs == 8  # the loosest that was tried


def test_throttles_above_the_number_of_jobs_are_not_tried():
    found = advice(workflow(Dag.from_arcs(5, []), [20.0] * 5, [1] * 5), slots("4"))

    assert list(found.throttles) == [4]


def test_the_same_input_gets_the_same_advice():
    work = workflow(PAIR, [10.0, 10.0], [1, 2])

    first, second = (advice(work, slots("2")).to_dict() for _ in range(2))

    assert first == second


def unequal_jobs(seed):
    """40 jobs, some of 4 cores, most after one of the 8 jobs before them."""
    rng = random.Random(seed)  # noqa: S311  no secret
    cores, seconds, arcs = [], [], []
    for _ in range(40):
        cores.append(4 if rng.random() < 0.3 else 1)
        seconds.append(float(rng.choice([5, 20, 60, 200])))
    for job in range(1, 40):
        if rng.random() < 0.8:
            arcs.append((rng.randrange(max(0, job - 8), job), job))
    return workflow(Dag.from_arcs(40, arcs), seconds, cores)


def test_an_order_that_is_announced_for_the_lines_gains_over_the_lines_alone():
    """On the pool with the lines, because that is what the user compares after writing them.

    The area order gains with and without the lines. Here the lines and another order together gain
    1.1%, but all of that is from the lines.
    """
    work, pool = unequal_jobs(3), slots("2x8")
    made = candidates(work.dag, work.run_times, prio_order(work.dag, work.run_times))
    played = {name: Played("static", Schedule.trusted(work.dag, ids)) for name, ids in made.items()}
    found = advised(work, FIFO, played["area-paths"], pool, Aim(pool, workflow=work))

    with_lines = Machines([machine_in("2x8")], htcondor=HTCondor(hold=0, exact_cores=True))
    runs = Experiment(work, with_lines, Times())
    alone, other = (
        runs.runs(played[name], seed=9, runs=2000).time.mean()
        for name in ("area-paths", "critical-path-steps")
    )
    assert other > alone  # so the lines are no reason to change the order
    assert found.next_order is None
