"""Reading large workflows of other formats, against their parser alone.

A WfFormat file of a million tasks is read, and decoded by ``msgspec.json.decode`` without a type.
A Pegasus file of a hundred thousand jobs is read, and its events are counted as PyYAML's C parser
sends them. Each task has a run time, a command, an output and two parents drawn from those before
it. Both are measured in one process, in turns, so that the ratio is of the same machine and minute.
The bars are 3 times the decoder and 2 times the stream of events.
"""

import argparse
import gc
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import yaml
from harness import show

import icsched

KINDS = ("project", "diff", "fit", "background", "add")


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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tasks", type=int, default=1_000_000)
    options.add_argument("--jobs", type=int, default=100_000)
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wfformat, pegasus = Path(folder, "wf.json"), Path(folder, "wf.yml")
        write_wfformat(wfformat, given.tasks)
        write_pegasus(pegasus, given.jobs)
        rows = []
        for path, alone in (
            (wfformat, lambda: msgspec.json.decode(wfformat.read_bytes())),
            (pegasus, lambda: events(pegasus)),
        ):
            found = ratios(lambda path=path: icsched.read(path), alone, given.rounds)
            rows.append([path.name, path.stat().st_size / 1e6, *found])
    head = ["file", "MB", "read (s)", "parser alone (s)", "ratio"]
    show("Reading, against the parser alone", head, rows)


if __name__ == "__main__":
    main()
