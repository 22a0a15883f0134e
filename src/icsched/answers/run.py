"""Running a workflow: what would run, or what happened."""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from icsched.answers.orders import AUTO, WantedOrder
from icsched.answers.reading import Reading
from icsched.answers.signs import QUIET, Signs
from icsched.answers.streams import STANDARD_INPUT
from icsched.arrays import Floats
from icsched.engines.entry import Engine, Terms
from icsched.engines.local import LOCAL, count_workers
from icsched.engines.table import ENGINES
from icsched.errors import ArgumentError
from icsched.execution.commands import (
    CommandTasks,
    all_commands,
    identity_of,
    with_descendants,
    without,
)
from icsched.execution.interrupts import Interrupts
from icsched.execution.journal import Journal, open_journal, read_journal
from icsched.execution.learned import with_learned, write_learned
from icsched.execution.loop import Happened, Loop, Rules, Tell
from icsched.execution.opening import Identity, Opening, stopped
from icsched.execution.records import WorkerRecorder
from icsched.files import check_owned
from icsched.orders import Plan
from icsched.sim import Played, Times, Workers, simulate_runs
from icsched.workflow import Command, Workflow

_MOST_TASKS, _MOST_RUNS, _FEWEST_RUNS = 2_000_000, 200, 20  # simulated
SUFFIX = ".icsched-run"  # of the directory of a run, after the name of the workflow file


@dataclass(frozen=True)
class Wanted:
    """What a user wants: an engine by name, its terms, rules, and where the journal is.

    *tell* is told where the run stands. *waiting* is called if workers of a killed run are waited
    for, *no_journal* with the directory if it has no journal to resume, *missing* with
    completed jobs that lack an output, if there are some. *redo_missing* runs these jobs again.
    """

    order: WantedOrder
    engine: str = LOCAL.name
    terms: Terms = field(default_factory=Terms)
    rules: Rules = field(default_factory=Rules)
    directory: str | None = None
    resume: bool = False
    again: bool = False
    redo_missing: bool = False
    tell: Tell = field(default=lambda _state: None)
    waiting: Callable[[], None] = field(default=lambda: None)
    no_journal: Callable[[Path], None] = field(default=lambda _directory: None)
    missing: Callable[[Sequence["MissingOutput"]], None] = field(default=lambda _found: None)


@dataclass(frozen=True)
class MissingOutput:
    """A job that was completed before the run, and the first of its output files that is gone."""

    name: str
    file: str


@dataclass(frozen=True)
class PlannedJob:
    """A job that would run; `command` is None for a job that runs nothing."""

    name: str
    command: Command | None


@dataclass(frozen=True)
class FailedJob:
    """A job that failed for good, and the file with what it printed, if icsched has it."""

    name: str
    problem: str
    log: str | None


@dataclass(frozen=True)
class DryAnswer:
    """What would run, first to run first; `completed` jobs would not."""

    files: tuple[str, ...]
    engine: str
    order: str
    jobs: int
    completed: int
    planned: tuple[PlannedJob, ...]
    shell: bool = False  # whether /bin/sh reads the commands
    missing: tuple[MissingOutput, ...] = ()


@dataclass(frozen=True)
class Foretold:
    """How long a run should take: the mean of simulated runs, and the range of 95% of them."""

    seconds: float
    low: float
    high: float
    busy: float  # share of the workers' time


@dataclass(frozen=True, eq=False)
class RunAnswer:
    """What happened in a run.

    `completed` jobs were so before the run, `left` jobs are not completed after it. `foretold` is
    None if run times were not known. `workers` is None if nothing was left to run. `idle` counts
    the jobs without a command among the jobs that were not completed before.
    """

    files: tuple[str, ...]
    directory: str
    engine: str
    order: str
    workers: int | None
    jobs: int
    completed: int
    left: int
    happened: Happened
    failed: tuple[FailedJob, ...]
    foretold: Foretold | None
    learned: str | None
    idle: int = 0
    missing: tuple[MissingOutput, ...] = ()


def dry_answer(
    files: Sequence[str], wanted: Wanted, *, reading: Reading, signs: Signs = QUIET
) -> DryAnswer:
    """Say what would run now, and in which order; nothing is started, and nothing is written.

    Raises as `run_answer` does for a workflow that cannot run.
    """
    engine, workflow = _checked(files, wanted, reading, signs)
    directory = _directory(files, wanted)
    lacking: dict[int, str] = {}
    every = CommandTasks(workflow, files[0])
    if wanted.resume:
        opening = Opening(no_journal=lambda: wanted.no_journal(directory))
        with read_journal(directory, _identity(workflow), opening) as journal:
            completed = journal.completed()
        lacking = _lacking(every, completed, wanted)
        workflow = _left(workflow, completed.difference(_forgotten(workflow, lacking, wanted)))
    workflow = wanted.order.timed(with_learned(workflow, directory))
    plan = _plan(workflow, wanted, engine, signs)
    commands = workflow.commands or ()
    planned = [(str(workflow.dag.names[t]), commands[t]) for t in plan.order.tolist()]
    return DryAnswer(
        files=tuple(files),
        engine=engine.name,
        order=plan.ordered_by,
        jobs=len(workflow.whole),
        completed=int(workflow.done.sum()),
        planned=tuple(PlannedJob(name, command) for name, command in planned),
        shell=wanted.terms.shell,
        missing=_told(every, lacking),
    )


def run_answer(
    files: Sequence[str], wanted: Wanted, *, reading: Reading, signs: Signs = QUIET
) -> RunAnswer:
    """Run a workflow until all its jobs are done, or nothing more can be done.

    Raises FormatError, and starts nothing, for a workflow without commands, a program that is not
    there, or a journal that cannot be used. Raises FormatError if the journal could not be written
    in mid-run; all that was running is stopped then, and the run can be resumed.
    """
    engine, workflow = _checked(files, wanted, reading, signs)
    directory = _directory(files, wanted)
    every = CommandTasks(workflow, files[0])
    with _opened(every, directory, wanted) as journal:
        completed = journal.completed()
        lacking = _lacking(every, completed, wanted)
        redone = _forgotten(workflow, lacking, wanted)
        workflow = _left(workflow, completed.difference(redone))
        workflow = wanted.order.timed(with_learned(workflow, directory))
        plan = _plan(workflow, wanted, engine, signs)
        tasks = CommandTasks(workflow, files[0])
        if redone:  # only now: nothing is forgotten if the order cannot be made
            journal.forget(redone)
        happened, workers = _run(tasks, plan, journal, engine, wanted)
        learned = None if happened.full else write_learned(journal, directory, _instant(workflow))
        failed = [_failed(tasks, journal, *pair) for pair in happened.failed.items()]
    if happened.full is not None:
        raise stopped(happened.full)
    return RunAnswer(
        files=tuple(files),
        directory=str(directory),
        engine=engine.name,
        order=plan.ordered_by,
        workers=workers,
        jobs=len(workflow.whole),
        completed=int(workflow.done.sum()),
        left=len(workflow.dag) - happened.done,
        happened=happened,
        failed=tuple(failed),
        foretold=None if workers is None else _foretell(plan, workflow.run_times, workers),
        learned=learned,
        idle=sum(command is None for command in workflow.commands or ()),
        missing=_told(every, lacking),
    )


def _checked(
    files: Sequence[str], wanted: Wanted, reading: Reading, signs: Signs
) -> tuple[Engine, Workflow]:
    """Return the engine and the workflow, if both can be used."""
    wanted.order.check()
    _check_place(files)
    engine = ENGINES.find(wanted.engine, asked_by="--engine")
    if wanted.resume and wanted.again:
        raise ArgumentError("--resume cannot be used with --again")
    if wanted.redo_missing:
        _check_redo(wanted)
    if engine.name == LOCAL.name:
        count_workers(wanted.terms)
    workflow = reading.read(files, signs=signs)
    if wanted.terms.shell and workflow.find_lines is not None:
        workflow = replace(workflow, find_commands=workflow.find_lines)
    found = all_commands(workflow)
    if found is not None:  # the files with the commands are read once
        workflow = replace(workflow, find_commands=lambda: found)
    tasks = CommandTasks(workflow, files[0])
    if not wanted.terms.shell and wanted.terms.address is None:
        tasks.check_programs()  # they run on this machine
    return engine, workflow


def _check_redo(wanted: Wanted) -> None:
    if not wanted.resume:
        raise ArgumentError("--redo-missing cannot be used without --resume")
    if wanted.terms.address is not None:
        problem = "output files may be on other machines"
        raise ArgumentError(f"--redo-missing cannot be used with --address: {problem}")


def _lacking(tasks: CommandTasks, completed: set[int], wanted: Wanted) -> dict[int, str]:
    """Return the completed tasks that lack an output, which is named; tell the user of them."""
    is_here = wanted.terms.address is None
    found = tasks.missing_outputs(completed) if wanted.resume and is_here else {}
    if found:
        wanted.missing(_told(tasks, found))
    return found


def _told(tasks: CommandTasks, lacking: dict[int, str]) -> tuple[MissingOutput, ...]:
    names = tasks.workflow.names
    return tuple(MissingOutput(str(names[task]), file) for task, file in lacking.items())


def _forgotten(workflow: Workflow, lacking: dict[int, str], wanted: Wanted) -> list[int]:
    """Return the tasks that run again, if the user wants that."""
    return with_descendants(workflow.whole, lacking) if wanted.redo_missing else []


def _check_place(files: Sequence[str]) -> None:
    """Raise ArgumentError for a file of this process alone, such as standard input."""
    streams = (STANDARD_INPUT, "/dev/fd/", "/proc/")
    for file in files:
        if file == "-" or os.path.abspath(file).startswith(streams):  # noqa: PTH100  links stay
            expected = "a file, because its directory is where jobs run"
            raise ArgumentError(f"FILE: expected {expected}, got a stream: {file}")


def _directory(files: Sequence[str], wanted: Wanted) -> Path:
    directory = Path(wanted.directory or f"{_without_link(files[0])}{SUFFIX}").absolute()
    check_owned(directory)
    return directory


def _without_link(file: str) -> str:
    """Return what a link beside its target points at: both are one run, with one journal.

    The jobs of a link in another directory run in that directory, so that is a run of its own.
    """
    beside, target = os.path.split(file)[0], os.path.realpath(file)
    is_beside = os.path.dirname(target) == os.path.realpath(beside or os.curdir)  # noqa: PTH120
    return os.path.join(beside, os.path.basename(target)) if is_beside else file  # noqa: PTH118, PTH119


def _identity(workflow: Workflow) -> Identity:
    return identity_of(workflow.whole, all_commands(workflow) or (), workflow.done)


def _opened(
    tasks: CommandTasks, directory: Path, wanted: Wanted
) -> AbstractContextManager[Journal]:
    def no_journal() -> None:
        wanted.no_journal(directory)

    opening = Opening(wanted.resume, wanted.again, wanted.waiting, no_journal)
    identity = _identity(tasks.workflow)
    return open_journal(directory, identity, opening, writers=wanted.terms.workers or 1)


def _left(workflow: Workflow, completed: set[int]) -> Workflow:
    """Return the workflow without the tasks that the journal says are completed."""
    mask = np.zeros(len(workflow.whole), bool)
    mask[list(completed)] = True
    return without(workflow, mask)


def _plan(workflow: Workflow, wanted: Wanted, engine: Engine, signs: Signs) -> Plan:
    is_raced = wanted.order.order == AUTO and engine.name == LOCAL.name
    pool = Workers(count_workers(wanted.terms)) if is_raced else None
    return wanted.order.plan(workflow, pool=pool, signs=signs)


def _run(
    tasks: CommandTasks, plan: Plan, journal: Journal, engine: Engine, wanted: Wanted
) -> tuple[Happened, int | None]:
    """Run tasks; return what happened, and how many workers there were, None without a task.

    Raises EngineError, before anything starts, if the engine cannot be used. Raises
    KeyboardInterrupt after Ctrl-C or SIGTERM while an engine elsewhere is waited for.
    """
    if not len(plan.dag):
        return Happened(), None
    terms = replace(wanted.terms, recorder=WorkerRecorder(str(journal.directory)))
    with (
        Interrupts(raises=terms.address is not None) as interrupts,
        engine.open(terms) as crew,
    ):
        interrupts.raises = False  # from now on the loop heeds them
        loop = Loop(tasks, plan, journal, crew, wanted.rules)
        return loop.run(interrupts, wanted.tell), crew.workers


def _foretell(plan: Plan, run_times: Floats | None, workers: int) -> Foretold | None:
    """Simulate a run; None if the cluster has no workers at its end, or no time is known but 0."""
    if not workers or run_times is None or not run_times.any():
        return None
    runs = min(_MOST_RUNS, max(_FEWEST_RUNS, _MOST_TASKS // len(plan.dag)))
    played, times = Played("static", plan.order), Times(means=run_times)
    found = simulate_runs(plan.dag, played, Workers(workers), times, seed=0, runs=runs)
    low, high = np.quantile(found.time, [0.025, 0.975]).tolist()
    return Foretold(float(found.time.mean()), low, high, float(found.utilisation.mean()))


def _instant(workflow: Workflow) -> list[str]:
    """Return the names of the jobs that run nothing."""
    commands = all_commands(workflow) or ()
    pairs = zip(workflow.names, commands, strict=True)
    return [str(name) for name, command in pairs if command is None]


def _failed(tasks: CommandTasks, journal: Journal, task: int, problem: str) -> FailedJob:
    name = tasks.name(task)
    log = journal.last_log(tasks.whole(task), name)
    return FailedJob(name, problem, str(log) if log.exists() else None)
