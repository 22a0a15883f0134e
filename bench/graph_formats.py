"""Reading graphs from text, beside pydot and networkx."""

import csv
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import networkx
import pydot

import icsched
from icsched import Dag, Workflow
from icsched.formats import FORMATS

SIZES = {"dot": 100_000, "edges": 1_000_000, "csv": 200_000, "slurm": 50_000}
SMALL = 2_000  # tasks for pydot


def workflow(tasks: int) -> Workflow:
    """Three parents for each task, spread over all tasks before it."""
    arcs = [(child * k // 7, child) for child in range(1, tasks) for k in (2, 4, 6)]
    names = [f"task_{number}" for number in range(tasks)]
    return Workflow(Dag.from_arcs(tasks, arcs, names=names))


def seconds(act: Callable[[], object]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def written(name: str, tasks: int, folder: Path) -> Path:
    entry = FORMATS.find(name)
    path = folder / f"{tasks}{entry.suffixes[0]}"
    path.write_text(entry.text(workflow(tasks), path=str(path)))
    return path


def pydot_edges(path: Path) -> object:
    return networkx.nx_pydot.from_pydot(pydot.graph_from_dot_file(str(path))[0])


def csv_rows(path: Path) -> object:
    with path.open(newline="") as file:
        return list(csv.reader(file))


def networkx_edges(path: Path) -> object:
    lines = (line for line in path.read_text().splitlines() if " " in line)
    return networkx.parse_edgelist(lines, create_using=networkx.DiGraph)


def main() -> None:
    print(f"{'format':<10}{'tasks':>10}{'MB':>8}{'read s':>9}  other reader of the same file")
    others = {"edges": networkx_edges, "csv": csv_rows}
    with tempfile.TemporaryDirectory() as folder:
        jobs = [*SIZES.items(), ("dot", SMALL)]
        for name, tasks in jobs:
            path = written(name, tasks, Path(folder))
            taken = seconds(lambda path=path: icsched.read(path))
            other = pydot_edges if tasks == SMALL else others.get(name)
            told = ""
            if other is not None:
                of_other = seconds(lambda path=path, other=other: other(path))
                told = f"{other.__name__} {of_other:.2f} s"
            size = path.stat().st_size / 1e6
            print(f"{name:<10}{tasks:>10,}{size:>8.1f}{taken:>9.2f}  {told}")


if __name__ == "__main__":
    main()
