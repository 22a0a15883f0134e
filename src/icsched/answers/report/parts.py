"""The parts that a picture outlines: the blocks of a dag, and its clusters."""

from dataclasses import dataclass

import numpy as np

from icsched import checks
from icsched.arrays import Ids
from icsched.orders import Plan
from icsched.serve.clusters import plan_clusters
from icsched.theory import Analysis
from icsched.theory.blocks import Kind, family_name


@dataclass(frozen=True, eq=False)
class Blocks:
    """The block of each task, -1 for a task in no block, and the name of each block.

    A task is in the block that owns it, and a sink of the dag in the first block that it ends.
    """

    block: Ids
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of each task; each has at most `size` tasks."""

    size: int
    cluster: Ids
    count: int
    cut_arcs: int


def blocks_of(analysis: Analysis) -> Blocks:
    """Return the blocks of a small dag; each is named on its own."""
    parts = analysis.parts
    block = parts.owner.copy()
    rows = parts.blocks.sinks
    ends = rows.targets[::-1]  # backwards, so that the first block of several stays
    of_ends = np.repeat(np.arange(len(parts), dtype=np.int32), np.diff(rows.offsets))[::-1]
    first = np.full(len(block), -1, np.int32)
    first[ends] = of_ends
    block = np.where(block < 0, first, block)
    kinds = analysis.orders.kind.tolist()
    names = (family_name(parts.shape(at), Kind(kind)) for at, kind in enumerate(kinds))
    return Blocks(block, tuple(names))


def clusters_of(plan: Plan, size: int | None) -> Clusters | None:
    """Return the clusters of a plan; None if none are wanted; raises ArgumentError for a size."""
    if size is None:
        return None
    checks.whole_number("--clusters", size, least=1, most=len(plan.dag))
    found = plan_clusters(plan.dag, [size], order=plan)
    cluster = np.empty(len(plan.dag), np.int32)
    for number, taken in enumerate(found):
        cluster[list(taken.tasks)] = number
    return Clusters(size, cluster, len(found), sum(taken.cut_arcs for taken in found))
