"""A run beside an earlier real run, and beside the forecast from that run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from icsched import files, history
from icsched.commands.inputs import timed
from icsched.commands.ordering import NOW, differ
from icsched.history import PastRun
from icsched.history.problems import checked_run_times
from icsched.history.replay import Learned, learned_from
from icsched.history.summary import spread_of_repeated
from icsched.messages import named, number
from icsched.orders import simulate
from icsched.sim import Paired, Played, Times
from icsched.sim.doubt import doubt_about
from icsched.sim.model import SPREAD
from icsched.workflow import Workflow

MOST_RUNS = 400  # simulated
_MOST_TASKS = 10_000_000  # of all runs together


@dataclass(frozen=True)
class EarlierRun:
    """How long a run took, how long the run before it took, and the forecast from the run before.

    Times are seconds from the first start to the last success. `before` is the real run in `logs`.
    `forecast` is the mean of simulated runs of the new run's workflow, with the pool and the run
    times of `logs`; 95% of them are between `low` and `high`. `order` is how jobs are taken then:
    by the priorities of the workflow ("now"), or "fifo" if it has none. `change` is `happened` over
    `before`, less 1, and `error` is `forecast` over `happened`, less 1.
    """

    logs: tuple[str, ...]
    order: str
    before: float
    forecast: float
    low: float
    high: float
    happened: float
    change: float
    error: float


def earlier_run(
    read: Sequence[tuple[str, bytes]], past: PastRun, workflow: Workflow, happened: float
) -> EarlierRun:
    """Return a run that took *happened* seconds beside the last run of *past*.

    *read* are the logs of *past* with their content; *workflow* is that of the new run. Raises
    FormatError for logs without run times, and SimulationError for a run that cannot be followed.
    """
    table = checked_run_times(past, read, is_replayed=True)
    learned = learned_from(past.last_run, workflow)
    found = _forecast(timed(workflow, table, [path for path, _ in read]), past, learned)
    order, forecast, low, high = found
    return EarlierRun(
        logs=tuple(path for path, _ in read),
        order=order,
        before=learned.actual,
        forecast=forecast,
        low=low,
        high=high,
        happened=happened,
        change=happened / learned.actual - 1 if learned.actual else 0.0,
        error=forecast / happened - 1 if happened else 0.0,
    )


def _forecast(
    workflow: Workflow, past: PastRun, learned: Learned
) -> tuple[str, float, float, float]:
    """Return the order, the mean time of the workflow, and what 95% of single runs take."""
    measured = spread_of_repeated(past)
    left = (replace(workflow, needs=learned.needs) if learned.needs else workflow).residual
    spread = SPREAD if measured is None else measured
    times = Times("lognormal", spread, doubt=doubt_about(left))
    order, played = "fifo", Played("fifo")
    if differ(left.priorities):
        order, played = NOW, Played("priority", priorities=left.priorities)
    runs = int(min(MOST_RUNS, max(40, _MOST_TASKS / max(len(left.dag), 1))))
    sampling = Paired(most_runs=runs)
    found = simulate(left, {order: played}, pool=learned.pool, times=times, sampling=sampling)
    end = found.ends[order]
    begin = learned.begin
    return order, end.mean + begin, end.low + begin, end.high + begin


def read_earlier(path: str) -> tuple[list[tuple[str, bytes]], PastRun]:
    """Return an earlier log with its content, and what it says."""
    read = [(path, files.read_bytes(path))]
    return read, history.parsed_run(read)


def earlier_text(found: EarlierRun) -> str:
    """Say what happened, what happened before, and what the forecast was."""
    low, high = number(found.low, 0), number(found.high, 0)
    return (
        f"Against {named(*found.logs)}: that run took {number(found.before, 0)} s."
        f" The forecast from it is {number(found.forecast, 0)} s in the order {found.order}, and"
        f" {low} to {high} s in 95% of runs.\n"
        f"It took {number(found.happened, 0)} s: {100 * found.change:+.1f}% against the run before,"
        f" and the forecast was off by {100 * found.error:+.1f}%.\n"
    )
