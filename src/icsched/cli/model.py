"""Options that say what is simulated: who asks, how long jobs run, how much is simulated."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated

from cyclopts import Parameter

from icsched.answers.inputs import numbers
from icsched.answers.pools import GivenPool, read_given_pool
from icsched.cli.inputs import WHOLE
from icsched.cli.orders import RUN_TIMES_HELP, RunTimeFiles
from icsched.cli.output import Flag
from icsched.compare import Paired, PaperSampling
from icsched.errors import ArgumentError, FormatError, PoolError
from icsched.sim import AnyPool, Pool, Times, Workers
from icsched.sim.engine import cores
from icsched.sim.model import BatchLaw, TimeLaw

_MOST_THREADS = 1024
_RUN_TIMES_HELP = (
    f"{RUN_TIMES_HELP} By default each job takes 1."
    " The pool must be in seconds then: say its workers, intervals or file."
)


@contextmanager
def naming_pool(path: str | None) -> Iterator[None]:
    """Turn errors about a pool into errors about its file at *path*, if it has one."""
    try:
        yield
    except PoolError as error:
        if path is None:
            raise
        raise FormatError(path, None, str(error)) from error


@Parameter(name="*", group="Pool")
@dataclass(frozen=True)
class PoolOptions:
    """Who asks for jobs.

    Parameters
    ----------
    interval
        Mean time between batches of requests; 1 by default.
    batch
        Mean number of requests in a batch; 16 by default.
    batch_law
        How sizes of batches vary: geometric by default.
    waiting
        Requests that find no job wait for one; otherwise they are lost.
    speed_spread
        How much the speeds of workers vary: deviation divided by mean; 0 by default.
    workers
        A fixed set of this many workers instead of batches.
    speeds
        With --workers: the speed of each worker, separated by commas; 1 for each by default.
    leave
        Mean time after which a worker leaves, and its job is lost; never by default.
    deadline
        Time after which a job that is not done is handed out once more; never by default.
    replicas
        Hand each job out to this many workers at once.
    overhead
        Time of an assignment beside the job's own, whatever the worker's speed; 0 by default.
    delay
        Time until a result, or the loss of a job, changes what can be taken; 0 by default.
    pool_file
        JSON file that says all this; no other option of the pool can be used with it.

    """

    interval: float | None = None
    batch: float | None = None
    batch_law: BatchLaw | None = None
    waiting: Flag = False
    speed_spread: float | None = None
    workers: Annotated[int | None, WHOLE] = None
    speeds: str | None = None
    leave: Annotated[float, Parameter(show_default=False)] = math.inf
    deadline: Annotated[float, Parameter(show_default=False)] = math.inf
    replicas: Annotated[int, WHOLE] = 1
    overhead: Annotated[float, Parameter(show_default=False)] = 0.0
    delay: Annotated[float, Parameter(show_default=False)] = 0.0
    pool_file: Annotated[str | None, Parameter(name="--pool")] = None

    @property
    def has_unit(self) -> bool:
        """Whether the user said what a unit of time is."""
        given = self.interval, self.workers, self.pool_file
        return any(value is not None for value in given)

    def given(self) -> GivenPool:
        """Return the pool; raises ArgumentError for options that cannot be used together.

        Raises FormatError for a file that is no pool.
        """
        if self.pool_file is None:
            return GivenPool(self._said())
        if replace(self, pool_file=None) != PoolOptions():
            raise ArgumentError("--pool cannot be used with other options of the pool")
        return read_given_pool(self.pool_file)

    def _said(self) -> AnyPool:
        """Return the pool that the options other than --pool say."""
        of_batches = {
            "interval": self.interval,
            "batch": self.batch,
            "batch_law": self.batch_law,
            "waiting": self.waiting or None,
            "speed_spread": self.speed_spread,
        }
        given = {name: value for name, value in of_batches.items() if value is not None}
        terms = {
            "leave": self.leave,
            "deadline": self.deadline,
            "replicas": self.replicas,
            "overhead": self.overhead,
            "delay": self.delay,
        }
        if self.workers is not None:
            if given:
                option = next(iter(given)).replace("_", "-")
                raise ArgumentError(f"--{option} cannot be used with --workers")
            speeds = None if self.speeds is None else numbers("--speeds", self.speeds)
            return Workers(self.workers, speeds, **terms)  # type: ignore[arg-type]
        if self.speeds is not None:
            raise ArgumentError("--speeds needs --workers; --speed-spread is for batches")
        return Pool(**given, **terms)  # type: ignore[arg-type]


@Parameter(name="*", group="Times")
@dataclass(frozen=True)
class TimeOptions:
    """How long jobs run.

    Parameters
    ----------
    law
        How run times vary around their means.
    spread
        Standard deviation of a run time divided by its mean, not with --law constant; 0.3 by
        default.

    """

    law: TimeLaw = "lognormal"
    spread: float | None = None
    run_times: Annotated[RunTimeFiles, Parameter(help=_RUN_TIMES_HELP)] = ()

    def times(self) -> Times:
        """Return the law of the times; raises ArgumentError for options that do not fit."""
        if self.law == "constant" and self.spread is not None:
            raise ArgumentError("--spread cannot be used with --law constant")
        given = {} if self.spread is None else {"spread": self.spread}
        return Times(self.law, **given)


@Parameter(name="*", group="Statistics")
@dataclass(frozen=True)
class SamplingOptions:
    """How much is simulated.

    Parameters
    ----------
    seed
        Number from which the random draws start.
    half_width
        Simulate until the 95% interval of each ratio of times to fifo's has this relative
        half-width; 0.01 by default.
    runs
        Make at most this many runs of each order; 20,000 by default.
    paper_statistics
        Sample as Malewicz et al. 2007 do: 300 means of 300 runs, all pairs. These ranges are not
        95% intervals. Not with --half-width or --runs.
    threads
        Number of threads, which does not change the numbers; one for each core by default.

    """

    seed: Annotated[int, WHOLE] = 0
    half_width: float | None = None
    runs: Annotated[int | None, WHOLE] = None
    paper_statistics: Flag = False
    threads: Annotated[int | None, WHOLE] = None

    def sampling(self) -> Paired | PaperSampling:
        """Return the sampling; raises ArgumentError for options that cannot be used together."""
        asked = {"half_width": self.half_width, "most_runs": self.runs}
        given = {name: value for name, value in asked.items() if value is not None}
        if not self.paper_statistics:
            return Paired(**given)  # type: ignore[arg-type]
        if given:
            raise ArgumentError(
                "--half-width and --runs cannot be used with --paper-statistics, 300 x 300 runs"
            )
        return PaperSampling()

    def thread_count(self) -> int:
        """Return how many threads to use; raises ArgumentError for an impossible number."""
        if self.threads is not None and not 1 <= self.threads <= _MOST_THREADS:
            raise ArgumentError(f"--threads: expected 1 to {_MOST_THREADS:,}, got {self.threads}")
        return self.threads or cores()


PAPER_POOL = PoolOptions()  # except for the batch sizes, which are exponential in the paper
UNIT_TIMES = TimeOptions()
ENOUGH_RUNS = SamplingOptions()
