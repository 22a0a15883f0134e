"""What users give: any graph as a dag, and values of its tasks, by name or in the order of ids."""

from collections.abc import Hashable, Iterable, Mapping
from os import PathLike
from typing import Any, Protocol, TypeAlias

from numpy.typing import ArrayLike

from icsched.dag import Dag
from icsched.errors import ArgumentError, GraphError
from icsched.graph_inputs import NetworkxGraph, ParentsOf, RustworkxGraph, T, T_co


class HasDag(Protocol[T_co]):
    """A workflow, a plan, or anything else that has a dag."""

    @property
    def dag(self) -> Dag[T_co]:
        """The dag."""


class ByName(Protocol):
    """A mapping from names to numbers. Unlike a Mapping, it is covariant in the names."""

    def items(self) -> Iterable[tuple[Hashable, float]]:
        """Return the names, each with its number."""


Graph: TypeAlias = (
    Dag[T_co] | HasDag[T_co] | ParentsOf[T_co] | NetworkxGraph[T_co] | RustworkxGraph[T_co]
)

PerTask: TypeAlias = ArrayLike | ByName  # by id, or by name


def dag_of(graph: Graph[T]) -> Dag[T]:
    """Return *graph* as a dag; raises GraphError if that is not possible.

    *graph* is a `Dag`, an object with a `Dag` as `dag` (a workflow, a plan), a mapping from tasks
    to their parents, or a directed graph of networkx or rustworkx.

    >>> dag_of({"a": [], "b": ["a"]})
    Dag(tasks=2, arcs=1)
    """
    dag = graph if isinstance(graph, Dag) else getattr(graph, "dag", None)
    if isinstance(dag, Dag):
        return dag
    if isinstance(graph, Mapping):
        return Dag(graph)
    given: Any = graph
    if hasattr(given, "node_indices"):
        return Dag.from_rustworkx(given)
    if hasattr(given, "is_directed"):
        return Dag.from_networkx(given)
    expected = "a Dag, a workflow, a mapping, or a graph of networkx or rustworkx"
    hint = "; icsched.read reads a file" if isinstance(given, str | PathLike) else ""
    raise GraphError(f"expected {expected}, got {type(given).__name__}{hint}")


def values_by_id(dag: Dag, what: str, given: PerTask) -> Any:
    """Return the values of a mapping from names, or of a labelled series, in the order of ids.

    Anything else is returned as it is, also a series that is numbered from 0: it is in the order of
    ids already. Raises ArgumentError for a task without a value, or for a label that occurs twice.

    >>> values_by_id(Dag({"a": [], "b": ["a"]}), "sizes", {"b": 3, "a": 2})
    [2, 3]
    """
    if isinstance(given, Mapping):
        values = given
    elif hasattr(given, "index") and hasattr(given, "to_dict"):  # a Series of pandas
        _check_labels(what, given)
        values = given.to_dict()
        if list(values) == list(range(len(values))) and not dag.numbers_are_names:
            return given
    else:
        return given
    try:
        return [values[name] for name in dag.names]
    except KeyError as error:
        raise ArgumentError(f"{what}: expected one for each task, none for {error}") from None


def _check_labels(what: str, series: Any) -> None:
    repeated = series.index[series.index.duplicated()].tolist()
    if repeated:
        raise ArgumentError(f"{what}: the label {repeated[0]!r} occurs twice")
