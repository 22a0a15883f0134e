"""Run the study of Malewicz et al. 2007 (section 4.3) on its four dags, and print the findings.

The paper is "A Tool for Prioritizing DAGMan Jobs and its Evaluation". The cells stay in DIRECTORY,
so that a stopped study can go on. The figures go to docs/evaluation. AIRSN is there twice, because
FIFO depends on which sources come first in the file, and the paper does not say. The paper has no
other order; critical path is played beside it.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

from icsched import Dag, families, prioritize
from icsched.commands.main import run
from icsched.formats import write_dagman
from icsched.pebble import compare

FIGURES = Path(__file__).parent.parent / "docs" / "evaluation"
DAGS = {
    "airsn": families.airsn(250, "fringes"),
    "airsn-handle-first": families.airsn(250, "handle"),
    "inspiral": families.inspiral(),
    "sdss": families.sdss(),
    "montage": families.montage(),
}
ORDERS = "prio", "critical-path"
PAPER_TIMES = "--law", "normal", "--spread", "0.1"
CLEAR = 0.01  # a ratio that differs from 1 by more than this is a difference

Cells = list[dict]


def main(directory: Path) -> None:
    """Make the files, run the study, copy the figures, print the findings."""
    directory.mkdir(parents=True, exist_ok=True)
    files = [directory / f"{name}.dag" for name in DAGS]
    for file, dag in zip(files, DAGS.values(), strict=True):
        write_dagman(dag, file)
    cells = studied(files, directory)
    FIGURES.mkdir(exist_ok=True)
    for name in DAGS:
        for figure in (name, f"{name}-eligible"):
            shutil.copy(directory / f"{figure}.svg", FIGURES)
    for name, dag in DAGS.items():
        for order in ORDERS:
            found = [with_time(cell, order) for cell in cells if cell["workflow"] == name]
            findings(name, dag, order, found)


def with_time(cell: dict, order: str) -> dict:
    """Return *cell* with the ratio of times of *order* under `time`."""
    return cell | {"time": cell["ratio"][f"{order}_over_fifo"]["time"]}


def studied(files: list[Path], directory: Path) -> Cells:
    """Run the study of both orders against FIFO, and return its cells."""
    code = run(["study", *map(str, files), "--order", "prio", *PAPER_TIMES, "-o", str(directory)])
    if code:
        sys.exit(code)
    return json.loads((directory / "study.json").read_text())["cells"]


def findings(name: str, dag: Dag, order: str, cells: Cells) -> None:
    """Print the numbers for the claims of section 4.3, for one dag and order."""
    print(f"\n== {name}, {order}: {len(dag):,} jobs, {dag.arc_count:,} dependencies")
    contest = compare(dag, prioritize(dag, order).order, dag.fifo_order)
    (ahead, lead), (behind, lag) = contest.largest_lead, contest.largest_lag
    print(f"eligible jobs, {order} - FIFO: {lead} after {ahead} jobs, {lag} after {behind}")
    print("runs:", sum(cell["runs"] for cell in cells), "in", len(cells), "cells,", end=" ")
    print(sum(not cell["precise"] for cell in cells), "not precise")
    intervals = sorted({cell["interval"] for cell in cells})
    for interval in intervals:
        section = [cell for cell in cells if cell["interval"] == interval]
        best = min(section, key=lambda cell: cell["time"]["median"])
        clear = [cell["batch"] for cell in section if cell["time"]["high"] < 1 - CLEAR]
        gains = f"more than 1% less at batches {clear[0]:g} to {clear[-1]:g}" if clear else "none"
        print(f"interval {interval:g}: best {shown(best)}; {gains}")
    for what, chosen in slices(cells).items():
        print(f"{what}: time ratios {extent(chosen)}")


def slices(cells: Cells) -> dict[str, Cells]:
    """Return the parts of the grid that the paper discusses."""
    return {
        "(1, 2^4)": [c for c in cells if (c["interval"], c["batch"]) == (1, 16)],
        "interval 10^-3": [c for c in cells if c["interval"] == 0.001],
        "interval 10^-2": [c for c in cells if c["interval"] == 0.01],
        "batch 2^16": [c for c in cells if c["batch"] == 2**16],
        "batch 1, interval 1 or more": [c for c in cells if c["batch"] == 1 and c["interval"] >= 1],
        "all": cells,
    }


def extent(cells: Cells) -> str:
    """Return the cells with the smallest and the largest ratio."""
    ends = [pick(cells, key=lambda cell: cell["time"]["median"]) for pick in (min, max)]
    return shown(ends[0]) if len(cells) == 1 else " to ".join(map(shown, ends))


def shown(cell: dict) -> str:
    """Return a ratio of times with its interval and its cell."""
    time = cell["time"]
    place = f"({cell['interval']:g}, {cell['batch']:g})"
    return f"{time['median']:.4f} [{time['low']:.4f}, {time['high']:.4f}] at {place}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", metavar="DIRECTORY", type=Path, help="where the cells stay")
    return parser.parse_args()


if __name__ == "__main__":
    main(_options().directory)
