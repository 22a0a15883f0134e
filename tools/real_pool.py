"""Run made workflows on a real HTCondor, plain and ordered, and record what happened.

Usage: sh tools/htcondor.sh run .venv/bin/python -m tools.real_pool [OPTIONS] WORKFLOW...

Each workflow is run once in each order, one run after another, and all of that is repeated with
another seed. Jobs are `sleep`, so a run takes real seconds and little processor time. Each run
leaves a folder with the DAGMan file, its event log, DAGMan's own log and `run.json`, which has
what each job asked for and when it was submitted, started and ended. `--again` reads the folders
and prints the table again; it needs no pool.

The order `advised` does all that `icsched prio` advises for this pool, lines of submit files and
throttles included. Before each run, `icsched simulate` forecasts its end (forecast.json).

Example: ... -m tools.real_pool wide --orders plain,critical-path,auto --repeat 5
--dagman="-maxjobs 8" --set DAGMAN_HOLD_CLAIM_TIME=0
"""

import argparse
import json
import re
import shlex
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from io import StringIO
from math import isnan
from os import environ
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from icsched.commands.main import run as icsched
from tests.htcondor.pool import Condor, await_true, submit_file, text_of

RUNS = Path(__file__).parents[1] / "build" / "real_pool"
PLAIN, ADVISED = "plain", "advised"
CORES = 8  # of the pool of tools/htcondor.sh
SLEEP = ("universe = vanilla", "executable = /bin/sleep", "arguments = $(seconds)")
NEEDS = ("request_cpus = $(cores)", "request_memory = $(memory)", "request_disk = 8")
# Whole seconds are too coarse for delays of tenths of a second. The machine of the pool has the
# same memory on every host; tools/htcondor.sh gives it 8 cores.
SETTINGS = {"DEFAULT_USERLOG_FORMAT_OPTIONS": "SUB_SECOND", "MEMORY": "8192"}
SHAPE = re.compile("MEMORY|NUM_|SLOT_TYPE_")  # settings that the startd reads at its start alone
LIMIT_S = 1800  # a run that takes longer is broken
SUBMIT, EXECUTE, TERMINATED = "000", "001", "005"  # events, by HTCondor's numbers


# What runs


@dataclass(frozen=True)
class Job:
    """A job that sleeps, what it holds meanwhile, and when it did: POSIX times, NaN before."""

    name: str
    seconds: int
    cores: int = 1
    memory_mib: int = 128
    parents: tuple[str, ...] = ()
    priority: int = 0
    submitted: float = float("nan")
    started: float = float("nan")
    ended: float = float("nan")
    slot: str = ""
    slot_cores: int = 0  # what the slot had: more than `cores` in a claim of a larger job

    @property
    def kind(self) -> str:
        """The name without its number."""
        return self.name.rstrip("0123456789")


def wide(draw: Random) -> Iterator[Job]:
    """60 jobs of one core, 10 of five, and a merge of all."""
    small = [Job(f"small{i}", draw.randint(4, 12)) for i in range(60)]
    large = [Job(f"large{i}", draw.randint(8, 16), cores=5) for i in range(10)]
    yield from [*small, *large]
    yield Job("merge", 4, parents=tuple(job.name for job in [*small, *large]))


def mixed(draw: Random) -> Iterator[Job]:
    """24 samples: a job of one core, then one of one, two or four, then a report."""
    reports = []
    for i in range(24):
        yield Job(f"prepare{i}", draw.randint(4, 8))
        cores = draw.choice([1, 2, 4])
        parents = (f"prepare{i}",)
        yield Job(f"align{cores}x{i}", draw.randint(6, 16), cores=cores, parents=parents)
        reports.append(f"align{cores}x{i}")
    yield Job("report", 4, parents=tuple(reports))


def memory(draw: Random) -> Iterator[Job]:
    """40 small jobs and 12 of one core that want three eighths of the machine's memory."""
    yield from (Job(f"small{i}", draw.randint(4, 10)) for i in range(40))
    yield from (Job(f"big{i}", draw.randint(6, 12), memory_mib=3072) for i in range(12))


def whole(draw: Random) -> Iterator[Job]:
    """40 jobs of one core among 4 that want the whole machine, each before a tail."""
    yield from (Job(f"small{i}", draw.randint(4, 10)) for i in range(40))
    for i in range(4):
        yield Job(f"whole{i}", draw.randint(4, 8), cores=8)
        yield Job(f"tail{i}", draw.randint(8, 12), parents=(f"whole{i}",))


def chains(draw: Random) -> Iterator[Job]:
    """30 jobs alone and 6 chains of unequal length, all of one core."""
    yield from (Job(f"lone{i}", draw.randint(4, 12)) for i in range(30))
    for i in range(6):
        parent: tuple[str, ...] = ()
        for j in range(i + 2):
            yield Job(f"link{i}x{j}", draw.randint(4, 10), parents=parent)
            parent = (f"link{i}x{j}",)


def forks(draw: Random) -> Iterator[Job]:
    """Two rounds of a fork and a join, beside 20 jobs alone, all of one core."""
    yield from (Job(f"lone{i}", draw.randint(4, 12)) for i in range(20))
    parent: tuple[str, ...] = ()
    for turn in range(2):
        yield Job(f"split{turn}", draw.randint(3, 6), parents=parent)
        leaves = tuple(f"leaf{turn}x{i}" for i in range(16))
        for leaf in leaves:
            yield Job(leaf, draw.randint(3, 12), parents=(f"split{turn}",))
        yield Job(f"join{turn}", draw.randint(3, 6), parents=leaves)
        parent = (f"join{turn}",)


WORKFLOWS: dict[str, Callable[[Random], Iterator[Job]]] = {
    made.__name__: made for made in (wide, mixed, memory, whole, chains, forks)
}


def dag_text(jobs: Iterable[Job]) -> str:
    """Return the DAGMan file of *jobs*, with their priorities if they have any."""
    lines = []
    for job in jobs:
        values = f'seconds="{job.seconds}" cores="{job.cores}" memory="{job.memory_mib}"'
        lines += [f"JOB {job.name} {job.kind}.sub", f"VARS {job.name} {values}"]
        lines += [f"PRIORITY {job.name} {job.priority}"] if job.priority else []
    lines += [f"PARENT {' '.join(job.parents)} CHILD {job.name}" for job in jobs if job.parents]
    return "\n".join([*lines, ""])


def write_workflow(place: Path, jobs: Sequence[Job], lines: Sequence[str] = ()) -> None:
    """Write wf.dag, its submit files, to which *lines* are added, and times.csv into *place*."""
    for kind in {job.kind for job in jobs}:
        submit_file(place, f"{kind}.sub", lines=[*SLEEP, *NEEDS, *lines])
    (place / "wf.dag").write_text(dag_text(jobs))
    rows = [f"{job.name},{job.seconds}" for job in jobs]
    (place / "times.csv").write_text("\n".join(["task,mean", *rows, ""]))


def order_workflow(place: Path, order: str, extra: Sequence[str]) -> None:
    """Have icsched write *order* into wf.dag; it knows the true run times."""
    prio(place, "--order", order, "--in-place", *extra)


def prio(place: Path, *words: str) -> str:
    """Run `icsched prio` on wf.dag with the true run times; return what it prints."""
    return icsched_in(place, "prio", "wf.dag", "--run-times", "times.csv", *words)


def icsched_in(place: Path, *words: str) -> str:
    """Run icsched in *place*; return what it prints."""
    with chdir(place), redirect_stdout(StringIO()) as printed:
        status = icsched([*words])
    if status != 0:
        raise RuntimeError(f"icsched {' '.join(words)} fails in {place}")
    return printed.getvalue()


def follow_advice(place: Path, pool: Mapping[str, object]) -> tuple[str, ...]:
    """Do all that `icsched prio` advises for *pool*; return the options of condor_submit_dag."""
    advice = advice_for(place, pool)
    for file in advice["submit_files"]:
        path = place / file["file"]
        above, queue, below = path.read_text().rpartition("queue")
        path.write_text("\n".join([above, *file["lines"], queue]) + below)
    if advice["run_again"]:
        advice = advice_for(place, pool)
    prio(place, "--pool", "pool.json", "--in-place")
    return tuple(shlex.split(advice["command"])[1:-1])


def advice_for(place: Path, pool: Mapping[str, object]) -> dict[str, Any]:
    """Return the advice of `icsched prio` about wf.dag on *pool*."""
    (place / "pool.json").write_text(json.dumps(pool))
    found: dict[str, Any] = json.loads(prio(place, "--pool", "pool.json", "--json"))["advice"]
    return found


def forecast(place: Path, pool: Mapping[str, object], dagman: Sequence[str]) -> dict[str, float]:
    """Return the end of a run of wf.dag as it is, with the interval that has 95% of all runs."""
    options = dict(zip(dagman[::2], dagman[1::2], strict=True))
    given = {"max_jobs": "-maxjobs", "max_idle": "-maxidle"}
    throttled = {name: int(options[word]) for name, word in given.items() if word in options}
    (place / "pool.json").write_text(json.dumps({**pool, **throttled}))
    words = ("simulate", "wf.dag", "--run-times", "times.csv", "--pool", "pool.json", "--json")
    ends = json.loads(icsched_in(place, *words))["ends"]
    found: dict[str, float] = ends.get("now", ends["fifo"])
    return found


def pool_data(settings: Mapping[str, str]) -> dict[str, object]:
    """Return the pool of tools/htcondor.sh with other *settings*, as a file of icsched says it."""
    slots = int(settings.get("NUM_SLOTS", 1))
    machine = {"cores": CORES // slots, "memory_bytes": int(settings["MEMORY"]) // slots * 2**20}
    htcondor = {
        name: max(least, float(settings.get(key, usual)))
        for name, key, usual, least in (
            ("scan_interval", "DAGMAN_USER_LOG_SCAN_INTERVAL", 1, 0),
            ("hold", "DAGMAN_HOLD_CLAIM_TIME", 20, 0),
            ("schedd_interval", "SCHEDD_INTERVAL", 1, 0),
            ("heartbeat", "SCHEDD_MIN_INTERVAL", 0, 1.05),  # the schedd counts whole seconds
            ("negotiator_interval", "NEGOTIATOR_INTERVAL", 2, 0),
            ("cycle_delay", "NEGOTIATOR_CYCLE_DELAY", 0, 0),
            ("worklife", "CLAIM_WORKLIFE", 1200, 0),
        )
    }
    machines = [{"count": slots, **machine}]
    return {"schema": 1, "kind": "machines", "machines": machines, "htcondor": htcondor}


# What happened


@dataclass(frozen=True)
class Record:
    """A run. Times are POSIX times."""

    workflow: str
    seed: int
    order: str
    dagman: tuple[str, ...]  # options of condor_submit_dag
    settings: dict[str, str]
    lines: tuple[str, ...]  # more lines of the submit files
    jobs: list[Job] = field(repr=False)

    @property
    def seconds(self) -> float:
        """From the first submission to the last end."""
        return max(job.ended for job in self.jobs) - min(job.submitted for job in self.jobs)

    @property
    def cores_used(self) -> float:
        """Cores that jobs had asked for and held, on average over the run."""
        work = sum(job.cores * (job.ended - job.started) for job in self.jobs)
        return work / self.seconds


@dataclass(frozen=True)
class Event:
    """An event of a job: what happened, to which cluster, when, and the text below it."""

    number: str
    cluster: int
    time: float
    text: str


def events(log: str) -> Iterator[Event]:
    r"""Yield the events of an event log.

    >>> text = "001 (7.000.000) 2026-01-01 00:00:01.5 Job executing\n\tCpus = 1\n...\n"
    >>> [(event.number, event.cluster, event.text) for event in events(text)]
    [('001', 7, ' Job executing\n\tCpus = 1')]
    """
    for text in log.split("\n...\n"):
        if head := re.match(r"(\d{3}) \((\d+)\.\d+\.\d+\) (\S+ \S+)", text):
            when = datetime.fromisoformat(head[3]).timestamp()
            yield Event(head[1], int(head[2]), when, text[head.end() :])


def recorded(jobs: Iterable[Job], log: str) -> list[Job]:
    """Return *jobs* with the times and slots that an event log gives."""
    found = {job.name: job for job in jobs}
    names: dict[int, str] = {}
    for event in events(log):
        if event.number == SUBMIT:
            names[event.cluster] = first(r"DAG Node: (\S+)", event.text)
        name = names[event.cluster]
        if event.number == SUBMIT:
            found[name] = replace(found[name], submitted=event.time)
        elif event.number == EXECUTE:
            slot = first(r"SlotName: ([^@\s]+)", event.text)
            cores = int(first(r"\tCpus = (\d+)", event.text))
            found[name] = replace(found[name], started=event.time, slot=slot, slot_cores=cores)
        elif event.number == TERMINATED:
            found[name] = replace(found[name], ended=event.time)
    return list(found.values())


def first(pattern: str, text: str) -> str:
    """Return the first group of the first match of *pattern*; raise ValueError if none is there."""
    if match := re.search(pattern, text):
        return match[1]
    raise ValueError(f"{pattern!r} is not in {text!r}")


def priorities(text: str) -> dict[str, int]:
    """Return the priorities that a DAGMan file gives; the last line of a node is valid."""
    lines = re.findall(r"^PRIORITY (\S+) (-?\d+)$", text, re.MULTILINE)
    return {name: int(value) for name, value in lines}


@contextmanager
def machine(pool: Condor, settings: Mapping[str, str]) -> Iterator[None]:
    """Have the pool run with *settings*; the startd starts anew if they shape its machine."""
    with pool.configured(settings):
        if any(SHAPE.match(key) for key in settings):
            restart_startd(pool)
        yield


def restart_startd(pool: Condor) -> None:
    """Restart the machine's daemon, and wait until the pool knows its new slots."""

    def newest() -> int:  # slots of the old daemon may stay on the collector's list
        starts = ask(pool, "condor_status", "-af", "DaemonStartTime").split()
        return max(map(int, starts), default=0)

    before = newest()
    time.sleep(1)  # starts are whole seconds
    ask(pool, "condor_restart", "-fast", "-startd")
    await_true(lambda: newest() > before, time.monotonic() + 120, "the startd does not come back")


def ask(pool: Condor, *words: str) -> str:
    """Run a command of HTCondor's as root; return what it prints."""
    inside = ["chroot", str(pool.root), *words]
    done = subprocess.run(inside, capture_output=True, encoding="utf-8", check=True)  # noqa: S603
    return done.stdout


def await_no_claims(pool: Condor) -> None:
    """Wait until the schedd has given all claims back: a run would start in those of the last."""
    whole = ("condor_status", "-constraint", "PartitionableSlot", "-af", "Cpus == TotalSlotCpus")

    def is_free() -> bool:
        ask(pool, "condor_reschedule")  # has the schedd look at its claims
        time.sleep(2)
        return set(ask(pool, *whole).split()) == {"true"}

    await_true(is_free, time.monotonic() + 60, "claims are not given back")


def run_on_pool(pool: Condor, record: Record, place: Path, keep: Path, logs: bool) -> Record:
    """Run wf.dag in *place* to its end; keep what it leaves in *keep*."""
    await_no_claims(pool)
    done = pool.command(place, "condor_submit_dag", *record.dagman, "wf.dag")
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    log = place / "wf.dag.dagman.out"

    def has_ended() -> bool:  # condor_q would keep the schedd busy, and so change what we measure
        time.sleep(0.9)
        return log.exists() and "EXITING WITH STATUS" in text_of(log)

    await_true(has_ended, time.monotonic() + LIMIT_S, str(place))
    given = priorities((place / "wf.dag").read_text())
    jobs = [replace(job, priority=given.get(job.name, 0)) for job in record.jobs]
    record = replace(record, jobs=recorded(jobs, text_of(place / "wf.dag.nodes.log")))
    shutil.copytree(place, keep, dirs_exist_ok=True)
    for name in ("NegotiatorLog", "SchedLog", "StartLog", "ShadowLog") if logs else ():
        shutil.copy(pool.directory_of_logs / name, keep)
    (keep / "run.json").write_text(json.dumps(asdict(record), indent=1))
    return record


def run_all(options: argparse.Namespace) -> None:
    """Run every workflow in every order, as often as asked."""
    pool = Condor(Path(environ["ICSCHED_HTCONDOR_ROOT"]))
    settings = SETTINGS | dict(pair.split("=", 1) for pair in options.set)
    with machine(pool, settings):
        for seed in range(options.seed, options.seed + options.repeat):
            # Odd seeds run the orders forwards and even seeds backwards, so that a machine that
            # slowly becomes busier does not favour one order.
            orders = options.orders.split(",")[:: 1 if seed % 2 else -1]
            for name in options.workflows:
                jobs = list(WORKFLOWS[name](Random(seed)))  # noqa: S311  no secret
                for order in orders:
                    how = (tuple(options.dagman), settings, tuple(options.submit))
                    run_one(pool, Record(name, seed, order, *how, jobs), options)


def run_one(pool: Condor, record: Record, options: argparse.Namespace) -> None:
    """Run one workflow in one order; say when it is done."""
    place = pool.fresh()
    write_workflow(place, record.jobs, record.lines)
    if record.order == ADVISED:
        record = replace(record, dagman=follow_advice(place, pool_data(record.settings)))
    elif record.order != PLAIN:
        order_workflow(place, record.order, shlex.split(options.prio))
    expected = forecast(place, pool_data(record.settings), record.dagman)
    (place / "forecast.json").write_text(json.dumps(expected))
    keep = options.runs / f"{record.workflow}-{record.seed}-{record.order}"
    done = run_on_pool(pool, record, place, keep, options.logs)
    interval = f"{expected['mean']:7.1f} [{expected['low']:.1f}, {expected['high']:.1f}]"
    print(
        f"{keep.name:30} {done.seconds:7.1f} s {done.cores_used:5.2f} cores, forecast {interval}",
        flush=True,
    )


# What it says


def read_records(runs: Path) -> list[Record]:
    """Read all runs that are kept in *runs*."""
    files = sorted(runs.glob("*/run.json"))
    return [msgspec.json.decode(file.read_bytes(), type=Record) for file in files]


def table(records: Sequence[Record]) -> str:
    """Return mean seconds by workflow and order, and the mean ratio to the plain runs.

    A ratio compares the runs of one workflow with one seed. Behind it is its standard error.
    """
    seconds = {(r.workflow, r.seed, r.order): r.seconds for r in records}
    lines = [f"{'workflow':10} {'order':16} {'runs':>4} {'seconds':>8} {'ratio':>6}"]
    for name, order in sorted({(r.workflow, r.order) for r in records}):
        of_order = {seed: s for (n, seed, o), s in seconds.items() if (n, o) == (name, order)}
        line = f"{name:10} {order:16} {len(of_order):4} {statistics.mean(of_order.values()):8.1f}"
        plain = {seed: s for (n, seed, o), s in seconds.items() if (n, o) == (name, PLAIN)}
        ratios = [s / plain[seed] for seed, s in of_order.items() if seed in plain]
        if order != PLAIN and ratios:
            error = statistics.stdev(ratios) / len(ratios) ** 0.5 if len(ratios) > 1 else 0.0
            line += f" {statistics.mean(ratios):6.3f} +- {error:.3f}"
        lines.append(line)
    return "\n".join(lines)


def cores_over_time(jobs: Iterable[Job]) -> list[tuple[float, int]]:
    """Return the times at which the number of cores in use changed, and the number from then on.

    >>> a, b = (Job("a", 2, 1, started=0, ended=2), Job("b", 2, 5, started=1, ended=3))
    >>> cores_over_time([a, b])
    [(0, 1), (1, 6), (2, 5), (3, 0)]
    """
    steps = sorted(
        change
        for job in jobs
        for change in ((job.started, job.cores), (job.ended, -job.cores))
        if not isnan(job.ended)
    )
    cores, found = 0, dict[float, int]()
    for when, change in steps:
        cores += change
        found[when] = cores
    return list(found.items())


def main() -> None:
    """Run, unless only the table is wanted; then print the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.real_pool", description=__doc__)
    parser.add_argument("workflows", nargs="*", help=f"of {', '.join(WORKFLOWS)}")
    parser.add_argument("--orders", default=f"{PLAIN},critical-path", help="separated by commas")
    parser.add_argument("--prio", default="", help="more options of `icsched prio`")
    parser.add_argument("--repeat", type=int, default=1, help="how often, each with its own seed")
    parser.add_argument("--seed", type=int, default=1, help="the first seed of the run times")
    parser.add_argument("--dagman", type=shlex.split, default=[], help="for condor_submit_dag")
    parser.add_argument("--submit", action="append", default=[], help="line for submit files")
    parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="HTCondor's")
    parser.add_argument("--runs", type=Path, default=RUNS, help="where the runs are kept")
    parser.add_argument("--logs", action="store_true", help="keep the daemons' logs as well")
    parser.add_argument("--again", action="store_true", help="only print the table")
    options = parser.parse_args()
    if not options.again:
        run_all(options)
    print(table(read_records(options.runs)))


if __name__ == "__main__":
    main()
