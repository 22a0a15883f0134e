"""How far off the simulation of HTCondor's partitionable slots is for recorded runs.

Usage: python -m tools.slot_model RUN_FOLDER...

Each folder is a run that tools.real_pool has kept. The simulator plays the run again 20 times. It
knows what the jobs asked for, how long they ran and the settings, and nothing else of what
happened. The rules are in src/icsched/sim/slot_engine.py.
"""

import argparse
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np

from icsched import Dag
from icsched.sim import Played, Times, slot_engine
from icsched.sim.machines import HTCondor, Machine, Machines, demands
from icsched.sim.slot_engine import USUAL_IDLE, Categories
from tools.real_pool import Job, Record, cores_over_time

DRAWS = 20  # how often each run is played
CORES = 8  # of the pool of tools/htcondor.sh
MIB = 2**20


@dataclass(frozen=True)
class Replay:
    """A recorded run beside what the model made of it, draw by draw."""

    name: str
    real_s: float
    draws_s: Sequence[float]
    cores_used: float  # on average over the real run
    cores_apart: float  # mean difference of the cores in use
    starts_apart_s: float  # mean difference of the starts of a job

    @property
    def error(self) -> float:
        """How much later the model ends the run on average, as a share of the real time."""
        return statistics.mean(self.draws_s) / self.real_s - 1

    def __str__(self) -> str:
        ends = f"{self.real_s:7.1f} {statistics.mean(self.draws_s):7.1f} {100 * self.error:6.1f}"
        spread = f"{min(self.draws_s):7.1f} {max(self.draws_s):7.1f}"
        cores = f"{self.cores_apart:9.2f} {self.cores_used:5.2f}"
        return f"{self.name:44} {ends} {spread} {cores} {self.starts_apart_s:12.2f}"


HEAD = (
    f"{'run':44} {'real s':>7} {'model s':>7} {'off %':>6} {'least':>7} {'most':>7}"
    f" {'cores off':>9} {'of':>5} {'starts off s':>12}"
)


def replayed(folder: Path) -> Replay:
    """Play the run in *folder* again; return how far off the simulation is."""
    record = msgspec.json.decode((folder / "run.json").read_bytes(), type=Record)
    pool, categories = pool_of(record, folder), categories_of(record, folder)
    first = min(job.submitted for job in record.jobs)
    real = [
        replace(job, started=job.started - first, ended=job.ended - first) for job in record.jobs
    ]
    runs = [simulated(record.jobs, pool, categories, seed=seed) for seed in range(DRAWS)]
    return Replay(
        "/".join(folder.parts[-2:]),
        record.seconds,
        [max(job.ended for job in jobs) for jobs in runs],
        record.cores_used,
        statistics.mean(cores_apart(real, jobs) for jobs in runs),
        statistics.mean(starts_apart(real, jobs) for jobs in runs),
    )


def simulated(
    jobs: Sequence[Job], pool: Machines, categories: Categories, *, seed: int
) -> list[Job]:
    """Return *jobs*, with the seconds from the first submission to each start and end."""
    dag = Dag({job.name: job.parents for job in jobs})
    needs = {
        "cores": np.array([job.cores for job in jobs], np.float64),
        "memory_bytes": np.array([job.memory_mib * MIB for job in jobs], np.float64),
    }
    held = demands(needs, len(dag), pool)
    order = Played("priority", priorities=[job.priority for job in jobs])
    means = np.array([job.seconds for job in jobs], np.float64)
    model = dag, order, pool, Times("constant"), means, held, categories
    given = slot_engine.run(*model, seed=seed, run=0).assignments
    times = zip(given.task.tolist(), given.time.tolist(), given.end.tolist(), strict=True)
    return [replace(jobs[task], started=start, ended=end) for task, start, end in times]


def pool_of(record: Record, folder: Path) -> Machines:
    """Return the pool of a run: as in tools/htcondor.sh, in the record and in the run's files."""
    dag = (folder / "wf.dag").read_text()
    submit_lines = "".join(path.read_text() for path in folder.glob("*.sub"))
    configured = [
        pair
        for name in re.findall(r"^CONFIG (\S+)$", dag, re.MULTILINE)
        for pair in re.findall(r"^(\w+) = (.*)$", (folder / name).read_text(), re.MULTILINE)
    ]
    values = record.settings | dict(configured)
    hold = re.search(r"^keep_claim_idle = (\d+)$", submit_lines, re.MULTILINE)
    options = dict(zip(record.dagman[::2], record.dagman[1::2], strict=True))
    max_idle = int(options.get("-maxidle", USUAL_IDLE))

    def number(key: str, default: float) -> float:
        return float(values.get(key, default))

    htcondor = HTCondor(
        scan_interval=number("DAGMAN_USER_LOG_SCAN_INTERVAL", 1),
        # -maxidle also sets how many jobs a scan submits.
        scan_submissions=100 if max_idle == USUAL_IDLE else max(1, max_idle // 10),
        hold=float(hold[1]) if hold else number("DAGMAN_HOLD_CLAIM_TIME", 20),
        schedd_interval=number("SCHEDD_INTERVAL", 1),
        heartbeat=max(1.05, number("SCHEDD_MIN_INTERVAL", 0)),  # the schedd counts whole seconds
        negotiator_interval=number("NEGOTIATOR_INTERVAL", 2),
        cycle_delay=number("NEGOTIATOR_CYCLE_DELAY", 0),
        worklife=number("CLAIM_WORKLIFE", 1200),
        exact_cores="TARGET.Cpus == MY.RequestCpus" in submit_lines,
    )
    slots = int(record.settings.get("NUM_SLOTS", 1))  # they share the machine
    memory = int(record.settings["MEMORY"]) // slots * MIB
    return Machines(
        [Machine({"cores": CORES // slots, "memory_bytes": memory}, slots)],
        max_jobs=int(options["-maxjobs"]) if "-maxjobs" in options else None,
        max_idle=max_idle,
        htcondor=htcondor,
    )


def categories_of(record: Record, folder: Path) -> Categories:
    """Return the categories of a run's jobs, and their limits, from the DAGMan file."""
    dag = (folder / "wf.dag").read_text()
    limits = dict(re.findall(r"^MAXJOBS (\S+) (\d+)", dag, re.MULTILINE))
    names = {category: place for place, category in enumerate(limits)}
    by_job = dict(re.findall(r"^CATEGORY (\S+) (\S+)", dag, re.MULTILINE))
    return Categories(
        np.array([names.get(by_job.get(job.name, ""), -1) for job in record.jobs], np.int32),
        np.array([int(limit) for limit in limits.values()], np.int32),
    )


def cores_apart(some: Sequence[Job], others: Sequence[Job]) -> float:
    """Return the mean difference of the cores in use, from second 0 to the later end.

    >>> a, b = (Job("a", 4, 2, started=0, ended=s) for s in (4, 3))
    >>> cores_apart([a], [b])
    0.5
    """
    changes = [dict(cores_over_time(jobs)) for jobs in (some, others)]
    times = sorted(changes[0].keys() | changes[1].keys())
    in_use, total = [0, 0], 0.0
    for now, then in pairwise(times):
        in_use = [change.get(now, cores) for change, cores in zip(changes, in_use, strict=True)]
        total += abs(in_use[0] - in_use[1]) * (then - now)
    return total / times[-1]


def starts_apart(some: Sequence[Job], others: Sequence[Job]) -> float:
    """Return the mean difference of the starts of the same jobs, in seconds."""
    starts = {job.name: job.started for job in others}
    return statistics.mean(abs(job.started - starts[job.name]) for job in some)


def summary(replays: Sequence[Replay]) -> str:
    """Return how far off the model is over all runs."""
    errors = [100 * replay.error for replay in replays]
    near = sum(abs(error) <= 5 for error in errors)
    median = statistics.median(map(abs, errors))
    return (
        f"{len(replays)} runs: median {median:.1f}% off, mean {statistics.mean(errors):+.1f}%; "
        f"{near} within 5%"
    )


def main() -> None:
    """Print how far off the model is for each run, and over all."""
    parser = argparse.ArgumentParser(prog="python -m tools.slot_model", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("folders", nargs="+", type=Path, metavar="RUN_FOLDER")
    replays = [replayed(folder) for folder in parser.parse_args().folders]
    print(HEAD, *replays, summary(replays), sep="\n")


if __name__ == "__main__":
    main()
