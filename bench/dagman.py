"""Reading a DAGMan file of a million jobs: the whole reader, its scanner, a bare split.

Each job has a JOB, a VARS, a RETRY and a PARENT line; its parent is drawn from all jobs before it.
The split is ``open(path).read().split()``, which is the cost of reading words without a meaning.
Each measurement has a process of its own, so that its peak of memory is its own.

The second table reads files of half as many jobs, written in other usual ways or with other
statements. ``--keep DIR`` leaves these files in DIR, for other programs to read.
"""

import argparse
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from harness import show
from harness.alone import measure_alone

JOB = "JOB {name} stack.sub"
VARS = 'VARS {name} x="{x}" y="{y}" band="g"'
RETRY = "RETRY {name} 3"
FORMS = {  # the three lines of a job
    "plain": [JOB, VARS, RETRY],
    "escaped quotes in VARS": [JOB, 'VARS {name} x="{x}" y="{y}" +Band="\\"g\\""', RETRY],
    "VARS without quotes": [JOB, "VARS {name} x={x} y={y} band=g", RETRY],
    "SUBDAG EXTERNAL": ["SUBDAG EXTERNAL {name} inner.dag", VARS, RETRY],
    "quoted submit files": ['JOB {name} "a stack.sub"', VARS, RETRY],
    "inline descriptions": ["JOB {name} {{\n  executable = stack\n}}", VARS, RETRY],
    "SAVE_POINT_FILE": [JOB, VARS, "SAVE_POINT_FILE {name} {name}.save"],
    "SCRIPT DEFER": [JOB, VARS, "SCRIPT DEFER 4 60 POST {name} check $JOB"],
}


def write_file(path: Path, jobs: int, form: Sequence[str] = FORMS["plain"]) -> None:
    parents = np.random.default_rng(1).integers(np.arange(1, jobs)).tolist()
    text = "".join(f"{line}\n" for line in form)
    with path.open("w") as file:
        file.writelines(
            text.format(name=f"stack_{job:07}", x=job % 1000, y=job // 1000) for job in range(jobs)
        )
        file.writelines(
            f"PARENT stack_{parent:07} CHILD stack_{job:07}\n"
            for job, parent in enumerate(parents, 1)
        )


def split(path: Path) -> Callable[[], object]:
    return lambda: path.open().read().split()


def scan(path: Path) -> Callable[[], object]:
    from icsched._native import scan_dagman  # here, so that the split does not load numpy

    data = path.read_bytes()
    return lambda: scan_dagman(data)


def whole(path: Path) -> Callable[[], object]:
    import icsched

    return lambda: icsched.read(path)


def show_forms(folder: Path, jobs: int) -> None:
    rows = []
    for name, form in FORMS.items():
        path = folder / f"{re.sub('[^A-Za-z]+', '-', name).strip('-')}.dag"
        write_file(path, jobs, form)
        took, peak = measure_alone(whole, path)
        rows.append([name, took, took / rows[0][1] if rows else 1, peak])
    show(f"{jobs:,} jobs in other ways", ["file", "s", "x plain", "peak MB"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="10^4 jobs, a few seconds")
    parser.add_argument("--keep", type=Path, help="directory for the files of the second table")
    arguments = parser.parse_args()
    jobs = 10_000 if arguments.quick else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.dag"
        write_file(path, jobs)
        megabytes = path.stat().st_size / 1e6
        acts = {"split into words": split, "scan kernel alone": scan, "icsched.read": whole}
        taken = {name: measure_alone(make, path) for name, make in acts.items()}
    base = taken["split into words"][0]
    rows = [[name, s, s / base, megabytes / s, peak] for name, (s, peak) in taken.items()]
    head = ["act", "s", "x split", "MB/s", "peak MB"]
    show(f"a DAGMan file of {jobs:,} jobs, {megabytes:.3g} MB", head, rows)
    with tempfile.TemporaryDirectory() as folder:
        show_forms(arguments.keep or Path(folder), jobs // 2)


if __name__ == "__main__":
    main()
