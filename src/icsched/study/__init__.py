"""Studies: simulations over a grid of pools, kept on disk and resumable."""

from icsched.study.cells import (
    BASELINE,
    BATCHES,
    INTERVALS,
    Cell,
    CellOrder,
    CellResult,
    Results,
    Subject,
    Terms,
    fingerprint,
    grid,
    run_cell,
    run_cells,
    workers_grid,
)
from icsched.study.export import Rows, write_tables
from icsched.study.store import Store, is_study, read_cells

__all__ = [
    "BASELINE",
    "BATCHES",
    "INTERVALS",
    "Cell",
    "CellOrder",
    "CellResult",
    "Results",
    "Rows",
    "Store",
    "Subject",
    "Terms",
    "fingerprint",
    "grid",
    "is_study",
    "read_cells",
    "run_cell",
    "run_cells",
    "workers_grid",
    "write_tables",
]
