"""A dag as a picture: nodes with places, labels and kinds, and the arcs between them.

Tasks of a large dag are in groups, so that a picture has few nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from icsched.arrays import Floats, Ids, Sizes, ranks_of
from icsched.dag import Dag
from icsched.report.layout import places_across
from icsched.run_times import kinds_of, stem

MOST_DRAWN = 3000  # tasks that are drawn one by one; more are drawn in groups
MOST_ARCS = 20_000  # of tasks that are drawn one by one
MOST_GROUPS = 200  # nodes of a picture with groups

Kinds: TypeAlias = tuple[Ids, tuple[str, ...]]  # the kind of each task, an index into the names


@dataclass(frozen=True, eq=False)
class DagPicture:
    """Nodes and arcs of a picture; a node is a task, or a group of tasks if `is_grouped`.

    `node` has the node of each task: its own id if tasks are not grouped. `kind` is an index into
    `kinds`. `label` is the task's name, or the kind of the group. `x` and `y` are the places, in
    units of one node; y grows downwards, with the level. `parent` and `child` are the nodes of each
    arc, and `count` the number of arcs between tasks that it stands for. Arcs within a group are
    not drawn.
    """

    is_grouped: bool
    node: Ids = field(repr=False)
    level: Ids = field(repr=False)
    kind: Ids = field(repr=False)
    kinds: tuple[str, ...] = field(repr=False)
    label: tuple[str, ...] = field(repr=False)
    x: Floats = field(repr=False)
    parent: Ids = field(repr=False)
    child: Ids = field(repr=False)
    count: Sizes = field(repr=False)

    def __len__(self) -> int:
        return len(self.label)

    @property
    def y(self) -> Floats:
        """The place of each node from the top."""
        return self.level.astype(np.float64) + 0.5

    @property
    def width(self) -> float:
        """The number of nodes of the largest level, at least 1."""
        return float(np.bincount(self.level).max(initial=1))

    @property
    def height(self) -> float:
        """The number of levels, at least 1."""
        return float(self.level.max(initial=0) + 1)

    @property
    def tasks(self) -> Sizes:
        """The number of tasks of each node."""
        return np.bincount(self.node, minlength=len(self))

    def mean_of(self, values: Floats | Ids | Sizes) -> Floats:
        """Return the mean over the tasks of each node of a number that each task has."""
        totals = np.bincount(self.node, values, minlength=len(self))
        return totals / np.maximum(self.tasks, 1)


def dag_picture(
    dag: Dag,
    *,
    kinds: Kinds | None = None,
    run_times: Floats | None = None,
    most_drawn: int = MOST_DRAWN,
) -> DagPicture:
    """Return the picture of *dag*.

    More than *most_drawn* tasks, or `MOST_ARCS` arcs, are drawn in groups. By default tasks whose
    names are the same up to their digits are of one kind. Kinds are sorted by the total of
    *run_times*, as `main_kinds` does.

    >>> picture = dag_picture(Dag({"a1": [], "b": ["a1"], "a2": []}))
    >>> picture.label, picture.kinds, picture.y.tolist()
    (('a1', 'b', 'a2'), ('a#', 'b'), [0.5, 1.5, 0.5])
    """
    found = kinds_by_name(list(map(str, dag.names))) if kinds is None else kinds
    kind, names = main_kinds(*found, run_times)
    node, level = np.arange(len(dag), dtype=np.int32), dag.levels
    labels = tuple(map(str, dag.names))
    is_grouped = len(dag) > most_drawn or dag.arc_count > MOST_ARCS
    if is_grouped:
        node, level, kind, names = groups_of(dag, kind, names)
        labels = tuple(names[at] for at in kind.tolist())
    parent, child, count = arcs_between(node, dag.arcs)
    # Arcs between groups of one band of levels are drawn, but do not place the groups.
    leads_down = level[parent] < level[child]
    x = places_across(level, parent[leads_down], child[leads_down])
    return DagPicture(is_grouped, node, level, kind, names, labels, x, parent, child, count)


def kinds_by_name(names: Sequence[str]) -> Kinds:
    """Return the kind of each name, and the names of kinds: names without their numbers.

    >>> kind, kinds = kinds_by_name(["map1", "reduce", "map2"])
    >>> kind.tolist(), kinds
    ([0, 1, 0], ('map#', 'reduce'))
    """
    kind = kinds_of(names)
    _, first = np.unique(kind, return_index=True)
    return kind, tuple(stem(names[at]) for at in first.tolist())


def groups_of(
    dag: Dag, kind: Ids, kinds: tuple[str, ...], most: int = MOST_GROUPS
) -> tuple[Ids, Ids, Ids, tuple[str, ...]]:
    """Group the tasks of *dag* by level and *kind*; there are at most *most* groups.

    Return the group of each task, the band of levels and the kind of each group, and the names of
    kinds. Groups are sorted by band, then by kind. A band is one level if that makes few enough
    groups, or else 2, 4, 8, ... levels. If one band has too many kinds, only the first kinds stay
    apart. Takes O(tasks) time for each size of band.
    """
    kind, kinds = few_kinds(kind, kinds, most)
    level, width = dag.levels.astype(np.int64), 1
    while len(found := np.unique(level // width * len(kinds) + kind)) > most:
        width *= 2
    group = np.searchsorted(found, level // width * len(kinds) + kind).astype(np.int32)
    of_band, of_kind = np.divmod(found, max(1, len(kinds)))
    _, band = np.unique(of_band, return_inverse=True)
    return group, band.astype(np.int32), of_kind.astype(np.int32), kinds


def main_kinds(kind: Ids, kinds: tuple[str, ...], run_times: Floats | None = None) -> Kinds:
    """Return the kinds by the total run time of their tasks, the longest first; ties by name.

    If *run_times* are not known, each is 1. A picture has colours for the first kinds only.

    >>> of, kinds = main_kinds(np.array([0, 0, 1, 2]), ("a", "b", "c"), np.array([1, 1, 9, 2.0]))
    >>> of.tolist(), kinds
    ([1, 1, 0, 2], ('b', 'a', 'c'))
    """
    total = np.bincount(kind, run_times, minlength=len(kinds)).tolist()
    in_turn = sorted(range(len(kinds)), key=lambda at: (-total[at], kinds[at], at))
    return ranks_of(np.array(in_turn, np.int32))[kind], tuple(kinds[at] for at in in_turn)


def few_kinds(kind: Ids, kinds: tuple[str, ...], most: int) -> Kinds:
    """Return kinds of which there are at most *most*: the last ones become one.

    >>> of, kinds = few_kinds(np.array([0, 1, 2, 2]), ("a", "b", "c"), 2)
    >>> of.tolist(), kinds
    ([0, 1, 1, 1], ('a', 'other kinds'))
    """
    if len(kinds) <= most:
        return kind, kinds
    return np.minimum(kind, most - 1), (*kinds[: most - 1], "other kinds")


def arcs_between(group: Ids, arcs: Ids) -> tuple[Ids, Ids, Sizes]:
    """Return the arcs between different groups, each once, and how many arcs of tasks each has.

    >>> arcs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> [a.tolist() for a in arcs_between(np.array([0, 0, 1]), arcs)]
    [[0], [1], [2]]
    """
    above, below = group[arcs].astype(np.int64).T
    most = int(group.max(initial=0)) + 1
    pairs, number = np.unique((above * most + below)[above != below], return_counts=True)
    parent, child = np.divmod(pairs, most)
    return parent.astype(np.int32), child.astype(np.int32), number
