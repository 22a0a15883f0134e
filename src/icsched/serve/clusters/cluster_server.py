"""One cluster, a server of clusters for workers, and a plan of clusters without timing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, groupby
from typing import Generic, overload

import numpy as np

from icsched import checks
from icsched.arrays import ranks_of, task_ids
from icsched.dag import Dag, Graph, PerTask
from icsched.errors import ArgumentError, ClusterError, LimitError
from icsched.frames import Answer, Listed, brief, names_of
from icsched.graph_inputs import T, T_co
from icsched.orders import Plan
from icsched.pebble import Order, optimal_profile
from icsched.pebble.residual import Residual
from icsched.serve.clusters.clusterers import (
    DIRECT,
    DONOR,
    LEAN,
    STAGGERED,
    Clusterer,
    Ground,
    NamedClusterer,
)
from icsched.tables import Table

# `productive` is computed only for dags of at most this many tasks, and within this effort.
EXACT_TASKS = 100
EXACT_SETS = 200_000


@dataclass(frozen=True)
class Cluster(Answer, Sequence[int], Generic[T_co]):
    """Tasks that one worker can run without waiting for another worker.

    `tasks` are in execution order: every parent of a task is done already, or comes earlier in
    `tasks`. `names` has the names of the tasks. `cut_arcs` counts the arcs to tasks outside, along
    which results must be sent. `cut_bytes` is the size of these results, if sizes are known.
    `productive` says that no other set of this size enables more tasks, if all earlier clusters
    count as done; None if unknown. `clusterer` is the name of the clusterer.

    >>> cluster = Cluster((4, 2), 3, True, "direct")
    >>> len(cluster), cluster[0], list(cluster), 2 in cluster, bool(Cluster((), 0, None, "direct"))
    (2, 4, [4, 2], True, False)
    """

    tasks: tuple[int, ...]
    cut_arcs: int
    productive: bool | None
    clusterer: str
    cut_bytes: int | None = None
    names: tuple[T_co, ...] = names_of("tasks")

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", task_ids(self.tasks))

    @property
    def size(self) -> int:
        """Number of tasks."""
        return len(self.tasks)

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[int]:
        return iter(self.tasks)

    @overload
    def __getitem__(self, place: int) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[int, ...]: ...
    def __getitem__(self, place: int | slice) -> int | tuple[int, ...]:
        """Return the task at *place*, or the tasks of a slice."""
        return self.tasks[place]

    def __repr__(self) -> str:
        found = f"productive={self.productive}, clusterer={self.clusterer!r}"
        cut = f"cut_arcs={self.cut_arcs}, {found}, cut_bytes={self.cut_bytes}"
        return f"Cluster(tasks={Listed(self.tasks)}, {cut})"


def set_apart(
    dag: Dag[T], clusters: Sequence[Cluster[T]], alone: Collection[int]
) -> list[Cluster[T]]:
    """Return a whole plan of *dag* with each of the tasks *alone* in its own cluster.

    Such a task splits its cluster into the tasks before it and the tasks after it. The order of all
    tasks does not change.

    >>> dag = Dag({"a": [], "b": ["a"], "c": ["b"]})
    >>> [part.tasks for part in set_apart(dag, [Cluster((0, 1, 2), 0, True, "direct")], [1])]
    [(0,), (1,), (2,)]
    """
    apart = frozenset(alone)
    before: list[int] = []
    plan = []
    for taken in clusters:
        groups = groupby(taken.tasks, lambda task: task if task in apart else None)
        parts = [tuple(group) for _, group in groups]
        for part in parts:
            plan.append(taken if len(parts) == 1 else _part(dag, before, part, taken.clusterer))
            before.extend(part)
    return plan


def _part(dag: Dag[T], before: Sequence[int], tasks: tuple[int, ...], clusterer: str) -> Cluster[T]:
    inside = set(tasks)
    cut = sum(child not in inside for task in tasks for child in dag.child_rows[task].tolist())
    names = tuple(dag.names[task] for task in tasks)
    return Cluster(tasks, cut, is_productive(dag, before, tasks), clusterer, names=names)


def is_productive(dag: Dag, before: Sequence[int], tasks: Sequence[int]) -> bool | None:
    """Whether no set of the size of *tasks* enables more tasks once *before* has run.

    None if the exact computation would be too large.

    >>> pair_and_fork = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    >>> is_productive(pair_and_fork, [], [0]), is_productive(pair_and_fork, [], [2])
    (False, True)
    """
    if len(dag) > EXACT_TASKS:
        return None
    try:
        best = optimal_profile(dag.residual(np.array(before, np.int32)), limit=EXACT_SETS)
    except LimitError:
        return None
    left = np.ones(len(dag), bool)
    left[[*before, *tasks]] = False
    waiting = np.unique(dag.arcs[left[dag.arcs[:, 0]], 1])
    return int(left.sum()) - len(waiting) == int(best[len(tasks)])


_MOST_NAMED = 8  # tasks to show in a message
_INSTEAD = "use auto, direct or lean"  # these take any dag


def _auto(ground: Ground) -> Clusterer:
    """Make the first clusterer that applies: an IC-optimal residual is kept if that costs nothing.

    Direct clusters keep an IC-optimal residual if the order is IC-optimal.
    """
    for entry in (DONOR, STAGGERED):
        if entry.objection(ground) is None:
            return entry.make(ground)
    return (DIRECT if ground.proved else LEAN).make(ground)


AUTO = NamedClusterer("auto", "the first that applies of donor, staggered, direct and lean", _auto)

# A new clusterer is listed here, or it is an entry point of another package.
CLUSTERERS: Table[NamedClusterer] = Table(
    "clusterer", "icsched.clusterers", NamedClusterer, [AUTO, DIRECT, STAGGERED, DONOR, LEAN]
)


class ClusterServer(Generic[T]):
    """Hands out clusters of a dag to workers of different power.

    Tasks are ids of *graph*, as for every `Server`; those of a workflow that are done are never
    handed out. All parents of a task in a cluster are done or in the
    cluster, so no worker ever waits for another. Arguments are as for `best_cluster`. `clusterer`
    is the name of the clusterer in use. The dag is analysed once; the cost of a take grows with the
    size of its cluster. To share the analysis of a dag between servers, give each of them the
    `Plan` of `prioritize` as *order*.

    >>> from icsched import Dag
    >>> server = ClusterServer(Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}))
    >>> first = server.take(2)
    >>> list(first), list(server.take(1))
    ([0, 1], [])
    >>> server.done(*first)
    >>> list(server.take(8))
    [2, 3]
    """

    def __init__(
        self,
        graph: Graph[T],
        *,
        clusterer: str = "auto",
        order: Order | Plan | None = None,
        sizes: PerTask | None = None,
    ) -> None:
        self._residual = left = Residual.of(graph)
        dag = left.dag
        if not len(dag):
            raise ClusterError("expected a dag with tasks, got an empty one")
        entry = CLUSTERERS.find(clusterer)
        ground = Ground.of(left, order, sizes)
        if (objection := CLUSTERERS.result(clusterer, entry.objection, ground)) is not None:
            raise ClusterError(f"clusterer {clusterer}: {objection}; {_INSTEAD}")
        self._dag, self._rest = dag, ground.rest
        self._sizes, self._proved = ground.sizes, ground.proved
        self._place: list[int] = ranks_of(np.array(ground.order, np.int32)).tolist()
        self._handed, self._last_place = 0, -1
        self._clusterer = CLUSTERERS.result(clusterer, entry.make, ground, kind=Clusterer)

    def __repr__(self) -> str:
        left = self._rest.left
        return brief(self, tasks=len(self._dag), left=left, clusterer=self.clusterer)

    @property
    def clusterer(self) -> str:
        """Name of the clusterer in use."""
        return self._clusterer.name

    @property
    def left(self) -> int:
        """Number of tasks not handed out."""
        return len(self._dag) - self._handed

    def is_active(self) -> bool:
        """Whether some task is not done."""
        return self._rest.left > 0

    def take(self, capacity: int) -> Cluster[T]:
        """Return a cluster of *capacity* tasks, or fewer if no larger set is self-contained.

        The cluster is empty if all tasks are handed out, or wait for clusters that are handed out.
        Raises ArgumentError for a capacity below 0, and ClusterError if a clusterer of another
        package makes an illegal choice.
        """
        size = min(checks.whole_number("capacity", capacity, least=0), len(self._dag))
        if not size:
            return self._described([])
        tasks = self._clusterer.choose(size)
        tasks.sort(key=self._place.__getitem__)  # a part of a legal order is a legal order
        if len(tasks) > size or not self._rest.is_self_contained(tasks):
            raise self._broken_rule(tasks, size)
        cluster = self._described(tasks)
        self._rest.take(tasks)
        self._note_handed_out(tasks)
        self._clusterer.settle()
        return cluster

    def _broken_rule(self, tasks: list[int], size: int) -> ClusterError:
        """Return the error for a choice that one worker could not run alone."""
        names = [self._dag.names[task] for task in tasks[:_MOST_NAMED]]
        dots = ", ..." if len(tasks) > _MOST_NAMED else ""
        chosen = f"{', '.join(map(repr, names))}{dots}"
        expected = f"at most {size} tasks that are free, and wait for no task outside of the set"
        return ClusterError(f"clusterer {self.clusterer}: expected {expected}, got {chosen}")

    def _described(self, tasks: list[int]) -> Cluster[T]:
        rest, sizes = self._rest, self._sizes
        cut_bytes = None if sizes is None else rest.cut_bytes(tasks, sizes)
        names = tuple(self._dag.names[task] for task in tasks)
        found = rest.cut_arcs(tasks), self._productive(tasks), self.clusterer
        return Cluster(self._residual.task_ids(tasks), *found, cut_bytes, names)

    def _productive(self, tasks: list[int]) -> bool | None:
        """Decide by Theorem 3.1 if the tasks handed out begin an IC-optimal order, else exactly."""
        if not tasks:
            return None
        last = max(self._last_place, self._place[tasks[-1]])
        if self._proved and last + 1 == self._handed + len(tasks):
            return True
        if len(self._dag) > EXACT_TASKS:
            return None
        before = [task for task, free in enumerate(self._rest.free) if not free]
        return is_productive(self._dag, before, tasks)

    def _note_handed_out(self, tasks: Sequence[int]) -> None:
        self._handed += len(tasks)
        # Not lowered when tasks are lost: then some productive clusters are missed, but none is
        # wrongly called productive.
        self._last_place = max([self._last_place, *(self._place[task] for task in tasks)])
        self._clusterer.took(tasks)

    def done(self, *tasks: int) -> None:
        """Record the results of *tasks*: ``done(*cluster)`` for a whole cluster, or a part of it.

        Other tasks of the cluster stay handed out. A task that was lost, or that was never handed
        out, may have a result too. A task that is done stays done. Raises GameError for a task with
        a parent that is neither done nor earlier in *tasks*, which are recorded up to that task.
        """
        rest = self._rest
        ready, finished = list[int](), list[int]()
        early = list[int]()  # finished without being handed out
        try:
            for task in self._residual.inner(tasks):
                if rest.is_news(task):
                    finished.append(task)
                    if rest.free[task]:
                        early.append(task)
                    ready += rest.finish((task,))
        finally:
            self._note_handed_out(early)
            self._clusterer.ready([task for task in ready if rest.free[task]])
            self._clusterer.finished(finished)

    def lost(self, *tasks: int) -> None:
        """Offer *tasks* again, unless they are done or were not handed out.

        Tasks of the same cluster that wait for one of *tasks* are offered again, too, because their
        worker would have to wait for another worker.
        """
        rest = self._rest
        stack = [rest.known(task) for task in self._residual.inner(tasks)]
        back: list[int] = []
        while stack:
            task = stack.pop()
            if rest.is_out(task):
                rest.free[task] = 1
                back.append(task)
                stack += rest.children(task)
        self._handed -= len(back)
        self._clusterer.ready(rest.give_back(back))
        self._clusterer.lost(back)


def best_cluster(
    graph: Graph[T],
    size: int,
    *,
    clusterer: str = "auto",
    order: Order | Plan | None = None,
    sizes: PerTask | None = None,
) -> Cluster[T]:
    """Return one cluster of *size* tasks of *graph*, which is as in `prioritize`.

    *clusterer* is a name of `CLUSTERERS`:

    - "direct": the first tasks of an order, either *order* or that of `prioritize`. If the order is
      IC-optimal, the cluster is productive and the residual has an IC-optimal order.
    - "staggered": whole blocks where that cuts fewer arcs, for linear compositions. The residual
      has an IC-optimal order.
    - "donor": the cheapest set, for dags whose residuals all have an IC-optimal order.
    - "lean": the cheapest set, for any dag. The residual may have no IC-optimal order.
    - "auto": the first that applies of "donor", "staggered" (unless *order* is given), "direct"
      if the order is known to be IC-optimal, and "lean". So the residual has an IC-optimal order
      whenever a theorem gives one, and costs nothing when no theorem does.

    *sizes*, bytes of each task's result as whole numbers, makes "donor" and "lean" count bytes
    instead of arcs. If *order* is the `Plan` of ``prioritize(dag)``, the plan is not computed
    again, and clusterers are chosen as if there were no *order*. Raises ArgumentError for an
    impossible size or an unknown clusterer. Raises ClusterError for a clusterer that cannot be used
    with this dag, or a plan of another dag. Raises ScheduleError for an order or sizes that do not
    fit *dag*.

    >>> from icsched import families
    >>> dag = families.cordasco2011_fig6()
    >>> [best_cluster(dag, 6, clusterer=name).cut_arcs for name in ("direct", "staggered")]
    [8, 6]
    """
    left = Residual.of(graph)
    server = ClusterServer(left, clusterer=clusterer, order=order, sizes=sizes)
    return server.take(checks.whole_number("size", size, least=1, most=len(left.dag)))


def plan_clusters(
    graph: Graph[T],
    capacities: Sequence[int],
    *,
    clusterer: str = "auto",
    order: Order | Plan | None = None,
    sizes: PerTask | None = None,
) -> list[Cluster[T]]:
    """Return all of *graph* as clusters, sized to *capacities* in turn, over and over.

    The plan has no timing: each cluster counts as done when it is handed out. Other arguments are
    as for `best_cluster`. Raises ArgumentError without capacities or for one below 1.

    >>> from icsched import Dag
    >>> dag = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})
    >>> [taken.tasks for taken in plan_clusters(dag, [1, 2])]
    [(0,), (1, 2), (3,)]
    """
    if not isinstance(capacities, Iterable):
        raise ArgumentError(f"capacities: expected a list of whole numbers, got {capacities!r}")
    checked = [checks.whole_number("capacity", capacity, least=1) for capacity in capacities]
    if not checked:
        raise ArgumentError("capacities: expected one or more, got none")
    server = ClusterServer(graph, clusterer=clusterer, order=order, sizes=sizes)
    capacity_of = cycle(checked)
    plan = []
    while server.is_active():
        taken = server.take(next(capacity_of))
        if not taken:
            raise ClusterError(f"clusterer {clusterer}: it chose no task though some are eligible")
        server.done(*taken)
        plan.append(taken)
    return plan
