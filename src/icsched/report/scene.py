"""A dag as a picture: nodes with places, labels and kinds, and the arcs between them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from icsched.arrays import Floats, Ids, Sizes
from icsched.dag import Dag
from icsched.report.grouping import Groups, arcs_between, groups_of, main_kinds
from icsched.report.layout import placed
from icsched.run_times import kinds_of, stem

MOST_DRAWN = 3000  # tasks that are drawn one by one; more are drawn in groups
MOST_ARCS = 20_000  # of tasks that are drawn one by one


@dataclass(frozen=True, eq=False)
class DagPicture:
    """Nodes and arcs of a picture; a node is a task, or a group of tasks if `is_grouped`.

    `node` has the node of each task: its own id if tasks are not grouped. `x` and `y` are the
    places, `width` and `height` the size of the picture, in units of one node; y grows downwards,
    with the level. `label` is the task's name, or the kind of the group. `tasks` counts the tasks
    of each node. `kind` is an index into `kinds`. `parent` and `child` are the nodes of each arc,
    and `count` the number of arcs between tasks that it stands for. `inner` counts the arcs within
    each group, which are not drawn.
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
    inner: Sizes = field(repr=False)

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
    if len(dag) > most_drawn or dag.arc_count > MOST_ARCS:
        return _in_groups(dag, groups_of(dag, kind, names))
    parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
    found = placed(dag.levels, parents, children)
    return DagPicture(
        is_grouped=False,
        node=np.arange(len(dag), dtype=np.int32),
        x=found.x,
        y=found.y,
        width=found.width,
        height=found.height,
        label=tuple(map(str, dag.names)),
        tasks=np.ones(len(dag), np.int64),
        level=dag.levels,
        kind=kind,
        kinds=names,
        parent=parents,
        child=children,
        count=np.ones(dag.arc_count, np.int64),
        inner=np.zeros(len(dag), np.int64),
    )


def kinds_by_name(names: Sequence[str]) -> tuple[Ids, tuple[str, ...]]:
    """Return the kind of each name, and the names of kinds: names without their numbers.

    >>> kind, kinds = kinds_by_name(["map1", "reduce", "map2"])
    >>> kind.tolist(), kinds
    ([0, 1, 0], ('map#', 'reduce'))
    """
    kind = kinds_of(names)
    _, first = np.unique(kind, return_index=True)
    return kind, tuple(stem(names[at]) for at in first.tolist())


def _in_groups(dag: Dag, groups: Groups) -> DagPicture:
    parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
    above, below, count = arcs_between(groups.group, len(groups), parents, children)
    # Arcs between groups of one band of levels are drawn, but do not place the groups.
    leads_down = groups.level[above] < groups.level[below]
    found = placed(groups.level, above[leads_down], below[leads_down])
    is_inner = groups.group[parents] == groups.group[children]
    return DagPicture(
        is_grouped=True,
        node=groups.group,
        x=found.x,
        y=found.y,
        width=found.width,
        height=found.height,
        label=tuple(groups.kinds[at] for at in groups.kind.tolist()),
        tasks=groups.tasks,
        level=groups.level,
        kind=groups.kind,
        kinds=groups.kinds,
        parent=above,
        child=below,
        count=count,
        inner=np.bincount(groups.group[parents[is_inner]], minlength=len(groups)),
    )
