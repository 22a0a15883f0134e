"""The blocks of a dag without shortcuts, the superdag of the blocks, and families of blocks.

Shortcuts and blocks are steps 1 and 2 of Malewicz, Foster, Rosenberg and Wilde 2007, "A Tool for
Prioritizing DAGMan Jobs and its Evaluation". A shortcut is an arc that another path makes
redundant. Theorems cover families of blocks. Strands are named as in Cordasco, Malewicz and
Rosenberg 2007, "Advances in IC-Scheduling Theory".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from icsched import _native
from icsched._native import BlockOrders, Blocks, BlockShapes
from icsched.arrays import Ids, Mask, Rows, ids_where
from icsched.dag import Dag
from icsched.frames import brief

# Arcs that the kernel may visit: for the whole dag, and more for each of its arcs.
_MOST_WORK = 100_000_000
_MOST_WORK_PER_ARC = 10


def shortcuts(dag: Dag) -> Ids:
    """Return the shortcuts of *dag* as rows of (parent id, child id).

    An arc is a shortcut if another path leads from its parent to its child. Near O(tasks + arcs) on
    workflow-shaped dags. The search visits at most 100 million arcs, plus ten for each arc of the
    dag. So on large random dags some shortcuts may be missing from the result. Random dags of
    100,000 tasks with five arcs each stay within the limit.

    >>> shortcuts(Dag({"a": [], "b": ["a"], "c": ["a", "b"]})).tolist()
    [[0, 2]]
    """
    return dag.arcs[_mask(dag)]


def without_shortcuts(dag: Dag) -> Dag:
    """Return *dag* without its shortcuts: the transitive reduction.

    The eligible tasks at each step do not change. Shortcuts that `shortcuts` misses stay.

    >>> without_shortcuts(Dag({"a": [], "b": ["a"], "c": ["a", "b"]}))
    Dag(tasks=3, arcs=2)
    """
    mask = _mask(dag)
    return dag.with_arcs(~mask) if mask.any() else dag


def _mask(dag: Dag) -> Mask:
    # Arcs to visit in searches: about the cost of the sweep, and some seconds at most.
    sweep = dag.arc_count * (4 + len(dag) // 1024)
    patience = min(sweep, 30_000_000 + 8 * dag.arc_count)
    marks = _native.shortcuts(
        dag.child_rows,
        dag.parent_rows,
        dag.fifo_order,
        patience,
        _MOST_WORK + _MOST_WORK_PER_ARC * dag.arc_count,
    )
    return marks.astype(bool)


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The blocks of a dag without shortcuts.

    Every task with children is a nonsink of exactly one block, its owner. A block's sinks
    are nonsinks of later blocks, or sinks of the dag. Blocks are numbered as they are cut
    off, so arcs lead to higher numbers or stay inside; isolated tasks are in no block.
    """

    dag: Dag
    blocks: Blocks

    def __repr__(self) -> str:
        return brief(self, tasks=len(self.dag), blocks=len(self))

    def __len__(self) -> int:
        return len(self.blocks.bipartite)

    def nonsinks(self, block: int) -> Ids:
        """Tasks that *block* owns, ids ascending."""
        return self.blocks.nonsinks[block]

    def sinks(self, block: int) -> Ids:
        """Sinks of *block*, ids ascending."""
        return self.blocks.sinks[block]

    def block(self, block: int) -> Dag:
        """Return *block* as a dag, with tasks in ascending id order."""
        names = [self.dag.names[task] for task in self._members(block).tolist()]
        shape = self.shape(block)
        return Dag.from_arcs(len(shape), shape.arcs, names=names)

    def shape(self, block: int) -> Dag:
        """Return *block* as a dag without names; the cost depends only on its size."""
        nonsinks, members = self.nonsinks(block), self._members(block)
        children = self.dag.child_rows.take(nonsinks)
        parents = np.repeat(nonsinks, self.dag.out_degrees[nonsinks])
        places = np.searchsorted(members, children)
        inside = members[np.minimum(places, len(members) - 1)] == children
        arcs = np.column_stack([np.searchsorted(members, parents), places])[inside]
        return Dag.from_arcs(len(members), arcs)

    def _members(self, block: int) -> Ids:
        return np.sort(np.concatenate([self.nonsinks(block), self.sinks(block)]))

    @cached_property
    def owner(self) -> Ids:
        """Block that owns each task; -1 for sinks of the dag."""
        owner = np.full(len(self.dag), -1, np.int32)
        nonsinks = self.blocks.nonsinks
        owner[nonsinks.targets] = np.repeat(np.arange(len(self)), nonsinks.sizes)
        return owner

    @cached_property
    def superdag(self) -> Dag:
        """The blocks as tasks: block b waits for block a if a task of b waits for a task of a.

        Every arc between tasks with different owners counts, not only shared tasks, because a
        nonsink of a block that is not bipartite may have children outside the block.
        """
        owners = self.owner[self.dag.arcs]
        between = (owners[:, 0] != owners[:, 1]) & (owners[:, 1] >= 0)
        return Dag.from_arcs(len(self), owners[between])


def decompose(dag: Dag) -> Decomposition:
    """Cut *dag*, which must have no shortcuts, into its blocks.

    A block is a minimal set of the remaining tasks that has a source, all children of its sources,
    and all parents of its members. Bipartite blocks are cut off first. Near O(tasks + arcs).

    >>> parts = decompose(Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}))
    >>> [(parts.nonsinks(b).tolist(), parts.sinks(b).tolist()) for b in range(len(parts))]
    [([0], [1, 2]), ([1, 2], [3])]
    >>> parts.superdag.arcs.tolist()
    [[0, 1]]
    """
    return Decomposition(dag, Blocks(*_native.decompose(dag.child_rows, dag.parent_rows)))


Kind = _native.BlockKind
_LARGEST_STRAND = 60  # tasks; blocks with more get a short name


@dataclass(frozen=True)
class BlockGroup:
    """`count` blocks of one family, each with `sources` sources and `sinks` sinks."""

    family: str
    count: int
    sources: int
    sinks: int


# Families in the order of tests; a strand is named by its spine.
_FAMILIES = (
    *("N({})", "W({},{})", "M({},{})", "strand", "T({},{})", "C({})"),
    *("K({},{})", "Clique({})", "Clique*({})", "B({},{})", "G({})"),
)
_STRAND = _FAMILIES.index("strand")


def family_name(block: Dag, kind: Kind) -> str:
    """Name a block as the papers do: W(3,2), M(1,250), N(4), C(5), K(2,3), Clique(4).

    Other planar bipartite trees are strands W[4,2,3] and M[4,2,3] or P[4,1/3,2]. Long
    strands and other trees are named T(sources,sinks), other bipartite blocks
    B(sources,sinks), and blocks that are not bipartite G(tasks).

    >>> family_name(Dag({"a": [], "b": [], "x": ["a"], "y": ["a", "b"], "z": ["b"]}), Kind.TREE)
    'W(2,2)'
    """
    nonsinks, sinks = (
        Rows(np.array([0, len(r)], np.int32), r) for r in (block.nonsinks, block.sinks)
    )
    blocks = Blocks(nonsinks, sinks, np.ones(1, np.uint8))
    shapes = replace(
        _native.block_shapes(block.child_rows, blocks),
        sources=np.array([len(block.sources)]),  # including isolated tasks, which no block has
        bipartite=np.array([block.is_bipartite]),
    )
    return _names(*_labels(block, blocks, np.array([kind]), shapes))[0]


def _names(families: Sequence[str], labels: NDArray[np.int64]) -> list[str]:
    """Return the name of each block from what `_labels` returns."""
    return [families[family].format(*numbers) for family, *numbers in labels.T.tolist()]


def _labels(
    dag: Dag, blocks: Blocks, kind: Ids, shape: BlockShapes
) -> tuple[list[str], NDArray[np.int64]]:
    """Return families, and three rows of labels that are the same for blocks of the same name.

    The labels of a block are the place of its family, and the two numbers to put into that.
    """
    sources, sinks, none = shape.sources, shape.sinks, np.zeros(len(kind), np.int32)
    tree = kind == Kind.TREE
    same_out = (shape.least_out == shape.most_out) & (shape.most_out > 1)
    same_in = (shape.least_in == shape.most_in) & (shape.most_in > 1)
    narrow_out, narrow_in = shape.most_out <= 2, shape.most_in <= 2
    cases = (
        (tree & (sources == sinks) & narrow_out & narrow_in, sources, none),
        (tree & same_out & narrow_in, sources, shape.most_out),
        (tree & same_in & narrow_out, sinks, shape.most_in),
        (tree & (shape.members <= _LARGEST_STRAND), none, none),
        (tree | (kind == Kind.FOREST), sources, sinks),
        (kind == Kind.CYCLE, sources, none),
        (kind == Kind.COMPLETE, sources, sinks),
        (kind == Kind.CLIQUE, sources, none),
        (kind == Kind.COCLIQUE, sinks, none),
        (shape.bipartite != 0, sources, sinks),
        (np.ones(len(kind), bool), shape.members, none),
    )
    tests, *numbers = zip(*cases, strict=True)
    labels = np.array([np.select(tests, row) for row in (range(len(cases)), *numbers)], np.int64)
    strands = ids_where(labels[0] == _STRAND)
    spines = _native.block_spines(dag.child_rows, blocks, strands)
    places: dict[bytes, int] = {}
    labels[0, strands] = [
        places.setdefault(spines.targets[start:end].tobytes(), len(_FAMILIES) + len(places))
        for start, end in pairwise(spines.offsets.tolist())
    ]
    names = (_strand_name(np.frombuffer(spine, np.int32).tolist()) for spine in places)
    return [*_FAMILIES, *names], labels


def _strand_name(spine: Sequence[int]) -> str:
    """Name a strand by the degrees along its spine, its zigzag; a sink of degree d is 1/d."""
    sources = [degree for degree in spine if degree > 0]
    sinks = [-degree for degree in spine if degree < 0]
    if len(sources) > len(sinks) and set(sinks) == {2}:
        return f"W[{','.join(map(str, sources))}]"
    if len(sinks) > len(sources) and set(sources) == {2}:
        return f"M[{','.join(map(str, sinks))}]"
    zigzag = [f"{degree}" if degree > 0 else f"1/{-degree}" for degree in spine]
    return f"P[{','.join(zigzag)}]"


def block_groups(parts: Decomposition, orders: BlockOrders) -> list[BlockGroup]:
    """Group the blocks by family and size, most frequent first."""
    shapes = _native.block_shapes(parts.dag.child_rows, parts.blocks)
    families, labels = _labels(parts.dag, parts.blocks, orders.kind, shapes)
    rows = np.vstack([labels, orders.sources, parts.blocks.sinks.sizes])
    equal = np.lexsort(rows)  # equal blocks one after the other, by number
    is_first = np.ones(len(equal), bool)
    is_first[1:] = (np.diff(rows[:, equal]) != 0).any(axis=0)
    starts = np.flatnonzero(is_first)
    counts = np.diff(np.append(starts, len(equal)))
    by_number = np.argsort(equal[starts])
    firsts = rows[:, equal[starts][by_number]]
    columns = _names(families, firsts[:3]), counts[by_number].tolist(), *firsts[3:].tolist()
    return sorted(
        map(BlockGroup, *columns), key=lambda g: (-g.count, g.family[:1], (g.sources, g.sinks))
    )


def block_names(parts: Decomposition, orders: BlockOrders, which: Ids) -> list[str]:
    """Return the names of some blocks of a decomposition."""
    nonsinks, sinks = (
        Rows(np.append(0, np.cumsum(side.sizes[which])).astype(np.int32), side.take(which))
        for side in (parts.blocks.nonsinks, parts.blocks.sinks)
    )
    blocks = Blocks(nonsinks, sinks, parts.blocks.bipartite[which])
    shapes = _native.block_shapes(parts.dag.child_rows, blocks)
    return _names(*_labels(parts.dag, blocks, orders.kind[which], shapes))
