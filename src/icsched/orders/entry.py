"""What the table of orders holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from icsched.arrays import Ids
from icsched.sim import Playing
from icsched.theory import Analysis, Proof


@dataclass(frozen=True, eq=False)
class Made:
    """An order with more than its ids: what is proved about it, and the dag taken apart.

    `seconds` has the wall time of each step.
    """

    order: Ids
    proof: Proof
    analysis: Analysis | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class NamedOrder:
    """A way to order a dag, as `ORDERS` holds it.

    `make` takes the dag and, if `needs_run_times`, an array with the run time of each task. It
    returns the task ids, first to run first, or a `Made`. `extra` is the optional extra of icsched
    that must be installed. `played` says how the simulator follows the order: "static" means by
    the ids, the other three by what has happened in the run so far.
    """

    name: str
    sentence: str
    make: Callable[..., Ids | Made]
    needs_run_times: bool = False
    extra: str | None = None
    played: Playing = "static"
