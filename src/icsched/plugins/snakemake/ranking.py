"""Ranks of jobs: the order in which they should start."""

from collections.abc import Callable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import chain

import numpy as np

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.errors import ArgumentError
from icsched.orders import ORDERS, Aim, Made, made_order
from icsched.plugins.snakemake.capacity import capacity_for
from icsched.plugins.snakemake.jobs import Graph, Job
from icsched.plugins.snakemake.measurements import TemporarySizes, recorded_seconds, run_times
from icsched.plugins.snakemake.waiting import Amount
from icsched.theory.memory import depth_first_order

LEAN = "lean"
Tell = Callable[[str], None]  # receives a sentence about the order
Ranks = dict[Job, float]


def check_order_name(name: str) -> str:
    """Return *name* if it is an order for Snakemake; raises ArgumentError."""
    if name != LEAN and name not in ORDERS:
        raise ArgumentError(f"order: expected {', '.join([*ORDERS, LEAN])}, got {name!r}")
    return name


def made_ranks(
    graph: Graph,
    jobs: Sequence[Job],
    order: str,
    *,
    limits: Mapping[str, Amount],
    sizes: TemporarySizes,
    tell: Tell,
) -> Ranks:
    """Return the ranks of *jobs* by the order called *order*.

    *limits* has what the run may use of each resource. Raises the errors of the order, and
    GraphError if the jobs are not a dag.
    """
    if not jobs:
        return {}
    dag = _dag_of(graph, jobs)
    if order == LEAN:
        tell(f"order {LEAN}")
        parents = (parent for job in jobs for parent in graph.job_dependencies(job))
        sizes.expect(chain(jobs, parents))  # a parent may be done, and its files exist
        ids = _checkpoints_first(dag, jobs, depth_first_order(dag, sizes.of(jobs)))
    else:
        ids = _named_order(graph, dag, jobs, order, limits, tell)
    return {jobs[task]: float(rank) for rank, task in enumerate(ids.tolist())}


def _checkpoints_first(dag: Dag, jobs: Sequence[Job], order: Ids) -> Ids:
    """Put checkpoints and their ancestors first.

    Snakemake does not delete temporary files while a checkpoint must still run.
    """
    is_needed = np.array([getattr(job, "is_checkpoint", False) for job in jobs], bool)
    if is_needed.any():
        for task in reversed(order.tolist()):
            if is_needed[task]:
                is_needed[dag.parent_rows[task]] = True
    return np.concatenate([order[is_needed[order]], order[~is_needed[order]]])


def _named_order(
    graph: Graph,
    dag: Dag,
    jobs: Sequence[Job],
    order: str,
    limits: Mapping[str, Amount],
    tell: Tell,
) -> Ids:
    entry = ORDERS.find(order)
    is_timed = entry.run_times != "unused"
    known = recorded_seconds(graph, jobs) if is_timed else {}
    aim = None
    if entry.for_pool:
        workflow, pool = capacity_for(graph, dag, jobs, limits)
        aim = Aim(pool, workflow=workflow)
    made = made_order(dag, order, run_times(jobs, known), aim)
    choice = made.choice if isinstance(made, Made) else None
    told = f"order {choice.chosen}, chosen by {order}" if choice else f"order {order}"
    if is_timed:
        told += f"; run times known for {sum(job in known for job in jobs)} of {len(jobs)} jobs"
    tell(told)
    return made.order if isinstance(made, Made) else made


def _dag_of(graph: Graph, jobs: Sequence[Job]) -> Dag:
    """Return the jobs as a dag, without parents that need not run: their files exist."""
    number = {job: at for at, job in enumerate(jobs)}
    arcs = [
        (number[parent], child)
        for child, job in enumerate(jobs)
        for parent in graph.job_dependencies(job)
        if parent in number
    ]
    return Dag.from_arcs(len(jobs), np.array(arcs, np.int64).reshape(-1, 2))


def add_new(graph: Graph, jobs: Sequence[Job], ranks: Ranks) -> None:
    """Rank each of the new *jobs* right after its last parent; jobs without parents come last.

    The time depends only on the number of new jobs. Used for jobs that a checkpoint has added.
    """
    last = float(len(ranks))  # more than any rank
    for job in _parents_first(graph, jobs):
        above = [ranks[parent] for parent in graph.job_dependencies(job) if parent in ranks]
        ranks[job] = max(above, default=last)
    for at, job in enumerate(jobs, 1):  # ties are broken by name
        ranks[job] += at / (len(jobs) + 1)


def _parents_first(graph: Graph, jobs: Sequence[Job]) -> list[Job]:
    """Return all new jobs, parents first; if they are not a dag, in the given order."""
    new = set(jobs)
    parents_of = {job: [one for one in graph.job_dependencies(job) if one in new] for job in jobs}
    try:
        return list(TopologicalSorter(parents_of).static_order())
    except CycleError:
        return list(jobs)
