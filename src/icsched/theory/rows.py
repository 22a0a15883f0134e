"""Blocks drawn as rows: W-, N- and C-dags with the place of each source from left to right.

Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for Task-Hungry Computing Platforms", Fig. 3
draws them so. `donors` and `reticulation` ask how the rows of a dag lie on each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, Mask

W_DAG, N_DAG, C_DAG = 0, 1, 2


@dataclass(frozen=True, eq=False)
class BlockRows:
    """Blocks as rows of sources: what each is, and each source's place in its row.

    In an N, `place` counts from the source that has a sink of its own. In a W it counts from
    either end, in a C around the cycle. `arcs` are the arcs from a source of one block to a
    source of another.
    """

    kind: Ids
    size: Ids  # sources
    degree: Ids
    place: Ids  # of each task; -1 if it is not a source of a block
    arcs: Ids
    upper: Ids  # block of each arc's parent
    lower: Ids  # block of its child


def block_rows(tasks: int, arcs: Ids, blocks: Ids) -> BlockRows | None:
    """Draw the blocks as rows; None if one of them is not a W, N or C."""
    sources, sinks = arcs[:, 0], arcs[:, 1]
    sharing = np.bincount(sinks, minlength=tasks)
    if sharing.max() > 2:
        return None
    links = _links(arcs, sharing)
    degree = np.bincount(sources, minlength=tasks)
    linked = np.bincount(links.ravel(), minlength=tasks)
    if linked.max(initial=0) > 2:
        return None
    owner = np.full(tasks, -1, np.int32)
    owner[sources] = blocks
    kind = _kinds(owner, degree, linked)
    if kind is None:
        return None
    inner = np.flatnonzero(owner[sinks] >= 0)
    size = np.bincount(owner[owner >= 0]).astype(np.int32)
    most = np.zeros(len(size), np.int32)
    np.maximum.at(most, owner[owner >= 0], degree[owner >= 0])
    place = _places(links, np.flatnonzero(owner >= 0), degree, linked)
    return BlockRows(kind, size, most, place, arcs[inner], blocks[inner], owner[sinks[inner]])


def _links(arcs: Ids, sharing: NDArray[np.int64]) -> Ids:
    """Pairs of sources that share a sink, one pair for each shared sink."""
    shared = arcs[sharing[arcs[:, 1]] == 2]
    by_sink: Ids = shared[np.argsort(shared[:, 1], kind="stable"), 0]
    return by_sink.reshape(-1, 2)


def _kinds(owner: Ids, degree: NDArray[np.int64], linked: NDArray[np.int64]) -> Ids | None:
    """Kind of each block; None if one of them is not a W, N or C.

    A row of s sources has s - 1 links, a cycle s. In a W all degrees are equal, and 2 or more.
    In a C all degrees are 2. In an N all degrees are 2, except the last, which is 1.
    """
    member = np.flatnonzero(owner >= 0)
    block = owner[member]
    size = np.bincount(block)
    is_row = np.bincount(block, linked[member]) < 2 * size
    least = np.full(len(size), np.iinfo(np.int64).max)
    np.minimum.at(least, block, degree[member])
    most = np.zeros(len(size), np.int64)
    np.maximum.at(most, block, degree[member])
    single = np.bincount(block, degree[member] == 1)
    w_dag = is_row & (least == most) & (least >= 2)
    n_dag = is_row & (single == 1) & (most == np.minimum(size, 2))
    c_dag = ~is_row & (most == 2) & (least == 2)
    if not (w_dag | n_dag | c_dag).all():
        return None
    return np.select([w_dag, n_dag], [W_DAG, N_DAG], C_DAG).astype(np.int32)


def _places(
    links: Ids, sources: NDArray[np.intp], degree: NDArray[np.int64], linked: NDArray[np.int64]
) -> Ids:
    """Place of each source in its row, from an end that has a sink of its own."""
    place = np.full(len(degree), -1, np.int32)
    place[sources[linked[sources] == 0]] = 0
    beside: list[tuple[int, ...]] = [()] * len(degree)
    for one, other in links.tolist():
        beside[one] += (other,)
        beside[other] += (one,)
    # Ends come first, so that a walk starts at an end; in an N, not at the last source.
    middle, walked = np.unique(links), place.tolist()
    ends = middle[(linked[middle] == 1) & (degree[middle] > 1)]
    for start in [*ends.tolist(), *middle.tolist()]:
        task, number = start, 0
        while walked[task] < 0:
            walked[task] = number
            number += 1
            task = next((near for near in beside[task] if walked[near] < 0), task)
    return np.array(walked, np.int32)


def block_pairs(rows: BlockRows) -> tuple[NDArray[np.int64], int]:
    """Return the number of the pair of blocks that each arc joins, and how many pairs there are."""
    key = rows.upper.astype(np.int64) * len(rows.size) + rows.lower
    distinct, pair = np.unique(key, return_inverse=True)
    return pair, len(distinct)


def matched(
    rows: BlockRows, direction: int, *, least: int = -1, most: int = 1, flush: bool = False
) -> Mask:
    """Whether the sources of each arc's blocks match one by one; *direction* -1 turns the lower.

    The arcs of a pair have the same distance, or differ from it by *least* to *most* steps, at
    most one. As many arcs have exactly that distance as the upper block has sources. Distances in
    a C are modulo its size. With *flush* the two rows must also end together.
    """
    pair, count = block_pairs(rows)
    lower_size = rows.size[rows.lower].astype(np.int64)
    around = rows.kind[rows.lower] == C_DAG
    apart = rows.place[rows.arcs[:, 1]] - direction * rows.place[rows.arcs[:, 0]].astype(np.int64)
    first = np.zeros(count, np.int64)
    first[pair[::-1]] = apart[::-1]
    matched = np.zeros(count, bool)
    for step in (-1, 0, 1):
        off = apart - first[pair] - step
        off = np.where(around, (off - least) % lower_size + least, off)
        near = np.bincount(pair, (off < least) | (off > most), minlength=count) == 0
        exact = np.bincount(pair, off == 0, minlength=count)[pair] == rows.size[rows.upper]
        ends = first[pair] + step + rows.size[rows.upper] == lower_size
        good = near[pair] & exact & (rows.size[rows.upper] <= lower_size) & (ends | (not flush))
        matched |= np.bincount(pair, good, minlength=count) > 0
    return matched[pair]
