"""Shortcuts, the blocks of a dag without shortcuts, and the superdag of the blocks.

These are steps 1 and 2 of Malewicz, Foster, Rosenberg and Wilde 2007, "A Tool for Prioritizing
DAGMan Jobs and its Evaluation". A shortcut is an arc that another path makes redundant.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from icsched import _native
from icsched._native import Blocks
from icsched.arrays import Ids, Mask
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
