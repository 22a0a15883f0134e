"""`icsched simulate`: what an order gains on a pool of unpredictable workers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Literal

from cyclopts import Parameter

from icsched.cli import output
from icsched.cli.inputs import USUAL, FileOptions, read_order
from icsched.cli.model import (
    ENOUGH_RUNS,
    PAPER_POOL,
    UNIT_TIMES,
    PoolOptions,
    SamplingOptions,
    TimeOptions,
)
from icsched.cli.notes import about_rescue
from icsched.cli.output import Json
from icsched.cli.visible import named, say
from icsched.dag import Dag
from icsched.engines.dask import dask_order
from icsched.errors import ArgumentError
from icsched.formats.dagman import Submission
from icsched.orders import prioritize
from icsched.sim import Mean, Pool, Ratio, Simulation, Timeline, Times, Workers
from icsched.sim import simulate as simulated
from icsched.sim.compare import FEWEST_RUNS, METRICS, PolicyLike

PolicyName = Literal[
    "icsched", "fifo", "lifo", "random", "level", "critical-path", "critical-path-times", "dask"
]
PolicyNames = Annotated[Sequence[PolicyName], Parameter(negative="", show_default=False)]

_FOLLOWED_RUNS = 200  # at most, for the charts
_FOLLOWED_STEPS = 2_000_000  # about so many assignments and batches in all of these runs


def simulate(
    *files: str,
    policy: PolicyNames = ("icsched",),
    order: str | None = None,
    pool_options: PoolOptions = PAPER_POOL,
    time_options: TimeOptions = UNIT_TIMES,
    sampling_options: SamplingOptions = ENOUGH_RUNS,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Simulate a workflow under several policies and compare their times with fifo's.

    Parameters
    ----------
    files
        DAGMan file of the workflow; several that are submitted together; - for standard input.
    policy
        Who gets which job; may be repeated; icsched by default. fifo is always there.
    order
        File with an order to compare too, as for verify: a name a line, first to run first.
    pool_options
        Who asks.
    time_options
        How long jobs run.
    sampling_options
        How much is simulated.
    reading
        How the files are read.
    json_
        Print one JSON object instead of tables and charts.

    """
    _check_unit(pool_options, time_options)
    pool, sampling = pool_options.pool(), sampling_options.sampling()
    threads = sampling_options.threads()
    workflow = reading.read_to_run(files)
    dag = workflow.dag
    times = time_options.times(workflow)
    policies = _policies(workflow, policy, order)
    with output.progress(f"simulating {output.counted(len(dag), 'job')}") as tell:
        found = simulated(
            dag,
            policies,
            pool=pool,
            times=times,
            seed=sampling_options.seed,
            sampling=sampling,
            threads=threads,
            progress=tell,
        )
    with output.working("following some runs"):
        timelines = _timelines(dag, policies, pool, times, found)
    if json_:
        output.write_json(_answer(workflow, pool, times, found, timelines))
    else:
        head = f"{named(*files)}: {output.size(dag)}\n"
        head += "".join(f"{note}.\n" for note in about_rescue(workflow, aim="simulate"))
        head += _model(pool, time_options, times)
        say(f"{head}\n{_report(found, sampling_options)}\n{_charts(pool, timelines)}")


def _check_unit(pool: PoolOptions, times: TimeOptions) -> None:
    """Raise ArgumentError for jobs of seconds on a pool of no unit: its default would mislead."""
    if times.runtimes is not None and pool.interval is None and pool.workers is None:
        raise ArgumentError(
            "--runtimes: run times are in seconds: say --interval, the mean seconds between"
            " batches, or --workers"
        )


def _policies(
    workflow: Submission, names: Sequence[PolicyName], order: str | None
) -> Mapping[str, PolicyLike]:
    """Return the policies by name, fifo always among them, as the simulation takes them."""
    dag = workflow.dag
    policies: dict[str, PolicyLike] = {}
    for name in [*names, "fifo"]:
        if name == "icsched":
            with output.working(f"ordering {output.counted(len(dag), 'job')}"):
                policies[name] = prioritize(dag)
        elif name == "dask":
            policies[name] = dask_order(dag)
        else:
            policies[name] = name
    return policies if order is None else {**policies, "order": read_order(workflow, order)}


def _timelines(
    dag: Dag,
    policies: Mapping[str, PolicyLike],
    pool: Pool | Workers,
    times: Times,
    found: Simulation,
) -> dict[str, Timeline]:
    """Follow some runs of each policy, until the mean time of the slowest."""
    until = max(estimates.time.mean for estimates in found.policies.values())
    batches = until / pool.interval if isinstance(pool, Pool) else 0
    affordable = int(_FOLLOWED_STEPS / (len(dag) + batches))
    runs = max(1, min(_FOLLOWED_RUNS, found.runs, affordable))
    return {
        name: Timeline.of(dag, policy, pool, times, seed=found.seed, runs=runs, until=until)
        for name, policy in policies.items()
    }


def _model(pool: Pool | Workers, options: TimeOptions, times: Times) -> str:
    """Say what was simulated."""
    if isinstance(pool, Workers):
        who = f"{output.counted(pool.count, 'worker')}"
        who += f" of speeds {', '.join(f'{s:g}' for s in pool.speeds)}" if pool.speeds else ""
    else:
        size = "" if pool.sizes == "fixed" else f" on average ({pool.sizes})"
        requests = output.counted(pool.batch, "request")
        who = f"batches of {requests}{size}, {output.number(pool.interval)} apart on average"
        who += ", requests wait" if pool.waiting else ""
        who += f", speeds vary by {pool.speeds:g}" if pool.speeds else ""
    terms = {
        f"workers leave after {output.number(pool.leave)} on average": pool.leave < math.inf,
        f"deadline {output.number(pool.deadline)}": pool.deadline < math.inf,
        f"{pool.replicas:,} replicas of each job": pool.replicas > 1,
        f"overhead {output.number(pool.overhead)} for each job": pool.overhead > 0,
    }
    who = ", ".join([who, *(term for term, holds in terms.items() if holds)])
    spread = "" if times.law == "constant" else f", spread {times.spread:g}"
    means = f"means from {options.runtimes}" if options.runtimes else "mean 1"
    return f"Simulated: {who}.\nRun times: {times.law}, {means}{spread}.\n"


def _report(found: Simulation, options: SamplingOptions) -> str:
    rows = [["policy", "time", "stall probability", "utilisation"]]
    for name, estimates in found.policies.items():
        rows.append([name, *(_interval(getattr(estimates, metric)) for metric in METRICS)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    is_tested = not options.paper_statistics  # the paper's ranges allow no verdict
    names = [name for name in found.policies if name != "fifo"]
    ratios = [_sentence(found, name, is_tested=is_tested) for name in names]
    return "\n".join([*lines, "", *ratios, _effort(found, options)]) + "\n"


def _interval(found: Mean | Ratio) -> str:
    """Return a number and its interval, with the decimals that the interval is worth."""
    middle = found.mean if isinstance(found, Mean) else found.median
    width = found.high - found.low
    is_exact = width <= 1e-9 * middle  # but for rounding
    decimals = 4 if is_exact else min(8, max(0, 1 - math.floor(math.log10(width))))
    texts = [output.number(value, decimals) for value in (middle, found.low, found.high)]
    return "{} [{}, {}]".format(*texts)


def _sentence(found: Simulation, name: str, *, is_tested: bool) -> str:
    """Say how a policy stands against fifo, with a verdict where there is a 95% interval."""
    ratios = found.ratio[f"{name}_over_fifo"]
    time = ratios.time
    assert time is not None, "times are never 0"  # noqa: S101  for the type checker
    text = f"{name} takes {_interval(time)} of fifo's time"
    text += f": {_difference(time)}" if is_tested else ""
    assert ratios.utilisation is not None, "nor is this"  # noqa: S101
    utilisation = f"utilisation {_interval(ratios.utilisation)}"
    if ratios.stall is not None:
        stall = f"stall probability {_interval(ratios.stall)}"
        return f"{text}\n  of fifo's: {stall}, {utilisation}"
    return f"{text}\n  of fifo's: {utilisation}\n  stalls: {_no_ratio(found, name)}"


def _no_ratio(found: Simulation, name: str) -> str:
    """Say why the probabilities of stalling of a policy and of fifo have no ratio."""
    shares = {policy: found.policies[policy].stall.mean for policy in (name, "fifo")}
    calm = [policy for policy, share in shares.items() if not share]
    if len(calm) == len(shares):
        return "never seen"
    return f"never seen with {calm[0]}" if calm else "no ratio, for fifo's probability may be 0"


def _difference(ratio: Ratio) -> str:
    if ratio.low <= 1 <= ratio.high:
        return "no difference to be seen"
    percent = 100 * abs(1 - ratio.median)
    size = f"{percent:.0f}%" if percent >= 10 else f"{percent:.2g}%"
    return f"{size} {'less' if ratio.high < 1 else 'more'}"


def _effort(found: Simulation, options: SamplingOptions) -> str:
    runs = f"{output.counted(found.runs, 'run')} of each policy, seed {found.seed}; "
    if options.paper_statistics:
        return (
            f"{runs}in brackets, as in paper 004, where 95% of means of 300 runs lie,"
            " or of the ratios of two: no confidence intervals"
        )
    runs += "95% intervals"
    if found.precise:
        return runs
    if found.runs < FEWEST_RUNS:
        return f"{runs}\nFewer than {FEWEST_RUNS} runs: do not trust the intervals"
    return (
        f"{runs}\nThe half-width asked for was not reached: it is {found.half_width:.2g}"
        f" of the {'ratio of times' if found.ratio else 'time'}; --runs allows more runs"
    )


def _charts(pool: Pool | Workers, timelines: Mapping[str, Timeline]) -> str:
    """Draw what requests found over time, under our order (or the first policy) and fifo."""
    first = "icsched" if "icsched" in timelines else next(iter(timelines))
    shown = {name: timelines[name] for name in dict.fromkeys(["fifo", first])}
    found = {name: line.eligible.tolist() for name, line in shown.items()}
    idle = {name: line.idle.tolist() for name, line in shown.items()}
    time = shown["fifo"].time
    until = f"from time 0 to {time[1] * len(time):.4g}"
    who = "Idle workers" if isinstance(pool, Workers) else "Requests a time unit that got nothing"
    return (
        f"Eligible jobs that requests found, {until} (a full bar is {_most(found)}):\n"
        f"{output.curves(found)}"
        f"{who} (a full bar is {_most(idle)}):\n"
        f"{output.curves(idle)}"
    )


def _most(rows: Mapping[str, Sequence[float]]) -> str:
    return f"{max(map(max, rows.values())):.3g}"


def _answer(
    workflow: Submission,
    pool: Pool | Workers,
    times: Times,
    found: Simulation,
    timelines: Mapping[str, Timeline],
) -> dict[str, object]:
    """Return what was found as it stands in JSON; what never happens is null."""
    kind = "workers" if isinstance(pool, Workers) else "batches"
    return {
        "jobs": len(workflow.dag),
        "arcs": workflow.dag.arc_count,
        "done": int(workflow.done.sum()),
        "policies": {name: asdict(estimates) for name, estimates in found.policies.items()},
        "ratio": {name: asdict(ratios) for name, ratios in found.ratio.items()},
        "runs": found.runs,
        "seed": found.seed,
        "precise": found.precise,
        "half_width": found.half_width,
        "pool": {"kind": kind, **asdict(pool)},
        "times": {"law": times.law, "spread": times.spread},
        "timeline": {
            name: {key: getattr(line, key).tolist() for key in ("time", "eligible", "idle")}
            for name, line in timelines.items()
        },
    }
