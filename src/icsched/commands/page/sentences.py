"""The sentences of a report."""

import math
import re
import shlex
from dataclasses import asdict
from decimal import ROUND_DOWN, Context

import numpy as np

from icsched.commands.comparison import ASSUMED
from icsched.commands.inputs import times_sentence
from icsched.commands.notes import sentences
from icsched.commands.order_options import NOW
from icsched.commands.page.answer import Clusters, ReportAnswer
from icsched.commands.page.bottlenecks import MOST_SHOWN, Bottleneck, LeastTime
from icsched.commands.page.waits import Wait
from icsched.commands.show import remark_words
from icsched.commands.simulate import pool_words
from icsched.compare.simulation import FEWEST_RUNS
from icsched.formats.table import ReadOptions
from icsched.messages import named
from icsched.orders import ORDERS
from icsched.orders.choice import WORTH
from icsched.report.proofs import certified_plan, certified_sentence
from icsched.sim import Pool, Ratio
from icsched.words import counted, in_bytes, in_unit, rounded, visible_time

_PREFERRED = ("auto", "critical-path", "prio", "fifo")  # of orders that are alike
_MOST_REMARKS = 20
_THREE_DIGITS = Context(prec=3, rounding=ROUND_DOWN)

_VARY = f" {ASSUMED.capitalize()} (by assumption)."


def word(found: ReportAnswer) -> str:
    """Return what the file calls a task."""
    return "job" if found.workflow.format == "dagman" else "task"


def called(found: ReportAnswer, text: str) -> str:
    """Return a sentence of icsched with the file's word for a task; no names may be in *text*."""
    return re.sub(r"\b(?:job|task)(?=s?\b)", word(found), text)


def unit(found: ReportAnswer) -> str:
    """Return the unit of all times: seconds, or the mean run time."""
    return "s" if found.is_timed else "run times"


def notes(found: ReportAnswer) -> list[str]:
    """Return what else the reader should know, as sentences."""
    told = sentences(found.notes)
    told += [remark_words(remark) for remark in found.remarks[:_MOST_REMARKS]]
    rest = len(found.remarks) - _MOST_REMARKS
    told += [f"{counted(rest, 'more remark')}: icsched show has all"] if rest > 0 else []
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
    who = called(found, pool_words(found.pool, unit(found)))
    if found.wanted.given is not None:
        return f"The pool is as you said: {who}.{_VARY}"
    if found.recorded is not None:
        return f"The pool behaves as in {named(*found.recorded.logs)}: {who}.{_VARY}"
    usual = f"Nothing is known of your pool. A usual one for this workflow is assumed: {who}."
    return f"{usual}{_VARY} `icsched prio` takes the average of several usual pools."


_POOL_FILE = "pool.json"


def to_repeat(found: ReportAnswer) -> str:
    """Say what to do before `repeat`: pool.json may have to be made."""
    if _has_pool(found) and found.wanted.pool_file is None:
        return f"To repeat it, save the pool as {_POOL_FILE} and run this:"
    return "To repeat it, run this:"


def repeat(found: ReportAnswer) -> str:
    """Return the command that makes this report again; pool.json has the pool, if no file does."""
    wanted = found.wanted
    words = ["icsched", "report", *found.files, *_options(wanted.reading)]
    words += [word for file in wanted.run_times for word in ("--run-times", file)]
    words += [word for file in wanted.logs for word in ("--log", file)]
    words += ["--clusters", str(wanted.clusters)] if wanted.clusters is not None else []
    words += ["--pool", wanted.pool_file or _POOL_FILE] if _has_pool(found) else []
    return shlex.join([*words, "-o", "report.html"])


def _options(reading: ReadOptions) -> list[str]:
    """Return the options of reading that are not their defaults, as a user types them."""
    given = (name for name, value in asdict(reading).items() if value)
    return [f"--{name.replace('_', '-')}" for name in given]


def _has_pool(found: ReportAnswer) -> bool:
    """Whether the pool must be given: it is not that of the logs."""
    return found.wanted.given is not None or not found.wanted.logs


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
        return f"No order of icsched gains {less} or more on this pool over {_than(found)}.{few}"
    gain, low, high = (100 * (1 - value) for value in (known.median, known.high, known.low))
    interval = f"{gain:.1f}% earlier [{low:.1f}%, {high:.1f}%]"
    chance = " That may be chance: the interval includes 0." if low <= 0 <= high else ""
    return f"In {_the(name)} this run should end {interval} than with {_than(found)}.{chance}{few}"


def least_time(found: ReportAnswer, least: LeastTime) -> str:
    """Say before which time no order ends, and why."""
    what = word(found)
    together = f"the work of all {what}s keeps all workers busy for that long"
    alone = f"the longest path of {what}s takes that long"
    why = together if least.reason == "work" else alone
    name = best(found)
    time = found.found.orders[name].time
    mean, low, high = map(rounded, (time.mean, time.low, time.high))
    return (
        f"No order can end this run before {in_unit(_below(least.time), unit(found))} on average:"
        f" {why}. {_initial(_the(name))} takes {mean} [{low}, {high}] {unit(found)} in simulated"
        " runs." + (" A mean below the least time is chance." if time.mean < least.time else "")
    )


def _than(found: ReportAnswer) -> str:
    if found.baseline == NOW:
        return "the priorities that the file has now"
    return f"first come, first served, which is what a file without {word(found)} priorities gets"


def _caution(found: ReportAnswer) -> str:
    if found.found.runs >= FEWEST_RUNS:
        return ""
    runs = counted(found.found.runs, "run")
    return f" Only {runs} of each order were simulated, so the intervals may be too narrow."


def order(found: ReportAnswer, name: str) -> str:
    """Say what an order is."""
    if name == NOW:
        return "the priorities that the file has now"
    told = called(found, ORDERS[name].sentence)
    choice = found.plan.choice
    if name != "auto" or choice is None:
        return told
    if choice.chosen != choice.present:
        return f"{told}; here it is {choice.chosen}"
    return f"{told}; here it is {_present(found)}"


def _present(found: ReportAnswer) -> str:
    """Say what the file has without icsched's section."""
    now = found.orders.get(NOW)
    if now is None:
        return "first come, first served, because the file has no priorities"
    own, shown = found.workflow.priorities, now.played.priorities
    if own is not None and shown is not None and np.array_equal(shown, own):
        return "what the file has now"
    return "what the file has without a section of icsched's"


# Where the run stalls


def stalls(found: ReportAnswer) -> str:
    """Say what time is lost, and how often workers find nothing; best order and baseline alone."""
    names = dict.fromkeys([found.baseline, best(found), "auto"])
    who = "batches find" if isinstance(found.pool, Pool) else "requests find"
    shares = [
        f"{100 * found.found.orders[name].stall.mean:.1f}% of all {who} no eligible"
        f" {word(found)} in {_the(name)}"
        for name in names
    ]
    text = "; ".join(shares)
    return f"{_lost(found, [*names])}{text}. {_waits(found)}"


def _lost(found: ReportAnswer, names: list[str]) -> str:
    """Say which share of the workers' time one run of each order loses; "" if nobody knows."""
    shares = {name: found.waits[name].lost for name in names if name in found.waits}
    told = [
        f"for {100 * lost:.1f}% of their time in {_the(name)}"
        for name, lost in shares.items()
        if lost is not None
    ]
    if not told:
        return ""
    return f"In one simulated run, workers find no {word(found)} to take {', '.join(told)}. "


def waits(found: ReportAnswer, name: str) -> str:
    """Say for how long the run that was followed stalled."""
    run = found.waits[name]
    time = _time(found, run.time)
    return (
        f"One run in {_the(name)} stalls for {time}, {100 * run.share:.1f}% of its time: a"
        f" worker is free, and no {word(found)} can be taken."
    )


def wait(found: ReportAnswer, each: Wait) -> str:
    """Say for how long everybody waits for a task."""
    return f"Everybody waits {_time(found, each.time)} for it."


def _time(found: ReportAnswer, value: float) -> str:
    return in_unit(rounded(value), unit(found))


def _below(value: float) -> str:
    """Return a time rounded down, as a bound must be: three digits, or all before the point.

    >>> _below(102.96), _below(9.996), _below(2 / 3), _below(0.29)
    ('102', '9.99', '0.666', '0.29')
    """
    if value >= 100:
        return f"{math.floor(value):,}"
    return f"{float(_THREE_DIGITS.create_decimal(repr(visible_time(value)))):.3g}"


def _waits(found: ReportAnswer) -> str:
    path = found.critical_path
    time = _time(found, path.time)
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
    wait = "waits" if each.waiting == 1 else "wait"
    return (
        f"After {counted(each.step, what)}, {each.eligible:,} can run. {each.waiting:,} of the"
        f" {left:,} left ({100 * each.share:.0f}%) {wait} for this one."
    )


# Curves, memory, the dag


def curves(found: ReportAnswer) -> str:
    """Say what the curves are, and how close the chosen order comes to the ceiling."""
    what = word(found)
    told = f"Eligible {what}s after each step: a worker that asks then finds one of them."
    if found.ceiling is None:
        return f"{told} The workflow is too large for a ceiling."
    certified = certified_plan(found.plan)
    share = (
        "" if certified is None else called(found, f" Order auto: {certified_sentence(certified)}")
    )
    return f"{told} No order has more than the ceiling.{share}"


def memory_unit(found: ReportAnswer) -> str:
    """Return what is counted: results, or their bytes."""
    return "results" if found.workflow.sizes is None else "bytes"


def memory(found: ReportAnswer) -> str:
    """Say what is held."""
    peaks = {name: held.peak for name, held in found.memory.items()}
    least = [name for name, peak in peaks.items() if peak == min(peaks.values())]
    kept = "Results that must be kept, because a child has not run yet."
    peak = _held(found, peaks[least[0]])
    if len(least) == len(peaks):
        return f"{kept} All orders need the same: at most {peak}."
    who = _initial(_listed(least)) + (" needs" if len(least) == 1 else " need")
    return f"{kept} {who} the least: at most {peak}."


def _listed(names: list[str]) -> str:
    """Name some orders in a sentence.

    >>> _listed(["now", "auto"])
    'the order that the file has now and the order auto'
    >>> _listed(["auto", "prio", "fifo"])
    'the orders auto, prio and fifo'
    """
    own, others = ([name for name in names if (name == NOW) is is_own] for is_own in (True, False))
    told = [_the(name) for name in own]
    if len(others) == 1:
        told.append(_the(others[0]))
    elif others:
        told.append(f"the orders {', '.join(others[:-1])} and {others[-1]}")
    return " and ".join(told)


def _the(name: str) -> str:
    """Name an order in a sentence; "the order now" would read as an adverb."""
    return "the order that the file has now" if name == NOW else f"the order {name}"


def _initial(text: str) -> str:
    return text[:1].upper() + text[1:]


def _held(found: ReportAnswer, count: int) -> str:
    if found.workflow.sizes is None:
        return counted(count, "result")
    return in_bytes(count)


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
    if found.lanes:
        told += " A simulated run is one of many: its run times are drawn at random, so its end"
        told += " differs from the mean."
    return told


def clusters(found: ReportAnswer, made: Clusters) -> str:
    """Say how the workflow is cut into clusters."""
    arcs = found.workflow.dag.arc_count
    cut = f"{made.cut_arcs:,} of {counted(arcs, 'dependency', 'dependencies')} go between clusters"
    return (
        f"{counted(made.count, 'cluster')} of at most {counted(made.size, word(found))}; a worker"
        f" runs one without waiting for another worker. {cut}."
    )
