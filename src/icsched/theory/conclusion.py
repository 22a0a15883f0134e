"""What is proved about the order of the six steps, or a better order with its proof."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, islice

import numpy as np
from numpy.typing import NDArray

from icsched import _native, pebble
from icsched.arrays import Ids, Rows, ids_where
from icsched.dag import Dag
from icsched.errors import LimitError
from icsched.pebble import Order
from icsched.theory.analysis import Analysis, analyse_reduced, is_sum_of_trees
from icsched.theory.blocks import block_name
from icsched.theory.clock import Clock
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
from icsched.theory.sums import level_sums_order

# If no theorem proves an order, the referee may visit this many sets. It may visit fewer if a set
# costs more looks at parents than usual, as with very many sinks, and none if too few are left.
VERIFY_SETS = 200_000
AREA_SETS = 50_000
USUAL_LOOKS = 512
FEWEST_SETS = 1_000


def conclude(analysis: Analysis) -> tuple[Ids, Proof]:
    """Return the order of the six steps, or one about which more is proved, with its proof."""
    proved = proved_by_theorem(analysis)
    return proved or settled_by_referee(analysis.parts.dag, analysis.order)


def proved_by_theorem(analysis: Analysis) -> tuple[Ids, Proof] | None:
    """Return an order that a theorem proves IC-optimal, with its proof."""
    order = analysis.order
    if analysis.is_proved_by_blocks:
        if analysis.is_linear:
            return order, Proof(Theorem.BLOCKS, chain_of_blocks(analysis))
        if _is_linear_between_bottlenecks(analysis):
            return order, Proof(Theorem.BLOCKS_BETWEEN_BOTTLENECKS, chain_of_blocks(analysis))
        if (better := _interleaved(analysis)) is not None:
            nonsinks, theorem = better
            return np.concatenate([nonsinks, analysis.parts.dag.sinks]), Proof(theorem)
    return _proved_inside(analysis.parts.dag)


def _proved_inside(dag: Dag) -> tuple[Ids, Proof] | None:
    """Order the tasks between lone sources and lone sinks, if a proof is found.

    All other tasks wait for a lone source, so every order begins with it. A lone sink waits for
    all other tasks, so every order ends with it. Neither changes what is eligible in between.
    """
    first, inner, last = _without_lone_ends(dag)
    if not len(inner) or len(inner) == len(dag):
        return None
    # Paths between inner tasks have only inner tasks, so the inner dag has no new shortcuts.
    order, proof = conclude(analyse_reduced(dag.induced(inner), "eligible", Clock()))
    if not proof.is_ic_optimal:
        return None
    return np.concatenate([first, inner[order], last]), replace(proof, inside_lone_ends=True)


def _without_lone_ends(dag: Dag) -> tuple[Ids, Ids, Ids]:
    """Return the lone sources in order, the tasks in between, and the lone sinks in order."""
    first = _peeled(dag.sources, dag.child_rows, dag.in_degrees.copy())
    last = _peeled(dag.sinks, dag.parent_rows, dag.out_degrees.copy())[::-1]
    ends = np.zeros(len(dag), bool)
    ends[first], ends[last] = True, True
    return first, ids_where(~ends), last


def _peeled(ends: Ids, rows: Rows, degrees: Ids) -> Ids:
    """Return the tasks that follow one another from *ends* on until there is a choice."""
    peeled = []
    while len(ends) == 1:
        task = ends[0]
        peeled.append(task)
        following = rows.targets[rows.offsets[task] : rows.offsets[task + 1]]
        degrees[following] -= 1
        ends = following[degrees[following] == 0]
    return np.array(peeled, np.int32)


def _is_linear_between_bottlenecks(analysis: Analysis) -> bool:
    """Whether a bottleneck follows every block that lacks priority over the next.

    A bottleneck is a task that all earlier tasks of the order lead to, and that leads to all
    later tasks. So a later task can run only if all earlier tasks have run, and what is best on
    either side is best for the whole dag. Sinks run last, so all earlier tasks are nonsinks.
    """
    sizes = np.diff(analysis.parts.blocks.nonsinks.offsets)[analysis.sequence]
    ends = np.cumsum(sizes)[~analysis.has_priority]
    return bool(_bottlenecks(analysis.parts.dag, analysis.order)[ends].all())


def _bottlenecks(dag: Dag, order: Ids) -> NDArray[np.bool_]:
    """Whether the task at each place of *order* is a bottleneck.

    A task is a bottleneck if it is the only eligible task, and all arcs from earlier tasks to
    the rest are arcs to it. The last entry, False, stands for the end of the order.
    """
    schedule = pebble.Schedule.trusted(dag, order)
    place = schedule.ranks
    parents, children = place[dag.arcs[:, 0]], place[dag.arcs[:, 1]]
    opened = np.bincount(parents + 1, minlength=len(dag) + 1)
    closed = np.bincount(children + 1, minlength=len(dag) + 1)
    crossing = np.cumsum(opened - closed)[:-1]
    alone = schedule.eligible[:-1] == 1
    return np.append(alone & (crossing == dag.in_degrees[order]), False)


def _interleaved(analysis: Analysis) -> tuple[Ids, Theorem] | None:
    """Try to order independent blocks as sums, with a proof."""
    if is_sum_of_trees(analysis.parts, analysis.orders):
        trees = _native.tree_sum_order(analysis.parts.dag.child_rows, analysis.parts.blocks)
        if trees is not None:
            return trees, Theorem.SUM_OF_TREES
    sums = level_sums_order(analysis.parts, analysis.orders)
    return None if sums is None else (sums, Theorem.SUMS_OF_BLOCKS)


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
    """Return the first blocks; neighbours of the same name and sign are one link."""
    shown = analysis.sequence[: 50 * most].tolist()
    names = (block_name(analysis.parts, analysis.orders, block) for block in shown)
    groups = groupby(zip(names, analysis.has_priority.tolist(), strict=False))
    signs = {True: Sign.PRIORITY, False: Sign.BOTTLENECK}
    runs = [Link(name, len(list(run)), signs[ok]) for (name, ok), run in islice(groups, most + 1)]
    is_cut = len(runs) > most or len(shown) < len(analysis.sequence)
    return Chain(tuple(runs[:most]), is_cut)
