"""Snakemake's schedulers: icsched against greedy, ilp and firstfit.

Two tables call `select_jobs` alone, on ready jobs in memory: all schedulers, and icsched with very
many jobs. Another has whole runs of the real Snakemake, whose jobs write an empty file each, in the
executor of `harness/instant`. The last has the most bytes of temporary files that such runs keep. A
scheduler that needs more than
LONGEST_S for a round of a smaller size is left out at the next size.

Run with ``--quick`` for a tenth of the sizes; all takes about a quarter of an hour.
"""

import argparse
import logging
import os
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from harness import show

HERE = Path(__file__).parent
SOURCES = HERE.parent / "src"
LONGEST_S = 20.0
MODULES = {
    "icsched": "snakemake_scheduler_plugin_icsched",
    "greedy": "snakemake.scheduling.greedy",
    "ilp": "snakemake.scheduling.milp",
    "firstfit": "snakemake_scheduler_plugin_firstfit",
}
SLOTS = {"few": 4, "many": 500}


class File(str):
    """A file that is not temporary."""

    __slots__ = ()

    def is_flagged(self, _: str) -> bool:
        """Whether the file is temporary: it is not."""
        return False


class Job:
    """A ready job with input files, as schedulers see it."""

    priority = 0
    log = ()
    benchmark = None

    def __init__(self, number: int, inputs: int) -> None:
        self.input = [File(f"in/{number}.{at}") for at in range(inputs)]
        self.output = [File(f"out/{number}")]
        self.scheduler_resources = {"_cores": 1, "_nodes": 1, "mem_mb": 100, "_job_count": 1}


class Graph:
    """Jobs without dependencies."""

    def __init__(self, jobs: list[Job]) -> None:
        self.jobs = jobs

    def needrun_jobs(self) -> list[Job]:
        """Return all jobs."""
        return self.jobs

    def job_dependencies(self, _: Job) -> list[Job]:
        """Return no job."""
        return []

    def finished(self, _: Job) -> bool:
        """Whether the job is done: none is."""
        return False


class Chains(Graph):
    """Pairs of jobs; a job that is added later stands alone."""

    def __init__(self, above: list[Job], below: list[Job]) -> None:
        super().__init__(above + below)
        self._parent = dict(zip(below, above, strict=True))

    def job_dependencies(self, job: Job) -> list[Job]:
        """Return the first job of the pair, for the second."""
        return [self._parent[job]] if job in self._parent else []


def rounds(scheduler: str, count: int, slots: int, inputs: int) -> tuple[float, float, float]:
    """Return the seconds of the first round, of the next one, and of one without a change."""
    module = import_module(MODULES[scheduler])
    jobs = [Job(number, inputs) for number in range(count)]
    sizes = {file: 1000 for job in jobs for file in job.input}
    chooser = module.Scheduler(Graph(jobs), module.SchedulerSettings(), logging.getLogger("bench"))
    limits = {"_cores": slots, "_nodes": sys.maxsize, "mem_mb": 10**6, "_job_count": sys.maxsize}
    none = {**limits, "mem_mb": 50}
    ready = set(jobs)
    found = []
    for available in (limits, limits, none, none):
        start = time.perf_counter()
        picked = chooser.select_jobs(ready, list(ready), available, sizes)
        found.append(time.perf_counter() - start)
        if found[-1] > LONGEST_S:
            break
        ready -= set(picked or ())
    found += [float("nan")] * (4 - len(found))
    return found[0], found[1], found[3]


def selection(counts: list[int]) -> None:
    rows: list[list[object]] = []
    for many, slots in SLOTS.items():
        for inputs in (0, 2):
            for scheduler in MODULES:
                row: list[object] = [scheduler, f"{many} ({slots})", inputs]
                for count in counts:
                    if "-" in row:
                        row += ["-", "-", "-"]
                        continue
                    first, following, same = rounds(scheduler, count, slots, inputs)
                    row += [first, following, same]
                    if first > LONGEST_S:
                        row.append("-")
                rows.append(row[: 3 + 3 * len(counts)])
    head = ["scheduler", "slots", "inputs a job"]
    for count in counts:
        head += [f"{count:,}: first", "next", "no change"]
    show("Seconds of a round, by ready jobs", head, rows)


def large_rounds(count: int) -> None:
    """Show rounds of icsched with *count* ready jobs, and as many that wait for them."""
    module = import_module(MODULES["icsched"])
    above, below = ([Job(at, 2) for at in range(n, n + count)] for n in (0, count))
    graph = Chains(above, below)
    chooser = module.Scheduler(graph, module.SchedulerSettings(), logging.getLogger("bench"))
    limits = {"_cores": 500, "_nodes": sys.maxsize, "mem_mb": 10**6, "_job_count": sys.maxsize}
    ready, gone = set(above), set[Job]()
    rows: list[list[object]] = []
    for case in ["first"] + ["next", "after a retry", "after a checkpoint"] * 3:
        if case == "after a retry":
            again = gone.pop()
            ready.add(again)
        elif case == "after a checkpoint":
            graph.jobs.append(Job(2 * count + len(rows), 2))
        remaining = [job for job in graph.jobs if job not in gone]
        start, used = time.perf_counter(), time.process_time()
        picked = chooser.select_jobs(ready, remaining, limits, {})
        rows.append([case, time.process_time() - used, time.perf_counter() - start])
        ready.difference_update(picked)
        gone.update(picked)
    title = f"Seconds of a round: {count:,} ready jobs, as many more, 500 slots"
    show(f"{title} (load: {os.getloadavg()[0]:.0f})", ["round", "processor", "clock"], rows)


WIDE = """
N = {count}
rule all:
    input: expand("end/{{s}}", s=range(N))
rule begin:
    input: "in/{{s}}.0", "in/{{s}}.1"
    output: "begin/{{s}}"
    shell: "true"
rule end:
    input: "begin/{{s}}"
    output: "end/{{s}}"
    shell: "true"
"""

MERGED = """
wildcard_constraints: s="[0-9]+"
rule all:
    input: expand("end/{{s}}", s=range({count}))
rule lane:
    output: temp("temp/{{s}}.{{lane}}")
    shell: "true"
rule merge:
    input: expand("temp/{{{{s}}}}.{{lane}}", lane=range(8))
    output: temp("temp/{{s}}")
    shell: "true"
rule end:
    input: "temp/{{s}}"
    output: "end/{{s}}"
    shell: "true"
"""


class Cost(NamedTuple):
    """What a run took: seconds on the clock and of processors, most bytes of temporary files."""

    wall: float
    processor: float
    peak: int


def whole_run(snakefile: str, scheduler: list[str], slots: int, inputs: int = 0) -> Cost:
    """Run a Snakefile in a folder that has two files for each of *inputs* samples."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "Snakefile").write_text(snakefile)
        (place / "in").mkdir()
        for number in range(inputs):
            for at in range(2):
                (place / "in" / f"{number}.{at}").write_text("x")
        path = os.pathsep.join(map(str, (SOURCES, HERE / "harness" / "instant")))
        environment = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": folder}
        command = [sys.executable, "-m", "snakemake", "--executor", "instant", "--quiet", "rules"]
        start, used = time.perf_counter(), _of_children()
        done = subprocess.run(  # noqa: S603  our own command
            [*command, f"-c{slots}", "--scheduler", *scheduler],
            cwd=place, env=environment, capture_output=True, text=True, timeout=1800,
        )  # fmt: skip
        if done.returncode:
            sys.exit(done.stderr)
        peak = int((place / "peak").read_text())
        return Cost(time.perf_counter() - start, _of_children() - used, peak)


def _of_children() -> float:
    used = os.times()
    return used.children_user + used.children_system


def whole_runs(samples: int) -> None:
    """Every sample has two jobs, and the first of them two input files of its own."""
    ours = {"icsched, sizes skipped": ["icsched", "--scheduler-icsched-skip-input-sizes"]}
    schedulers = {name: [name] for name in MODULES} | ours
    rows = []
    for slots, count in {4: samples // 4, 64: samples}.items():
        for name, options in schedulers.items():
            cost = whole_run(WIDE.format(count=count), options, slots, count)
            rows.append([name, slots, 2 * count, cost.processor, cost.wall])
    head = ["scheduler", "slots", "jobs", "processor", "clock"]
    show(f"Seconds of a whole run (load of the machine: {os.getloadavg()[0]:.0f})", head, rows)


def temporary_bytes(samples: int) -> None:
    schedulers = {name: [name] for name in ("greedy", "ilp", "firstfit")}
    schedulers |= {f"icsched {order}": ["icsched", "--scheduler-icsched-order", order]
                   for order in ("auto", "lean")}  # fmt: skip
    rows = []
    for name, options in schedulers.items():
        row: list[object] = [name]
        for slots in (4, 16):
            row.append(whole_run(MERGED.format(count=samples), options, slots).peak)
        rows.append(row)
    show(
        f"Most bytes of temporary files: {samples} samples of 8 lanes, 1,000 bytes a file",
        ["scheduler", "4 slots", "16 slots"],
        rows,
    )


PARTS = {
    "temporary": lambda _: temporary_bytes(20),
    "runs": lambda part: whole_runs(1_600 // part),
    "large": lambda part: large_rounds(230_000 // part),
    "selection": lambda part: selection([20_000 // part, 100_000 // part]),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    parser.add_argument("--part", choices=PARTS, action="append", help="by default all")
    given = parser.parse_args()
    part = 10 if given.quick else 1
    sys.path.insert(0, str(SOURCES))
    for name in given.part or PARTS:
        PARTS[name](part)


if __name__ == "__main__":
    main()
