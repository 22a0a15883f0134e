"""Analysis of a dag by the six steps of Malewicz, Foster, Rosenberg and Wilde 2007.

The paper is "A Tool for Prioritizing DAGMan Jobs and its Evaluation". The steps:

1. Remove shortcuts. 2. Cut the dag into blocks. 3. Order each block, optimally if a
theorem or the referee can. 4. and 5. Compare blocks by priority. 6. Run the blocks in a
greedy order of the superdag, then all sinks.

Then this order may be proved IC-optimal: by theorems about blocks, or by the exact referee for
small dags.

The number of Theorem 2.1 is from Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for
Task-Hungry Computing Platforms", which quotes it from Malewicz, Rosenberg and Yurkewych 2006,
"Toward a Theory for Scheduling Dags in Internet-Based Computing". Theorem 3.2 is from Cordasco,
Malewicz and Rosenberg 2007, "Advances in IC-Scheduling Theory".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, islice

import numpy as np
from numpy.typing import NDArray

from icsched import _native, checks, pebble
from icsched._native import BlockOrders
from icsched.arrays import Ids, Mask, Rows
from icsched.dag import Dag
from icsched.errors import LimitError
from icsched.frames import brief
from icsched.pebble import Order
from icsched.theory.blocks import (
    BlockGroup,
    Decomposition,
    Kind,
    block_groups,
    block_names,
    decompose,
    without_shortcuts,
)
from icsched.theory.proof import (
    EXACT,
    LARGEST_AREA,
    NO_ORDER_IS_OPTIMAL,
    UNPROVED,
    Chain,
    Link,
    Proof,
    Sign,
    Theorem,
)

# The referee orders a block that no theorem covers, up to this size and effort.
EXACT_NONSINKS = 20
EXACT_SETS = 20_000
# Sets to visit for all blocks of a dag together, plus five for each task: a fraction of a second.
ALL_SETS = 2_000_000
# Trees with more different profiles than this are not compared if Theorem 3.2 applies.
MANY_PROFILES = 100


@dataclass(frozen=True, eq=False)
class Analysis:
    """The blocks of a dag, their orders, and the order of the superdag."""

    parts: Decomposition
    orders: BlockOrders
    sequence: Ids  # blocks in execution order
    has_priority: Mask  # priority of each block over the next, in this sequence

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

    @cached_property
    def is_proved_by_blocks(self) -> bool:
        """Whether every block has an IC-optimal order and all arcs lie inside blocks.

        Then a set of tasks enables as many tasks as it enables in all blocks together. Theorem
        2.1 and the sums of blocks need this.
        """
        closed = int(self.orders.arcs.sum()) == self.parts.dag.arc_count
        return closed and all(Kind(kind).is_proved for kind in np.unique(self.orders.kind).tolist())

    @property
    def _is_sum_of_trees(self) -> bool:
        """Whether the blocks are independent planar bipartite trees."""
        return self.parts.superdag.arc_count == 0 and bool((self.orders.kind == Kind.TREE).all())


def analyse(dag: Dag) -> Analysis:
    """Analyse *dag* by the six steps.

    >>> analyse(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})).order.tolist()
    [2, 0, 1, 3, 4]
    """
    return analyse_reduced(without_shortcuts(dag))


def analyse_reduced(reduced: Dag, *, exact_sets: int = EXACT_SETS) -> Analysis:
    """Analyse a dag whose shortcuts have been removed.

    The referee may visit *exact_sets* sets for each block that no theorem covers.
    """
    parts = decompose(reduced)
    ordered = _native.order_blocks(
        reduced.child_rows,
        parts.blocks,
        exact_nonsinks=EXACT_NONSINKS if exact_sets else 0,
        exact_sets=exact_sets,
        all_sets=ALL_SETS + 5 * len(reduced),
    )
    orders = BlockOrders(*ordered)
    blocks = np.arange(len(parts), dtype=np.int32)
    analysis = Analysis(parts, orders, blocks, np.zeros(len(parts), bool))
    firsts = np.flatnonzero(orders.alike == blocks)  # the first block with each profile
    if len(firsts) >= MANY_PROFILES and analysis._is_sum_of_trees:
        return analysis  # Theorem 3.2 will order the trees, so no pair need be compared
    profiles = []  # the eligible tasks of each block alone, which priorities compare
    for block in firsts.tolist():
        enabled = enabled_by(analysis, block)
        profiles.append(enabled + int(orders.sources[block]) - np.arange(len(enabled)))
    sequence, has_priority = _native.superdag_order(
        parts.superdag.child_rows,
        parts.superdag.parent_rows,
        np.searchsorted(firsts, orders.alike).astype(np.int32),
        parts.blocks.nonsinks.targets[parts.blocks.nonsinks.offsets[:-1]],
        np.cumsum([0, *map(len, profiles)]).astype(np.int32),
        np.concatenate([np.empty(0, np.int64), *profiles]),
    )
    return replace(analysis, sequence=sequence, has_priority=has_priority.astype(bool))


def enabled_by(analysis: Analysis, block: int) -> NDArray[np.int64]:
    """Return the profile of *block*: the counts that its order enables after 0, 1, ... nonsinks."""
    start, end = analysis.parts.blocks.nonsinks.offsets[block : block + 2].tolist()
    return analysis.orders.enabled[start + block : end + block + 1].astype(np.int64)


# If no theorem proves an order, the referee may visit this many sets. The number is lower if a set
# has many more parents to check than usual, for example with very many sinks, and 0 if too few sets
# are left.
VERIFY_SETS = 200_000
AREA_SETS = 50_000
USUAL_LOOKS = 512
FEWEST_SETS = 1_000


def proved_by_theorem(analysis: Analysis) -> tuple[Ids, Proof] | None:
    """Return an order that a theorem of the papers proves IC-optimal, with its proof."""
    checks.kind_of("analysis", analysis, Analysis, made_by="icsched.theory.analyse")
    if analysis.is_linear:
        return analysis.order, Proof(Theorem.BLOCKS, chain_of_blocks(analysis))
    if analysis._is_sum_of_trees:
        dag = analysis.parts.dag
        trees = _native.tree_sum_order(dag.child_rows, analysis.parts.blocks)
        if trees is not None:
            return np.concatenate([trees, dag.sinks]), Proof(Theorem.SUM_OF_TREES)
    return None


def settled_by_referee(dag: Dag, order: Ids) -> tuple[Ids, Proof]:
    """Let the referee confirm *order* or replace it by the best order, within its limit."""
    proof, sets = confirmed(dag, order), _affordable_sets(dag)
    if proof is EXACT or not sets:
        return order, proof
    try:
        best = pebble.ic_optimal_order(dag, limit=sets)
        if best is not None:
            return best, EXACT
    except LimitError:
        return order, UNPROVED
    try:
        area_sets = min(AREA_SETS, sets)
        return pebble.maximum_area_order(dag, limit=area_sets), LARGEST_AREA
    except LimitError:
        return order, NO_ORDER_IS_OPTIMAL


def confirmed(dag: Dag, order: Order) -> Proof:
    """Ask the referee whether *order* is IC-optimal, if this is cheap.

    >>> confirmed(Dag({"a": [], "b": ["a"]}), np.array([0, 1], np.int32)).is_ic_optimal
    True
    """
    sets = _affordable_sets(dag)
    if not sets:
        return UNPROVED
    try:
        return EXACT if pebble.verify(dag, order, limit=sets).ic_optimal else UNPROVED
    except LimitError:
        return UNPROVED


def _affordable_sets(dag: Dag) -> int:
    """Return how many sets the referee may visit; 0 if it should not start."""
    nonsinks = len(dag.nonsinks)
    if nonsinks > _native.MOST_NONSINKS:
        return 0
    if dag.arc_count <= USUAL_LOOKS * nonsinks:
        return VERIFY_SETS
    looks = _native.looks_a_set(dag.parent_rows, nonsinks)
    sets = VERIFY_SETS * USUAL_LOOKS // max(looks, USUAL_LOOKS)
    return sets if sets >= FEWEST_SETS else 0


def chain_of_blocks(analysis: Analysis, *, most: int = 12) -> Chain:
    """Return the first blocks of a linear composition; neighbours of the same name are one link."""
    shown = analysis.sequence[: 50 * most]
    names = block_names(analysis.parts, analysis.orders, shown)
    runs = [
        Link(name, len(list(run)), Sign.PRIORITY) for name, run in islice(groupby(names), most + 1)
    ]
    is_cut = len(runs) > most or len(shown) < len(analysis.sequence)
    return Chain(tuple(runs[:most]), is_cut)
