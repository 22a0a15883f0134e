"""The findings of the guided tour."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from icsched import families, pebble
from icsched.answers.compared import Compared
from icsched.compare import simulate
from icsched.orders import prioritize
from icsched.pebble import Profile, Verdict
from icsched.sim import Pool, Ratio

ORDERS = ("critical-path", "prio")  # played against fifo


@dataclass(frozen=True, eq=False)
class Airsn:
    """AIRSN 250 in the order prio, and the eligible jobs of critical path beside it."""

    compared: Compared
    critical_path: Profile


@dataclass(frozen=True)
class Gained:
    """The time of each of `ORDERS` over fifo's on AIRSN 250, and how many requests a batch has."""

    batch: int
    times: Mapping[str, Ratio | None]


@dataclass(frozen=True)
class Judged:
    """What the exact referee says about orders of a small AIRSN, by the names of the tour."""

    jobs: int
    verdicts: Mapping[str, Verdict]


@dataclass(frozen=True)
class Sdss:
    """SDSS, ordered."""

    jobs: int


Stop = Airsn | Gained | Judged | Sdss


def airsn() -> Airsn:
    """Order AIRSN 250."""
    compared = Compared(prioritize(families.airsn(250), "prio"))
    path = prioritize(compared.plan.dag, "critical-path").schedule
    return Airsn(compared, path.eligible)


def gained() -> Gained:
    """Simulate AIRSN 250 on a pool where a batch of 16 requests comes in the time of a job."""
    pool = Pool(interval=1, batch=16)
    found = simulate(families.airsn(250), [*ORDERS, "fifo"], pool=pool, seed=0, baseline="fifo")
    return Gained(16, {order: found.ratio[f"{order}_over_fifo"].time for order in ORDERS})


def judged() -> Judged:
    """Let the referee judge three orders of AIRSN 6."""
    small = families.airsn(6)
    orders = {
        "first come, first served": small.fifo_order,
        "longest path first": pebble.critical_path_order(small),
        "prio": prioritize(small, "prio").order,
    }
    verdicts = {label: pebble.verify(small, order) for label, order in orders.items()}
    return Judged(len(small), verdicts)


def sdss() -> Sdss:
    """Order SDSS."""
    return Sdss(len(prioritize(families.sdss(), "prio").order))


TOUR: tuple[Callable[[], Stop], ...] = (airsn, gained, judged, sdss)
