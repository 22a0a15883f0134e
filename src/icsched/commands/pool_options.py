"""Options for pools, times and samplings, and what they stand for."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from icsched.commands.options import RUN_TIMES_HELP, WHOLE, Flag, PathName, RunTimeFiles
from icsched.errors import ArgumentError, FormatError, PoolError
from icsched.sim import AnyPool, Paired, PaperSampling, Pool, Times, Workers, pool_to_dict
from icsched.sim.machines import HTCondor, Machines, machine_in
from icsched.sim.model import TimeLaw
from icsched.sim.pools import REPLAY_ERROR, RUNNING_ERROR, read_pool_data, usual_pools
from icsched.workflow import SlotSettings, Workflow


@dataclass(frozen=True, eq=False)
class GivenPool:
    """A pool, and how far off the run is by simulation that the pool was learned from.

    `replay_error` is the simulated end over the actual end, less 1. `running_error` is the mean
    difference of the numbers of running jobs, over their mean. None if nobody says it.
    `by_machines` says that --machines named it: the workflow says which engine fills the machines.
    """

    pool: AnyPool
    replay_error: float | None = None
    running_error: float | None = None
    by_machines: bool = field(default=False, kw_only=True)

    def submitted(self, workflow: Workflow) -> "GivenPool":
        """Return the pool as the files of *workflow* say that jobs are submitted to it.

        Only the files of a workflow for HTCondor say something, and only of machines.
        """
        pool = self.pool
        if not isinstance(pool, Machines) or not (pool.htcondor or self.by_machines):
            return self
        said = workflow.source.slot_settings()
        return self if said is None else replace(self, pool=_as_said(pool, said))


def _as_said(pool: Machines, said: SlotSettings) -> Machines:
    """Return machines of HTCondor's with what the files of a workflow say."""
    known = {each.name for each in fields(HTCondor)}
    of_slots: dict[str, Any] = {name: value for name, value in said.dagman.items() if name in known}
    of_queue: dict[str, Any] = {
        name: int(value) for name, value in said.dagman.items() if name not in known
    }
    if "scan_submissions" in of_slots:
        of_slots["scan_submissions"] = int(of_slots["scan_submissions"])
    if said.holds_nothing:
        of_slots["hold"] = 0.0
    if said.is_exact:
        of_slots["exact_cores"] = True
    condor = replace(pool.htcondor or HTCondor(), **of_slots)
    return replace(pool, htcondor=condor, **of_queue)


def read_given_pool(path: str) -> GivenPool:
    """Return the pool of a JSON file; raises FormatError in one line if there is none."""
    pool, data = read_pool_data(path)
    errors = (data.get(name) for name in (REPLAY_ERROR, RUNNING_ERROR))
    return GivenPool(pool, *(e if isinstance(e, int | float) else None for e in errors))


def usual_pool(workflow: Workflow) -> Pool:
    """Return the batches of requests to assume for *workflow* if nothing is known of its pool."""
    dag, means = workflow.residual.dag, workflow.residual.run_times
    known = np.ones(len(dag)) if means is None or not means.any() else means
    usual = next(pool for pool in usual_pools(dag, known) if isinstance(pool, Pool))
    return replace(usual, interval=float(f"{usual.interval:.3g}"))  # people read it


def pool_text(given: GivenPool) -> str:
    """Return the text of a file that `read_given_pool` reads."""
    import msgspec  # slow to import

    errors = {REPLAY_ERROR: given.replay_error, RUNNING_ERROR: given.running_error}
    known = {name: round(error, 4) for name, error in errors.items() if error is not None}
    data = {**pool_to_dict(given.pool), **known}
    return msgspec.json.format(msgspec.json.encode(data)).decode() + "\n"


_MEANS_HELP = (
    f"{RUN_TIMES_HELP} By default each job takes 1."
    " The pool must be in seconds then: say its workers, intervals or file."
)


MachineWords = Annotated[Sequence[str], Parameter(negative="", show_default=False)]


def machines_given(words: Sequence[str]) -> GivenPool:
    """Return the pool of --machines; raises ArgumentError for words that name no machines."""
    return GivenPool(Machines([machine_in(word) for word in words]), by_machines=True)


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
    machines
        Machines as COUNTxCORES or COUNTxCORESxMEMORY, such as 12x8x64G; can be given several times.
        A DAGMan workflow runs on them as HTCondor fills its slots.
    pool_file
        JSON file with the pool; not with --workers or --machines.

    """

    workers: Annotated[int | None, WHOLE] = None
    machines: MachineWords = ()
    pool_file: Annotated[PathName | None, Parameter(name="--pool")] = None

    @property
    def given(self) -> str | None:
        """The option that was given, or None."""
        if self.pool_file is not None:
            return "--pool"
        if self.machines:
            return "--machines"
        return None if self.workers is None else "--workers"

    def pool(self) -> GivenPool | None:
        """Return the pool, or None if the user said nothing about it.

        Raises ArgumentError for several options, and FormatError for a file that is no pool.
        """
        if self.workers is not None and self.given != "--workers":
            raise ArgumentError(f"{self.given} cannot be used with --workers")
        if self.pool_file is not None and self.machines:
            raise ArgumentError("--pool cannot be used with --machines")
        if self.pool_file is not None:
            return read_given_pool(self.pool_file)
        if self.machines:
            return machines_given(self.machines)
        return None if self.workers is None else GivenPool(Workers(self.workers))


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
    run_times: Annotated[RunTimeFiles, Parameter(help=_MEANS_HELP)] = ()

    def times(self) -> Times:
        """Return the law of the times; raises ArgumentError for options that do not fit."""
        if self.law == "constant" and self.spread is not None:
            raise ArgumentError("--spread cannot be used with --law constant")
        return Times(self.law) if self.spread is None else Times(self.law, self.spread)


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
