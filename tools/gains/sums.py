"""What many cells say together: means with intervals, counts, and what choosing costs."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tools.gains.cells import ORDERS, CellFound

RESAMPLES = 2000
CLEAR = 0.01  # cells that differ by more are counted
LARGE = 0.05
FIFO = "fifo"

Value = Callable[[CellFound], float]


@dataclass(frozen=True)
class Geometric:
    """A geometric mean with its 95% interval over workflows."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def ratio(known: str, order: str) -> Value:
    """Return what takes the time over fifo's out of a cell."""
    return lambda cell: 1.0 if order == FIFO else cell.ratios[known][order].ratio


def group_of(pool: str) -> str:
    """Return the kind of a pool: its name without the share of the width.

    >>> group_of("P:16 1/8"), group_of("balanced W")
    ('P:16', 'balanced W')
    """
    return pool.partition(" 1/")[0]


def mean_log(cells: Iterable[CellFound], value: Value) -> float:
    """Return the mean of the logarithms."""
    return float(np.mean([math.log(value(cell)) for cell in cells]))


def geometric(cells: Sequence[CellFound], value: Value) -> Geometric:
    """Return the geometric mean; the interval is from drawing the workflows again."""
    logs = np.array([mean_log(some, value) for some in by_workflow(cells).values()])
    rng = np.random.default_rng(0)
    drawn = logs[rng.integers(len(logs), size=(RESAMPLES, len(logs)))].mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975]).tolist()
    return Geometric(math.exp(logs.mean()), math.exp(low), math.exp(high))


def by_workflow(cells: Iterable[CellFound]) -> dict[str, list[CellFound]]:
    """Return the cells of each workflow."""
    found: dict[str, list[CellFound]] = defaultdict(list)
    for cell in cells:
        found[cell.workflow].append(cell)
    return found


def count(cells: Iterable[CellFound], holds: Callable[[CellFound], bool]) -> int:
    """Return the number of cells for which *holds* is true."""
    return sum(map(holds, cells))


def slowest(cells: Sequence[CellFound], value: Value) -> tuple[float, str]:
    """Return the largest ratio, and where it is."""
    worst = max(cells, key=value)
    return value(worst), f"{worst.workflow}, {worst.pool}"


def regret(cell: CellFound, known: str) -> float:
    """Return how much longer auto's order takes than the best candidate, fifo among them.

    The best is the best in the same runs, so that chance alone makes this a little too large.
    """
    best = min(ratio(known, order)(cell) for order in (*ORDERS, FIFO))
    return ratio(known, "auto")(cell) / best - 1


def half_widths(cells: Iterable[CellFound]) -> list[float]:
    """Return half of the 95% interval of every ratio, relative."""
    return [
        1.96 * estimate.error / estimate.ratio
        for cell in cells
        for by_order in cell.ratios.values()
        for estimate in by_order.values()
    ]
