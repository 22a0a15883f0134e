"""When nothing could be taken in a run, and the tasks that everybody waited for."""

from dataclasses import dataclass

import numpy as np

from icsched.arrays import Floats, Ids
from icsched.dag import Dag
from icsched.sim import AnyPool, Ending, Pool, Recorded
from icsched.sim.results import Assignments, Trace

MOST_SHOWN = 10
_SHORTEST = 0.005  # of the run: nobody cares about less


@dataclass(frozen=True)
class Wait:
    """For how long everybody waited for one task to end."""

    task: int
    time: float


@dataclass(frozen=True)
class Waits:
    """For how long a free worker found nothing to take in one run, and what it waited for.

    `share` is `time` over the time of the whole run. `lost` is the share of the time of all workers
    that was lost so; None if workers come from outside, because nobody knows who is there. `tasks`
    has the longest waits first.
    """

    time: float
    share: float
    lost: float | None
    tasks: tuple[Wait, ...]


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
        return Waits(0.0, 0.0, None if isinstance(pool, Pool) else 0.0, ())
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
    """Return when each worker comes and leaves; nothing for workers from outside."""
    if isinstance(pool, Pool):
        return ()
    if isinstance(pool, Recorded):
        return pool.starts, pool.ends
    return np.zeros(pool.count), np.full(pool.count, np.inf)


def _takeable(dag: Dag, given: Assignments, delay: float) -> tuple[Floats, Ids]:
    """Return when each assignment could have been made, and the task whose end allowed it."""
    results = np.zeros(len(dag))
    has_result = given.ending == Ending.RESULT
    results[given.task[has_result]] = given.end[has_result]
    ready, last = _released(dag, results)
    takeable, awaited = ready[given.task] + delay * (last[given.task] >= 0), last[given.task]
    by_task = np.argsort(given.task, kind="stable")
    again = by_task[1:][given.task[by_task[1:]] == given.task[by_task[:-1]]]
    before = by_task[:-1][given.task[by_task[1:]] == given.task[by_task[:-1]]]
    takeable[again], awaited[again] = given.end[before] + delay, given.task[again]
    return np.minimum(takeable, given.time), awaited


def _released(dag: Dag, results: Floats) -> tuple[Floats, Ids]:
    """Return when the last parent of each task had its result, and that parent, -1 for sources."""
    ready, last = np.zeros(len(dag)), np.full(len(dag), -1, np.int32)
    arcs = dag.arcs[np.argsort(results[dag.arcs[:, 0]], kind="stable")]
    last[arcs[:, 1]] = arcs[:, 0]  # of several arcs to one task, the last one stays
    has_parents = last >= 0
    ready[has_parents] = results[last[has_parents]]
    return ready, last


def _until(moments: Floats, at: Floats) -> Ids:
    return np.searchsorted(np.sort(moments), at, side="right").astype(np.int32)


def _longest(blamed: Ids, steps: Floats, over: float) -> tuple[Wait, ...]:
    known = blamed >= 0
    totals = np.bincount(blamed[known], steps[known], minlength=1)
    worst = np.argsort(-totals, kind="stable")[:MOST_SHOWN]
    return tuple(
        Wait(int(task), float(totals[task])) for task in worst if totals[task] > _SHORTEST * over
    )
