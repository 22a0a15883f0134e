"""The jobs of one DAGMan scope, a workflow or a splice, and what its files say of them.

Jobs have slots, dense numbers in order of definition; a splice brings a run of slots.
`ScopeBuilder` makes a scope while its files are read; nothing changes it afterwards.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids
from icsched.formats.dagman.commands import SubmitDescription
from icsched.formats.dagman.source import Source, Statement


@dataclass(frozen=True, slots=True)
class Arcs:
    """The arcs of some PARENT statements; *counts* says how many each statement made."""

    parents: Ids
    children: Ids
    source: Source
    statements: NDArray[np.int64]
    counts: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class OwnJobs:
    """The jobs that one file defines itself, in splices as in the workflow."""

    source: Source
    statements: Ids
    slots: range


@dataclass(frozen=True, slots=True)
class Instance:
    """A splice in its place: the slots of *scope*'s jobs begin at *first*."""

    name: str
    scope: "Scope"
    first: int
    directory: str

    @property
    def slots(self) -> range:
        """Slots of the splice's jobs in the scope around it."""
        return range(self.first, self.first + len(self.scope))


@dataclass(frozen=True, slots=True)
class Modifiers:
    """Statements about jobs and the slot that each is about, or one about ALL_NODES.

    Then *slots* says how far the scope's layout reached.
    """

    source: Source
    statements: NDArray[np.int64]
    slots: Ids | int


@dataclass(frozen=True)
class Scope:
    """A scope as read. Arrays have one entry for each slot, those of splices included."""

    names: Sequence[str]
    jobs: Sequence[OwnJobs]  # one entry for each file
    instances: Sequence[Instance]
    lifted: Sequence[Instance]  # the same, in the order in which DAGMan lifts them
    placed: int  # jobs that DAGMan puts into the splice's directory, the first ones
    layout: Sequence[Ids]  # slots in the order in which DAGMan lists its jobs
    arcs: Sequence[Arcs]  # of the scope's own statements
    parents: Ids  # of all arcs
    children: Ids
    is_done: NDArray[np.bool_]
    priority: NDArray[np.int32]
    has_priority: NDArray[np.bool_]
    modifiers: Sequence[Modifiers]
    directives: Sequence[Statement]  # about the workflow, and about special nodes
    special: Mapping[str, str]  # FINAL and so on, by name
    pins: Mapping[bool, Mapping[int, Sequence[int]]]  # slots by number, of PIN_OUT and of PIN_IN
    lowest: int  # priority that a join node may get, by a word for ALL_NODES
    joins: int  # PARENT statements of several parents and several children

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def initial(self) -> Ids:
        """Slots of the jobs without parents."""
        return _others(len(self), self.children)

    @cached_property
    def terminal(self) -> Ids:
        """Slots of the jobs without children."""
        return _others(len(self), self.parents)

    @cached_property
    def letters(self) -> int:
        """Letters of all names."""
        return sum(map(len, self.names))

    @cached_property
    def descriptions(self) -> dict[str, Statement]:
        """The SUBMIT-DESCRIPTION statements, by the names that they give."""
        return {
            statement.command.argument: statement
            for statement in self.directives
            if isinstance(statement.command, SubmitDescription)
        }

    def reachable(self, reach: int | None = None) -> Ids:
        """Return the slots of ALL_NODES in `Modifiers`, or all, in DAGMan's order of its jobs."""
        return concatenated(self.layout[:reach])


def concatenated(slots: Sequence[Ids]) -> Ids:
    """Return slots one after the other; there may be none."""
    return np.concatenate([np.empty(0, np.int32), *slots])


def _others(count: int, slots: Ids) -> Ids:
    is_other = np.ones(count, bool)
    is_other[slots] = False
    return np.flatnonzero(is_other).astype(np.int32)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a scope stands in the workflow."""

    scope: Scope
    prefix: str  # of DAGMan's names of its jobs
    around: str  # directory of the scope around it
    directory: str
    first: int  # slot of its first job in the outermost scope

    def directory_at(self, slot: int) -> str:
        """Return the directory from which the job or splice in *slot* of the scope starts.

        DAGMan puts jobs into the directory of a splice once, when it first lifts splices. What
        comes later stays in the directory of the scope around it.
        """
        return self.directory if slot < self.scope.placed else self.around


def spots(scope: Scope, directory: str) -> Iterator[Spot]:
    """Yield the places of a workflow's scope and of its splices, outer ones before inner ones."""
    yield from _spots(Spot(scope, "", directory, directory, 0))


def _spots(spot: Spot) -> Iterator[Spot]:
    yield spot
    for instance in spot.scope.instances:
        around = spot.directory_at(instance.first)
        inside = os.path.join(around, instance.directory)
        prefix, first = f"{spot.prefix}{instance.name}+", spot.first + instance.first
        yield from _spots(Spot(instance.scope, prefix, around, inside, first))
