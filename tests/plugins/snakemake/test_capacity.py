"""What jobs need, and the pool on which their order is chosen."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from icsched import Dag, Machines, Workers
from icsched.plugins.snakemake.capacity import MOST_ASKED, capacity_for
from tests.plugins.snakemake.fakes import FakeGraph, FakeJob

UNLIMITED = sys.maxsize  # as Snakemake says it


def capacity(jobs, limits, graph=None):
    graph = FakeGraph({job: [] for job in jobs}) if graph is None else graph
    found = capacity_for(graph, Dag.from_arcs(len(jobs), []), jobs, limits)
    return {name: held.tolist() for name, held in found.workflow.needs.items()}, found.pool


def machine(pool):
    assert isinstance(pool, Machines)
    [one] = pool.machines
    assert one.count == 1
    return one.resources


def test_threads_memory_and_other_resources_are_needs_and_the_machine_has_the_limits():
    """A megabyte of Snakemake has 1,000,000 bytes. Nobody limits the disk, so it holds none back.

    The first job says nothing of memory, so it needs none.
    """
    jobs = [
        FakeJob("a", rule="a", needs={"_cores": 1, "disk_mb": 7}),
        FakeJob("b", rule="b", needs={"_cores": 8, "mem_mb": 40, "gpu": 1, "Licences": 2}),
    ]
    limits = {"_cores": 8, "mem_mb": 100, "gpu": 2, "Licences": 3, "_job_count": 5}
    limits |= {"_nodes": UNLIMITED, "disk_mb": UNLIMITED}

    needs, pool = capacity(jobs, limits)

    assert needs == {
        "cores": [1, 8],
        "memory_bytes": [0, 40_000_000],
        "gpus": [0, 1],
        "licences": [0, 2],
    }
    assert machine(pool) == {"cores": 8, "memory_bytes": 100_000_000, "gpus": 2, "licences": 3}


@pytest.mark.parametrize(
    ("limits", "workers"),
    [
        ({"_cores": 2}, 2),
        ({"_cores": 9}, 3),  # there are three jobs
        ({"_cores": UNLIMITED, "_nodes": 2}, 2),
        ({"_cores": UNLIMITED, "_nodes": UNLIMITED}, 3),
        ({"_cores": 2, "gpu": 4}, 2),  # no job needs one
        ({"_cores": 0}, 1),
    ],
)
def test_jobs_of_one_core_each_run_on_workers(limits, workers):
    jobs = [FakeJob(name, needs={"_cores": 1, "mem_mb": 4}) for name in "abc"]

    assert capacity(jobs, limits)[1] == Workers(workers)


def test_nodes_are_a_resource_of_the_machine_if_something_else_is_limited_too():
    """On a cluster Snakemake does not limit cores, so a job counts as one of the three jobs."""
    jobs = [FakeJob(name, needs={"_cores": 8, "_nodes": 1, "tokens": 1}) for name in "abc"]

    needs, pool = capacity(jobs, {"_cores": UNLIMITED, "_nodes": 2, "tokens": 5})

    assert needs == {"nodes": [1, 1, 1], "tokens": [1, 1, 1]}
    assert machine(pool) == {"cores": 3, "nodes": 2, "tokens": 5}


@pytest.mark.parametrize(("is_local", "kind"), [(True, Machines), (False, Workers)])
def test_memory_of_the_nodes_of_a_cluster_is_not_shared(is_local, kind):
    jobs = [FakeJob(name, needs={"_cores": 1, "mem_mb": 60}) for name in "ab"]
    graph = FakeGraph({job: [] for job in jobs})
    scopes = SimpleNamespace(is_local=lambda name: name == "mem_mb")
    graph.workflow = SimpleNamespace(local_exec=is_local, resource_scopes=scopes)

    assert isinstance(capacity(jobs, {"_nodes": 2, "mem_mb": 100}, graph)[1], kind)


def test_a_job_that_does_not_know_its_memory_yet_takes_the_mean_of_its_rule():
    """Snakemake says <TBD> while an input file is missing. Of rule c no job knows it."""
    given = {"a1": 20, "a2": 40, "a3": "<TBD>", "b": 100, "c": "<TBD>"}
    jobs = [
        FakeJob(name, rule=name[0], needs={"_cores": 1, "mem_mb": memory})
        for name, memory in given.items()
    ]

    needs, pool = capacity(jobs, {"_cores": 4, "mem_mb": 500})

    assert np.array(needs["memory_bytes"][:4]).tolist() == [2e7, 4e7, 3e7, 1e8]
    assert np.isnan(needs["memory_bytes"][4])
    assert machine(pool)["memory_bytes"] == 5e8


class AskedJob(FakeJob):
    """Counts how often it was asked for its resources, and may fail."""

    asked = 0
    error: Exception | None = None

    @property
    def resources(self):
        self.asked += 1
        if self.error:
            raise self.error
        return self.scheduler_resources

    @resources.setter
    def resources(self, _):
        pass


def test_a_function_of_the_snakefile_that_fails_says_nothing():
    """Snakemake reports it when the job is ready."""
    good, bad = (AskedJob(name, rule=name, needs={"_cores": 4}) for name in ("good", "bad"))
    bad.error = ZeroDivisionError()

    needs, pool = capacity([good, bad], {"_cores": 4})

    assert needs["cores"][0] == 4
    assert np.isnan(needs["cores"][1])
    assert machine(pool) == {"cores": 4}


@pytest.mark.parametrize(("of_last", "asked"), [(2, 32), (4, MOST_ASKED + 16)])
def test_of_many_jobs_some_are_asked_and_more_if_they_differ(of_last, asked):
    """Of 4,000 jobs each 125th is asked, 32 in all, and 3,875 is the last.

    If that one differs, each second job is asked, too: 2,000 in all. 16 of the 32 are odd.
    """
    jobs = [AskedJob(f"{at:04}", needs={"_cores": 2}) for at in range(4_000)]
    for job in jobs[3_800:]:
        job.scheduler_resources = {"_cores": of_last}

    needs, _ = capacity(jobs, {"_cores": 8})

    assert sum(job.asked > 0 for job in jobs) == asked
    assert needs["cores"][0] == 2
    assert needs["cores"][3_800] == of_last


def test_a_job_that_needs_more_than_there_is_stops_nothing():
    """Snakemake refuses it when it is ready."""
    jobs = [FakeJob("a", needs={"_cores": 1, "gpu": 3})]

    assert machine(capacity(jobs, {"_cores": 1, "gpu": 2})[1]) == {"cores": 1, "gpus": 3}


def test_more_bytes_than_a_machine_may_have_are_as_many_as_it_may():
    jobs = [FakeJob("a", needs={"_cores": 1, "mem_mb": 2**40})]

    assert machine(capacity(jobs, {"_cores": 1, "mem_mb": 2**41})[1])["memory_bytes"] == 1e15
