"""Cutting a dag into blocks, and the superdag of the blocks.

This is step 2 of Malewicz, Foster, Rosenberg and Wilde 2007, "A Tool for Prioritizing DAGMan Jobs
and its Evaluation".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from icsched import _native
from icsched._native import Blocks
from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.frames import brief


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
        return len(self.blocks)

    def nonsinks(self, block: int) -> Ids:
        """Tasks that *block* owns, ids ascending."""
        return self.blocks.nonsinks[block]

    def sinks(self, block: int) -> Ids:
        """Sinks of *block*, ids ascending."""
        return self.blocks.sinks[block]

    def block(self, block: int) -> Dag:
        """Return *block* as a dag of its own, tasks in ascending id order."""
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

        Arcs come from all arcs of the dag between owners, not only from shared tasks: a
        block that is not bipartite may have nonsinks with children outside it.
        """
        owners = self.owner[self.dag.arcs]
        between = (owners[:, 0] != owners[:, 1]) & (owners[:, 1] >= 0)
        return Dag.from_arcs(len(self), owners[between])


def decompose(dag: Dag) -> Decomposition:
    """Cut *dag*, which must have no shortcuts, into its blocks.

    A block is a minimal set that has a source of what is left of the dag, all children of
    every source in the set, and all parents of every member. Bipartite blocks are cut off
    first. Near O(tasks + arcs).

    >>> parts = decompose(Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}))
    >>> [(parts.nonsinks(b).tolist(), parts.sinks(b).tolist()) for b in range(len(parts))]
    [([0], [1, 2]), ([1, 2], [3])]
    >>> parts.superdag.arcs.tolist()
    [[0, 1]]
    """
    return Decomposition(dag, _native.decompose(dag.child_rows, dag.parent_rows))
