"""Definitions of orders: entries of the table, results, the aim of "auto" and its choice."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from icsched import checks
from icsched.arrays import Ids
from icsched.errors import ArgumentError
from icsched.frames import Answer, Rounded, brief
from icsched.sim import AnyPool, Playing
from icsched.sim.race import Interval
from icsched.theory import Proof
from icsched.workflow import Workflow

FIFO, PRESENT = "fifo", "present"  # names of the order that the user has now
NEW = "new"  # name of an order that races against an icsched section
LARGEST_BUDGET = 86_400.0  # seconds
WORTH = 0.99  # a new order with a ratio of times above this is not used


@dataclass(frozen=True, eq=False)
class Aim:
    """The aim of an order: the pool, and a budget for the search.

    *pool* is None if it is unknown. *priorities* has the priorities in the user's files, one for
    each task, larger runs first; None if the files have none. *budget* is in seconds of simulation
    on one core of usual speed. *workflow* has the tasks to order, with what each needs; None if
    only the dag is known. Raises ArgumentError for a budget that is out of range.
    """

    pool: AnyPool | None = None
    priorities: Ids | None = None
    budget: float = 1.0
    seed: int = 0
    workflow: Workflow | None = None

    def __post_init__(self) -> None:
        if self.pool is not None and not isinstance(self.pool, AnyPool):
            expected = "expected a Pool, Workers, Recorded or Machines"
            raise ArgumentError(f"pool: {expected}, got {self.pool!r:.60}")
        checks.number_within("budget", self.budget, least=0.001, most=LARGEST_BUDGET)
        checks.whole_number("seed", self.seed, least=0, most=2**64 - 1)


@dataclass(frozen=True, eq=False)
class Choice(Answer):
    """The order that "auto" chose, with reasons.

    `best`, `chosen` and `present` are names of orders. `present` is the user's present order:
    "fifo", or "present" for the priorities in the files. `best` won the race. `ratio` is the time
    of `best` over the time of `present`, in new runs after the race. `chosen` is `best` if
    `is_worth_it`, else `present`. `ratios` has the ratio of each order in the race, a geometric
    mean over the pools. These come from fewer runs, and the ratio of `best` is too low on average.
    `intervals` has 95% intervals of these ratios, for orders other than `present` with two runs or
    more. `pools` are these pools as plain data, and `is_own_pool` says whether the user gave one.
    `is_timed` says whether run times were known. `runs` counts the simulated runs. `budget` and
    `budget_used` are in the same unit. `budget_used` is larger if even the fewest possible runs
    take longer. `is_clear` says whether the gain is more than the luck of the simulated runs; the
    interval of `ratio` also has what is not known of run times. On the user's own pool, `ends` has
    the time of a single run in the order `best` and in `present`: the mean and the interval that
    has 95% of all runs.

    >>> Choice("prio", "fifo", Interval(0.9, 0.85, 0.95), {}, (), False, False, 80, 0, 1.0, 0.5)
    Choice(chosen='prio', best='prio', present='fifo', ratio=0.9, low=0.85, high=0.95, runs=80)
    """

    best: str
    present: str
    ratio: Interval
    ratios: dict[str, float]
    pools: tuple[dict[str, Any], ...]
    is_own_pool: bool
    is_timed: bool
    runs: int
    seed: int
    budget: float
    budget_used: float
    intervals: dict[str, Interval] = field(default_factory=dict)
    ends: dict[str, Interval] = field(default_factory=dict)
    is_clear: bool = True

    def __repr__(self) -> str:
        ratio = {"ratio": self.ratio.mean, "low": self.ratio.low, "high": self.ratio.high}
        rounded = {name: Rounded(value) for name, value in ratio.items()}
        names = {"chosen": self.chosen, "best": self.best, "present": self.present}
        return brief(self, **names, **rounded, runs=self.runs)

    @property
    def exceeds_budget(self) -> bool:
        """Whether the runs took clearly more than the budget, not only by chance."""
        return self.budget_used > 1.1 * self.budget

    @property
    def is_worth_it(self) -> bool:
        """Whether the best order saves 1% of the time or more, not only by chance."""
        return self.ratio.mean <= WORTH and self.is_clear

    @property
    def chosen(self) -> str:
        """The name of the order that was chosen."""
        return self.best if self.is_worth_it else self.present

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, `chosen`, `is_worth_it` and `exceeds_budget` as plain data."""
        more = {
            "chosen": self.chosen,
            "is_worth_it": self.is_worth_it,
            "exceeds_budget": self.exceeds_budget,
        }
        return {**super().to_dict(), **more}


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
    """An order in the table `ORDERS`.

    `make` takes the dag. If `run_times` is "used", `make` also takes an array with the run time of
    each task, or None if they are unknown. If "needed", it always gets the array. If `for_pool`,
    the last argument is an `Aim`. `make` returns the task ids, first to run first, or a `Made`.
    `extra` is the optional extra of icsched that must be installed. `played` says how the simulator
    follows the order: "static" means by the ids; the other three depend on the run so far.
    """

    name: str
    sentence: str
    make: Callable[..., Ids | Made]
    run_times: UseOfTimes = "unused"
    extra: str | None = None
    played: Playing = "static"
    for_pool: bool = False
