"""Whether another order is worth it: what each order gains, and the least time of any order."""

import math
from collections.abc import Sequence
from decimal import ROUND_DOWN, Context
from typing import Literal

import numpy as np

from icsched.messages import counted, in_unit, rounded, visible_time
from icsched.orders import ORDERS
from icsched.orders.definition import WORTH
from icsched.report.bottlenecks import CriticalPath
from icsched.report.subject import NOW, Keys, Subject, capital, order_called
from icsched.sim import AnyPool, Machines, Pool, Ratio, Recorded, Workers
from icsched.sim.sampling import FEWEST_RUNS

_PREFERRED = ("auto", "critical-path", "prio", "fifo")  # of orders that are alike
_THREE_DIGITS = Context(prec=3, rounding=ROUND_DOWN)

Reason = Literal["path", "work"]


def worth_keys(
    subject: Subject, path: CriticalPath, cautions: Sequence[str], withheld: str | None = None
) -> Keys:
    """Return what is gained; *cautions* say what the simulation leaves out.

    No gain is told if *withheld* says why even its sign may be wrong. The gain is clear if the
    interval of the best order's ratio excludes 1, after enough runs.
    """
    best, found = best_order(subject), subject.found
    ratio = _ratio(subject, best)
    is_trusted = found.runs >= FEWEST_RUNS
    return {
        "baseline": subject.baseline,
        "best": best,
        "is_clear": (
            is_trusted and not withheld and ratio is not None and not ratio.low <= 1 <= ratio.high
        ),
        "words": f"No forecast: {withheld}." if withheld else _worth_words(subject, best, ratio),
        "cautions": cautions,
        "least_time": _least_time_keys(subject, path, best),
        "runs": found.runs,
        "seed": found.seed,
        "orders": [
            {
                "name": name,
                "words": _order_words(subject, name),
                **vars(found.orders[name]),
                "ratio": over and {"median": over.median, "low": over.low, "high": over.high},
            }
            for name in subject.orders
            for over in [None if withheld else _ratio(subject, name)]
        ],
    }


def best_order(subject: Subject) -> str:
    """Return the order that ends the run earliest.

    Orders within 1% of it count as alike. Of these the baseline comes first, then auto,
    critical-path and prio.
    """
    times = {name: estimates.time.mean for name, estimates in subject.found.orders.items()}
    least = min(times.values())
    alike = [name for name, time in times.items() if time * WORTH <= least]
    return next(name for name in (subject.baseline, *_PREFERRED) if name in alike)


def _ratio(subject: Subject, name: str) -> Ratio | None:
    """Return the time of an order over that of the baseline; None for the baseline itself."""
    known = subject.found.ratio.get(f"{name}_over_{subject.baseline}")
    return None if known is None else known.time


def _worth_words(subject: Subject, best: str, ratio: Ratio | None) -> str:
    """Say what the best order gains over the baseline."""
    runs, few = subject.found.runs, ""
    if runs < FEWEST_RUNS:
        few = f" Only {counted(runs, 'run')} of each order were simulated, so the intervals may be"
        few += " too narrow."
    than = f"first come, first served, which is what a file without {subject.word} priorities gets"
    if subject.baseline == NOW:
        than = "the priorities that the file has now"
    if ratio is None:
        less = f"{100 * (1 - WORTH):.0f}%"
        return f"No order of icsched gains {less} or more on this pool over {than}.{few}"
    gain, low, high = (100 * (1 - value) for value in (ratio.median, ratio.high, ratio.low))
    interval = f"{gain:.1f}% earlier [{low:.1f}%, {high:.1f}%]"
    chance = " That may be chance: the interval includes 0." if low <= 0 <= high else ""
    return f"In {order_called(best)} this run should end {interval} than with {than}.{chance}{few}"


def _order_words(subject: Subject, name: str) -> str:
    """Say what an order is."""
    if name == NOW:
        return "the priorities that the file has now"
    told, choice = subject.called(ORDERS[name].sentence), subject.plan.choice
    if name != "auto" or choice is None:
        return told
    if choice.chosen != choice.present:
        return f"{told}; here it is {choice.chosen}"
    # What the file has without icsched's section.
    now, own = subject.orders.get(NOW), subject.workflow.priorities
    if now is None:
        return f"{told}; here it is first come, first served, because the file has no priorities"
    shown = now.played.priorities
    is_now = own is not None and shown is not None and np.array_equal(shown, own)
    has = "now" if is_now else "without a section of icsched's"
    return f"{told}; here it is what the file has {has}"


def _least_time_keys(subject: Subject, path: CriticalPath, best: str) -> Keys | None:
    """Return the least time, with a sentence that says why no order ends before it."""
    found = least_time(path, float(subject.means.sum()), subject.pool)
    if found is None:
        return None
    time, reason = found
    together = f"the work of all {subject.word}s keeps all workers busy for that long"
    why = f"the longest path of {subject.word}s takes that long" if reason == "path" else together
    own = subject.found.orders[best].time
    mean, low, high = map(rounded, (own.mean, own.low, own.high))
    words = (
        f"No order can end this run before {in_unit(_below(time), subject.unit)} on average: {why}."
        f" {capital(order_called(best))} takes {mean} [{low}, {high}] {subject.unit} in simulated"
        " runs." + (" A mean below the least time is chance." if own.mean < time else "")
    )
    return {"words": words, "time": time, "reason": reason}


def least_time(path: CriticalPath, work: float, pool: AnyPool) -> tuple[float, Reason] | None:
    """Return the least mean time of any order on *pool*; *work* is the sum of mean run times.

    The mean of the longest path is at least the longest path of means. A fixed set of workers also
    needs the time of all the work. Overhead and delay only add to both. None if tasks can be run
    again or twice: then the first result counts, and its run time is not the mean.

    >>> path = CriticalPath(6.0, np.arange(2, dtype=np.int32))
    >>> least_time(path, 8.0, Workers(2)), least_time(path, 8.0, Workers(1))
    ((6.0, 'path'), (8.0, 'work'))
    """
    if isinstance(pool, Recorded):
        is_again = bool(np.isfinite(pool.ends).any())
    else:
        is_again = pool.replicas > 1 or min(pool.leave, pool.deadline) < math.inf
    if is_again:
        return None
    speeds = (pool.speeds if isinstance(pool, Workers) else None) or (1.0,)
    alone = path.time / max(speeds)
    if isinstance(pool, Pool | Machines):  # as many workers as come; tasks hold different shares
        return alone, "path"
    together = work / (sum(speeds) if len(speeds) > 1 else pool.count * speeds[0])
    return (together, "work") if together > alone else (alone, "path")


def _below(value: float) -> str:
    """Return a time rounded down, as a bound must be: three digits, or all before the point.

    >>> _below(102.96), _below(9.996), _below(2 / 3), _below(0.29)
    ('102', '9.99', '0.666', '0.29')
    """
    if value >= 100:
        return f"{math.floor(value):,}"
    return f"{float(_THREE_DIGITS.create_decimal(repr(visible_time(value)))):.3g}"
