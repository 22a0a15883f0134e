"""The jobs of one DAGMan scope, a workflow or a splice, and what its files say about them.

Jobs have slots: consecutive numbers in the order of definition. A splice has a range of slots.
A scope grows while its files are read. After that nothing changes it, and the arrays over all
slots, which are made when they are first used, stay true.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from icsched.arrays import Ids, Mask, Sizes, ids_where, mask_of
from icsched.formats.dagman.source import DONE, Source, Statement
from icsched.formats.dagman.statements import MaxJobs


@dataclass(frozen=True, slots=True)
class Arcs:
    """The arcs of some PARENT statements; *counts* says how many each statement made."""

    parents: Ids
    children: Ids
    source: Source
    statements: Sizes
    counts: Sizes


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

    def ends(self, *, initial: bool) -> Ids:
        """Return slots around the splice: of its jobs without parents, or without children."""
        return self.scope.ends[initial] + np.int32(self.first)


@dataclass(frozen=True, slots=True)
class Modifiers:
    """Statements about jobs and the slot that each is about, or one statement about ALL_NODES.

    For ALL_NODES, *slots* says how many entries the scope's layout had then.
    """

    source: Source
    statements: Sizes
    slots: Ids | int


@dataclass(eq=False)
class Scope:
    """A scope. Arrays have one entry for each slot, including the slots of splices."""

    prefix: str = ""  # of the names in the current file, if several files are read together
    names: list[str] = field(default_factory=list)
    jobs: list[OwnJobs] = field(default_factory=list)  # one entry for each file
    instances: list[Instance] = field(default_factory=list)
    splices: dict[str, Instance] = field(default_factory=dict)  # those that can be named now
    used_names: set[str] = field(default_factory=set)  # of splices, including lifted ones
    lifted: list[Instance] = field(default_factory=list)  # in the order in which DAGMan lifts them
    placed: int = -1  # how many of the first jobs DAGMan puts into the splice's directory
    layout: list[Ids] = field(default_factory=list)  # slots in the order in which DAGMan lists jobs
    arcs: list[Arcs] = field(default_factory=list)  # of the scope's own statements
    # Values given to slots one after another; a later one wins. The slots are as in `Modifiers`.
    priorities: list[tuple[Ids | int, Ids | int]] = field(default_factory=list)
    done: list[Ids] = field(default_factory=list)
    modifiers: list[Modifiers] = field(default_factory=list)
    directives: list[Statement] = field(default_factory=list)  # on the workflow and special nodes
    special: dict[str, str] = field(default_factory=dict)  # kind of each special node, by its name
    pins: dict[str, dict[int, list[int]]] = field(  # slots by PIN_IN or PIN_OUT, and number
        default_factory=lambda: {"PIN_IN": defaultdict(list), "PIN_OUT": defaultdict(list)}
    )
    lowest: int = 0  # the priority that ALL_NODES may give to a join node
    first_weak: Statement | None = None  # the first statement of the scope that says WEAK PARENT
    places: int = 0  # of splices, and of splices in them, and so on
    joins: int = 0  # PARENT statements of several parents and children: DAGMan adds join nodes
    _slot: dict[str, int] = field(default_factory=dict)
    _unindexed: list[range] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.names)

    def add_jobs(self, names: list[str], flags: Ids, source: Source, at: Ids) -> None:
        """Add a file's own jobs; *at* are their statements."""
        slots = range(len(self), len(self) + len(names))
        self.names += names
        self.done.append((slots.start + np.flatnonzero(flags & DONE)).astype(np.int32))
        self.jobs.append(OwnJobs(source, at, slots))
        self.layout.append(np.arange(slots.start, slots.stop, dtype=np.int32))
        self._unindexed.append(slots)

    def add_splice(self, name: str, scope: "Scope", directory: str) -> None:
        """Add the jobs of a splice; other statements reach them only after the splice is lifted."""
        instance = Instance(name, scope, len(self), directory)
        self.names += [f"{name}+{job}" for job in scope.names]
        self.places += 1 + scope.places
        self.joins += scope.joins
        self.lowest = min(self.lowest, scope.lowest)
        self.instances.append(instance)
        self.splices[name] = instance
        self.used_names.add(name)

    def lift(self) -> None:
        """Make the jobs of splices known by name, and splices unknown, as at each end of a file."""
        if self.placed < 0:
            self.placed = len(self)
        for _, instance in sorted(self.splices.items()):  # DAGMan keeps them by name
            self.lifted.append(instance)
            self.layout.append(instance.scope.reachable() + np.int32(instance.first))
            self._unindexed.append(instance.slots)
        self.splices.clear()

    def find(self, name: str) -> int:
        """Return the slot of the job that *name* reaches here, -1 if it reaches none."""
        for slots in self._unindexed:
            self._slot.update(zip(self.names[slots.start : slots.stop], slots, strict=True))
        self._unindexed.clear()
        return self._slot.get(name, -1)

    def reachable(self, reach: int | None = None) -> Ids:
        """Return the slots that ALL_NODES in `Modifiers` means, or all, in DAGMan's order."""
        return joined(self.layout[:reach])

    @cached_property
    def parents(self) -> Ids:
        """The parent in each arc, including those of splices."""
        inside = (one.scope.parents + np.int32(one.first) for one in self.instances)
        return joined([*(some.parents for some in self.arcs), *inside])

    @cached_property
    def children(self) -> Ids:
        """The child in each arc, including those of splices."""
        inside = (one.scope.children + np.int32(one.first) for one in self.instances)
        return joined([*(some.children for some in self.arcs), *inside])

    @cached_property
    def ends(self) -> dict[bool, Ids]:
        """Slots of the jobs without parents under True, of those without children under False."""
        inner = {True: self.children, False: self.parents}
        return {initial: ids_where(~mask_of(slots, len(self))) for initial, slots in inner.items()}

    @cached_property
    def is_done(self) -> Mask:
        """Whether the files say that a job is done; DAGMan forgets DONE in splices."""
        return mask_of(joined(self.done), len(self))

    @cached_property
    def given_priorities(self) -> tuple[Ids, Mask]:
        """The priorities that the files give to jobs, 0 if none, and whether they give one."""
        values, given = np.zeros(len(self), np.int32), np.zeros(len(self), bool)
        for instance in self.instances:
            here = slice(instance.first, instance.slots.stop)
            values[here], given[here] = instance.scope.given_priorities
        for reach, value in self.priorities:
            slots = self.reachable(reach) if isinstance(reach, int) else reach
            values[slots], given[slots] = value, True
        return values, given

    @cached_property
    def letters(self) -> int:
        """Number of letters in all names."""
        return sum(map(len, self.names))

    @cached_property
    def descriptions(self) -> dict[str, Statement]:
        """The SUBMIT-DESCRIPTION statements, by the names that they give."""
        named = (one for one in self.directives if one.keyword == "SUBMIT_DESCRIPTION")
        return {statement.argument: statement for statement in named}

    @cached_property
    def limits(self) -> dict[str, int]:
        """The limit on each category: the last MAXJOBS line of the scope, or the first splice's."""
        limits: dict[str, int] = {}
        for instance in self.lifted:
            for category, limit in instance.scope.limits.items():
                limits.setdefault(category_name(f"{instance.name}+", category), limit)
        own = (statement.command for statement in self.directives)
        return limits | {one.argument: one.limit for one in own if isinstance(one, MaxJobs)}


def joined(slots: Iterable[Ids]) -> Ids:
    """Return several arrays of slots, which may be none, as one."""
    return np.concatenate([np.empty(0, np.int32), *slots])


def category_name(prefix: str, category: str) -> str:
    """Return the name of a splice's category outside the splice; one that begins with + is global.

    >>> category_name("S+", "big"), category_name("S+", "+all")
    ('S+big', '+all')
    """
    return category if category.startswith("+") else prefix + category
