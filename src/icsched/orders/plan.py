"""A plan: an order of a dag with what is known about it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from numpy.typing import ArrayLike

from icsched.arrays import Ids, ranks_of
from icsched.dag import Dag
from icsched.errors import ArgumentError, GraphError
from icsched.orders.entry import Made
from icsched.orders.table import ORDERS
from icsched.pebble import Schedule, checked_run_times
from icsched.theory import Analysis, Proof, confirmed


@dataclass(frozen=True, eq=False)
class Plan:
    """An order of a dag with what is known about it.

    `order` has the task ids, first to run first; `proof` says what is proved about it.
    `ordered_by` is the name of the order in `ORDERS`. `analysis` is None for orders that do not
    take the dag apart. `seconds` has the wall time of each step.
    """

    dag: Dag
    ordered_by: str
    order: Ids = field(repr=False)
    proof: Proof
    analysis: Analysis | None = field(repr=False)
    seconds: Mapping[str, float] = field(repr=False)

    @cached_property
    def schedule(self) -> Schedule:
        """The order with its profiles."""
        return Schedule(self.dag, self.order)

    @cached_property
    def priorities(self) -> Ids:
        """A priority for each task, bigger runs first: n for the first, 1 for the last."""
        return len(self.dag) - ranks_of(self.order)


def prioritize(dag: Dag, order: str = "prio", *, run_times: ArrayLike | None = None) -> Plan:
    """Order *dag*, by default so that as many tasks as possible are eligible at every step.

    *order* is a name of `ORDERS`: "prio", or for comparison "fifo", "lifo", "level",
    "critical-path" and others. *run_times* has one nonnegative number per task, for orders that
    need them. Ties go to the smaller task id. Near O(tasks + arcs) on workflow-shaped dags.
    Raises ArgumentError for an unknown order, or for one that needs run times without them.

    >>> plan = prioritize(Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]}))
    >>> plan.schedule.names, plan.proof.is_ic_optimal, plan.proof.theorem
    (['c', 'a', 'b', 'd', 'e'], True, <Theorem.BLOCKS: 1>)
    """
    if not isinstance(dag, Dag):
        raise GraphError(f"expected a Dag, got {type(dag).__name__}; see icsched.Dag")
    made = _made(dag, order, run_times)
    return Plan(dag, order, made.order, made.proof, made.analysis, made.seconds)


def _made(dag: Dag, name: str, run_times: ArrayLike | None) -> Made:
    entry = ORDERS.find(name)
    if entry.needs_run_times and run_times is None:
        raise ArgumentError(f"order {name} needs run times: expected run_times, got None")
    known = [checked_run_times(dag, run_times)] if entry.needs_run_times else []
    start = time.perf_counter()
    made = entry.make(dag, *known)
    if isinstance(made, Made):
        return made
    ordered = time.perf_counter()
    proof = confirmed(dag, made)
    seconds = {"order": ordered - start, "prove": time.perf_counter() - ordered}
    return Made(made, proof, seconds=seconds)
