"""Options that say what is simulated: who asks, how long jobs run, how much is simulated."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

from cyclopts import Parameter

from icsched.answers.pools import GivenPool, read_given_pool
from icsched.cli.inputs import WHOLE, PathName
from icsched.cli.orders import RUN_TIMES_HELP, RunTimeFiles
from icsched.cli.output import Flag
from icsched.compare import Paired, PaperSampling
from icsched.errors import ArgumentError, FormatError, PoolError
from icsched.sim import Times, Workers
from icsched.sim.model import TimeLaw

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


@Parameter(name="*")
@dataclass(frozen=True)
class PoolOptions:
    """Who asks for jobs.

    Parameters
    ----------
    workers
        Number of workers that ask for jobs.
    pool_file
        JSON file with the pool; not with --workers.

    """

    workers: Annotated[int | None, WHOLE] = None
    pool_file: Annotated[PathName | None, Parameter(name="--pool")] = None

    @property
    def given(self) -> str | None:
        """The option that was given, or None."""
        if self.pool_file is not None:
            return "--pool"
        return None if self.workers is None else "--workers"

    def pool(self) -> GivenPool | None:
        """Return the pool, or None if the user said nothing about it.

        Raises ArgumentError for both options, and FormatError for a file that is no pool.
        """
        if self.pool_file is None:
            return None if self.workers is None else GivenPool(Workers(self.workers))
        if self.workers is not None:
            raise ArgumentError("--pool cannot be used with --workers")
        return read_given_pool(self.pool_file)


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

    """

    seed: Annotated[int, WHOLE] = 0
    half_width: float | None = None
    runs: Annotated[int | None, WHOLE] = None
    paper_statistics: Flag = False

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


USUAL_POOL = PoolOptions()
UNIT_TIMES = TimeOptions()
ENOUGH_RUNS = SamplingOptions()
