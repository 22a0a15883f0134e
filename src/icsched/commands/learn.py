"""`icsched learn`: what the logs of a past run say."""

import csv
import errno
import io
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Annotated

import numpy as np

from icsched import files, history
from icsched.commands.comparison import variation
from icsched.commands.earlier_run import EarlierRun, earlier_run, earlier_text, read_earlier
from icsched.commands.inputs import (
    FileOptions,
    TimesKnown,
    is_workflow,
    timed,
    times_known,
    times_sentence,
)
from icsched.commands.notes import about_pool, caution_text
from icsched.commands.options import WRITTEN, Flag, Json, OutputName, PathName, refuse
from icsched.commands.ordering import differ
from icsched.commands.pool_options import GivenPool, pool_text
from icsched.commands.terminal import STANDARD_OUTPUT, progress, put, table, working
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError, SimulationError
from icsched.formats.table import format_by_suffix
from icsched.frames import NOT_IN_JSON, json_by
from icsched.history import (
    KindOfJob,
    Losses,
    MachineKind,
    OverTime,
    PastRun,
    Stalls,
    Submission,
    Waits,
)
from icsched.history.problems import (
    LogProblems,
    checked_run_times,
    is_one_log,
    without_set_back,
)
from icsched.history.replay import Learned, Replay, learned_from, order_of_starts
from icsched.history.summary import spread_of_repeated
from icsched.messages import counted, named, number
from icsched.orders import simulate
from icsched.orders.simulation import OrderLike
from icsched.report.stalls import stall_lines
from icsched.run_times import Origin, RunTimeTable
from icsched.sim import (
    AnyPool,
    Experiment,
    HTCondor,
    Machines,
    Paired,
    Played,
    Recorded,
    Simulation,
    Times,
    Workers,
    pool_to_dict,
)
from icsched.sim.machines import CORES
from icsched.sim.model import SPREAD
from icsched.workflow import Workflow

USED = "used"  # what the order of the recorded starts is called
FIFO = "fifo"  # what HTCondor does without priorities
ORDERS_TRIED = ("critical-path", "prio", "critical-path-steps")
_MOST_TASKS = 50_000_000  # simulated, of all orders together


@dataclass(frozen=True, eq=False)
class Forecast:
    """The times of other orders on the pool that was learned.

    `found` has all jobs of the workflow, with times that vary by `times`. Orders are compared with
    `baseline`: fifo if the workflow has no priorities, because HTCondor then takes jobs so; else
    the recorded order of the starts. That list is no rule: it knows when jobs became eligible in
    that one run, so it is not what fifo would do in the next run.
    """

    times: Times
    spread_is_measured: bool
    baseline: str
    found: Simulation


def forecast_by(past: PastRun, learned: Learned, workflow: Workflow) -> Forecast:
    """Simulate the workflow in other orders on the pool that was learned."""
    left, measured = workflow.residual, spread_of_repeated(past)
    spread = SPREAD if measured is None else measured
    times = Times("lognormal" if measured is None or spread > 0.3 else "normal", spread)
    starts = order_of_starts(learned.usage, workflow.dag)
    used = Played("static", starts[~workflow.done[starts]])
    orders: dict[str, OrderLike] = {USED: used, **{word: word for word in (*ORDERS_TRIED, FIFO)}}
    most_runs = int(min(2000, max(20, _MOST_TASKS / (len(left.dag) * len(orders)))))
    baseline = USED if differ(left.priorities) else FIFO
    with progress("simulating other orders", len(left.dag)) as tell:
        found = simulate(
            workflow,
            orders,
            pool=learned.pool,
            times=times,
            baseline=baseline,
            sampling=Paired(most_runs=most_runs),
            progress=tell,
        )
    return Forecast(times, measured is not None, baseline, found)


def _stall_keys(found: Stalls | None) -> dict[str, object] | None:
    if found is None:
        return None
    waited = [{"job": job, "lost": lost} for job, lost in found.waited_for]
    return {**asdict(found), "waited_for": waited}


def _dagman_keys(told: Submission) -> dict[str, object]:
    names = ("scan_interval", "max_jobs", "max_idle", "held_back")
    return {name: getattr(told, name) for name in names}


def _replay_keys(learned: Learned) -> dict[str, object] | None:
    if not learned.replays:
        return None
    ends = dict.fromkeys(("workers", "recorded", "machines"))
    ends |= {name: replay.end for name, replay in learned.replays.items()}
    errors = {"error": learned.error, "running_error": learned.running_error}
    cores = {"cores_error": learned.replays[learned.name].cores}
    return {"actual": learned.actual, **ends, **errors, **cores}


def _order_keys(told: Forecast | None) -> dict[str, object] | None:
    if told is None:
        return None
    found = told.found
    ratios = {name: found.ratio.get(f"{name}_over_{told.baseline}") for name in found.orders}
    return {
        name: {
            "time": asdict(estimates.time),
            "ratio": asdict(ratio.time) if (ratio := ratios[name]) else None,
        }
        for name, estimates in found.orders.items()
    }


@dataclass(frozen=True, eq=False)
class LearnAnswer:
    """What logs say: in all runs by kind, and the last run over time.

    `unknown` counts the names in the logs that the workflow does not have. The last run began at
    `first_start`; `began` is None if the logs have no years. `length` is from there to the last
    end, in seconds, and `waits` are those before a start. `doubts` is what the logs lack.
    `machines` and `cores` (what became of the machines' cores) are None if the logs do not say the
    cores, and `dagman` is what they show of DAGMan. `run_times`, `stalls`, `replay` and `orders`
    need the workflow's file. `written` are the files that were written.
    """

    logs: tuple[str, ...]
    files: tuple[str, ...]
    jobs: int
    attempts: int
    runs: int
    unknown: int
    began: float | None
    length: float
    doubts: LogProblems
    kinds: tuple[KindOfJob, ...]
    run_times: TimesKnown | None
    waits: Waits
    peak: int
    timeline: OverTime
    machines: tuple[MachineKind, ...] | None
    cores: Losses | None
    dagman: Submission = field(metadata=json_by(_dagman_keys))
    stalls: Stalls | None = field(metadata=json_by(_stall_keys))
    submission_delay: float | None
    start_delay: float | None
    pool: AnyPool = field(metadata=json_by(pool_to_dict))
    replay: Learned = field(metadata=json_by(_replay_keys))
    against: EarlierRun | None
    baseline: str | None
    orders: Forecast | None = field(metadata=json_by(_order_keys))
    first_start: float = field(metadata=NOT_IN_JSON)
    written: tuple[str, ...]


def learn_answer(
    given: Sequence[str],
    times_file: str | None,
    pool_file: str | None,
    *,
    recorded: bool,
    against: str | None,
    reading: FileOptions,
) -> LearnAnswer:
    """Return what the logs among the *given* files say; the others are the workflow's.

    *recorded* plays the recorded slots, not a fixed number. *against* is the log of an earlier run
    of the same workflow. Run times and the pool are written to
    *times_file* and *pool_file*.
    Raises FormatError for a file that cannot be read, logs of another workflow, logs without a
    successful job or with run times of 0 alone, and a pool that would never finish; ArgumentError
    for an output that is one of the files. Nothing is written then.
    """
    read, paths = _sorted_out(given)
    names = [path for path, _ in read]
    with working(f"reading {names[0]}"):
        past = history.parsed_run(read)
    table = checked_run_times(past, read, is_replayed=bool(paths))
    workflow = timed(reading.read_to_run(paths), table, names) if paths else None
    check_names(past, workflow, names)
    earlier = None if against is None or workflow is None else read_earlier(against)
    if earlier is not None:
        check_names(earlier[1], workflow, [path for path, _ in earlier[0]])
    if against is not None and workflow is None:
        raise ArgumentError("--against needs the workflow's file, because icsched simulates it")
    for path in filter(None, (times_file, pool_file)):
        _check_output(path, [*given, *([against] if against else [])], workflow)
    is_in_order = is_one_log(read)
    run = without_set_back(past.last_run) if is_in_order else past.last_run
    try:
        with working("looking at the run"):
            learned = learned_from(run, workflow, recorded=recorded)
        if workflow is not None and learned.needs:
            workflow = replace(workflow, needs=learned.needs)
        orders = None if workflow is None else forecast_by(past, learned, workflow)
        compared = None
        if earlier is not None and workflow is not None:
            with working("looking at the earlier run"):
                compared = earlier_run(*earlier, workflow, learned.actual)
        if workflow is None:  # else the simulation has raised an error if workers leave too soon
            longest = int(np.argmax(table.seconds))
            times = Times("constant", means=table.seconds[[longest]])
            Experiment(Dag({table.names[longest]: []}), learned.pool, times)
    except SimulationError as error:
        raise FormatError(", ".join(names), None, str(error)) from error
    texts = {} if times_file is None else {times_file: _csv(table, workflow)}
    if pool_file is not None:
        is_told = learned.is_far_off
        texts[pool_file] = pool_text(_given(learned) if is_told else GivenPool(learned.pool))
    files.write_texts(texts)
    usage, fit, described = learned.usage, learned.fit, dict[str, str]()
    words = None if workflow is None else workflow.source.descriptions()
    if workflow is not None and words is not None:
        described = dict(zip(map(str, workflow.names), words, strict=True))
    began = past.began + float(np.nanmin(run.started))
    return LearnAnswer(
        logs=tuple(names),
        files=tuple(paths),
        jobs=len(np.unique(past.job)),
        attempts=len(past),
        runs=int(past.run.max(initial=0)) + 1,
        unknown=_unknown(past, workflow),
        began=began if past.has_year else None,
        length=usage.length,
        doubts=LogProblems.of(past, usage, workflow, is_in_order=is_in_order),
        kinds=tuple(history.kinds_in(past, described)),
        run_times=None if workflow is None else times_known(workflow),
        waits=history.waits(usage),
        peak=int(usage.running(usage.start).max(initial=0)),
        timeline=history.over_time(usage),
        machines=None if learned.seen is None else learned.seen.kinds,
        cores=learned.losses,
        dagman=learned.submission,
        stalls=learned.stalls,
        submission_delay=fit.submission,
        start_delay=fit.freed,
        pool=learned.pool,
        replay=learned,
        against=compared,
        baseline=None if orders is None else orders.baseline,
        orders=orders,
        first_start=began,
        written=tuple(texts),
    )


def _given(learned: Learned) -> GivenPool:
    """Return the pool with its errors."""
    return GivenPool(learned.pool, learned.error, learned.running_error)


def _sorted_out(given: Sequence[str]) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Return the logs with their content, and the files of the workflow."""
    found, paths = [], []
    for path in given:
        data = files.read_bytes(path)
        if not data.strip() or not is_workflow(path, data):
            found.append((path, data))
        else:
            paths.append(path)
    seen = set[str]()
    for path in paths:
        if os.path.realpath(path) in seen:
            raise ArgumentError(f"{path} is given twice")
        seen.add(os.path.realpath(path))
    if not found:
        problem = "expected a log of HTCondor, or its history as JSON"
        others = [path for path in paths if format_by_suffix(path) is None]
        raise FormatError(others[0], None, problem) if others else ArgumentError(problem)
    return found, paths


def check_names(past: PastRun, workflow: Workflow | None, names: Sequence[str]) -> None:
    """Raise FormatError if most jobs of the logs are not in the workflow."""
    of_all = len(past.names)
    fitting = of_all - _unknown(past, workflow)
    if 2 * fitting < of_all:
        problem = f"only {fitting:,} of {of_all:,} names fit jobs of the workflow: the logs are of"
        problem = f"{problem} another workflow; without a workflow, learn tells the run times"
        raise FormatError(", ".join(names), None, problem)


def _unknown(past: PastRun, workflow: Workflow | None) -> int:
    """Return how many names in the logs are neither jobs nor FINAL and such nodes."""
    if workflow is None:
        return 0
    known = {*workflow.names, *workflow.source.other_names()}
    return sum(name not in known for name in past.names)


def _check_output(path: str, given: Sequence[str], workflow: Workflow | None) -> None:
    """Raise ArgumentError for an output that is an input, FormatError if it is unwritable.

    Nothing is written if one of several outputs is unwritable.
    """
    own = chain(given, workflow.files if workflow else ())  # lazily: each job names a file
    if os.path.isfile(path) and files.is_own_file(path, own):  # noqa: PTH113  any name
        raise ArgumentError(f"{path} is a log, or a file of the workflow: use another name")
    if os.path.abspath(path).startswith(("/dev/", "/proc/")):  # noqa: PTH100  Path keeps ".."
        return  # written into, not replaced
    files.check_replaceable(path)
    target = Path(os.path.realpath(path))
    if target.is_file():
        files.check_rewritable(path)
        return
    with files.naming(path):
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not target.exists() and not os.access(target.parent, os.W_OK | os.X_OK):
            target.parent.stat()  # says that there is no such directory
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _csv(table: RunTimeTable, workflow: Workflow | None) -> str:
    """Return the run times as a table; times that were not measured say where they are from."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["name", "seconds", "origin"])
    measured = Origin.MEASURED.name.lower()
    rows.writerows((name, s, measured) for name, s in _pairs(table.names, table.seconds))
    left = None if workflow is None else workflow.residual
    if left is not None and left.run_times is not None:
        assert left.run_time_origins is not None  # noqa: S101  with_run_times made both
        pairs = _pairs(left.names, left.run_times)
        for pair, origin in zip(pairs, left.run_time_origins.tolist(), strict=True):
            if origin != Origin.MEASURED:
                rows.writerow([*pair, Origin(origin).name.lower()])
    return out.getvalue()


def _pairs(names: Sequence[object], seconds: np.ndarray) -> list[tuple[object, float]]:
    return list(zip(names, [round(s, 6) for s in seconds.tolist()], strict=True))


_MOST_ROWS = 20
_WHAT_USED_IS = f"{USED}: the recorded order of the starts, as a fixed list"
_WHY_FIFO = "; fifo: what HTCondor does, as the workflow has no priorities"


def text(found: LearnAnswer) -> str:
    """Return a report."""
    parts = [_head(found), _kinds(found.kinds)]
    if found.machines is not None and found.cores is not None:
        parts.append(_machines(found.machines, found.cores))
    if found.stalls is not None:
        parts.append("\n  ".join(stall_lines(found.stalls)) + "\n")
    parts.append(_pool(found))
    if found.against is not None:
        parts.append(earlier_text(found.against))
    if found.orders:
        doubt = caution_text(about_pool(_given(found.replay)))
        parts.append(doubt + _orders(found.orders))
    written = f"wrote {named(', '.join(found.written))}\n" if found.written else ""
    return "\n".join(part for part in parts if part) + written


def _head(found: LearnAnswer) -> str:
    runs = f" in {counted(found.runs, 'run')}" if found.runs > 1 else ""
    attempts = f"{counted(found.jobs, 'job')}, {counted(found.attempts, 'attempt')}{runs}"
    date = "%Y-%m-%d" if found.doubts.has_year else "%m-%d"
    moment = datetime.fromtimestamp(found.first_start, UTC).strftime(f"{date} %H:%M:%S UTC")
    lines = [
        f"{named(*found.logs)}: {attempts}",
        f"The last run began {moment} and took {_seconds(found.length)}, from the"
        " first start to the last end.",
    ]
    lines += _doubts(found.doubts)
    if found.run_times:
        lines.append(f"{times_sentence(found.run_times).capitalize()}.")
    if found.unknown:
        jobs = counted(found.unknown, "job of the logs is", "jobs of the logs are")
        lines.append(f"{jobs} not in {named(*found.files)}.")
    if found.waits.mean is not None:
        lines.append(
            f"Jobs waited {_seconds(found.waits.mean)} from submission to start on average, half"
            f" of them {_seconds(found.waits.median)} at most, 95% {_seconds(found.waits.high)}."
        )
    return "\n".join(lines) + "\n"


def _doubts(found: LogProblems) -> list[str]:
    """Say what the logs lack, a sentence for each."""
    absent = counted(found.absent, "job of the workflow is", "jobs of the workflow are")
    sentences = {
        "That is more than a year: was a clock set forward?": found.is_over_a_year,
        f"The log ends while {counted(found.running, 'job runs', 'jobs run')}.": found.running,
        f"{absent} not in the last run.": found.absent,
        f"The clock went backwards by {_seconds(found.set_back)}: only run times are from"
        f" {counted(found.skipped, 'attempt')} after that.": found.skipped,
        f"{counted(found.backwards, 'attempt')} ended before the start, because a clock went"
        " backwards: no run time is known of that.": found.backwards,
        f"{counted(found.unread, 'amount')} of cores, memory and other resources cannot be"
        " read.": found.unread,
    }
    return [sentence for sentence, holds in sentences.items() if holds]


def _seconds(value: float | None) -> str:
    """Return seconds with three digits or all before the point."""
    if value is None:
        return "unknown"
    return f"{number(value, 0 if value >= 100 else 1)} s"


def _kinds(kinds: Sequence[KindOfJob]) -> str:
    heads = ["run times by kind", "jobs", "done", "mean", "spread", "failures", "evictions"]
    has_cores = any(CORES in kind.needs for kind in kinds)
    rows = [[*heads, *(["cores"] if has_cores else [])]]
    for kind in kinds[:_MOST_ROWS]:
        spread = "" if kind.spread is None else f"{kind.spread:.2f}"
        mean = "" if kind.mean is None else _seconds(kind.mean)
        counts = f"{kind.jobs:,}", f"{kind.count:,}"
        row = [named(kind.name), *counts, mean, spread, f"{kind.failures:,}", f"{kind.evictions:,}"]
        cores = f"{kind.needs[CORES]:g}" if CORES in kind.needs else ""
        rows.append([*row, cores] if has_cores else row)
    rest = len(kinds) - _MOST_ROWS
    return table(rows, right=range(1, len(rows[0]))) + (
        f"and {rest:,} more: --json has all\n" if rest > 0 else ""
    )


_CAUSES = {
    "no_job": "no job was ready",
    "cores": "waiting jobs needed more cores than one machine had free",
    "memory": "waiting jobs needed more memory than one machine had free",
    "large_slots": "slots had more cores than their jobs asked for",
    "matching": "HTCondor had not started a job that fitted",
    "throttle": "a throttle of DAGMan held ready jobs back",
    "submission": "DAGMan had not submitted ready jobs yet",
}
_LEAST_SHARE = 0.005  # of the core seconds: less is not shown


def _machines(kinds: Sequence[MachineKind], cores: Losses) -> str:
    """Say what machines the run had, and what their cores did."""
    words = [_machine_words(kind) for kind in kinds[:_MOST_ROWS]]
    total = cores.total or 1.0
    lost = {cause: getattr(cores, cause) / total for cause in _CAUSES}
    shares = sorted(lost.items(), key=lambda pair: -pair[1])
    used = (
        f"Cores: jobs used {100 * cores.used / total:.1f}% of {number(cores.total, 0)} core seconds"
    )
    lines = [
        f"Machines, at least: {', '.join(words)}.",
        f"{used}{'; the rest was lost:' if shares[0][1] >= _LEAST_SHARE else '.'}",
        *(f"  {100 * s:.1f}%: {_CAUSES[cause]}" for cause, s in shares if s >= _LEAST_SHARE),
    ]
    return "\n".join(lines) + "\n"


def _machine_words(kind: MachineKind) -> str:
    what = ("machine", "machines") if kind.is_partitionable else ("slot", "slots")
    size = counted(kind.cores, "core") if kind.cores % 1 == 0 else f"{kind.cores:g} cores"
    return f"{counted(kind.count, *what)} of {size}"


def _dagman(told: Submission) -> list[str]:
    """Say what the log shows of DAGMan's interval and throttle."""
    if not told.is_throttled:
        return []
    option, most, what = "-maxjobs", told.max_jobs, "job"
    if told.max_idle is not None:
        option, most, what = "-maxidle", told.max_idle, "idle job"
    return [
        f"A throttle held ready jobs back for {_seconds(told.held_back)}: the queue never had more"
        f" than {counted(most or 0, what)}, as with {option} {most}."
    ]


def _pool(found: LearnAnswer) -> str:
    pool, replay = found.pool, found.replay
    lines = [f"Pool: {_who(pool)}."]
    if isinstance(pool, Workers) and pool.count < found.peak:
        lines.append(
            f"Up to {counted(found.peak, 'job')} ran at once, but usually fewer slots were there"
            " while jobs waited."
        )
    if found.submission_delay is not None:
        delay = _seconds(found.submission_delay)
        lines.append(f"DAGMan submitted a job {delay} after its last parent.")
    lines += _dagman(found.dagman)
    if replay.replays:
        whos = {
            "workers": counted(replay.fit.workers.count, "worker"),
            "recorded": "the recorded slots",
            "machines": "the machines",
        }
        words = [
            f"{_seconds(played.end)} on {whos[name]} ({_percent(played.error)})"
            for name, played in replay.replays.items()
        ]
        until = "" if replay.actual == found.length else ", until the last job succeeded"
        actual = _seconds(replay.actual)
        lines.append(f"The same run takes {_listed(words)} by simulation, {actual} in fact{until}.")
        lines.append(
            "On this pool the number of running jobs is off by"
            f" {100 * replay.running_error:.0f}% of its mean, at each moment on average."
        )
        lines += _settings(replay.replays[replay.name])
    return "\n".join(lines) + "\n"


def _settings(played: Replay) -> list[str]:
    """Say which settings of HTCondor are nearest to the run, of those that the log leaves open."""
    pool = played.pool
    condor = pool.htcondor if isinstance(pool, Machines) else None
    if condor is None:
        return []
    is_usual = condor.negotiator_interval == HTCondor().negotiator_interval
    words = [
        f"{'its default' if is_usual else 'quick'} intervals",
        f"idle claims held for {_seconds(condor.hold)}" if condor.hold else "no held claims",
        *(["jobs that refuse larger claims"] if condor.exact_cores else []),
        *([] if played.has_priorities else ["no priorities of jobs"]),
    ]
    return [f"Of the settings that HTCondor may have had, these fit best: {_listed(words)}."]


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _who(pool: AnyPool) -> str:
    if isinstance(pool, Recorded):
        who = f"{counted(pool.count, 'recorded visit')} of slots"
    elif isinstance(pool, Machines):
        machines, cores = counted(pool.count, "machine"), counted(pool.cores, "core")
        who = f"{machines} with {cores}, filled as by HTCondor"
    else:
        assert isinstance(pool, Workers)  # noqa: S101  learn fits no other pool
        who = counted(pool.count, "worker")
    terms = {
        f"leaving after {_seconds(pool.leave)} on average": pool.leave < math.inf,
        f"{_seconds(pool.overhead)} between two jobs": pool.overhead > 0,
        f"{_seconds(pool.delay)} until a job can be taken after its last parent": pool.delay > 0,
    }
    return ", ".join([who, *(term for term, holds in terms.items() if holds)])


def _percent(share: float) -> str:
    return f"{100 * share:+.1f}%"


def _orders(told: Forecast) -> str:
    """Say what the whole workflow takes in each order, on the pool."""
    against = "fifo" if told.baseline == FIFO else "the order used"
    rows = [["order", "time on this pool", f"against {against}"]]
    for name, estimates in told.found.orders.items():
        ratio = told.found.ratio.get(f"{name}_over_{told.baseline}")
        change = ""
        if ratio is not None:
            low, high = _percent(ratio.time.low - 1), _percent(ratio.time.high - 1)
            change = f"{_percent(ratio.time.median - 1)} [{low}, {high}]"
        time = estimates.time
        interval = f"{_seconds(time.mean)} [{_seconds(time.low)}, {_seconds(time.high)}]"
        rows.append([named(name), interval, change])
    where = "as the logs say" if told.spread_is_measured else "by assumption"
    what = _WHAT_USED_IS + (_WHY_FIFO if told.baseline == FIFO else "")
    how = (
        f"{counted(told.found.runs, 'run')} of each order, seed {told.found.seed}; 95% intervals;"
        f" {variation(told.times)} ({where})"
    )
    return f"{table(rows)}{what}\n{how}\n"


def learn(
    *files: PathName,
    output_: Annotated[PathName | None, OutputName] = None,
    pool_file: Annotated[PathName | None, WRITTEN] = None,
    recorded: Flag = False,
    against: PathName | None = None,
    lenient: Flag = False,
    usedagdir: Flag = False,
    json_: Json = False,
) -> None:
    """Say what a past run tells: run times, waiting, stalls, the pool, and other orders.

    Parameters
    ----------
    files
        Event logs of HTCondor, or its history as JSON; and the DAGMan file of the workflow.
        Their content says which is which. Without a DAGMan file, only what logs alone can say.
    output_
        File for the run times, as a table that --run-times reads.
    pool_file
        JSON file for the pool, which --pool reads.
    recorded
        Take the slots as they came and left, instead of a fixed number of workers.
    against
        Log of an earlier run of the workflow. Say what that run forecasts for this one, and what
        happened.
    lenient
        Skip unknown commands instead of refusing them.
    usedagdir
        Look for files from the directory of the DAGMan file, as condor_submit_dag -usedagdir does.
    json_
        Print one JSON object instead of tables.

    """
    paths = [os.path.realpath(path) for path in (output_, pool_file) if path is not None]
    refuse(
        {
            "-o: expected a file, got standard output": output_ == STANDARD_OUTPUT,
            "--pool-file: expected a file, got standard output": pool_file == STANDARD_OUTPUT,
            "-o and --pool-file name the same file": len(set(paths)) < len(paths),
        }
    )
    reading = FileOptions(lenient, usedagdir, no_rescue=True)
    found = learn_answer(
        files, output_, pool_file, recorded=recorded, against=against, reading=reading
    )
    put(found, text, as_json=json_)
