"""What `icsched simulate` prints."""

import math
from dataclasses import asdict

from icsched.answers.orders import NOW
from icsched.answers.simulate import SimulateAnswer
from icsched.compare import PaperSampling, Simulation
from icsched.compare.simulation import FEWEST_RUNS
from icsched.render.cautions import caution_lines
from icsched.render.known import done_sentence, times_counts, times_keys
from icsched.render.layout import table
from icsched.render.notes import sentence
from icsched.render.spreads import variation
from icsched.render.visible import named
from icsched.render.words import counted, in_unit, number, rounded, size, visible_time
from icsched.sim import AnyPool, Mean, Pool, Ratio, Recorded, Workers, pool_to_dict


def text(found: SimulateAnswer) -> str:
    """Return tables."""
    head = f"{named(*found.files)}: {size(found.jobs, found.arcs)}\n"
    head += f"{done_sentence(found.resumed, 'simulate')}.\n" if found.resumed else ""
    head += _model(found) + "".join(_told(found))
    return f"{head}\n{_report(found)}"


def _told(found: SimulateAnswer) -> list[str]:
    """Say what some names of orders stand for."""
    chosen = [f"auto chose {found.chosen}.\n"] if found.chosen else []
    has_own = NOW in found.found.orders
    return [f"{NOW} is the order by the priorities in the file.\n", *chosen] if has_own else chosen


def _model(found: SimulateAnswer) -> str:
    """Say what was simulated."""
    times, who = found.times, pool_words(found.pool)
    law = "" if times.law == "constant" else f" ({times.law})"
    means = f"from {', '.join(found.run_times)}" if found.run_times else "1 for each job"
    counts = f" ({times_counts(found.timed)})" if found.timed else ""
    return f"Simulated: {who}.\nMean run times: {means}{counts}; {variation(times)}{law}.\n"


def pool_words(pool: AnyPool, unit: str = "") -> str:
    """Say who asks for jobs; *unit* follows each time.

    >>> pool_words(Workers(4, delay=5), "s")
    '4 workers, results and losses known after 5 s'
    """
    terms = {
        f"workers leave after {in_unit(rounded(pool.leave), unit)} on average": pool.leave
        < math.inf,
        f"deadline {in_unit(number(pool.deadline), unit)}": pool.deadline < math.inf,
        f"{pool.replicas:,} replicas of each job": pool.replicas > 1,
        f"overhead {in_unit(rounded(pool.overhead), unit)} for each job": pool.overhead > 0,
        f"results and losses known after {in_unit(rounded(pool.delay), unit)}": pool.delay > 0,
    }
    return ", ".join([_who(pool, unit), *(term for term, holds in terms.items() if holds)])


def _who(pool: AnyPool, unit: str) -> str:
    if isinstance(pool, Recorded):
        return f"{counted(pool.count, 'recorded visit')} of workers"
    return _workers(pool) if isinstance(pool, Workers) else _batches(pool, unit)


def _workers(pool: Workers) -> str:
    speeds = f" of speeds {', '.join(f'{s:g}' for s in pool.speeds)}" if pool.speeds else ""
    return f"{counted(pool.count, 'worker')}{speeds}"


def _batches(pool: Pool, unit: str) -> str:
    law = "" if pool.batch_law == "fixed" else f" on average ({pool.batch_law})"
    interval = in_unit(number(pool.interval), unit)
    who = f"batches of {counted(pool.batch, 'request')}{law}, {interval} apart on average"
    who += ", requests wait" if pool.waiting else ""
    return who + (f", speeds vary by {pool.speed_spread:g}" if pool.speed_spread else "")


def _report(answer: SimulateAnswer) -> str:
    found, is_tested = answer.found, not isinstance(answer.sampling, PaperSampling)
    rows = [["order", "time", "found nothing", "utilisation"]]  # fits into 80 columns
    for name, estimates in found.orders.items():
        shares = _percent(estimates.stall), _percent(estimates.utilisation)
        rows.append([named(name), _interval(estimates.time), *shares])
    names = [name for name in found.orders if name != "fifo"]
    ratios = [_sentence(found, name, is_tested=is_tested) for name in names]
    below = [*caution_lines(answer.cautions), _effort(found, is_tested=is_tested)]
    return "\n".join([table(rows, right=(2, 3)), *ratios, *below]) + "\n"


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
    text += f": {_difference(time)}" if is_tested else _spread(time)
    text += f"\n  utilisation {_interval(ratios.utilisation)} of fifo's"
    if ratios.stall is None:
        return f"{text}; found nothing: {_no_ratio(found, name)}"
    return f"{text}; found nothing {_interval(ratios.stall)} times as often"


def _spread(ratio: Ratio) -> str:
    """Return the mean and the standard deviation of the ratios of samples."""
    return f" (mean {ratio.mean:.4f}, standard deviation {ratio.deviation:.4f})"


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


def keys(answer: SimulateAnswer) -> dict[str, object]:
    """Return what was found as JSON shows it; a value for what never happens is null."""
    found = answer.found
    return {
        "jobs": answer.jobs,
        "arcs": answer.arcs,
        "done": answer.done,
        "chosen": answer.chosen,
        "orders": {name: asdict(estimates) for name, estimates in found.orders.items()},
        "ratio": {name: asdict(ratios) for name, ratios in found.ratio.items()},
        "runs": found.runs,
        "seed": found.seed,
        "precise": found.precise,
        "half_width": found.half_width,
        "pool": pool_to_dict(answer.pool),
        "run_times": times_keys(answer.timed),
        "notes": list(map(sentence, answer.cautions)),
        "times": {"law": answer.times.law, "spread": answer.times.spread},
    }
