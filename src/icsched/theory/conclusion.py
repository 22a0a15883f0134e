"""What is proved about the order of the six steps, or a better order with its proof.

First come the theorems that need the blocks alone, then the exact referee, for small dags.
"""

from __future__ import annotations

from itertools import groupby, islice

import numpy as np

from icsched import _native, checks, pebble
from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.errors import LimitError
from icsched.pebble import Order
from icsched.theory.analysis import Analysis, is_sum_of_trees
from icsched.theory.blocks import block_name
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

# If no theorem proves an order, the referee may visit this many sets. It may visit fewer if a set
# costs more looks at parents than usual, as with very many sinks, and none if too few are left.
VERIFY_SETS = 200_000
AREA_SETS = 50_000
USUAL_LOOKS = 512
FEWEST_SETS = 1_000


def proved_by_theorem(analysis: Analysis) -> tuple[Ids, Proof] | None:
    """Return an order that a theorem of the papers proves IC-optimal, with its proof."""
    checks.kind_of("analysis", analysis, Analysis, made_by="icsched.theory.analyse")
    if analysis.is_linear:
        return analysis.order, Proof(Theorem.BLOCKS, chain_of_blocks(analysis))
    if is_sum_of_trees(analysis.parts, analysis.orders):
        dag = analysis.parts.dag
        trees = _native.tree_sum_order(dag.child_rows, analysis.parts.blocks)
        if trees is not None:
            return np.concatenate([trees, dag.sinks]), Proof(Theorem.SUM_OF_TREES)
    return None


def settled_by_referee(dag: Dag, order: Ids) -> tuple[Ids, Proof]:
    """Confirm *order*, or replace it by the best order, if the referee can within its limit."""
    sets = _affordable_sets(dag)
    proof = _confirmed(dag, order, sets)
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
    """Ask the referee whether *order* is IC-optimal, if the referee can answer soon.

    >>> confirmed(Dag({"a": [], "b": ["a"]}), np.array([0, 1], np.int32)).is_ic_optimal
    True
    """
    return _confirmed(dag, order, _affordable_sets(dag))


def _confirmed(dag: Dag, order: Order, sets: int) -> Proof:
    """Ask the referee, who may visit *sets* sets, whether *order* is IC-optimal."""
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
    shown = analysis.sequence[: 50 * most].tolist()
    names = (block_name(analysis.parts, analysis.orders, block) for block in shown)
    runs = [
        Link(name, len(list(run)), Sign.PRIORITY) for name, run in islice(groupby(names), most + 1)
    ]
    is_cut = len(runs) > most or len(shown) < len(analysis.sequence)
    return Chain(tuple(runs[:most]), is_cut)
