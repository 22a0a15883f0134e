"""What `icsched learn` prints."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from icsched.answers.cautions import about_pool
from icsched.answers.doubts import Doubts
from icsched.answers.foretold import FIFO, USED, Foretold
from icsched.answers.learn import LearnAnswer
from icsched.logs import KindOfJob, Stalls
from icsched.render.cautions import caution_text
from icsched.render.known import times_keys, times_sentence
from icsched.render.layout import table
from icsched.render.spreads import variation
from icsched.render.stalls import stall_lines
from icsched.render.visible import named
from icsched.render.words import counted, number
from icsched.sim import AnyPool, Mean, Recorded, Workers, pool_to_dict

_MOST_ROWS = 20
_WHAT_USED_IS = f"{USED}: the recorded order of the starts, as a fixed list"
_WHY_FIFO = "; fifo: what HTCondor does, as the workflow has no priorities"


def text(found: LearnAnswer) -> str:
    """Return a report."""
    parts = [_head(found), _kinds(found.kinds), _stalls(found.stalls)]
    parts.append(_pool(found))
    if found.foretold:
        parts.append(_orders(found.foretold))
    written = f"wrote {named(', '.join(found.written))}\n" if found.written else ""
    return "\n".join(part for part in parts if part) + written


def _head(found: LearnAnswer) -> str:
    runs = f" in {counted(found.runs, 'run')}" if found.runs > 1 else ""
    attempts = f"{counted(found.jobs, 'job')}, {counted(found.attempts, 'attempt')}{runs}"
    lines = [
        f"{named(*found.logs)}: {attempts}",
        f"The last run began {_moment(found)} and took {_seconds(found.length)}, from the"
        " first start to the last end.",
    ]
    lines += _doubts(found.doubts)
    if found.timed:
        lines.append(f"{times_sentence(found.timed).capitalize()}.")
    if found.unknown:
        jobs = counted(found.unknown, "job of the logs is", "jobs of the logs are")
        lines.append(f"{jobs} not in {named(*found.files)}.")
    if found.waits.mean is not None:
        lines.append(
            f"Jobs waited {_seconds(found.waits.mean)} from submission to start on average, half"
            f" of them {_seconds(found.waits.median)} at most, 95% {_seconds(found.waits.high)}."
        )
    return "\n".join(lines) + "\n"


def _moment(found: LearnAnswer) -> str:
    date = "%Y-%m-%d" if found.doubts.has_year else "%m-%d"
    return datetime.fromtimestamp(found.began, UTC).strftime(f"{date} %H:%M:%S UTC")


def _doubts(found: Doubts) -> list[str]:
    """Say what the logs lack, a sentence for each."""
    absent = counted(found.absent, "job of the workflow is", "jobs of the workflow are")
    sentences = {
        "That is more than a year: was a clock set forward?": found.is_over_a_year,
        f"The log ends while {counted(found.running, 'job runs', 'jobs run')}.": found.running,
        f"{absent} not in the last run.": found.absent,
        f"The clock went backwards by {_seconds(found.set_back)}: only run times are from"
        f" {counted(found.skipped, 'attempt')} after that.": found.skipped,
        f"{counted(found.backwards, 'attempt')} ended before the start, because a clock went"
        " backwards: no run time is known of that.": found.backwards,
    }
    return [sentence for sentence, holds in sentences.items() if holds]


def _seconds(value: float | None) -> str:
    """Return seconds with three digits or all before the point."""
    if value is None:
        return "unknown"
    return f"{number(value, 0 if value >= 100 else 1)} s"


def _kinds(kinds: Sequence[KindOfJob]) -> str:
    rows = [["run times by kind", "jobs", "done", "mean", "spread", "failures", "evictions"]]
    for kind in kinds[:_MOST_ROWS]:
        spread = "" if kind.spread is None else f"{kind.spread:.2f}"
        mean = "" if kind.mean is None else _seconds(kind.mean)
        counts = f"{kind.jobs:,}", f"{kind.count:,}"
        rows.append(
            [named(kind.name), *counts, mean, spread, f"{kind.failures:,}", f"{kind.evictions:,}"]
        )
    rest = len(kinds) - _MOST_ROWS
    return table(rows, right=range(1, 7)) + (
        f"and {rest:,} more: --json has all\n" if rest > 0 else ""
    )


def _stalls(found: Stalls | None) -> str:
    if found is None:
        return ""
    first, *periods = stall_lines(found)
    return "\n".join([first, *(f"  {line}" for line in periods)]) + "\n"


def _pool(found: LearnAnswer) -> str:
    fit, told = found.fit, found.foretold
    pool = fit.workers if told is None else told.pool
    lines = [f"Pool: {_who(pool)}."]
    if isinstance(pool, Workers) and pool.count < found.peak:
        lines.append(
            f"Up to {counted(found.peak, 'job')} ran at once, but usually fewer slots were there"
            " while jobs waited."
        )
    if fit.submission is not None:
        lines.append(f"DAGMan submitted a job {_seconds(fit.submission)} after its last parent.")
    if told is not None:
        pools = {"workers": counted(fit.workers.count, "worker"), "recorded": "the recorded slots"}
        words = " and ".join(
            f"{_seconds(told.replays[name])} on {who} ({_percent(told.error_of(name))})"
            for name, who in pools.items()
        )
        until = "" if told.actual == found.length else ", until the last job succeeded"
        lines.append(
            f"The same order takes {words} by simulation, {_seconds(told.actual)} in fact{until}."
        )
    return "\n".join(lines) + "\n"


def _who(pool: AnyPool) -> str:
    if isinstance(pool, Recorded):
        who = f"{counted(pool.count, 'recorded visit')} of slots"
    else:
        assert isinstance(pool, Workers)  # noqa: S101  learn fits no other pool
        who = counted(pool.count, "worker")
    terms = {
        f"leaving after {_seconds(pool.leave)} on average": pool.leave < math.inf,
        f"{_seconds(pool.overhead)} between two jobs": pool.overhead > 0,
        f"{_seconds(pool.delay)} until a job can be taken after its last parent": pool.delay > 0,
    }
    return ", ".join([who, *(term for term, holds in terms.items() if holds)])


def _percent(share: float) -> str:
    return f"{100 * share:+.1f}%"


def _orders(told: Foretold) -> str:
    """Say what the whole workflow takes in each order, on the pool."""
    against = "fifo" if told.baseline == FIFO else "the order used"
    rows = [["order", "time on this pool", f"against {against}"]]
    for name, estimates in told.found.orders.items():
        ratio = told.found.ratio.get(f"{name}_over_{told.baseline}")
        change = ""
        if ratio is not None:
            low, high = _percent(ratio.time.low - 1), _percent(ratio.time.high - 1)
            change = f"{_percent(ratio.time.median - 1)} [{low}, {high}]"
        rows.append([named(name), _interval(estimates.time), change])
    where = "as the logs say" if told.spread_is_measured else "by assumption"
    what = _WHAT_USED_IS + (_WHY_FIFO if told.baseline == FIFO else "")
    how = (
        f"{counted(told.found.runs, 'run')} of each order, seed {told.found.seed}; 95% intervals;"
        f" {variation(told.times)} ({where})"
    )
    doubt = caution_text(about_pool(told.error))
    return f"{doubt}{table(rows)}{what}\n{how}\n"


def _interval(time: Mean) -> str:
    return f"{_seconds(time.mean)} [{_seconds(time.low)}, {_seconds(time.high)}]"


def keys(found: LearnAnswer) -> dict[str, object]:
    """Return what was found as JSON shows it."""
    told, over = found.foretold, found.over_time
    return {
        "logs": found.logs,
        "files": found.files,
        "jobs": found.jobs,
        "attempts": found.attempts,
        "runs": found.runs,
        "unknown": found.unknown,
        "began": found.began if found.doubts.has_year else None,
        "length": found.length,
        "doubts": asdict(found.doubts),
        "kinds": [asdict(kind) for kind in found.kinds],
        "run_times": times_keys(found.timed),
        "waits": asdict(found.waits),
        "peak": found.peak,
        "timeline": {
            key: getattr(over, key).tolist() for key in ("time", "running", "waiting", "missing")
        },
        "stalls": _stall_keys(found.stalls),
        "submission_delay": found.fit.submission,
        "start_delay": found.fit.freed,
        "pool": pool_to_dict(found.fit.workers if told is None else told.pool),
        "replay": None if told is None else _replay_keys(told),
        "baseline": None if told is None else told.baseline,
        "orders": None if told is None else _order_keys(told),
        "written": found.written,
    }


def _stall_keys(found: Stalls | None) -> dict[str, object] | None:
    if found is None:
        return None
    waited = [{"job": job, "lost": lost} for job, lost in found.waited_for]
    return {**asdict(found), "waited_for": waited}


def _replay_keys(told: Foretold) -> dict[str, object]:
    return {"actual": told.actual, **told.replays, "error": told.error}


def _order_keys(told: Foretold) -> dict[str, object]:
    found = told.found
    ratios = {name: found.ratio.get(f"{name}_over_{told.baseline}") for name in found.orders}
    return {
        name: {
            "time": asdict(estimates.time),
            "ratio": asdict(ratio.time) if (ratio := ratios[name]) else None,
        }
        for name, estimates in found.orders.items()
    }
