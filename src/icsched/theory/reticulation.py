"""Persistent priority and reticulated dags.

The relations are from Cordasco, Rosenberg and Sims 2011, "On Clustering DAGs for Task-Hungry
Computing Platforms", section 3.3. Both ask what is left of a dag once some tasks have run.
`is_reticulated` is the definition as printed. Theorems 3.3 and 3.4 and Lemma 3.6 build on it, and
fail as printed. `is_universal_donor` asks for more, and is safe; docs/cluster.md has the reasons.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from itertools import product

import numpy as np

from icsched import checks, pebble
from icsched.arrays import Ids, Mask, ids_where
from icsched.dag import Dag, Graph, dag_of
from icsched.errors import LimitError
from icsched.pebble.referee import DEFAULT_LIMIT
from icsched.theory.analysis import Analysis
from icsched.theory.priorities import BlockProfile, has_priority_over
from icsched.theory.rows import W_DAG, BlockRows, block_rows, matched

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
    """Whether all that may be left of *first* has priority over all that may be left of *second*.

    False if something that may be left has no IC-optimal order. The answer is exact: every
    residual of both dags is looked at. Raises LimitError if a dag has more than *limit* of them.

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
    """Return the different profiles of the residuals; None if one has no IC-optimal order."""
    found: dict[BlockProfile, None] = {}
    for executed in _executed_nonsinks(dag, limit):
        profile = best_profile(dag.residual(np.array(executed, np.int32)))
        if profile is None:
            return None
        found[profile] = None
    return list(found)


def _executed_nonsinks(dag: Dag, limit: int) -> list[list[int]]:
    """Return all sets of nonsinks that can have run: sinks change no profile's gains."""
    nonsinks = [task for task in dag.fifo_order.tolist() if dag.out_degrees[task]]
    sets: list[frozenset[int]] = [frozenset()]
    for task in nonsinks:
        parents = frozenset(dag.parent_rows[task].tolist())
        sets += [executed | {task} for executed in sets if parents <= executed]
        if len(sets) > limit:
            raise LimitError(f"a dag of {len(dag):,} tasks has more than {limit:,} residuals")
    return [sorted(executed) for executed in sets]


def closure(graph: Graph, cluster: Iterable[Hashable]) -> Ids:
    """Return the ids of *cluster* and of the tasks that it leaves isolated, ascending.

    *cluster* has names or ids, as `Dag.mask` takes them.
    Cordasco, Rosenberg and Sims 2011, section 3.3.3: what remains is dual to a residual of the
    dual dag. Raises GraphError if *cluster* lacks a parent of one of its tasks, and
    UnknownTaskError for tasks that the dag does not have.

    >>> from icsched.families import w
    >>> closure(w(2, 2), [0]).tolist()
    [0, 2]
    """
    dag = dag_of(graph)
    gone = dag.mask(cluster)
    dag.residual(ids_where(gone))  # raises unless the cluster is self-contained
    held = np.bincount(dag.arcs[:, 1], ~gone[dag.arcs[:, 0]], minlength=len(dag))
    holds = np.bincount(dag.arcs[:, 0], ~gone[dag.arcs[:, 1]], minlength=len(dag))
    return ids_where(gone | ((held == 0) & (holds == 0)))


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
    """Whether blocks can be turned so that all pairs that are not *free* are drawn as they lie."""
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
