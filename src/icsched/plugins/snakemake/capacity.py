"""The resources that jobs hold while they run, and the pool that has those of the run."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from icsched.arrays import Floats
from icsched.dag import Dag
from icsched.plugins.snakemake.jobs import CORES, COUNT, NODES, Graph, Job, rule_of
from icsched.plugins.snakemake.measurements import PROBE, spread
from icsched.plugins.snakemake.waiting import UNLIMITED, Amount
from icsched.sim import Machine, Machines, Workers
from icsched.sim.machines import LARGEST_AMOUNT
from icsched.workflow import Workflow

# Jobs to ask in total: functions in the Snakefile may say what a job needs, and a function may take
# milliseconds.
MOST_ASKED = 2_000

# What a job takes if it does not say.
_USUAL = {CORES: 1.0, NODES: 1.0}

# Snakemake's names as names of `Workflow.needs`, and units. Other resources keep their names.
_RENAMED = {
    CORES: ("cores", 1),
    NODES: ("nodes", 1),
    "mem_mb": ("memory_bytes", 10**6),
    "disk_mb": ("disk_bytes", 10**6),
    "gpu": ("gpus", 1),
    "count": ("counted", 1),  # `Machine` has a count of its own
}


class Capacity(NamedTuple):
    """Jobs with what each needs, and the pool on which they run."""

    workflow: Workflow
    pool: Workers | Machines


def capacity_for(
    graph: Graph, dag: Dag, jobs: Sequence[Job], limits: Mapping[str, Amount]
) -> Capacity:
    """Return *jobs* with what they need of the resources that are limited, and the pool.

    *limits* has what the run may use in all, by Snakemake's names. The pool is one machine with all
    of that. It is some workers if each job takes one core or node, and nothing else that is
    limited.
    """
    limited = _limited(graph, limits)
    held = _held(jobs, list(limited))
    needs, machine = {}, {"cores": float(len(jobs))}
    for (name, most), amounts in zip(limited.items(), held.T, strict=True):
        renamed, unit = _RENAMED.get(name, (name.lower(), 1))
        needs[renamed] = amounts * unit
        # Snakemake refuses a job that needs more than there is; icsched leaves that to Snakemake.
        enough = np.nanmax(amounts, initial=max(float(most), _USUAL.get(name, 0.0)))
        machine[renamed] = min(float(enough) * unit, LARGEST_AMOUNT)
    usual = np.array([_USUAL.get(name, 0.0) for name in limited])
    pool: Workers | Machines = Machines([Machine(machine)])
    if (np.isnan(held) | (held == usual)).all():
        slots = min([len(jobs), *(limited[name] for name in _USUAL if name in limited)])
        pool = Workers(max(1, int(slots)))
    return Capacity(Workflow(dag, needs=needs), pool)


def _limited(graph: Graph, limits: Mapping[str, Amount]) -> dict[str, Amount]:
    """Return the limits that hold jobs back; each node of a cluster has memory of its own."""
    workflow: Any = getattr(graph, "workflow", None)
    is_cluster = workflow is not None and not workflow.local_exec
    return {
        name: most
        for name, most in limits.items()
        if name != COUNT
        and most < UNLIMITED
        and not (is_cluster and workflow.resource_scopes.is_local(name))
    }


def _held(jobs: Sequence[Job], names: Sequence[str]) -> Floats:
    """Return what each job needs, a row a job and a column a resource; NaN if it is not known yet.

    Some jobs of each rule are asked first, then more jobs of the rules whose jobs differ. All other
    jobs, and those that do not know it yet, take the mean of their rule.
    """
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, job in enumerate(jobs):
        rows_of[rule_of(job)].append(row)
    held = np.full((len(jobs), len(names)), np.nan)
    share = max(1, MOST_ASKED // max(1, len(rows_of)))
    for rows in rows_of.values():
        for most in (min(PROBE, share), share):
            asked = spread(rows, most)
            told = held[asked] = np.array([_needs(jobs[row], names) for row in asked])
            if np.array_equal(told[1:], told[:-1], equal_nan=True):  # all are alike
                break
        held[rows] = _filled(held[rows])
    return held


def _filled(rows: Floats) -> Floats:
    """Return rows with the mean of its column for each NaN, if the column has a number."""
    is_known = ~np.isnan(rows)
    counts = is_known.sum(axis=0)
    means = np.where(counts > 0, np.nansum(rows, axis=0) / np.maximum(counts, 1), np.nan)
    return np.where(is_known, rows, means)


def _needs(job: Job, names: Sequence[str]) -> list[float]:
    """Return how much *job* needs of each resource; NaN if that depends on files of other jobs.

    Snakemake keeps what `scheduler_resources` says, even if files are missing. So jobs that are not
    ready are asked for `resources`, which Snakemake asks for again.
    """
    try:
        taken = job.resources
    except Exception:  # of a function in the Snakefile: Snakemake reports it when the job is ready
        return [np.nan] * len(names)
    found = (taken.get(name, _USUAL.get(name, 0)) for name in names)
    return [max(0.0, one) if isinstance(one, int | float) else np.nan for one in found]
