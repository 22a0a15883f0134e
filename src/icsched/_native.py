"""The interface to the C++ core: arrays and rows in, arrays and rows out.

The only module that imports `_core`. Callers pass C-contiguous arrays that meet the contract in the
kernel's header (``cpp/include/icsched/``). The core reads `Rows`, `Blocks`, `BatchFront`,
`SimModel` and `SlotModel` attribute by attribute. Enums are the core's own. Functions that need no
wrapper are exported unchanged.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched import _core
from icsched._core import (
    MOST_NONSINKS as MOST_NONSINKS,
    BlockKind as BlockKind,
    Ending as Ending,
    JobOptions as JobOptions,
    Problem as Problem,
    ReadyQueue as ReadyQueue,
    Rule as Rule,
    Solving as Solving,
    StatementKind as StatementKind,
    TaskState as TaskState,
    TimeLaw as TimeLaw,
    Walk as Walk,
    best_ideals as best_ideals,
    block_spines as block_spines,
    build as build,
    connected_parts as connected_parts,
    decompose as decompose,
    depth_first_order as depth_first_order,
    exchange_pieces as exchange_pieces,
    give_up_kernels as give_up_kernels,
    greedy_batch as greedy_batch,
    ic_optimal_order as ic_optimal_order,
    interleaving as interleaving,
    longest_paths as longest_paths,
    looks_a_set as looks_a_set,
    max_plus as max_plus,
    maximum_area_order as maximum_area_order,
    most_enabled as most_enabled,
    order_blocks as order_blocks,
    priority as priority,
    priority_order as priority_order,
    pull_forward as pull_forward,
    shortcuts as shortcuts,
    simulate as simulate,
    simulate_condor as simulate_condor,
    simulate_condor_trace as simulate_condor_trace,
    simulate_slots as simulate_slots,
    simulate_trace as simulate_trace,
    superdag_order as superdag_order,
    tree_profile as tree_profile,
)
from icsched.arrays import Ids, Rows


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a decomposition: rows of nonsinks and of sinks, one per block."""

    nonsinks: Rows
    sinks: Rows
    bipartite: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class BlockOrders:
    """The nonsinks of each block in execution order, its kind, and its profile.

    Rows are those of `Blocks`; the profile of block b starts at nonsinks.offsets[b] + b.
    `alike` is the first block with the same profile and number of sources.
    """

    nonsinks: Ids
    kind: Ids
    sources: Ids
    arcs: Ids
    enabled: Ids
    alike: Ids


def tree_sum_order(children: Rows, blocks: Blocks) -> Ids | None:
    """One IC-optimal order of all sources if every block is a planar bipartite tree."""
    order = _core.tree_sum_order(children, blocks)
    return order if len(order) == len(blocks.nonsinks.targets) else None


@dataclass(frozen=True, slots=True)
class BlockShapes:
    """Shapes of blocks, one entry per block; the fields are as in shapes.hpp."""

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
    return BlockShapes(*_core.block_shapes(children, blocks))


@dataclass(frozen=True, slots=True)
class BatchFront:
    """The front of a batch: sources that may be taken, and sinks that wait only for them.

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
    return BatchFront(*_core.batch_front(children, parents, states, sources))


@dataclass(frozen=True, slots=True)
class ExactBatch:
    """An answer of exact_batch; `result` and `culprit` are those of batch.hpp."""

    result: Solving
    sources: Ids
    enabled: int
    culprit: int
    trees_only: bool


def exact_batch(
    front: BatchFront, count: int, *, most_enumerated: int, most_work: int
) -> ExactBatch:
    """Take *count* sources that enable the most, piece by piece."""
    return ExactBatch(*_core.exact_batch(front, count, most_enumerated, most_work))


@dataclass(frozen=True, slots=True)
class SimMachines:
    """Machines to simulate; fields are those of sim.hpp."""

    resources: int
    groups: Ids
    amounts: NDArray[np.int64]
    capacities: NDArray[np.int64]
    max_jobs: int
    max_idle: int


@dataclass(frozen=True, slots=True)
class SimModel:
    """A model to simulate; fields are those of sim.hpp."""

    children: Rows
    rule: Rule
    order: Ids
    means: NDArray[np.float64]
    law: TimeLaw
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
    delay: float
    starts: NDArray[np.float64]
    ends: NDArray[np.float64]
    classes: Ids
    machines: SimMachines


@dataclass(frozen=True, slots=True)
class SlotDelays:
    """Delays of a pool of partitionable slots; fields are those of sim_condor.hpp."""

    dagman: float
    submission: float
    reaction: float
    new_claim: float
    each_claim: float
    idle_claim: float
    reuse: float
    slow_reuse: float
    slow_share: float
    job: float


@dataclass(frozen=True, slots=True)
class SlotModel:
    """A pool of partitionable slots; fields are those of sim_condor.hpp."""

    groups: Ids
    amounts: NDArray[np.int64]
    capacities: NDArray[np.int64]
    resources: int
    categories: Ids
    limits: Ids
    max_jobs: int
    max_idle: int
    scan_submissions: int
    exact_cores: bool
    scan_interval: float
    hold: float
    schedd_interval: float
    heartbeat: float
    negotiator_interval: float
    cycle_delay: float
    worklife: float
    first_pass: float
    latest: float
    delays: SlotDelays


@dataclass(frozen=True, slots=True)
class DagmanScan:
    """Statements of a DAGMan file; fields are those of dagman.hpp.

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
