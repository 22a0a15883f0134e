"""The state of a dag while clusters are handed out, and growth of sets to hand out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush
from math import inf

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Rows, ranks_of
from icsched.ready import Readiness


class Rest(Readiness):
    """The ready, handed out and done tasks of a dag, and the cost of a set of tasks."""

    def out_degree(self, task: int) -> int:
        """Return the number of children of *task*."""
        return self._offsets[task + 1] - self._offsets[task]

    def parents_inside(self, tasks: Sequence[int]) -> dict[int, int]:
        """Return the number of parents in *tasks* of each task that has any."""
        inside: dict[int, int] = {}
        targets, offsets = self._targets, self._offsets
        for task in tasks:
            for child in targets[offsets[task] : offsets[task + 1]]:
                inside[child] = inside.get(child, 0) + 1
        return inside

    def is_self_contained(self, tasks: Sequence[int]) -> bool:
        """Whether *tasks* are free, and every parent of these is done or in *tasks*."""
        inside = self.parents_inside(tasks)
        return len(set(tasks)) == len(tasks) and all(
            self.free[task] and inside.get(task, 0) == self.missing[task] for task in tasks
        )

    def cut_arcs(self, tasks: Sequence[int]) -> int:
        """Count the arcs from *tasks*, a self-contained set, to all other tasks.

        All parents of a member that are not done are members, so `missing` counts inner arcs.
        """
        return sum(self.out_degree(task) - self.missing[task] for task in tasks)

    def opened(self) -> NDArray[np.int64]:
        """Return, for each task, its children minus the parents that it waits for."""
        opened: NDArray[np.int64] = np.diff(self._offsets) - np.array(self.missing)
        return opened

    def cut_bytes(self, tasks: Sequence[int], sizes: Sequence[int]) -> int:
        """Return the size of the results that *tasks* send to other tasks, counted for each arc."""
        members = set(tasks)
        return sum(
            sizes[task] * sum(child not in members for child in self.children(task))
            for task in tasks
        )


class Frontier:
    """The tasks that wait for no parent, ranked best first; grows sets from them.

    The key of a task is its *score*, if there is one, then its place in *order*. The score is
    computed when all parents are done or in the set, and must not change later. *sizes* are the
    sizes of tasks, by default 1.
    """

    def __init__(
        self,
        rest: Rest,
        order: Sequence[int],
        *,
        score: Callable[[int], int] | None = None,
        sizes: Sequence[int] | None = None,
    ) -> None:
        self._rest = rest
        self._order = order
        self._rank: list[int] = ranks_of(np.asarray(order, np.int32)).tolist()
        self._score = score
        self._sizes = sizes
        self._ready = [self._key(task) for task in order if not rest.missing[task]]
        heapify(self._ready)
        self._popped: list[int] = []
        # The set that grows: its members, how many parents of each task are among them, and a heap
        # with the keys of tasks that wait only for members.
        self._members: list[int] = []
        self._inside: dict[int, int] = {}
        self._offers: list[int] = []
        self.looked = 0  # arcs that the last growth visited

    def _key(self, task: int) -> int:
        rank = self._rank[task]
        return rank if self._score is None else self._score(task) * len(self._order) + rank

    def _task(self, key: int) -> int:
        return self._order[key % len(self._order)]

    def add(self, tasks: Iterable[int]) -> None:
        """Note free tasks that wait for no parent."""
        for task in tasks:
            heappush(self._ready, self._key(task))

    def settle(self) -> None:
        """Put back tasks that the last growth visited and that were not taken."""
        for key in self._popped:
            if self._rest.free[self._task(key)]:
                heappush(self._ready, key)
        self._popped.clear()

    def grow(
        self, room: int, most_cut: float = inf, weights: Sequence[int] | None = None
    ) -> list[int] | None:
        """Return a self-contained set of at most size *room*, the best task added first.

        At most *room* tasks that are too large are skipped. Without sizes, the set is smaller than
        *room* only if no larger set is self-contained. Returns None as soon as the set is sure to
        cut more arcs than *most_cut*. The weight of an arc is the weight of its parent in
        *weights*. O(set x degree x log).
        """
        self._members, self._inside, self._offers, self.looked = [], {}, [], 0
        patience, cut, is_too_dear = room, 0, False
        while room > 0 and patience > 0 and (task := self._best()) is not None:
            size = 1 if self._sizes is None else self._sizes[task]
            if size > room:
                patience -= 1
                continue
            room -= size
            degree = self._rest.out_degree(task)
            if degree > room:  # at most *room* of its children can still join
                cut += (degree - room) * (1 if weights is None else weights[task])
                if is_too_dear := cut > most_cut:
                    break
            self.looked += degree
            self._extend(task, room)
        for task in self._members:
            self._rest.free[task] = 1
        return None if is_too_dear else self._members

    def _extend(self, task: int, room: int) -> None:  # noqa: ARG002  see below
        """Add *task*, and offer the tasks that then wait only for members."""
        for child in self._join(task):
            heappush(self._offers, self._key(child))

    def _join(self, task: int) -> list[int]:
        """Add *task*; return the tasks that now wait only for members.

        Members count as handed out until the set is complete, so that no task is taken twice.
        """
        self._members.append(task)
        self._rest.free[task] = 0
        inside, missing, enabled = self._inside, self._rest.missing, []
        for child in self._rest.children(task):
            count = inside[child] = inside.get(child, 0) + 1
            if count == missing[child]:
                enabled.append(child)
        return enabled

    def _best(self) -> int | None:
        """Remove and return the best free task among the offered and the ready tasks."""
        ready, offers, free = self._ready, self._offers, self._rest.free
        while ready or offers:
            if offers and (not ready or offers[0] < ready[0]):
                key = heappop(offers)
            else:
                key = heappop(ready)
                self._popped.append(key)
            if free[task := self._task(key)]:
                return task
        return None


class Neighbourhood(Frontier):
    """Grows a set around a first task: first tasks that close arcs, then tasks that share children.

    If tasks have several parents, as in a mesh, the sets are compact.
    """

    def __init__(self, rest: Rest, order: Sequence[int], parents: Rows) -> None:
        super().__init__(rest, order)
        self._offsets: list[int] = parents.offsets.tolist()
        self._targets: list[int] = parents.targets.tolist()

    def _extend(self, task: int, room: int) -> None:
        for child in self._join(task):
            closing = self._rest.out_degree(child) <= self._rest.missing[child]
            self._offer(child, urgent=closing)
        for child in self._rest.children(task):
            # A child cannot join if it needs more tasks than there is room for. One check is
            # enough.
            if self._inside[child] == 1 < self._rest.missing[child] <= room:
                parents = self._targets[self._offsets[child] : self._offsets[child + 1]]
                self.looked += len(parents)
                for other in parents:
                    if not self._rest.missing[other] and self._rest.free[other]:
                        self._offer(other, urgent=False)

    def _offer(self, task: int, *, urgent: bool) -> None:
        """Offer *task* before all ready tasks: urgent tasks first, then the earliest offered."""
        tasks = len(self._order)
        turn = len(self._members) - (2 if urgent else 1) * tasks
        heappush(self._offers, (turn - 1) * tasks + self._rank[task])
