"""What a block is: the kinds that theorems cover, and names for people."""

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from icsched._native import BlockOrders
from icsched.dag import Dag
from icsched.theory.decompose import Decomposition

_LARGEST_STRAND = 60  # tasks; longer names would help nobody


class Kind(IntEnum):
    """Why a block's order is what it is; the numbers are those of cpp/include/icsched/blocks.hpp.

    All but SEARCHED and RULED have IC-optimal orders: by theorem, EXACT by computation.
    """

    TREE = 0  # planar bipartite tree: W, M, N and every strand
    FOREST = 1  # another bipartite tree whose order meets a bound for all trees
    CYCLE = 2
    COMPLETE = 3
    CLIQUE = 4
    COCLIQUE = 5
    EXACT = 6  # the referee found an IC-optimal order
    SEARCHED = 7  # the referee found that there is none
    RULED = 8  # too large for it: the best of three rules

    @property
    def is_proved(self) -> bool:
        """Whether the block's order is IC-optimal."""
        return self <= Kind.EXACT


@dataclass(frozen=True)
class BlockGroup:
    """Blocks of one family and size: `count` of them, with so many sources and sinks."""

    family: str
    count: int
    sources: int
    sinks: int


def family_name(block: Dag, kind: Kind) -> str:
    """Name a block as the papers do: W(3,2), M(1,250), N(4), C(5), K(2,3), Clique(4).

    Other planar bipartite trees are strands W[4,2,3] and M[4,2,3] or P[4,1/3,2]. Large
    ones and other trees are named T(sources,sinks), other bipartite blocks
    B(sources,sinks), and what is not bipartite G(tasks).

    >>> family_name(Dag({"a": [], "b": [], "x": ["a"], "y": ["a", "b"], "z": ["b"]}), Kind.TREE)
    'W(2,2)'
    """
    sources, sinks = len(block.sources), len(block.sinks)
    if kind is Kind.TREE:
        return _tree_name(block, sources, sinks)
    if kind is Kind.FOREST:
        return f"T({sources},{sinks})"
    if kind is Kind.CYCLE:
        return f"C({sources})"
    if kind is Kind.COMPLETE:
        return f"K({sources},{sinks})"
    if kind is Kind.CLIQUE:
        return f"Clique({sources})"
    if kind is Kind.COCLIQUE:
        return f"Clique*({sinks})"
    return f"B({sources},{sinks})" if block.is_bipartite else f"G({len(block)})"


def _tree_name(block: Dag, sources: int, sinks: int) -> str:
    down = np.unique(block.out_degrees[block.sources]).tolist()
    up = np.unique(block.in_degrees[block.sinks]).tolist()
    if sources == sinks and max(down) <= 2 and max(up) <= 2:
        return f"N({sources})"
    if len(down) == 1 and down[0] > 1 and max(up) <= 2:
        return f"W({sources},{down[0]})"
    if len(up) == 1 and up[0] > 1 and max(down) <= 2:
        return f"M({sinks},{up[0]})"
    return _strand_name(block) if len(block) <= _LARGEST_STRAND else f"T({sources},{sinks})"


def _strand_name(block: Dag) -> str:
    """Degrees along the spine, a sink's as 1/d: the zigzag of paper 001."""
    degree = block.in_degrees + block.out_degrees
    beside = {
        task: [n for n in (*block.parents(task), *block.children(task)) if degree[n] > 1]
        for task in np.flatnonzero(degree > 1).tolist()
    }
    spine = [next(task for task, near in beside.items() if len(near) < 2)]
    while len(spine) < len(beside):
        spine.append(next(n for n in beside[spine[-1]] if n not in spine[-2:]))
    spine = max(spine, spine[::-1], key=lambda tasks: degree[tasks].tolist())  # one name each
    sources = [int(degree[task]) for task in spine if block.out_degrees[task]]
    sinks = [int(degree[task]) for task in spine if not block.out_degrees[task]]
    if len(sources) > len(sinks) and set(sinks) == {2}:
        return f"W[{','.join(map(str, sources))}]"
    if len(sinks) > len(sources) and set(sources) == {2}:
        return f"M[{','.join(map(str, sinks))}]"
    zigzag = [f"{degree[t]}" if block.out_degrees[t] else f"1/{degree[t]}" for t in spine]
    return f"P[{','.join(zigzag)}]"


def block_groups(parts: Decomposition, orders: BlockOrders) -> list[BlockGroup]:
    """Group the blocks by family and size, most frequent first."""
    names = [block_name(parts, orders, block) for block in range(len(parts))]
    sinks = np.diff(parts.blocks.sinks.offsets).tolist()
    counts = Counter(zip(names, orders.sources.tolist(), sinks, strict=True))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0][0][:1], item[0][1:]))
    return [BlockGroup(name, count, s, t) for (name, s, t), count in ranked]


def block_name(parts: Decomposition, orders: BlockOrders, block: int) -> str:
    """Return the name of one block of a decomposition."""
    nonsinks, sinks = len(parts.nonsinks(block)), len(parts.sinks(block))
    if nonsinks == 1:  # most blocks of most workflows
        return "N(1)" if sinks == 1 else f"W(1,{sinks})"
    return family_name(parts.shape(block), Kind(int(orders.kind[block])))
