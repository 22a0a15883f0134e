"""Studies, which compare orders with first come, first served (fifo) over a grid of pools.

The usual grid is from figures 6 to 9 of Malewicz et al. 2007, "A Tool for Prioritizing DAGMan Jobs
and its Evaluation". There a cell is a mean interval and a mean batch size. A cell can also be a
number of workers, or the one pool that a user gives. All cells use the same seed, and each is
simulated on its own. So its result equals the result of `simulate`, on any machine and with any
other cells.
"""

import hashlib
import json
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field, replace
from importlib.metadata import version
from threading import Event
from typing import TypeAlias

import numpy as np

from icsched.arrays import Floats
from icsched.dag import Dag
from icsched.errors import ArgumentError
from icsched.orders import simulate
from icsched.pebble import Order, check_order
from icsched.sim import Estimates, Paired, PaperSampling, Ratios
from icsched.sim.experiment import give_up_runs
from icsched.sim.model import AnyPool, BatchLaw, Pool, Times, Workers, check_runs, check_seed
from icsched.sim.pools import pool_to_dict

INTERVALS = tuple(10.0**power for power in range(-3, 4))
BATCHES = tuple(2.0**power for power in range(17))
BASELINE = "fifo"


@dataclass(frozen=True, order=True)
class Cell:
    """A place in the grid: mean interval and mean batch size, or a number of workers.

    A cell without numbers stands for the pool `given` in the `Terms`.
    """

    interval: float | None = None
    batch: float | None = None
    workers: int | None = None


@dataclass(frozen=True, eq=False)
class Terms:
    """The inputs shared by all cells of a study.

    `times` has the law of run times; their means belong to a `Subject`. `delay` applies to all
    pools of the grid. `given` is the pool of a study with one cell.
    """

    batch_law: BatchLaw = "exponential"
    seed: int = 0
    sampling: Paired | PaperSampling = field(default_factory=Paired)
    times: Times = field(default_factory=Times)
    delay: float = 0.0
    given: AnyPool | None = None

    def __post_init__(self) -> None:
        check_seed(self.seed, 0)

    def pool(self, cell: Cell) -> AnyPool:
        """Return the pool of a cell; raises ArgumentError for impossible numbers."""
        if cell.workers is not None:
            return Workers(cell.workers, delay=self.delay)
        if cell.interval is not None and cell.batch is not None:
            return Pool(cell.interval, cell.batch, self.batch_law, delay=self.delay)
        if self.given is None:
            raise ArgumentError(f"cell: expected a place in a grid, got {cell}")
        return self.given

    def to_dict(self) -> dict[str, object]:
        """Return the terms as plain data."""
        return {
            "batch_law": self.batch_law,
            "delay": self.delay,
            "pool": None if self.given is None else pool_to_dict(self.given),
            "times": {"law": self.times.law, "spread": self.times.spread},
            "seed": self.seed,
            "sampling": {"method": type(self.sampling).__name__, **asdict(self.sampling)},
        }


CellOrder: TypeAlias = Order | str  # ids, or the name of an order that `simulate` plays


@dataclass(frozen=True, eq=False)
class Subject:
    """The subject of a study: a dag, orders to compare with fifo, and mean run times.

    Without `means` each task has a mean time of 1.
    """

    dag: Dag
    orders: Mapping[str, CellOrder]
    means: Floats | None = None


@dataclass(frozen=True)
class CellResult:
    """The result of a cell; `orders` and `ratio` have the same keys as in a `Simulation`.

    `interval`, `batch` and `workers` are copied from the cell.
    """

    interval: float | None
    batch: float | None
    workers: int | None
    runs: int
    precise: bool
    ratio: Mapping[str, Ratios]
    orders: Mapping[str, Estimates]

    @property
    def cell(self) -> Cell:
        """The place of this result in the grid."""
        return Cell(self.interval, self.batch, self.workers)

    def ratios(self, order: str) -> Ratios:
        """Return the ratios of *order* to first come, first served."""
        return self.ratio[f"{order}_over_{BASELINE}"]


Results: TypeAlias = Generator[CellResult, None, None]


# Computes cells, and yields each when it is done, in any order.
CellRunner: TypeAlias = Callable[[Subject, Iterable[Cell], Terms], Results]
Watch: TypeAlias = Callable[[int, int], None]


def grid(
    terms: Terms, intervals: Iterable[float] = INTERVALS, batches: Iterable[float] = BATCHES
) -> tuple[Cell, ...]:
    """Return the cells of a grid in ascending order, each once.

    Raises ArgumentError for an empty grid, or for an impossible interval or batch size.

    >>> [(cell.interval, cell.batch) for cell in grid(Terms(), [1, 0.1], [2, 4, 4])][1:3]
    [(0.1, 4.0), (1.0, 2.0)]
    """
    rows, columns = sorted(set(map(float, intervals))), sorted(set(map(float, batches)))
    for name, values in (("intervals", rows), ("batches", columns)):
        if not values:
            raise ArgumentError(f"{name}: expected at least one")
    cells = tuple(Cell(interval, batch) for interval in rows for batch in columns)
    for cell in cells:
        terms.pool(cell)
    return cells


def workers_grid(terms: Terms, counts: Iterable[int]) -> tuple[Cell, ...]:
    """Return a cell for each number of workers, in ascending order, each once.

    Raises ArgumentError for an impossible number of workers, or for an empty list.

    >>> [cell.workers for cell in workers_grid(Terms(), [16, 8, 8])]
    [8, 16]
    """
    cells = tuple(Cell(workers=count) for count in sorted(set(counts)))
    if not cells:
        raise ArgumentError("workers: expected at least one")
    for cell in cells:
        terms.pool(cell)
    return cells


def run_cell(
    subject: Subject, cell: Cell, terms: Terms, *, progress: Watch | None = None
) -> CellResult:
    """Simulate one cell on one core: each order against first come, first served.

    >>> fork = Dag({"lone": [], "a": [], "b": ["a"], "c": ["a"]})
    >>> subject = Subject(fork, {"prio": [1, 0, 2, 3]})
    >>> found = run_cell(subject, Cell(1.0, 1.0), Terms(batch_law="geometric"))
    >>> found.ratios("prio").time.high < 1, list(found.orders)
    (True, ['prio', 'fifo'])
    """
    found = simulate(
        subject.dag,
        {**subject.orders, BASELINE: BASELINE},
        pool=terms.pool(cell),
        times=replace(terms.times, means=subject.means),
        seed=terms.seed,
        baseline=BASELINE,
        sampling=terms.sampling,
        threads=1,
        progress=progress,
    )
    numbers = found.runs, found.precise, found.ratio, found.orders
    return CellResult(cell.interval, cell.batch, cell.workers, *numbers)


def run_cells(subject: Subject, cells: Iterable[Cell], terms: Terms, *, threads: int) -> Results:
    """Simulate *cells*, each on one of *threads* threads, and yield each when it is done.

    Closing the iterator stops the cells that are being computed.
    Raises ArgumentError for a dag without tasks, ScheduleError for an order of another dag.

    >>> fork = Dag({"lone": [], "a": [], "b": ["a"], "c": ["a"]})
    >>> cells = grid(Terms(), [1], [1, 2, 4])
    >>> found = run_cells(Subject(fork, {"prio": [1, 0, 2, 3]}), cells, Terms(), threads=2)
    >>> sorted(result.batch or 0 for result in found)
    [1.0, 2.0, 4.0]
    """
    check_runs(1, threads)
    stop = Event()

    def watch(_done: int, _expected: int) -> None:
        if stop.is_set():
            raise _GivenUpError

    with ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(run_cell, subject, cell, terms, progress=watch) for cell in cells]
        try:
            pending = set(waiting)
            while pending:  # with a timeout, because a signal may reach another thread first
                done, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                for future in done:
                    yield future.result()
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            if not all(future.done() for future in waiting):
                give_up_runs()  # a single run may take long


class _GivenUpError(Exception):
    """The result of the cell is not needed any more."""


def fingerprint(subject: Subject, terms: Terms) -> str:
    """Return a digest that differs between studies whose cells must not be mixed.

    It depends on arcs, mean run times, orders and their names, terms, and the version of icsched,
    but not on names of tasks. An order that is given by name differs from every list of tasks.

    >>> first, second = Dag({"a": [], "b": ["a"]}), Dag({"x": [], "y": ["x"]})
    >>> one, other = (Subject(dag, {"prio": [0, 1]}) for dag in (first, second))
    >>> fingerprint(one, Terms()) == fingerprint(other, Terms())
    True
    >>> fingerprint(one, Terms()) == fingerprint(one, Terms(seed=1))
    False
    """
    dag = subject.dag
    said = [version("icsched"), terms.to_dict(), len(dag), list(subject.orders)]
    digest = hashlib.sha256(json.dumps(said).encode(errors="backslashreplace"))
    digest.update(np.ascontiguousarray(dag.arcs, "<i4").tobytes())
    if subject.means is not None:
        digest.update(b"mean run times")
        digest.update(np.ascontiguousarray(subject.means, "<f8").tobytes())
    for order in subject.orders.values():
        if isinstance(order, str):
            digest.update(f"played by {order}".encode())
        else:
            digest.update(np.ascontiguousarray(check_order(dag, order), "<i4").tobytes())
    return digest.hexdigest()[:32]
