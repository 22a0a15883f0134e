"""Cells of studies, made by hand."""

from icsched.compare import Estimates, Ratios
from icsched.sim import Mean, Ratio
from icsched.study.cells import CellResult

MEAN = Mean(2.0, 1.5, 2.5)
ESTIMATES = Estimates(MEAN, Mean(0.0, 0.0, 0.0), Mean(0.25, 0.125, 0.5))


def made(
    interval: float = 1.0,
    batch: float = 16.0,
    *,
    time: Ratio | None = Ratio(0.75, 0.5, 1.0),  # noqa: B008  it is frozen
    stall: Ratio | None = None,
    utilisation: Ratio | None = Ratio(1.25, 1.0, 1.5),  # noqa: B008
    runs: int = 500,
    precise: bool = True,
) -> CellResult:
    """Return a cell's result."""
    ratios = Ratios(time, stall, utilisation)
    orders = {"prio": ESTIMATES, "fifo": ESTIMATES}
    return CellResult(interval, batch, runs, precise, ratios, orders)
