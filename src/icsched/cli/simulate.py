"""`icsched simulate`: what an order gains on a pool of unpredictable workers."""

import math
from dataclasses import dataclass, replace
from typing import Annotated

from cyclopts import Parameter

from icsched.answers.inputs import numbers
from icsched.answers.orders import AUTO
from icsched.answers.pools import GivenPool, read_given_pool
from icsched.answers.reading import Reading
from icsched.answers.simulate import simulate_answer
from icsched.cli.inputs import USUAL, WHOLE, FileName, FileOptions, PathName, check_streams
from icsched.cli.model import ENOUGH_RUNS, UNIT_TIMES, SamplingOptions, TimeOptions, naming_pool
from icsched.cli.orders import OrderWords
from icsched.cli.output import SIGNS, Flag, Json
from icsched.cli.printing import put
from icsched.errors import ArgumentError
from icsched.render import simulate as render
from icsched.sim import AnyPool, Pool, Workers
from icsched.sim.engine import cores
from icsched.sim.model import BatchLaw


@Parameter(name="*", group="Pool")
@dataclass(frozen=True)
class SimulatedPool:
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
    pool_file: Annotated[PathName | None, Parameter(name="--pool")] = None

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
        if replace(self, pool_file=None) != SimulatedPool():
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


PAPER_POOL = SimulatedPool()  # except for the batch sizes, which are exponential in the paper


def simulate(
    *files: FileName,
    order: OrderWords = (AUTO,),
    pool_options: SimulatedPool = PAPER_POOL,
    time_options: TimeOptions = UNIT_TIMES,
    sampling_options: SamplingOptions = ENOUGH_RUNS,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Simulate a workflow in several orders and compare their times with fifo's.

    Parameters
    ----------
    order
        Name of an order, or @FILE with your own order: one job on each line, first to run first.
        It can be given several times. critical-path and fifo are always included, and the order
        now: the priorities that the file has, if it has some.
    json_
        Print one JSON object instead of tables.

    """
    check_streams(*files, *order, *time_options.run_times, pool_options.pool_file)
    given = pool_options.given()
    with naming_pool(pool_options.pool_file):
        found = simulate_answer(
            files,
            order,
            pool=given.pool,
            times=time_options.times(),
            run_times=time_options.run_times,
            has_unit=pool_options.has_unit,
            sampling=sampling_options.sampling(),
            seed=sampling_options.seed,
            threads=cores(),
            reading=Reading(reading),
            replay_error=given.replay_error,
            signs=SIGNS,
        )
    put(found, render.text, render.keys, as_json=json_)
