"""The dag as the page draws it: nodes, blocks, clusters, and the game that each order plays."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids, Sizes, ranks_of
from icsched.pebble import Schedule
from icsched.report.bottlenecks import Bottleneck
from icsched.report.scene import DagPicture, kinds_by_name
from icsched.report.subject import Subject, short_name, six_digits
from icsched.run_times import stem
from icsched.serve.clusters import Cluster
from icsched.theory import Analysis
from icsched.theory.blocks import Kind, family_name
from icsched.words import counted
from icsched.workflow import Workflow

MOST_STEPS = 60  # at which a game of groups is shown


@dataclass(frozen=True)
class ShownBlock:
    """A block, and how many nodes it has."""

    words: str
    nodes: int


@dataclass(frozen=True, eq=False)
class ShownArcs:
    """The arcs between nodes; `count` says how many arcs of tasks each one stands for."""

    parent: Ids
    child: Ids
    count: Sizes | None


@dataclass(frozen=True, eq=False)
class Drawing:
    """The nodes of a picture, with what the page says of each one."""

    is_grouped: bool
    words: str
    width: float
    height: float
    x: Floats
    y: Floats
    label: list[str]
    tasks: Sizes
    level: Ids
    kind: Ids
    kinds: list[str]
    run_time: Floats | None
    block: list[int | None] | None
    blocks: list[ShownBlock]
    is_bottleneck: Sizes
    priority: Floats | Ids
    arcs: ShownArcs


def drawing_of(subject: Subject, bottlenecks: Iterable[Bottleneck]) -> Drawing:
    """Return the picture of a subject, in which *bottlenecks* are marked."""
    picture, is_grouped = subject.picture, subject.picture.is_grouped
    is_narrow = np.zeros(len(picture), np.int64)
    is_narrow[[subject.node(each.task) for each in bottlenecks]] = 1
    priority = subject.plan.priorities_by_id
    is_timed = subject.workflow.run_times is not None
    block, blocks = (None, []) if is_grouped else _blocks(subject.plan.analysis)
    return Drawing(
        is_grouped=is_grouped,
        words=_picture_words(subject),
        width=picture.width,
        height=picture.height,
        x=six_digits(picture.x),
        y=six_digits(picture.y),
        label=list(map(short_name, picture.label)),
        tasks=picture.tasks,
        level=picture.level,
        kind=picture.kind,
        kinds=list(map(short_name, picture.kinds)),
        run_time=six_digits(picture.mean_of(subject.means)) if is_timed else None,
        block=block,
        blocks=blocks,
        is_bottleneck=is_narrow,
        priority=six_digits(picture.mean_of(priority)) if is_grouped else priority,
        arcs=ShownArcs(picture.parent, picture.child, picture.count if is_grouped else None),
    )


def _picture_words(subject: Subject) -> str:
    """Say what the nodes are."""
    word = subject.word
    if not subject.picture.is_grouped:
        return f"Each node is a {word}. A {word} is below everything that it waits for."
    return (
        f"Each node is a group of {word}s of one kind, at about the same depth:"
        f" {counted(len(subject.dag), word)} in {counted(len(subject.picture), 'group')}."
    )


def _blocks(analysis: Analysis) -> tuple[list[int | None], list[ShownBlock]]:
    """Return the block of each task of a small dag, None for a task in no block, and all blocks.

    A task is in the block that owns it, and a sink of the dag in the first block that it ends.
    """
    parts = analysis.parts
    rows = parts.blocks.sinks
    ends = rows.targets[::-1]  # backwards, so that the first block of several stays
    of_ends = np.repeat(np.arange(len(parts), dtype=np.int32), np.diff(rows.offsets))[::-1]
    first = np.full(len(parts.owner), -1, np.int32)
    first[ends] = of_ends
    block = np.where(parts.owner < 0, first, parts.owner)
    sizes = np.bincount(block + 1, minlength=len(parts) + 1)[1:].tolist()
    kinds = analysis.orders.kind.tolist()
    blocks = [
        ShownBlock(family_name(parts.shape(at), Kind(kind)), size)
        for at, (kind, size) in enumerate(zip(kinds, sizes, strict=True))
    ]
    return [at if at >= 0 else None for at in block.tolist()], blocks


def kinds_of_tasks(workflow: Workflow) -> tuple[Ids, tuple[str, ...]]:
    """Return the kind of each task of the dag, from 0 as they appear, and a name for each kind.

    The name is that of its tasks without their numbers. Kinds that differ only in what they are
    submitted by get a number after it.
    """
    names = list(map(str, workflow.dag.names))
    if workflow.describe is None:
        return kinds_by_name(names)
    _, first, kind = np.unique(workflow.kinds, return_index=True, return_inverse=True)
    in_turn = np.argsort(first)
    seen: Counter[str] = Counter()
    told = []
    for at in first[in_turn].tolist():
        name = stem(names[at])
        seen[name] += 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return ranks_of(in_turn.astype(np.int32))[kind.ravel()], tuple(told)


@dataclass(frozen=True, eq=False)
class Moves:
    """When each task runs in an order, `rank`, and from when on it is eligible, `ready`.

    After k executions a task is done if rank < k, and eligible if ready <= k <= rank.
    """

    rank: Ids
    ready: Ids


@dataclass(frozen=True, eq=False)
class Game:
    """The game of each order, task by task."""

    orders: dict[str, Moves]


@dataclass(frozen=True, eq=False)
class GroupMoves:
    """How many tasks of each group are done, and eligible: a row for each step."""

    done: NDArray[np.int64]
    ready: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GroupedGame:
    """The game of each order, group by group, after some steps."""

    steps: Sizes
    orders: dict[str, GroupMoves]


def game_of(orders: Mapping[str, Schedule], picture: DagPicture) -> Game | GroupedGame:
    """Return the game of each order on the nodes of *picture*."""
    if not picture.is_grouped:
        return Game({name: Moves(order.ranks, order.ready) for name, order in orders.items()})
    steps = np.unique(np.linspace(0, len(picture.node), MOST_STEPS).astype(np.int64))
    moves = {}
    for name, order in orders.items():
        # A task is done from the step rank + 1 on, and has been enabled from the step ready on.
        done = _since(order.ranks + 1, steps, picture)
        moves[name] = GroupMoves(done, _since(order.ready, steps, picture) - done)
    return GroupedGame(steps, moves)


def _since(start: Ids, steps: Sizes, picture: DagPicture) -> NDArray[np.int64]:
    """Count, for each of *steps* and each node, the tasks whose *start* is not after the step."""
    row = np.searchsorted(steps, start)
    width = len(picture)
    counts = np.bincount(row * width + picture.node, minlength=len(steps) * width)
    return np.cumsum(counts.reshape(len(steps), width), axis=0)


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of each node, None for groups; each cluster has at most `size` tasks."""

    size: int
    words: str
    cluster: Ids | None
    count: int
    cut_arcs: int


def clusters_of(subject: Subject, size: int, clusters: Iterable[Cluster]) -> Clusters:
    """Return how the workflow is cut into *clusters* of at most *size* tasks."""
    dag, count, cut = subject.dag, 0, 0
    cluster = np.empty(len(dag), np.int32)
    for number, taken in enumerate(clusters):
        cluster[list(taken.tasks)] = number
        count, cut = number + 1, cut + taken.cut_arcs
    arcs = counted(dag.arc_count, "dependency", "dependencies")
    words = (
        f"{counted(count, 'cluster')} of at most {counted(size, subject.word)}; a worker"
        f" runs one without waiting for another worker. {cut:,} of {arcs} go between clusters."
    )
    return Clusters(size, words, None if subject.picture.is_grouped else cluster, count, cut)
