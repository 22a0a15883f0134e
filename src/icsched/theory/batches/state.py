"""Where a run stands: which tasks may be taken, and what taking them can enable."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

import numpy as np

from icsched import _native
from icsched._native import TaskState
from icsched.arrays import Ids, Mask, ids_where
from icsched.dag import Dag
from icsched.errors import StateError
from icsched.ready import missing_parents

BatchFront = _native.BatchFront


@dataclass(frozen=True, eq=False)
class State:
    """What may be taken now.

    `sources` are the tasks that may be taken, ids ascending. `eligible` counts the tasks that
    will be eligible if nothing is taken and the running tasks end. `front` says what the sources
    enable.
    """

    sources: Ids
    eligible: int
    front: BatchFront


def state_of(dag: Dag, executed: Iterable[Hashable], running: Iterable[Hashable]) -> State:
    """Check *executed* and *running*, and return what may be taken. O(tasks + arcs).

    Raises what `Dag.mask` raises; GameError if a parent of an executed task is not executed, or a
    running task is not eligible.
    """
    done, busy = dag.mask(executed), dag.mask(running)
    missing = missing_parents(dag, done)
    _check_executed(dag, done, missing)
    offered = (missing == 0) & ~done
    _check_running(dag, done, busy, offered)
    offered &= ~busy
    settled = done | busy
    if busy.any():
        missing = missing_parents(dag, settled)
    states = np.full(len(dag), TaskState.WAITING, np.uint8)
    states[settled] = TaskState.EXECUTED
    states[offered] = TaskState.OFFERED
    sources = ids_where(offered)
    front = _native.batch_front(dag.child_rows, dag.parent_rows, states, sources)
    return State(sources, int(np.count_nonzero((missing == 0) & ~settled)), front)


def _check_executed(dag: Dag, done: Mask, missing: Ids) -> None:
    early = np.flatnonzero(done & (missing > 0))
    if len(early):
        task = int(early[0])
        parent = next(p for p in dag.parent_rows[task].tolist() if not done[p])
        names = f"{dag.names[task]!r} cannot have run: its parent {dag.names[parent]!r}"
        raise StateError("executed", f"{names} has not")


def _check_running(dag: Dag, done: Mask, busy: Mask, offered: Mask) -> None:
    wrong = np.flatnonzero(busy & ~offered)
    if not len(wrong):
        return
    task = int(wrong[0])
    name = repr(dag.names[task])
    if done[task]:
        raise StateError("running", f"{name} is executed already")
    parent = repr(dag.names[next(p for p in dag.parent_rows[task].tolist() if not done[p])])
    raise StateError("running", f"{name} is not eligible: its parent {parent} has not run")
