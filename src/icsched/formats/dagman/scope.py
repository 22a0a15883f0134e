"""The jobs of one DAGMan scope, a workflow or a splice, and what its files say about them.

Jobs have slots: consecutive numbers in the order of definition. A splice has a range of slots.
`ScopeBuilder` makes a scope while its files are read. Nothing changes the scope afterwards.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, ids_where
from icsched.formats.dagman.commands import Parent, SubmitDescription
from icsched.formats.dagman.source import Kind, Source, Statement


@dataclass(frozen=True, slots=True)
class Arcs:
    """The arcs of some PARENT statements; *counts* says how many each statement made."""

    parents: Ids
    children: Ids
    source: Source
    statements: NDArray[np.int64]
    counts: NDArray[np.int64]

    @property
    def first_weak(self) -> int | None:
        """The first statement that says WEAK PARENT, or None."""
        kinds = self.source.scan.kind[self.statements]
        for number in self.statements[kinds == Kind.OTHER].tolist():
            command = self.source.command(number)
            if isinstance(command, Parent) and command.is_weak:
                return int(number)
        return None


@dataclass(frozen=True, slots=True)
class OwnJobs:
    """The jobs that one file defines itself, in a splice or in the workflow."""

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
    """Statements about jobs and the slot that each is about, or one statement about ALL_NODES.

    For ALL_NODES, *slots* says how many entries the scope's layout had then.
    """

    source: Source
    statements: NDArray[np.int64]
    slots: Ids | int


@dataclass(frozen=True)
class Scope:
    """A scope as read. Arrays have one entry for each slot, including the slots of splices."""

    names: Sequence[str]
    jobs: Sequence[OwnJobs]  # one entry for each file
    instances: Sequence[Instance]
    lifted: Sequence[Instance]  # the same, in the order in which DAGMan lifts them
    placed: int  # how many of the first jobs DAGMan puts into the splice's directory
    layout: Sequence[Ids]  # slots in the order in which DAGMan lists the jobs
    arcs: Sequence[Arcs]  # of the scope's own statements
    parents: Ids  # of all arcs
    children: Ids
    is_done: NDArray[np.bool_]
    priority: NDArray[np.int32]
    has_priority: NDArray[np.bool_]
    modifiers: Sequence[Modifiers]
    directives: Sequence[Statement]  # about the workflow, and about special nodes
    special: Mapping[str, str]  # the kind of each special node, FINAL and so on, by name
    pins: Mapping[bool, Mapping[int, Sequence[int]]]  # slots by number, of PIN_OUT and of PIN_IN
    lowest: int  # the priority that ALL_NODES may give to a join node
    joins: int  # PARENT statements with several parents and several children

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
        """Number of letters in all names."""
        return sum(map(len, self.names))

    @cached_property
    def places(self) -> int:
        """Number of splices in the scope, and in these splices, and so on."""
        return sum(1 + instance.scope.places for instance in self.instances)

    @cached_property
    def descriptions(self) -> dict[str, Statement]:
        """The SUBMIT-DESCRIPTION statements, by the names that they give."""
        return {
            statement.command.argument: statement
            for statement in self.directives
            if isinstance(statement.command, SubmitDescription)
        }

    def reachable(self, reach: int | None = None) -> Ids:
        """Return the slots that ALL_NODES in `Modifiers` means, or all, in DAGMan's order."""
        return concatenated(self.layout[:reach])


def concatenated(slots: Sequence[Ids]) -> Ids:
    """Return slots one after the other; *slots* may be empty."""
    return np.concatenate([np.empty(0, np.int32), *slots])


def _others(count: int, slots: Ids) -> Ids:
    is_other = np.ones(count, bool)
    is_other[slots] = False
    return ids_where(is_other)


@dataclass(frozen=True, slots=True)
class Spot:
    """The place of a scope in the workflow."""

    scope: Scope
    prefix: str  # of the names that DAGMan gives to its jobs
    around: str  # the directory of the scope around it
    directory: str
    first: int  # slot of its first job in the outermost scope

    def directory_at(self, slot: int) -> str:
        """Return the directory from which the job or splice in *slot* of the scope starts.

        DAGMan puts jobs into the directory of a splice once, when it first lifts splices. Jobs that
        come later stay in the directory of the scope around it.
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
