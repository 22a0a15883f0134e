"""The findings of the guided tour."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from icsched import families, pebble
from icsched.answers.compared import Compared
from icsched.orders import prioritize
from icsched.pebble import Verdict


@dataclass(frozen=True, eq=False)
class Airsn:
    """AIRSN 250 in the order prio."""

    compared: Compared


@dataclass(frozen=True)
class Judged:
    """What the exact referee says about orders of a small AIRSN, by the names of the tour."""

    jobs: int
    verdicts: Mapping[str, Verdict]


@dataclass(frozen=True)
class Sdss:
    """SDSS, ordered."""

    jobs: int


Stop = Airsn | Judged | Sdss


def airsn() -> Airsn:
    """Order AIRSN 250."""
    return Airsn(Compared(prioritize(families.airsn(250), "prio")))


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


TOUR: tuple[Callable[[], Stop], ...] = (airsn, judged, sdss)
