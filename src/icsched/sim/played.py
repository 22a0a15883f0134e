"""An order as the simulator plays it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from icsched import checks
from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.errors import ArgumentError
from icsched.pebble import Order, Schedule

Playing = Literal["static", "fifo", "lifo", "random", "priority"]


@dataclass(frozen=True, eq=False)
class Played:
    """An order as the simulator plays it: which unassigned eligible task a request gets.

    By "static" a request gets the first task in *order*. By "fifo" a request gets the task that
    became eligible first, by "lifo" the one that became eligible last. Then sources are taken in
    *order*, or by id if *order* is None, and the tasks that one result frees join by id. By
    "random" a request gets the first task in a random order, which is drawn anew for each run.
    By "priority" a request gets a task of the largest number in *priorities*, which has one for
    each task; among these the task that became eligible first, as DAGMan does.

    >>> chosen = Played("static", order=["a", "c", "b"])
    >>> chosen.order_for(Dag({"a": [], "b": ["a"], "c": []})).tolist()
    [0, 2, 1]
    """

    by: Playing
    order: Order | None = None
    priorities: Sequence[int] | Ids | None = None

    def __post_init__(self) -> None:
        checks.one_of("by", self.by, get_args(Playing))
        if self.by == "priority" and self.priorities is None:
            raise ArgumentError("priorities: expected one per task to play by priority, got None")
        if self.priorities is not None:
            if self.by != "priority":
                raise ArgumentError(f"priorities: can only be played by priority, not by {self.by}")
            object.__setattr__(self, "priorities", _checked_priorities(self.priorities))
        if self.by == "static" and self.order is None:
            raise ArgumentError("order: expected one to play by static, got None")

    def order_for(self, dag: Dag) -> Ids:
        """Order as ids of *dag*; raises ScheduleError if it is not a legal order of *dag*."""
        return dag.fifo_order if self.order is None else Schedule.of(dag, self.order).order

    def classes_for(self, dag: Dag) -> Ids:
        """Return the priorities as numbers from 0, the largest; empty if there are none.

        >>> Played("priority", priorities=[-5, 7, -5]).classes_for(Dag.from_arcs(3, [])).tolist()
        [1, 0, 1]
        """
        if self.priorities is None:
            return np.empty(0, np.int32)
        if (got := len(self.priorities)) != len(dag):
            raise ArgumentError(f"priorities: expected {len(dag)}, one per task, got {got}")
        values, places = np.unique(np.asarray(self.priorities), return_inverse=True)
        classes: Ids = (len(values) - 1 - places).astype(np.int32)
        return classes


def _checked_priorities(values: Sequence[int] | Ids) -> Ids:
    """Return a copy of *values* as an array; raises ArgumentError unless they are integers."""
    try:
        given = np.array(values if isinstance(values, np.ndarray) else list(values))
    except (TypeError, ValueError):  # lists of different lengths, for example
        raise ArgumentError("priorities: expected one integer per task") from None
    if given.ndim != 1:
        raise ArgumentError(f"priorities: expected one integer per task, got shape {given.shape}")
    if given.dtype.kind not in "iu":
        raise ArgumentError(f"priorities: expected integers, got {given.dtype}")
    return given
