"""What a user says about a run: how tasks are handed out, and how failures are met."""

from dataclasses import dataclass

from icsched import checks
from icsched.errors import ArgumentError


@dataclass(frozen=True)
class Rules:
    """How a run goes.

    A failed task is tried again up to `retries` times. Then nothing new is handed out, unless the
    run is to `keep_going` with all that does not depend on the task. `time_limit` (seconds) is for
    each attempt. `batches` hands out the tasks that leave most others eligible; `cluster_size` is
    how many tasks, chosen by `clusterer`, a worker gets in a row.
    """

    retries: int = 0
    keep_going: bool = False
    time_limit: float | None = None
    batches: bool = False
    cluster_size: int | None = None
    clusterer: str = "auto"

    def __post_init__(self) -> None:
        checks.whole_number("retries", self.retries, least=0)
        if self.time_limit is not None:
            checks.number_within("time-limit", self.time_limit, least=1e-3, most=1e9)
        if self.cluster_size is not None:
            checks.whole_number("cluster-size", self.cluster_size, least=1)
            if self.batches:
                raise ArgumentError("--batches cannot be used with --cluster-size")
