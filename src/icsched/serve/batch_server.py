"""A server of batches, each of which leaves as many other tasks eligible as possible."""

from collections.abc import Iterable

import numpy as np

from icsched import _native, checks
from icsched._native import TaskState
from icsched.arrays import Ids, ranks_of
from icsched.dag import Graph
from icsched.frames import brief
from icsched.orders import prioritize
from icsched.pebble import Order, Schedule
from icsched.pebble.residual import Residual
from icsched.ready import Readiness
from icsched.theory.batch import (
    EXACT,
    Choice,
    Method,
    auto,
    check_method,
    choice_by,
    greedy,
)

# Steps of the exact kernel for one take: about ten milliseconds.
TAKE_WORK = 2_000_000
_TIME_LIMIT_S = 10.0


class BatchServer:
    """Hands out the batch that leaves most tasks eligible.

    Tasks are ids of *graph*, as for every `Server`; those of a workflow that are done are never
    handed out. Tasks that are handed out count as running, as in
    `best_batch`. Tasks that enable nothing are taken by their place in *order*, by default the
    order of `prioritize`.

    *method* is as for `best_batch`, except that "auto" never calls the integer program. "auto" is
    exact for trees and small pieces if that takes milliseconds, and greedy otherwise. A take costs
    O(tasks) plus the arcs around the eligible tasks.

    >>> from icsched import Dag
    >>> dag = Dag({"a": [], "b": [], "c": [], "d": ["a", "b"], "e": ["c"], "f": ["c"]})
    >>> server = BatchServer(dag)
    >>> server
    BatchServer(tasks=6, left=6)
    >>> server.take(1), server.take(2), server.take(5)
    ([2], [0, 1], [])
    >>> server.done(2)
    >>> server.take(5)
    [4, 5]
    """

    def __init__(
        self, graph: Graph, *, order: Order | None = None, method: Method = "auto"
    ) -> None:
        check_method(method)
        self._residual = left = Residual.of(graph)
        self._dag, self._method = dag, _ = left.dag, method
        own = prioritize(dag, "prio") if order is None else order
        self._order = Schedule.of(left, own).order
        self._rank = ranks_of(self._order)
        self._readiness = Readiness(dag)
        self._states = np.full(len(dag), TaskState.WAITING, np.uint8)
        self._offered = np.zeros(len(dag), bool)  # by rank
        self._offer(self._readiness.ready())

    def __repr__(self) -> str:
        return brief(self, tasks=len(self._dag), left=self._readiness.left)

    def take(self, count: int) -> list[int]:
        """Return the best *count* eligible tasks, or all if there are fewer.

        Raises ArgumentError for a *count* below 0, GameError if the method cannot be used with the
        eligible tasks.
        """
        wanted = checks.whole_number("count", count, least=0)
        sources = self._order[self._offered]
        if wanted < len(sources):
            sources = sources[self._choice(sources, wanted).sources]
        self._states[sources] = TaskState.EXECUTED
        self._offered[self._rank[sources]] = False
        tasks: list[int] = sources.tolist()
        self._readiness.take(tasks)
        return list(self._residual.task_ids(tasks))

    def done(self, *tasks: int) -> None:
        """Record the results of *tasks*; their children may then be taken.

        A task that was lost, or that was never taken, may have a result too. A task that is done
        stays done. Raises GameError for a task with a parent that is not done; earlier *tasks* are
        then recorded.
        """
        for task in self._residual.inner(tasks):
            if self._readiness.is_news(task):
                self._states[task] = TaskState.EXECUTED
                self._offered[self._rank[task]] = False
                self._offer(self._readiness.finish((task,)))

    def lost(self, *tasks: int) -> None:
        """Offer *tasks* again, unless they are done or were not taken.

        Raises UnknownTaskError for an unknown id, and then offers no task.
        """
        for task in [self._readiness.known(task) for task in self._residual.inner(tasks)]:
            if self._readiness.is_out(task):
                self._offer(self._readiness.give_back((task,)))

    def is_active(self) -> bool:
        """Whether some task is not done."""
        return self._readiness.left > 0

    def _offer(self, tasks: Iterable[int]) -> None:
        for task in tasks:
            self._states[task] = TaskState.OFFERED
            self._offered[self._rank[task]] = True

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

        return choice_by(front, count, self._method, time_limit_s=_TIME_LIMIT_S, name_of=name_of)
