"""What all clusterers share: what they work on, frontiers to grow sets from, news of tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from numpy.typing import ArrayLike

from icsched.dag import Dag
from icsched.errors import ClusterError, LimitError
from icsched.orders import Plan, prioritize
from icsched.pebble import Order, check_order, checked_sizes, verify
from icsched.serve.clusters.rest import Frontier, Rest
from icsched.theory import Analysis

VERIFY_SETS = 200_000  # what the referee may spend on an order of the user's


class Clusterer(ABC):
    """Propose sets to hand out; told by the server what becomes of them.

    `name` is the name of the clusterer in `CLUSTERERS`.
    """

    def __init__(self, name: str, frontiers: Sequence[Frontier]) -> None:
        self.name = name
        self._frontiers = frontiers

    @abstractmethod
    def choose(self, size: int) -> list[int]:
        """Return the best self-contained set of *size* tasks, or the largest there is."""

    def ready(self, tasks: Sequence[int]) -> None:
        """Take note of free tasks that wait for nothing."""
        for frontier in self._frontiers:
            frontier.add(tasks)

    def settle(self) -> None:
        """Forget the sets that were not taken."""
        for frontier in self._frontiers:
            frontier.settle()

    def took(self, tasks: Iterable[int]) -> None:  # noqa: B027  most need no note
        """Take note of tasks handed out."""

    def finished(self, tasks: Iterable[int]) -> None:  # noqa: B027
        """Take note of tasks that are done."""

    def lost(self, tasks: Iterable[int]) -> None:  # noqa: B027
        """Take note of tasks that came back."""


@dataclass(frozen=True, eq=False)
class Ground:
    """What a clusterer works on.

    `rest` is what is left of `dag`, kept up to date by the server. `order` is a legal order, and
    `proved` says whether it is known to be IC-optimal. `sizes` are the bytes of each task's
    result; None if sets are to be judged by the arcs that they cut. `plan` is the plan that the
    order comes from; None for an order of the user's own.
    """

    dag: Dag
    rest: Rest
    order: Sequence[int]
    proved: bool
    sizes: Sequence[int] | None
    plan: Plan | None

    @classmethod
    def of(cls, dag: Dag, order: Order | Plan | None, sizes: ArrayLike | None) -> Ground:
        """Check *order* and *sizes*; raises ClusterError for a plan of another dag."""
        checked = None if sizes is None else checked_sizes(dag, sizes).tolist()
        basis = prioritize(dag) if order is None else order
        if not isinstance(basis, Plan):
            ids = check_order(dag, basis)
            return cls(dag, Rest(dag), ids.tolist(), _is_ic_optimal(dag, ids), checked, None)
        if basis.dag is not dag and basis.dag != dag:
            raise ClusterError(
                f"order: expected a plan of {dag}, got one of another dag, {basis.dag}"
            )
        proved = basis.proof.is_ic_optimal
        plan = None if basis.analysis is None else basis
        return cls(dag, Rest(dag), basis.order.tolist(), proved, checked, plan)

    @property
    def has_own_order(self) -> bool:
        """Whether the order is not that of the dag's analysis."""
        return self.plan is None

    @cached_property
    def analysis(self) -> Analysis:
        """The dag taken apart into blocks; found here if the order is the user's own."""
        plan = prioritize(self.dag) if self.plan is None else self.plan
        assert plan.analysis is not None, "prio takes the dag apart"  # noqa: S101
        return plan.analysis


def _is_ic_optimal(dag: Dag, order: Order) -> bool:
    """Whether the referee, within its limit, finds *order* IC-optimal."""
    try:
        return verify(dag, order, limit=VERIFY_SETS).ic_optimal
    except LimitError:
        return False


def _none(_ground: Ground) -> None:
    """Have no objection."""


@dataclass(frozen=True)
class NamedClusterer:
    """A way to make clusters, with the one name it has everywhere.

    `sentence` says what it is, for help and pages. `make` makes the clusterer of a server.
    `objection` says why it cannot be used with a dag, its analysis or its order; it returns None
    where the clusterer can be used.
    """

    name: str
    sentence: str
    make: Callable[[Ground], Clusterer]
    objection: Callable[[Ground], str | None] = _none
