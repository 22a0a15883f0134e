"""What other orders would take on the pool of a past run."""

from collections.abc import Sized
from dataclasses import dataclass

import numpy as np

from icsched.answers.learned import Learned, Replayed, order_of_starts, places_left
from icsched.answers.orders import differ
from icsched.answers.signs import Signs
from icsched.compare import Paired, Simulation, simulate
from icsched.compare.simulation import OrderLike
from icsched.dag import Dag
from icsched.logs import Ending, PastRun, Usage
from icsched.sim import Played, Times
from icsched.sim.model import SPREAD
from icsched.workflow import Workflow

USED = "used"  # what the order of the recorded starts is called
FIFO = "fifo"  # what HTCondor does without priorities
ORDERS_TRIED = ("critical-path", "prio", "critical-path-steps")
_MOST_TASKS = 50_000_000  # simulated, of all orders together
_FEWEST_REPEATED = 20  # jobs measured several times, to know their spread


@dataclass(frozen=True, eq=False)
class Foretold(Replayed):
    """The pool, how well it reproduces the run, and the times of other orders on it.

    `found` has all jobs of the workflow, with times that vary by `times`. Orders are compared with
    `baseline`: fifo if the workflow has no priorities, because HTCondor then takes jobs so; else
    the recorded order of the starts.
    """

    times: Times
    spread_is_measured: bool
    baseline: str
    found: Simulation


def foretell(past: PastRun, learned: Learned, workflow: Workflow, signs: Signs) -> Foretold:
    """Simulate the workflow in other orders on the pool that was learned."""
    dag, replayed = workflow.dag, learned.replayed
    spread, is_measured = _spread(past)
    is_normal = is_measured and spread <= 0.3
    times = Times("normal" if is_normal else "lognormal", spread, means=workflow.run_times)
    orders = _orders(learned.usage, workflow)
    baseline = _baseline(workflow)
    with signs.progress("simulating other orders", len(dag)) as tell:
        found = simulate(
            dag,
            orders,
            pool=replayed.pool,
            times=times,
            seed=0,
            baseline=baseline,
            sampling=Paired(most_runs=_most_runs(dag, orders)),
            progress=tell,
        )
    known = replayed.pool, replayed.actual, replayed.replays
    return Foretold(*known, times, is_measured, baseline, found)


def _most_runs(dag: Dag, orders: Sized) -> int:
    return int(min(2000, max(20, _MOST_TASKS / (len(dag) * len(orders)))))


def _orders(usage: Usage, workflow: Workflow) -> dict[str, OrderLike]:
    """Return the orders to try by name; the one that was used is first."""
    places = places_left(workflow)[order_of_starts(usage, workflow.whole)]
    used = Played("static", places[places >= 0])
    return {USED: used, **{word: word for word in (*ORDERS_TRIED, FIFO)}}


def _baseline(workflow: Workflow) -> str:
    """Return what other orders are compared with.

    A list of recorded starts is no rule. It knows when jobs became eligible in that one run, so it
    is not what fifo would do in the next run.
    """
    return USED if differ(workflow.priorities) else FIFO


def _spread(past: PastRun) -> tuple[float, bool]:
    """Return how much the times of one job vary, and whether the logs say so."""
    is_good = (past.ending == Ending.DONE) & (past.seconds > 0)
    job, seconds = past.job[is_good], past.seconds[is_good]
    count = np.bincount(job, minlength=len(past.names))
    mean = np.bincount(job, seconds, minlength=len(past.names)) / np.maximum(count, 1)
    squares = np.bincount(job, (seconds / mean[job] - 1) ** 2, minlength=len(past.names))
    repeated = count > 1
    if repeated.sum() < _FEWEST_REPEATED:
        return SPREAD, False
    return float(np.sqrt(np.mean(squares[repeated] / (count[repeated] - 1)))), True
