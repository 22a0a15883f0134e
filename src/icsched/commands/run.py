"""`icsched run`: execute a workflow, in a journal that survives any end."""

import os
import shlex
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from icsched.arrays import Floats
from icsched.commands.inputs import USUAL, FileOptions, with_run_times
from icsched.commands.options import WHOLE, FileName, Flag, Json, one_of, refuse
from icsched.commands.ordering import AUTO, CHOSEN, AutoOptions
from icsched.commands.terminal import STANDARD_INPUT, put, tell_user, without_progress
from icsched.errors import ArgumentError, FormatError, RunError
from icsched.files.owned import check_owned
from icsched.frames import INLINE, NOT_IN_JSON
from icsched.messages import counted, named, number
from icsched.orders import Plan
from icsched.run.crew import Terms
from icsched.run.engines import ENGINES, LOCAL, Engine
from icsched.run.identity import Identity, identity_of
from icsched.run.journal import Journal, Opening, open_journal, read_journal
from icsched.run.local_crew import count_workers
from icsched.run.loop import Happened, Interrupts, Loop, Rules, State, Tell
from icsched.run.records import WorkerRecorder
from icsched.run.tasks import (
    CommandTasks,
    with_descendants,
    with_learned,
    write_learned,
)
from icsched.sim import Experiment, Played, Times, Workers
from icsched.workflow import Command

SUFFIX = ".icsched-run"  # of the directory of a run, after the name of the workflow file
_MOST_TASKS, _MOST_RUNS, _FEWEST_RUNS = 2_000_000, 200, 20  # simulated
_STREAMS = (STANDARD_INPUT, "/dev/fd/", "/proc/")
_SHOWN = 20  # jobs that failed
_NAMED = 3  # jobs whose outputs are gone
_LONGEST = 60  # characters of a name
_FIRST_S, _EVERY_S = 10.0, 60.0  # when lines of progress come, without a terminal


@Parameter(name="*")
@dataclass(frozen=True)
class RunOptions:
    """What runs jobs, in which order, by which rules, and where the journal is.

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

    """

    engine: Annotated[str, one_of(ENGINES)] = "local"
    workers: Annotated[int | None, Parameter(name=["--workers", "-j"]), WHOLE] = None
    address: str | None = None
    journal: str | None = None
    resume: Flag = False
    again: Flag = False
    redo_missing: Flag = False
    dry_run: Flag = False
    order: AutoOptions = CHOSEN
    retries: Annotated[int, WHOLE] = 0
    keep_going: Flag = False
    time_limit: float | None = None
    shell: Flag = False


_AS_USUAL = RunOptions()


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
    """What would run, first to run first; jobs that were completed before would not.

    `shell` says whether /bin/sh reads the commands.
    """

    engine: str
    order: str
    jobs: int
    completed_before: int
    shell: bool
    missing_outputs: tuple[MissingOutput, ...]
    planned: tuple[PlannedJob, ...]
    file: str = field(metadata=NOT_IN_JSON)


@dataclass(frozen=True)
class Forecast:
    """How long a run should take: the mean of simulated runs, and the range of 95% of them."""

    seconds: float
    low: float
    high: float
    busy: float  # share of the workers' time


@dataclass(frozen=True)
class RunAnswer:
    """What happened in a run.

    `left` jobs are not completed after the run. `forecast` is None if run times were not known.
    `workers` is None if nothing was left to run. `runs_nothing` counts the jobs without a command
    among the jobs that were not completed before.
    """

    directory: str
    engine: str
    order: str
    workers: int | None
    jobs: int
    completed_before: int
    completed: int
    left: int
    runs_nothing: int
    failed: tuple[FailedJob, ...]
    happened: Happened = field(metadata=INLINE)
    forecast: Forecast | None
    learned: str | None
    missing_outputs: tuple[MissingOutput, ...]
    file: str = field(metadata=NOT_IN_JSON)


class Start:
    """A workflow that can run, the engine that runs it, and the place of its journal.

    Raises ArgumentError or FormatError, and nothing was started or written, for options that cannot
    be used together, a workflow without commands, and a program that is not there.
    """

    def __init__(self, files: Sequence[str], options: RunOptions, reading: FileOptions) -> None:
        self.rules = Rules(options.retries, options.keep_going, options.time_limit)
        self.terms = terms = Terms(options.workers, options.address, options.shell, tell=tell_user)
        _check_place(files)
        self.engine: Engine = ENGINES.find(options.engine)
        refuse(
            {
                "--resume cannot be used with --again": options.resume and options.again,
                "--redo-missing cannot be used without --resume": (
                    options.redo_missing and not options.resume
                ),
                "--redo-missing cannot be used with --address: output files may be on other"
                " machines": options.redo_missing and options.address is not None,
            }
        )
        if self.engine.name == LOCAL.name:
            count_workers(terms)
        self.options = options
        self.workflow, self.file = reading.read(files), files[0]
        self.tasks = CommandTasks(self.workflow, self.file, for_shell=terms.shell)
        if not terms.shell and terms.address is None:
            self.tasks.check_programs()  # they run on this machine
        self.directory = Path(options.journal or f"{_without_link(self.file)}{SUFFIX}").absolute()
        check_owned(self.directory)

    @property
    def identity(self) -> Identity:
        """What the journal must have in common with the workflow."""
        workflow = self.workflow
        return identity_of(workflow.dag, self.tasks.commands, workflow.done)

    def after(self, completed: Collection[int]) -> "Rest":
        """Return what is left to run if the journal says that tasks are *completed*, in order."""
        options, workflow = self.options, self.workflow
        is_here = self.terms.address is None
        lacking = self.tasks.missing_outputs(completed) if options.resume and is_here else {}
        names = workflow.names
        missing = tuple(MissingOutput(str(names[task]), file) for task, file in lacking.items())
        if missing:
            tell_user(missing_outputs(missing, is_redone=options.redo_missing))
        redone = with_descendants(workflow.dag, lacking) if options.redo_missing else []
        done = np.zeros(len(workflow.dag), bool)
        done[list(set(completed).difference(redone))] = True
        earlier = replace(workflow, done=workflow.done | done)
        left = with_learned(earlier, self.directory)
        left = with_run_times(left, options.order.run_times)
        is_raced = options.order.order == AUTO and self.engine.name == LOCAL.name
        pool = Workers(count_workers(self.terms)) if is_raced else None
        plan = options.order.plan(left, pool=pool)
        return Rest(self.tasks.of(left), plan, missing, redone)


@dataclass(frozen=True, eq=False)
class Rest:
    """What is left to run, in order. The tasks in `redone` were completed, and run again."""

    tasks: CommandTasks
    plan: Plan
    missing: tuple[MissingOutput, ...]
    redone: list[int]


def _check_place(files: Sequence[str]) -> None:
    """Raise ArgumentError for a file of this process alone, such as standard input."""
    for file in files:
        if file == "-" or os.path.abspath(file).startswith(_STREAMS):  # noqa: PTH100  links stay
            expected = "a file, because its directory is where jobs run"
            raise ArgumentError(f"FILE: expected {expected}, got a stream: {file}")


def _without_link(file: str) -> str:
    """Return what a link beside its target points at: both are one run, with one journal.

    The jobs of a link in another directory run in that directory, so that is a run of its own.
    """
    beside, target = os.path.split(file)[0], os.path.realpath(file)
    is_beside = os.path.dirname(target) == os.path.realpath(beside or os.curdir)  # noqa: PTH120
    return os.path.join(beside, os.path.basename(target)) if is_beside else file  # noqa: PTH118, PTH119


def dry_answer(start: Start) -> DryAnswer:
    """Say what would run now, and in which order; nothing is started, and nothing is written."""
    completed = set[int]()
    if start.options.resume:
        opening = Opening(tell=tell_user)
        with read_journal(start.directory, start.identity, opening) as journal:
            completed = journal.completed()
    rest = start.after(completed)
    left, commands = rest.tasks.workflow, rest.tasks.commands
    return DryAnswer(
        engine=start.engine.name,
        order=rest.plan.ordered_by,
        jobs=len(left.dag),
        completed_before=int(left.done.sum()),
        shell=start.terms.shell,
        missing_outputs=rest.missing,
        planned=tuple(
            PlannedJob(rest.tasks.name(task), commands[task]) for task in rest.plan.order.tolist()
        ),
        file=start.file,
    )


def run_answer(start: Start, tell: Tell) -> RunAnswer:
    """Run a workflow until all its jobs are done, or nothing more can be done.

    *tell* is told where the run stands. Raises FormatError, and starts nothing, for a journal that
    cannot be used. Raises FormatError if the journal could not be written in mid-run; all that was
    running is stopped then, and the run can be resumed.
    """
    opening = Opening(start.options.resume, start.options.again, tell_user)
    writers = start.terms.workers or 1
    with open_journal(start.directory, start.identity, opening, writers=writers) as journal:
        rest = start.after(journal.completed())
        if rest.redone:  # only now: nothing is forgotten if the order cannot be made
            journal.forget(rest.redone)
        happened, workers = _run(rest, journal, start, tell)
        learned = None
        if happened.full is None:
            pairs = zip(start.workflow.names, rest.tasks.commands, strict=True)
            instant = [str(name) for name, command in pairs if command is None]
            learned = write_learned(journal, start.directory, instant)
        failed = []
        for task, problem in happened.failed.items():
            name = rest.tasks.name(task)
            log = journal.last_log(task, name)
            failed.append(FailedJob(name, problem, str(log) if log.exists() else None))
    if happened.full is not None:
        stopped = f"{happened.full.problem}; the run has stopped: fix this, then use --resume"
        raise FormatError(happened.full.path, happened.full.line, stopped)
    left = rest.tasks.workflow
    return RunAnswer(
        directory=str(start.directory),
        engine=start.engine.name,
        order=rest.plan.ordered_by,
        workers=workers,
        jobs=len(left.dag),
        completed_before=int(left.done.sum()),
        completed=happened.done,
        left=len(rest.plan.order) - happened.done,
        runs_nothing=sum(rest.tasks.commands[task] is None for task in rest.plan.order.tolist()),
        failed=tuple(failed),
        happened=happened,
        forecast=_forecast(rest.plan, left.residual.run_times, workers),
        learned=learned,
        missing_outputs=rest.missing,
        file=start.file,
    )


def _run(rest: Rest, journal: Journal, start: Start, tell: Tell) -> tuple[Happened, int | None]:
    """Run tasks; return what happened, and how many workers there were, None without a task.

    Raises EngineError, before anything starts, if the engine cannot be used. Raises
    KeyboardInterrupt after Ctrl-C or SIGTERM while an engine elsewhere is waited for.
    """
    if not len(rest.plan.order):
        return Happened(), None
    terms = replace(start.terms, recorder=WorkerRecorder(str(journal.directory)))
    with (
        Interrupts(raises=terms.address is not None) as interrupts,
        start.engine.open(terms) as crew,
    ):
        interrupts.raises = False  # from now on the loop heeds them
        loop = Loop(rest.tasks, rest.plan, journal, crew, start.rules)
        return loop.run(interrupts, tell), crew.workers


def _forecast(plan: Plan, run_times: Floats | None, workers: int | None) -> Forecast | None:
    """Simulate a run; None without workers, as at the end of a cluster, or if all times are 0."""
    if not workers or run_times is None or not run_times.any():
        return None
    runs = min(_MOST_RUNS, max(_FEWEST_RUNS, _MOST_TASKS // len(plan.order)))
    experiment = Experiment(plan.schedule.dag, Workers(workers), Times(means=run_times))
    found = experiment.runs(Played("static", plan.schedule), seed=0, runs=runs)
    low, high = np.quantile(found.time, [0.025, 0.975]).tolist()
    return Forecast(float(found.time.mean()), low, high, float(found.utilisation.mean()))


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


def dry_text(found: DryAnswer) -> str:
    """Return what would run, one job on each line: what a shell reads, or would read alike."""
    head = (
        f"{found.file}: {counted(found.jobs, 'job')}, {found.completed_before:,} completed;"
        f" engine {found.engine} would run, in the order {found.order}:\n"
    )
    lines = [head]
    for job in found.planned:
        runs = "(runs nothing)"
        if job.command is not None:
            runs = job.command.line if found.shell else shlex.join(job.command.argv)
        lines.append(f"{job.name}: {runs}\n")
    return "".join(lines)


def text(found: RunAnswer) -> str:
    """Return a report of what happened, beside its forecast."""
    before = f", {found.completed_before:,} completed before" if found.completed_before else ""
    lines = [f"{found.file}: {counted(found.jobs, 'job')}{before}", *_course(found)]
    forecast = found.forecast
    took = found.happened.seconds
    if forecast is not None and not found.left and took:
        seen = f"measured {_seconds(took)}, {took / forecast.seconds - 1:+.0%}"
        span = f"{_seconds(forecast.seconds)} [{_seconds(forecast.low)}, {_seconds(forecast.high)}]"
        lines.append(f"Forecast {span}, busy {forecast.busy:.0%}; {seen}")
    if found.runs_nothing:
        lines.append(f"{counted(found.runs_nothing, 'job runs', 'jobs run')} nothing")
    for job in found.failed[:_SHOWN]:
        printed = f"; its output is in {job.log}" if job.log else ""
        lines.append(f"Failed: {job.name}: {job.problem}{printed}")
    if len(found.failed) > _SHOWN:
        lines.append(f"Failed: {len(found.failed) - _SHOWN:,} more")
    if found.left:
        left = counted(found.left, "job is", "jobs are")
        lines.append(f"{left} not completed: use --resume to go on")
    if found.learned:
        lines.append(f"Run times are in {found.learned}, and the next run uses them")
    return "".join(f"{line}\n" for line in lines)


def _course(found: RunAnswer) -> list[str]:
    """Return lines on what workers did."""
    happened = found.happened
    if not happened.attempts and not found.completed:
        return [] if found.left else ["Nothing was left to run"]
    where = f"engine {found.engine}, in the order {found.order}"
    if found.workers is not None:
        where = f"{counted(found.workers, 'worker')} of {where}"
    lines = [
        f"Completed {counted(found.completed, 'job')} in {_seconds(happened.seconds)} on {where}",
        f"{counted(happened.attempts, 'attempt')}: {happened.retried:,} retried,"
        f" {happened.lost:,} lost with their worker",
    ]
    if happened.offered:
        time = f"{_seconds(happened.stalled)} of all workers together"
        stalls = f"stalled {counted(happened.stalls, 'time')}, for {time}"
        share = min(1.0, happened.busy / happened.offered)
        lines.append(f"Workers were busy {share:.0%} of the time, and {stalls}")
    return lines


def _seconds(seconds: float) -> str:
    return f"{number(seconds, 2 if seconds < 100 else 0)} s"


def run(
    *files: FileName,
    options: RunOptions = _AS_USUAL,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Run a workflow's commands on the workers of an engine.

    Parameters
    ----------
    json_
        Print one JSON object instead of a report.

    """
    if options.dry_run:
        start = Start(files, options, reading)
        put(dry_answer(start), dry_text, as_json=json_, wraps=False)
        return
    with _live() as tell, without_progress():  # it shows more itself
        found = run_answer(Start(files, options, reading), tell)
    put(found, text, as_json=json_)
    sys.stdout.flush()
    if found.happened.signal is not None:
        raise KeyboardInterrupt(found.happened.signal)
    if found.failed:
        raise RunError({job.name: job.problem for job in found.failed})


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
            tell_user(progress(state))
