"""The dag as the page draws it: nodes, blocks, clusters, and the game that each order plays."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, Sizes, ranks_of
from icsched.messages import counted
from icsched.pebble import Schedule
from icsched.report.bottlenecks import Bottleneck
from icsched.report.scene import DagPicture
from icsched.report.subject import Keys, Subject, short_name, six_digits
from icsched.run_times import stem
from icsched.serve.clusters import Cluster
from icsched.theory import Analysis
from icsched.theory.blocks import Kind, family_name
from icsched.workflow import Workflow

MOST_STEPS = 60  # at which a game of groups is shown


def drawing_keys(subject: Subject, bottlenecks: Iterable[Bottleneck]) -> Keys:
    """Return the picture of a subject, in which *bottlenecks* are marked."""
    picture, is_grouped = subject.picture, subject.picture.is_grouped
    narrow = picture.node[[each.task for each in bottlenecks]]
    priority = len(subject.dag) - subject.plan.schedule.ranks
    is_timed = subject.workflow.run_times is not None
    return {
        "is_grouped": is_grouped,
        "words": _picture_words(subject),
        "width": picture.width,
        "height": picture.height,
        "x": six_digits(picture.x),
        "y": six_digits(picture.y),
        "label": list(map(short_name, picture.label)),
        "tasks": picture.tasks,
        "level": picture.level,
        "kind": picture.kind,
        "kinds": list(map(short_name, picture.kinds)),
        "run_time": six_digits(picture.mean_of(subject.means)) if is_timed else None,
        **_blocks(None if is_grouped else subject.plan.analysis),
        "is_bottleneck": np.isin(np.arange(len(picture)), narrow).astype(np.int64),
        "priority": six_digits(picture.mean_of(priority)) if is_grouped else priority,
        "arcs": {
            "parent": picture.parent,
            "child": picture.child,
            "count": picture.count if is_grouped else None,
        },
    }


def _picture_words(subject: Subject) -> str:
    """Say what the nodes are."""
    word = subject.word
    if not subject.picture.is_grouped:
        return f"Each node is a {word}. A {word} is below everything that it waits for."
    return (
        f"Each node is a group of {word}s of one kind, at about the same depth:"
        f" {counted(len(subject.dag), word)} in {counted(len(subject.picture), 'group')}."
    )


def _blocks(analysis: Analysis | None) -> Keys:
    """Return the block of each task of a small dag, None for a task in no block, and all blocks.

    A task is in the block that owns it, and a sink of the dag in the first block that it ends.
    """
    if analysis is None:
        return {"block": None, "blocks": []}
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
        {"words": family_name(parts.shape(at), Kind(kind)), "nodes": size}
        for at, (kind, size) in enumerate(zip(kinds, sizes, strict=True))
    ]
    return {"block": [at if at >= 0 else None for at in block.tolist()], "blocks": blocks}


def kinds_of_tasks(workflow: Workflow) -> tuple[Ids, tuple[str, ...]]:
    """Return the kind of each task of the dag, from 0 as they appear, and a name for each kind.

    The name is that of its tasks without their numbers. Kinds that differ only in what they are
    submitted by get a number after it.
    """
    names = list(map(str, workflow.names))
    _, first, kind = np.unique(workflow.kinds, return_index=True, return_inverse=True)
    in_turn = np.argsort(first)
    seen: Counter[str] = Counter()
    told = []
    for name in (stem(names[at]) for at in first[in_turn].tolist()):
        seen[name] += 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return ranks_of(in_turn.astype(np.int32))[kind.ravel()], tuple(told)


def game_keys(orders: Mapping[str, Schedule], picture: DagPicture) -> Keys:
    """Return the game of each order on the nodes of *picture*.

    A node that is a task is done after k executions if rank < k, and eligible if ready <= k <=
    rank. For groups there are a few steps, each with the tasks of each group that are done then,
    and those that are eligible.
    """
    if not picture.is_grouped:
        ranks = {name: {"rank": one.ranks, "ready": one.ready} for name, one in orders.items()}
        return {"orders": ranks}
    steps = np.unique(np.linspace(0, len(picture.node), MOST_STEPS).astype(np.int64))
    played = {}
    for name, order in orders.items():
        # A task is done from the step rank + 1 on, and has been enabled from the step ready on.
        done = _since(order.ranks + 1, steps, picture)
        played[name] = {"done": done, "ready": _since(order.ready, steps, picture) - done}
    return {"steps": steps, "orders": played}


def _since(start: Ids, steps: Sizes, picture: DagPicture) -> NDArray[np.int64]:
    """Count, for each of *steps* and each node, the tasks whose *start* is not after the step."""
    row = np.searchsorted(steps, start)
    width = len(picture)
    counts = np.bincount(row * width + picture.node, minlength=len(steps) * width)
    return np.cumsum(counts.reshape(len(steps), width), axis=0)


def cluster_keys(subject: Subject, size: int, clusters: Sequence[Cluster]) -> Keys:
    """Return how the workflow is cut into *clusters* of at most *size* tasks."""
    dag, cut = subject.dag, sum(taken.cut_arcs for taken in clusters)
    cluster = np.empty(len(dag), np.int32)
    for number, taken in enumerate(clusters):
        cluster[list(taken.tasks)] = number
    arcs = counted(dag.arc_count, "dependency", "dependencies")
    words = (
        f"{counted(len(clusters), 'cluster')} of at most {counted(size, subject.word)}; a worker"
        f" runs one without waiting for another worker. {cut:,} of {arcs} go between clusters."
    )
    return {
        "size": size,
        "words": words,
        "cluster": None if subject.picture.is_grouped else cluster,
        "count": len(clusters),
        "cut_arcs": cut,
    }
