"""The protocol of all servers that hand out tasks, and their counts.

A task waits for its parents, and is ready once all parents are done. It is out once it was handed
to a worker, and done once its result is known. If a worker is lost, its tasks can be handed out
again.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from icsched import checks
from icsched.arrays import Ids, Mask, TaskId, ids_where
from icsched.dag import Dag
from icsched.errors import GameError, UnknownTaskError
from icsched.graph_inputs import T

_PLAIN = (int, TaskId)  # types of ids that need no further check


class Server(Protocol[T]):
    """Hands out the tasks of a dag to workers, best first.

    *T* is the type of a task: an id (int) in most servers, the user's name in `icsched.Sorter`.

    Servers by id raise UnknownTaskError for an id that the dag does not have, and ArgumentError
    for what is no id. `icsched.Sorter` raises what `graphlib.TopologicalSorter` raises: a
    ValueError for a task that is not in the graph, was not handed out, or is done already.
    """

    def take(self, count: int, /) -> Sequence[T]:
        """Hand out at most *count* tasks, and return them.

        The sequence is empty if no task is ready now, or if *count* is 0.
        """

    def done(self, *tasks: T) -> None:
        """Record that tasks are done, which may make other tasks ready.

        The first result of a task counts, even if the task was lost and handed out again, or was
        never handed out. A task that is done stays done. Raises GameError for a task that waits
        for a parent; the tasks named before that task are done.
        """

    def lost(self, *tasks: T) -> None:
        """Take back tasks that are out, so that they can be handed out again.

        A task that is not out, whether it waits, is ready or is done, stays as it is.
        """

    def is_active(self) -> bool:
        """Whether some tasks are not done yet."""


class Readiness:
    """The ready, out and done tasks of a dag, in plain lists. A step costs O(children).

    Loops that touch one task at a time may read `missing`, `free` and `finished`:

    - `missing` counts the parents of each task that are not done.
    - `free` is 1 for tasks that are neither out nor done.
    - `finished` is 1 for tasks that are done.

    `ready_count` counts the free tasks that wait for nothing, `left` the tasks that are not done.

    >>> readiness = Readiness(Dag({"a": [], "b": [], "c": ["a"], "d": ["a", "b"]}))
    >>> readiness.ready(), readiness.finish([0]), readiness.finish([1])
    ([0, 1], [2], [3])
    >>> readiness.take([2])
    >>> readiness.ready(), readiness.left
    ([3], 2)
    """

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self._offsets: list[int] = dag.child_rows.offsets.tolist()
        self._targets: list[int] = dag.child_rows.targets.tolist()
        self.missing: list[int] = dag.in_degrees.tolist()
        self.free = bytearray(b"\x01") * len(dag)
        self.finished = bytearray(len(dag))
        self.ready_count = len(dag.sources)
        self.left = len(dag)

    def children(self, task: int) -> list[int]:
        """Children of *task*, ids ascending."""
        return self._targets[self._offsets[task] : self._offsets[task + 1]]

    def ready(self) -> list[int]:
        """Free tasks that wait for nothing, ids ascending. O(tasks)."""
        return [task for task, free in enumerate(self.free) if free and not self.missing[task]]

    def is_ready(self, task: int) -> bool:
        """Whether *task* is free and waits for nothing."""
        return bool(self.free[task]) and not self.missing[task]

    def is_out(self, task: int) -> bool:
        """Whether *task* was handed out and has no result."""
        return not self.free[task] and not self.finished[task]

    def take(self, tasks: Iterable[int]) -> None:
        """Hand out *tasks*, which must be free."""
        free, missing, ready = self.free, self.missing, 0
        for task in tasks:
            free[task] = 0
            if not missing[task]:
                ready += 1
        self.ready_count -= ready

    def give_back(self, tasks: Iterable[int]) -> list[int]:
        """Make *tasks*, which must be out, free again; return the tasks that are now ready."""
        ready = []
        for task in tasks:
            self.free[task] = 1
            if not self.missing[task]:
                ready.append(task)
        self.ready_count += len(ready)
        return ready

    def finish(self, tasks: Iterable[int]) -> list[int]:
        """Mark *tasks* as done, whether they are out or not; return the tasks that become ready.

        A workflow may say that a task is done before its parents. Requires that none of *tasks* is
        done yet; `is_news` says so.
        """
        ready = []
        missing, free, finished = self.missing, self.free, self.finished
        targets, offsets = self._targets, self._offsets
        for task in tasks:
            if free[task]:
                free[task] = 0
                self.ready_count -= not missing[task]
            finished[task] = 1
            self.left -= 1
            for child in targets[offsets[task] : offsets[task + 1]]:
                missing[child] -= 1
                if not missing[child] and free[child]:
                    ready.append(child)
                    self.ready_count += 1
        return ready

    def known(self, task: int) -> int:
        """Return *task* as an int.

        Raises UnknownTaskError if the dag has no task of that id, ArgumentError for a *task* that
        is not an integer.
        """
        number = task if type(task) in _PLAIN else checks.whole_number("task id", task)
        if not 0 <= number < len(self.missing):
            raise UnknownTaskError(task)
        return number

    def is_news(self, task: int) -> bool:
        """Whether *task* has no result yet, so that a result now is its first.

        Raises GameError if a parent is not done, and the errors of `known`.
        """
        number = self.known(task)
        if self.missing[number]:
            parents = self.dag.parent_rows[number].tolist()
            parent = next(p for p in parents if not self.finished[p])
            name, waits_for = self.dag.names[number], self.dag.names[parent]
            raise GameError(f"task {name!r} is not eligible: its parent {waits_for!r} is not done")
        return not self.finished[number]


def missing_parents(dag: Dag, done: Mask) -> Ids:
    """Count the parents of each task that are not in *done*, for array code. O(tasks + arcs).

    >>> missing_parents(Dag({"a": [], "b": [], "c": ["a", "b"]}), np.array([True, False, False]))
    array([0, 0, 1], dtype=int32)
    """
    if not done.any():
        return dag.in_degrees
    freed = dag.child_rows.take(ids_where(done))
    counts: Ids = dag.in_degrees - np.bincount(freed, minlength=len(dag)).astype(np.int32)
    return counts
