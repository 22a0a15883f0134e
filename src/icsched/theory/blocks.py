"""What a block is: the kinds that theorems cover, and names for people.

Strands are named as in Cordasco, Malewicz and Rosenberg 2007, "Advances in IC-Scheduling Theory".
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from icsched import _native
from icsched._native import BlockOrders, BlockShapes
from icsched.arrays import Ids, ids_where
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
    shape = _shape(block)
    family, first, second = _code(kind, *(int(getattr(shape, f.name)[0]) for f in fields(shape)))
    return _strand_name(_spine(block)) if family == _STRAND else _name(family, first, second)


def _shape(block: Dag) -> BlockShapes:
    """One block as `icsched._native.block_shapes` describes it."""
    down, up = block.out_degrees[block.sources], block.in_degrees[block.sinks]
    sizes = np.array([len(down), len(up), len(block)], np.int32)
    degrees = np.array([down.min(), down.max(), up.min(), up.max()], np.int32)
    bipartite = np.array([block.is_bipartite], np.uint8)
    return BlockShapes(
        *(sizes[:1], sizes[1:2], sizes[2:]),
        *(degrees[:1], degrees[1:2], degrees[2:3], degrees[3:]),
        bipartite,
    )


# Families in the order in which they are tried; a strand is named by its spine.
_FAMILIES = (
    *("N({})", "W({},{})", "M({},{})", "strand", "T({},{})", "C({})"),
    *("K({},{})", "Clique({})", "Clique*({})", "B({},{})", "G({})"),
)
_STRAND = _FAMILIES.index("strand")


def _name(family: int, first: int, second: int) -> str:
    return _FAMILIES[family].format(first, second)


def _codes(kind: Ids, shape: BlockShapes) -> tuple[NDArray[np.int64], Ids, Ids]:
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
    return (
        np.select(tests, families),
        np.select(tests, [first for _, first, _ in cases]),
        np.select(tests, [second for _, _, second in cases]),
    )


@lru_cache(maxsize=1024)
def _code(kind: Kind, *numbers: int) -> tuple[int, int, int]:
    """Return `_codes` of one block; *numbers* are the fields of its shape.

    The results are cached, because a proof may name hundreds of blocks, most of them alike.
    """
    a, b, c, d, e, f, g, bipartite = (np.array([number], np.int32) for number in numbers)
    shape = BlockShapes(a, b, c, d, e, f, g, bipartite.astype(np.uint8))
    family, first, second = _codes(np.array([kind]), shape)
    return int(family[0]), int(first[0]), int(second[0])


def _spine(block: Dag) -> list[int]:
    """Degrees along the spine, as the kernel `block_spines` finds them.

    The degree of a sink is negative.
    """
    degree = block.in_degrees + block.out_degrees
    beside = {
        task: [n for n in (*block.parent_rows[task], *block.child_rows[task]) if degree[n] > 1]
        for task in np.flatnonzero(degree > 1).tolist()
    }
    spine = [next(task for task, near in beside.items() if len(near) < 2)]
    while len(spine) < len(beside):
        spine.append(next(n for n in beside[spine[-1]] if n not in spine[-2:]))
    spine = max(spine, spine[::-1], key=lambda tasks: degree[tasks].tolist())  # one name a strand
    return [int(degree[task]) if block.out_degrees[task] else -int(degree[task]) for task in spine]


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
    family, first, second = _codes(orders.kind, shapes)
    strands = ids_where(family == _STRAND)
    first[strands], strand_names = _numbered_strands(parts, strands)
    sinks = parts.blocks.sinks.sizes
    groups = []
    for place, count in _distinct([family, first, second, orders.sources, sinks]):
        code = int(family[place]), int(first[place]), int(second[place])
        name = strand_names[code[1]] if code[0] == _STRAND else _name(*code)
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


def _numbered_strands(parts: Decomposition, strands: Ids) -> tuple[Ids, list[str]]:
    """Return a number for each of *strands*, equal for equal spines, and a name for each number."""
    spines = _native.block_spines(parts.dag.child_rows, parts.blocks, strands)
    ends = spines.offsets.tolist()
    known: dict[bytes, int] = {}
    numbers = [
        known.setdefault(spines.targets[start:end].tobytes(), len(known))
        for start, end in pairwise(ends)
    ]
    names = [_strand_name(np.frombuffer(spine, np.int32).tolist()) for spine in known]
    return np.array(numbers, np.int32), names


def block_name(parts: Decomposition, orders: BlockOrders, block: int) -> str:
    """Return the name of one block of a decomposition."""
    nonsinks, sinks = len(parts.nonsinks(block)), len(parts.sinks(block))
    if nonsinks == 1:  # most blocks of most workflows
        return "N(1)" if sinks == 1 else f"W(1,{sinks})"
    return family_name(parts.shape(block), Kind(int(orders.kind[block])))
