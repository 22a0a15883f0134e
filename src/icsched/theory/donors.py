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

import numpy as np
from numpy.typing import NDArray

from icsched import checks
from icsched.arrays import Mask
from icsched.theory.analysis import Analysis
from icsched.theory.reticulation import keeps_priority
from icsched.theory.rows import N_DAG, W_DAG, BlockRows, block_pairs, block_rows, matched


def is_universal_donor(analysis: Analysis) -> bool:
    """Whether every residual of the dag is sure to have an IC-optimal order.

    True for compositions of W-, N- and C-dags (Theorem 3.3), and for compositions of M-dags
    (Theorem 3.4), whose blocks lie on each other as this module asks. M-dags of degree above 2
    may only be the last to run. False says nothing. O(tasks + arcs).

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

    - A W of degree above 2 keeps priority over whatever is left of a lower N or C, and of a
      lower W of smaller degree (Lemma 3.2).
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
    well: Mask = keeps_priority(rows) | by_matching
    return well


def _lies_well_as_dual(rows: BlockRows) -> Mask:
    """Whether blocks lie well in the dual of a composition of M-dags.

    *rows* are the W-dags of the dual. All sinks of an upper W, from left to right, must be sources
    in a row of the lower W, and the lower W must have degree 2.

    The reason: what is left of an M of degree 2 are Ws between two gaps, Ns beside one gap, or the
    whole M. What is left of the M below it, of any degree, are planar bipartite trees whose
    sources have at most two children. Such a tree of k sources gains at most 1 at every step,
    except that a W gains 2 at its last. If the tree is below a W, it has more sources than the W.
    If it is below an N, it is not a W. So at each step what is above gains as much as what is
    below, and can run first. The rest is a sum of planar bipartite trees, whose greedy order is
    IC-optimal (Cordasco, Malewicz and Rosenberg 2007, Theorem 3.2). If a source of an M came from
    elsewhere, an N could be left below a whole M.
    """
    pair, count = block_pairs(rows)
    degree = rows.degree[rows.upper].astype(np.int64)
    children = np.unique(pair * len(rows.place) + rows.arcs[:, 1]) // len(rows.place)
    sinks = rows.size[rows.upper] * (degree - 1) + 1
    covered = np.bincount(children, minlength=count)[pair] == sinks
    in_a_row = _follows(rows, pair, count, 1) | _follows(rows, pair, count, -1)
    well: Mask = covered & in_a_row & (rows.degree[rows.lower] == 2)
    return well


def _follows(rows: BlockRows, pair: NDArray[np.int64], count: int, direction: int) -> Mask:
    """Whether the children of the j-th source lie j * (degree - 1) further than the first's."""
    degree = rows.degree[rows.upper].astype(np.int64)
    place = rows.place[rows.arcs].astype(np.int64)
    off = place[:, 1] - direction * place[:, 0] * (degree - 1)
    first, last = np.full(count, np.iinfo(np.int64).max), np.full(count, np.iinfo(np.int64).min)
    np.minimum.at(first, pair, off)
    np.maximum.at(last, pair, off)
    follows: Mask = (last - first)[pair] < degree
    return follows
