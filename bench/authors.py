"""Time and memory of `icsched prio` on the four workflows of the authors, beside their figures.

Malewicz, Foster, Rosenberg and Wilde 2007, "A Tool for Prioritizing DAGMan Jobs and its
Evaluation", section 3.6, ran their tool on a 3.4 GHz Pentium 4 with 4 GB. Each row here is one
process that reads a DAGMan file, orders its jobs and writes the file with priorities: wall time
and time on the processor, the best of three, and the most memory that the process held, Python
included. Nothing is asserted.
"""

import os
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from harness import show

from icsched import Dag, families
from icsched.formats import write_dagman

# Name, dag of the size that the authors state, seconds and megabytes that they state.
AUTHORS = {
    "AIRSN": (families.airsn(250), "under 1", 2),
    "Inspiral": (families.inspiral(), "16", 21),
    "Montage": (families.montage(), "8", 104),
    "SDSS": (families.sdss(), "845", 1300),
}


def measured(file: Path) -> tuple[float, float, float]:
    """Return the seconds, those on the processor, and the megabytes of ``icsched prio``."""
    target = file.with_suffix(".out.dag")
    target.unlink(missing_ok=True)
    icsched = str(Path(sys.executable).parent / "icsched")
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    start = perf_counter()
    command = [icsched, "prio", str(file), "-o", str(target)]
    process = os.posix_spawn(icsched, command, dict(os.environ), file_actions=quiet)
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    busy = usage.ru_utime + usage.ru_stime
    return perf_counter() - start, busy, usage.ru_maxrss / 1024


def row(name: str, dag: Dag, seconds: str, megabytes: int, folder: Path) -> list[str]:
    file = folder / f"{name}.dag"
    write_dagman(dag, file)
    runs = [measured(file) for _ in range(3)]
    wall, busy, held = zip(*runs, strict=True)
    ours = [f"{min(wall):.2f}", f"{min(busy):.2f}"]
    return [name, f"{len(dag):,}", seconds, *ours, f"{megabytes:,}", f"{max(held):.0f}"]


def main() -> None:
    header = [
        "workflow",
        "jobs",
        "authors, s",
        "icsched, s",
        "on CPU, s",
        "authors, MB",
        "icsched, MB",
    ]
    with tempfile.TemporaryDirectory() as folder:
        rows = [row(name, *case, Path(folder)) for name, case in AUTHORS.items()]
    show("icsched prio FILE -o OUT beside the authors' tool", header, rows)


if __name__ == "__main__":
    main()
