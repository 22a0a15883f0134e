"""Reading large workflows: what memory it takes, and the time against the parser alone.

``memory``: a file of each format is read in a fresh process. Each task has a run time, a size, a
priority, a command and two parents, as far as the format holds them. The memory is the peak of the
process less what it had before, as a multiple of the file.

``parsers``: a WfFormat file of a million tasks is read, and decoded by ``msgspec.json.decode``
without a type. A Pegasus file of a hundred thousand jobs is read, and its events are counted as
PyYAML's C parser sends them. Each task has a run time, a command, an output and two parents drawn
from those before it. Both are measured in one process, in turns, so that the ratio is of the same
machine and minute. The bars are 3 times the decoder and 2 times the stream of events.
"""

import argparse
import gc
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np
import yaml
from harness import show

import icsched
from icsched import Dag, Workflow
from icsched.formats import FORMATS
from icsched.workflow import Command, OwnSource

KINDS = ("project", "diff", "fit", "background", "add")
MEASURED = ("wfformat", "dax", "pegasus", "dot", "csv", "edges")
SAMPLE = 1000  # tasks of the file that tells how long a task is
# Prints tasks, bytes and processor seconds. VmHWM is of this process; ru_maxrss may be of another.
READER = """
import re, sys, time
import icsched

def kilobytes(name):
    with open("/proc/self/status") as status:
        return int(re.search(name + r":\\s+(\\d+)", status.read())[1])

icsched.read(sys.argv[2])  # imports what a reader needs
before, start = kilobytes("VmRSS"), time.process_time()
workflow = icsched.read(sys.argv[1])
seconds = time.process_time() - start
print(len(workflow.dag), 1024 * (kilobytes("VmHWM") - before), seconds)
"""


def parents_of(tasks: int) -> Iterator[list[int]]:
    draw = random.Random(1)  # noqa: S311  no secret
    for task in range(tasks):
        yield sorted({draw.randrange(task) for _ in range(2)}) if task else []


def name(task: int) -> str:
    return f"{KINDS[task % len(KINDS)]}_ID{task:07}"


def write_wfformat(path: Path, tasks: int) -> None:
    parents = list(parents_of(tasks))
    children: list[list[str]] = [[] for _ in range(tasks)]
    for task, above in enumerate(parents):
        for parent in above:
            children[parent].append(name(task))
    specified = [
        {
            "name": name(task),
            "id": name(task),
            "parents": [name(parent) for parent in above],
            "children": children[task],
            "inputFiles": [f"{name(parent)}.fits" for parent in above],
            "outputFiles": [f"{name(task)}.fits"],
        }
        for task, above in enumerate(parents)
    ]
    executed = [
        {
            "id": name(task),
            "runtimeInSeconds": task % 977 / 7,
            "command": {"program": KINDS[task % 5], "arguments": ["-X", f"{name(task)}.fits"]},
            "coreCount": 1,
            "avgCPU": 98.2,
            "memoryInBytes": 31_000_000,
            "machines": ["worker-1"],
        }
        for task in range(tasks)
    ]
    files = [{"id": f"{name(task)}.fits", "sizeInBytes": 4_000 + task} for task in range(tasks)]
    content = {
        "specification": {"tasks": specified, "files": files},
        "execution": {"makespanInSeconds": 1, "executedAt": "2026", "tasks": executed},
    }
    instance = {"name": "bench", "schemaVersion": "1.5", "workflow": content}
    path.write_bytes(msgspec.json.encode(instance))


def write_pegasus(path: Path, jobs: int) -> None:
    parents = list(parents_of(jobs))
    with path.open("w") as file:
        file.write('pegasus: "5.0"\nname: bench\njobs:\n')
        for job, above in enumerate(parents):
            file.write(
                f'- type: job\n  name: {KINDS[job % 5]}\n  id: "{name(job)}"\n'
                f"  arguments:\n  - -X\n  - {name(job)}.fits\n  uses:\n"
            )
            for parent in above:
                file.write(f"  - lfn: {name(parent)}.fits\n    type: input\n")
            file.write(f"  - lfn: {name(job)}.fits\n    type: output\n    stageOut: false\n")
        file.write("jobDependencies:\n")
        children: list[list[int]] = [[] for _ in range(jobs)]
        for job, above in enumerate(parents):
            for parent in above:
                children[parent].append(job)
        for job, below in enumerate(children):
            if below:
                file.write(f'- id: "{name(job)}"\n  children:\n')
                file.writelines(f'  - "{name(child)}"\n' for child in below)


def workflow(tasks: int) -> Workflow:
    arcs = [(parent, task) for task, above in enumerate(parents_of(tasks)) for parent in above]
    names = [name(task) for task in range(tasks)]
    commands = [Command((KINDS[task % 5], "-X", f"{names[task]}.fits")) for task in range(tasks)]
    numbers = np.arange(tasks)
    return Workflow(
        Dag.from_arcs(tasks, np.array(arcs).reshape(-1, 2), names=names),
        np.zeros(tasks, bool),
        numbers % 977 / 7,
        4_000 + numbers,
        priorities=tasks - numbers,
        source=OwnSource(commands),
    )


def written(form: str, tasks: int, folder: Path) -> Path:
    entry = FORMATS.find(form)
    path = folder / f"{tasks}{entry.suffixes[0]}"
    path.write_text(entry.text(workflow(tasks), path=str(path)))
    return path


def memory_row(form: str, size: float, folder: Path) -> list[object]:
    """Read a file of about *size* bytes; return the row of the table."""
    sample = written(form, SAMPLE, folder)
    path = written(form, round(size * SAMPLE / sample.stat().st_size), folder)
    words = [sys.executable, "-c", READER, str(path), str(sample)]
    told = subprocess.run(words, check=True, capture_output=True, text=True)  # noqa: S603  ours
    tasks, peak, taken = told.stdout.split()
    length = path.stat().st_size
    return [form, length / 1e6, int(tasks), int(peak) / length, float(taken)]


def show_memory(size: float, forms: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = [memory_row(form, size, Path(folder)) for form in forms]
    head = ["format", "MB", "tasks", "peak memory (times the file)", "read (s)"]
    show("Reading, each in a fresh process", head, rows)


def events(path: Path) -> int:
    with path.open("rb") as file:
        return sum(1 for _ in yaml.parse(file, Loader=yaml.CSafeLoader))


def seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratios(ours: Callable[[], object], alone: Callable[[], object], rounds: int) -> list[float]:
    """Return the least seconds of each, and their ratio."""
    pairs = [(seconds(ours), seconds(alone)) for _ in range(rounds)]
    best = [min(column) for column in zip(*pairs, strict=True)]
    return [*best, best[0] / best[1]]


def show_parsers(tasks: int, jobs: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        wfformat, pegasus = Path(folder, "wf.json"), Path(folder, "wf.yml")
        write_wfformat(wfformat, tasks)
        write_pegasus(pegasus, jobs)
        rows = []
        for path, alone in (
            (wfformat, lambda: msgspec.json.decode(wfformat.read_bytes())),
            (pegasus, lambda: events(pegasus)),
        ):
            found = ratios(lambda path=path: icsched.read(path), alone, rounds)
            rows.append([path.name, path.stat().st_size / 1e6, *found])
    head = ["file", "MB", "read (s)", "parser alone (s)", "ratio"]
    show("Reading, against the parser alone", head, rows)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--part", choices=("memory", "parsers"), help="only this table")
    options.add_argument("--megabytes", type=float, default=20, help="of each file of `memory`")
    options.add_argument("--formats", nargs="+", default=MEASURED, help="of `memory`")
    options.add_argument("--tasks", type=int, default=1_000_000)
    options.add_argument("--jobs", type=int, default=100_000)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    if given.part != "parsers":
        show_memory(1e6 * given.megabytes, given.formats)
    if given.part != "memory":
        show_parsers(given.tasks, given.jobs, given.rounds)


if __name__ == "__main__":
    main()
