"""What all clusterers share: what they work on, frontiers to grow sets from, news of tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from icsched.dag import Dag, PerTask
from icsched.errors import ClusterError, LimitError
from icsched.orders import Plan, prioritize
from icsched.pebble import Order, check_order, checked_sizes, verify
from icsched.serve.clusters.rest import Frontier, Rest
from icsched.theory import Analysis, analyse

VERIFY_SETS = 200_000  # the referee's limit for checking an order of the user's


class Clusterer(ABC):
    """Proposes sets of tasks to hand out; the server tells it what becomes of them.

    `name` is the name of the clusterer in `CLUSTERERS`.
    """

    def __init__(self, name: str, frontiers: Sequence[Frontier]) -> None:
        self.name = name
        self._frontiers = frontiers

    @abstractmethod
    def choose(self, size: int) -> list[int]:
        """Return the best self-contained set of *size* tasks, or the largest if it is smaller."""

    def ready(self, tasks: Sequence[int]) -> None:
        """Note free tasks that wait for no parent."""
        for frontier in self._frontiers:
            frontier.add(tasks)

    def settle(self) -> None:
        """Forget the sets that were not taken."""
        for frontier in self._frontiers:
            frontier.settle()

    def took(self, tasks: Iterable[int]) -> None:  # noqa: B027  most need no note
        """Note tasks that were handed out."""

    def finished(self, tasks: Iterable[int]) -> None:  # noqa: B027
        """Note tasks that are done."""

    def lost(self, tasks: Iterable[int]) -> None:  # noqa: B027
        """Note tasks that were lost and can be handed out again."""


@dataclass(frozen=True, eq=False)
class Ground:
    """What a clusterer works on.

    `rest` is what is left of `dag`; the server keeps it up to date. `order` is a legal order, and
    `proved` says whether it is known to be IC-optimal. `sizes` are the bytes of each task's
    result; None means that a set is judged by the arcs that it cuts. `plan` is the plan that the
    order comes from; None for an order of the user's own.
    """

    dag: Dag
    rest: Rest
    order: Sequence[int]
    proved: bool
    sizes: Sequence[int] | None
    plan: Plan | None

    @classmethod
    def of(cls, dag: Dag, order: Order | Plan | None, sizes: PerTask | None) -> Ground:
        """Check *order* and *sizes*; raises ClusterError for a plan of another dag."""
        checked = None if sizes is None else checked_sizes(dag, sizes).tolist()
        basis = prioritize(dag, "prio") if order is None else order
        if not isinstance(basis, Plan):
            ids = check_order(dag, basis)
            return cls(dag, Rest(dag), ids.tolist(), _is_ic_optimal(dag, ids), checked, None)
        if basis.dag is not dag and basis.dag != dag:
            raise ClusterError(
                f"order: expected a plan of {dag}, got one of another dag, {basis.dag}"
            )
        proved = basis.proof.is_ic_optimal
        plan = basis if basis.ordered_by == "prio" else None
        return cls(dag, Rest(dag), basis.order.tolist(), proved, checked, plan)

    @property
    def has_own_order(self) -> bool:
        """Whether the order is another than that of the dag's analysis."""
        return self.plan is None

    @cached_property
    def analysis(self) -> Analysis:
        """The dag taken apart into blocks; computed here if the order is the user's own."""
        return analyse(self.dag)


def _is_ic_optimal(dag: Dag, order: Order) -> bool:
    """Whether the referee, within its limit, proves *order* IC-optimal."""
    try:
        return verify(dag, order, limit=VERIFY_SETS).ic_optimal
    except LimitError:
        return False


def _none(_ground: Ground) -> None:
    """Object to nothing."""


@dataclass(frozen=True)
class NamedClusterer:
    """A way to make clusters, with the one name it has everywhere.

    `sentence` says what it is, for help and pages. `make` makes the clusterer of a server.
    `objection` says why the clusterer cannot be used with a dag, its analysis or its order; None
    means that it can be used.
    """

    name: str
    sentence: str
    make: Callable[[Ground], Clusterer]
    objection: Callable[[Ground], str | None] = _none
