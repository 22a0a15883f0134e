"""HTCondor's partitionable slots: the rules, worked by hand, and kernel and twin agree."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from icsched import Dag, families
from icsched.errors import ArgumentError, PoolError
from icsched.sim import Experiment, Played, Times, Trace, Workers, slot_engine
from icsched.sim.experiment import slot_model
from icsched.sim.machines import HTCondor, Machine, Machines, demands
from icsched.sim.slot_engine import Categories
from tests.sim.models import assert_same, runs, seeds, times
from tests.strategies import dags_with_orders

# Cycles at 0, 2, 4 ... s and passes at 1, 2, 3 ... s; nothing takes time but jobs and intervals.
QUICK = HTCondor(
    scan_interval=1,
    schedd_interval=1,
    heartbeat=0,
    negotiator_interval=2,
    cycle_delay=0,
    latency=0,
)
GIB = 2.0**30


class Job(NamedTuple):
    """A job of a workflow that is drawn by hand."""

    name: str
    seconds: float
    cores: int = 1
    parents: tuple[str, ...] = ()
    priority: int = 0
    memory: float = GIB / 8


def experiment_on_slots(
    dag: Dag,
    pool: Machines,
    times: Times,
    needs: Mapping[str, Sequence[float]],
    categories: Categories | None = None,
) -> Experiment:
    """An experiment whose tasks have *needs* and *categories*."""
    experiment = Experiment(dag, pool, times)
    experiment._held = held = demands({k: np.array(v) for k, v in needs.items()}, len(dag), pool)
    limits = categories or Categories.none(len(dag))
    experiment._slots = slot_model(pool, pool.htcondor, held, limits)
    return experiment


def assert_engines_agree(
    dag: Dag,
    played: Played,
    pool: Machines,
    times: Times,
    needs: Mapping[str, Sequence[float]],
    categories: Categories | None = None,
    *,
    seed: int = 1,
    run: int = 0,
) -> Trace:
    """The kernel and the twin give the same trace, which is returned."""
    experiment = experiment_on_slots(dag, pool, times, needs, categories)
    found = experiment.trace(played, seed=seed, run=run)
    inputs = dag, played, pool, experiment.times, experiment.means, experiment._held, categories
    assert_same(found, slot_engine.run(*inputs, seed=seed, run=run))
    again = experiment.runs(played, seed=seed, runs=1, first_run=run)
    assert again.to_dict() == found.result.to_dict()
    return found


def played(
    jobs: Sequence[Job],
    condor: HTCondor = QUICK,
    *,
    machines: Sequence[tuple[int, float]] = ((8, 8 * GIB),),
    limits: Mapping[str, int] | None = None,
) -> dict[str, tuple[float, float]]:
    """Start and end of each job; a key of *limits* begins the names of the jobs of a category."""
    dag = Dag({job.name: job.parents for job in jobs})
    limits = limits or {}
    starts = [
        next((i for i, key in enumerate(limits) if job.name.startswith(key)), -1) for job in jobs
    ]
    found = assert_engines_agree(
        dag,
        Played("priority", priorities=[job.priority for job in jobs]),
        Machines([Machine({"cores": c, "memory_bytes": m}) for c, m in machines], htcondor=condor),
        Times("constant", means=[job.seconds for job in jobs]),
        {"cores": [job.cores for job in jobs], "memory_bytes": [job.memory for job in jobs]},
        Categories(np.array(starts, np.int32), np.array([*limits.values()], np.int32)),
    ).assignments
    spans = zip(found.time.tolist(), found.end.tolist(), strict=True)
    return dict(zip([dag.names[task] for task in found.task], spans, strict=True))


WIDE_FIRST = [Job("wide", 4, 8, priority=1), *(Job(f"narrow{i}", 4) for i in range(3))]


def test_narrow_jobs_run_one_by_one_in_the_claim_of_a_wide_job():
    """
    8 cores | wide | n0 | n1 | n2 |    the claim keeps its size, so 7 cores have nothing to do
            0      4    8    12   16
    """
    assert played(WIDE_FIRST) == {
        "wide": (0, 4),
        "narrow0": (4, 8),
        "narrow1": (8, 12),
        "narrow2": (12, 16),
    }


def test_narrow_jobs_that_refuse_a_wide_claim_run_side_by_side():
    """The claim is given back at 4, and the cycle at 4 makes three of it."""
    exact = played(WIDE_FIRST, replace(QUICK, exact_cores=True))

    assert exact == {"wide": (0, 4), "narrow0": (4, 8), "narrow1": (4, 8), "narrow2": (4, 8)}


def test_claims_of_narrow_jobs_become_a_wide_claim_if_the_wide_job_is_last():
    """No idle job fits into a claim of one core, so all three are given back at 4."""
    last = [job._replace(priority=-job.priority) for job in WIDE_FIRST]

    assert played(last) == {
        "narrow0": (0, 4),
        "narrow1": (0, 4),
        "narrow2": (0, 4),
        "wide": (4, 8),
    }


def test_a_wide_job_of_high_priority_starves_while_narrow_jobs_are_idle():
    """
    core 1 | first | n1   | n3      |    wide is submitted at 3, before all others by priority,
    core 2 | n0       | n2   |      |    but it fits into no claim of one core
           0       2  3   5  6      8    wide starts at 9: the cycle at 3, then each 2 s
    """
    jobs = [
        Job("first", 2),
        *(Job(f"narrow{i}", 3) for i in range(4)),
        Job("wide", 1, 2, parents=("first",), priority=9),
    ]

    assert played(jobs, replace(QUICK, hold=0), machines=[(2, 8 * GIB)]) == {
        "first": (0, 2),
        "narrow0": (0, 3),
        "narrow1": (2, 5),
        "narrow2": (3, 6),
        "narrow3": (5, 8),
        "wide": (9, 10),
    }


def test_a_claim_keeps_the_memory_of_its_first_job():
    """Two claims have all the memory; the other six cores have none for a job."""
    large = [Job(f"large{i}", 4, memory=4 * GIB, priority=1) for i in range(2)]
    small = [Job(f"small{i}", 2) for i in range(4)]

    assert played([*large, *small]) == {
        "large0": (0, 4),
        "large1": (0, 4),
        "small0": (4, 6),
        "small1": (4, 6),
        "small2": (6, 8),
        "small3": (6, 8),
    }


@pytest.mark.parametrize(
    ("hold", "schedd_interval", "start"),
    [
        (20, 300, 300),  # the hold is over at 23, but the next pass is at 300
        (20, 1, 24),  # the pass at 23 gives it back, and the cycle at 24 makes the wide claim
        (0, 300, 4),  # given back at 3
    ],
)
def test_a_held_claim_is_given_back_at_the_first_pass_after_its_hold(hold, schedd_interval, start):
    """`small` has a child, so its claim is held when it ends at 3. `wide` needs both cores."""
    jobs = [Job("small", 3), Job("wide", 1, 2), Job("merge", 1, parents=("small", "wide"))]
    condor = replace(QUICK, hold=hold, schedd_interval=schedd_interval)

    assert played(jobs, condor, machines=[(2, 8 * GIB)])["wide"] == (start, start + 1)


@pytest.mark.parametrize(("parent", "start"), [("small", 300), ("last", 6)])
def test_the_first_job_of_a_shadow_decides_whether_its_claim_is_held(parent, start):
    """
    core 1 | small | last |    the shadow of `small` also runs `last`
    core 2 | other |           given back at 3
           0       3      6    `wide` needs both cores
    """
    jobs = [
        Job("small", 3, priority=2),
        Job("other", 3, priority=2),
        Job("last", 3, priority=1),
        Job("wide", 1, 2),
        Job("merge", 1, parents=(parent, "wide")),
    ]
    condor = replace(QUICK, schedd_interval=300)

    assert played(jobs, condor, machines=[(2, 8 * GIB)])["wide"] == (start, start + 1)


@pytest.mark.parametrize(("scan_interval", "start"), [(5, 10), (2, 6)])
def test_a_child_is_submitted_at_the_scan_after_the_one_that_reads_its_parents_end(
    scan_interval, start
):
    """The parent ends at 3. The next scan, at 5 or 4, submits before it reads."""
    jobs = [Job("parent", 3), Job("child", 1, parents=("parent",))]

    found = played(jobs, replace(QUICK, scan_interval=scan_interval))

    assert found["child"] == (start, start + 1)


def test_a_claim_older_than_its_worklife_is_not_reused():
    """Both ends, at 3 and 6, are later than 2 s; each next job waits for a cycle at 4 or 8."""
    jobs = [Job(f"job{i}", 3) for i in range(3)]
    found = played(jobs, replace(QUICK, worklife=2), machines=[(1, GIB)])

    assert found == {"job0": (0, 3), "job1": (4, 7), "job2": (8, 11)}


def test_jobs_over_the_limit_of_their_category_come_back_in_reverse():
    """s1 and s2 are refused at 0, 2 and 4, and reversed each time. The end at 3 is read at 4."""
    jobs = [Job(f"s{i}", 3) for i in range(3)]

    # s2 ends at 9; s1 is refused until the end is read at 10.
    found = played(jobs, replace(QUICK, scan_interval=2), limits={"s": 1})

    assert found == {"s0": (0, 3), "s2": (6, 9), "s1": (12, 15)}


def test_the_next_job_takes_the_smallest_machine_that_has_room():
    """`two` goes where 2 cores are left, so that `four` finds a whole machine."""
    jobs = [Job("two", 3, 2, priority=1), Job("four", 3, 4)]

    found = played(jobs, machines=[(4, 4 * GIB), (2, 4 * GIB)])

    assert found == {"two": (0, 3), "four": (0, 3)}


def test_a_scan_submits_no_more_than_it_may():
    """Scans at 0, 1 and 2 submit one job each. Their passes ask for cycles at once."""
    jobs = [Job(f"job{i}", 9) for i in range(3)]

    found = played(jobs, replace(QUICK, scan_submissions=1))

    assert [start for start, _ in found.values()] == [0, 1, 2]


def test_core_seconds_requests_and_stalls_are_counted():
    """
    8 cores | wide | n0 | n1 | n2 |    8 cores ask at 0, and 8 + 1 + 1 at the ends before 12
            0      4    8    12   16   32 + 3 * 4 core seconds; each end finds a job
    """
    found = assert_engines_agree(
        Dag({job.name: () for job in WIDE_FIRST}),
        Played("fifo"),
        Machines([Machine({"cores": 8})], htcondor=QUICK, overhead=1),
        Times("constant", means=[4, 4, 4, 4]),
        {"cores": [job.cores for job in WIDE_FIRST]},
    )

    assert found.batches.time.tolist() == [0, 5, 10, 15]  # the overhead of 1 s counts here
    assert found.batches.size.tolist() == [8, 8, 1, 1]
    assert found.batches.eligible.tolist() == [4, 3, 2, 1]
    assert (found.result.requests[0], found.result.stalls[0], found.result.work[0]) == (18, 0, 44)


# Against other models


def test_jobs_of_one_core_without_delays_run_as_on_workers():
    """Only scans and cycles delay a job: a child begins up to three after its last parent."""
    dag, cores, interval = families.mesh(5), 3, 0.001
    condor = replace(QUICK, scan_interval=interval, negotiator_interval=interval, hold=0)
    pool = Machines([Machine({"cores": cores})], htcondor=condor)
    workers = Experiment(dag, Workers(cores), Times()).runs(Played("fifo"), seed=1, runs=50)

    found = Experiment(dag, pool, Times()).runs(Played("fifo"), seed=1, runs=50)

    later = found.time - workers.time
    assert later.min() > 0
    assert later.max() < 3 * interval * len(dag)
    assert found.work.tolist() == workers.work.tolist()


# The kernel and its twin

CHOICES = {
    "scan_interval": [0.5, 1, 5],
    "scan_submissions": [1, 2, 100],
    "hold": [0, 1, 2.5, 20],
    "schedd_interval": [1, 5, 300],
    "heartbeat": [0, 1, 5],
    "negotiator_interval": [1, 2, 60],
    "cycle_delay": [0, 1, 20],
    "worklife": [0, 4, 1200],
    "exact_cores": [False, True],
    "latency": [0, 1, 2.5],
}
condors = st.fixed_dictionaries({k: st.sampled_from(v) for k, v in CHOICES.items()}).map(
    lambda fields: HTCondor(**fields)
)


@st.composite
def pools_of_slots(draw: st.DrawFn) -> Machines:
    """A few machines of 4 cores or more."""
    kind = st.tuples(st.sampled_from([4, 5, 8]), st.sampled_from([1, 2, 4]), st.integers(1, 3))
    kinds = draw(st.lists(kind, min_size=1, max_size=2))
    return Machines(
        [Machine({"cores": c, "memory_bytes": m * GIB}, count) for c, m, count in kinds],
        draw(st.none() | st.integers(1, 5)),
        draw(st.none() | st.integers(1, 3)),
        draw(condors),
        overhead=draw(st.sampled_from([0.0, 0.25])),
    )


@settings(max_examples=300)
@given(st.data(), dags_with_orders(most_tasks=12), pools_of_slots(), seeds, runs)
def test_kernel_and_twin_agree_whatever_is_random(data, dag_and_order, pool, seed, run):
    dag, order = dag_and_order
    if not len(dag):
        return
    tasks = len(dag)

    def per_task(values: st.SearchStrategy) -> list:
        return data.draw(st.lists(values, min_size=tasks, max_size=tasks))

    by = data.draw(st.sampled_from(["static", "fifo", "priority"]))
    priorities = per_task(st.integers(0, 2)) if by == "priority" else None
    needs = {"cores": per_task(st.sampled_from([1, 1, 2, 3, 4]))}
    if data.draw(st.booleans()):
        needs["memory_bytes"] = per_task(st.sampled_from([0.1 * GIB, 0.3 * GIB, GIB]))
    limits = data.draw(st.lists(st.integers(1, 2), max_size=2))
    categories = Categories(
        np.array(per_task(st.integers(-1, len(limits) - 1)), np.int32), np.array(limits, np.int32)
    )

    assert_engines_agree(
        dag,
        Played(by, order, priorities),
        pool,
        data.draw(times(tasks)),
        needs,
        categories,
        seed=seed,
        run=run,
    )


@pytest.mark.parametrize("condor", [HTCondor(), HTCondor(hold=0, exact_cores=True)])
def test_kernel_and_twin_agree_on_a_whole_workflow(condor):
    dag = families.airsn(30)
    pool = Machines([Machine({"cores": 4}, 3)], max_jobs=40, htcondor=condor)
    needs = {"cores": [1 + task % 3 for task in range(len(dag))]}

    for played in (Played("fifo"), Played("static", dag.fifo_order)):
        assert_engines_agree(dag, played, pool, Times(means=[60] * len(dag)), needs)


def test_the_results_are_the_same_for_any_threads_and_any_split_of_the_runs():
    experiment = Experiment(
        families.mesh(6), Machines([Machine({"cores": 3})], htcondor=HTCondor()), Times()
    )
    whole = experiment.runs(Played("fifo"), seed=3, runs=60, threads=1)
    parts = [
        experiment.runs(Played("fifo"), seed=3, runs=30, first_run=first, threads=3)
        for first in (0, 30)
    ]

    assert [t for part in parts for t in part.time.tolist()] == whole.time.tolist()
    assert len(set(whole.time.tolist())) > 50


# Limits


@pytest.mark.parametrize("by", ["lifo", "random"])
def test_orders_that_dagman_cannot_play_are_refused(by):
    experiment = Experiment(
        Dag({"a": []}), Machines([Machine({"cores": 1})], htcondor=HTCondor()), Times()
    )
    with pytest.raises(ArgumentError, match=f"order: DAGMan and HTCondor cannot play {by}"):
        experiment.runs(Played(by), seed=1, runs=1)


def test_years_of_intervals_of_a_millisecond_end_soon():
    """A billion seconds, 10^12 scans, passes and cycles: only those that change something count."""
    condor = HTCondor(
        scan_interval=0.001, schedd_interval=0.001, negotiator_interval=0.001, hold=1e8, latency=0
    )
    dag = Dag({"a": [], "b": ["a"], "c": [], "d": ["b", "c"]})
    experiment = experiment_on_slots(
        dag,
        Machines([Machine({"cores": 2})], htcondor=condor),
        Times("constant", means=[1e9, 3e8, 2e8, 5]),
        {"cores": [1, 2, 1, 2]},
        Categories(np.zeros(4, np.int32), np.array([1], np.int32)),
    )
    found = experiment.runs(Played("fifo"), seed=1, runs=10)

    assert 1.5e9 < found.time.min() < found.time.max() < 2e9


def test_a_run_of_too_many_intervals_is_refused():
    condor = HTCondor(scan_interval=0.001, latency=0)
    pool = Machines([Machine({"cores": 1})], htcondor=condor)
    experiment = Experiment(Dag({"a": []}), pool, Times("constant", means=[1e13]))

    with pytest.raises(PoolError, match="the run lasts over 1e\\+15 times its shortest interval"):
        experiment.runs(Played("fifo"), seed=1, runs=1)


def test_a_claim_that_is_held_for_ever_is_refused():
    """`small` has a child, so its claim is never given back, and `wide` never starts."""
    condor = replace(QUICK, hold=1e100)
    experiment = experiment_on_slots(
        Dag({"small": [], "wide": ["small"]}),
        Machines([Machine({"cores": 2})], htcondor=condor),
        Times("constant"),
        {"cores": [1, 2]},
    )
    with pytest.raises(PoolError, match="htcondor: the run lasts over"):
        experiment.runs(Played("fifo"), seed=1, runs=1)
