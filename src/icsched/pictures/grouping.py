"""Tasks of a large dag in groups, so that a picture has few nodes."""

from dataclasses import dataclass

import numpy as np

from icsched.arrays import Ids, Sizes
from icsched.dag import Dag

MOST_GROUPS = 200  # nodes of a picture with groups


@dataclass(frozen=True, eq=False)
class Groups:
    """Tasks in groups: all tasks of a group are of one kind, and in one band of levels.

    `group` has the group of each task, `tasks` the number of tasks of each group, `kind` the kind
    and `level` the band of levels. Groups are sorted by band, then by kind. `kinds` are the names
    of kinds; if there are too many, the rare ones are one kind, the last.
    """

    group: Ids
    tasks: Sizes
    kind: Ids
    level: Ids
    kinds: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.tasks)


def groups_of(dag: Dag, kind: Ids, kinds: tuple[str, ...], most: int = MOST_GROUPS) -> Groups:
    """Group the tasks of *dag* by level and *kind*; there are at most *most* groups.

    A level band is one level if that makes few enough groups, or else 2, 4, 8, ... levels. If one
    band has too many kinds, only the most frequent kinds stay apart. Takes O(tasks) time for each
    size of band.
    """
    kind, kinds = _frequent(kind, kinds, most)
    level, width = dag.levels, 1
    band = level
    while len(found := np.unique(band.astype(np.int64) * len(kinds) + kind)) > most:
        width *= 2
        band = level // width
    group = np.searchsorted(found, band.astype(np.int64) * len(kinds) + kind).astype(np.int32)
    tasks = np.bincount(group, minlength=len(found))
    of_band, of_kind = np.divmod(found, max(1, len(kinds)))
    _, of_band = np.unique(of_band, return_inverse=True)
    return Groups(group, tasks, of_kind.astype(np.int32), of_band.astype(np.int32), kinds)


def _frequent(kind: Ids, kinds: tuple[str, ...], most: int) -> tuple[Ids, tuple[str, ...]]:
    """Return kinds of which there are at most *most*: the rare ones become one."""
    if len(kinds) <= most:
        return kind, kinds
    sizes = np.bincount(kind, minlength=len(kinds))
    kept = np.sort(np.argsort(-sizes, kind="stable")[: most - 1])
    new = np.full(len(kinds), most - 1, np.int32)
    new[kept] = np.arange(most - 1)
    return new[kind], (*(kinds[at] for at in kept.tolist()), "other kinds")


def arcs_between(group: Ids, count: int, parents: Ids, children: Ids) -> tuple[Ids, Ids, Sizes]:
    """Return the arcs between different groups, each once, and how many arcs of tasks each has.

    >>> parents, children = np.array([0, 0, 1]), np.array([1, 2, 2])
    >>> [a.tolist() for a in arcs_between(np.array([0, 0, 1]), 2, parents, children)]
    [[0], [1], [2]]
    """
    pairs = group[parents].astype(np.int64) * count + group[children]
    apart, number = np.unique(pairs[group[parents] != group[children]], return_counts=True)
    above, below = np.divmod(apart, max(1, count))
    return above.astype(np.int32), below.astype(np.int32), number
