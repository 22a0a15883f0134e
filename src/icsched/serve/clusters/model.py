"""What a cluster is, and what it leaves."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from icsched.dag import Dag
from icsched.errors import LimitError
from icsched.orders import Plan, prioritize
from icsched.pebble import optimal_profile

# Whether a cluster is productive is computed for dags of up to so many tasks, within this effort.
EXACT_TASKS = 100
EXACT_SETS = 200_000
_MOST_SHOWN = 8  # tasks of a cluster, where it is printed


@dataclass(frozen=True)
class Cluster:
    """Tasks for one worker, who can run them all without waiting for anybody.

    `tasks` come in execution order; every parent of a task was done before, or comes earlier
    in it. `cut_arcs` counts the arcs to tasks outside, which is what must be communicated;
    `cut_bytes` is the size of the results on these arcs, where sizes are known. `productive`
    says whether no other set of this size would enable more tasks, counting everything
    handed out before as done; None if that is not known. `strategy` names how it was found.
    """

    tasks: tuple[int, ...]
    cut_arcs: int
    productive: bool | None
    strategy: str
    cut_bytes: int | None = None

    @property
    def size(self) -> int:
        """Number of tasks."""
        return len(self.tasks)

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.tasks[:_MOST_SHOWN]))
        tasks = f"[{shown}, ... {self.size:,} in all]" if self.size > _MOST_SHOWN else f"[{shown}]"
        found = f"productive={self.productive}, strategy={self.strategy!r}"
        cut = f"cut_arcs={self.cut_arcs}, {found}, cut_bytes={self.cut_bytes}"
        return f"Cluster(tasks={tasks}, {cut})"


def residual(dag: Dag, cluster: Cluster | Sequence[int]) -> Plan:
    """Return what is left of *dag* after *cluster*, with an order and what is proved of it.

    The order is found anew: what the cluster's strategy promises of the residual is not
    relied upon. A cluster holds ids and does not know its dag: give that one. Raises GraphError
    for ids that *dag* does not have and if a parent of a task in *cluster* is not in it, but
    what happens to be legal in another dag is taken as it is.

    >>> from icsched import families
    >>> plan = residual(families.mesh(4), [0, 1, 4])
    >>> len(plan.dag), plan.proof.is_ic_optimal
    (7, True)
    """
    tasks = cluster.tasks if isinstance(cluster, Cluster) else cluster
    return prioritize(dag.residual(tasks))


def set_apart(dag: Dag, clusters: Sequence[Cluster], alone: Collection[int]) -> list[Cluster]:
    """Return a whole plan of *dag* with the tasks *alone* in clusters of one.

    What stood before such a task in its cluster and what stood after it become clusters too, so
    that the tasks of all clusters come in the same order as before.

    >>> dag = Dag({"a": [], "b": ["a"], "c": ["b"]})
    >>> [part.tasks for part in set_apart(dag, [Cluster((0, 1, 2), 0, True, "direct")], [1])]
    [(0,), (1,), (2,)]
    """
    apart = frozenset(alone)
    if not apart:
        return list(clusters)
    before: list[int] = []
    plan = []
    for taken in clusters:
        parts = _parts(taken.tasks, apart)
        for part in parts:
            plan.append(taken if len(parts) == 1 else _part(dag, before, part, taken.strategy))
            before.extend(part)
    return plan


def _parts(tasks: Sequence[int], apart: Collection[int]) -> list[tuple[int, ...]]:
    """Cut *tasks* before and after each that is to be apart."""
    parts: list[list[int]] = []
    for task in tasks:
        if parts and task not in apart and parts[-1][-1] not in apart:
            parts[-1].append(task)
        else:
            parts.append([task])
    return [tuple(part) for part in parts]


def _part(dag: Dag, before: Sequence[int], tasks: tuple[int, ...], strategy: str) -> Cluster:
    inside = set(tasks)
    cut = sum(child not in inside for task in tasks for child in dag.child_rows[task].tolist())
    return Cluster(tasks, cut, is_productive(dag, before, tasks), strategy)


def is_productive(dag: Dag, before: Sequence[int], tasks: Sequence[int]) -> bool | None:
    """Whether no set of as many tasks as *tasks* enables more once *before* has run.

    None if the exact computation would be too large.

    >>> pair_and_fork = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    >>> is_productive(pair_and_fork, [], [0]), is_productive(pair_and_fork, [], [2])
    (False, True)
    """
    if len(dag) > EXACT_TASKS:
        return None
    try:
        best = optimal_profile(dag.residual(before), limit=EXACT_SETS)
    except LimitError:
        return None
    left = np.ones(len(dag), bool)
    left[[*before, *tasks]] = False
    waiting = np.unique(dag.arcs[left[dag.arcs[:, 0]], 1])
    return int(left.sum()) - len(waiting) == int(best[len(tasks)])
