"""The order of a whole dag: the six steps of paper 004, and what is proved about it.

1. Remove shortcuts. 2. Cut the dag into blocks. 3. Order each block, optimally where a
theorem or the referee can. 4. and 5. Compare blocks by priority. 6. Run the blocks in a
greedy order of the superdag, then all sinks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby, islice
from types import MappingProxyType
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from icsched import _native, pebble
from icsched._native import BlockOrders
from icsched.arrays import Ids, Rows, ranks_of
from icsched.dag import Dag
from icsched.errors import GraphError, LimitError, ScheduleError
from icsched.pebble import Schedule
from icsched.theory.blocks import BlockGroup, Kind, block_groups, block_name
from icsched.theory.decompose import Decomposition, decompose
from icsched.theory.priority import Counting, compared_counts
from icsched.theory.shortcuts import without_shortcuts
from icsched.theory.sums import level_sums_order

# A block that no theorem covers goes to the referee up to this size and effort.
EXACT_NONSINKS = 20
EXACT_SETS = 20_000
# All such blocks of a dag together, besides five for each task: a fraction of a second.
ALL_SETS = 2_000_000
# So many different profiles of trees are not compared where Theorem 3.2 applies anyway.
MANY_PROFILES = 100
# A dag whose order no theorem proves goes to the referee up to this effort: fewer sets where a
# set costs more looks at parents than usual, as with very many sinks, and none if very few.
VERIFY_SETS = 200_000
AREA_SETS = 50_000
USUAL_LOOKS = 512
FEWEST_SETS = 1_000


@dataclass(frozen=True)
class Proof:
    """What is proved about an order.

    `status` is "ic-optimal" only if a theorem or an exact computation says so; `method`
    names it. An unproved order has a method only if the referee found that no order is
    IC-optimal. `chain` lists the blocks in the order of Theorem 2.1: > stands where a block
    has priority over the next, | where a bottleneck lies between. The ratios to a certified
    bound are not computed yet.
    """

    status: Literal["ic-optimal", "unproved"]
    method: str | None = None
    chain: str | None = None
    min_ratio: float | None = None
    mean_ratio: float | None = None


UNPROVED = Proof("unproved")
EXACT = Proof("ic-optimal", "exact")
NONE_IS_OPTIMAL = Proof("unproved", "exact: no order is ic-optimal, this has the largest area")


@dataclass(frozen=True, eq=False)
class Analysis:
    """The dag taken apart: its blocks, their orders, and the order of the superdag."""

    parts: Decomposition
    orders: BlockOrders
    sequence: Ids  # blocks in execution order
    has_priority: NDArray[np.bool_]  # per place in it: priority over the next block

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

        Then what any set of tasks enables is the sum of what it enables in each block,
        which is what Theorem 2.1 and the sums of blocks rest on.
        """
        closed = int(self.orders.arcs.sum()) == self.parts.dag.arc_count
        return closed and all(Kind(kind).is_proved for kind in np.unique(self.orders.kind).tolist())


@dataclass(frozen=True, eq=False)
class Plan:
    """An order of a dag with what is known about it.

    `order` has the task ids, first to run first; `proof` says what is proved about it.
    `analysis` is None for strategies that do not take the dag apart. `seconds` has the
    wall time of each step.
    """

    dag: Dag
    strategy: str
    order: Ids = field(repr=False)
    proof: Proof
    analysis: Analysis | None = field(repr=False)
    seconds: Mapping[str, float] = field(repr=False)

    @cached_property
    def schedule(self) -> Schedule:
        """The order with its profiles."""
        return Schedule(self.dag, self.order)

    @cached_property
    def priorities(self) -> Ids:
        """A priority for each task, bigger runs first: n for the first, 1 for the last."""
        return len(self.dag) - ranks_of(self.order)


class _Clock:
    """Collects the wall time of named steps."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - start


_SIMPLE: Mapping[str, Callable[[Dag], Ids]] = MappingProxyType(
    {
        "fifo": pebble.fifo_order,
        "lifo": pebble.lifo_order,
        "level": pebble.level_order,
        "critical-path": pebble.critical_path_order,
    }
)
STRATEGIES = ("prio", *_SIMPLE)


def prioritize(dag: Dag, strategy: str = "prio", *, counting: Counting = "eligible") -> Plan:
    """Order *dag* so that as many tasks as possible are eligible at every step.

    *strategy* is "prio", or one of the simple orders "fifo", "lifo", "level" and
    "critical-path" for comparison. *counting* says what block priorities below 1 compare
    (see `icsched.theory.priority.BlockProfile.counts`). Ties go to the smaller task id.
    Where no theorem proves the order of a small dag, the referee's takes its place. Near
    O(tasks + arcs) on workflow-shaped dags. Raises ScheduleError for an unknown strategy
    or counting.

    >>> plan = prioritize(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]}))
    >>> plan.schedule.names, plan.proof.status, plan.proof.chain
    (['c', 'a', 'b', 'd', 'e'], 'ic-optimal', 'W(1,2) > N(1)')
    """
    if not isinstance(dag, Dag):
        raise GraphError(f"expected a Dag, got {type(dag).__name__}; see icsched.Dag")
    clock = _Clock()
    if strategy in _SIMPLE:
        with clock.step("order"):
            order = _SIMPLE[strategy](dag)
        with clock.step("prove"):
            proof = _confirmed(dag, order, _affordable_sets(dag))
        return Plan(dag, strategy, order, proof, None, clock.seconds)
    if strategy != "prio":
        raise ScheduleError(f"strategy: expected {', '.join(STRATEGIES)}, got {strategy!r}")
    if counting not in get_args(Counting):
        raise ScheduleError(f"counting: expected eligible or nonsources, got {counting!r}")
    with clock.step("shortcuts"):
        reduced = without_shortcuts(dag)
    analysis = _analyse(reduced, counting, clock)
    with clock.step("prove"):
        order, proof = _conclude(analysis)
    return Plan(dag, strategy, order, proof, analysis, clock.seconds)


def _analyse(reduced: Dag, counting: Counting, clock: _Clock) -> Analysis:
    """Take apart a dag whose shortcuts have been removed."""
    with clock.step("decompose"):
        parts = decompose(reduced)
    with clock.step("blocks"):
        orders = _native.order_blocks(
            reduced.child_rows,
            parts.blocks,
            exact_nonsinks=EXACT_NONSINKS,
            exact_sets=EXACT_SETS,
            all_sets=ALL_SETS + 5 * len(reduced),
        )
    with clock.step("superdag"):
        profile_of, profiles = _profiles(parts, orders, counting)
        if len(profiles.offsets) > MANY_PROFILES and _is_sum_of_trees(parts, orders):
            # Theorem 3.2 will order them; comparing every pair would be work for nothing.
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


def _is_sum_of_trees(parts: Decomposition, orders: BlockOrders) -> bool:
    return parts.superdag.arc_count == 0 and bool((orders.kind == Kind.TREE).all())


def _smallest_tasks(parts: Decomposition) -> Ids:
    rows = parts.blocks.nonsinks
    return rows.targets[rows.offsets[:-1]]  # each row is ascending


@dataclass(frozen=True, slots=True)
class _Profiles:
    offsets: Ids
    counts: NDArray[np.int64]


def _profiles(
    parts: Decomposition, orders: BlockOrders, counting: Counting
) -> tuple[Ids, _Profiles]:
    """Return which of the distinct profiles each block has, and those profiles."""
    offsets = parts.blocks.nonsinks.offsets
    firsts = np.flatnonzero(orders.alike == np.arange(len(parts)))
    number = np.empty(len(parts), np.int32)
    number[firsts] = np.arange(len(firsts), dtype=np.int32)
    distinct = [
        compared_counts(
            orders.enabled[offsets[block] + block : offsets[block + 1] + block + 1],
            int(orders.sources[block]),
            counting,
        )
        for block in firsts.tolist()
    ]
    ends = np.cumsum([0, *(len(counts) for counts in distinct)]).astype(np.int32)
    flat = np.concatenate(distinct) if distinct else np.empty(0, np.int64)
    return number[orders.alike], _Profiles(ends, flat)


def _conclude(analysis: Analysis) -> tuple[Ids, Proof]:
    """Say what is proved of the order of the six steps, or find one of which more is."""
    order = analysis.order
    if analysis.is_proved_by_blocks:
        if analysis.is_linear:
            return order, Proof("ic-optimal", "theorem 2.1", _chain(analysis))
        if _is_linear_between_bottlenecks(analysis):
            return order, Proof("ic-optimal", "theorem 2.1 between bottlenecks", _chain(analysis))
        if (better := _interleaved(analysis)) is not None:
            nonsinks, method = better
            return np.concatenate([nonsinks, analysis.parts.dag.sinks]), Proof("ic-optimal", method)
    inside = _proved_inside(analysis.parts.dag)
    return inside or _settled_by_referee(analysis.parts.dag, order)


def _proved_inside(dag: Dag) -> tuple[Ids, Proof] | None:
    """Order what lies between lone sources and lone sinks, if that can be proved optimal.

    Every order begins with a lone source, which all other tasks wait for, and ends with a lone
    sink, which waits for all; in between the same tasks are eligible with and without them.
    """
    first, inner, last = _without_lone_ends(dag)
    if not len(inner) or len(inner) == len(dag):
        return None
    # No path between two inner tasks leaves them: what is inside has no new shortcuts.
    order, proof = _conclude(_analyse(dag.induced(inner), "eligible", _Clock()))
    if proof.status != "ic-optimal":
        return None
    method = f"{proof.method} inside lone ends"
    return np.concatenate([first, inner[order], last]), replace(proof, method=method)


def _without_lone_ends(dag: Dag) -> tuple[Ids, Ids, Ids]:
    """Return the lone sources from the first on, what is left, and the lone sinks to the last."""
    first = _peeled(dag.sources, dag.child_rows, dag.in_degrees.copy())
    last = _peeled(dag.sinks, dag.parent_rows, dag.out_degrees.copy())[::-1]
    ends = np.zeros(len(dag), bool)
    ends[first], ends[last] = True, True
    return first, np.flatnonzero(~ends).astype(np.int32), last


def _peeled(ends: Ids, rows: Rows, degrees: Ids) -> Ids:
    """Return the tasks that come one after the other before there is a choice."""
    peeled = []
    while len(ends) == 1:
        task = ends[0]
        peeled.append(task)
        following = rows.targets[rows.offsets[task] : rows.offsets[task + 1]]
        degrees[following] -= 1
        ends = following[degrees[following] == 0]
    return np.array(peeled, np.int32)


def _is_linear_between_bottlenecks(analysis: Analysis) -> bool:
    """Whether blocks lack priority over the next only where a bottleneck lies between.

    A bottleneck is a task that comes after all tasks before it in the order and before all
    others: every set of tasks that can have run and holds a later task holds all earlier
    ones. What is best on either side is best for the whole. Sinks run last, so the tasks
    before it all lead on.
    """
    sizes = np.diff(analysis.parts.blocks.nonsinks.offsets)[analysis.sequence]
    ends = np.cumsum(sizes)[~analysis.has_priority]
    return bool(_bottlenecks(analysis.parts.dag, analysis.order)[ends].all())


def _bottlenecks(dag: Dag, order: Ids) -> NDArray[np.bool_]:
    """Whether the task at each place of *order* is a bottleneck.

    It is if all arcs from tasks before it to the rest are its own arcs from its parents,
    and it is the only eligible task. A final entry, False, stands for the end.
    """
    place = ranks_of(order)
    parents, children = place[dag.arcs[:, 0]], place[dag.arcs[:, 1]]
    opened = np.bincount(parents + 1, minlength=len(dag) + 1)
    closed = np.bincount(children + 1, minlength=len(dag) + 1)
    crossing = np.cumsum(opened - closed)[:-1]
    alone = pebble.eligibility_profile(dag, order)[:-1] == 1
    return np.append(alone & (crossing == dag.in_degrees[order]), False)


def _interleaved(analysis: Analysis) -> tuple[Ids, str] | None:
    """Try to order independent blocks as sums, with a proof."""
    if _is_sum_of_trees(analysis.parts, analysis.orders):
        trees = _native.tree_sum_order(analysis.parts.dag.child_rows, analysis.parts.blocks)
        if trees is not None:
            return trees, "theorem 3.2"
    sums = level_sums_order(analysis.parts, analysis.orders)
    return None if sums is None else (sums, "theorem 2.1 on sums of blocks")


def _settled_by_referee(dag: Dag, order: Ids) -> tuple[Ids, Proof]:
    """Confirm *order* or replace it by the best there is, if the referee can within its limit."""
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
        return pebble.maximum_area_order(dag, limit=area_sets), NONE_IS_OPTIMAL
    except LimitError:
        return order, Proof("unproved", "exact: no order is ic-optimal")


def _confirmed(dag: Dag, order: Ids, sets: int) -> Proof:
    """Ask the referee whether *order* is IC-optimal; it may visit so many *sets*."""
    if not sets:
        return UNPROVED
    try:
        return EXACT if pebble.verify(dag, order, limit=sets).ic_optimal else UNPROVED
    except LimitError:
        return UNPROVED


def _affordable_sets(dag: Dag) -> int:
    """Return how many sets the referee may visit; 0 if it should not begin.

    For each set it looks at the distinct sets of parents of one task's children.
    """
    nonsinks = len(dag.nonsinks)
    if nonsinks > _native.MOST_NONSINKS:
        return 0
    if dag.arc_count <= USUAL_LOOKS * nonsinks:
        return VERIFY_SETS
    marks = np.random.default_rng(0).integers(2**62, size=len(dag))  # a set's name is its sum
    sums = np.concatenate([[0], np.cumsum(marks[dag.parent_rows.targets])])
    _, firsts = np.unique(np.diff(sums[dag.parent_rows.offsets]), return_index=True)
    looks = int(dag.in_degrees[firsts].sum()) // nonsinks
    sets = VERIFY_SETS * USUAL_LOOKS // max(looks, USUAL_LOOKS)
    return sets if sets >= FEWEST_SETS else 0


def _chain(analysis: Analysis, *, most: int = 12) -> str:
    """Print the blocks as W(1,2) > W(2,2) x 3 > ..., with | at bottlenecks."""
    shown = analysis.sequence[: 50 * most].tolist()
    names = (block_name(analysis.parts, analysis.orders, block) for block in shown)
    signs = np.where(analysis.has_priority, " > ", " | ").tolist()
    groups = groupby(zip(names, signs, strict=False))
    runs = [(*key, len(list(run))) for key, run in islice(groups, most + 1)]
    text = "".join(
        (name if count == 1 else f"{name} x {count}") + sign for name, sign, count in runs[:most]
    )
    cut = len(runs) > most or len(shown) < len(analysis.sequence)
    return text + "..." if cut else text.removesuffix(" > ")
