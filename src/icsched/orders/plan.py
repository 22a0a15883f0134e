"""Plans: an order of a dag with its profiles and proofs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from icsched.arrays import Ids
from icsched.dag import Dag, Graph
from icsched.errors import (
    ArgumentError,
    EngineError,
    IcschedError,
    ScheduleError,
    pip_install,
)
from icsched.frames import Listed, Shown, Tabular, brief
from icsched.graph_inputs import T, T_co, is_integer
from icsched.orders.definition import Aim, Choice, Made, NamedOrder
from icsched.orders.named_orders import ORDERS
from icsched.pebble import Order, RunTimes, Schedule, check_order, checked_run_times
from icsched.pebble.residual import Residual
from icsched.sim import AnyPool
from icsched.theory import Analysis, Proof, analyse, confirmed
from icsched.workflow import workflow_of

if TYPE_CHECKING:
    from icsched.theory.certificate import Certificate


@dataclass(frozen=True, eq=False)
class Plan(Tabular, Shown, Generic[T_co]):
    """An order of a dag with its profiles and proofs.

    `schedule` has the order with its profiles; `proof` says what is proved about it. `ordered_by`
    is the name of the order in `ORDERS`, or "given". `choice` says why "auto" chose the order; it
    is None for other orders. `dag` is the dag of the workflow, and `order` has its ids. If some
    tasks are done, they are not in the order, and `schedule` has the dag of the others. `to_pandas`
    has the rows of the schedule's.

    >>> prioritize({"a": [], "b": ["a"], "c": ["a"]}, "prio")
    Plan(names=['a', 'b', 'c'], ordered_by='prio', is_ic_optimal=True)
    """

    schedule: Schedule[T_co]
    ordered_by: str
    proof: Proof
    choice: Choice | None = None
    dag: Dag[T_co] = None  # type: ignore[assignment]  # by default that of the schedule

    def __post_init__(self) -> None:
        if self.dag is None:
            object.__setattr__(self, "dag", self.schedule.dag)

    def __repr__(self) -> str:
        chosen = {} if self.choice is None else {"chosen": self.choice.chosen}
        proved = {"is_ic_optimal": True} if self.proof.is_ic_optimal else {}
        return brief(self, names=Listed(self.names), ordered_by=self.ordered_by, **chosen, **proved)

    @property
    def residual(self) -> Schedule[T_co]:
        """The schedule: its dag has the tasks that are left to run."""
        return self.schedule

    @cached_property
    def order(self) -> Ids:
        """The ids in `dag` of the tasks that are left to run, first to run first."""
        return Residual.of(self).ids(self.schedule.order)

    @property
    def names(self) -> list[T_co]:
        """The user's names, first to run first."""
        return self.schedule.names

    @cached_property
    def priorities(self) -> Mapping[T_co, int]:
        """A priority for each name, larger runs first: n for the first, 1 for the last."""
        left = self.schedule.dag
        numbers = (len(left) - self.schedule.ranks).tolist()
        return dict(zip(left.names, numbers, strict=True))

    @property
    def priorities_by_id(self) -> Ids:
        """The priorities as an array, by task id; 0 for a task that is done."""
        priorities = np.zeros(len(self.dag), np.int32)
        priorities[self.order] = np.arange(len(self.order), 0, -1)
        return priorities

    def to_dict(self) -> dict[str, Any]:
        """Return `ordered_by` and the fields of the schedule's `to_dict`."""
        return {"ordered_by": self.ordered_by, **self.schedule.to_dict()}

    @cached_property
    def analysis(self) -> Analysis:
        """The dag split into blocks, for any order; computed on first use."""
        return analyse(self.schedule.dag)

    @cached_property
    def certificate(self) -> "Certificate":
        """The order compared with a bound that no order exceeds; computed on first use."""
        from icsched.theory.certificate import bound  # few plans need it

        return bound(self.schedule.dag).certificate(self.schedule)

    @cached_property
    def fifo(self) -> Schedule[T_co]:
        """First come, first served on the same dag, to compare with."""
        left = self.schedule.dag
        return Schedule.trusted(left, left.fifo_order)


def prioritize(
    graph: Graph[T],
    order: str | Order = "auto",
    *,
    run_times: RunTimes | None = None,
    pool: AnyPool | None = None,
    budget: float | None = None,
    seed: int | None = None,
    label: str | None = None,
) -> Plan[T]:
    """Order *graph*, by default so that its run ends as early as possible.

    *graph* is a `Dag`, a workflow, a mapping from tasks to their parents, or a graph of networkx.
    *order* is a name of `ORDERS`. "auto" simulates on *pool*, or on several usual pools, for
    *budget* seconds (by default 1), and gives its reasons in `choice`. "prio" keeps as many tasks
    as possible eligible at every step. Others are "critical-path" and "fifo". *order* may also be
    an order of your own: a plan, a schedule, names or ids. Then `ordered_by` is *label*, by default
    "given", or the `ordered_by` of a given plan.

    Some orders use *run_times*: one nonnegative number per task, or a mapping from names to
    numbers; by default the run times of the workflow. Ties are broken by the longest remaining
    path, then by the smaller task id. Near O(tasks + arcs) on workflow-shaped dags.

    Raises ArgumentError for an unknown order, for missing run times, or for a *pool*, *budget* or
    *seed* that the order does not use; ScheduleError for an order that is not legal; GraphError for
    a graph that is not a dag.

    >>> plan = prioritize({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]}, "prio")
    >>> plan.names, plan.proof.is_ic_optimal, plan.proof.theorem
    (['c', 'a', 'b', 'd', 'e'], True, <Theorem.BLOCKS: 1>)
    >>> prioritize(plan.dag, ["a", "b", "c", "d", "e"]).ordered_by
    'given'
    """
    _check_use(order, pool=pool, budget=budget, seed=seed)
    workflow = workflow_of(graph)
    left = workflow.residual
    dag, times = left.dag, left.run_times
    if run_times is not None:
        times = checked_run_times(dag, Residual.of(workflow).values("run_times", run_times))
    if isinstance(order, str):
        most, first = 1.0 if budget is None else budget, 0 if seed is None else seed
        for_pool = ORDERS.find(order).for_pool
        aim = Aim(pool, left.priorities, most, first, left) if for_pool else None
        made = made_order(dag, order, times, aim)
        if isinstance(made, Made):
            schedule = Schedule.trusted(dag, made.order)
            return Plan(schedule, order, made.proof, made.choice, workflow.dag)
        name, schedule = order, Schedule.trusted(dag, made)
    else:
        own = order.ordered_by if isinstance(order, Plan) else "given"
        name = own if label is None else label
        if isinstance(order, Plan) and order.schedule.dag is dag:
            return replace(order, ordered_by=name, dag=workflow.dag)
        schedule = Schedule.of(workflow, order)
    return Plan(schedule, name, confirmed(dag, schedule), dag=workflow.dag)


def _check_use(order: str | Order, **options: object) -> None:
    """Raise ArgumentError if an option is given for an order that does not depend on it."""
    given = [option for option, value in options.items() if value is not None]
    if not given or (isinstance(order, str) and ORDERS.find(order).for_pool):
        return
    name = order if isinstance(order, str) else "of your own"
    raise ArgumentError(f"{given[0]} cannot be used with order {name}: nothing is simulated then")


def made_order(
    dag: Dag, name: str, run_times: RunTimes | None, aim: Aim | None = None
) -> Made | Ids:
    """Return the result of the order called *name* for *dag*, without proofs; raises ArgumentError.

    If an order of another package fails, raises EngineError; if its result is not legal, raises
    ScheduleError. Both name the package.
    """
    entry = ORDERS.find(name)
    arguments: list[Any] = [dag]
    if entry.run_times == "needed" and run_times is None:
        raise ArgumentError(f"order {name} needs run times: expected run_times, got None")
    if entry.run_times != "unused":
        arguments.append(None if run_times is None else checked_run_times(dag, run_times))
    if entry.for_pool:
        arguments.append(aim)
    if ORDERS.is_own(name):
        return entry.make(*arguments)
    return _made_elsewhere(entry, arguments)


def _made_elsewhere(entry: NamedOrder, arguments: list[Any]) -> Made | Ids:
    """Return the checked result of an order of another package."""
    where = ORDERS.origin(entry.name)
    try:
        made = entry.make(*arguments)
    except IcschedError:
        raise
    except ImportError as error:
        hint = f": run {pip_install(entry.extra)}" if entry.extra else ""
        raise EngineError(f"{where}: {error}{hint}") from error
    except Exception as error:  # code of other packages may raise any exception
        raise EngineError(f"{where} failed: {type(error).__name__}: {error}") from error
    try:
        order = check_order(arguments[0], _ids(made.order if isinstance(made, Made) else made))
    except IcschedError as error:
        raise ScheduleError(f"{where} did not make a legal order: {error}") from error
    return replace(made, order=order) if isinstance(made, Made) else order


def _ids(order: Any) -> Any:
    """Return a list of integers as an array: its integers are ids, even if names are integers."""
    if isinstance(order, list | tuple) and all(map(is_integer, order)):
        return np.array(order)
    return order
