"""A report as JSON shows it; the page has the same keys."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import PurePath
from typing import Any

import numpy as np

from icsched.commands.notes import caution_lines
from icsched.commands.page import sentences as say
from icsched.commands.page.answer import Blocks, ReportAnswer
from icsched.commands.page.bottlenecks import Bottleneck
from icsched.commands.page.game import Game
from icsched.commands.page.proof_tree import proof_keys
from icsched.commands.stalls import stall_lines
from icsched.history import Stalls
from icsched.messages import named
from icsched.report.curves import Curve
from icsched.report.lanes import Lanes
from icsched.report.scene import DagPicture
from icsched.sim import pool_to_dict

MOST_LETTERS = 200  # of a name: longer ones end in three dots
_MOST_VISITS = 1000  # of a recorded pool: more are left out
_DIGITS = 6  # of a time, counted from the first digit of the longest


def report_keys(found: ReportAnswer) -> dict[str, object]:
    """Return what was found as JSON shows it; null is what is not known.

    Ids of nodes are places in the arrays of "dag".
    """
    from importlib.metadata import version  # slow to import

    return {
        "name": PurePath(found.files[0]).name,
        "files": list(found.files),
        "version": version("icsched"),
        "to_repeat": say.to_repeat(found),
        "repeat": say.repeat(found),
        "word": say.word(found),
        "notes": say.notes(found),
        "size": _size(found),
        "pool": {"words": say.pool(found), **_pool(found)},
        "worth": _worth(found),
        "stalls": _stalls(found),
        "curves": _curves(found),
        "memory": _memory(found),
        "dag": _dag(found),
        "game": _game(found),
        "lanes": _lanes(found),
        "proof": proof_keys(found),
        "clusters": _clusters(found),
    }


def _size(found: ReportAnswer) -> dict[str, object]:
    dag = found.workflow.dag
    return {
        "tasks": len(dag),
        "arcs": dag.arc_count,
        "done": int(found.workflow.done.sum()),
        "levels": int(dag.levels.max()) + 1,
        "sources": len(dag.sources),
        "sinks": len(dag.sinks),
        "unit": say.unit(found),
        "run_times": _run_times(found) if found.is_timed else None,
    }


def _run_times(found: ReportAnswer) -> dict[str, object]:
    longest = int(np.argmax(found.means))
    return {
        "words": say.run_times(found),
        "total": float(found.means.sum()),
        "longest": {"task": _name(found, longest), "time": float(found.means[longest])},
    }


def _pool(found: ReportAnswer) -> dict[str, object]:
    """Return the pool as data; the visits of a large recorded pool are null."""
    data = pool_to_dict(found.pool)
    long = [name for name, value in data.items() if _is_long(value)]
    return {**data, **dict.fromkeys(long)}


def _is_long(value: object) -> bool:
    return isinstance(value, list) and len(value) > _MOST_VISITS


def _name(found: ReportAnswer, task: int) -> str:
    return _short(str(found.workflow.dag.names[task]))


def _short(name: str) -> str:
    return name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 3]}..."


# 1 and 2: is it worth it, and where does the run stall


def _worth(found: ReportAnswer) -> dict[str, object]:
    best = say.best(found)
    return {
        "baseline": found.baseline,
        "best": best,
        "is_clear": say.is_clear(found, best),
        "words": say.worth(found, best),
        "cautions": [named(line) for line in caution_lines(found.cautions)],
        "least_time": _least_time(found),
        "runs": found.found.runs,
        "seed": found.found.seed,
        "orders": [_order(found, name) for name in found.orders],
    }


def _least_time(found: ReportAnswer) -> dict[str, object] | None:
    least = found.least_time
    return None if least is None else {"words": say.least_time(found, least), **asdict(least)}


def _order(found: ReportAnswer, name: str) -> dict[str, object]:
    estimates = found.found.orders[name]
    ratio = say.ratio(found, name)
    low_high = None if ratio is None else _picked(asdict(ratio), "median", "low", "high")
    return {"name": name, "words": say.order(found, name), **asdict(estimates), "ratio": low_high}


def _picked(data: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: data[name] for name in names}


def _stalls(found: ReportAnswer) -> dict[str, object]:
    path = found.critical_path
    return {
        "words": say.stalls(found),
        "recorded": None if found.recorded is None else _recorded(found.recorded.stalls),
        "timelines": {
            name: {key: _rounded(getattr(line, key)) for key in ("time", "eligible", "idle")}
            for name, line in found.timelines.items()
        },
        "waits": {name: _waits(found, name) for name in found.waits},
        "bottlenecks": [_bottleneck(found, each) for each in found.bottlenecks],
        "critical_path": {
            "time": path.time,
            "tasks": len(path.tasks),
            "nodes": _in_turn(found.picture.node[path.tasks]),
        },
    }


def _recorded(stalls: Stalls) -> dict[str, object]:
    """Return the stalls of the log, as `icsched learn` tells them."""
    words, *periods = stall_lines(stalls)
    return {"words": words, "share": stalls.share, "periods": periods}


def _waits(found: ReportAnswer, name: str) -> dict[str, object]:
    run = found.waits[name]
    return {
        "words": say.waits(found, name),
        "time": run.time,
        "share": run.share,
        "lost": run.lost,
        "tasks": [
            {
                "task": _name(found, each.task),
                "node": int(found.picture.node[each.task]),
                "words": say.wait(found, each),
                "time": each.time,
            }
            for each in run.tasks
        ],
    }


def _bottleneck(found: ReportAnswer, each: Bottleneck) -> dict[str, object]:
    return {
        "task": _name(found, each.task),
        "node": int(found.picture.node[each.task]),
        "words": say.bottleneck(found, each),
        "step": each.step,
        "eligible": each.eligible,
        "waiting": each.waiting,
        "share": each.share,
    }


def _in_turn(nodes: np.ndarray) -> list[int]:
    """Return the nodes that a path goes through, each once for tasks in a row.

    >>> _in_turn(np.array([0, 0, 2, 0]))
    [0, 2, 0]
    """
    listed: list[int] = nodes[np.diff(nodes, prepend=-1) != 0].tolist()
    return listed


# 3 and 6: curves


def _curves(found: ReportAnswer) -> dict[str, object]:
    return {
        "words": say.curves(found),
        "steps": len(found.workflow.dag),
        "orders": {name: _curve(curve, "eligible") for name, curve in found.curves.items()},
        "ceiling": None if found.ceiling is None else _curve(found.ceiling, "eligible"),
    }


def _curve(curve: Curve, value: str) -> dict[str, object]:
    return {"step": curve.step.tolist(), value: curve.value.tolist()}


def _memory(found: ReportAnswer) -> dict[str, object]:
    orders = {
        name: {**_curve(each.curve, "held"), "peak": each.peak}
        for name, each in found.memory.items()
    }
    return {"words": say.memory(found), "unit": say.memory_unit(found), "orders": orders}


# 4: the dag


def _dag(found: ReportAnswer) -> dict[str, object]:
    picture = found.picture
    is_narrow = np.zeros(len(picture), np.int64)
    is_narrow[[int(picture.node[each.task]) for each in found.bottlenecks]] = 1
    priorities = found.plan.priorities_by_id
    return {
        "is_grouped": picture.is_grouped,
        "words": say.picture(found),
        "width": picture.width,
        "height": picture.height,
        "x": _rounded(picture.x),
        "y": _rounded(picture.y),
        "label": [_short(label) for label in picture.label],
        "tasks": picture.tasks.tolist(),
        "level": picture.level.tolist(),
        "kind": picture.kind.tolist(),
        "kinds": [_short(kind) for kind in picture.kinds],
        "run_time": _rounded(picture.mean_of(found.means)) if found.is_timed else None,
        **_blocks(found.blocks),
        "is_bottleneck": is_narrow.tolist(),
        "priority": _means(picture, priorities),
        "arcs": _arcs(picture),
    }


def _blocks(found: Blocks | None) -> dict[str, object]:
    if found is None:
        return {"block": None, "blocks": []}
    sizes = np.bincount(found.block + 1, minlength=len(found.names) + 1)[1:].tolist()
    blocks = [{"words": name, "nodes": size} for name, size in zip(found.names, sizes, strict=True)]
    return {"block": [at if at >= 0 else None for at in found.block.tolist()], "blocks": blocks}


def _means(picture: DagPicture, values: np.ndarray) -> list[float] | list[int]:
    """Return a number for each node: that of its task, or the mean over its tasks."""
    return _rounded(picture.mean_of(values)) if picture.is_grouped else values.tolist()


def _arcs(picture: DagPicture) -> dict[str, object]:
    return {
        "parent": picture.parent.tolist(),
        "child": picture.child.tolist(),
        "count": picture.count.tolist() if picture.is_grouped else None,
    }


def _rounded(values: np.ndarray) -> list[float]:
    """Return numbers to six digits of the largest; nobody sees more, and they take less room."""
    most = float(np.abs(values).max(initial=0.0))
    if not 1e-290 < most < math.inf:
        listed: list[float] = values.tolist()
        return listed
    decimals = _DIGITS - 1 - math.floor(math.log10(most))
    return [round(value, decimals) for value in values.tolist()]


# 5: the game, and runs


def _game(found: ReportAnswer) -> dict[str, object]:
    game = found.game
    if isinstance(game, Game):
        played = _per_order(game.rank, "rank", game.ready, "ready")
        return {"orders": played}
    return {
        "steps": game.steps.tolist(),
        "orders": _per_order(game.done, "done", game.ready, "ready"),
    }


def _per_order(
    first: Mapping[str, np.ndarray], one: str, second: Mapping[str, np.ndarray], other: str
) -> dict[str, object]:
    return {name: {one: first[name].tolist(), other: second[name].tolist()} for name in first}


def _lanes(found: ReportAnswer) -> dict[str, object]:
    runs = {name: _run(found, lanes, "simulated") for name, lanes in found.lanes.items()}
    if found.recorded is not None:
        runs["recorded"] = _run(found, found.recorded.lanes, "recorded")
    return {"unit": say.unit(found), "words": say.lanes(found), "runs": runs}


def _run(found: ReportAnswer, lanes: Lanes, source: str) -> dict[str, object]:
    times = _rounded(np.concatenate([lanes.start, lanes.stop, [lanes.end]]))
    return {
        "source": source,
        "end": times[-1],
        "workers": lanes.workers,
        "is_cut": lanes.is_cut,
        "lane": lanes.lane.tolist(),
        "node": _nodes(found, lanes.task.tolist()),
        "start": times[: len(lanes)],
        "end_of": times[len(lanes) : -1],
        "ending": lanes.ending.tolist(),
        "endings": list(lanes.endings),
    }


def _nodes(found: ReportAnswer, tasks: Iterable[int]) -> list[int | None]:
    """Return the node of each task; None for a job of a log that is not left to run."""
    node = found.picture.node
    return [int(node[task]) if task >= 0 else None for task in tasks]


# 8: clusters


def _clusters(found: ReportAnswer) -> dict[str, object] | None:
    made = found.clusters
    if made is None:
        return None
    cluster = None if found.picture.is_grouped else made.cluster.tolist()
    return {
        "size": made.size,
        "words": say.clusters(found, made),
        "cluster": cluster,
        "count": made.count,
        "cut_arcs": made.cut_arcs,
    }
