"""Persistent priority, reticulated dags and universal donors: residuals of a dag after clusters.

The relations are from Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for Task-Hungry
Computing Platforms", section 3.3. All are about residuals: the tasks left after some have been
executed. `is_reticulated` is the printed definition. Theorems 3.3 and 3.4 and Lemma 3.6 use it, and
are false as printed: tests/serve/clusters/test_counterexamples.py has the dags, docs/cluster.md the
reasons. `is_universal_donor` requires more, and is safe.

A dag is a *universal donor* if every residual has an IC-optimal order. The paper finds donors from
drawings of blocks that lie on each other. Here blocks are rows of sources, as in Fig. 3 of the
paper: W-, N- and C-dags with the place of each source from left to right.

Proof of the test: every block is a W, N or C, which is a row of sources whose neighbours share a
sink. Executing some sources leaves shorter rows. Each is a W of the same degree, or the N with the
last source, or the whole C (Lemmas 3.3 to 3.5). Of any two of these rows, one has priority over the
other. So the residual is a linear composition if each row has priority over the rows that it is
composed with. This holds if each block lies on the next in one of the ways that `_lies_well` lists.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from icsched import checks, pebble
from icsched.arrays import Ids, Mask, ids_where
from icsched.dag import Dag, Graph, dag_of
from icsched.errors import LimitError
from icsched.pebble.referee import DEFAULT_LIMIT
from icsched.pebble.residual import Residual
from icsched.theory.analysis import Analysis
from icsched.theory.priorities import BlockProfile, has_priority_over

W_DAG, N_DAG, C_DAG = 0, 1, 2


@dataclass(frozen=True, eq=False)
class BlockRows:
    """Blocks as rows of sources: the kind of each block, and the place of each source in its row.

    In an N, `place` counts from the source that has its own sink. In a W it counts from either end,
    in a C around the cycle. `arcs` are the arcs from a source of one block to a source of another.
    """

    kind: Ids
    size: Ids  # sources
    degree: Ids
    place: Ids  # of each task; -1 if it is not a source of a block
    arcs: Ids
    upper: Ids  # block of each arc's parent
    lower: Ids  # block of its child


def block_rows(tasks: int, arcs: Ids, blocks: Ids) -> BlockRows | None:
    """Draw the blocks as rows; None if one of them is not a W, N or C.

    A row of s sources has s - 1 links, a cycle s. In a W all degrees are equal, and 2 or more.
    In a C all degrees are 2. In an N all degrees are 2, except the last, which is 1.
    """
    sources, sinks = arcs[:, 0], arcs[:, 1]
    sharing = np.bincount(sinks, minlength=tasks)
    if sharing.max() > 2:
        return None
    shared = arcs[sharing[sinks] == 2]
    # A link is a pair of sources that share a sink.
    links = shared[np.argsort(shared[:, 1], kind="stable"), 0].reshape(-1, 2)
    degree = np.bincount(sources, minlength=tasks)
    linked = np.bincount(links.ravel(), minlength=tasks)
    if linked.max(initial=0) > 2:
        return None
    owner = np.full(tasks, -1, np.int32)
    owner[sources] = blocks
    member = np.flatnonzero(owner >= 0)
    block = owner[member]
    size = np.bincount(block)
    is_row = np.bincount(block, linked[member]) < 2 * size
    least, most = np.full(len(size), np.iinfo(np.int64).max), np.zeros(len(size), np.int64)
    np.minimum.at(least, block, degree[member])
    np.maximum.at(most, block, degree[member])
    single = np.bincount(block, degree[member] == 1)
    w_dag = is_row & (least == most) & (least >= 2)
    n_dag = is_row & (single == 1) & (most == np.minimum(size, 2))
    c_dag = ~is_row & (most == 2) & (least == 2)
    if not (w_dag | n_dag | c_dag).all():
        return None
    inner = np.flatnonzero(owner[sinks] >= 0)
    return BlockRows(
        kind=np.select([w_dag, n_dag], [W_DAG, N_DAG], C_DAG).astype(np.int32),
        size=size.astype(np.int32),
        degree=most.astype(np.int32),
        place=_places(links, member, degree, linked),
        arcs=arcs[inner],
        upper=blocks[inner],
        lower=owner[sinks[inner]],
    )


def _places(
    links: Ids, sources: NDArray[np.intp], degree: NDArray[np.int64], linked: NDArray[np.int64]
) -> Ids:
    """Return the place of each source in its row, from an end that has its own sink."""
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

    The arcs of a pair have the same distance, or differ from it by *least* to *most* (-1 to 1)
    steps. As many arcs have exactly that distance as the upper block has sources. Distances in a C
    are modulo its size. With *flush* the two rows must also end together.
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


MOST_RESIDUALS = 10_000


def best_profile(graph: Graph, *, limit: int = DEFAULT_LIMIT) -> BlockProfile | None:
    """Return the profile of an IC-optimal order of *graph*, or None if there is none.

    The exact referee finds the profile. Raises LimitError past *limit* sets of executed tasks.

    >>> best_profile(Dag({"a": [], "b": ["a"], "c": ["b"]}))
    BlockProfile(sources=1, enabled=(0, 1, 2))
    """
    dag = dag_of(graph)
    order = pebble.ic_optimal_order(dag, limit=limit)
    if order is None:
        return None
    enabled = pebble.enabled_profile(dag, order)[: len(dag.nonsinks) + 1]
    return BlockProfile(len(dag.sources), tuple(enabled.tolist()))


def has_persistent_priority_over(
    first: Graph, second: Graph, *, limit: int = MOST_RESIDUALS
) -> bool:
    """Whether each residual of *first* has priority over each residual of *second*.

    False if a residual has no IC-optimal order. The answer is exact, because all residuals are
    visited. Raises LimitError if a dag has more than *limit* residuals.

    >>> from icsched.families import cycle, n, w
    >>> has_persistent_priority_over(w(2, 3), cycle(3)), has_persistent_priority_over(w(2, 2), n(2))
    (True, False)
    """
    checks.whole_number("limit", limit, least=1)
    upper, lower = (_residual_profiles(dag_of(graph), limit) for graph in (first, second))
    if upper is None or lower is None:
        return False
    return all(has_priority_over(one, other) for one, other in product(upper, lower))


def _residual_profiles(dag: Dag, limit: int) -> list[BlockProfile] | None:
    """Return the different profiles of the residuals; None if one has no IC-optimal order.

    Only sets of nonsinks are executed, because sinks do not change gains of profiles.
    """
    sets: list[frozenset[int]] = [frozenset()]
    for task in dag.fifo_order[dag.out_degrees[dag.fifo_order] > 0].tolist():
        parents = frozenset(dag.parent_rows[task].tolist())
        sets += [executed | {task} for executed in sets if parents <= executed]
        if len(sets) > limit:
            raise LimitError(f"a dag of {len(dag):,} tasks has more than {limit:,} residuals")
    found: dict[BlockProfile, None] = {}
    for executed in sets:
        profile = best_profile(dag.residual(np.array(sorted(executed), np.int32)))
        if profile is None:
            return None
        found[profile] = None
    return list(found)


def closure(graph: Graph, cluster: Iterable[Hashable]) -> Ids:
    """Return the ids of *cluster* and of the tasks that it leaves isolated, ascending.

    *cluster* has names or ids, as `Dag.mask` takes them. Cordasco, Rosenberg and Sims 2011, section
    3.3.3: what remains is dual to a residual of the dual dag. Raises GraphError if a parent of a
    task in *cluster* is not in *cluster*, and UnknownTaskError for unknown tasks.

    >>> from icsched.families import w
    >>> closure(w(2, 2), [0]).tolist()
    [0, 2]
    """
    left = Residual.of(graph)
    dag, gone = left.dag, left.mask(cluster)
    dag.residual(ids_where(gone))  # raises unless the cluster is self-contained
    held = np.bincount(dag.arcs[:, 1], ~gone[dag.arcs[:, 0]], minlength=len(dag))
    holds = np.bincount(dag.arcs[:, 0], ~gone[dag.arcs[:, 1]], minlength=len(dag))
    return left.ids(ids_where(gone | ((held == 0) & (holds == 0))))


def is_reticulated(analysis: Analysis) -> bool:
    """Whether the dag is a reticulated composition of W-, N- and C-dags.

    The blocks form a linear composition. If a block is composed with another, it has persistent
    priority (Lemma 3.2), or its sources lead to sources in a row of the other, one by one. Each
    source may also lead to the next one of the row. One drawing must serve all blocks. O(tasks +
    arcs) time.

    >>> from icsched import families
    >>> from icsched.theory import analyse
    >>> [is_reticulated(analyse(dag)) for dag in (families.evolving_mesh(4), families.mesh(4))]
    [True, False]
    """
    checks.kind_of("analysis", analysis, Analysis, made_by="icsched.theory.analyse")
    dag = analysis.parts.dag
    if not analysis.is_linear or not dag.arc_count:
        return analysis.is_linear
    rows = block_rows(len(dag), dag.arcs, analysis.parts.owner[dag.arcs[:, 0]])
    if rows is None:
        return False
    straight, turned = _laid(rows, 1), _laid(rows, -1)
    free = keeps_priority(rows) | (straight & turned)
    return bool((free | straight | turned).all()) and _has_one_drawing(rows, turned, free)


def keeps_priority(rows: BlockRows) -> Mask:
    """Whether the upper block of each arc has persistent priority over the lower (Lemma 3.2)."""
    upper, lower = rows.kind[rows.upper], rows.kind[rows.lower]
    degree, other = rows.degree[rows.upper], rows.degree[rows.lower]
    keeps: Mask = (upper == W_DAG) & (degree > 2) & ((lower != W_DAG) | (degree > other))
    return keeps


def _laid(rows: BlockRows, direction: int) -> Mask:
    """Whether the upper block lies on a row of the lower one that is at most one source longer."""
    return matched(rows, direction, least=0) | matched(rows, direction, most=0)


def _has_one_drawing(rows: BlockRows, turned: Mask, free: Mask) -> bool:
    """Whether blocks can be turned so that one drawing shows all pairs that are not *free*."""
    beside: dict[int, list[tuple[int, bool]]] = {}
    pairs = zip(rows.upper[~free].tolist(), rows.lower[~free].tolist(), strict=True)
    for (one, other), differ in zip(pairs, turned[~free].tolist(), strict=True):
        beside.setdefault(one, []).append((other, differ))
        beside.setdefault(other, []).append((one, differ))
    side: dict[int, bool] = {}
    for start in beside:
        waiting = deque([start] if side.setdefault(start, False) is False else [])
        while waiting:
            block = waiting.popleft()
            for other, differ in beside[block]:
                if other not in side:
                    side[other] = side[block] ^ differ
                    waiting.append(other)
                elif side[other] != side[block] ^ differ:
                    return False
    return True


def is_universal_donor(analysis: Analysis) -> bool:
    """Whether every residual of the dag is sure to have an IC-optimal order.

    True for compositions of W-, N- and C-dags (Theorem 3.3), and for compositions of M-dags
    (Theorem 3.4), whose blocks lie on each other as this module asks. M-dags of degree above 2 may
    only be the last to run. False proves nothing. O(tasks + arcs).

    >>> from icsched import families
    >>> from icsched.theory import analyse
    >>> mesh, tree = families.mesh(4), families.tree(3)
    >>> [is_universal_donor(analyse(dag)) for dag in (mesh, tree, tree.dual())]
    [True, False, True]
    """
    checks.kind_of("analysis", analysis, Analysis, made_by="icsched.theory.analyse")
    if not analysis.is_linear:
        return False
    dag = analysis.parts.dag
    if not dag.arc_count:
        return True
    blocks = analysis.parts.owner[dag.arcs[:, 0]]
    rows = block_rows(len(dag), dag.arcs, blocks)
    if rows is not None:
        return bool(_lies_well(rows).all())
    rows = block_rows(len(dag), dag.arcs[:, ::-1], blocks)
    if rows is None or (rows.kind != W_DAG).any():
        return False
    return bool(_lies_well_as_dual(rows).all())


def _lies_well(rows: BlockRows) -> Mask:
    """Whether the upper block of each arc lies on the lower one as the theorem needs.

    - A W of degree above 2 keeps priority over all residuals of a lower N or C, and of a lower W of
      smaller degree (Lemma 3.2).
    - Otherwise each source of the upper block must have a child among the lower sources, at the
      same distance for all sources. Its other children there may only be neighbours of that
      child. Then a row of the upper block leads to one row of the lower block, which is at least
      as long.
    - An N on an N must also end where the lower N ends. Otherwise an N may be left on a W.
    """
    upper, lower = rows.kind[rows.upper], rows.kind[rows.lower]
    straight = matched(rows, 1)
    flush = matched(rows, 1, flush=True)
    either_way = straight | matched(rows, -1)
    by_matching = np.where((upper == N_DAG) & (lower == N_DAG), flush, either_way)
    return keeps_priority(rows) | by_matching


def _lies_well_as_dual(rows: BlockRows) -> Mask:
    """Whether blocks lie well in the dual of a composition of M-dags.

    *rows* are the W-dags of the dual. All sinks of an upper W, from left to right, must be sources
    in a row of the lower W, and the lower W must have degree 2.

    Proof: a residual of an M of degree 2 consists of Ws between two gaps, Ns beside one gap, or the
    whole M. A residual of the M below it, of any degree, consists of planar bipartite trees whose
    sources have at most two children. Such a tree of k sources gains at most 1 at every step,
    except that a W gains 2 at its last. A tree below a W has more sources than the W. A tree below
    an N is not a W. So at each step the upper part gains at least as much as the lower part, and
    can run first. The rest is a sum of planar bipartite trees, whose greedy order is IC-optimal
    (Cordasco, Malewicz and Rosenberg 2007, Theorem 3.2). If a source of an M came from elsewhere,
    an N could be left below a whole M.
    """
    pair, count = block_pairs(rows)
    degree = rows.degree[rows.upper].astype(np.int64)
    children = np.unique(pair * len(rows.place) + rows.arcs[:, 1]) // len(rows.place)
    sinks = rows.size[rows.upper] * (degree - 1) + 1
    covered = np.bincount(children, minlength=count)[pair] == sinks
    place = rows.place[rows.arcs].astype(np.int64)
    in_a_row = np.zeros(len(pair), bool)
    for direction in (1, -1):  # the children of source j are j * (degree - 1) places further
        off = place[:, 1] - direction * place[:, 0] * (degree - 1)
        first, last = np.full(count, np.iinfo(np.int64).max), np.full(count, np.iinfo(np.int64).min)
        np.minimum.at(first, pair, off)
        np.maximum.at(last, pair, off)
        in_a_row |= (last - first)[pair] < degree
    well: Mask = covered & in_a_row & (rows.degree[rows.lower] == 2)
    return well
