"""A run by the workers of an engine, and a forecast of its time."""

from dataclasses import dataclass

import numpy as np

from icsched.arrays import Floats
from icsched.dag import Dag
from icsched.engines.entry import Engine, Terms
from icsched.execution.handing import Handing
from icsched.execution.interrupts import Interrupts
from icsched.execution.journal import Journal
from icsched.execution.loop import Happened, Loop, State, Tasks, Tell
from icsched.execution.rules import Rules
from icsched.orders import Plan
from icsched.sim import Played, Times, Workers, simulate_runs

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
    handing = Handing.of(plan.dag, plan, course.rules)
    is_elsewhere = course.terms.address is not None
    with (
        Interrupts(raises=is_elsewhere) as interrupts,
        course.engine.open(course.terms) as crew,
    ):
        interrupts.raises = False  # from now on the loop heeds them
        loop = Loop(
            tasks,
            handing,
            journal,
            crew,
            course.rules,
            before=course.before,
        )
        return loop.run(interrupts, tell), crew.workers


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
