"""A scope while its files are read: what they say is kept in order and settled at the end."""

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, mask_of
from icsched.formats.dagman.scope import Arcs, Instance, Modifiers, OwnJobs, Scope, concatenated
from icsched.formats.dagman.source import DONE, Source, Statement


@dataclass(frozen=True, slots=True)
class Settings:
    """Values given to slots one after another; a later one wins. *slots* are as in `Modifiers`."""

    slots: Ids | int
    values: NDArray[np.int32] | int


@dataclass
class ScopeBuilder:
    """What has been read of a scope so far; a field that `Scope` has too means the same."""

    prefix: str = ""  # of the names in the current file, if several files are read together
    names: list[str] = field(default_factory=list)
    jobs: list[OwnJobs] = field(default_factory=list)
    arcs: list[Arcs] = field(default_factory=list)
    priorities: list[Settings] = field(default_factory=list)
    done: list[Ids] = field(default_factory=list)
    special: dict[str, str] = field(default_factory=dict)
    modifiers: list[Modifiers] = field(default_factory=list)
    directives: list[Statement] = field(default_factory=list)
    splices: dict[str, Instance] = field(default_factory=dict)  # those that can be named
    used_names: set[str] = field(default_factory=set)  # of splices, including lifted ones
    layout: list[Ids] = field(default_factory=list)
    pins: dict[bool, dict[int, list[int]]] = field(
        default_factory=lambda: {True: defaultdict(list), False: defaultdict(list)}
    )
    lowest: int = 0
    joins: int = 0
    _instances: list[Instance] = field(default_factory=list)
    _lifted: list[Instance] = field(default_factory=list)
    _placed: int | None = None
    _slot: dict[str, int] = field(default_factory=dict)
    _unindexed: list[range] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.names)

    def add_jobs(self, names: list[str], flags: NDArray[np.uint8], source: Source, at: Ids) -> None:
        """Add a file's own jobs; *at* are their statements."""
        slots = range(len(self), len(self) + len(names))
        self.names += names
        self.done.append((slots.start + np.flatnonzero(flags & DONE)).astype(np.int32))
        self.jobs.append(OwnJobs(source, at, slots))
        self.layout.append(np.arange(slots.start, slots.stop, dtype=np.int32))
        self._unindexed.append(slots)

    def add_splice(self, name: str, scope: Scope, directory: str) -> None:
        """Add the jobs of a splice; other statements reach them only after the splice is lifted."""
        instance = Instance(name, scope, len(self), directory)
        self.names += [f"{name}+{job}" for job in scope.names]
        self.joins += scope.joins
        self.lowest = min(self.lowest, scope.lowest)
        self._instances.append(instance)
        self.splices[name] = instance
        self.used_names.add(name)

    def lift(self) -> None:
        """Make the jobs of splices known by name, and splices unknown, as at each end of a file."""
        if self._placed is None:
            self._placed = len(self)
        for _, instance in sorted(self.splices.items()):  # DAGMan keeps them by name
            self._lifted.append(instance)
            self.layout.append(instance.scope.reachable() + np.int32(instance.first))
            self._unindexed.append(instance.slots)
        self.splices.clear()

    def find(self, name: str) -> int | None:
        """Return the slot of the job that *name* reaches here."""
        for slots in self._unindexed:
            self._slot.update(zip(self.names[slots.start : slots.stop], slots, strict=True))
        self._unindexed.clear()
        return self._slot.get(name)

    def built(self) -> Scope:
        """Return the scope, with arcs and priorities of all slots, including those of splices."""
        self.lift()
        parents, children = self._all_arcs()
        priority, has_priority = self._all_priorities()
        is_done = mask_of(concatenated(self.done), len(self))  # DAGMan forgets DONE in splices
        return Scope(
            names=self.names,
            jobs=self.jobs,
            instances=self._instances,
            lifted=self._lifted,
            placed=len(self) if self._placed is None else self._placed,
            layout=self.layout,
            arcs=self.arcs,
            parents=parents,
            children=children,
            is_done=is_done,
            priority=priority,
            has_priority=has_priority,
            modifiers=self.modifiers,
            directives=self.directives,
            special=self.special,
            pins=self.pins,
            lowest=self.lowest,
            joins=self.joins,
        )

    def _all_arcs(self) -> tuple[Ids, Ids]:
        inside = [(one.scope, np.int32(one.first)) for one in self._instances]
        parents = [scope.parents + first for scope, first in inside]
        children = [scope.children + first for scope, first in inside]
        return (
            concatenated([*(some.parents for some in self.arcs), *parents]),
            concatenated([*(some.children for some in self.arcs), *children]),
        )

    def _all_priorities(self) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
        values, given = np.zeros(len(self), np.int32), np.zeros(len(self), bool)
        for instance in self._instances:
            here = slice(instance.first, instance.slots.stop)
            values[here], given[here] = instance.scope.priority, instance.scope.has_priority
        for setting in self.priorities:
            reach = setting.slots
            slots = concatenated(self.layout[:reach]) if isinstance(reach, int) else reach
            values[slots], given[slots] = setting.values, True
        return values, given
