"""What users give as a graph: a dag, a workflow, a mapping, or a graph of another library."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from icsched.dag import Dag
from icsched.errors import GraphError

Graph: TypeAlias = Any  # other libraries, and so their types, are optional


def dag_of(graph: Graph) -> Dag:
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
    if hasattr(graph, "node_indices"):
        return Dag.from_rustworkx(graph)
    if hasattr(graph, "is_directed"):
        return Dag.from_networkx(graph)
    expected = "a Dag, a workflow, a mapping, or a graph of networkx or rustworkx"
    raise GraphError(f"expected {expected}, got {type(graph).__name__}")
