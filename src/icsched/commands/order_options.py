"""Options for orders, run times, pools and simulations, and what they stand for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from icsched import files
from icsched.arrays import Ids
from icsched.commands.inputs import TimesKnown, file_after_at, read_order
from icsched.commands.options import WHOLE, Flag, PathName, one_of
from icsched.commands.terminal import working
from icsched.errors import ArgumentError, FormatError, PoolError
from icsched.formats.table import format_by_suffix
from icsched.orders import ORDERS, Plan, prioritize
from icsched.orders.choice import FIFO, PRESENT
from icsched.run_times import Origin, RunTimeTable
from icsched.sim import AnyPool, Paired, PaperSampling, Played, Pool, Times, Workers, pool_to_dict
from icsched.sim.model import TimeLaw
from icsched.sim.pools import REPLAY_ERROR, read_pool_data, usual_pools
from icsched.workflow import Workflow

_WORKFLOW_KEY = re.compile(rb'"workflow"\s*:')
_TABLES = "csv"  # the format of workflows whose files are tables of run times, too


def is_workflow(path: str, data: bytes) -> bool:
    """Whether a file is a workflow: it has no events, and a suffix of a format or no JSON.

    A history is JSON too, and may have the suffix of workflows in JSON.
    """
    has_suffix = format_by_suffix(path) is not None
    if has_suffix and data.lstrip().startswith(b"<"):  # no log is XML
        return True
    from icsched import history  # slow to import

    content = history.content_of(path, data)
    if content is history.Content.HISTORY and path.lower().endswith(".json"):
        # No history is an object with this key.
        return has_suffix and data.lstrip()[:1] == b"{" and bool(_WORKFLOW_KEY.search(data))
    return has_suffix if content is history.Content.HISTORY else content is history.Content.TABLE


def is_trace(path: str) -> bool:
    """Whether a file with run times is a workflow, by its suffix; a table of any kind is not.

    Only JSON is looked into, because a history may have the same suffix.
    """
    chosen = format_by_suffix(path)
    if chosen is None or chosen.name == _TABLES:
        return False
    return not path.lower().endswith(".json") or is_workflow(path, files.read_bytes(path))


def with_run_times(workflow: Workflow, paths: Sequence[str]) -> Workflow:
    """Return the workflow with run times from the files at *paths*; the same without any file.

    Raises FormatError for a file that cannot be read, or if all of them are of another workflow.
    """
    return timed(workflow, _table(paths), paths) if paths else workflow


def _table(paths: Sequence[str]) -> RunTimeTable:
    """Return the run times in logs, tables and workflows; logs and tables replace workflows'."""
    from icsched.history import read_run_times

    traces = [path for path in paths if is_trace(path)]
    others = [path for path in paths if path not in traces]
    known = {name: seconds for path in traces for name, seconds in _own_times(path).items()}
    patterns: Mapping[str, float] = {}
    if others:
        table = read_run_times(*others)
        known.update(zip(table.names, table.seconds.tolist(), strict=True))
        patterns = table.patterns
    return RunTimeTable(tuple(known), np.array([*known.values()]), patterns)


def _own_times(path: str) -> dict[str, float]:
    """Return the seconds that a workflow file itself has; raises FormatError if it has none."""
    from icsched import formats  # slow to import
    from icsched.formats.facts import said

    trace = formats.read(path)
    pairs = zip(map(str, trace.names), said(trace, "run_times"), strict=True)
    known = {name: seconds for name, seconds in pairs if seconds is not None}
    if not known:
        instead = "give a trace of a run, a log, or a table of jobs and seconds"
        raise FormatError(path, None, f"this workflow has no run times: {instead}")
    return known


def timed(workflow: Workflow, table: RunTimeTable, paths: Sequence[str]) -> Workflow:
    """Return the workflow with the run times of a table, which is from the files at *paths*."""
    if not len(workflow.whole):
        return workflow
    try:
        return workflow.with_run_times(table)
    except ArgumentError as error:
        raise FormatError(", ".join(paths), None, str(error)) from error


def times_known(workflow: Workflow, *, is_own: bool = False) -> TimesKnown | None:
    """Return where the run times come from; *is_own* if the user gave no file with run times.

    Returns None without run times, and if the workflow file has all of them.
    """
    if workflow.run_time_origins is None:
        return None
    measured, pattern, kind, of_all = np.bincount(
        workflow.run_time_origins, minlength=len(Origin)
    ).tolist()
    unused = workflow.unused_run_times
    return TimesKnown(measured, pattern, kind, of_all, unused, is_own=is_own)


@dataclass(frozen=True, eq=False)
class GivenPool:
    """A pool, and how far off the run ends by simulation that the pool was learned from.

    `replay_error` is the simulated end over the actual end, less 1; None if nobody says it.
    """

    pool: AnyPool
    replay_error: float | None = None


def read_given_pool(path: str) -> GivenPool:
    """Return the pool of a JSON file; raises FormatError in one line if there is none."""
    pool, data = read_pool_data(path)
    error = data.get(REPLAY_ERROR)
    return GivenPool(pool, error if isinstance(error, int | float) else None)


def usual_pool(workflow: Workflow) -> Pool:
    """Return the batches of requests to assume for *workflow* if nothing is known of its pool."""
    means = workflow.run_times
    known = np.ones(len(workflow.dag)) if means is None or not means.any() else means
    usual = next(pool for pool in usual_pools(workflow.dag, known) if isinstance(pool, Pool))
    return replace(usual, interval=float(f"{usual.interval:.3g}"))  # people read it


def pool_text(given: GivenPool) -> str:
    """Return the text of a file that `read_given_pool` reads."""
    import msgspec  # slow to import

    known = {} if given.replay_error is None else {REPLAY_ERROR: round(given.replay_error, 4)}
    data = {**pool_to_dict(given.pool), **known}
    return msgspec.json.format(msgspec.json.encode(data)).decode() + "\n"


FILE = "@"  # before the name of a file
AUTO = "auto"  # the order that is chosen by simulation
NOW = "now"  # the priorities that the files have now, beside other orders


def is_file(word: str) -> bool:
    """Whether *word* names a file with an order.

    >>> is_file("@order.txt"), is_file("prio")
    (True, False)
    """
    return word.startswith(FILE)


def is_played_live(word: str) -> bool:
    """Whether the simulator plays the order *word* by its name, and not as a list of jobs.

    >>> is_played_live("lifo"), is_played_live("prio"), is_played_live("@order.txt")
    (True, False, False)
    """
    return not is_file(word) and ORDERS.find(word).played != "static"


def chosen_by_auto(plan: object) -> str | None:
    """Return the name of the order that auto chose; `NOW` for what the files have now.

    None if *plan* is not a plan of auto's.
    """
    choice = plan.choice if isinstance(plan, Plan) else None
    if choice is None:
        return None
    return NOW if choice.chosen == PRESENT else choice.chosen


def as_played(workflow: Workflow, plan: Plan) -> Played:
    """Return *plan* as the simulator plays it.

    If auto keeps fifo, or the priorities of the files, the pool decides when jobs are ready. No
    list of jobs can say that.
    """
    kept = chosen_by_auto(plan)
    if kept == NOW:
        return Played("priority", priorities=workflow.priorities)
    return Played("fifo") if kept == FIFO else Played("static", plan.schedule)


def check_known(word: str) -> None:
    """Raise ArgumentError unless *word* is a name of `ORDERS` or names a file."""
    if is_file(word):
        return
    if word not in ORDERS:
        raise ORDERS.unknown(word, asked_by="--order", also="@FILE")
    ORDERS.find(word)


def differ(priorities: Ids | None) -> bool:
    """Whether *priorities* put some jobs before others; otherwise jobs run as in fifo.

    >>> differ(None), differ(np.array([3, 3])), differ(np.array([3, 4]))
    (False, False, True)
    """
    return priorities is not None and len(np.unique(priorities)) > 1


def plan_of_file(workflow: Workflow, word: str) -> Plan:
    """Return the order in the file that *word* names after @, with what is proved about it."""
    order = read_order(workflow, file_after_at(word))
    return prioritize(workflow.dag, order, label=word)


RUN_TIMES_HELP = (
    "File with mean seconds of jobs: a table, an event log of HTCondor, its history, or a workflow"
    " with run times, such as a trace of WfCommons. It can be given several times."
    " Jobs may be missing."
)
_ORDER_HELP = (
    "Name of an order, or @FILE with your own order: one job on each line, first to run first."
)
RunTimeFiles = Annotated[
    Sequence[PathName], Parameter(negative="", show_default=False, help=RUN_TIMES_HELP)
]
OrderWord = Annotated[str, one_of(ORDERS), Parameter(help=_ORDER_HELP)]
OrderWords = Annotated[Sequence[str], one_of(ORDERS), Parameter(negative="")]


@Parameter(name="*")
@dataclass(frozen=True)
class WantedOrder:
    """Which order."""

    order: OrderWord = "prio"
    run_times: RunTimeFiles = ()

    def check(self) -> None:
        """Raise ArgumentError for an order that is unknown."""
        check_known(self.order)

    def timed(self, workflow: Workflow) -> Workflow:
        """Return the workflow with the run times of the files; raises FormatError."""
        return with_run_times(workflow, self.run_times)

    def plan(self, workflow: Workflow, *, pool: AnyPool | None = None) -> Plan:
        """Order what is left of a workflow, with the run times that it has.

        "auto" chooses on *pool*, or on usual pools. Other orders may look at it.
        Raises FormatError for a bad file, and ArgumentError if run times are needed and missing.
        """
        if is_file(self.order):
            return plan_of_file(workflow, self.order)
        if workflow.run_times is None and ORDERS[self.order].run_times == "needed":
            raise ArgumentError(f"--order {self.order} needs --run-times")
        doing = "simulating several orders of" if self.order == AUTO else "ordering"
        with working(doing, len(workflow.dag)):
            return prioritize(workflow, self.order, pool=pool)


@Parameter(name="*")
@dataclass(frozen=True)
class AutoOptions(WantedOrder):
    """Which order: by default the one that a simulation chooses."""

    order: OrderWord = AUTO


OURS = WantedOrder()
CHOSEN = AutoOptions()


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
