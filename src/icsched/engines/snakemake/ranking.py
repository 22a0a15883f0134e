"""Ranks of jobs: the order in which they should start."""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.engines.snakemake.jobs import Graph, Job, members, name_of
from icsched.engines.snakemake.records import run_times
from icsched.engines.snakemake.temporary import TemporarySizes
from icsched.errors import ArgumentError
from icsched.orders import ORDERS, Aim, Made, made_order
from icsched.sim import Workers
from icsched.theory.memory.lean import depth_first_order

LEAN = "lean"
Ranks = dict[Job, float]


def check_order_name(name: str) -> str:
    """Return *name* if it is an order for Snakemake; raises ArgumentError."""
    if name != LEAN and name not in ORDERS:
        raise ArgumentError(f"order: expected {', '.join([*ORDERS, LEAN])}, got {name!r}")
    return name


def sorted_jobs(graph: Graph) -> list[Job]:
    """Return the jobs that must run, in an order that is the same in every run."""
    return sorted(graph.needrun_jobs(), key=name_of)


def simple_ranks(jobs: Sequence[Job]) -> Ranks:
    """Return ranks by name."""
    return {job: float(rank) for rank, job in enumerate(jobs)}


def made_ranks(
    graph: Graph, jobs: Sequence[Job], order: str, *, slots: int, sizes: TemporarySizes
) -> Ranks:
    """Return the ranks of *jobs* by the order of that name, for *slots* jobs at once.

    Raises the errors of the order, and GraphError if the jobs are no dag.
    """
    if not jobs:
        return {}
    dag = _dag_of(graph, jobs)
    ids = _order_of(graph, dag, jobs, order, slots, sizes)
    return {jobs[task]: float(rank) for rank, task in enumerate(ids.tolist())}


def _order_of(
    graph: Graph, dag: Dag, jobs: Sequence[Job], order: str, slots: int, sizes: TemporarySizes
) -> Ids:
    if order == LEAN:
        parents = (parent for job in jobs for parent in graph.job_dependencies(job))
        sizes.expect(chain(jobs, parents))  # parents may be done: their files are there
        return depth_first_order(dag, sizes.of(jobs))
    times = run_times(graph, jobs) if ORDERS.find(order).run_times != "unused" else None
    made = made_order(dag, order, times, Aim(Workers(min(slots, len(jobs)))))
    return made.order if isinstance(made, Made) else made


def _dag_of(graph: Graph, jobs: Sequence[Job]) -> Dag:
    """Return the jobs as a dag; what they need of jobs that need not run is there already."""
    number = {job: at for at, job in enumerate(jobs)}
    arcs = [
        (number[parent], child)
        for child, job in enumerate(jobs)
        for parent in graph.job_dependencies(job)
        if parent in number
    ]
    return Dag.from_arcs(len(jobs), np.array(arcs, np.int64).reshape(-1, 2))


def rank_of(job: Job, ranks: Mapping[Job, float]) -> float:
    """Return the rank of a job; a group has the best of its jobs."""
    return min(ranks[single] for single in members(job))


def add_new(graph: Graph, jobs: Sequence[Job], ranks: Ranks) -> None:
    """Rank new *jobs* right behind the last of their parents, and those without parents last.

    This takes time for the new jobs alone. It is for jobs that a checkpoint has added.
    """
    last = float(len(ranks))  # more than any rank
    new = set(jobs)
    for job in _parents_first(graph, jobs, new):
        above = [ranks[parent] for parent in graph.job_dependencies(job) if parent in ranks]
        ranks[job] = max(above, default=last)
    for at, job in enumerate(jobs, 1):  # jobs of equal ranks start by name
        ranks[job] += at / (len(jobs) + 1)


def _parents_first(graph: Graph, jobs: Sequence[Job], new: set[Job]) -> list[Job]:
    missing = {job: {p for p in graph.job_dependencies(job) if p in new} for job in jobs}
    children: dict[Job, list[Job]] = {job: [] for job in jobs}
    for job, parents in missing.items():
        for parent in parents:
            children[parent].append(job)
    found = [job for job in jobs if not missing[job]]
    for job in found:  # grows while it is walked
        for child in children[job]:
            missing[child].discard(job)
            if not missing[child]:
                found.append(child)
    return list(dict.fromkeys(chain(found, jobs)))  # a cycle comes last: nothing may be left out
