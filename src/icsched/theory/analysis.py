"""A dag taken apart by the six steps of Malewicz, Foster, Rosenberg and Wilde 2007.

The paper is "A Tool for Prioritizing DAGMan Jobs and its Evaluation". The steps:

1. Remove shortcuts. 2. Cut the dag into blocks. 3. Order each block, optimally if a
theorem or the referee can. 4. and 5. Compare blocks by priority. 6. Run the blocks in a
greedy order of the superdag, then all sinks.

Theorem 2.1 has this number in Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for
Task-Hungry Computing Platforms", which quotes it from Malewicz, Rosenberg and Yurkewych 2006,
"Toward a Theory for Scheduling Dags in Internet-Based Computing". Theorem 3.2 is from Cordasco,
Malewicz and Rosenberg 2007, "Advances in IC-Scheduling Theory".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from icsched import _native
from icsched._native import BlockOrders
from icsched.arrays import Ids, Mask, Rows
from icsched.dag import Dag
from icsched.frames import brief
from icsched.theory.blocks import BlockGroup, Kind, block_groups
from icsched.theory.decomposition import Decomposition, decompose
from icsched.theory.priorities import eligible_counts
from icsched.theory.reduction import without_shortcuts

# The referee orders a block that no theorem covers, up to this size and effort.
EXACT_NONSINKS = 20
EXACT_SETS = 20_000
# Sets for all blocks of a dag together, plus five for each task: a fraction of a second.
ALL_SETS = 2_000_000
# Trees with more different profiles than this are not compared if Theorem 3.2 applies.
MANY_PROFILES = 100


@dataclass(frozen=True, eq=False)
class Analysis:
    """The dag taken apart: its blocks, their orders, and the order of the superdag."""

    parts: Decomposition
    orders: BlockOrders
    sequence: Ids  # blocks in execution order
    has_priority: Mask  # per place in the sequence: priority over the next block

    def __repr__(self) -> str:
        return brief(self, tasks=len(self.parts.dag), blocks=len(self.parts))

    @cached_property
    def order(self) -> Ids:
        """The order of the six steps: the blocks' nonsinks, block by block, then all sinks."""
        rows = Rows(self.parts.blocks.nonsinks.offsets, self.orders.nonsinks)
        return np.concatenate([rows.take(self.sequence), self.parts.dag.sinks])

    @property
    def superdag(self) -> Dag:
        """The blocks as tasks."""
        return self.parts.superdag

    @cached_property
    def blocks(self) -> list[BlockGroup]:
        """The blocks by family and size."""
        return block_groups(self.parts, self.orders)

    @property
    def is_linear(self) -> bool:
        """Whether the dag is a composition of blocks each with priority over the next."""
        return self.is_proved_by_blocks and bool(self.has_priority.all())

    @property
    def is_proved_by_blocks(self) -> bool:
        """Whether every block has an IC-optimal order and all arcs lie inside blocks.

        Then a set of tasks enables as many tasks as it enables in all blocks together. Theorem
        2.1 and the sums of blocks need this.
        """
        closed = int(self.orders.arcs.sum()) == self.parts.dag.arc_count
        return closed and all(Kind(kind).is_proved for kind in np.unique(self.orders.kind).tolist())


def analyse(dag: Dag) -> Analysis:
    """Take *dag* apart by the six steps.

    >>> analyse(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})).order.tolist()
    [2, 0, 1, 3, 4]
    """
    return analyse_reduced(without_shortcuts(dag))


def analyse_reduced(reduced: Dag, *, exact_sets: int = EXACT_SETS) -> Analysis:
    """Take apart a dag whose shortcuts have been removed.

    The referee may visit *exact_sets* sets for each block that no theorem covers.
    """
    parts = decompose(reduced)
    orders = _native.order_blocks(
        reduced.child_rows,
        parts.blocks,
        exact_nonsinks=EXACT_NONSINKS if exact_sets else 0,
        exact_sets=exact_sets,
        all_sets=ALL_SETS + 5 * len(reduced),
    )
    profile_of, profiles = _profiles(parts, orders)
    if len(profiles.offsets) > MANY_PROFILES and is_sum_of_trees(parts, orders):
        # Theorem 3.2 will order the trees, so comparing every pair would be wasted work.
        nothing = np.zeros(len(parts), bool)
        return Analysis(parts, orders, np.arange(len(parts), dtype=np.int32), nothing)
    sequence, has_priority = _native.superdag_order(
        parts.superdag.child_rows,
        parts.superdag.parent_rows,
        profile_of,
        _smallest_tasks(parts),
        profiles.offsets,
        profiles.counts,
    )
    return Analysis(parts, orders, sequence, has_priority.astype(bool))


def is_sum_of_trees(parts: Decomposition, orders: BlockOrders) -> bool:
    """Whether the blocks are independent planar bipartite trees."""
    return parts.superdag.arc_count == 0 and bool((orders.kind == Kind.TREE).all())


def _smallest_tasks(parts: Decomposition) -> Ids:
    rows = parts.blocks.nonsinks
    return rows.targets[rows.offsets[:-1]]  # each row is ascending


@dataclass(frozen=True, slots=True)
class _Profiles:
    offsets: Ids
    counts: NDArray[np.int64]


def _profiles(parts: Decomposition, orders: BlockOrders) -> tuple[Ids, _Profiles]:
    """Return the number of each block's profile, and the distinct profiles."""
    offsets = parts.blocks.nonsinks.offsets
    firsts = np.flatnonzero(orders.alike == np.arange(len(parts)))
    number = np.empty(len(parts), np.int32)
    number[firsts] = np.arange(len(firsts), dtype=np.int32)
    distinct = [
        eligible_counts(
            orders.enabled[offsets[block] + block : offsets[block + 1] + block + 1],
            int(orders.sources[block]),
        )
        for block in firsts.tolist()
    ]
    ends = np.cumsum([0, *(len(counts) for counts in distinct)]).astype(np.int32)
    flat = np.concatenate(distinct) if distinct else np.empty(0, np.int64)
    return number[orders.alike], _Profiles(ends, flat)
