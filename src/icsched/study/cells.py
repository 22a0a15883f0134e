"""A study: one order against first come, first served over a grid of pools.

The grid is that of figures 6 to 9 of Malewicz et al. 2007, "A Tool for Prioritizing DAGMan Jobs and
its Evaluation". A cell of the grid is a mean interval and a mean batch size. All cells use the same
seed. Each cell is simulated on its own, so its result is what `simulate` finds, on any machine and
whatever other cells are computed.
"""

import hashlib
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from importlib.metadata import version
from threading import Event
from typing import Protocol, TypeAlias

import numpy as np

from icsched.compare.simulation import Estimates, Paired, PaperSampling, Ratios, simulate
from icsched.dag import Dag
from icsched.errors import ArgumentError
from icsched.pebble import Order, check_order
from icsched.sim.engine import give_up_runs
from icsched.sim.model import BatchLaw, Pool, check_runs, check_seed

INTERVALS = tuple(10.0**power for power in range(-3, 4))
BATCHES = tuple(2.0**power for power in range(17))
BASELINE = "fifo"


@dataclass(frozen=True, order=True)
class Cell:
    """A pool of the grid: mean interval between batches, mean batch size."""

    interval: float
    batch: float


@dataclass(frozen=True)
class Terms:
    """What all cells of a study have in common."""

    batch_law: BatchLaw = "exponential"
    seed: int = 0
    sampling: Paired | PaperSampling = field(default_factory=Paired)
    ordered_by: str = "prio"  # the name of the order that is compared with fifo

    def pool(self, cell: Cell) -> Pool:
        """Return the pool of a cell; raises ArgumentError for numbers that no pool has."""
        return Pool(interval=cell.interval, batch=cell.batch, batch_law=self.batch_law)


@dataclass(frozen=True)
class CellResult:
    """The result of a cell; `ratio` is that of the order to first come, first served."""

    interval: float
    batch: float
    runs: int
    precise: bool
    ratio: Ratios
    orders: Mapping[str, Estimates]

    @property
    def cell(self) -> Cell:
        """The place of this result in the grid."""
        return Cell(self.interval, self.batch)


Results: TypeAlias = Generator[CellResult, None, None]
CellOrder: TypeAlias = Order | str  # a name is played as `simulate` plays it


class CellRunner(Protocol):
    """Computes cells, and yields each when it is done."""

    def __call__(self, dag: Dag, order: CellOrder, cells: Iterable[Cell], terms: Terms) -> Results:
        """Yield the results of *cells*, in any order."""


Watch: TypeAlias = Callable[[int, int], None]


def grid(
    terms: Terms, intervals: Iterable[float] = INTERVALS, batches: Iterable[float] = BATCHES
) -> tuple[Cell, ...]:
    """Return the cells of a grid in ascending order, each once.

    Raises ArgumentError for an empty grid, or for an impossible seed, interval or batch size.

    >>> grid(Terms(), [1, 0.1], [2, 4, 4])[1:3]
    (Cell(interval=0.1, batch=4.0), Cell(interval=1.0, batch=2.0))
    """
    check_seed(terms.seed, 0)
    rows, columns = sorted(set(map(float, intervals))), sorted(set(map(float, batches)))
    for name, values in (("intervals", rows), ("batches", columns)):
        if not values:
            raise ArgumentError(f"{name}: expected at least one")
    cells = tuple(Cell(interval, batch) for interval in rows for batch in columns)
    for cell in cells:
        terms.pool(cell)
    return cells


def run_cell(
    dag: Dag, order: CellOrder, cell: Cell, terms: Terms, *, progress: Watch | None = None
) -> CellResult:
    """Simulate one cell on one core: *order* against first come, first served.

    >>> fork = Dag({"lone": [], "a": [], "b": ["a"], "c": ["a"]})
    >>> found = run_cell(fork, [1, 0, 2, 3], Cell(1.0, 1.0), Terms(batch_law="geometric"))
    >>> found.ratio.time.high < 1, list(found.orders)
    (True, ['prio', 'fifo'])
    """
    found = simulate(
        dag,
        {terms.ordered_by: order, BASELINE: BASELINE},
        pool=terms.pool(cell),
        seed=terms.seed,
        baseline=BASELINE,
        sampling=terms.sampling,
        threads=1,
        progress=progress,
    )
    ratio = found.ratio[f"{terms.ordered_by}_over_{BASELINE}"]
    return CellResult(cell.interval, cell.batch, found.runs, found.precise, ratio, found.orders)


def run_cells(
    dag: Dag, order: CellOrder, cells: Iterable[Cell], terms: Terms, *, threads: int
) -> Results:
    """Simulate *cells*, each on one of *threads* threads, and yield each when it is done.

    Closing the iterator stops the cells that are being computed.
    Raises ArgumentError for a dag without tasks, ScheduleError for an order of another dag.

    >>> fork = Dag({"lone": [], "a": [], "b": ["a"], "c": ["a"]})
    >>> cells = grid(Terms(), [1], [1, 2, 4])
    >>> found = run_cells(fork, [1, 0, 2, 3], cells, Terms(), threads=2)
    >>> sorted(result.batch for result in found)
    [1.0, 2.0, 4.0]
    """
    check_runs(1, threads)
    stop = Event()

    def watch(_done: int, _expected: int) -> None:
        if stop.is_set():
            raise _GivenUpError

    with ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(run_cell, dag, order, cell, terms, progress=watch) for cell in cells]
        try:
            pending = set(waiting)
            while pending:  # wakes up from time to time: a signal may reach another thread first
                done, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            if not all(future.done() for future in waiting):
                give_up_runs()  # a single run may take long


class _GivenUpError(Exception):
    """Nobody waits for the cell any more."""


def fingerprint(dag: Dag, order: CellOrder, terms: Terms) -> str:
    """Return a digest that differs between studies whose cells must not be mixed.

    It depends on the dag's arcs, the order, the terms and the version of icsched, not on the names
    of tasks. An order that is given by its name differs from every list of tasks.

    >>> first, second = Dag({"a": [], "b": ["a"]}), Dag({"x": [], "y": ["x"]})
    >>> fingerprint(first, [0, 1], Terms()) == fingerprint(second, [0, 1], Terms())
    True
    >>> fingerprint(first, [0, 1], Terms()) == fingerprint(first, [0, 1], Terms(seed=1))
    False
    """
    digest = hashlib.sha256(f"icsched {version('icsched')} {terms!r} {len(dag)}\n".encode())
    digest.update(np.ascontiguousarray(dag.arcs, "<i4").tobytes())
    if isinstance(order, str):
        digest.update(f"played by {order}".encode())
    else:
        digest.update(np.ascontiguousarray(check_order(dag, order), "<i4").tobytes())
    return digest.hexdigest()[:32]
