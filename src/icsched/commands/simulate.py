"""`icsched simulate`: what an order gains on a pool of unpredictable workers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from cyclopts import Parameter

from icsched.commands.comparison import variation
from icsched.commands.inputs import (
    USUAL,
    FileOptions,
    TimesKnown,
    done_sentence,
    numbers,
    times_counts,
    times_known,
    with_run_times,
)
from icsched.commands.notes import (
    NEEDS_LEFT_OUT,
    caution_lines,
    cautions_about,
    sentences,
)
from icsched.commands.options import WHOLE, FileName, Flag, Json, PathName
from icsched.commands.ordering import (
    AUTO,
    NOW,
    OrderWords,
    as_played,
    chosen_by_auto,
    differ,
    is_played_live,
    plan_of_file,
)
from icsched.commands.pool_options import (
    ENOUGH_RUNS,
    UNIT_TIMES,
    GivenPool,
    MachineWords,
    SamplingOptions,
    TimeOptions,
    machines_given,
    naming_pool,
    read_given_pool,
)
from icsched.commands.terminal import progress, put, table, working
from icsched.errors import ArgumentError
from icsched.frames import INLINE, NOT_IN_JSON, json_by
from icsched.messages import counted, in_unit, named, number, rounded, size, visible_time
from icsched.orders import ORDERS, Plan, prioritize
from icsched.sim import (
    AnyPool,
    Experiment,
    Machines,
    Mean,
    Paired,
    Played,
    Pool,
    Ratio,
    Recorded,
    Simulation,
    Timeline,
    Times,
    Workers,
    pool_to_dict,
)
from icsched.sim.doubt import doubt_about
from icsched.sim.experiment import cores
from icsched.sim.model import BatchLaw
from icsched.sim.sampling import FEWEST_RUNS, Sampling, SideBySide
from icsched.workflow import Note, Workflow

FIFO = "fifo"
ALWAYS = "critical-path", FIFO  # every simulation shows these: a gain has both beside it
_FOLLOWED_RUNS = 200  # at most, for timelines
_FOLLOWED_STEPS = 2_000_000  # about this many assignments and batches in all these runs


def _law(times: Times) -> dict[str, object]:
    return {"law": times.law, "spread": times.spread}


@dataclass(frozen=True, eq=False)
class SimulateAnswer:
    """What was simulated, and what came out.

    `chosen` is the order that auto chose, `NOW` for what the files have now, None without auto.
    `run_times` says where the times of --run-times come from. `timed_by` are the files with the
    mean times, if there are any: those of --run-times, or the workflow's own.
    """

    jobs: int
    arcs: int
    done: int
    chosen: str | None
    found: Simulation = field(metadata=INLINE)
    pool: AnyPool = field(metadata=json_by(pool_to_dict))
    run_times: TimesKnown | None
    notes: tuple[Note, ...] = field(metadata=json_by(sentences))
    times: Times = field(metadata=json_by(_law))
    files: tuple[str, ...] = field(metadata=NOT_IN_JSON)
    resumed: str = field(metadata=NOT_IN_JSON)
    timed_by: tuple[str, ...] = field(metadata=NOT_IN_JSON)
    is_tested: bool = field(metadata=NOT_IN_JSON)  # whether intervals allow a verdict


def _answer(
    files: Sequence[str],
    wanted: Sequence[str],
    given: GivenPool,
    time_options: TimeOptions,
    sampling_options: SamplingOptions,
    reading: FileOptions,
    *,
    has_unit: bool,
) -> SimulateAnswer:
    """Simulate a workflow in each of the *wanted* orders, names or @FILE, and those of `ALWAYS`.

    If the files have priorities, `NOW` is simulated, too: what they have before anything changes.
    Mean times are those of --run-times, or else the workflow's own. They are in seconds.
    Raises ArgumentError for such times unless the pool *has_unit*: its times are in seconds, too.
    """
    times, sampling, seed = (
        time_options.times(),
        sampling_options.sampling(),
        sampling_options.seed,
    )
    workflow, timed_by = reading.read_to_run(files), time_options.run_times
    if workflow.run_times is not None and not timed_by:
        timed_by = files[:1]
    if timed_by:
        source = "--run-times" if time_options.run_times else files[0]
        check_unit(source, has_unit=has_unit)
    workflow = with_run_times(workflow, time_options.run_times)
    left, given = workflow.residual, given.submitted(workflow)
    if left.run_times is not None:
        times = replace(times, doubt=doubt_about(left))
    experiment = Experiment(left, given.pool, times)
    orders, chosen = _orders(workflow, experiment, wanted, seed)
    beside = SideBySide(experiment, orders, FIFO, seed, cores())
    return SimulateAnswer(
        jobs=len(left.dag),
        arcs=left.dag.arc_count,
        done=int(workflow.done.sum()),
        chosen=chosen,
        found=simulated(beside, sampling),
        pool=given.pool,
        run_times=times_known(workflow, is_own=not time_options.run_times),
        notes=cautions_about(workflow, given),
        times=times,
        files=tuple(files),
        resumed=done_sentence(workflow, "simulate"),
        timed_by=tuple(timed_by),
        is_tested=isinstance(sampling, Paired),
    )


def check_unit(source: str, *, has_unit: bool, option: str = "--interval") -> None:
    """Raise ArgumentError for run times, in seconds, if the unit of the pool is not known."""
    if not has_unit:
        machines = ", --machines" if option == "--interval" else ""  # a study has none
        raise ArgumentError(
            f"{source}: run times are in seconds: say {option}, the mean seconds between"
            f" batches, --workers{machines} or --pool"
        )


def _orders(
    workflow: Workflow, experiment: Experiment, wanted: Sequence[str], seed: int
) -> tuple[dict[str, Played], str | None]:
    """Return the *wanted* orders, `NOW` if the files have it, and `ALWAYS`; and auto's choice."""
    orders, chosen = {}, None
    for word in dict.fromkeys([*wanted, *ALWAYS]):
        if is_played_live(word):
            orders[word] = Played(ORDERS.find(word).played)
            continue
        plan = _plan(workflow, experiment, word, seed)
        orders[word] = as_played(workflow, plan)
        chosen = chosen_by_auto(plan) or chosen
    priorities = workflow.residual.priorities
    if not differ(priorities):
        return orders, chosen
    now = {NOW: Played("priority", priorities=priorities)}
    asked = {word: orders.pop(word) for word in dict.fromkeys(wanted)}
    return {**asked, **now, **orders}, chosen


def _plan(workflow: Workflow, experiment: Experiment, word: str, seed: int) -> Plan:
    """Order the workflow; orders that use run times get the means of the experiment."""
    if word.startswith("@"):
        return plan_of_file(workflow, word)
    left = workflow.residual
    means = experiment.means if ORDERS[word].run_times != "unused" else None
    with working("ordering", len(left.dag)):
        if word == AUTO:
            return prioritize(left, word, run_times=means, pool=experiment.pool, seed=seed)
        return prioritize(left.dag, word, run_times=means)


def simulated(beside: SideBySide, sampling: Sampling) -> Simulation:
    """Simulate all orders on the same draws."""
    with progress("simulating", len(beside.experiment.dag)) as tell:
        return replace(beside, tell=tell).simulated(sampling)


def followed(beside: SideBySide, found: Simulation) -> dict[str, Timeline]:
    """Follow some runs of each order, until the mean time of the slowest."""
    experiment = beside.experiment
    pool = experiment.pool
    until = max(estimates.time.mean for estimates in found.orders.values())
    batches = until / pool.interval if isinstance(pool, Pool) else 0
    affordable = int(_FOLLOWED_STEPS / (len(experiment.dag) + batches))
    runs = max(1, min(_FOLLOWED_RUNS, found.runs, affordable))
    with working("following some runs"):
        return {
            name: Timeline.of(experiment, order, seed=found.seed, runs=runs, until=until)
            for name, order in beside.orders.items()
        }


def text(found: SimulateAnswer) -> str:
    """Return tables."""
    head = f"{named(*found.files)}: {size(found.jobs, found.arcs)}\n"
    head += f"{found.resumed}.\n" if found.resumed else ""
    head += _model(found)
    if NOW in found.found.orders:
        head += f"{NOW} is the order by the priorities in the file.\n"
    if found.chosen:
        head += f"auto chose {found.chosen}.\n"
    return f"{head}\n{_report(found)}"


def _model(found: SimulateAnswer) -> str:
    """Say what was simulated."""
    times, who = found.times, pool_words(found.pool)
    law = "" if times.law == "constant" else f" ({times.law})"
    means = f"from {', '.join(found.timed_by)}" if found.timed_by else "1 for each job"
    counts = f" ({times_counts(found.run_times)})" if found.run_times else ""
    return f"Simulated: {who}.\nMean run times: {means}{counts}; {variation(times)}{law}.\n"


def pool_words(pool: AnyPool, unit: str = "") -> str:
    """Say who asks for jobs; *unit* follows each time.

    >>> pool_words(Workers(4, delay=5), "s")
    '4 workers, results and losses known after 5 s'
    """
    leave = "jobs are lost" if isinstance(pool, Machines) else "workers leave"
    terms = {
        f"{leave} after {in_unit(rounded(pool.leave), unit)} on average": pool.leave < math.inf,
        f"deadline {in_unit(number(pool.deadline), unit)}": pool.deadline < math.inf,
        f"{pool.replicas:,} replicas of each job": pool.replicas > 1,
        f"overhead {in_unit(rounded(pool.overhead), unit)} for each job": pool.overhead > 0,
        f"results and losses known after {in_unit(rounded(pool.delay), unit)}": pool.delay > 0,
    }
    return ", ".join([_who(pool, unit), *(term for term, holds in terms.items() if holds)])


def _who(pool: AnyPool, unit: str) -> str:
    if isinstance(pool, Recorded):
        return f"{counted(pool.count, 'recorded visit')} of workers"
    if isinstance(pool, Workers):
        speeds = f" of speeds {', '.join(f'{s:g}' for s in pool.speeds)}" if pool.speeds else ""
        return f"{counted(pool.count, 'worker')}{speeds}"
    if isinstance(pool, Machines):
        who = f"{counted(pool.count, 'machine')} with {counted(pool.cores, 'core')}"
        who += f", at most {pool.max_jobs:,} submitted" if pool.max_jobs else ""
        who += f", at most {pool.max_idle:,} of them idle" if pool.max_idle else ""
        return who + (", filled as by HTCondor" if pool.htcondor else "")
    law = "" if pool.batch_law == "fixed" else f" on average ({pool.batch_law})"
    interval = in_unit(number(pool.interval), unit)
    who = f"batches of {counted(pool.batch, 'request')}{law}, {interval} apart on average"
    who += ", requests wait" if pool.waiting else ""
    return who + (f", speeds vary by {pool.speed_spread:g}" if pool.speed_spread else "")


def _report(answer: SimulateAnswer) -> str:
    found, is_tested = answer.found, answer.is_tested
    rows = [["order", "time", "found nothing", "utilisation"]]  # fits into 80 columns
    for name, estimates in found.orders.items():
        shares = _percent(estimates.stall), _percent(estimates.utilisation)
        rows.append([named(name), _interval(estimates.time), *shares])
    names = [name for name in found.orders if name != "fifo"]
    gains = [_sentence(found, name, is_tested=is_tested) for name in names] + _ends(answer)
    if any(note.code == NEEDS_LEFT_OUT for note in answer.notes):
        gains = ["No gain is told, because even its sign may be wrong:"]
    below = [*caution_lines(answer.notes), _effort(found, is_tested=is_tested)]
    return "\n".join([table(rows, right=(2, 3)), *gains, *below]) + "\n"


def _ends(answer: SimulateAnswer) -> list[str]:
    """Say when a single run ends, which varies more than the mean over runs."""
    ends = answer.found.ends
    if not ends:
        return []
    told = [f"{named(name)} {_between(ends[name])}" for name in ends]
    lines = [f"95% of single runs take: {', '.join(told)}."]
    if answer.times.doubt is not None:
        lines.append("Intervals include that the mean times of some kinds of jobs are not known.")
    return lines


def _between(end: Mean) -> str:
    """Return the interval of a single run, to three digits.

    >>> _between(Mean(21.5, 19.04, 25.12)), _between(Mean(3.0, 3.0, 3.0))
    ('19 to 25.1', '3')
    """
    low, high = (f"{float(f'{visible_time(time):.3g}'):,g}" for time in (end.low, end.high))
    return low if low == high else f"{low} to {high}"


def _interval(found: Mean | Ratio) -> str:
    """Return a number and its interval, with as many decimals as the interval justifies.

    An exact number has no interval.

    >>> _interval(Mean(29089.0, 29089.0, 29089.0)), _interval(Mean(2.5, 2.4, 2.6))
    ('29,089', '2.50 [2.40, 2.60]')
    """
    middle = found.mean if isinstance(found, Mean) else found.median
    width = found.high - found.low
    if width <= 1e-9 * middle or not visible_time(found.high):  # apart from rounding; no time
        return number(round(visible_time(middle), 4))
    decimals = min(8, max(0, 1 - math.floor(math.log10(width))))
    texts = [number(value, decimals) for value in (middle, found.low, found.high)]
    return "{} [{}, {}]".format(*texts)


def _percent(share: Mean) -> str:
    """Return a share without its interval, which only --json has."""
    return f"{100 * share.mean:.1f}%"


def _sentence(found: Simulation, name: str, *, is_tested: bool) -> str:
    """Say how an order compares with fifo, with a verdict if there is a 95% interval."""
    ratios = found.ratio[f"{name}_over_fifo"]
    time = ratios.time
    text = f"{name} takes {_interval(time)} of fifo's time"
    spread = f" (mean {time.mean:.4f}, standard deviation {time.deviation:.4f})"
    text += f": {_difference(time)}" if is_tested else spread
    text += f"\n  utilisation {_interval(ratios.utilisation)} of fifo's"
    if ratios.stall is None:
        return f"{text}; found nothing: {_no_ratio(found, name)}"
    return f"{text}; found nothing {_interval(ratios.stall)} times as often"


def _no_ratio(found: Simulation, name: str) -> str:
    """Say why the shares that found nothing in an order and in fifo have no ratio."""
    shares = {order: found.orders[order].stall.mean for order in (name, "fifo")}
    calm = [order for order, share in shares.items() if not share]
    if len(calm) == len(shares):
        return "never any"
    return f"never any with {calm[0]}" if calm else "no ratio, because fifo's share may be 0"


def _difference(ratio: Ratio) -> str:
    if ratio.low <= 1 <= ratio.high:
        return "no difference to be seen"
    percent = 100 * abs(1 - ratio.median)
    size = f"{percent:.0f}%" if percent >= 10 else f"{percent:.2g}%"
    return f"{size} {'less' if ratio.high < 1 else 'more'}"


def _effort(found: Simulation, *, is_tested: bool) -> str:
    """Say how many runs were made; the ranges of Malewicz et al. 2007 allow no verdict."""
    runs = f"{counted(found.runs, 'run')} of each order, seed {found.seed}; "
    if not is_tested:
        return (
            f"{runs}in brackets, as in Malewicz et al. 2007, the range of 95% of the means of"
            " 300 runs, or of their ratios: these are not confidence intervals"
        )
    runs += "95% intervals"
    if found.precise:
        return runs
    if found.runs < FEWEST_RUNS:
        return f"{runs}\nFewer than {FEWEST_RUNS} runs: do not trust the intervals"
    return (
        f"{runs}\nThe half-width asked for was not reached: it is {found.half_width:.2g}"
        " of the ratio of times; --runs allows more runs"
    )


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
    machines
        Machines as COUNTxCORES or COUNTxCORESxMEMORY, such as 12x8x64G; can be given several times.
        A DAGMan workflow runs on them as HTCondor fills its slots. No other option of the pool can
        be used with it.
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
    machines: MachineWords = ()
    pool_file: Annotated[PathName | None, Parameter(name="--pool")] = None

    @property
    def has_unit(self) -> bool:
        """Whether the user said what a unit of time is."""
        given = self.interval, self.workers, self.pool_file
        return bool(self.machines) or any(value is not None for value in given)

    def given(self) -> GivenPool:
        """Return the pool; raises ArgumentError for options that cannot be used together.

        Raises FormatError for a file that is no pool.
        """
        if self.pool_file is None and not self.machines:
            return GivenPool(self._said())
        of_file = self.pool_file is not None
        one, alone = (
            ("--pool", {"pool_file": None}) if of_file else ("--machines", {"machines": ()})
        )
        if replace(self, **alone) != SimulatedPool():
            raise ArgumentError(f"{one} cannot be used with other options of the pool")
        return (
            machines_given(self.machines)
            if self.pool_file is None
            else read_given_pool(self.pool_file)
        )

    def _said(self) -> AnyPool:
        """Return the pool that the options other than --pool say."""
        of_batches = "interval", "batch", "batch_law", "waiting", "speed_spread"
        said = {name: getattr(self, name) for name in of_batches}
        given = {
            name: value for name, value in said.items() if value is not None and value is not False
        }
        of_all = "leave", "deadline", "replicas", "overhead", "delay"
        terms = {name: getattr(self, name) for name in of_all}
        if self.workers is not None:
            if given:
                option = next(iter(given)).replace("_", "-")
                raise ArgumentError(f"--{option} cannot be used with --workers")
            speeds = None if self.speeds is None else numbers("--speeds", self.speeds)
            return Workers(self.workers, speeds, **terms)
        if self.speeds is not None:
            raise ArgumentError("--speeds needs --workers; --speed-spread is for batches")
        return Pool(**given, **terms)


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
    given = pool_options.given()
    with naming_pool(pool_options.pool_file):
        found = _answer(
            *(files, order, given, time_options, sampling_options, reading),
            has_unit=pool_options.has_unit,
        )
    put(found, text, as_json=json_)
