"""Options that say what is simulated: who asks, how long jobs run, how much is simulated."""

import math
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from icsched.cli.inputs import WHOLE, numbers, read_run_times
from icsched.cli.output import Flag
from icsched.errors import ArgumentError
from icsched.formats.dagman import Submission
from icsched.sim import Paired, PaperSampling, Pool, Times, Workers
from icsched.sim.engine import cores
from icsched.sim.model import SizeLaw, TimeLaw

_MOST_THREADS = 1024


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
    sizes
        How sizes of batches vary: geometric by default.
    waiting
        Requests that find no job wait for one; else they are lost.
    workers
        A fixed set of so many workers instead of batches.
    speeds
        How much speeds vary, as deviation over mean; with --workers the speed of each, by commas.
    leave
        Mean time after which a worker leaves; its job is lost.
    deadline
        A job that is not done by then is handed out once more.
    replicas
        Hand each job out to so many workers at once.
    overhead
        Time that handing out a job takes, whatever the worker's speed; 0 by default.

    """

    interval: float | None = None
    batch: float | None = None
    sizes: SizeLaw | None = None
    waiting: Flag = False
    workers: Annotated[int | None, WHOLE] = None
    speeds: str | None = None
    leave: Annotated[float, Parameter(show_default=False)] = math.inf
    deadline: Annotated[float, Parameter(show_default=False)] = math.inf
    replicas: Annotated[int, WHOLE] = 1
    overhead: Annotated[float, Parameter(show_default=False)] = 0.0

    def pool(self) -> Pool | Workers:
        """Return the pool; raises ArgumentError for options that do not go together."""
        of_batches = {
            "interval": self.interval,
            "batch": self.batch,
            "sizes": self.sizes,
            "waiting": self.waiting or None,
        }
        given = {name: value for name, value in of_batches.items() if value is not None}
        speeds = None if self.speeds is None else numbers("--speeds", self.speeds)
        terms = {
            "leave": self.leave,
            "deadline": self.deadline,
            "replicas": self.replicas,
            "overhead": self.overhead,
        }
        if self.workers is not None:
            if given:
                raise ArgumentError(f"--{next(iter(given))} cannot be used with --workers")
            return Workers(self.workers, speeds, **terms)  # type: ignore[arg-type]
        if speeds and len(speeds) > 1:
            raise ArgumentError("--speeds: expected one number, or --workers")
        return Pool(**given, speeds=speeds[0] if speeds else 0.0, **terms)  # type: ignore[arg-type]


@Parameter(name="*", group="Times")
@dataclass(frozen=True)
class TimeOptions:
    """How long jobs run.

    Parameters
    ----------
    law
        How run times vary around their means.
    spread
        Their standard deviation over the mean; 0.1 by default.
    runtimes
        File with the mean run time of each job, NAME SECONDS a line; 1 each by default. It needs
        --interval or --workers.

    """

    law: TimeLaw = "normal"
    spread: float | None = None
    runtimes: str | None = None

    def times(self, workflow: Submission) -> Times:
        """Return the times; raises ArgumentError, or FormatError for a bad file of run times."""
        if self.law == "constant" and self.spread is not None:
            raise ArgumentError("--law constant has no spread: expected no --spread")
        means = None if self.runtimes is None else read_run_times(workflow, self.runtimes)
        given = {} if self.spread is None else {"spread": self.spread}
        return Times(self.law, means=means, **given)


@Parameter(name="*", group="Statistics")
@dataclass(frozen=True)
class SamplingOptions:
    """How much is simulated.

    Parameters
    ----------
    seed
        Where random numbers start.
    half_width
        Go on until the ratio of times is known to this relative precision; 0.01 by default.
    runs
        But make no more than so many runs of each policy; 20,000 by default.
    paper_statistics
        Sample as paper 004 does: 300 means of 300 runs, all pairs.
    jobs
        Number of threads; one on each core by default.

    """

    seed: Annotated[int, WHOLE] = 0
    half_width: float | None = None
    runs: Annotated[int | None, WHOLE] = None
    paper_statistics: Flag = False
    jobs: Annotated[int | None, WHOLE] = None

    def sampling(self) -> Paired | PaperSampling:
        """Return the sampling; raises ArgumentError for options that do not go together."""
        asked = {"half_width": self.half_width, "most_runs": self.runs}
        given = {name: value for name, value in asked.items() if value is not None}
        if not self.paper_statistics:
            return Paired(**given)  # type: ignore[arg-type]
        if given:
            raise ArgumentError(
                "--paper-statistics makes 300 x 300 runs: expected no --half-width or --runs"
            )
        return PaperSampling()

    def threads(self) -> int:
        """Return how many threads to use; raises ArgumentError if that cannot be."""
        if self.jobs is not None and not 1 <= self.jobs <= _MOST_THREADS:
            raise ArgumentError(f"--jobs: expected 1 to {_MOST_THREADS:,}, got {self.jobs}")
        return self.jobs or cores()


PAPER_POOL = PoolOptions()  # but for the sizes, which it has exponential
UNIT_TIMES = TimeOptions()
ENOUGH_RUNS = SamplingOptions()
