"""The seam to the C++ core: arrays in, arrays out, nothing checked twice.

The only module that imports `_core`. Callers pass C-contiguous arrays that meet the
contract in the kernel's header (``cpp/include/icsched/``).
"""

from dataclasses import dataclass, fields
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icsched import _core
from icsched._core import MOST_NONSINKS, ReadyQueue
from icsched.arrays import Ids, Rows, Sizes

__all__ = [
    "MOST_NONSINKS",
    "BatchFront",
    "DagmanScan",
    "OverLimitError",
    "ReadyQueue",
    "SimModel",
    "SimRuns",
    "SimTrace",
    "Solving",
    "TaskState",
    "batch_front",
    "best_ideals",
    "build",
    "connected_parts",
    "depth_first_order",
    "exact_batch",
    "exchange_pieces",
    "give_up_kernels",
    "greedy_batch",
    "ic_optimal_order",
    "longest_paths",
    "maximum_area_order",
    "most_enabled",
    "priority_order",
    "pull_forward",
    "ready_queue",
    "scan_dagman",
    "simulate",
    "simulate_trace",
]


def build(tasks: int, parents: Ids, children: Ids) -> tuple[Rows, Rows, Ids, Ids]:
    """Child rows, parent rows, FIFO order and a cycle (empty for a dag) of the given arcs."""
    a, b, c, d, order, cycle = _core.build(tasks, parents, children)
    return Rows(a, b), Rows(c, d), order, cycle


def longest_paths(rows: Rows, order: Ids, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heaviest path that ends just before each task, along *rows* in *order*."""
    return _core.longest_paths(rows.offsets, rows.targets, order, weights)


def connected_parts(children: Rows) -> Ids:
    """Label of each task's connected part, parts numbered by their smallest task."""
    return _core.connected_parts(children.offsets, children.targets)


def priority_order(children: Rows, parents: Rows, ranks: Ids) -> Ids:
    """Order in which all tasks run if the eligible task of least rank always goes next."""
    return _core.priority_order(
        children.offsets, children.targets, parents.offsets, parents.targets, ranks
    )


def ready_queue(children: Rows, parents: Rows, ranks: Ids) -> ReadyQueue:
    """State of a graph being worked off; empty *ranks* means first ready, first out."""
    return ReadyQueue(children.offsets, children.targets, parents.offsets, parents.targets, ranks)


class OverLimitError(Exception):
    """A walk over ideals passed its limit of sets, or of memory."""


def _check_walk(walk: int) -> None:
    """Raise OverLimitError unless *walk*, a Walk of referee.hpp, is complete."""
    if walk:
        raise OverLimitError("sets" if walk == 1 else "memory")


def best_ideals(children: Rows, parents: Rows, order: Ids, limit: int) -> tuple[Ids, list[Ids]]:
    """Most nonsources enabled by t nonsinks, and a best set for each t."""
    walk, enabled, sets = _core.best_ideals(
        children.offsets, children.targets, parents.offsets, parents.targets, order, limit
    )
    _check_walk(walk)
    ends = np.cumsum(np.arange(len(enabled)))
    return enabled, np.split(sets, ends[:-1])


def ic_optimal_order(children: Rows, parents: Rows, order: Ids, limit: int) -> Ids | None:
    """Nonsinks in an order that is best at every step; None if there is none."""
    walk, found, nonsinks = _core.ic_optimal_order(
        children.offsets, children.targets, parents.offsets, parents.targets, order, limit
    )
    _check_walk(walk)
    return nonsinks if found else None


def maximum_area_order(children: Rows, parents: Rows, order: Ids, limit: int) -> Ids:
    """Nonsinks in an order of largest area."""
    walk, _, nonsinks = _core.maximum_area_order(
        children.offsets, children.targets, parents.offsets, parents.targets, order, limit
    )
    _check_walk(walk)
    return nonsinks


def shortcuts(
    children: Rows, parents: Rows, order: Ids, patience: int, most_work: int = 2**62
) -> NDArray[np.uint8]:
    """1 for each arc, in row order, that another path makes superfluous.

    Some are missing if it would take more than *most_work* arcs looked at to find all.
    """
    return _core.shortcuts(
        children.offsets,
        children.targets,
        parents.offsets,
        parents.targets,
        order,
        patience,
        most_work,
    )


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a decomposition: rows of nonsinks and of sinks, one per block."""

    nonsinks: Rows
    sinks: Rows
    bipartite: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.bipartite)


@dataclass(frozen=True, slots=True)
class BlockOrders:
    """Each block's nonsinks in execution order, what it is, and what its order enables.

    Rows are those of `Blocks`; the profile of block b starts at nonsinks.offsets[b] + b.
    `alike` is the first block with the same profile and number of sources.
    """

    nonsinks: Ids
    kind: Ids
    sources: Ids
    arcs: Ids
    enabled: Ids
    alike: Ids


def decompose(children: Rows, parents: Rows) -> Blocks:
    """Blocks of a dag without shortcuts."""
    a, b, c, d, bipartite = _core.decompose(
        children.offsets, children.targets, parents.offsets, parents.targets
    )
    return Blocks(Rows(a, b), Rows(c, d), bipartite)


def order_blocks(
    children: Rows, blocks: Blocks, *, exact_nonsinks: int, exact_sets: int, all_sets: int
) -> BlockOrders:
    """Order every block by theorem, by the referee if small, else by rule."""
    limits = (exact_nonsinks, exact_sets, all_sets)
    return BlockOrders(
        *_core.order_blocks(children.offsets, children.targets, *_block_arrays(blocks), *limits)
    )


def tree_sum_order(children: Rows, blocks: Blocks) -> Ids | None:
    """One IC-optimal order of all sources if every block is a planar bipartite tree."""
    order = _core.tree_sum_order(children.offsets, children.targets, *_block_arrays(blocks))
    return order if len(order) == len(blocks.nonsinks.targets) else None


@dataclass(frozen=True, slots=True)
class BlockShapes:
    """What blocks look like, one entry per block; fields are those of shapes.hpp."""

    sources: Ids
    sinks: Ids
    members: Ids
    least_out: Ids
    most_out: Ids
    least_in: Ids
    most_in: Ids
    bipartite: NDArray[np.uint8]


def block_shapes(children: Rows, blocks: Blocks) -> BlockShapes:
    """Sizes and degrees of every block, counting arcs inside it."""
    return BlockShapes(
        *_core.block_shapes(children.offsets, children.targets, *_block_arrays(blocks))
    )


def block_spines(children: Rows, blocks: Blocks, which: Ids) -> Rows:
    """Degrees along the spine of each of *which* blocks, planar trees.

    The degree of a sink is negative.
    """
    arrays = _block_arrays(blocks)
    return Rows(*_core.block_spines(children.offsets, children.targets, *arrays, which))


def _block_arrays(blocks: Blocks) -> tuple[Ids, Ids, Ids, Ids, NDArray[np.uint8]]:
    return (
        blocks.nonsinks.offsets,
        blocks.nonsinks.targets,
        blocks.sinks.offsets,
        blocks.sinks.targets,
        blocks.bipartite,
    )


def priority(first: NDArray[np.int64], second: NDArray[np.int64]) -> tuple[int, int]:
    """Priority of one profile over another, as numerator and denominator."""
    return _core.priority(first, second)


def interleaving(first: Ids, second: Ids) -> NDArray[np.bool_] | None:
    """Best interleaving of two independent blocks: where to execute from the second."""
    steps = _core.interleaving(first, second)
    return steps.astype(bool) if len(steps) == len(first) + len(second) - 2 else None


def superdag_order(
    children: Rows,
    parents: Rows,
    profile_of: Ids,
    keys: Ids,
    offsets: Ids,
    counts: NDArray[np.int64],
    **limits: int,
) -> tuple[Ids, NDArray[np.uint8]]:
    """Greedy order of the blocks, and whether each has priority over the next.

    *limits* are `most_rivals` and `all_looks`, as priority.hpp explains them.
    """
    return _core.superdag_order(
        children.offsets,
        children.targets,
        parents.offsets,
        parents.targets,
        profile_of,
        keys,
        offsets,
        counts,
        **limits,
    )


def depth_first_order(children: Rows, parents: Rows, order: Ids, sizes: Sizes) -> Ids:
    """Order that finishes what it began, from any legal *order*."""
    return _core.depth_first_order(
        children.offsets, children.targets, parents.offsets, parents.targets, order, sizes
    )


def exchange_pieces(children: Rows, parents: Rows, order: Ids, ranks: Ids, sizes: Sizes) -> Ids:
    """Order with the profile of *order*, its pieces moved so as to free memory early."""
    return _core.exchange_pieces(
        children.offsets, children.targets, parents.offsets, parents.targets, order, ranks, sizes
    )


def pull_forward(
    children: Rows,
    parents: Rows,
    base: Ids,
    ranks: Ids,
    sizes: Sizes,
    limit: int,
    patience: int,
) -> Ids:
    """Order by rank as far as *base* can follow within *limit*."""
    return _core.pull_forward(
        children.offsets,
        children.targets,
        parents.offsets,
        parents.targets,
        base,
        ranks,
        sizes,
        limit,
        patience,
    )


@dataclass(frozen=True, slots=True)
class DagmanScan:
    """Statements of a DAGMan file; fields and numbers are those of dagman.hpp.

    `names` has a newline between names.
    """

    kind: NDArray[np.uint8]
    line: Ids
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    name: Ids
    value: Ids
    first_parent: NDArray[np.int64]
    first_child: NDArray[np.int64]
    refs: Ids
    names: bytes
    name_count: int


def scan_dagman(data: bytes) -> DagmanScan:
    """Statements of a DAGMan file, the plain ones recognised; ValueError from 2 GiB on."""
    return DagmanScan(*_core.scan_dagman(data))


@dataclass(frozen=True, slots=True)
class SimModel:
    """A model to simulate; fields and numbers are those of sim.hpp."""

    rule: int
    order: Ids
    means: NDArray[np.float64]
    law: int
    width: float
    workers: int
    speeds: NDArray[np.float64]
    interval: float
    size_scale: float
    size_shift: float
    waiting: bool
    speed_sigma: float
    leave: float
    deadline: float
    replicas: int
    overhead: float


@dataclass(frozen=True, slots=True)
class SimRuns:
    """Results by run; fields are those of sim.hpp."""

    time: NDArray[np.float64]
    batches: NDArray[np.int64]
    stalls: NDArray[np.int64]
    requests: NDArray[np.int64]
    work: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SimTrace:
    """One run step by step: assignments, then batches; fields are those of sim.hpp."""

    time: NDArray[np.float64]
    task: Ids
    request: NDArray[np.int64]
    end: NDArray[np.float64]
    ending: NDArray[np.uint8]
    batch_time: NDArray[np.float64]
    batch_size: NDArray[np.int64]
    batch_eligible: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SimSlots:
    """What the batches of one run found, by slot of time; fields are those of sim_slots.hpp."""

    batches: NDArray[np.int64]
    eligible: NDArray[np.int64]
    unserved: NDArray[np.int64]


def simulate(
    children: Rows, model: SimModel, *, seed: int, first_run: int, runs: int, threads: int
) -> SimRuns:
    """Results of runs first_run .. first_run + runs - 1."""
    numbers: dict[str, Any] = {"first_run": first_run, "runs": runs, "threads": threads}
    return _simulate(children, model, seed=seed, **numbers, engine=0, traced=False)[0]


def simulate_trace(
    children: Rows, model: SimModel, *, seed: int, run: int, by_events: bool
) -> tuple[SimRuns, SimTrace]:
    """One run, its result and its steps; *by_events* never takes the engine for batches."""
    numbers: dict[str, Any] = {"seed": seed, "first_run": run, "runs": 1, "threads": 1}
    return _simulate(children, model, **numbers, engine=int(by_events), traced=True)[:2]


def simulate_slots(
    children: Rows,
    model: SimModel,
    edges: NDArray[np.float64],
    *,
    seed: int,
    run: int,
    by_events: bool,
) -> SimSlots:
    """Batches of one run, added up over the slots between *edges*, which ascend from 0."""
    numbers: dict[str, Any] = {"seed": seed, "first_run": run, "runs": 1, "threads": 1}
    engine = int(by_events)
    return _simulate(children, model, **numbers, engine=engine, traced=True, edges=edges)[2]


def give_up_kernels() -> None:
    """End all that run now, on any thread, with KeyboardInterrupt."""
    _core.give_up_kernels()


def _simulate(
    children: Rows, model: SimModel, *, edges: NDArray[np.float64] | None = None, **numbers: Any
) -> tuple[SimRuns, SimTrace, SimSlots]:
    arguments = {field.name: getattr(model, field.name) for field in fields(model)} | numbers
    results, assignments, batches, slots = _core.simulate(
        children.offsets,
        children.targets,
        **arguments,
        edges=np.empty(0) if edges is None else edges,
    )
    return SimRuns(*results), SimTrace(*assignments, *batches), SimSlots(*slots)


class Solving(IntEnum):
    """How exact_batch ended; numbers are those of batch.hpp."""

    SOLVED = 0
    NOT_A_TREE = 1
    TOO_MUCH_WORK = 2


class TaskState(IntEnum):
    """What a batch may do with a task; numbers are those of batch.hpp."""

    WAITING = 0
    EXECUTED = 1
    OFFERED = 2


@dataclass(frozen=True, slots=True)
class BatchFront:
    """What a batch can enable: sources that may be taken, and sinks that wait for them only.

    Sources are numbered by their place in the list that the front was made from. `yields` has
    the sinks that wait for one source alone; a row of `sinks` has the sources of one other sink,
    or of several with the same sources, `weights` of them.
    """

    yields: Ids
    sinks: Rows
    weights: Ids


def batch_front(
    children: Rows, parents: Rows, states: NDArray[np.uint8], sources: Ids
) -> BatchFront:
    """Front of a state in which *sources* are the tasks offered, as *states* says."""
    yields, offsets, targets, weights = _core.batch_front(
        children.offsets, children.targets, parents.offsets, parents.targets, states, sources
    )
    return BatchFront(yields, Rows(offsets, targets), weights)


def _front_arrays(front: BatchFront) -> tuple[Ids, Ids, Ids, Ids]:
    return front.yields, front.sinks.offsets, front.sinks.targets, front.weights


def greedy_batch(front: BatchFront, count: int) -> tuple[Ids, int]:
    """Take *count* sources, best rate of enabled sinks first; also how many these enable."""
    return _core.greedy_batch(*_front_arrays(front), count)


def most_enabled(front: BatchFront, count: int) -> int:
    """Upper bound on what *count* sources enable."""
    return _core.most_enabled(*_front_arrays(front), count)


@dataclass(frozen=True, slots=True)
class ExactBatch:
    """An answer of exact_batch; `result` and `culprit` are those of batch.hpp."""

    result: int
    sources: Ids
    enabled: int
    culprit: int
    trees_only: bool


def exact_batch(
    front: BatchFront, count: int, *, most_enumerated: int, most_work: int
) -> ExactBatch:
    """Take *count* sources that enable the most, piece by piece."""
    return ExactBatch(*_core.exact_batch(*_front_arrays(front), count, most_enumerated, most_work))
