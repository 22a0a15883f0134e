"""Write examples/learn: a workflow of jobs that sleep, and the log of a run of it on 8 slots.

Nobody ran these jobs. icsched simulated them, first come, first served, and this script wrote the
log as HTCondor would have. `python -m tools.example_log` writes the same files again.
"""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from icsched import Dag, Workers
from icsched.sim import Experiment, Played, Times

FOLDER = Path(__file__).parent.parent / "examples" / "learn"
SCANS, SLOTS, BEGIN = 24, 8, datetime(2026, 10, 12, 8, 0, 0)
SECONDS = {"scan": 120, "clean": 60, "fit": 200, "calibrate": 500, "model": 500, "merge": 40}
SPREAD = 0.2
EVENTS = {
    0: "Job submitted from host: <10.0.0.1:9618?addrs=10.0.0.1-9618&alias=submit>\n"
    "    DAG Node: {name}",
    1: "Job executing on host: <10.0.0.2:9618?addrs=10.0.0.2-9618&alias=node>\n"
    "\tSlotName: slot{slot}@node\n\tCpus = 1",
    5: "Job terminated.\n\t(1) Normal termination (return value 0)\n"
    "\t\tUsr 0 00:00:00, Sys 0 00:00:00  -  Run Remote Usage",
}


def survey() -> Dag:
    """Return the workflow: scans are cleaned and fitted, a model is made, both are merged."""
    parents: dict[str, list[str]] = {f"scan_{i}": [] for i in range(1, SCANS + 1)}
    parents["calibrate"] = []
    parents |= {f"clean_{i}": [f"scan_{i}"] for i in range(1, SCANS + 1)}
    parents |= {f"fit_{i}": [f"clean_{i}"] for i in range(1, SCANS + 1)}
    parents["model"] = ["calibrate"]
    parents["merge"] = [*(f"fit_{i}" for i in range(1, SCANS + 1)), "model"]
    return Dag(parents)


def kind(name: object) -> str:
    """Return the kind of a job: its name without its number."""
    return str(name).partition("_")[0]


def dag_text(dag: Dag) -> str:
    """Return the workflow as a DAGMan file."""
    lines = [f"JOB {name} {kind(name)}.sub" for name in dag.names]
    arcs = ((dag.names[parent], dag.names[child]) for parent, child in dag.arcs.tolist())
    return "\n".join([*lines, *(f"PARENT {p} CHILD {c}" for p, c in arcs), ""])


def events(dag: Dag) -> Iterator[tuple[float, int, int, int]]:
    """Yield second, number of the event, task and slot of all events of one run."""
    draw = random.Random(1)  # noqa: S311  no secret
    means = [SECONDS[kind(name)] * draw.lognormvariate(0, SPREAD) for name in dag.names]
    times = Times("constant", means=means)
    pool = Workers(SLOTS)
    given = Experiment(dag, pool, times).trace(Played("fifo"), seed=1, run=0).assignments
    ended: dict[int, float] = {}
    rows = zip(given.task.tolist(), given.time, given.end, given.request.tolist(), strict=True)
    for task, start, end, slot in rows:
        ready = max((ended[parent] for parent in dag.parents(task)), default=0.0)
        ended[task] = end
        yield from [(ready, 0, task, slot), (start + 1, 1, task, slot), (end, 5, task, slot)]


def log_text(dag: Dag) -> str:
    """Return the log of the run as HTCondor writes it."""
    text = []
    for second, number, task, slot in sorted(events(dag)):
        stamp = f"{BEGIN + timedelta(seconds=round(second)):%Y-%m-%d %H:%M:%S}"
        body = EVENTS[number].format(name=dag.names[task], slot=slot + 1)
        text.append(f"{number:03} ({task + 101:03}.000.000) {stamp} {body}\n...\n")
    return "".join(text)


def submit_text(seconds: int) -> str:
    """Return a submit description of a job that only sleeps."""
    return f"executable = /bin/sleep\narguments = {seconds}\nlog = survey.log\nqueue\n"


def main() -> None:
    """Write all files."""
    dag = survey()
    for name, seconds in SECONDS.items():
        (FOLDER / f"{name}.sub").write_text(submit_text(seconds))
    (FOLDER / "survey.dag").write_text(dag_text(dag))
    (FOLDER / "survey.dag.nodes.log").write_text(log_text(dag))


if __name__ == "__main__":
    main()
