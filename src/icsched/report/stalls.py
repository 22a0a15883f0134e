"""Where a run stalls: when free workers find nothing to take, and what everybody waits for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from icsched.arrays import Floats, Ids
from icsched.dag import Dag
from icsched.history import Stalls
from icsched.messages import counted, named, number
from icsched.report.bottlenecks import MOST_SHOWN, Bottleneck, CriticalPath
from icsched.report.subject import Keys, Subject, order_called, six_digits
from icsched.report.worth import best_order
from icsched.sim import AnyPool, Ending, Machines, Pool, Recorded, Timeline
from icsched.sim.results import Assignments, Trace

_SHORTEST = 0.005  # of the run: nobody cares about less


@dataclass(frozen=True)
class Waits:
    """For how long a free worker found nothing to take in one run, and what it waited for.

    `share` is `time` over the time of the whole run. `lost` is the share of the time of all workers
    that was lost so; None if workers come from outside, because nobody knows who is there. `tasks`
    says for how long everybody waited for each task, the longest waits first.
    """

    time: float
    share: float
    lost: float | None
    tasks: Mapping[int, float]


def stall_keys(
    subject: Subject,
    path: CriticalPath,
    bottlenecks: Sequence[Bottleneck],
    timelines: Mapping[str, Timeline],
    waits: Mapping[str, Waits],
    stalls: Stalls | None,
) -> Keys:
    """Return where runs stall; *stalls* are those of a log."""
    nodes = subject.picture.node[path.tasks]
    recorded = None
    if stalls is not None:
        words, *periods = stall_lines(stalls)
        recorded = {"words": words, "share": stalls.share, "periods": periods}
    return {
        "words": _words(subject, waits, path, len(bottlenecks)),
        "recorded": recorded,
        "timelines": {
            name: {key: six_digits(values) for key, values in vars(line).items()}
            for name, line in timelines.items()
        },
        "waits": {name: _waits(subject, name, run) for name, run in waits.items()},
        "bottlenecks": [_bottleneck(subject, each) for each in bottlenecks],
        "critical_path": {
            "time": path.time,
            "tasks": len(path.tasks),
            "nodes": nodes[np.diff(nodes, prepend=-1) != 0],  # each once for tasks in a row
        },
    }


def _words(
    subject: Subject, waits: Mapping[str, Waits], path: CriticalPath, bottlenecks: int
) -> str:
    """Say what time is lost, and how often workers find nothing; best order and baseline alone."""
    names = list(dict.fromkeys([subject.baseline, best_order(subject), "auto"]))
    lost = [
        f"for {100 * share:.1f}% of their time in {order_called(name)}"
        for name in names
        if name in waits and (share := waits[name].lost) is not None
    ]
    find = f"In one simulated run, workers find no {subject.word} to take {', '.join(lost)}. "
    who = "batches find" if isinstance(subject.pool, Pool) else "requests find"
    who = "cores that ask find" if isinstance(subject.pool, Machines) else who
    shares = "; ".join(
        f"{100 * subject.found.orders[name].stall.mean:.1f}% of all {who} no eligible"
        f" {subject.word} in {order_called(name)}"
        for name in names
    )
    return f"{find if lost else ''}{shares}. {_path_words(subject, path, bottlenecks)}"


def _path_words(subject: Subject, path: CriticalPath, bottlenecks: int) -> str:
    word, time = subject.word, subject.time(path.time)
    longest = f"The longest path has {counted(len(path.tasks), word)} and takes {time}"
    if not bottlenecks:
        return f"{longest}. No {word} holds up most of the rest."
    holds = counted(bottlenecks, f"{word} holds", f"{word}s hold")
    holds = f"At least {holds}" if bottlenecks == MOST_SHOWN else holds
    return f"{longest}. {holds} up most of the rest while little else can run."


def _waits(subject: Subject, name: str, run: Waits) -> Keys:
    words = (
        f"One run in {order_called(name)} stalls for {subject.time(run.time)},"
        f" {100 * run.share:.1f}% of its time: a worker is free, and no {subject.word} can be"
        " taken."
    )
    tasks = [
        {**subject.task_keys(task, f"Everybody waits {subject.time(time)} for it."), "time": time}
        for task, time in run.tasks.items()
    ]
    return {"words": words, **vars(run), "tasks": tasks}


def _bottleneck(subject: Subject, each: Bottleneck) -> Keys:
    left = len(subject.dag) - each.step
    wait = "waits" if each.waiting == 1 else "wait"
    words = (
        f"After {counted(each.step, subject.word)}, {each.eligible:,} can run. {each.waiting:,} of"
        f" the {left:,} left ({100 * each.share:.0f}%) {wait} for this one."
    )
    named_task = subject.task_keys(each.task, words)
    return {**named_task, **vars(each), **named_task}  # in this order, but the task by its name


def stall_lines(found: Stalls) -> list[str]:
    """Say what was lost in all, then in the worst periods, each with what all waited for."""
    if not found.lost:
        return ["Stalls: none; whenever a slot was free, a job could be taken."]
    seconds = number(found.seconds, 0 if found.seconds >= 100 else 1)
    lines = [
        f"Stalls: for {seconds} s slots were free and no job could be taken;"
        f" {100 * found.share:.1f}% of the slots' time was lost."
    ]
    for stall in found.longest:
        period = f"{number(stall.start, 0)} to {number(stall.end, 0)} s"
        job = f", all waited for {named(stall.waited_for)}" if stall.waited_for else ""
        lines.append(f"{period}: {number(stall.lost, 0)} slot seconds lost{job}")
    return lines


def waits_of(dag: Dag, run: Trace, pool: AnyPool) -> Waits:
    """Return when free workers found nothing to take in *run*, and the tasks that they waited for.

    A task can be taken when its last parent has its result, and `pool.delay` later it is known.
    Everybody waits for the last parent of the task that can be taken next, or for a task that was
    lost; after the last assignment, for the task that ends last. Workers of a `Pool` come from
    outside, so somebody may always ask. Otherwise nobody waits while all who are there are busy.
    Takes O((tasks + arcs) log tasks) time.
    """
    given, over = run.assignments, float(run.result.time[0])
    if not len(given.time):
        return Waits(0.0, 0.0, None if isinstance(pool, Pool | Machines) else 0.0, {})
    takeable, awaited = _takeable(dag, given, pool.delay)
    visits = _visits(pool)
    moments = np.unique(np.concatenate([takeable, given.time, given.end, *visits, [over]]))
    moments = moments[moments <= over]
    starts, steps = moments[:-1], np.diff(moments)
    is_empty = _until(takeable, starts) == _until(given.time, starts)
    lost = None
    if visits:
        come, gone = visits
        present = _until(come, starts) - _until(gone, starts)
        running = _until(given.time, starts) - _until(given.end, starts)
        free = np.maximum(present - running, 0)
        is_empty &= free > 0
        lost = float((free * steps)[is_empty].sum() / (present * steps).sum())
    by_time = np.argsort(takeable, kind="stable")
    after = np.searchsorted(takeable[by_time], starts, side="right")
    last = int(given.task[np.argmax(np.where(given.end <= over, given.end, -1.0))])
    blamed = np.append(awaited[by_time], last)[after]
    time = float(steps[is_empty].sum())
    return Waits(time, time / over, lost, _longest(blamed[is_empty], steps[is_empty], over))


def _visits(pool: AnyPool) -> tuple[Floats, Floats] | tuple[()]:
    """Return when each worker comes and leaves; nothing for workers from outside, and machines."""
    if isinstance(pool, Pool | Machines):
        return ()
    if isinstance(pool, Recorded):
        return pool.starts, pool.ends
    return np.zeros(pool.count), np.full(pool.count, np.inf)


def _takeable(dag: Dag, given: Assignments, delay: float) -> tuple[Floats, Ids]:
    """Return when each assignment could have been made, and the task whose end allowed it."""
    results = np.zeros(len(dag))
    has_result = given.ending == Ending.RESULT
    results[given.task[has_result]] = given.end[has_result]
    # When the last parent of each task had its result, and that parent, -1 for sources.
    ready, last = np.zeros(len(dag)), np.full(len(dag), -1, np.int32)
    arcs = dag.arcs[np.argsort(results[dag.arcs[:, 0]], kind="stable")]
    last[arcs[:, 1]] = arcs[:, 0]  # of several arcs to one task, the last one stays
    ready[last >= 0] = results[last[last >= 0]]
    awaited = last[given.task]
    takeable = ready[given.task] + delay * (awaited >= 0)
    by_task = np.argsort(given.task, kind="stable")
    is_again = given.task[by_task[1:]] == given.task[by_task[:-1]]
    before, again = by_task[:-1][is_again], by_task[1:][is_again]
    takeable[again], awaited[again] = given.end[before] + delay, given.task[again]
    return np.minimum(takeable, given.time), awaited


def _until(moments: Floats, at: Floats) -> Ids:
    return np.searchsorted(np.sort(moments), at, side="right").astype(np.int32)


def _longest(blamed: Ids, steps: Floats, over: float) -> dict[int, float]:
    known = blamed >= 0
    totals = np.bincount(blamed[known], steps[known], minlength=1)
    worst = np.argsort(-totals, kind="stable")[:MOST_SHOWN].tolist()
    return {task: float(totals[task]) for task in worst if totals[task] > _SHORTEST * over}
