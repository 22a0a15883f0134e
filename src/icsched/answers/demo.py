"""The findings of the guided tour."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from icsched import families, pebble
from icsched.answers.compared import Compared
from icsched.compare import simulate
from icsched.formats import dagman_text
from icsched.orders import prioritize
from icsched.pebble import Verdict
from icsched.sim import Ratio, Workers
from icsched.workflow import Workflow

ORDERS = ("critical-path", "prio")  # played against fifo
WORKERS = 16
SECONDS = {"handle_": 20.0, "fringe_": 10.0, "cover_": 40.0, "join_": 60.0}  # invented means
SPREAD = 0.3  # of the invented seconds, both ways


@dataclass(frozen=True, eq=False)
class Made:
    """AIRSN 250 with run times, and the texts of its files by name."""

    workflow: Workflow
    texts: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Ordered:
    """AIRSN 250 in the order prio."""

    compared: Compared


@dataclass(frozen=True, eq=False)
class Proved:
    """The order with its proof, and what the exact referee says about orders of a small AIRSN."""

    compared: Compared
    jobs: int
    verdicts: Mapping[str, Verdict]


@dataclass(frozen=True)
class Simulated:
    """The time of each of `ORDERS` over fifo's on AIRSN 250 with run times."""

    workers: int
    times: Mapping[str, Ratio]


Stop = Made | Ordered | Proved | Simulated


@cache
def made() -> Made:
    """Make AIRSN 250, and invent run times: a mean for each kind of job, and some spread."""
    dag = families.airsn(250)
    names = list(map(str, dag.names))
    means = np.array([_seconds(name) for name in names])
    factors = np.random.default_rng(0).uniform(1 - SPREAD, 1 + SPREAD, len(names))
    seconds = np.round(means * factors, 1)
    rows = zip(names, seconds.tolist(), strict=True)
    table = "".join(f"{name},{value}\n" for name, value in rows)
    workflow = Workflow(dag, np.zeros(len(dag), bool), seconds)
    return Made(workflow, {"airsn.dag": dagman_text(dag), "times.csv": table})


def _seconds(name: str) -> float:
    return next(mean for kind, mean in SECONDS.items() if name.startswith(kind))


@cache
def ordered() -> Ordered:
    """Order AIRSN 250."""
    return Ordered(Compared(prioritize(made().workflow.dag, "prio")))


def proved() -> Proved:
    """Prove the order, and let the referee judge three orders of AIRSN 6."""
    small = families.airsn(6)
    orders = {
        "first come, first served": small.fifo_order,
        "critical path": pebble.critical_path_order(small),
        "prio": prioritize(small, "prio").order,
    }
    verdicts = {label: pebble.verify(small, order) for label, order in orders.items()}
    return Proved(ordered().compared, len(small), verdicts)


def simulated() -> Simulated:
    """Simulate AIRSN 250 with its run times on a few workers."""
    orders = [*ORDERS, "fifo"]
    pool = Workers(WORKERS)
    found = simulate(made().workflow, orders, pool=pool, seed=0, baseline="fifo")
    return Simulated(WORKERS, {order: found.ratio[f"{order}_over_fifo"].time for order in ORDERS})


TOUR: tuple[Callable[[], Stop], ...] = (made, ordered, proved, simulated)
