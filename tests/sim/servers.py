"""Every way to play an order as a server in plain Python: the twins of the kernel's rules."""

import heapq
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Sequence
from itertools import count as counter

import numpy as np

from icsched.arrays import ranks_of
from icsched.dag import Dag
from icsched.ready import Readiness, Server
from icsched.sim import AnyPool, Experiment, Played, Times, Trace
from icsched.sim.draws import Draws, Stream


def plain_run(
    dag: Dag, played: Played | Server[int], pool: AnyPool, times: Times, *, seed: int, run: int
) -> Trace:
    """Simulate a run of an order, or of a server, on the plain engine."""

    def server(dag: Dag) -> Server[int]:
        if not isinstance(played, Played):
            return played
        return server_of(dag, played, Draws(seed=seed, run=run))

    return Experiment(dag, pool, times).trace(server, seed=seed, run=run)


def server_of(dag: Dag, played: Played, draws: Draws) -> "Line | Ranked | Classed":
    """Return the server that plays an order as *played* says."""
    order = played.order_for(dag).tolist()
    if played.by == "priority":
        return Classed(dag, order, played.classes_for(dag).tolist())
    if played.by in ("fifo", "lifo"):
        return Line(dag, order, newest_first=played.by == "lifo")
    return Ranked(dag, permutation(draws, len(dag)) if played.by == "random" else order)


def permutation(draws: Draws, count: int) -> list[int]:
    """Return a random order of 0 .. count - 1 (the shuffle of Fisher and Yates)."""
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        other = draws.bits(Stream.RANK, last) * (last + 1) >> 64
        order[last], order[other] = order[other], order[last]
    return order


class _Waiting(ABC):
    """What the servers of orders share: tasks that wait to be taken; some are done before that."""

    def __init__(self, dag: Dag) -> None:
        self.readiness = Readiness(dag)

    @abstractmethod
    def _offer(self, task: int) -> None:
        """Let *task* wait to be taken."""

    @abstractmethod
    def _next(self) -> int | None:
        """Remove the task whose turn it is, and return it; None if no task waits."""

    def take(self, count: int) -> list[int]:
        """Return up to *count* tasks, which are handed out now."""
        taken: list[int] = []
        while len(taken) < count and (task := self._next()) is not None:
            if self.readiness.free[task]:  # not done since it was offered
                taken.append(task)
        self.readiness.take(taken)
        return taken

    def done(self, *tasks: int) -> None:
        """Note the results of *tasks*."""
        for task in self.readiness.finish(tasks):
            self._offer(task)

    def lost(self, *tasks: int) -> None:
        """Offer *tasks* again."""
        for task in self.readiness.give_back(tasks):
            self._offer(task)

    def is_active(self) -> bool:
        """Whether a task has no result yet."""
        return self.readiness.left > 0


class Ranked(_Waiting):
    """Hands out the task that comes first in an order."""

    def __init__(self, dag: Dag, order: Sequence[int]) -> None:
        super().__init__(dag)
        self._order = order
        self._rank: list[int] = ranks_of(np.asarray(order, np.int32)).tolist()
        self._heap = sorted(self._rank[task] for task in self.readiness.ready())

    def _offer(self, task: int) -> None:
        heapq.heappush(self._heap, self._rank[task])

    def _next(self) -> int | None:
        return self._order[heapq.heappop(self._heap)] if self._heap else None


class Line(_Waiting):
    """Hands out the task that has been eligible longest, or shortest; sources by *order*."""

    def __init__(self, dag: Dag, order: Sequence[int], *, newest_first: bool) -> None:
        super().__init__(dag)
        sources = [task for task in order if self.readiness.is_ready(task)]
        self._line = deque(sources[::-1] if newest_first else sources)  # oldest first
        self._pop = self._line.pop if newest_first else self._line.popleft

    def _offer(self, task: int) -> None:
        self._line.append(task)

    def _next(self) -> int | None:
        return self._pop() if self._line else None


class Classed(_Waiting):
    """Hands out the least class first, and in a class what has been eligible longest."""

    def __init__(self, dag: Dag, order: Sequence[int], classes: Sequence[int]) -> None:
        super().__init__(dag)
        self._classes = classes
        self._heap: list[tuple[int, int, int]] = []
        self._offered = counter()
        for task in order:
            if self.readiness.is_ready(task):
                self._offer(task)

    def _offer(self, task: int) -> None:
        heapq.heappush(self._heap, (self._classes[task], next(self._offered), task))

    def _next(self) -> int | None:
        return heapq.heappop(self._heap)[2] if self._heap else None
