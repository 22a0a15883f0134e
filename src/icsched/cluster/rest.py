"""What is left of a dag while clusters are out, and sets that can be taken from it."""

from collections.abc import Callable, Iterable, Sequence
from heapq import heapify, heappop, heappush

from icsched.dag import Dag


class Rest:
    """The tasks not handed out yet, and how many parents each still waits for.

    A task is *free* until it is handed out. `missing` counts parents that are not done,
    handed out or not. Plain lists: the loops below touch one task at a time.
    """

    def __init__(self, dag: Dag) -> None:
        rows = dag.child_rows
        self._offsets: list[int] = rows.offsets.tolist()
        self._targets: list[int] = rows.targets.tolist()
        self.missing: list[int] = dag.in_degrees.tolist()
        self.free = bytearray(b"\x01") * len(dag)

    def children(self, task: int) -> list[int]:
        """Children of *task*, ids ascending."""
        return self._targets[self._offsets[task] : self._offsets[task + 1]]

    def out_degree(self, task: int) -> int:
        """Return the number of children of *task*."""
        return self._offsets[task + 1] - self._offsets[task]

    def take(self, tasks: Iterable[int]) -> None:
        """Hand *tasks* out."""
        for task in tasks:
            self.free[task] = 0

    def give_back(self, tasks: Iterable[int]) -> list[int]:
        """Make *tasks* free again; return those that wait for nothing."""
        returned = list(tasks)
        for task in returned:
            self.free[task] = 1
        return [task for task in returned if not self.missing[task]]

    def finish(self, tasks: Iterable[int]) -> list[int]:
        """Count *tasks* as done; return the free tasks that now wait for nothing."""
        ready = []
        for task in tasks:
            for child in self.children(task):
                self.missing[child] -= 1
                if not self.missing[child] and self.free[child]:
                    ready.append(child)
        return ready

    def parents_inside(self, tasks: Sequence[int]) -> dict[int, int]:
        """For each task that has parents among *tasks*, how many."""
        inside: dict[int, int] = {}
        for task in tasks:
            for child in self.children(task):
                inside[child] = inside.get(child, 0) + 1
        return inside

    def is_self_contained(self, tasks: Sequence[int]) -> bool:
        """Whether *tasks* are free and their parents all done or among them."""
        inside = self.parents_inside(tasks)
        return len(set(tasks)) == len(tasks) and all(
            self.free[task] and inside.get(task, 0) == self.missing[task] for task in tasks
        )

    def cut_arcs(self, tasks: Sequence[int]) -> int:
        """Count the arcs from *tasks*, a self-contained set, to all others.

        A member's parents that are not done are members, so `missing` counts inner arcs.
        """
        return sum(self.out_degree(task) - self.missing[task] for task in tasks)


class Frontier:
    """The tasks that wait for nothing, best first by one ranking, and sets grown from them.

    A task's key is its place in *order*, after its *score* where one is given: the score is
    asked for when all parents are done or in the set, and must not change while they are.
    *sizes* are the sizes of tasks where they are not 1.
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
        self._rank = [0] * len(order)
        for place, task in enumerate(order):
            self._rank[task] = place
        self._score = score
        self._sizes = sizes
        self._ready = [self._key(task) for task in order if not rest.missing[task]]
        heapify(self._ready)
        self._popped: list[int] = []

    def _key(self, task: int) -> int:
        rank = self._rank[task]
        return rank if self._score is None else self._score(task) * len(self._order) + rank

    def _task(self, key: int) -> int:
        return self._order[key % len(self._order)]

    def add(self, tasks: Iterable[int]) -> None:
        """Take note of free tasks that wait for nothing."""
        for task in tasks:
            heappush(self._ready, self._key(task))

    def settle(self) -> None:
        """Put back what the last growth looked at and nobody took."""
        for key in self._popped:
            if self._rest.free[self._task(key)]:
                heappush(self._ready, key)
        self._popped.clear()

    def grow(self, room: int) -> list[int]:
        """Return a self-contained set of size *room* at most, the best task added first.

        A task that is too large is passed over. Without sizes the set is smaller than
        *room* only if no larger one is self-contained. O(set x degree x log).
        """
        members: list[int] = []
        inside: dict[int, int] = {}
        fresh: list[int] = []  # tasks that only wait for members
        free, missing = self._rest.free, self._rest.missing
        while room > 0 and (key := self._best(fresh)) is not None:
            task = self._task(key)
            if self._sizes is not None and self._sizes[task] > room:
                continue
            room -= 1 if self._sizes is None else self._sizes[task]
            members.append(task)
            free[task] = 0  # so that a second entry of it is passed over
            for child in self._rest.children(task):
                count = inside[child] = inside.get(child, 0) + 1
                if count == missing[child]:
                    heappush(fresh, self._key(child))
        for task in members:
            free[task] = 1
        return members

    def _best(self, fresh: list[int]) -> int | None:
        """Pop the least key of *fresh* and of the ready tasks that are free."""
        ready = self._ready
        while ready and not self._rest.free[self._task(ready[0])]:
            heappop(ready)
        if fresh and (not ready or fresh[0] < ready[0]):
            return heappop(fresh)
        if not ready:
            return None
        self._popped.append(heappop(ready))
        return self._popped[-1]
