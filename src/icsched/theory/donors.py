"""Universal donors: dags of which every self-contained set is a good cluster.

A dag is a *universal donor* if, whatever has run, what is left has an IC-optimal order.
Paper 000 finds them by looking at how blocks are laid on each other (section 3.3.2). The test
here is stricter than the paper's, because Theorems 3.3 and 3.4 fail as they are printed;
tests/cluster/test_counterexamples.py has the dags, docs/cluster.md the reasons.

What the test rests on. Every block is a row of sources, next to each other where they share a
sink: W, N or C. Running some of them leaves shorter rows, each a W of the same degree, or the N
that holds the last source, or the whole C (Lemmas 3.3 to 3.5). All these have priority one way or
the other, so what is left is a linear composition as soon as each row has priority over the
rows that it is composed with. That is so wherever a block lies on another in one of the ways
that `_lies_well` lists.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids
from icsched.theory import Analysis

_W, _N, _C = 0, 1, 2

Mask = NDArray[np.bool_]


def is_universal_donor(analysis: Analysis) -> bool:
    """Whether every residual of the dag is sure to have an IC-optimal order.

    True for compositions of W-, N- and C-dags (Theorem 3.3), and for compositions of M-dags of
    degree 2 (Theorem 3.4), whose blocks lie on each other as this module asks. False says
    nothing. O(tasks + arcs).

    >>> from icsched import families
    >>> from icsched.theory import analyse
    >>> mesh, tree = families.mesh(4), families.tree(3)
    >>> [is_universal_donor(analyse(dag)) for dag in (mesh, tree, tree.dual())]
    [True, False, True]
    """
    if not analysis.is_linear:
        return False
    dag = analysis.parts.dag
    if not dag.arc_count:
        return True
    blocks = analysis.parts.owner[dag.arcs[:, 0]]
    rows = _rows(len(dag), dag.arcs, blocks)
    if rows is not None:
        return bool(_lies_well(rows).all())
    rows = _rows(len(dag), dag.arcs[:, ::-1], blocks)
    if rows is None or (rows.kind != _W).any() or (rows.degree != 2).any():
        return False
    return bool(_lies_well_as_dual(rows).all())


@dataclass(frozen=True, eq=False)
class _Rows:
    """Blocks as rows of sources: what each is, and each source's place in its row.

    `place` runs from the source with a sink of its own in an N, either way in a W, around
    in a C. `arcs` are those from a source of one block to a source of another.
    """

    kind: Ids
    size: Ids  # sources
    degree: Ids
    place: Ids  # of each task; -1 for those that are no source of a block
    arcs: Ids
    upper: Ids  # block of each arc's parent
    lower: Ids  # block of its child


def _rows(tasks: int, arcs: Ids, blocks: Ids) -> _Rows | None:
    """Draw the blocks as rows; None if one of them is no W, N or C."""
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
    return _Rows(kind, size, most, place, arcs[inner], blocks[inner], owner[sinks[inner]])


def _links(arcs: Ids, sharing: NDArray[np.int64]) -> Ids:
    """Pairs of sources that share a sink, a pair for each such sink."""
    shared = arcs[sharing[arcs[:, 1]] == 2]
    by_sink: Ids = shared[np.argsort(shared[:, 1], kind="stable"), 0]
    return by_sink.reshape(-1, 2)


def _kinds(owner: Ids, degree: NDArray[np.int64], linked: NDArray[np.int64]) -> Ids | None:
    """Kind of each block; None if one is none of the three.

    A row of s sources has s - 1 links, a cycle s. In a W all degrees are equal and 2 or
    more, in a C they are 2, in an N all are 2 but the last one's, which is 1.
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
    return np.select([w_dag, n_dag], [_W, _N], _C).astype(np.int32)


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
    # Ends before middles, so that a row is begun at an end; of an N, not at its last source.
    middle, walked = np.unique(links), place.tolist()
    ends = middle[(linked[middle] == 1) & (degree[middle] > 1)]
    for start in [*ends.tolist(), *middle.tolist()]:
        task, number = start, 0
        while walked[task] < 0:
            walked[task] = number
            number += 1
            task = next((near for near in beside[task] if walked[near] < 0), task)
    return np.array(walked, np.int32)


def _lies_well(rows: _Rows) -> Mask:
    """Whether the upper block of each arc lies on the lower one as the theorem needs.

    - A W of degree above 2, or above that of a lower W, keeps priority over whatever is
      left of the lower block (Lemma 3.2).
    - Otherwise each source of the upper block has a child among the lower sources at the same
      distance, and none but that one and its neighbours. A row of the upper block
      then leads to one row of the lower block, which is at least as long.
    - An N on an N must also end where that ends: else an N may be left on a W.
    """
    upper, lower = rows.kind[rows.upper], rows.kind[rows.lower]
    degree, other = rows.degree[rows.upper], rows.degree[rows.lower]
    persistent = (upper == _W) & (degree > 2) & ((lower != _W) | (degree > other))
    straight = _matched(rows, 1)
    flush = _matched(rows, 1, flush=True)
    either_way = straight | _matched(rows, -1)
    by_matching = np.where((upper == _N) & (lower == _N), flush, either_way)
    well: Mask = persistent | by_matching
    return well


def _lies_well_as_dual(rows: _Rows) -> Mask:
    """Whether the same holds for the dual of a composition of M-dags of degree 2.

    *rows* are the W-dags of the dual. All sinks of an upper one must be sources of the lower
    one: rows left of an M are Ws between two gaps, Ns beside one, and the M itself, and an M with
    a source that comes from elsewhere could leave an N below a whole M.
    """
    pair, count = _pairs(rows)
    children = np.unique(pair * len(rows.place) + rows.arcs[:, 1]) // len(rows.place)
    covered = np.bincount(children, minlength=count)[pair] == rows.size[rows.upper] + 1
    well: Mask = covered & (_matched(rows, 1) | _matched(rows, -1))
    return well


def _pairs(rows: _Rows) -> tuple[NDArray[np.int64], int]:
    """Return which pair of blocks each arc leads between, as a number, and how many there are."""
    key = rows.upper.astype(np.int64) * len(rows.size) + rows.lower
    distinct, pair = np.unique(key, return_inverse=True)
    return pair, len(distinct)


def _matched(rows: _Rows, direction: int, *, flush: bool = False) -> Mask:
    """Whether each arc's blocks match: see `_lies_well`; *direction* -1 turns the lower block.

    The distance is the same for all arcs of a pair but for one step; the arcs at exactly that
    distance are as many as the upper block has sources. Distances in a C count modulo its size.
    """
    pair, count = _pairs(rows)
    lower_size = rows.size[rows.lower].astype(np.int64)
    around = rows.kind[rows.lower] == _C
    apart = rows.place[rows.arcs[:, 1]] - direction * rows.place[rows.arcs[:, 0]].astype(np.int64)
    first = np.zeros(count, np.int64)
    first[pair[::-1]] = apart[::-1]
    matched = np.zeros(count, bool)
    for step in (-1, 0, 1):
        off = apart - first[pair] - step
        off = np.where(around, (off + 1) % lower_size - 1, off)
        near = np.bincount(pair, np.abs(off) > 1, minlength=count) == 0
        exact = np.bincount(pair, off == 0, minlength=count)[pair] == rows.size[rows.upper]
        ends = first[pair] + step + rows.size[rows.upper] == lower_size
        good = near[pair] & exact & (rows.size[rows.upper] <= lower_size) & (ends | (not flush))
        matched |= np.bincount(pair, good, minlength=count) > 0
    return matched[pair]
