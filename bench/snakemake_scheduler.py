"""Snakemake's schedulers: icsched against greedy, ilp and firstfit.

Two tables call `select_jobs` alone, on ready jobs in memory: all schedulers, and icsched with very
many jobs. A scheduler that needs more than LONGEST_S for a round of a smaller size is left out at
the next size. Another table has whole runs of the real Snakemake, whose jobs write an empty file
each, in the executor of `harness/instant`. A run is stopped once it has used ``--limit`` seconds of
processor time, so that a busy machine changes little. The last table has the most bytes of
temporary files that such runs keep.

Run with ``--quick`` for a tenth of the sizes; all takes about a quarter of an hour. Longer runs:
``--part runs --jobs 100000 --slots 500 --inputs 0 --limit 240 --scheduler icsched``.
"""

import argparse
import logging
import os
import signal
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
SCHEDULERS = {name: [name] for name in MODULES} | {
    "icsched, sizes skipped": ["icsched", "--scheduler-icsched-skip-input-sizes"]
}
SLOTS = {"few": 4, "many": 500}
LIMIT_S = 1800.0  # of processor time, for a whole run


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
        self.resources = self.scheduler_resources


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
    input: {inputs}
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
    """What a run took: seconds on the clock and of processors, most bytes of temporary files.

    `done` is the number of jobs that were done when the run was stopped, or None.
    """

    wall: float
    processor: float
    peak: int
    done: int | None = None


def whole_run(
    snakefile: str, scheduler: list[str], slots: int, samples: int = 0, limit: float = LIMIT_S
) -> Cost:
    """Run a Snakefile in a folder that has two files for each of *samples*."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "Snakefile").write_text(snakefile)
        (place / "in").mkdir()
        for number in range(samples):
            for at in range(2):
                (place / "in" / f"{number}.{at}").write_text("x")
        path = os.pathsep.join(map(str, (SOURCES, HERE / "harness" / "instant")))
        environment = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": folder}
        command = [sys.executable, "-m", "snakemake", "--executor", "instant", "--quiet", "rules"]
        command += [f"-c{slots}", "--scheduler", *scheduler]
        start, used = time.perf_counter(), _of_children()
        is_done = _ended(command, place, environment, limit)
        wall, processor = time.perf_counter() - start, _of_children() - used
        if not is_done:
            done = sum(1 for name in ("begin", "end") for _ in place.glob(f"{name}/*"))
            return Cost(wall, processor, 0, done)
        return Cost(wall, processor, int((place / "peak").read_text()))


def _ended(command: list[str], place: Path, environment: dict[str, str], limit: float) -> bool:
    """Return whether the command ended by itself; else it is stopped, with its children."""
    with (place / "log").open("w") as log:
        run = subprocess.Popen(  # noqa: S603  our own command
            command, cwd=place, env=environment, stdout=log, stderr=log, start_new_session=True
        )
        try:
            while run.poll() is None and _used(run.pid) < limit:
                time.sleep(0.2)
        finally:  # also after Ctrl-C, which the other session does not hear
            is_stopped = run.poll() is None
            if is_stopped:
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()
    if run.returncode and not is_stopped:
        sys.exit((place / "log").read_text())
    return not is_stopped


def _used(process: int) -> float:
    """Return the seconds of processor time of a process and of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _of_children() -> float:
    used = os.times()
    return used.children_user + used.children_system


def whole_runs(jobs: dict[int, int], inputs: int, limit: float, only: list[str]) -> None:
    """Every sample has two jobs; the first of them has *inputs* files of its own, none or two.

    *jobs* says how many jobs are run, by slots.
    """
    files = ", ".join(f'"in/{{s}}.{at}"' for at in range(inputs))
    rows: list[list[object]] = []
    for slots, count in jobs.items():
        snakefile = WIDE.format(count=count // 2, inputs=files)
        for name in only or SCHEDULERS:
            cost = whole_run(snakefile, SCHEDULERS[name], slots, inputs * count // 4, limit)
            note = "" if cost.done is None else f"stopped, {cost.done:,} jobs were done"
            rows.append([name, slots, count, cost.processor, cost.wall, note])
    head = ["scheduler", "slots", "jobs", "processor", "clock", ""]
    title = f"Seconds of a whole run, {inputs} inputs a sample"
    show(f"{title} (load of the machine: {os.getloadavg()[0]:.0f})", head, rows)


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
    "runs": lambda given: whole_runs(_jobs(given), given.inputs, given.limit, given.scheduler),
    "large": lambda given: large_rounds(230_000 // given.divisor),
    "selection": lambda given: selection([20_000 // given.divisor, 100_000 // given.divisor]),
}


def _jobs(given: argparse.Namespace) -> dict[int, int]:
    if given.jobs:
        return {given.slots: given.jobs}
    return {4: 800 // given.divisor, 64: 3_200 // given.divisor}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    quick = {"action": "store_const", "const": 10, "default": 1}
    parser.add_argument("--quick", dest="divisor", **quick, help="a tenth of the sizes")
    parser.add_argument("--part", choices=PARTS, action="append", help="by default all")
    runs = parser.add_argument_group("whole runs")
    runs.add_argument("--jobs", type=int, help="how many jobs; by default 800 and 3,200")
    runs.add_argument("--slots", type=int, default=500, help="with --jobs: jobs at once")
    runs.add_argument("--inputs", type=int, choices=[0, 2], default=2, help="files of a sample")
    runs.add_argument("--limit", type=float, default=LIMIT_S, help="processor seconds of a run")
    which = {"choices": SCHEDULERS, "default": [], "help": "by default all"}
    runs.add_argument("--scheduler", action="append", **which)
    given = parser.parse_args()
    sys.path.insert(0, str(SOURCES))
    for name in given.part or PARTS:
        PARTS[name](given)


if __name__ == "__main__":
    main()
