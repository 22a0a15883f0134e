"""`icsched run`: execute a workflow, in a journal that survives any end."""

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from icsched.arrays import Floats
from icsched.commands.inputs import Reading
from icsched.commands.options import (
    STANDARD_INPUT,
    USUAL,
    WHOLE,
    FileName,
    FileOptions,
    check_streams,
    one_of,
)
from icsched.commands.order_options import AUTO, CHOSEN, AutoOptions, WantedOrder
from icsched.commands.terminal import QUIET, SIGNS, Flag, Json, Signs, put, say, tell_user
from icsched.errors import ArgumentError, RunError
from icsched.files import check_owned
from icsched.messages import named
from icsched.orders import Plan
from icsched.run.crew import Engine, Terms
from icsched.run.engines import ENGINES
from icsched.run.interrupts import Interrupts
from icsched.run.journal import Journal, open_journal, read_journal
from icsched.run.learned import with_learned, write_learned
from icsched.run.local_crew import LOCAL, count_workers
from icsched.run.loop import Happened, Loop, Rules, State, Tell
from icsched.run.opening import Identity, Opening, stopped
from icsched.run.records import WorkerRecorder
from icsched.run.tasks import (
    CommandTasks,
    all_commands,
    identity_of,
    with_descendants,
    without,
)
from icsched.sim import Played, Times, Workers, simulate_runs
from icsched.words import counted, number
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


_SHOWN = 20  # jobs that failed
_NAMED = 3  # jobs whose outputs are gone
_LONGEST = 60  # characters of a name


def progress(state: State) -> str:
    """Say where a run stands.

    >>> progress(State(9, 3, 2, 1, 0, 0))
    '3 of 9 jobs done, 2 running, 1 eligible'
    """
    words = [f"{state.done:,} of {counted(state.total, 'job')} done"]
    words += [f"{state.running:,} running", f"{state.eligible:,} eligible"]
    words += [f"{counted(state.stalled, 'worker')} stalled"] if state.stalled else []
    words += [f"{state.failed:,} failed"] if state.failed else []
    return ", ".join(words)


def missing_outputs(found: Sequence[MissingOutput], *, is_redone: bool) -> str:
    """Say in one line which completed jobs lack an output.

    >>> missing_outputs([MissingOutput("count", "counts.txt")], is_redone=True)
    '1 completed job lacks output files: count (counts.txt): they run again, and all after them'
    """
    jobs = counted(len(found), "completed job lacks", "completed jobs lack")
    names = [f"{_brief(one.name)} ({_brief(one.file)})" for one in found[:_NAMED]]
    shown = named(", ".join([*names, *(["..."] if len(found) > _NAMED else [])]))
    what = "use --redo-missing as well to run them again, with all jobs that depend on them"
    if is_redone:
        what = "they run again, and all after them"
    return f"{jobs} output files: {shown}: {what}"


def _brief(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}..."


def dry_text(answer: DryAnswer) -> str:
    """Return what would run, one job on each line: what a shell reads, or would read alike."""
    head = (
        f"{answer.files[0]}: {counted(answer.jobs, 'job')}, {answer.completed:,} completed;"
        f" engine {answer.engine} would run, in the order {answer.order}:\n"
    )
    lines = [f"{job.name}: {_shown(job.command, shell=answer.shell)}\n" for job in answer.planned]
    return head + "".join(lines)


def _shown(command: Command | None, *, shell: bool) -> str:
    if command is None:
        return "(runs nothing)"
    return command.line if shell else shlex.join(command.argv)


def dry_keys(answer: DryAnswer) -> dict[str, object]:
    """Return what would run as JSON shows it."""
    return {
        "engine": answer.engine,
        "order": answer.order,
        "jobs": answer.jobs,
        "completed_before": answer.completed,
        "shell": answer.shell,
        "missing_outputs": [asdict(one) for one in answer.missing],
        "planned": [
            {"name": job.name, "command": job.command and asdict(job.command)}
            for job in answer.planned
        ],
    }


def text(answer: RunAnswer) -> str:
    """Return a report of what happened, against what was foretold."""
    lines = [_head(answer), *_course(answer), *_foretold(answer)]
    if answer.idle:
        lines.append(f"{counted(answer.idle, 'job runs', 'jobs run')} nothing")
    for job in answer.failed[:_SHOWN]:
        printed = f"; its output is in {job.log}" if job.log else ""
        lines.append(f"Failed: {job.name}: {job.problem}{printed}")
    if len(answer.failed) > _SHOWN:
        lines.append(f"Failed: {len(answer.failed) - _SHOWN:,} more")
    if answer.left:
        left = counted(answer.left, "job is", "jobs are")
        lines.append(f"{left} not completed: use --resume to go on")
    if answer.learned:
        lines.append(f"Run times are in {answer.learned}, and the next run uses them")
    return "".join(f"{line}\n" for line in lines)


def _head(answer: RunAnswer) -> str:
    before = f", {answer.completed:,} completed before" if answer.completed else ""
    return f"{answer.files[0]}: {counted(answer.jobs, 'job')}{before}"


def _course(answer: RunAnswer) -> list[str]:
    done = answer.happened
    if not done.attempts and not done.done:
        return [] if answer.left else ["Nothing was left to run"]
    where = f"engine {answer.engine}, in the order {answer.order}"
    if answer.workers is not None:
        where = f"{counted(answer.workers, 'worker')} of {where}"
    lines = [
        f"Completed {counted(done.done, 'job')} in {_seconds(done.seconds)} on {where}",
        f"{counted(done.attempts, 'attempt')}: {done.retried:,} retried,"
        f" {done.lost:,} lost with their worker",
    ]
    if done.offered:
        time = f"{_seconds(done.stalled)} of all workers together"
        stalls = f"stalled {counted(done.stalls, 'time')}, for {time}"
        lines.append(f"Workers were busy {_share(answer)} of the time, and {stalls}")
    return lines


def _foretold(answer: RunAnswer) -> list[str]:
    told, done = answer.foretold, answer.happened
    if told is None or answer.left or not done.seconds:
        return []
    seen = f"measured {_seconds(done.seconds)}, {done.seconds / told.seconds - 1:+.0%}"
    span = f"[{_seconds(told.low)}, {_seconds(told.high)}]"
    return [f"Foretold {_seconds(told.seconds)} {span}, busy {told.busy:.0%}; {seen}"]


def _share(answer: RunAnswer) -> str:
    return f"{min(1.0, answer.happened.busy / answer.happened.offered):.0%}"


def _seconds(seconds: float) -> str:
    return f"{number(seconds, 2 if seconds < 100 else 0)} s"


def keys(answer: RunAnswer) -> dict[str, object]:
    """Return what happened as JSON shows it."""
    done = answer.happened
    return {
        "directory": answer.directory,
        "engine": answer.engine,
        "order": answer.order,
        "workers": answer.workers,
        "jobs": answer.jobs,
        "completed_before": answer.completed,
        "completed": done.done,
        "left": answer.left,
        "runs_nothing": answer.idle,
        "failed": [asdict(job) for job in answer.failed],
        "attempts": done.attempts,
        "retried": done.retried,
        "lost": done.lost,
        "seconds": done.seconds,
        "busy": done.busy,
        "offered": done.offered,
        "stalled": done.stalled,
        "stalls": done.stalls,
        "foretold": answer.foretold and asdict(answer.foretold),
        "learned": answer.learned,
        "missing_outputs": [asdict(one) for one in answer.missing],
    }


_FIRST_S, _EVERY_S = 10.0, 60.0  # when lines of progress come, without a terminal


EngineWord = Annotated[str, one_of(ENGINES)]


def run(
    *files: FileName,
    engine: EngineWord = "local",
    workers: Annotated[int | None, Parameter(name=["--workers", "-j"]), WHOLE] = None,
    address: str | None = None,
    journal: str | None = None,
    resume: Flag = False,
    again: Flag = False,
    redo_missing: Flag = False,
    dry_run: Flag = False,
    order: AutoOptions = CHOSEN,
    retries: Annotated[int, WHOLE] = 0,
    keep_going: Flag = False,
    time_limit: float | None = None,
    shell: Flag = False,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Run a workflow's commands on the workers of an engine.

    Parameters
    ----------
    engine
        Name of the program that runs the commands.
    workers
        Number of workers; for engine local by default the number of cores.
    address
        Address of a scheduler that runs already, for an engine that has one.
    journal
        Directory for the journal, the logs and the run times; by default FILE.icsched-run.
    resume
        Go on with the run in the journal: run what it does not say is completed. Without a journal
        all jobs run.
    again
        Forget the journal, and run all jobs again; logs and run times stay.
    redo_missing
        With --resume: run completed jobs again whose output files are gone, and all jobs that
        depend on them.
    dry_run
        Say what would run, and start nothing.
    retries
        How often a job that fails is tried again.
    keep_going
        After a failure, run all jobs that do not depend on the failed job.
    time_limit
        Seconds after which an attempt is stopped, and has failed.
    shell
        Let /bin/sh read the commands: as the file has them, or with blanks between the words.
    json_
        Print one JSON object instead of a report.

    """
    check_streams(*files, order.order, *order.run_times)
    rules = Rules(retries, keep_going, time_limit)
    terms = Terms(workers, address, shell, tell=tell_user)
    told: dict[str, Any] = {"waiting": _waiting, "no_journal": _no_journal}
    told["missing"] = lambda found: tell_user(missing_outputs(found, is_redone=redo_missing))
    wanted = Wanted(order, engine, terms, rules, journal, resume, again, redo_missing, **told)
    if dry_run:
        found = dry_answer(files, wanted, reading=Reading(reading), signs=SIGNS)
        put(found, dry_text, dry_keys, as_json=json_, wraps=False)
        return
    _run_now(files, wanted, Reading(reading), as_json=json_)


def _run_now(files: tuple[str, ...], wanted: Wanted, reading: Reading, *, as_json: bool) -> None:
    with _live() as tell:
        found = run_answer(files, replace(wanted, tell=tell), reading=reading)
    put(found, text, keys, as_json=as_json)
    sys.stdout.flush()
    if found.happened.signal is not None:
        raise KeyboardInterrupt(found.happened.signal)
    if found.failed:
        raise RunError({job.name: job.problem for job in found.failed})


def _waiting() -> None:
    say(
        "icsched: jobs of the run that was killed are still running: waiting for them\n",
        stream=sys.stderr,
    )


def _no_journal(directory: Path) -> None:
    say(f"icsched: {directory}: no journal to resume: all jobs run\n", stream=sys.stderr)


@contextmanager
def _live() -> Iterator[Tell]:
    """Show where the run stands: always on a terminal, else one line now and then."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console  # slow to import, and only terminals need it
    from rich.text import Text

    with Console(stderr=True).status("starting") as status:
        yield lambda state: status.update(Text(progress(state)))


class _Lines:
    """Writes a line of progress after some seconds, and then every minute."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _FIRST_S

    def __call__(self, state: State) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY_S
            say(f"icsched: {progress(state)}\n", stream=sys.stderr)
