"""What an order does to a dag, step by step: eligible, enabled and open tasks.

All profiles have ``len(dag) + 1`` entries; entry t is the count after t executions.
A profile follows from two facts about each task: the step at which its last parent runs, and the
step at which its last child runs. So a profile costs O(tasks + arcs) array operations.

Open tasks and their memory are as in Rosenberg and Yurkewych 2005, "Guidelines for Scheduling Some
Common Computation-Dags for Internet-Based Computing".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Self

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, Rows, Sizes, mask_of, ranks_of
from icsched.dag import Dag, Graph, PerTask, values_by_id
from icsched.errors import ArgumentError, ScheduleError
from icsched.frames import Answer, Listed, Shown, Tabular, brief
from icsched.graph_inputs import T_co
from icsched.pebble.residual import HasOrder, Order, Residual, check_known, order_ids

Profile = NDArray[np.int64]


def check_order(graph: Graph, order: Order) -> Ids:
    """Return *order* as an array of ids if it is a legal order of *graph*.

    This is the one way in which icsched accepts an order: a `Plan` or a `Schedule` of the same
    dag, or the tasks by name or by id. An array of integers has ids, and so has a list of ids that
    icsched has returned. A list of other integers has names if all of them are names, and ids
    otherwise. An order of a workflow has the tasks that are left to run, by the ids of
    `Workflow.dag`. Raises ScheduleError, naming the task, if a task is missing, repeated, unknown
    or done, or comes before one of its parents.

    >>> chain = Dag({"a": [], "b": ["a"]})
    >>> check_order(chain, [0, 1]).tolist(), check_order(chain, ["a", "b"]).tolist()
    ([0, 1], [0, 1])
    """
    left = Residual.of(graph)
    return left.ids(Schedule.of(left, order).order)


def _legal(dag: Dag, order: object) -> Ids:
    """Return the ids of *order*, tasks by id or by name; raises ScheduleError."""
    given = order_ids(dag, order)
    if len(given) != len(dag):
        raise ScheduleError(f"order: expected {len(dag)} tasks, got {len(given)}")
    check_known(dag, given)
    ids = given.astype(np.int32)
    repeated = np.flatnonzero(np.bincount(ids, minlength=len(dag)) > 1)
    if len(repeated):
        raise ScheduleError(f"order: task {dag.names[repeated[0]]!r} occurs twice")
    position = ranks_of(ids)
    parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
    early = np.flatnonzero(position[parents] > position[children])
    if len(early):
        worst = early[np.argmin(position[children[early]])]
        child, parent = dag.names[children[worst]], dag.names[parents[worst]]
        step = position[children[worst]] + 1
        raise ScheduleError(f"step {step} runs {child!r} before its parent {parent!r}")
    return ids


def _latest(rows: Rows, position: Ids) -> Ids:
    """Latest position in each task's row; -1 for an empty row."""
    latest = np.full(len(position), -1, np.int32)
    filled = np.flatnonzero(rows.sizes)
    if len(filled):
        latest[filled] = np.maximum.reduceat(position[rows.targets], rows.offsets[filled])
    return latest


def eligibility_profile(graph: Graph, order: Order) -> Profile:
    """Count the eligible tasks after each step of running *graph* in *order*.

    A task is eligible once all its parents have run and it has not. The first entry is
    the number of sources and the last 0. Raises ScheduleError if *order* is not legal.

    >>> eligibility_profile(Dag({"a": [], "b": ["a"], "c": ["a"]}), [0, 1, 2]).tolist()
    [1, 2, 1, 0]
    """
    return Schedule.of(graph, order).eligible


def enabled_profile(graph: Graph, order: Order) -> Profile:
    """Count the enabled tasks after each step: nonsources whose parents have all run.

    Unlike the eligible count, this count never falls. Eligible = sources + enabled - executed.

    >>> enabled_profile(Dag({"a": [], "b": ["a"], "c": ["a"]}), [0, 1, 2]).tolist()
    [0, 2, 2, 2]
    """
    return Schedule.of(graph, order).enabled


def memory_profile(graph: Graph, order: Order, *, sizes: PerTask | None = None) -> Profile:
    """Count the open tasks after each step: executed, with a child that has not run.

    The results of open tasks must be kept (Rosenberg and Yurkewych 2005, section 2.2.3). A sink is
    never open. With *sizes*, the bytes of each task's result, the profile has bytes instead. Raises
    ScheduleError if *order* is not legal, ArgumentError if *sizes* are not one
    nonnegative integer per task.

    >>> fork = Dag({"a": [], "b": ["a"], "c": ["a"]})
    >>> memory_profile(fork, [0, 1, 2]).tolist()
    [0, 1, 1, 0]
    >>> memory_profile(fork, [0, 1, 2], sizes=[30, 5, 5]).tolist()
    [0, 30, 30, 0]
    """
    left = Residual.of(graph)
    dag, position = left.dag, Schedule.of(left, order).ranks
    weights = checked_sizes(dag, left.values("sizes", sizes))
    last_child = _latest(dag.child_rows, position)
    inner = last_child >= 0
    opened = np.bincount(position[inner] + 1, weights[inner], minlength=len(dag) + 1)
    closed = np.bincount(last_child[inner] + 1, weights[inner], minlength=len(dag) + 1)
    profile = np.cumsum(opened - closed).astype(np.int64)
    profile.flags.writeable = False
    return profile


def checked_sizes(dag: Dag, sizes: PerTask | None) -> Sizes:
    """Return *sizes*, by id or by name, as an array; 1 for each task by default.

    Raises ArgumentError unless *sizes* are one nonnegative integer per task, with a sum below
    2**53, which floating point holds exactly.

    >>> checked_sizes(Dag({"a": [], "b": ["a"]}), [7, 0]).tolist()
    [7, 0]
    """
    if sizes is None:
        return np.ones(len(dag), np.int64)
    values = values_by_id(dag, "sizes", sizes)
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise ArgumentError(f"sizes: expected {len(dag)} integers, got {sizes!r}") from None
    if array.shape != (len(dag),) or (len(dag) and array.dtype.kind not in "iu"):
        got = f"shape {array.shape}" if array.dtype.kind in "iu" else f"{array.dtype}"
        raise ArgumentError(f"sizes: expected {len(dag)} integers, got {got}")
    negative = np.flatnonzero(array < 0)
    if len(negative):
        task = negative[0]
        raise ArgumentError(f"size of {dag.names[task]!r}: expected 0 or more, got {array[task]}")
    if array.sum(dtype=np.float64) >= 2**53:
        raise ArgumentError(f"sizes: expected a sum below {2**53:,}, got {array.sum():,}")
    return np.ascontiguousarray(array, np.int64)


def area(graph: Graph, order: Order) -> int:
    """Sum of the eligibility profile.

    >>> area(Dag({"a": [], "b": ["a"], "c": ["a"]}), [0, 1, 2])
    4
    """
    return Schedule.of(graph, order).area


@dataclass(frozen=True, eq=False)
class Schedule(Tabular, Shown, Generic[T_co]):
    """An order together with its dag; raises ScheduleError if the order is not legal.

    *order* is what `check_order` takes. `dag` has the tasks that are left to run, and `order` has
    the ids of that dag. Profiles are computed once. A row of `to_pandas` is a task, first to run
    first.

    >>> schedule = Schedule(Dag({"a": [], "b": ["a"], "c": ["a"]}), ["a", "c", "b"])
    >>> schedule, schedule.order.tolist()
    (Schedule(names=['a', 'c', 'b']), [0, 2, 1])
    """

    dag: Dag[T_co]
    order: Ids

    def __init__(self, graph: Graph[T_co], order: Order) -> None:
        left = Residual.of(graph)
        dag, order = left.dag, left.order(order)
        order = getattr(order, "schedule", order)  # of a plan: it has the dag of what is left
        if not isinstance(order, np.ndarray) and isinstance(order, HasOrder):
            if not isinstance(order.dag, Dag) or (order.dag is not dag and order.dag != dag):
                raise ScheduleError(f"order: expected one of {dag!r}, got one of another dag")
            order = order.order
        self._fill(dag, _legal(dag, order))

    def __repr__(self) -> str:
        return brief(self, names=Listed(self.names))

    @classmethod
    def of(cls, graph: Graph[T_co], order: Order) -> Schedule[T_co]:
        """Return *order* with its dag; an order that was checked is not checked again."""
        left = Residual.of(graph)
        known = getattr(order, "schedule", order)
        if isinstance(known, Schedule) and known.dag is left.dag:
            return known
        return cls(left, order)

    @classmethod
    def trusted(cls, dag: Dag[T_co], order: Ids) -> Schedule[T_co]:
        """Return an order that icsched itself made or has checked.

        Only the ids are checked, because a kernel that gets a wrong id may never end. Raises
        AssertionError, because this would be a bug of icsched. O(tasks).
        """
        schedule = object.__new__(cls)
        schedule._fill(dag, order)
        ids, tasks = schedule.order, len(dag)
        are_ids = len(ids) == tasks and ids.min(initial=0) >= 0 and ids.max(initial=-1) < tasks
        if not are_ids or not mask_of(ids, tasks).all():
            raise AssertionError(f"a bug in icsched: an order without each task of {dag!r} once")
        return schedule

    def _fill(self, dag: Dag, order: Ids) -> None:
        ids = np.array(order, np.int32)  # a copy, because the schedule never changes
        ids.flags.writeable = False
        object.__setattr__(self, "dag", dag)
        object.__setattr__(self, "order", ids)

    def __reduce__(self) -> tuple[type[Schedule], tuple[Dag, Ids]]:
        return Schedule, (self.dag, self.order)

    def to_dict(self) -> dict[str, Any]:
        """Return the tasks by name, their priorities, and the eligible tasks after each has run."""
        priorities = list(range(len(self.dag), 0, -1))
        eligible = self.eligible[1:].tolist()
        return {"task": self.names, "priority": priorities, "eligible": eligible}

    @property
    def names(self) -> list[T_co]:
        """The user's names, first to run first."""
        return [self.dag.names[task] for task in self.order.tolist()]

    @cached_property
    def ranks(self) -> Ids:
        """The place of each task in the order, by id."""
        return ranks_of(self.order)

    @cached_property
    def ready(self) -> Ids:
        """The step from which each task is eligible, by id: its last parent runs just before."""
        return _latest(self.dag.parent_rows, self.ranks) + np.int32(1)

    @cached_property
    def eligible(self) -> Profile:
        """Eligible tasks after each step."""
        begun = np.bincount(self.ready, minlength=len(self.dag) + 1)
        ended = np.bincount(self.ranks + 1, minlength=len(self.dag) + 1)
        profile = np.cumsum(begun - ended)
        profile.flags.writeable = False
        return profile

    @cached_property
    def enabled(self) -> Profile:
        """Nonsources enabled after each step."""
        steps = np.arange(len(self.dag) + 1)
        return self.eligible - len(self.dag.sources) + steps

    @cached_property
    def memory(self) -> Profile:
        """Open tasks after each step."""
        return memory_profile(self.dag, self)

    @property
    def area(self) -> int:
        """Sum of the eligible counts."""
        return int(self.eligible.sum())

    @property
    def peak_memory(self) -> int:
        """Largest number of open tasks: the memory cost of Rosenberg and Yurkewych 2005."""
        return int(self.memory.max())


@dataclass(frozen=True, eq=False)
class Comparison(Answer):
    """How the eligible counts of one order compare with another's, step by step.

    `difference` is first minus second; `largest_lead` and `largest_lag` are (step, count)
    of its first maximum and minimum; `area_ratio` is first over second.
    """

    difference: Profile
    largest_lead: tuple[int, int]
    largest_lag: tuple[int, int]
    area_ratio: float

    @classmethod
    def of(cls, first: Profile, second: Profile) -> Self:
        """Compare two eligibility profiles of one dag."""
        difference = first - second
        lead, lag = int(difference.argmax()), int(difference.argmin())
        return cls(
            difference=difference,
            largest_lead=(lead, int(difference[lead])),
            largest_lag=(lag, int(difference[lag])),
            area_ratio=float(first.sum() / second.sum()) if len(first) > 1 else 1.0,
        )

    @property
    def never_below(self) -> bool:
        """Whether the first order has at least as many eligible tasks at every step."""
        return self.largest_lag[1] >= 0


def compare(graph: Graph, order: Order, other: Order) -> Comparison:
    """Compare the eligibility profiles of two orders of *graph*.

    >>> fork_and_pair = Dag({"a": [], "b": ["a"], "c": [], "d": ["c"], "e": ["c"]})
    >>> result = compare(fork_and_pair, [2, 0, 1, 3, 4], [0, 2, 1, 3, 4])
    >>> result.difference.tolist(), result.never_below
    ([0, 1, 0, 0, 0, 0], True)
    """
    left = Residual.of(graph)
    return Comparison.of(Schedule.of(left, order).eligible, Schedule.of(left, other).eligible)
