"""What a past run says, and what it would have taken in other orders."""

import csv
import errno
import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from icsched import files, logs
from icsched.answers.contents import is_workflow
from icsched.answers.doubts import Doubts, doubts_about, set_back_in, without
from icsched.answers.foretold import Foretold, foretell
from icsched.answers.known import TimesKnown
from icsched.answers.learned import learned_from, usage_of
from icsched.answers.pools import GivenPool, pool_text
from icsched.answers.reading import Reading
from icsched.answers.run_times import timed, times_known
from icsched.answers.signs import QUIET, Signs
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError, SimulationError
from icsched.formats.dagman import submission_in
from icsched.formats.table import format_by_suffix
from icsched.logs import Fit, KindOfJob, OverTime, PastRun, Stalls, Waits
from icsched.logs.usage import CLOCK_S
from icsched.run_times import Origin, RunTimeTable
from icsched.sim import Times
from icsched.sim.model import check_inputs
from icsched.workflow import Workflow


@dataclass(frozen=True, eq=False)
class LearnAnswer:
    """What logs say: in all runs by kind, and the last run over time.

    `unknown` counts the names in the logs that the workflow does not have. `length` is from the
    first start to the last end, in seconds, and `waits` are those before a start. `stalls`,
    `foretold` and `timed` need the workflow's file. `doubts` is what the logs lack. `written` are
    the files that were written.
    """

    logs: tuple[str, ...]
    files: tuple[str, ...]
    jobs: int
    attempts: int
    runs: int
    unknown: int
    began: float
    length: float
    kinds: tuple[KindOfJob, ...]
    over_time: OverTime
    peak: int
    waits: Waits
    fit: Fit
    stalls: Stalls | None
    foretold: Foretold | None
    timed: TimesKnown | None
    doubts: Doubts = field(default_factory=Doubts)
    written: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outputs:
    """Where the run times and the pool go, if anywhere."""

    run_times: str | None = None
    pool: str | None = None


def learn_answer(
    given: Sequence[str],
    outputs: Outputs,
    *,
    recorded: bool,
    reading: Reading,
    signs: Signs = QUIET,
) -> LearnAnswer:
    """Return what the logs among the *given* files say; the others are the workflow's.

    *recorded* plays the recorded slots, not a fixed number.
    Raises FormatError for a file that cannot be read, logs of another workflow, logs without a
    successful job or with run times of 0 alone, and a pool that would never finish; ArgumentError
    for an output that is one of the files. Nothing is written then.
    """
    read, paths = _sorted_out(given)
    names = [path for path, _ in read]
    with signs.working(f"reading {names[0]}"):
        past = logs.parsed_run(read)
        table = past.run_times()
    if paths:
        check_ends(past, names)
    check_past(past, table, names)
    is_in_order = _is_in_order(read)
    if paths:
        check_clock(past, read)
    workflow = None if not paths else _workflow(paths, table, names, reading, signs)
    check_names(past, workflow, names)
    _check_outputs(outputs, given, workflow)
    try:
        found = _found(past, workflow, signs, recorded=recorded, is_in_order=is_in_order)
        if workflow is None:
            _check_pool(found.fit, table)  # else the simulation did
    except SimulationError as error:
        raise FormatError(", ".join(names), None, str(error)) from error
    found = replace(found, logs=tuple(names), files=tuple(paths))
    return replace(found, written=tuple(_write(outputs, found, table, workflow)))


def _sorted_out(given: Sequence[str]) -> tuple[list[tuple[str, bytes]], list[str]]:
    """Return the logs with their content, and the files of the workflow."""
    found, paths = [], []
    for path in given:
        data = files.read_bytes(path)
        if not data.strip() or not is_workflow(path, data):
            found.append((path, data))
        else:
            paths.append(path)
    _check_once(paths)
    if not found:
        raise _no_log(paths)
    return found, paths


def _no_log(paths: Sequence[str]) -> ArgumentError | FormatError:
    """Return the error without a log; it names the file that has no suffix of a workflow's."""
    problem = "expected a log of HTCondor, or its history as JSON"
    others = [path for path in paths if format_by_suffix(path) is None]
    return FormatError(others[0], None, problem) if others else ArgumentError(problem)


def _check_once(paths: Sequence[str]) -> None:
    """Raise ArgumentError if two of the workflow's files are the same."""
    seen = set()
    for path in paths:
        if os.path.realpath(path) in seen:
            raise ArgumentError(f"{path} is given twice")
        seen.add(os.path.realpath(path))


def check_past(past: PastRun, table: RunTimeTable, names: Sequence[str]) -> None:
    """Raise FormatError for logs that say nothing about how long a job takes."""
    where = ", ".join(names)
    if not len(past):
        raise FormatError(where, None, "expected jobs that were executed, got none")
    if not len(table):
        problem = "expected a successful job with its start and its end, got none"
        raise FormatError(where, None, problem)
    if not table.seconds.any():
        problem = "all run times are 0: learn needs jobs that take a second or more"
        raise FormatError(where, None, problem)


def check_ends(past: PastRun, names: Sequence[str]) -> None:
    """Raise FormatError if an attempt ended before its own start."""
    bad = np.flatnonzero(past.set_back > CLOCK_S)
    if len(bad):
        job, seconds = past.names[past.job[bad[0]]], past.set_back[bad[0]]
        problem = f"the clock went backwards: job {job!r} ended {seconds:g} s before its start;"
        problem = f"{problem} without the workflow, learn tells the other run times"
        raise FormatError(", ".join(names), None, problem)


def check_clock(past: PastRun, read: Sequence[tuple[str, bytes]]) -> None:
    """Raise FormatError if the starts in one log, which come as they happened, go backwards."""
    _, seconds = set_back_in(past) if _is_in_order(read) else (None, 0.0)
    if seconds:
        problem = f"the clock went backwards by {seconds:g} s between two starts: without the"
        raise FormatError(read[0][0], None, f"{problem} workflow, learn tells the run times")


def _is_in_order(read: Sequence[tuple[str, bytes]]) -> bool:
    """Whether there is one log, whose events come as they happened."""
    return len(read) == 1 and logs.content_of(*read[0]) is logs.Content.LOG


def check_names(past: PastRun, workflow: Workflow | None, names: Sequence[str]) -> None:
    """Raise FormatError if most jobs of the logs are not in the workflow."""
    of_all = len(past.names)
    fitting = of_all - _unknown(past, workflow)
    if 2 * fitting < of_all:
        problem = f"only {fitting:,} of {of_all:,} names fit jobs of the workflow: the logs are of"
        problem = f"{problem} another workflow; without a workflow, learn tells the run times"
        raise FormatError(", ".join(names), None, problem)


def _check_pool(fit: Fit, table: RunTimeTable) -> None:
    """Raise SimulationError if the workers leave too soon to ever finish the longest job."""
    longest = int(np.argmax(table.seconds))
    alone = Dag({table.names[longest]: []})
    check_inputs(alone, fit.workers, Times("constant", means=table.seconds[[longest]]))


def _workflow(
    paths: Sequence[str], table: RunTimeTable, names: Sequence[str], reading: Reading, signs: Signs
) -> Workflow:
    """Read the workflow with the times of the logs."""
    workflow = reading.read_to_run(paths, signs=signs)
    return timed(workflow, table, names)


def _found(
    past: PastRun,
    workflow: Workflow | None,
    signs: Signs,
    *,
    recorded: bool,
    is_in_order: bool,
) -> LearnAnswer:
    run, set_back = _in_order(past.last_run) if is_in_order else (past.last_run, {})
    learned, told = None, None
    with signs.working("looking at the run"):
        if workflow is not None:
            learned = learned_from(run, workflow.whole, recorded=recorded)
        usage = usage_of(run, None) if learned is None else learned.usage
        fit = logs.fitted(usage) if learned is None else learned.fit
    if workflow is not None and learned is not None:
        told = foretell(past, learned, workflow, signs)
    return LearnAnswer(
        logs=(),
        files=(),
        jobs=len(np.unique(past.job)),
        attempts=len(past),
        runs=int(past.run.max(initial=0)) + 1,
        unknown=_unknown(past, workflow),
        began=past.began + float(np.nanmin(run.started)),
        length=usage.length,
        kinds=tuple(logs.kinds_in(past, _descriptions(workflow))),
        over_time=logs.over_time(usage),
        peak=int(usage.running(usage.start).max(initial=0)),
        waits=logs.waits(usage),
        fit=fit,
        stalls=None if learned is None else learned.stalls,
        foretold=told,
        timed=None if workflow is None else times_known(workflow),
        doubts=replace(doubts_about(past, usage, workflow), **set_back),
    )


def _in_order(run: PastRun) -> tuple[PastRun, dict[str, Any]]:
    """Return *run* without starts after the clock was set back, and these fields of `Doubts`."""
    behind, seconds = set_back_in(run)
    return without(run, behind), {"set_back": seconds, "skipped": int(behind.sum())}


def _unknown(past: PastRun, workflow: Workflow | None) -> int:
    """Return how many names in the logs are neither jobs nor FINAL and such nodes."""
    if workflow is None:
        return 0
    submission = submission_in(workflow)
    known = {*workflow.names, *(submission.special if submission else ())}
    return sum(name not in known for name in past.names)


def _descriptions(workflow: Workflow | None) -> dict[str, str]:
    if workflow is None or workflow.describe is None:
        return {}
    return dict(zip(map(str, workflow.names), workflow.describe(), strict=True))


# Files


def _check_outputs(outputs: Outputs, given: Sequence[str], workflow: Workflow | None) -> None:
    """Raise ArgumentError for an output that is an input, FormatError if it is unwritable.

    The files of the workflow are asked for only if there is such a file: each job names one.
    """
    for path in filter(None, (outputs.run_times, outputs.pool)):
        own = chain(given, workflow.files if workflow else ())
        if os.path.isfile(path) and files.is_own_file(path, own):  # noqa: PTH113  any name
            raise ArgumentError(f"{path} is a log, or a file of the workflow: use another name")
        _check_writable(path)


def _check_writable(path: str) -> None:
    """Raise FormatError if no file can be written at *path*: then none of several is."""
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


def _write(
    outputs: Outputs, found: LearnAnswer, table: RunTimeTable, workflow: Workflow | None
) -> list[str]:
    """Write what was asked for; return the files."""
    texts = {}
    if outputs.run_times is not None:
        texts[outputs.run_times] = _csv(table, workflow)
    if outputs.pool is not None:
        texts[outputs.pool] = _pool_text(found)
    files.write_texts(texts)
    return list(texts)


def _csv(table: RunTimeTable, workflow: Workflow | None) -> str:
    """Return the run times as a table; times that were not measured say where they are from."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["name", "seconds", "origin"])
    measured = Origin.MEASURED.name.lower()
    rows.writerows((name, s, measured) for name, s in _pairs(table.names, table.seconds))
    if workflow is not None and workflow.run_times is not None:
        assert workflow.run_time_origins is not None  # noqa: S101  with_run_times made both
        pairs = _pairs(workflow.dag.names, workflow.run_times)
        for pair, origin in zip(pairs, workflow.run_time_origins.tolist(), strict=True):
            if origin != Origin.MEASURED:
                rows.writerow([*pair, Origin(origin).name.lower()])
    return out.getvalue()


def _pairs(names: Sequence[object], seconds: np.ndarray) -> list[tuple[object, float]]:
    return list(zip(names, [round(s, 6) for s in seconds.tolist()], strict=True))


def _pool_text(found: LearnAnswer) -> str:
    """Return the pool; the error of a pool that does not explain the run goes with it."""
    told = found.foretold
    if told is None:
        return pool_text(GivenPool(found.fit.workers))
    return pool_text(GivenPool(told.pool, told.error if told.is_far_off else None))
