"""One run as lanes: each worker is a lane, each task that it ran a bar."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icsched import history
from icsched.arrays import Floats, Ids
from icsched.report.subject import Keys, Subject, six_digits
from icsched.sim import AnyPool, Machines, Pool, Trace
from icsched.sim.results import Counts, Ending

MOST_BARS = 3000  # of one run: a page cannot show more


@dataclass(frozen=True, eq=False)
class Lanes:
    """The bars of one run, by their starts: bar i is of `task` [i], from `start` [i] to `stop` [i].

    The bars of one lane never overlap. A lane is a worker. Batches of requests have no workers with
    names; there a request gets the free lane with the smallest number. A machine has as many lanes
    as it runs tasks at once, one beside the other. `ending` is an index into
    `endings`. `end` is when the run was over, `workers` the number of lanes of the whole run.
    `is_cut` says that the run has more bars than are here: only the first ones are.
    """

    lane: Ids = field(repr=False)
    task: Ids = field(repr=False)
    start: Floats = field(repr=False)
    stop: Floats = field(repr=False)
    ending: NDArray[np.integer[Any]] = field(repr=False)
    endings: tuple[str, ...]
    end: float
    workers: int
    is_cut: bool

    def __len__(self) -> int:
        return len(self.lane)


def run_lanes(trace: Trace, pool: AnyPool, most: int = MOST_BARS) -> Lanes:
    """Return the lanes of a simulated run, with at most *most* bars: those that start first.

    What still runs when the run is over, because nobody waits for it, ends there.
    """
    given, end = trace.assignments, float(trace.result.time[0])
    kept = slice(most)  # assignments are in the order of their times
    start, stop = given.time[kept], np.minimum(given.end[kept], end)
    if isinstance(pool, Pool):
        lane = free_lanes(start, stop)
        workers = max(int(lane.max(initial=-1)) + 1, _most_at_once(given.time, given.end))
    elif isinstance(pool, Machines):
        lane = _lanes_of_machines(given.request, given.time, np.minimum(given.end, end))
        lane, workers = lane[kept], int(lane.max(initial=-1)) + 1
    else:
        lane, workers = given.request[kept].astype(np.int32), pool.count
    bars = lane, given.task[kept], start, stop, given.ending[kept]
    return Lanes(*bars, _names(Ending), end, workers, is_cut=len(given.time) > most)


def _names(endings: type[Enum]) -> tuple[str, ...]:
    return tuple(endings(number).name.lower() for number in range(len(endings)))


def recorded_lanes(lane: Ids, task: Ids, start: Floats, stop: Floats, ending: Ids) -> Lanes:
    """Return the lanes of a run that a log tells; *task* is -1 for what is not in the dag.

    Logs have whole seconds, so a bar may begin before the one before it in its lane has ended; the
    earlier bar is then cut short.
    """
    in_order = np.argsort(start, kind="stable")
    kept = in_order[:MOST_BARS]
    lane = np.unique(lane, return_inverse=True)[1].astype(np.int32)
    workers, end = int(lane.max(initial=-1)) + 1, float(stop.max(initial=0.0))
    # At most the start of the next bar in the same lane.
    by_lane = in_order[np.argsort(lane[in_order], kind="stable")]
    is_followed = lane[by_lane[:-1]] == lane[by_lane[1:]]
    former, latter = by_lane[:-1][is_followed], by_lane[1:][is_followed]
    stop = stop.copy()
    stop[former] = np.minimum(stop[former], start[latter])
    bars = lane[kept], task[kept], start[kept], stop[kept], ending[kept]
    is_cut = len(start) > MOST_BARS
    return Lanes(*bars, _names(history.Ending), end, workers, is_cut=is_cut)


def free_lanes(start: Floats, stop: Floats) -> Ids:
    """Return for each bar, by its start, the smallest lane that is free then.

    >>> free_lanes(np.array([0.0, 0.0, 1.0, 2.0]), np.array([2.0, 1.0, 3.0, 3.0])).tolist()
    [0, 1, 1, 0]
    """
    lanes, busy, free = list[int](), list[tuple[float, int]](), list[int]()
    for begin, over in zip(start.tolist(), stop.tolist(), strict=True):
        while busy and busy[0][0] <= begin:
            heappush(free, heappop(busy)[1])
        lanes.append(heappop(free) if free else len(busy))  # the others are all busy
        heappush(busy, (over, lanes[-1]))
    return np.array(lanes, np.int32)


def _lanes_of_machines(machine: Counts, start: Floats, stop: Floats) -> Ids:
    """Return for each bar the smallest lane of its machine that is free; machines in a row.

    >>> at, over = np.zeros(4), np.ones(4)
    >>> _lanes_of_machines(np.array([7, 2, 7, 2]), at, over).tolist()
    [2, 0, 3, 1]
    """
    lane, first = np.empty(len(machine), np.int32), 0
    by_machine = np.argsort(machine, kind="stable")
    others = np.flatnonzero(np.diff(machine[by_machine])) + 1
    for bars in np.split(by_machine, others):
        lane[bars] = first + free_lanes(start[bars], stop[bars])
        first = int(lane[bars].max()) + 1
    return lane


def _most_at_once(start: Floats, stop: Floats) -> int:
    """Return how many bars there are at most at one moment; bars that take no time do not count."""
    over = np.searchsorted(np.sort(stop), start, side="right")
    return int((np.arange(1, len(start) + 1) - over).max(initial=0))


def run_keys(subject: Subject, simulated: Mapping[str, Lanes], own: Lanes | None) -> Keys:
    """Return the *simulated* runs of orders, and the user's *own*, if there is a log."""
    runs = {name: _run(subject, lanes, "simulated") for name, lanes in simulated.items()}
    if own is not None:
        runs["recorded"] = _run(subject, own, "recorded")
    return {"unit": subject.unit, "words": _words(subject, simulated), "runs": runs}


def _run(subject: Subject, lanes: Lanes, source: str) -> Keys:
    times = six_digits(np.concatenate([lanes.start, lanes.stop, [lanes.end]])).tolist()
    node, tasks = subject.picture.node, lanes.task.tolist()
    return {
        "source": source,
        "end": times[-1],
        "workers": lanes.workers,
        "is_cut": lanes.is_cut,
        "lane": lanes.lane,
        "node": [int(node[task]) if task >= 0 else None for task in tasks],  # not left to run
        "start": times[: len(lanes)],
        "end_of": times[len(lanes) : -1],
        "ending": lanes.ending,
        "endings": lanes.endings,
    }


def _words(subject: Subject, simulated: Mapping[str, Lanes]) -> str:
    """Say what the lanes are."""
    told = [f"Each lane is a worker, each bar a {subject.word} that it ran."]
    if isinstance(subject.pool, Pool):
        told.append("Requests have no names, so each takes the first free lane.")
    if isinstance(subject.pool, Machines):
        told[0] = f"Each lane is a place on a machine, each bar a {subject.word} that it ran."
    if any(lanes.is_cut for lanes in simulated.values()):
        told.append("Only the beginning of each run is shown.")
    if len(simulated) < len(subject.orders):
        told.append("Runs with very many batches are not shown.")
    if simulated:
        told.append("A simulated run is one of many: its run times are drawn at random, so its")
        told.append("end differs from the mean.")
    return " ".join(told)
