"""Cells of studies, made by hand."""

from icsched.sim import Estimates, Mean, Ratio, Ratios
from icsched.study.cells import CellResult

MEAN = Mean(2.0, 1.5, 2.5)
ESTIMATES = Estimates(MEAN, Mean(0.0, 0.0, 0.0), Mean(0.25, 0.125, 0.5))


def made(
    interval: float | None = 1.0,
    batch: float | None = 16.0,
    workers: int | None = None,
    *,
    time: Ratio = Ratio(0.75, 0.5, 1.0, 0.75, 0.1),  # noqa: B008  it is frozen
    stall: Ratio | None = None,
    utilisation: Ratio = Ratio(1.25, 1.0, 1.5, 1.25, 0.1),  # noqa: B008
    runs: int = 500,
    precise: bool = True,
    beside: Ratio | None = None,
) -> CellResult:
    """Return a cell's result; with *beside*, this ratio of times for critical-path too."""
    ratio = {"prio_over_fifo": Ratios(time, stall, utilisation)}
    orders = {"prio": ESTIMATES, "fifo": ESTIMATES}
    if beside:
        ratio["critical-path_over_fifo"] = Ratios(beside, None, utilisation)
        orders["critical-path"] = ESTIMATES
    return CellResult(interval, batch, workers, runs, precise, ratio, orders)
