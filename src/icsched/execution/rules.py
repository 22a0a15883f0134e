"""What a user says about a run: how failures, slow tasks and idle workers are met."""

import math
import re
from dataclasses import dataclass

from icsched import checks
from icsched.errors import ArgumentError

_DEADLINE = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(x?)")


@dataclass(frozen=True)
class Deadline:
    """When a task is handed out again: after seconds, or a multiple of its expected run time.

    >>> Deadline.of("90").after(10.0), Deadline.of("3x").after(10.0), Deadline.of("3x").after(None)
    (90.0, 30.0, inf)
    """

    amount: float
    is_factor: bool = False

    @classmethod
    def of(cls, word: str) -> "Deadline":
        """Read ``90`` as seconds and ``3x`` as a factor; raises ArgumentError for other words."""
        found = _DEADLINE.fullmatch(word)
        if found is None or not float(found[1]):
            expected = "seconds such as 90, or a multiple of the run time such as 3x"
            raise ArgumentError(f"--reallocate: expected {expected}, got {word!r}")
        return cls(float(found[1]), bool(found[2]))

    def after(self, expected: float | None) -> float:
        """Return the seconds after which a task of this run time is handed out again."""
        if not self.is_factor:
            return self.amount
        return math.inf if expected is None else self.amount * expected


@dataclass(frozen=True)
class Rules:
    """How a run goes.

    A failed task is tried again up to `retries` times. Then nothing new is handed out, unless the
    run is to `keep_going` with all that does not depend on the task. `time_limit` (seconds) is for
    each attempt. A task that runs for longer than `reallocate` allows is handed out again, and idle
    workers get copies of running tasks, until there are `replicas` of each. The first result
    counts, and the other attempts are stopped. `batches` hands out the tasks that leave most others
    eligible; `cluster_size` is how many tasks, chosen by `clusterer`, a worker gets in a row.
    """

    retries: int = 0
    keep_going: bool = False
    time_limit: float | None = None
    reallocate: Deadline | None = None
    replicas: int = 1
    batches: bool = False
    cluster_size: int | None = None
    clusterer: str = "auto"

    @property
    def allows_copies(self) -> bool:
        """Whether several attempts at a task may run at once."""
        return self.reallocate is not None or self.replicas > 1

    def __post_init__(self) -> None:
        checks.whole_number("retries", self.retries, least=0)
        checks.whole_number("replicas", self.replicas, least=1)
        if self.time_limit is not None:
            checks.number_within("time-limit", self.time_limit, least=1e-3, most=1e9)
        if self.cluster_size is not None:
            checks.whole_number("cluster-size", self.cluster_size, least=1)
            if self.batches:
                raise ArgumentError("--batches cannot be used with --cluster-size")
