"""What a block is: the kinds that theorems cover, and names for people.

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
_LARGEST_STRAND = 60  # tasks; nobody reads longer names


@dataclass(frozen=True)
class BlockGroup:
    """`count` blocks of one family, each with `sources` sources and `sinks` sinks."""

    family: str
    count: int
    sources: int
    sinks: int


def family_name(block: Dag, kind: Kind) -> str:
    """Name a block as the papers do: W(3,2), M(1,250), N(4), C(5), K(2,3), Clique(4).

    Other planar bipartite trees are strands W[4,2,3] and M[4,2,3] or P[4,1/3,2]. Long
    strands and other trees are named T(sources,sinks), other bipartite blocks
    B(sources,sinks), and blocks that are not bipartite G(tasks).

    >>> family_name(Dag({"a": [], "b": [], "x": ["a"], "y": ["a", "b"], "z": ["b"]}), Kind.TREE)
    'W(2,2)'
    """
    blocks = Blocks(_row(block.nonsinks), _row(block.sinks), np.ones(1, np.uint8))
    shapes = replace(
        _native.block_shapes(block.child_rows, blocks),
        sources=np.array([len(block.sources)]),  # with isolated tasks, which no block has
        bipartite=np.array([block.is_bipartite]),
    )
    return _names(block, blocks, np.array([kind]), shapes)[0]


def _row(ids: Ids) -> Rows:
    """Return *ids* as the only row."""
    return Rows(np.array([0, len(ids)], np.int32), ids)


# Families in the order in which they are tried; a strand is named by its spine.
_FAMILIES = (
    *("N({})", "W({},{})", "M({},{})", "strand", "T({},{})", "C({})"),
    *("K({},{})", "Clique({})", "Clique*({})", "B({},{})", "G({})"),
)
_STRAND = _FAMILIES.index("strand")


def _name(codes: Sequence[NDArray[np.int64]], place: int, strand_names: Sequence[str]) -> str:
    """Return the name of the block at *place*."""
    family, first, second = (int(column[place]) for column in codes)
    return strand_names[first] if family == _STRAND else _FAMILIES[family].format(first, second)


def _names(dag: Dag, blocks: Blocks, kind: Ids, shapes: BlockShapes) -> list[str]:
    """Return the name of each of *blocks*."""
    codes, strand_names = _named(dag, blocks, kind, shapes)
    return [_name(codes, place, strand_names) for place in range(len(kind))]


def _codes(kind: Ids, shape: BlockShapes) -> list[NDArray[np.int64]]:
    """Return the family of each block and the two numbers of its name; 0 if there is no second."""
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
    tests = [test for test, _, _ in cases]
    families = [np.full(len(kind), family) for family in range(len(_FAMILIES))]
    firsts, seconds = [first for _, first, _ in cases], [second for _, _, second in cases]
    return [np.select(tests, column) for column in (families, firsts, seconds)]


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
    """Group the blocks by family and size, most frequent first.

    Blocks are named in bulk: O(blocks log blocks) array work and a name for each group.
    """
    shapes = _native.block_shapes(parts.dag.child_rows, parts.blocks)
    codes, strand_names = _named(parts.dag, parts.blocks, orders.kind, shapes)
    sinks = parts.blocks.sinks.sizes
    groups = []
    for place, count in _distinct([*codes, orders.sources, sinks]):
        name = _name(codes, place, strand_names)
        groups.append(BlockGroup(name, count, int(orders.sources[place]), int(sinks[place])))
    return sorted(groups, key=lambda g: (-g.count, g.family[:1], (g.sources, g.sinks)))


def _distinct(columns: Sequence[NDArray[np.integer]]) -> list[tuple[int, int]]:
    """Return the first place of each distinct row, ascending, and how often the row occurs."""
    order = np.lexsort(columns[::-1])
    if not len(order):
        return []
    changes = [np.diff(column[order]) != 0 for column in columns]
    starts = np.concatenate([[0], np.flatnonzero(np.logical_or.reduce(changes)) + 1])
    counts = np.diff(np.append(starts, len(order)))
    return sorted(zip(order[starts].tolist(), counts.tolist(), strict=True))


def _named(
    dag: Dag, blocks: Blocks, kind: Ids, shapes: BlockShapes
) -> tuple[list[NDArray[np.int64]], list[str]]:
    """Return the `_codes` of *blocks*, and the names of strands.

    The first number of a strand is the number of its name, equal for equal spines.
    """
    codes = _codes(kind, shapes)
    strands = ids_where(codes[0] == _STRAND)
    spines = _native.block_spines(dag.child_rows, blocks, strands)
    numbers: dict[bytes, int] = {}
    codes[1][strands] = [
        numbers.setdefault(spines.targets[start:end].tobytes(), len(numbers))
        for start, end in pairwise(spines.offsets.tolist())
    ]
    return codes, [_strand_name(np.frombuffer(spine, np.int32).tolist()) for spine in numbers]


def block_names(parts: Decomposition, orders: BlockOrders, which: Ids) -> list[str]:
    """Return the names of some blocks of a decomposition."""
    nonsinks, sinks = (
        Rows(np.append(0, np.cumsum(side.sizes[which])).astype(np.int32), side.take(which))
        for side in (parts.blocks.nonsinks, parts.blocks.sinks)
    )
    blocks = Blocks(nonsinks, sinks, parts.blocks.bipartite[which])
    shapes = _native.block_shapes(parts.dag.child_rows, blocks)
    return _names(parts.dag, blocks, orders.kind[which], shapes)
