"""Data of the checker: small dags by ids, checked values of a file, and a budget of work."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from icsched.errors import CertificateError

Ints = NDArray[np.int64]

MOST_WORK = 3_000_000_000  # additions and comparisons: about ten seconds
MOST_DEPTH = 200  # depth of nested steps
_A_STEP = 20_000  # least cost of a step


@dataclass(frozen=True, eq=False)
class Graph:
    """A dag of *tasks* tasks; `arcs` has rows of parent and child, sorted, each once."""

    tasks: int
    arcs: Ints

    @cached_property
    def parents(self) -> Ints:
        """Number of parents of each task."""
        return np.bincount(self.arcs[:, 1], minlength=self.tasks).astype(np.int64)

    @cached_property
    def children(self) -> Ints:
        """Number of children of each task."""
        return np.bincount(self.arcs[:, 0], minlength=self.tasks).astype(np.int64)

    @property
    def nonsinks(self) -> int:
        """Number of tasks with children."""
        return int(np.count_nonzero(self.children))

    @property
    def nonsources(self) -> int:
        """Number of tasks with parents."""
        return int(np.count_nonzero(self.parents))

    @property
    def is_bipartite(self) -> bool:
        """Whether no task has both parents and children."""
        return not bool(np.any((self.parents > 0) & (self.children > 0)))


def sorted_graph(tasks: int, arcs: Ints) -> Graph:
    """Return the dag with these arcs, sorted; repeated arcs count once."""
    codes = np.unique(arcs[:, 0] * tasks + arcs[:, 1])
    return Graph(tasks, np.column_stack(np.divmod(codes, max(1, tasks))))


class Budget:
    """The work that is left; a certificate that needs more is refused. `known` is a cache."""

    def __init__(self, most: int = MOST_WORK) -> None:
        self.left = most
        self.known: dict[tuple[str, int, bytes], Ints] = {}  # bounds of leaves, by rule and arcs

    def take(self, work: int, place: str) -> None:
        """Subtract *work*; raise CertificateError if less is left."""
        self.left -= work
        if self.left < 0:
            raise CertificateError(place, "checking it takes more work than the checker may do")

    def step(self, graph: Graph, depth: int, place: str) -> None:
        """Subtract the cost of one step on *graph*."""
        if depth > MOST_DEPTH:
            raise CertificateError(place, f"steps are nested more than {MOST_DEPTH} deep")
        self.take(_A_STEP + 20 * (graph.tasks + len(graph.arcs)), place)


def fields(value: object, names: Collection[str], place: str) -> dict[str, object]:
    """Return *value* as an object that has exactly the keys *names*."""
    if not isinstance(value, dict):
        raise CertificateError(place, "expected a JSON object")
    if value.keys() != set(names):
        raise CertificateError(place, f"expected the keys {', '.join(sorted(names))}")
    return value


def items(value: object, most: int, place: str) -> list[object]:
    """Return *value* as a list with 1 to *most* items."""
    if not isinstance(value, list) or not 0 < len(value) <= most:
        raise CertificateError(place, f"expected a list of 1 to {most:,} items")
    return value


def ints(value: object, most: int, place: str) -> Ints:
    """Return *value* as an array of at most *most* integers, each from -1 to 2**62."""
    if not isinstance(value, list) or len(value) > most or not set(map(type, value)) <= {int}:
        raise CertificateError(place, f"expected a list of at most {most:,} integers")
    if value and not -1 <= min(value) <= max(value) <= 1 << 62:
        raise CertificateError(place, "expected integers from -1 to 2**62")
    return np.array(value, np.int64)


def ids(value: object, tasks: int, place: str) -> Ints:
    """Return *value* as an array of distinct task ids."""
    found = ints(value, tasks, place)
    if len(found) and not (found.min() >= 0 and found.max() < tasks):
        raise CertificateError(place, f"expected task ids from 0 to {tasks - 1:,}")
    if len(np.unique(found)) < len(found):
        raise CertificateError(place, "a task occurs twice")
    return found


def rows(value: object, tasks: int, place: str) -> tuple[Ints, Ints]:
    """Return *value*, lists of task ids with no common id, joined into one, and their sizes."""
    found = items(value, tasks, place)
    if not set(map(type, found)) <= {list}:
        raise CertificateError(place, "expected lists of task ids")
    sizes = [len(row) for row in found if isinstance(row, list)]
    if sum(sizes) > tasks:
        raise CertificateError(place, "a task occurs twice")
    whole = [task for row in found if isinstance(row, list) for task in row]
    return ids(whole, tasks, place), np.array(sizes, np.int64)
