"""Universal donors: dags in which every self-contained set is a good cluster.

A dag is a *universal donor* if, whatever has run, what is left has an IC-optimal order.
Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for Task-Hungry Computing Platforms",
find donors by looking at how blocks are laid on each other (section 3.3.2). The test here is
stricter than the paper's, because Theorems 3.3 and 3.4 fail as printed.
tests/serve/clusters/test_counterexamples.py has the dags, docs/cluster.md the reasons.

Why the test is right: every block is a W, N or C, which is a row of sources whose neighbours
share a sink. Running some sources leaves shorter rows. Each is a W of the same degree, or the N
with the last source, or the whole C (Lemmas 3.3 to 3.5). Of any two of these rows, one has
priority over the other. So what is left is a linear composition if each row has priority over the
rows that it is composed with. This holds if each block lies on the next in one of the ways that
`_lies_well` lists.
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


def _rows(tasks: int, arcs: Ids, blocks: Ids) -> _Rows | None:
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
    return _Rows(kind, size, most, place, arcs[inner], blocks[inner], owner[sinks[inner]])


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


def _lies_well(rows: _Rows) -> Mask:
    """Whether the upper block of each arc lies on the lower one as the theorem needs.

    - A W of degree above 2 keeps priority over whatever is left of a lower N or C, and of a
      lower W of smaller degree (Lemma 3.2).
    - Otherwise each source of the upper block must have a child among the lower sources, at the
      same distance for all sources. Its other children there may only be neighbours of that
      child. Then a row of the upper block leads to one row of the lower block, which is at least
      as long.
    - An N on an N must also end where the lower N ends. Otherwise an N may be left on a W.
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
    """Whether blocks lie well in the dual of a composition of M-dags of degree 2.

    *rows* are the W-dags of the dual. All sinks of an upper W must be sources of the lower W.
    The reason: what is left of an M are Ws between two gaps, Ns beside one gap, or the whole M. If
    a source of an M came from elsewhere, an N could be left below a whole M.
    """
    pair, count = _pairs(rows)
    children = np.unique(pair * len(rows.place) + rows.arcs[:, 1]) // len(rows.place)
    covered = np.bincount(children, minlength=count)[pair] == rows.size[rows.upper] + 1
    well: Mask = covered & (_matched(rows, 1) | _matched(rows, -1))
    return well


def _pairs(rows: _Rows) -> tuple[NDArray[np.int64], int]:
    """Return the number of the pair of blocks that each arc joins, and how many pairs there are."""
    key = rows.upper.astype(np.int64) * len(rows.size) + rows.lower
    distinct, pair = np.unique(key, return_inverse=True)
    return pair, len(distinct)


def _matched(rows: _Rows, direction: int, *, flush: bool = False) -> Mask:
    """Whether each arc's blocks match as `_lies_well` asks; *direction* -1 turns the lower block.

    The arcs of a pair have the same distance, or differ from it by one step. As many arcs have
    exactly that distance as the upper block has sources. Distances in a C are modulo its size.
    With *flush* the two rows must also end together.
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
