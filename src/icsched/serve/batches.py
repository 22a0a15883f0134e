"""The batched game live: tasks become eligible, are taken in batches, and get done."""

import numpy as np

from icsched import _native
from icsched._native import TaskState
from icsched.arrays import Ids, ranks_of
from icsched.dag import Dag
from icsched.errors import GameError, UnknownTaskError
from icsched.orders import prioritize
from icsched.pebble import Order, check_order
from icsched.theory.batches.choose import (
    EXACT,
    Choice,
    Method,
    auto,
    check_count,
    check_method,
    choose,
    greedy,
)

# Steps of the exact kernel that a take affords: ten milliseconds.
TAKE_WORK = 2_000_000
_TIME_LIMIT_S = 10.0


class BatchServer:
    """Hands out the batch that leaves most tasks eligible, as tasks come and go.

    Told what is `eligible` and what is `done`, asked what to `take`: an allocator for
    `icsched.sim`. Tasks taken and not done count as running in the sense of `best_batch`. Of tasks
    that enable nothing, those first in *order* are taken, by default that of `prioritize`.

    *method* is as for `best_batch`, except that "auto" never calls the integer program: it is
    exact for trees and small pieces while that takes milliseconds, and greedy otherwise.
    A take costs O(tasks) plus the arcs around the eligible tasks.

    >>> dag = Dag({"a": [], "b": [], "c": [], "d": ["a", "b"], "e": ["c"], "f": ["c"]})
    >>> server = BatchServer(dag)
    >>> for task in dag.sources.tolist():
    ...     server.eligible(task)
    >>> server.take(1), server.take(2), server.take(5)
    ([2], [0, 1], [])
    """

    def __init__(self, dag: Dag, *, order: Order | None = None, method: Method = "auto") -> None:
        check_method(method)
        best = prioritize(dag).order if order is None else check_order(dag, order)
        self._dag = dag
        self._method = method
        self._order = best
        self._rank = ranks_of(best)
        self._states = np.full(len(dag), TaskState.WAITING, np.uint8)
        self._offered = np.zeros(len(dag), bool)  # by rank
        self._missing_parents = dag.in_degrees.tolist()
        self._done = bytearray(len(dag))

    def eligible(self, task: int) -> None:
        """Take note that *task* may be taken, for the first time or again.

        Raises GameError if a parent of it is not done, or it is done itself.
        """
        self._check(task)
        if self._done[task]:
            raise GameError(f"task {self._dag.names[task]!r} is done and cannot be eligible again")
        self._states[task] = TaskState.OFFERED
        self._offered[self._rank[task]] = True

    def done(self, task: int) -> None:
        """Take note that *task* has its result; a task done before stays done.

        Raises GameError if a parent of it is not done.
        """
        self._check(task)
        if self._done[task]:
            return
        self._done[task] = True
        self._states[task] = TaskState.EXECUTED
        self._offered[self._rank[task]] = False
        for child in self._dag.child_rows[task].tolist():
            self._missing_parents[child] -= 1

    def take(self, count: int) -> list[int]:
        """Return the best *count* eligible tasks, or all if there are fewer.

        Raises GameError if the method does not apply to what is eligible, or for a *count* that
        is below 0.
        """
        check_count(count, least=0)
        sources = self._order[self._offered]
        if count < len(sources):
            sources = sources[self._choice(sources, count).sources]
        self._states[sources] = TaskState.EXECUTED
        self._offered[self._rank[sources]] = False
        tasks: list[int] = sources.tolist()
        return tasks

    def _choice(self, sources: Ids, count: int) -> Choice:
        dag = self._dag
        front = _native.batch_front(dag.child_rows, dag.parent_rows, self._states, sources)
        if self._method == "auto":
            quick = greedy(front, count)
            if quick.guarantee == EXACT:
                return quick
            return auto(front, count, most_work=TAKE_WORK, time_limit_s=0.0)

        def name_of(source: int) -> str:
            return repr(dag.names[sources[source]])

        return choose(front, count, self._method, time_limit_s=_TIME_LIMIT_S, name_of=name_of)

    def _check(self, task: int) -> None:
        if not 0 <= task < len(self._dag):
            raise UnknownTaskError(task)
        if self._missing_parents[task]:
            parents = self._dag.parent_rows[task].tolist()
            parent = next(p for p in parents if not self._done[p])
            name = self._dag.names[parent]
            raise GameError(
                f"task {self._dag.names[task]!r} is not eligible: its parent {name!r} is not done"
            )
