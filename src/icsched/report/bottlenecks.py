"""Tasks that many others wait for, and the longest path."""

from dataclasses import dataclass

import numpy as np

from icsched.arrays import Floats, Ids
from icsched.dag import Dag
from icsched.pebble import Schedule, remaining_paths

FEW = 16  # eligible tasks: if there are more, nobody waits
MOST_SHOWN = 10
_MOST_LOOKED_AT = 63  # bits of a number that has a sign


@dataclass(frozen=True)
class Bottleneck:
    """A task that most of the rest waits for while little else can run.

    `step` is the number of tasks that have run by then, `eligible` how many can run. `waiting`
    counts the descendants of the task: none of them can run before it. `share` is `waiting` over
    the number of tasks that have not run.
    """

    task: int
    step: int
    eligible: int
    waiting: int
    share: float


@dataclass(frozen=True, eq=False)
class CriticalPath:
    """The longest path: no pool, however large, ends a run earlier than in `time`."""

    time: float
    tasks: Ids


def bottlenecks_of(schedule: Schedule) -> tuple[Bottleneck, ...]:
    """Return the bottlenecks of an order, those with the most waiting tasks first.

    A step is narrow if the number of eligible tasks has a local minimum there, and is at most
    `FEW`. Of equal steps in a row the last one counts: the number rises after it. A task is a
    bottleneck if it is eligible at a narrow step, and at least half of the tasks that have not run
    by then are descendants of it. It is listed once, for the last such step. At most `MOST_SHOWN`
    are returned. In a large dag only those narrow steps are looked at in which the most tasks wait
    for each eligible one. Takes O(tasks + arcs) time.

    >>> fork = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "e": ["d"], "f": ["d"]})
    >>> [(f.task, f.waiting) for f in bottlenecks_of(Schedule.trusted(fork, fork.fifo_order))]
    [(0, 5), (3, 2)]
    """
    dag = schedule.dag
    steps = _narrow_steps(schedule)
    looked_at = _eligible_tasks(schedule, steps)
    waiting = _descendants(dag, schedule.order, list(looked_at))
    found = []
    for (task, step), count in zip(looked_at.items(), waiting, strict=True):
        left = len(dag) - step
        if 2 * count >= left:
            eligible = int(schedule.eligible[step])
            found.append(Bottleneck(task, step, eligible, count, count / left))
    return tuple(sorted(found, key=lambda f: (-f.waiting, f.step, f.task))[:MOST_SHOWN])


def _narrow_steps(schedule: Schedule) -> Ids:
    """Return the narrow steps; those with the most waiting tasks for an eligible one first."""
    eligible = schedule.eligible[:-1]  # after the last step nothing is left
    ends = np.flatnonzero(np.diff(eligible, append=-1))
    level = eligible[ends].astype(np.float64)
    before = np.concatenate([[np.inf], level[:-1]])
    after = np.concatenate([level[1:], [np.inf]])
    narrow = ends[(level < before) & (level < after) & (level <= FEW)]
    rest = (len(schedule.dag) - narrow) / eligible[narrow]
    return narrow[np.argsort(-rest, kind="stable")].astype(np.int32)


def _eligible_tasks(schedule: Schedule, steps: Ids) -> dict[int, int]:
    """Return the tasks that are eligible at one of *steps*, each with its last step."""
    found: dict[int, int] = {}
    by_ready = np.argsort(schedule.ready, kind="stable")
    sorted_ready = schedule.ready[by_ready]
    for step in steps.tolist():
        enabled = by_ready[: np.searchsorted(sorted_ready, step, side="right")]
        tasks = enabled[schedule.ranks[enabled] >= step]
        for task in tasks[np.argsort(schedule.ranks[tasks])].tolist():
            found[task] = max(step, found.get(task, step))
        if len(found) > _MOST_LOOKED_AT:
            break
    return dict(list(found.items())[:_MOST_LOOKED_AT])


def _descendants(dag: Dag, order: Ids, tasks: list[int]) -> list[int]:
    """Return how many descendants each of *tasks* has: one pass, with a bit for each of them."""
    if not tasks:
        return []
    above, own = [0] * len(dag), {task: 1 << bit for bit, task in enumerate(tasks)}
    offsets, children = dag.child_rows.offsets.tolist(), dag.child_rows.targets.tolist()
    for task in order.tolist():
        bits = above[task] | own.get(task, 0)
        if bits:
            for place in range(offsets[task], offsets[task + 1]):
                above[children[place]] |= bits
    masks = np.array(above, np.int64)
    return [int((masks >> bit & 1).sum()) for bit in range(len(tasks))]


def critical_path(dag: Dag, means: Floats) -> CriticalPath:
    """Return the longest path by mean run times; of several, the one with the smallest ids.

    >>> path = critical_path(Dag({"a": [], "b": ["a"], "c": ["a"]}), np.array([1.0, 2.0, 5.0]))
    >>> path.time, path.tasks.tolist()
    (6.0, [0, 2])
    """
    left = remaining_paths(dag, means)
    task = int(np.argmax(left))
    path = [task]
    while len(children := dag.child_rows[task]):
        task = int(children[np.argmax(left[children])])
        path.append(task)
    return CriticalPath(float(left.max()), np.array(path, np.int32))
