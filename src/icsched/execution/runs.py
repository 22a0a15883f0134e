"""A run by any engine: by icsched's own loop over a crew, or by an engine that does it all."""

import shutil
import signal
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import cast

import numpy as np

from icsched.arrays import Floats
from icsched.dag import Dag
from icsched.engines.entry import Engine, Outcome, Terms
from icsched.execution.handing import Handing
from icsched.execution.interrupts import Interrupts
from icsched.execution.journal import Journal
from icsched.execution.loop import Happened, Loop, State, Tasks, Tell
from icsched.execution.rules import Rules
from icsched.orders import Plan
from icsched.sim import Played, Times, Workers, simulate_runs
from icsched.workflow import Workflow

_MOST_TASKS, _MOST_RUNS, _FEWEST_RUNS = 2_000_000, 200, 20  # simulated


def silent(_state: State) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Course:
    """How tasks run: by which engine, on which terms, by which rules; `before` are done already."""

    engine: Engine
    terms: Terms
    rules: Rules
    before: int = 0


def run_by_crew(
    tasks: Tasks, plan: Plan, journal: Journal, course: Course, tell: Tell = silent
) -> tuple[Happened, int]:
    """Run tasks by the workers of an engine; return what happened, and how many workers there were.

    Raises EngineError, before anything starts, if the engine cannot be used. Raises
    KeyboardInterrupt after Ctrl-C or SIGTERM while an engine elsewhere is waited for.
    """
    assert course.engine.open is not None, "an engine with a crew"  # noqa: S101
    handing = Handing.of(plan.dag, plan, course.rules)
    is_elsewhere = course.terms.address is not None
    tell(State(len(plan.dag) + course.before, course.before))
    with (
        Interrupts(raises=is_elsewhere) as interrupts,
        course.engine.open(course.terms) as crew,
    ):
        interrupts.raises = False  # from now on the loop heeds them
        if course.rules.allows_copies:
            journal.allow_copies()
        loop = Loop(
            tasks,
            handing,
            journal,
            crew,
            course.rules,
            before=course.before,
        )
        return loop.run(interrupts, tell), crew.workers


def run_by_stream(
    workflow: Workflow, tasks: Tasks, plan: Plan, journal: Journal, course: Course, tell: Tell
) -> Happened:
    """Let an engine run a whole workflow, and record what it says.

    Raises EngineError, and leaves the journal as it was, if the engine does not start.
    """
    assert course.engine.stream is not None, "an engine with a stream"  # noqa: S101
    assert journal.directory is not None, "a journal on disk"  # noqa: S101
    happened, start = Happened(), monotonic()
    total = len(workflow.dag) + course.before

    def follow() -> None:
        happened.order = journal.order()

    terms = replace(course.terms, follows=follow)
    interrupts = Interrupts(raises=True)
    try:
        with interrupts:
            tell(State(total, course.before))
            with journal.forgetting():  # the engine goes on if this process is killed
                stream = course.engine.stream(workflow, plan, Path(journal.directory), terms)
            if happened.order is None:
                journal.hand_over(plan.ordered_by)
            with closing(cast("Closable", stream)):
                for outcome in stream:
                    _record(tasks, journal, outcome, happened)
                    tell(State(total, happened.done + course.before, failed=len(happened.failed)))
    except KeyboardInterrupt:
        happened.signal = interrupts.first or signal.SIGINT
    happened.seconds = monotonic() - start
    return happened


class Closable(Iterator[Outcome]):
    """A generator of outcomes, which can be closed."""

    def close(self) -> None:
        """End the stream."""


def _record(tasks: Tasks, journal: Journal, outcome: Outcome, happened: Happened) -> None:
    task = outcome.number
    whole, name = tasks.whole(task), tasks.name(task)
    if outcome.is_skipped:
        journal.complete([whole])
        happened.done += 1
        return
    number = journal.begin([(whole, name)])[0]
    if outcome.log is not None:
        with suppress(OSError):  # such as a task that never ran
            shutil.copyfile(outcome.log, journal.log_of(number, name))
    ended = Outcome(number, outcome.seconds, outcome.problem, outcome.is_lost)
    journal.end([(whole, ended)])
    happened.attempts += 1
    happened.busy += outcome.seconds
    if outcome.is_lost:
        happened.lost += 1
    elif outcome.problem is None:
        happened.done += 1
        happened.failed.pop(task, None)
    elif outcome.is_retried:
        happened.retried += 1
    else:
        happened.failed[task] = outcome.problem


@dataclass(frozen=True)
class Foretold:
    """How long a run should take: the mean of simulated runs, and the range of 95% of them."""

    seconds: float
    low: float
    high: float
    busy: float  # share of the workers' time


def foretell(dag: Dag, plan: Plan, run_times: Floats | None, workers: int) -> Foretold | None:
    """Simulate a run on *workers*; None if there is nothing to run, or no time is known but 0."""
    if run_times is None or not run_times.any():
        return None
    runs = min(_MOST_RUNS, max(_FEWEST_RUNS, _MOST_TASKS // len(dag)))
    played, times = Played("static", plan.order), Times(means=run_times)
    found = simulate_runs(dag, played, Workers(workers), times, seed=0, runs=runs)
    low, high = np.quantile(found.time, [0.025, 0.975]).tolist()
    return Foretold(float(found.time.mean()), low, high, float(found.utilisation.mean()))
