"""What a cluster is, and whether it is productive."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, overload

import numpy as np

from icsched.arrays import task_ids
from icsched.dag import Dag
from icsched.errors import LimitError
from icsched.frames import Answer, Listed, names_of
from icsched.graph_inputs import T, T_co
from icsched.pebble import optimal_profile

# Whether a cluster is productive is computed for dags of up to this many tasks, within this effort.
EXACT_TASKS = 100
EXACT_SETS = 200_000


@dataclass(frozen=True)
class Cluster(Answer, Sequence[int], Generic[T_co]):
    """Tasks for one worker, who can run them all without waiting for another worker.

    `tasks` come in execution order: every parent of a task is done already, or comes earlier in
    `tasks`. `names` has the names of the tasks. `cut_arcs` counts the arcs to tasks outside, along
    which results must be sent. `cut_bytes` is the size of the results on these arcs, if sizes are
    known. `productive` says whether no other set of this size would enable more tasks, if
    everything handed out before counts as done; None if that is not known. `clusterer` names how
    the cluster was found.

    A cluster is the sequence of its tasks. An empty cluster says that nothing can be handed out
    now.

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
        """Return the task at *place*, or those of a slice."""
        return self.tasks[place]

    def __repr__(self) -> str:
        found = f"productive={self.productive}, clusterer={self.clusterer!r}"
        cut = f"cut_arcs={self.cut_arcs}, {found}, cut_bytes={self.cut_bytes}"
        return f"Cluster(tasks={Listed(self.tasks)}, {cut})"


def set_apart(
    dag: Dag[T], clusters: Sequence[Cluster[T]], alone: Collection[int]
) -> list[Cluster[T]]:
    """Return a whole plan of *dag* with the tasks *alone* in clusters of one.

    The tasks before such a task in its cluster become a cluster, and so do the tasks after it. So
    the tasks of all clusters come in the same order as before.

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
            plan.append(taken if len(parts) == 1 else _part(dag, before, part, taken.clusterer))
            before.extend(part)
    return plan


def _parts(tasks: Sequence[int], apart: Collection[int]) -> list[tuple[int, ...]]:
    """Cut *tasks* before and after each task in *apart*."""
    parts: list[list[int]] = []
    for task in tasks:
        if parts and task not in apart and parts[-1][-1] not in apart:
            parts[-1].append(task)
        else:
            parts.append([task])
    return [tuple(part) for part in parts]


def _part(dag: Dag[T], before: Sequence[int], tasks: tuple[int, ...], clusterer: str) -> Cluster[T]:
    inside = set(tasks)
    cut = sum(child not in inside for task in tasks for child in dag.child_rows[task].tolist())
    names = tuple(dag.names[task] for task in tasks)
    return Cluster(tasks, cut, is_productive(dag, before, tasks), clusterer, names=names)


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
        best = optimal_profile(dag.residual(np.array(before, np.int32)), limit=EXACT_SETS)
    except LimitError:
        return None
    left = np.ones(len(dag), bool)
    left[[*before, *tasks]] = False
    waiting = np.unique(dag.arcs[left[dag.arcs[:, 0]], 1])
    return int(left.sum()) - len(waiting) == int(best[len(tasks)])
