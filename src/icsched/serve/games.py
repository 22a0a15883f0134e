"""The pebble games of the papers, played by their rules.

A task without a pebble waits for its parents. Once all its parents are executed, a task is
eligible. A task that a client holds is allocated. In the end every task is executed.

The idealised game executes one eligible task at a time. The batched game executes several at once
(Malewicz and Rosenberg 2006, "On Batch-Scheduling Dags for Internet-Based Computing"). The game
with clients separates handing out from executing (rules 1 to 4 of Rosenberg and Yurkewych 2005,
"Guidelines for Scheduling Some Common Computation-Dags for Internet-Based Computing").

The games are for teaching and for checking by hand. `icsched.Sorter` is the fast server for real
work.
"""

import heapq
from collections.abc import Collection, Hashable
from dataclasses import dataclass
from enum import Enum

from icsched.arrays import TaskId, ranks_of, task_ids
from icsched.dag import Dag
from icsched.errors import GameError
from icsched.pebble import Order, check_order
from icsched.ready import Readiness


class Pebble(Enum):
    """The pebble on a task."""

    NONE = "none"
    ELIGIBLE = "eligible"  # EBU in the paper: eligible, not allocated
    ALLOCATED = "allocated"  # EAA: eligible, given to a client
    EXECUTED = "executed"  # XEQ


class _Board:
    """The pebbles on a dag's tasks; the sources start eligible (rule 1)."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self._readiness = Readiness(dag)
        self._executed: list[int] = []

    @property
    def eligible(self) -> tuple[int, ...]:
        """Eligible tasks that no client holds, ids ascending."""
        return task_ids(self._readiness.ready())

    @property
    def executed(self) -> tuple[int, ...]:
        """Executed tasks, in the order of their execution."""
        return task_ids(self._executed)

    @property
    def is_over(self) -> bool:
        """Whether every task has been executed (rule 4)."""
        return not self._readiness.left

    def pebble(self, task: int) -> Pebble:
        """Return the pebble on *task*; raises GameError for an unknown id."""
        count = len(self.dag)
        if not 0 <= task < count:
            known = f"expected 0 to {count - 1}" if count else "the dag has no tasks"
            raise GameError(f"unknown task id {task}: {known}")
        if self._readiness.finished[task]:
            return Pebble.EXECUTED
        if self._readiness.is_out(task):
            return Pebble.ALLOCATED
        return Pebble.ELIGIBLE if self._readiness.is_ready(task) else Pebble.NONE

    def _require_eligible(self, task: int) -> None:
        found = self.pebble(task)
        if found is not Pebble.ELIGIBLE:
            state = "waiting for its parents" if found is Pebble.NONE else found.value
            raise GameError(f"task {self.dag.names[task]!r}: expected eligible, it is {state}")

    def _execute(self, *tasks: int) -> list[int]:
        self._executed += tasks
        return self._readiness.finish(tasks)


class IdealGame(_Board):
    """The idealised game: each step executes one eligible task.

    >>> game = IdealGame(Dag({"a": [], "b": ["a"], "c": ["a"]}))
    >>> game.execute(0)
    (1, 2)
    >>> game.eligible
    (1, 2)
    """

    def execute(self, task: int) -> tuple[int, ...]:
        """Execute *task* and return the tasks that this makes eligible.

        Raises GameError if *task* is not eligible.
        """
        self._require_eligible(task)
        return task_ids(self._execute(task))


class BatchedGame(_Board):
    """The batched game: each step executes a set chosen together.

    >>> game = BatchedGame(Dag({"a": [], "b": [], "c": ["a", "b"]}))
    >>> game.step([0, 1], requests=5)
    (2,)
    """

    def step(self, chosen: Collection[int], *, requests: int) -> tuple[int, ...]:
        """Answer *requests* clients with the *chosen* tasks; return the newly eligible tasks.

        The rules require exactly min(eligible, requests) tasks, all eligible before the step: a
        task that the step itself enables cannot be in it. Raises GameError otherwise, and changes
        nothing.
        """
        if requests < 0:
            raise GameError(f"requests: expected 0 or more, got {requests}")
        due = min(self._readiness.ready_count, requests)
        if len(chosen) != due or len(set(chosen)) != due:
            raise GameError(f"chosen: expected {due} different tasks, got {list(chosen)}")
        for task in chosen:
            self._require_eligible(task)
        return task_ids(sorted(self._execute(*chosen)))


class Reply(Enum):
    """The kind of answer to a client that asks for a task."""

    TASK = "task"
    REFUSED = "refused"  # the client still holds a task
    WITHDRAW = "withdraw"  # no task is eligible


@dataclass(frozen=True)
class Answer:
    """The server's reply; `task` is the id given out, None unless the reply is TASK."""

    reply: Reply
    task: int | None = None


class ClientGame(_Board):
    """The game with clients, rules 1 to 4.

    The server gives out the eligible task that comes first in *order*, by default in
    ``dag.fifo_order``.

    >>> game = ClientGame(Dag({"a": [], "b": ["a"]}))
    >>> game.request("ann").task, game.request("ann").reply.value, game.request("bob").reply.value
    (0, 'refused', 'withdraw')
    >>> game.complete("ann")
    (1,)
    """

    def __init__(self, dag: Dag, order: Order | None = None) -> None:
        super().__init__(dag)
        ids = check_order(dag, dag.fifo_order if order is None else order)
        self._order: list[int] = ids.tolist()
        self._rank: list[int] = ranks_of(ids).tolist()
        self._waiting = [self._rank[task] for task in self.eligible]
        heapq.heapify(self._waiting)
        self._held: dict[Hashable, int] = {}

    def request(self, client: Hashable) -> Answer:
        """Answer a client that asks for a task (rule 2)."""
        if client in self._held:
            return Answer(Reply.REFUSED)
        if not self._waiting:
            return Answer(Reply.WITHDRAW)
        task = self._order[heapq.heappop(self._waiting)]
        self._readiness.take((task,))
        self._held[client] = task
        return Answer(Reply.TASK, TaskId(task))

    def complete(self, client: Hashable) -> tuple[int, ...]:
        """Take back the result of the client's task; return the newly eligible tasks (rule 3).

        Raises GameError if the client holds no task.
        """
        if client not in self._held:
            raise GameError(f"client {client!r} holds no task")
        fresh = self._execute(self._held.pop(client))
        for task in fresh:
            heapq.heappush(self._waiting, self._rank[task])
        return task_ids(fresh)
