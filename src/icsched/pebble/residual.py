"""Graphs with tasks that are done: their own ids, and the ids of what is left.

All functions of icsched that take a graph take and return ids of the whole graph. They compute with
a dag of the tasks that are left, whose ids differ if a task is done. `Residual` translates.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from icsched import checks
from icsched.arrays import Ids, Mask, TaskId, task_ids
from icsched.dag import Dag, Graph, PerTask, dag_of
from icsched.errors import ScheduleError, UnknownTaskError
from icsched.graph_inputs import T_co


@runtime_checkable
class HasOrder(Protocol):
    """A `Plan`, a `Schedule`: anything with an order and the dag that it orders."""

    @property
    def dag(self) -> Dag:
        """The dag."""

    @property
    def order(self) -> Ids:
        """The task ids, first to run first."""


Order = HasOrder | Sequence[Hashable] | Ids


_NO_ORDER = (str, Mapping, Set, np.ndarray, Dag)  # what can be iterated, but orders nothing


@dataclass(frozen=True, eq=False)
class Residual(Generic[T_co]):
    """The tasks of a graph that are left to run.

    `dag` has only these tasks, and its own ids. `whole` has all tasks, with the ids that users
    know. If nothing is done, both are the same object, and nothing is translated.

    >>> from icsched.workflow import Workflow
    >>> chain = Dag({"a": [], "b": ["a"], "c": ["b"]})
    >>> left = Residual.of(Workflow(chain, done=np.array([True, False, False])))
    >>> left.dag.names, left.places.tolist(), left.order(["b", "c"]).tolist()
    (('b', 'c'), [1, 2], [0, 1])
    """

    dag: Dag[T_co]
    whole: Dag[T_co]

    @classmethod
    def of(cls, graph: Graph[T_co]) -> Residual[T_co]:
        """Return what is left of *graph*; raises the errors of `dag_of`."""
        if isinstance(graph, Residual):
            return graph
        dag, whole = dag_of(graph), getattr(graph, "dag", None)
        return cls(dag, whole if isinstance(whole, Dag) else dag)

    @property
    def is_whole(self) -> bool:
        """Whether nothing is done, so that the ids of both dags are the same."""
        return self.dag is self.whole

    @cached_property
    def places(self) -> Ids:
        """The id in `whole` of each task of `dag`, ascending."""
        if self.is_whole:
            return np.arange(len(self.dag), dtype=np.int32)
        ids = self.whole.ids
        return np.array([ids[name] for name in self.dag.names], np.int32)

    @cached_property
    def _inner(self) -> Ids:
        """The id in `dag` of each task of `whole`; -1 for a task that is done."""
        inner = np.full(len(self.whole), -1, np.int32)
        inner[self.places] = np.arange(len(self.dag))
        return inner

    # Out: ids of `dag` as ids of `whole`

    def ids(self, tasks: Ids) -> Ids:
        """Return ids of `dag` as ids of `whole`."""
        return tasks if self.is_whole else self.places[tasks]

    def task_ids(self, tasks: Iterable[int]) -> tuple[int, ...]:
        """Return ids of `dag` as ids of `whole`, which a dag never takes for names."""
        return task_ids(tasks if self.is_whole else map(self.places.__getitem__, tasks))

    # In: what users say by ids of `whole`, or by names

    def inner(self, tasks: Iterable[int]) -> Iterator[int]:
        """Yield the ids in `dag` of *tasks*, ids of `whole`; tasks that are done are left out.

        Raises UnknownTaskError or ArgumentError for what is no id, unless nothing is done: then
        *tasks* are not looked at.
        """
        if self.is_whole:
            yield from tasks
            return
        for task in tasks:
            inner = self._inner[self.whole.find(TaskId(checks.whole_number("task id", task)))]
            if inner >= 0:
                yield int(inner)

    def mask(self, tasks: Iterable[Hashable]) -> Mask:
        """Return for each task of `dag` whether it is among *tasks*, as `Dag.mask` takes them."""
        among = self.whole.mask(tasks)
        return among if self.is_whole else among[self.places]

    def values(self, what: str, values: PerTask | None) -> Any:
        """Return *values*, one for each task of `whole`, for the tasks of `dag`.

        None, a mapping from names, and a labelled series are returned as they are: both dags have
        the same names. Raises ArgumentError for another number of values; *what* is their name.

        >>> from icsched.workflow import Workflow
        >>> left = Residual.of(Workflow(Dag({"a": [], "b": ["a"]}), done=np.array([True, False])))
        >>> left.values("run_times", [4, 7])
        array([7])
        """
        is_by_name = isinstance(values, Mapping) or hasattr(values, "to_dict")
        if self.is_whole or values is None or is_by_name:
            return values
        checks.one_per_task(what, values, len(self.whole))
        return np.asarray(values)[self.places]

    def order(self, order: Order) -> Order:
        """Return *order* by ids of `dag`.

        A plan or a schedule is returned as it is: it has its own dag. Raises ScheduleError for a
        task that is unknown or done.
        """
        if self.is_whole or (not isinstance(order, np.ndarray) and hasattr(order, "order")):
            return order
        tasks = order_ids(self.whole, order)
        check_known(self.whole, tasks)
        inner: Ids = self._inner[tasks]
        done = tasks[inner < 0]
        if len(done):
            raise ScheduleError(f"order: task {self.whole.names[done[0]]!r} is done")
        return inner


def check_known(dag: Dag, tasks: NDArray[np.integer[Any]]) -> None:
    """Raise ScheduleError unless *tasks* are ids of *dag*."""
    outside = tasks[(tasks < 0) | (tasks >= len(dag))]
    if len(outside):
        raise ScheduleError(f"order: unknown task id {outside[0]}")


def order_ids(dag: Dag, order: object) -> NDArray[np.integer[Any]]:
    """Return the ids of tasks that are given by id or by name; raises ScheduleError."""
    if isinstance(order, np.ndarray) and order.ndim == 1:
        if order.dtype.kind in "iu":
            return order
        tasks = order.tolist()
    elif isinstance(order, Iterable) and not isinstance(order, _NO_ORDER):
        tasks = list(order)
    else:
        expected = "a plan, a schedule, or a list of task names or ids"
        raise ScheduleError(f"order: expected {expected}, got {type(order).__name__}")
    kinds = set(map(type, tasks))
    if kinds == {TaskId}:
        return np.array(tasks, np.int64)
    has_numbers = all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds)
    if has_numbers and not (dag.numbers_are_names and all(task in dag for task in tasks)):
        try:
            return np.array(tasks, np.int64)
        except OverflowError:
            raise ScheduleError(f"order: unknown task id {max(tasks, key=abs)}") from None
    if isinstance(dag.names, range):  # a dag without names, where 1.0 and True would pass for 1
        raise ScheduleError(f"order: expected task ids, got {tasks!r}"[:200])
    try:
        return np.array([dag.id_of(name) for name in tasks], np.int32)
    except UnknownTaskError as error:
        raise ScheduleError(f"order: {error}") from None
