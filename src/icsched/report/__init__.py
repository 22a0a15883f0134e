"""What is left of a study on disk: its cells, tables and figures."""

from icsched.report.figures import (
    Curve,
    curves_figure,
    eligible_figure,
    ratio_figure,
    write_figure,
)
from icsched.report.store import Store, is_study, read_cells
from icsched.report.tables import Rows, write_tables

__all__ = [
    "Curve",
    "Rows",
    "Store",
    "curves_figure",
    "eligible_figure",
    "is_study",
    "ratio_figure",
    "read_cells",
    "write_figure",
    "write_tables",
]
