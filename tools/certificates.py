"""Print how close orders come to the certified bound, on traces and families, as Markdown."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from gains.subjects import TRACES, family_worlds, trace_worlds

from icsched import Dag, bound, prioritize

ORDERS = ("fifo", "critical-path", "dask", "prio", "area")


def main() -> None:
    """Print a row for each workflow, and the means."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else TRACES
    print("| workflow | tasks | bound s | " + " | ".join(ORDERS) + " |")
    print("| --- " * (3 + len(ORDERS)) + "|")
    areas = []
    for name, dag in subjects(folder):
        start = time.perf_counter()
        found = bound(dag)
        seconds = time.perf_counter() - start
        made = [found.certificate(prioritize(dag, order)) for order in ORDERS]
        areas.append([each.area_ratio for each in made])
        cells = [f"{m.min_ratio:.3f} {m.mean_ratio:.4f} {m.area_ratio:.4f}" for m in made]
        print(f"| {name} | {len(dag):,} | {seconds:.2f} | " + " | ".join(cells) + " |", flush=True)
    means = " | ".join(f"{mean:.4f}" for mean in np.mean(areas, axis=0))
    print(f"| mean area over bound | | | {means} |")


def subjects(folder: Path) -> Iterator[tuple[str, Dag]]:
    """Yield each workflow once."""
    for worlds in (trace_worlds(folder), family_worlds()):
        yield from ((world.workflow, world.dag) for world in worlds if world.times == "unit")


if __name__ == "__main__":
    main()
