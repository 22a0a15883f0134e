"""What a cluster is, and what it leaves."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from icsched.dag import Dag
from icsched.errors import LimitError
from icsched.pebble import optimal_profile
from icsched.theory import Plan, prioritize

# Whether a cluster is productive is computed for dags of up to so many tasks, within this effort.
EXACT_TASKS = 100
EXACT_SETS = 200_000


@dataclass(frozen=True)
class Cluster:
    """Tasks for one worker, who can run them all without waiting for anybody.

    `tasks` come in execution order; every parent of a task was done before, or comes earlier
    in it. `cut_arcs` counts the arcs to tasks outside, which is what must be communicated;
    `cut_bytes` is the size of the results on these arcs, where sizes are known. `productive`
    says whether no other set of this size would enable more tasks, counting everything
    handed out before as done; None if that is not known. `strategy` names how it was found.
    """

    tasks: tuple[int, ...] = field(repr=False)
    cut_arcs: int
    productive: bool | None
    strategy: str
    cut_bytes: int | None = None

    @property
    def size(self) -> int:
        """Number of tasks."""
        return len(self.tasks)


def residual(dag: Dag, cluster: Cluster | Sequence[int]) -> Plan:
    """Return what is left of *dag* after *cluster*, with an order and what is proved of it.

    The order is found anew: what the cluster's strategy promises of the residual is not
    relied upon. Raises GraphError if a parent of a task in *cluster* is not in it.

    >>> from icsched import families
    >>> plan = residual(families.mesh(4), [0, 1, 4])
    >>> len(plan.dag), plan.proof.status
    (7, 'ic-optimal')
    """
    tasks = cluster.tasks if isinstance(cluster, Cluster) else cluster
    return prioritize(dag.residual(tasks))


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
