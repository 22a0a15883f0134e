"""Kernels of icsched; contracts are in cpp/include/icsched/."""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray

import icsched._native
import icsched.arrays


def give_up_kernels() -> None:
    """End all kernels that run now, on any thread, with KeyboardInterrupt."""

def build(tasks: int, parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[icsched.arrays.Rows, icsched.arrays.Rows, Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Child rows, parent rows, FIFO order and a cycle (empty for a dag) of the given arcs.
    """

def longest_paths(rows: icsched.arrays.Rows, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    Heaviest path that ends just before each task, along the rows in the order.
    """

def connected_parts(children: icsched.arrays.Rows) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    Label of each task's connected part; parts are numbered by their smallest task.
    """

def priority_order(children: icsched.arrays.Rows, parents: icsched.arrays.Rows, ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    Order in which all tasks run if the eligible task of least rank always goes next.
    """

class ReadyQueue:
    """
    Tasks of a graph to be handed out; empty ranks mean first ready, first out.
    """

    def __init__(self, children: icsched.arrays.Rows, parents: icsched.arrays.Rows, ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    class State(enum.IntEnum):
        WAITING = 0

        READY = 1

        TAKEN = 2

        FINISHED = 3

    def take(self, count: int) -> list[int]: ...

    def finish(self, tasks: Sequence[int]) -> int: ...

    def give_back(self, tasks: Sequence[int]) -> int: ...

    def state(self, task: int) -> ReadyQueue.State: ...

    def active(self) -> bool: ...

MOST_NONSINKS: int = 1024

class Walk(enum.IntEnum):
    """Why a walk over ideals ended."""

    COMPLETE = 0

    OVER_LIMIT = 1

    OVER_MEMORY = 2

def best_ideals(children: icsched.arrays.Rows, parents: icsched.arrays.Rows, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: int) -> tuple[Walk, Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def ic_optimal_order(children: icsched.arrays.Rows, parents: icsched.arrays.Rows, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: int) -> tuple[Walk, bool, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def maximum_area_order(children: icsched.arrays.Rows, parents: icsched.arrays.Rows, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: int) -> tuple[Walk, bool, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def looks_a_set(parents: icsched.arrays.Rows, nonsinks: int) -> int:
    """
    Sets of parents that the referee looks at for one set that it visits, on average.
    """

def shortcuts(children: icsched.arrays.Rows, parents: icsched.arrays.Rows, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], patience: int, most_work: int = 4611686018427387904) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    1 for each arc, in row order, that another path makes superfluous.

    Some may be missing if finding all would look at more than most_work arcs.
    """

def decompose(children: icsched.arrays.Rows, parents: icsched.arrays.Rows) -> tuple[icsched.arrays.Rows, icsched.arrays.Rows, Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]: ...

class BlockKind(enum.IntEnum):
    """Why a block's order is what it is."""

    TREE = 0
    """Planar bipartite tree: W, M, N and every strand."""

    FOREST = 1
    """Another bipartite tree; its order meets a bound for all trees."""

    CYCLE = 2

    COMPLETE = 3

    CLIQUE = 4

    COCLIQUE = 5

    EXACT = 6
    """The referee found an IC-optimal order."""

    SEARCHED = 7
    """The referee found that there is no IC-optimal order."""

    RULED = 8
    """Too large for the referee: the best of three rules."""

    @property
    def is_proved(self) -> bool:
        """Whether the block's order is IC-optimal."""

def order_blocks(children: icsched.arrays.Rows, blocks: icsched._native.Blocks, exact_nonsinks: int, exact_sets: int, all_sets: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def tree_sum_order(children: icsched.arrays.Rows, blocks: icsched._native.Blocks) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

def block_shapes(children: icsched.arrays.Rows, blocks: icsched._native.Blocks) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]: ...

def block_spines(children: icsched.arrays.Rows, blocks: icsched._native.Blocks, which: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> icsched.arrays.Rows:
    """
    Degrees along the spine of each of the given blocks, planar trees.

    The degree of a sink is negative.
    """

def priority(first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, int]:
    """Priority of one profile over another, as numerator and denominator."""

def max_plus(first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """Max-plus convolution of two profiles."""

def interleaving(first: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

def superdag_order(children: icsched.arrays.Rows, parents: icsched.arrays.Rows, profile_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], most_rivals: int = 64, all_looks: int = 500000000) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """
    Greedy order of the blocks, and whether each has priority over the next.

    priority.hpp explains most_rivals and all_looks.
    """

def depth_first_order(children: icsched.arrays.Rows, parents: icsched.arrays.Rows, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """Depth-first order, made from any legal order."""

def exchange_pieces(children: icsched.arrays.Rows, parents: icsched.arrays.Rows, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    Order with the profile of the given order, its pieces moved to free memory early.
    """

def pull_forward(children: icsched.arrays.Rows, parents: icsched.arrays.Rows, base: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], ranks: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: int, patience: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """Order by rank as far as the base can follow within the limit."""

class TaskState(enum.IntEnum):
    """What a batch may do with a task."""

    WAITING = 0

    EXECUTED = 1

    OFFERED = 2

class Solving(enum.IntEnum):
    """How exact_batch ended."""

    SOLVED = 0

    NOT_A_TREE = 1

    TOO_MUCH_WORK = 2

def batch_front(children: icsched.arrays.Rows, parents: icsched.arrays.Rows, states: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], sources: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], icsched.arrays.Rows, Annotated[NDArray[numpy.int32], dict(shape=(None,))]]: ...

def greedy_batch(front: icsched._native.BatchFront, count: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], int]:
    """
    The given number of sources, best rate of enabled sinks first; also how many they enable.
    """

def most_enabled(front: icsched._native.BatchFront, count: int) -> int:
    """Upper bound on what the given number of sources enable."""

def exact_batch(front: icsched._native.BatchFront, count: int, most_enumerated: int, most_work: int) -> tuple[Solving, Annotated[NDArray[numpy.int32], dict(shape=(None,))], int, int, bool]: ...

def tree_profile(front: icsched._native.BatchFront) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    The most sinks that 0, 1, 2, ... sources enable, if every piece is a tree.
    """

class Rule(enum.IntEnum):
    """Which eligible task is handed out first."""

    RANKED = 0

    FIFO = 1

    LIFO = 2

    RANDOM = 3

    CLASSED = 4

class TimeLaw(enum.IntEnum):
    """How the times of tasks are drawn."""

    NORMAL = 0

    LOGNORMAL = 1

class Ending(enum.IntEnum):
    """How an assignment ended."""

    RESULT = 0
    """The task's first result."""

    LOSS = 1
    """The worker left."""

    IGNORED = 2
    """Another result was first."""

def simulate(model: icsched._native.SimModel, seed: int, first_run: int, runs: int, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

def simulate_trace(model: icsched._native.SimModel, seed: int, run: int, by_events: bool) -> tuple[tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]], tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]]: ...

def simulate_slots(model: icsched._native.SimModel, edges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, run: int, by_events: bool) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]: ...

def simulate_condor(model: icsched._native.SimModel, slots: icsched._native.SlotModel, seed: int, first_run: int, runs: int, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]: ...

def simulate_condor_trace(model: icsched._native.SimModel, slots: icsched._native.SlotModel, seed: int, run: int) -> tuple[tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]], tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]]: ...

class StatementKind(enum.IntEnum):
    """How the scan classed a statement."""

    OTHER = 0

    JOB = 1

    PARENT = 2

    DONE = 3

    PRIORITY = 4

    RETRY = 5

    VARS = 6

    PRE = 7

    SCRIPT = 8

    CATEGORY = 9

    ABORT = 10

    PRE_SKIP = 11

    SAVE_POINT = 12

    BROKEN = 13

class JobOptions(enum.IntEnum):
    """What a plain JOB or SUBDAG statement says besides its name and file."""

    NOOP = 1

    DONE = 2

    HAS_DIRECTORY = 4

    IS_SUBDAG = 8

    IS_INLINE = 16

class Problem(enum.IntEnum):
    """Why a statement cannot be read."""

    NONE = 0

    GLUED = 1

    UNENDED = 2

    UNCLOSED = 3

def scan_dagman(data: bytes) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], bytes, int]: ...
