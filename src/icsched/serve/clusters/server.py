"""Clusters for workers as they come: one, a live server, and a plan without timing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import cycle
from operator import index

from numpy.typing import ArrayLike

from icsched.dag import Dag
from icsched.errors import ClusterError, GraphError, LimitError
from icsched.orders import Plan, prioritize
from icsched.pebble import Order, check_order, checked_sizes, verify
from icsched.serve.clusters.direct import Direct
from icsched.serve.clusters.lean import Lean
from icsched.serve.clusters.model import EXACT_TASKS, Cluster, is_productive
from icsched.serve.clusters.rest import Rest
from icsched.serve.clusters.staggered import Staggered
from icsched.serve.clusters.strategy import Strategy
from icsched.theory import Analysis
from icsched.theory.donors import is_universal_donor

CLUSTER_STRATEGIES = ("auto", "direct", "staggered", "donor", "lean")
_INSTEAD = "use auto, direct or lean"  # these take any dag
VERIFY_SETS = 200_000  # what the referee may spend on an order of the user's


class ClusterServer:
    """Hand out clusters of a dag to workers of different power, as they arrive.

    `arrive` gives a worker tasks whose parents are all done or come with them, so that no
    worker ever waits for another. `done` reports a cluster's results; `lost` gives its tasks
    back, of a worker who will not return. Arguments are as for `best_cluster`; `strategy` is the
    one in use. The dag is analysed once; an arrival costs about as much as its cluster is large.
    Many servers of one dag can share that: give each the `Plan` of `prioritize` as *order*.

    >>> server = ClusterServer(Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}))
    >>> first = server.arrive(2)
    >>> first.tasks, server.arrive(1)
    ((0, 1), None)
    >>> server.done(first)
    >>> server.arrive(8).tasks
    (2, 3)
    """

    def __init__(
        self,
        dag: Dag,
        *,
        strategy: str = "auto",
        order: Order | Plan | None = None,
        sizes: ArrayLike | None = None,
    ) -> None:
        if not isinstance(dag, Dag):
            raise GraphError(f"expected a Dag, got {type(dag).__name__}; see icsched.Dag")
        if not len(dag):
            raise ClusterError("expected a dag with tasks, got an empty one")
        if strategy not in CLUSTER_STRATEGIES:
            raise ClusterError(
                f"strategy: expected {', '.join(CLUSTER_STRATEGIES)}, got {strategy!r}"
            )
        if strategy == "staggered" and order is not None and _analysis(order) is None:
            raise ClusterError("order: expected none, the staggered strategy goes by blocks")
        self._dag = dag
        self._sizes = None if sizes is None else checked_sizes(dag, sizes).tolist()
        self._rest = Rest(dag)
        self._out: dict[int, Cluster] = {}  # by first task: no two hold the same
        self._handed, self._last_place, self._done = 0, -1, 0
        self._prepare(strategy, order)

    def _prepare(self, strategy: str, order: Order | Plan | None) -> None:
        basis = prioritize(self._dag) if order is None else order
        analysis = _analysis(basis)
        has_order = analysis is None
        if has_order and strategy in ("auto", "donor"):
            analysis = prioritize(self._dag).analysis
        self._order, self._proved = _checked_basis(self._dag, basis)
        self._place = [0] * len(self._dag)
        for place, task in enumerate(self._order):
            self._place[task] = place
        self.strategy = self._decided(strategy, analysis, has_order=has_order)
        self._strategy = self._made(analysis)

    def _decided(self, strategy: str, analysis: Analysis | None, *, has_order: bool) -> str:
        """Choose a strategy for "auto", or refuse one that does not apply."""
        is_donor = (
            strategy in ("auto", "donor") and analysis is not None and is_universal_donor(analysis)
        )
        is_linear = analysis is not None and analysis.is_linear
        if strategy == "auto" and is_donor:
            return "donor"
        if strategy == "auto" and is_linear and not has_order:
            return "staggered"
        if strategy == "auto":
            return "direct" if self._proved else "lean"
        if strategy == "donor" and not is_donor:
            raise ClusterError(
                "strategy donor: expected W-, N- and C-dags, or M-dags, laid on each other source"
                f" by source; this dag is not; {_INSTEAD}"
            )
        if strategy == "staggered" and not is_linear:
            raise ClusterError(
                "strategy staggered: expected blocks each with priority over the next;"
                f" this dag is not composed of such; {_INSTEAD}"
            )
        return strategy

    def _made(self, analysis: Analysis | None) -> Strategy:
        if self.strategy == "direct":
            return Direct(self._rest, self._order)
        if self.strategy == "staggered" and analysis is not None:
            return Staggered(self._rest, self._order, analysis)
        return Lean(self._dag, self._rest, self._order, self._sizes)

    @property
    def left(self) -> int:
        """Number of tasks not handed out."""
        return len(self._dag) - self._handed

    @property
    def is_done(self) -> bool:
        """Whether all tasks are done."""
        return self._done == len(self._dag)

    def arrive(self, capacity: int) -> Cluster | None:
        """Return a cluster of *capacity* tasks, or fewer where no more can be self-contained.

        None if nothing can be handed out now: all is, or waits for clusters that are out.
        Raises ClusterError for a capacity below 1.
        """
        size = min(_checked_count("capacity", capacity), len(self._dag))
        tasks = self._strategy.choose(size)
        tasks.sort(key=self._place.__getitem__)  # a legal order: so is any subset of it
        assert self._rest.is_self_contained(tasks), "a strategy must keep to the rules"  # noqa: S101
        cluster = self._described(tasks) if tasks else None
        if cluster is not None:
            self._take(cluster)
        self._strategy.settle()
        return cluster

    def _described(self, tasks: list[int]) -> Cluster:
        sizes = self._sizes
        cut_bytes = None if sizes is None else self._rest.cut_bytes(tasks, sizes)
        cut_arcs = self._rest.cut_arcs(tasks)
        return Cluster(tuple(tasks), cut_arcs, self._productive(tasks), self.strategy, cut_bytes)

    def _productive(self, tasks: list[int]) -> bool | None:
        """By Theorem 3.1 if all handed out is a prefix of an IC-optimal order, else exactly."""
        last = max(self._last_place, self._place[tasks[-1]])
        if self._proved and last + 1 == self._handed + len(tasks):
            return True
        if len(self._dag) > EXACT_TASKS:
            return None
        before = [task for task in range(len(self._dag)) if not self._rest.free[task]]
        return is_productive(self._dag, before, tasks)

    def _take(self, cluster: Cluster) -> None:
        self._rest.take(cluster.tasks)
        self._out[cluster.tasks[0]] = cluster
        self._handed += cluster.size
        # Never lowered when a cluster is lost: then more is merely not claimed productive.
        self._last_place = max(self._last_place, self._place[cluster.tasks[-1]])
        self._strategy.took(cluster.tasks)

    def done(self, cluster: Cluster) -> None:
        """Take note that *cluster* has been executed; raises ClusterError if it is not out."""
        self._returned(cluster)
        self._done += cluster.size
        self._strategy.ready(self._rest.finish(cluster.tasks))
        self._strategy.finished(cluster.tasks)

    def lost(self, cluster: Cluster) -> None:
        """Take all of *cluster* back, to hand it out again; raises ClusterError if not out."""
        self._returned(cluster)
        self._handed -= cluster.size
        self._strategy.ready(self._rest.give_back(cluster.tasks))
        self._strategy.lost(cluster.tasks)

    def _returned(self, cluster: Cluster) -> None:
        if not isinstance(cluster, Cluster):
            raise ClusterError(f"expected a cluster that is out, got {cluster!r}")
        if not cluster.tasks or self._out.get(cluster.tasks[0]) != cluster:
            raise ClusterError(f"expected a cluster that is out, got {cluster}")
        del self._out[cluster.tasks[0]]


def best_cluster(
    dag: Dag,
    size: int,
    *,
    strategy: str = "auto",
    order: Order | Plan | None = None,
    sizes: ArrayLike | None = None,
) -> Cluster:
    """Return one cluster of *size* tasks off *dag*.

    *strategy* is one of

    - "direct": the first tasks of an order, *order* or that of `prioritize`. Productive, and
      with an IC-optimal residual, if the order is IC-optimal.
    - "staggered": whole blocks where that cuts fewer arcs; for linear compositions, whose
      residual has an IC-optimal order again.
    - "donor": the cheapest set, for dags of which every residual has an IC-optimal order.
    - "lean": the cheapest set, for any dag; nothing is promised of the residual.
    - "auto": the first that applies of "donor", "staggered" (unless *order* is given), "direct"
      if the order is known to be IC-optimal, and "lean". So an IC-optimal residual is not given
      up where one of the theorems gives it, and not paid for where none does.

    *sizes*, bytes of each task's result as whole numbers, makes "donor" and "lean" count bytes
    instead of arcs. The `Plan` that ``prioritize(dag)`` found counts as no *order* given, but
    spares finding it again.
    Raises ClusterError for an impossible size, a strategy that does not apply or a plan of
    another dag, ScheduleError for an order or sizes that are not of *dag*.

    >>> from icsched import families
    >>> dag = families.paper_000_fig6()
    >>> [best_cluster(dag, 6, strategy=name).cut_arcs for name in ("direct", "staggered")]
    [8, 6]
    """
    server = ClusterServer(dag, strategy=strategy, order=order, sizes=sizes)
    if _checked_count("size", size) > len(dag):
        raise ClusterError(f"size: expected 1 to {len(dag)}, as many as tasks, got {size}")
    taken = server.arrive(size)
    assert taken is not None, "a fresh dag has tasks that wait for nothing"  # noqa: S101
    return taken


def plan_clusters(
    dag: Dag,
    capacities: Sequence[int],
    *,
    strategy: str = "auto",
    order: Order | Plan | None = None,
    sizes: ArrayLike | None = None,
) -> list[Cluster]:
    """Return all of *dag* as clusters, sized to *capacities* in turn, over and over.

    Each counts as done when it is handed out, as in paper 000: a plan without timing. Other
    arguments are as for `best_cluster`. Raises ClusterError without capacities or for one below 1.

    >>> dag = Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})
    >>> [taken.tasks for taken in plan_clusters(dag, [1, 2])]
    [(0,), (1, 2), (3,)]
    """
    if not isinstance(capacities, Iterable):
        raise ClusterError(f"capacities: expected a list of whole numbers, got {capacities!r}")
    checked = [_checked_count("capacity", capacity) for capacity in capacities]
    if not checked:
        raise ClusterError("capacities: expected one or more, got none")
    server = ClusterServer(dag, strategy=strategy, order=order, sizes=sizes)
    plan = []
    for capacity in cycle(checked):
        taken = server.arrive(capacity)
        if taken is None:
            break
        server.done(taken)
        plan.append(taken)
    return plan


def _checked_count(what: str, count: int) -> int:
    try:
        number = index(count)
    except TypeError:
        raise ClusterError(f"{what}: expected a whole number, got {count!r}") from None
    if number < 1:
        raise ClusterError(f"{what}: expected 1 or more, got {number}")
    return number


def _analysis(basis: Order | Plan) -> Analysis | None:
    return basis.analysis if isinstance(basis, Plan) else None


def _checked_basis(dag: Dag, basis: Order | Plan) -> tuple[list[int], bool]:
    """Return an order of *dag*, and whether it is known to be IC-optimal."""
    if not isinstance(basis, Plan):
        order = check_order(dag, basis)
        return order.tolist(), _is_ic_optimal(dag, order)
    if basis.dag is not dag and basis.dag != dag:
        raise ClusterError(f"order: expected a plan of {dag}, got one of another dag, {basis.dag}")
    return basis.order.tolist(), basis.proof.is_ic_optimal


def _is_ic_optimal(dag: Dag, order: Order) -> bool:
    """Whether the referee, within its limit, finds *order* IC-optimal."""
    try:
        return verify(dag, order, limit=VERIFY_SETS).ic_optimal
    except LimitError:
        return False
