"""The jobs of one DAGMan scope, a workflow or a splice, while its files are read.

Jobs have slots, dense numbers in order of definition; a splice brings a run of slots. What
files say about jobs is kept as events and arcs over slots and settled once, at the end.
"""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids
from icsched.formats.dagman.source import DONE, Source, Statement


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
        return range(self.first, self.first + len(self.scope.names))


@dataclass(frozen=True, slots=True)
class Modifiers:
    """Statements about jobs and the slot that each is about, or one about ALL_NODES.

    Then *slots* says how far the scope's layout reached.
    """

    source: Source
    statements: NDArray[np.int64]
    slots: Ids | int


@dataclass(frozen=True, slots=True)
class Settings:
    """Values given to slots one after the other; a later one wins. *slots* as in `Modifiers`."""

    slots: Ids | int
    values: NDArray[np.int32] | int


@dataclass
class Scope:
    """What has been read of a scope so far."""

    prefix: str = ""  # of the names in the file being read, where several files are read at once
    names: list[str] = field(default_factory=list)
    flags: list[NDArray[np.uint8]] = field(default_factory=list)
    jobs: list[OwnJobs] = field(default_factory=list)  # one entry a file
    arcs: list[Arcs] = field(default_factory=list)
    priorities: list[Settings] = field(default_factory=list)
    done: list[Ids] = field(default_factory=list)
    special: dict[str, str] = field(default_factory=dict)  # FINAL and so on, by name
    modifiers: list[Modifiers] = field(default_factory=list)
    # Statements about the workflow, and about special nodes:
    directives: list[Statement] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    lifted: list[Instance] = field(default_factory=list)  # those of them, in DAGMan's order
    placed: int | None = None  # jobs that DAGMan puts into the splice's directory, the first ones
    splices: dict[str, Instance] = field(default_factory=dict)  # those that names still reach
    used_names: set[str] = field(default_factory=set)  # of splices, lifted ones too
    layout: list[Ids] = field(default_factory=list)  # slots in the order DAGMan lists its jobs
    pins: dict[bool, dict[int, list[int]]] = field(
        default_factory=lambda: {True: defaultdict(list), False: defaultdict(list)}
    )
    descriptions: set[str] = field(default_factory=set)  # names of SUBMIT-DESCRIPTION
    lowest: int = 0  # priority that a join node may get, by a word for ALL_NODES
    joins: int = 0  # PARENT statements of several parents and several children
    _slot: dict[str, int] = field(default_factory=dict)
    _unindexed: list[range] = field(default_factory=list)
    # Set by `settle`:
    parents: Ids = field(init=False)
    children: Ids = field(init=False)
    initial: Ids = field(init=False)
    terminal: Ids = field(init=False)
    priority: NDArray[np.int32] = field(init=False)
    has_priority: NDArray[np.bool_] = field(init=False)
    letters: int = field(init=False)  # of all names

    def __len__(self) -> int:
        return len(self.names)

    def add_jobs(self, names: list[str], flags: NDArray[np.uint8], source: Source, at: Ids) -> None:
        """Add a file's own jobs; *at* are their statements."""
        slots = range(len(self), len(self) + len(names))
        self.names += names
        self.flags.append(flags)
        self.jobs.append(OwnJobs(source, at, slots))
        self.layout.append(np.arange(slots.start, slots.stop, dtype=np.int32))
        self._unindexed.append(slots)

    def add_splice(self, name: str, scope: "Scope", directory: str) -> None:
        """Add the jobs of a splice; other statements reach them only once it is lifted."""
        instance = Instance(name, scope, len(self), directory)
        self.names += [f"{name}+{job}" for job in scope.names]
        self.flags.append(scope.all_flags() & ~np.uint8(DONE))  # DAGMan forgets DONE in splices
        self.instances.append(instance)
        self.splices[name] = instance
        self.used_names.add(name)

    def lift(self) -> None:
        """Make splices' jobs known by name and splices unknown, as at the end of each file."""
        if self.placed is None:  # DAGMan puts jobs into the DIR of a splice once, at this point
            self.placed = len(self)
        for _, instance in sorted(self.splices.items()):  # DAGMan keeps them by name
            self.lifted.append(instance)
            self.layout.append(instance.scope.reachable() + np.int32(instance.first))
            self._unindexed.append(instance.slots)
        self.splices.clear()

    def is_late(self, slot: int) -> bool:
        """Whether the job in *slot* came after DAGMan had put jobs into the splice's directory."""
        return self.placed is not None and slot >= self.placed

    def find(self, name: str) -> int | None:
        """Return the slot of the job that *name* reaches here."""
        for slots in self._unindexed:
            self._slot.update(zip(self.names[slots.start : slots.stop], slots, strict=True))
        self._unindexed.clear()
        return self._slot.get(name)

    def reachable(self, reach: Ids | int | None = None) -> Ids:
        """Return the slots of `Modifiers`, or all, in the order in which DAGMan lists its jobs."""
        if isinstance(reach, np.ndarray):
            return reach
        return np.concatenate([np.empty(0, np.int32), *self.layout[:reach]])

    def all_flags(self) -> NDArray[np.uint8]:
        """Return the flags of all slots."""
        return np.concatenate([np.empty(0, np.uint8), *self.flags])

    def settle(self) -> None:
        """Work out arcs, ends and priorities of all slots, those of splices included."""
        self.lift()
        self.parents, self.children = self._all_arcs()
        has_parent, has_child = np.zeros(len(self), bool), np.zeros(len(self), bool)
        has_parent[self.children], has_child[self.parents] = True, True
        self.initial = np.flatnonzero(~has_parent).astype(np.int32)
        self.terminal = np.flatnonzero(~has_child).astype(np.int32)
        self.priority, self.has_priority = self._all_priorities()
        self.letters = sum(map(len, self.names))

    def _all_arcs(self) -> tuple[Ids, Ids]:
        parents, children = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
        for some in self.arcs:
            parents.append(some.parents)
            children.append(some.children)
        for instance in self.instances:
            parents.append(instance.scope.parents + np.int32(instance.first))
            children.append(instance.scope.children + np.int32(instance.first))
        return np.concatenate(parents), np.concatenate(children)

    def _all_priorities(self) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        values, given = np.zeros(len(self), np.int32), np.zeros(len(self), bool)
        for instance in self.instances:
            here = slice(instance.first, instance.first + len(instance.scope))
            values[here], given[here] = instance.scope.priority, instance.scope.has_priority
        for setting in self.priorities:
            slots = self.reachable(setting.slots)
            values[slots], given[slots] = setting.values, True
        return values, given
