"""Who gets what: tasks one by one, batches, or clusters in a row, all by the serve protocol."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.execution.rules import Rules
from icsched.orders import Plan
from icsched.ready import Readiness, Server
from icsched.serve import BatchServer, ClusterServer, Sorter


@dataclass
class Handing:
    """Hands out the tasks of a dag by id, to workers who each run one task at a time.

    The tasks of a cluster go to one worker in a row: the next starts when the one before is done.
    """

    server: Server[int]
    readiness: Readiness  # counts the eligible tasks
    cluster_size: int | None = None
    _next: list[int] = field(default_factory=list)
    _rest: dict[int, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, dag: Dag, plan: Plan, rules: Rules) -> "Handing":
        """Return what hands out *dag* in the order of *plan*."""
        return cls(_server(dag, plan.order, rules), Readiness(dag), rules.cluster_size)

    @property
    def eligible(self) -> int:
        """How many tasks could be handed out now."""
        return self.readiness.ready_count

    @property
    def left(self) -> int:
        """How many tasks are not done."""
        return self.readiness.left

    def take(self, count: int) -> list[int]:
        """Return at most *count* tasks for as many workers; none if there is nothing now."""
        found, self._next = self._next[:count], self._next[count:]
        if self.cluster_size is None:
            found += self.server.take(count - len(found))
        else:
            found += self._first_of_clusters(count - len(found))
        self.readiness.take(task for task in found if self.readiness.free[task])
        return found

    def _first_of_clusters(self, count: int) -> list[int]:
        found: list[int] = []
        while len(found) < count and self.cluster_size is not None:
            cluster = list(self.server.take(self.cluster_size))
            if not cluster:
                break
            found.append(cluster[0])
            self._rest[cluster[0]] = cluster[1:]
        return found

    def done(self, task: int) -> None:
        """Record that a task is done; the next of its cluster is up."""
        self.server.done(task)
        self.readiness.finish((task,))
        rest = self._rest.pop(task, [])
        if rest:
            self._next.append(rest[0])
            self._rest[rest[0]] = rest[1:]

    def lost(self, task: int) -> None:
        """Offer a task again, and the rest of its cluster with it."""
        self.server.lost(task, *self._rest.pop(task, []))
        self.readiness.give_back((task,))

    def failed(self, task: int) -> None:
        """Give up on a task; the rest of its cluster is offered again, as far as it can run."""
        rest = self._rest.pop(task, [])
        if rest:
            self.server.lost(*rest)


def _server(dag: Dag, order: Ids | Sequence[int], rules: Rules) -> Server[int]:
    if rules.batches:
        return BatchServer(dag, order=order)
    if rules.cluster_size is not None and len(dag):
        return ClusterServer(dag, clusterer=rules.clusterer, order=order)
    numbered: Sorter[int] = Sorter(Dag.from_arcs(len(dag), dag.arcs), order=order)
    numbered.prepare()
    return numbered
