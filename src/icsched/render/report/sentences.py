"""The sentences of a report."""

import shlex

from icsched.answers.known import Resumed
from icsched.answers.report import Bottleneck, ReportAnswer
from icsched.answers.report.bottlenecks import MOST_SHOWN
from icsched.answers.report.orders import NOW
from icsched.answers.report.parts import Clusters
from icsched.answers.report.waits import Wait
from icsched.compare.simulation import FEWEST_RUNS
from icsched.orders import ORDERS
from icsched.orders.auto import SPREAD
from icsched.orders.choice import WORTH
from icsched.render.known import rescue_sentence, times_sentence
from icsched.render.notes import sentence
from icsched.render.proofs import certified_sentence
from icsched.render.show import remark_words
from icsched.render.simulate import pool_words
from icsched.render.visible import named
from icsched.render.words import counted, number
from icsched.sim import Pool, Ratio

_PREFERRED = ("auto", "critical-path", "prio", "fifo")  # of orders that are alike
_MOST_REMARKS = 20


_VARY = f" Run times vary around their means by {SPREAD:.0%}, by assumption."


def word(found: ReportAnswer) -> str:
    """Return what the file calls a task."""
    return "job" if found.workflow.format == "dagman" else "task"


def unit(found: ReportAnswer) -> str:
    """Return the unit of all times: seconds, or the mean run time."""
    return "s" if found.is_timed else "run times"


def notes(found: ReportAnswer) -> list[str]:
    """Return what else the reader should know, as sentences."""
    told = [
        rescue_sentence(note) if isinstance(note, Resumed) else sentence(note)
        for note in found.notes
    ]
    told += [remark_words(remark) for remark in found.remarks[:_MOST_REMARKS]]
    rest = len(found.remarks) - _MOST_REMARKS
    told += [f"{rest:,} more remarks: icsched show has all"] if rest > 0 else []
    return [f"{named(_capital(line))}." for line in told]


def _capital(line: str) -> str:
    """Return *line* with a capital, unless it begins with a path or a command.

    >>> _capital("a job is done"), _capital("wf.dag: stale"), _capital("icsched show tells it")
    ('A job is done', 'wf.dag: stale', 'icsched show tells it')
    """
    first = line.partition(" ")[0]
    is_word = first.isalpha() and first != "icsched"
    return line[:1].upper() + line[1:] if is_word else line


def run_times(found: ReportAnswer) -> str:
    """Say where the run times come from."""
    if found.timed is None:
        return f"Run times are those in {named(found.files[0])}."
    return f"{times_sentence(found.timed).capitalize()}."


def pool(found: ReportAnswer) -> str:
    """Say who asks for tasks, and where that is known from."""
    who = pool_words(found.pool, " s" if found.is_timed else " run times")
    if found.wanted.pool is not None:
        return f"The pool is as you said: {who}.{_VARY}"
    if found.recorded is not None:
        return f"The pool behaves as in {named(*found.recorded.logs)}: {who}.{_VARY}"
    usual = f"Nothing is known of your pool. A usual one for this workflow is assumed: {who}."
    return f"{usual}{_VARY} `icsched prio` takes the average of several usual pools."


def repeat(found: ReportAnswer) -> str:
    """Return the command that makes this report again; pool.json has the pool, if logs do not."""
    wanted = found.wanted
    words = ["icsched", "report", *found.files]
    words += [word for file in wanted.run_times for word in ("--run-times", file)]
    words += [word for file in wanted.logs for word in ("--log", file)]
    words += ["--clusters", str(wanted.clusters)] if wanted.clusters is not None else []
    words += ["--pool", "pool.json"] if wanted.pool is not None or not wanted.logs else []
    return shlex.join([*words, "--seed", str(wanted.seed), "-o", "report.html"])


# Is it worth it


def ratio(found: ReportAnswer, name: str) -> Ratio | None:
    """Return the time of an order over that of the baseline; None for the baseline itself."""
    known = found.found.ratio.get(f"{name}_over_{found.baseline}")
    return None if known is None else known.time


def best(found: ReportAnswer) -> str:
    """Return the order that ends the run earliest.

    Orders within 1% of it count as alike. Of these the baseline comes first, then auto,
    critical-path and prio.
    """
    times = {name: estimates.time.mean for name, estimates in found.found.orders.items()}
    least = min(times.values())
    alike = [name for name, time in times.items() if time * WORTH <= least]
    return next(name for name in (found.baseline, *_PREFERRED) if name in alike)


def is_clear(found: ReportAnswer, name: str) -> bool:
    """Whether the interval of an order's ratio to the baseline excludes 1, after enough runs."""
    known = ratio(found, name)
    is_trusted = found.found.runs >= FEWEST_RUNS
    return is_trusted and known is not None and not known.low <= 1 <= known.high


def worth(found: ReportAnswer, name: str) -> str:
    """Say what the best order gains over the baseline."""
    known = ratio(found, name)
    few = _caution(found)
    if known is None:
        less = f"{100 * (1 - WORTH):.0f}%"
        return f"No order of icsched ends this run {less} earlier than {_than(found)}.{few}"
    gain, low, high = (100 * (1 - value) for value in (known.median, known.high, known.low))
    interval = f"{gain:.1f}% earlier [{low:.1f}%, {high:.1f}%]"
    clear = "" if is_clear(found, name) else " That may be chance: the interval includes 0."
    return f"In the order {name} this run should end {interval} than {_than(found)}.{clear}{few}"


def _than(found: ReportAnswer) -> str:
    if found.baseline == NOW:
        return "with the priorities that the file has now"
    return f"first come, first served, which is what a file without {word(found)} priorities gets"


def _caution(found: ReportAnswer) -> str:
    if found.found.runs >= FEWEST_RUNS:
        return ""
    return (
        f" Only {found.found.runs:,} runs of each order were simulated, because the workflow is"
        " large: do not trust the last digits of intervals."
    )


def order(found: ReportAnswer, name: str) -> str:
    """Say what an order is."""
    if name == NOW:
        return "the priorities that the file has now"
    told = ORDERS[name].sentence
    choice = found.compared.plan.choice
    if name != "auto" or choice is None:
        return told
    if choice.chosen != choice.present:
        return f"{told}; here it is {choice.chosen}"
    return f"{told}; here it is what the file has without a section of icsched's"


# Where it stalls


def stalls(found: ReportAnswer) -> str:
    """Say how often workers find nothing, in the best order and in the baseline."""
    names = dict.fromkeys([found.baseline, best(found), "auto"])
    who = "batches find" if isinstance(found.pool, Pool) else "requests find"
    shares = [
        f"{100 * found.found.orders[name].stall.mean:.1f}% of all {who} no eligible"
        f" {word(found)} in the order {name}"
        for name in names
    ]
    text = "; ".join(shares)
    return f"{text}. {_waits(found)}"


def waits(found: ReportAnswer, name: str) -> str:
    """Say for how long a free worker found nothing to take in the run that was followed."""
    run = found.waits[name]
    time = _time(found, run.time)
    return (
        f"In one run in the order {name}, a free worker finds nothing to take for {time},"
        f" {100 * run.share:.1f}% of the run."
    )


def wait(found: ReportAnswer, each: Wait) -> str:
    """Say for how long everybody waits for a task."""
    return f"Everybody waits {_time(found, each.time)} for it."


def _time(found: ReportAnswer, value: float) -> str:
    return f"{value:,.0f} {unit(found)}" if value >= 100 else f"{value:.3g} {unit(found)}"


def _waits(found: ReportAnswer) -> str:
    path = found.critical_path
    time = f"{number(path.time)} {unit(found)}"
    longest = f"The longest path has {counted(len(path.tasks), word(found))} and takes {time}"
    if not found.bottlenecks:
        return f"{longest}. No {word(found)} holds up most of the rest."
    holds = counted(len(found.bottlenecks), f"{word(found)} holds", f"{word(found)}s hold")
    holds = f"At least {holds}" if len(found.bottlenecks) == MOST_SHOWN else holds
    return f"{longest}. {holds} up most of the rest while little else can run."


def bottleneck(found: ReportAnswer, each: Bottleneck) -> str:
    """Say what waits for a task."""
    what = word(found)
    left = len(found.workflow.dag) - each.step
    return (
        f"After {counted(each.step, what)}, {each.eligible:,} can run. {each.waiting:,} of the"
        f" {left:,} left ({100 * each.share:.0f}%) wait for this one."
    )


# Curves, memory, the dag


def curves(found: ReportAnswer) -> str:
    """Say what the curves are, and how close the chosen order comes to the ceiling."""
    what = word(found)
    told = f"Eligible {what}s after each step: a worker that asks then finds one of them."
    if found.ceiling is None:
        return f"{told} The workflow is too large for a ceiling."
    certified = found.compared.certified
    share = "" if certified is None else f" Order auto: {certified_sentence(certified)}"
    return f"{told} No order has more than the ceiling.{share}"


def memory_unit(found: ReportAnswer) -> str:
    """Return what is counted: results, or their bytes."""
    return "results" if found.workflow.sizes is None else "bytes"


def memory(found: ReportAnswer) -> str:
    """Say what is held."""
    peaks = {name: held.peak for name, held in found.memory.items()}
    least = min(peaks, key=lambda name: peaks[name])
    kept = "Results that must be kept, because a child has not run yet."
    peak = f"{peaks[least]:,} {memory_unit(found)}"
    if len(set(peaks.values())) == 1:
        return f"{kept} All orders need the same: at most {peak}."
    return f"{kept} The order {least} needs the least: at most {peak}."


def picture(found: ReportAnswer) -> str:
    """Say what the nodes are."""
    shown, what = found.picture, word(found)
    if not shown.is_grouped:
        return f"Each node is a {what}. A {what} is below everything that it waits for."
    return (
        f"Each node is a group of {what}s of one kind, at about the same depth:"
        f" {counted(len(found.workflow.dag), what)} in {counted(len(shown), 'group')}."
    )


def lanes(found: ReportAnswer) -> str:
    """Say what the lanes are."""
    what = word(found)
    told = f"Each lane is a worker, each bar a {what} that it ran."
    if isinstance(found.pool, Pool):
        told += " Requests have no names, so each takes the first free lane."
    if any(each.is_cut for each in found.lanes.values()):
        told += " Only the beginning of each run is shown."
    if len(found.lanes) < len(found.orders):
        told += " Runs with very many batches are not shown."
    return told


def clusters(found: ReportAnswer, made: Clusters) -> str:
    """Say how the workflow is cut into clusters."""
    arcs = found.workflow.dag.arc_count
    cut = f"{made.cut_arcs:,} of {counted(arcs, 'dependency', 'dependencies')} go between clusters"
    return (
        f"{counted(made.count, 'cluster')} of at most {counted(made.size, word(found))}; a worker"
        f" runs one without waiting for another worker. {cut}."
    )
