"""What the table of orders holds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from icsched.arrays import Ids
from icsched.orders.choice import Choice
from icsched.sim import Playing
from icsched.theory import Proof

UseOfTimes = Literal["unused", "used", "needed"]


@dataclass(frozen=True, eq=False)
class Made:
    """An order with what is proved about it.

    `choice` says why "auto" chose it; other orders have none.
    """

    order: Ids
    proof: Proof
    choice: Choice | None = None


@dataclass(frozen=True)
class NamedOrder:
    """A way to order a dag, as `ORDERS` holds it.

    `make` takes the dag. If `run_times` is "used" it also takes an array with the run time of each
    task, or None if nobody knows them; if "needed", always the array. If `for_pool`, its last
    argument is an `Aim`: what the order is made for. `make` returns the task ids, first to run
    first, or a `Made`. `extra` is the optional extra of icsched that must be installed. `played`
    says how the simulator follows the order: "static" means by the ids, the other three by what
    has happened in the run so far.
    """

    name: str
    sentence: str
    make: Callable[..., Ids | Made]
    run_times: UseOfTimes = "unused"
    extra: str | None = None
    played: Playing = "static"
    for_pool: bool = False
