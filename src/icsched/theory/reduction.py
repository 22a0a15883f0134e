"""Shortcuts: arcs that another path makes superfluous.

Removing them is step 1 of Malewicz, Foster, Rosenberg and Wilde 2007, "A Tool for Prioritizing
DAGMan Jobs and its Evaluation".
"""

from icsched import _native
from icsched.arrays import Ids, Mask
from icsched.dag import Dag

# How many arcs the kernel may look at: for the whole dag, and more for each arc of it.
_MOST_WORK = 100_000_000
_MOST_WORK_PER_ARC = 10


def shortcuts(dag: Dag) -> Ids:
    """Return the shortcuts of *dag* as rows of (parent id, child id).

    An arc is a shortcut if another path leads from its parent to its child. Near
    O(tasks + arcs) on workflow-shaped dags. The search looks at no more than 100 million arcs,
    plus ten for each arc of the dag. On large random dags some shortcuts may therefore be missing
    from the result. Random dags of 100,000 tasks with five arcs each stay within the limit.

    >>> shortcuts(Dag({"a": [], "b": ["a"], "c": ["a", "b"]})).tolist()
    [[0, 2]]
    """
    return dag.arcs[_mask(dag)]


def without_shortcuts(dag: Dag) -> Dag:
    """Return *dag* without its shortcuts: the transitive reduction.

    Which tasks are eligible, and when, does not change. Shortcuts that `shortcuts` misses stay.

    >>> without_shortcuts(Dag({"a": [], "b": ["a"], "c": ["a", "b"]}))
    Dag(tasks=3, arcs=2)
    """
    mask = _mask(dag)
    return dag.with_arcs(~mask) if mask.any() else dag


def _mask(dag: Dag) -> Mask:
    # Arcs to look at in searches: about what the sweep would cost, and some seconds at most.
    sweep = dag.arc_count * (4 + len(dag) // 1024)
    patience = min(sweep, 30_000_000 + 8 * dag.arc_count)
    marks = _native.shortcuts(
        dag.child_rows,
        dag.parent_rows,
        dag.fifo_order,
        patience,
        _MOST_WORK + _MOST_WORK_PER_ARC * dag.arc_count,
    )
    return marks.astype(bool)
