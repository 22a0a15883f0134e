"""Tasks of a large dag in groups, so that a picture has few nodes."""

from dataclasses import dataclass

import numpy as np

from icsched.arrays import Floats, Ids, Sizes, ranks_of
from icsched.dag import Dag

MOST_GROUPS = 200  # nodes of a picture with groups


@dataclass(frozen=True, eq=False)
class Groups:
    """Tasks in groups: all tasks of a group are of one kind, and in one band of levels.

    `group` has the group of each task, `tasks` the number of tasks of each group, `kind` the kind
    and `level` the band of levels. Groups are sorted by band, then by kind. `kinds` are the names
    of kinds; if there are too many, the last ones are one kind.
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
    band has too many kinds, only the first kinds stay apart. Takes O(tasks) time for each
    size of band.
    """
    kind, kinds = few_kinds(kind, kinds, most)
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


def main_kinds(
    kind: Ids, kinds: tuple[str, ...], run_times: Floats | None = None
) -> tuple[Ids, tuple[str, ...]]:
    """Return the kinds by the total run time of their tasks, the longest first; ties by name.

    *kind* is an index into *kinds* for each task. If *run_times* are not known, each is 1. A
    picture has colours for the first kinds only.

    >>> of, kinds = main_kinds(np.array([0, 0, 1, 2]), ("a", "b", "c"), np.array([1, 1, 9, 2.0]))
    >>> of.tolist(), kinds
    ([1, 1, 0, 2], ('b', 'a', 'c'))
    """
    total = np.bincount(kind, run_times, minlength=len(kinds)).tolist()
    in_turn = sorted(range(len(kinds)), key=lambda at: (-total[at], kinds[at], at))
    return ranks_of(np.array(in_turn, np.int32))[kind], tuple(kinds[at] for at in in_turn)


def few_kinds(kind: Ids, kinds: tuple[str, ...], most: int) -> tuple[Ids, tuple[str, ...]]:
    """Return kinds of which there are at most *most*: the last ones become one.

    >>> of, kinds = few_kinds(np.array([0, 1, 2, 2]), ("a", "b", "c"), 2)
    >>> of.tolist(), kinds
    ([0, 1, 1, 1], ('a', 'other kinds'))
    """
    if len(kinds) <= most:
        return kind, kinds
    return np.minimum(kind, most - 1), (*kinds[: most - 1], "other kinds")


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
