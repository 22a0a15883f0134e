"""Measure what every order gains, and write the tables and figures of docs/gains.md.

Usage: python -m tools.gains [--traces FOLDER] [--again]. The traces are files in WfFormat. Without
the folder only the dags of icsched.families are measured, and the page is left alone. The cells go
to build/gains.json. With --again that file is used, and nothing is simulated.
"""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import msgspec

from tools.gains.cells import CellFound, cells_of
from tools.gains.subjects import TRACES, World, family_worlds, trace_worlds

ROOT = Path(__file__).parents[2]
CELLS = ROOT / "build" / "gains.json"


def main() -> None:
    """Measure, then write."""
    options = _options()
    if not options.again:
        CELLS.parent.mkdir(exist_ok=True)
        CELLS.write_bytes(msgspec.json.encode(measure(worlds(options.traces))))
    from tools.gains.page import write_page

    write_page(msgspec.json.decode(CELLS.read_bytes(), type=list[CellFound]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.gains", description=__doc__)
    parser.add_argument("--traces", type=Path, default=TRACES, help="folder with the traces")
    parser.add_argument("--again", action="store_true", help="use the cells of the last time")
    return parser.parse_args()


def worlds(folder: Path) -> list[World]:
    """Return all that is simulated, the longest first."""
    traces = list(trace_worlds(folder))
    if not traces:
        print(f"no traces in {folder}: families only", flush=True)
    cost = {"real": 4, "drawn": 2, "unit": 1}
    everything = [*traces, *family_worlds()]
    return sorted(everything, key=lambda world: -len(world.dag) * cost[world.times])


def measure(wanted: list[World]) -> list[CellFound]:
    """Measure *wanted* on all cores, and show what is done."""
    began = time.perf_counter()
    found: dict[int, list[CellFound]] = {}
    with ProcessPoolExecutor() as cores:
        waiting = {cores.submit(_all_cells, world): i for i, world in enumerate(wanted)}
        for done, future in enumerate(as_completed(waiting), 1):
            found[waiting[future]] = future.result()
            world = wanted[waiting[future]]
            seconds = time.perf_counter() - began
            head = f"{done:3} of {len(wanted)}  {seconds:5.0f} s"
            print(f"{head}  {world.workflow}, {world.times} times", file=sys.stderr, flush=True)
    return [cell for i in sorted(found) for cell in found[i]]


def _all_cells(world: World) -> list[CellFound]:
    return list(cells_of(world))


if __name__ == "__main__":
    main()
