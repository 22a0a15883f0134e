"""Families of blocks that theorems cover, and names of blocks.

Strands are named as in Cordasco, Malewicz and Rosenberg 2007, "Advances in IC-Scheduling Theory".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from icsched import _native
from icsched._native import BlockOrders, Blocks, BlockShapes
from icsched.arrays import Ids, Rows, ids_where
from icsched.dag import Dag
from icsched.theory.decomposition import Decomposition

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
