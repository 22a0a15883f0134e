"""A dag as a picture: nodes with places, labels and kinds, and the arcs between them.

Tasks of a large dag are in groups, so that a picture has few nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from icsched.arrays import Floats, Ids, Sizes, ranks_of
from icsched.dag import Dag
from icsched.report.layout import placed
from icsched.run_times import kinds_of, stem

MOST_DRAWN = 3000  # tasks that are drawn one by one; more are drawn in groups
MOST_ARCS = 20_000  # of tasks that are drawn one by one
MOST_GROUPS = 200  # nodes of a picture with groups


@dataclass(frozen=True, eq=False)
class DagPicture:
    """Nodes and arcs of a picture; a node is a task, or a group of tasks if `is_grouped`.

    `node` has the node of each task: its own id if tasks are not grouped. `x` and `y` are the
    places, `width` and `height` the size of the picture, in units of one node; y grows downwards,
    with the level. `label` is the task's name, or the kind of the group. `tasks` counts the tasks
    of each node. `kind` is an index into `kinds`. `parent` and `child` are the nodes of each arc,
    and `count` the number of arcs between tasks that it stands for. Arcs within a group are not
    drawn.
    """

    is_grouped: bool
    node: Ids = field(repr=False)
    x: Floats = field(repr=False)
    y: Floats = field(repr=False)
    width: float
    height: float
    label: tuple[str, ...] = field(repr=False)
    tasks: Sizes = field(repr=False)
    level: Ids = field(repr=False)
    kind: Ids = field(repr=False)
    kinds: tuple[str, ...] = field(repr=False)
    parent: Ids = field(repr=False)
    child: Ids = field(repr=False)
    count: Sizes = field(repr=False)

    def __len__(self) -> int:
        return len(self.label)

    def mean_of(self, values: Floats | Ids | Sizes) -> Floats:
        """Return the mean over the tasks of each node of a number that each task has."""
        totals = np.bincount(self.node, values, minlength=len(self))
        return totals / np.maximum(self.tasks, 1)


def dag_picture(
    dag: Dag,
    *,
    kinds: tuple[Ids, tuple[str, ...]] | None = None,
    run_times: Floats | None = None,
    most_drawn: int = MOST_DRAWN,
) -> DagPicture:
    """Return the picture of *dag*.

    More than *most_drawn* tasks, or `MOST_ARCS` arcs, are drawn in groups.

    *kinds* are a number for each task and the names of these numbers; by default tasks whose names
    are the same up to their digits are of one kind. Kinds are sorted by the total of *run_times*,
    as `main_kinds` does.

    >>> picture = dag_picture(Dag({"a1": [], "b": ["a1"], "a2": []}))
    >>> picture.label, picture.kinds, picture.y.tolist()
    (('a1', 'b', 'a2'), ('a#', 'b'), [0.5, 1.5, 0.5])
    """
    kind, names = kinds_by_name(list(map(str, dag.names))) if kinds is None else kinds
    kind, names = main_kinds(kind, names, run_times)
    is_grouped = len(dag) > most_drawn or dag.arc_count > MOST_ARCS
    groups = groups_of(dag, kind, names) if is_grouped else _alone(dag, kind, names)
    labels = (groups.kinds[at] for at in groups.kind.tolist()) if is_grouped else dag.names
    above, below, count = arcs_between(groups.group, len(groups), dag.arcs[:, 0], dag.arcs[:, 1])
    # Arcs between groups of one band of levels are drawn, but do not place the groups.
    leads_down = groups.level[above] < groups.level[below]
    found = placed(groups.level, above[leads_down], below[leads_down])
    return DagPicture(
        is_grouped=is_grouped,
        node=groups.group,
        x=found.x,
        y=found.y,
        width=found.width,
        height=found.height,
        label=tuple(map(str, labels)),
        tasks=groups.tasks,
        level=groups.level,
        kind=groups.kind,
        kinds=groups.kinds,
        parent=above,
        child=below,
        count=count,
    )


def _alone(dag: Dag, kind: Ids, kinds: tuple[str, ...]) -> "Groups":
    """Return groups of one task each."""
    group = np.arange(len(dag), dtype=np.int32)
    return Groups(group, np.ones(len(dag), np.int64), kind, dag.levels, kinds)


def kinds_by_name(names: Sequence[str]) -> tuple[Ids, tuple[str, ...]]:
    """Return the kind of each name, and the names of kinds: names without their numbers.

    >>> kind, kinds = kinds_by_name(["map1", "reduce", "map2"])
    >>> kind.tolist(), kinds
    ([0, 1, 0], ('map#', 'reduce'))
    """
    kind = kinds_of(names)
    _, first = np.unique(kind, return_index=True)
    return kind, tuple(stem(names[at]) for at in first.tolist())


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
