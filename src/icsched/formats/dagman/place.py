"""The scopes of a workflow in their places, and the names that one file uses for their contents."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

import numpy as np

from icsched.arrays import Ids
from icsched.errors import FormatError
from icsched.formats.dagman.commands import Node
from icsched.formats.dagman.limits import category_name
from icsched.formats.dagman.scope import Scope, Spot, spots
from icsched.formats.dagman.source import IS_INLINE, Kind, Source, Statement
from icsched.formats.dagman.submission import Submission


def places(workflow: Submission) -> list["Place"]:
    """Return the scopes of a workflow in their places, outer ones before inner ones.

    Raises FormatError if two things would get one name.
    """
    names = [flat_name(name) for name in workflow.scope.names]
    done = {workflow.names[at] for at in np.flatnonzero(workflow.done).tolist()}
    is_done = [name in done for name in workflow.scope.names]
    root, known = workflow.roots[0], set[str]()
    everywhere = []
    for spot in spots(workflow.scope, workflow.directory):
        here = slice(spot.first, spot.first + len(spot.scope))
        everywhere.append(Place(spot, names[here], is_done[here], root, known))
    jobs = [*names, *(p.prefix + name for p in everywhere for name in p.scope.special)]
    descriptions = [name for place in everywhere for name in _descriptions(place)]
    _check_names(root.path, "job", jobs)
    _check_names(root.path, "description", descriptions)
    known.update(descriptions)
    return everywhere


def _check_names(path: str, what: str, names: Sequence[str]) -> None:
    """Raise FormatError if a name would mean two jobs or descriptions."""
    name, count = max(Counter(names).items(), key=itemgetter(1), default=("", 1))
    if count > 1:
        problem = f"two {what}s would be called {name} in one file: rename one of them"
        raise FormatError(path, None, problem)


def _descriptions(place: "Place") -> Iterator[str]:
    """Yield the names of submit descriptions in the scope's files, including inline ones."""
    yield from (place.prefix + name for name in sorted(place.scope.descriptions))
    for own in place.scope.jobs:
        scan = own.source.scan
        is_inline = (scan.value[own.statements] & IS_INLINE).astype(bool)
        maybe = is_inline | (scan.kind[own.statements] != Kind.JOB)
        for at in np.flatnonzero(maybe).tolist():
            if not own.source.node(int(own.statements[at])).submit:
                yield description_name(place.names[own.slots[at]])
    for statement in place.scope.directives:
        command = statement.command
        if isinstance(command, Node) and not command.submit:
            yield description_name(place.prefix + command.name)


def flat_name(name: str) -> str:
    """Return the name of a job in a flattened file.

    >>> flat_name("outer+inner+job")
    'outer-inner-job'
    """
    return name.replace("+", "-")


def description_name(job: str) -> str:
    """Return the name of the description of a job: a word that opens no brace and no quote.

    >>> description_name("S-p"), description_name("{")
    ('S-p.description', 'u7b.description')
    """
    return re.sub(r"[^\w.-]", lambda match: f"u{ord(match[0]):x}", job) + ".description"


@dataclass(frozen=True)
class Place:
    """A scope in its place in the workflow, and in one file."""

    spot: Spot
    names: list[str]  # flat names by slot
    is_done: list[bool]
    root: Source  # the file that the user named
    descriptions: set[str]  # flat names of all in the workflow

    @property
    def scope(self) -> Scope:
        """The scope."""
        return self.spot.scope

    @property
    def first(self) -> int:
        """Slot of its first job in the outermost scope."""
        return self.spot.first

    @cached_property
    def prefix(self) -> str:
        """What all flat names begin with."""
        return flat_name(self.spot.prefix)

    @property
    def statements(self) -> Iterator[tuple[Statement, int]]:
        """The statements that define the scope's own jobs, each with its slot."""
        for own in self.scope.jobs:
            for statement, slot in zip(own.statements.tolist(), own.slots, strict=True):
                yield Statement(own.source, statement), slot

    def category(self, name: str) -> str:
        """Return what DAGMan calls a category of this scope."""
        return category_name(self.spot.prefix, name)

    def directory_of(self, source: Source) -> str:
        """Return the directory of the jobs that a file of this scope defines."""
        return self._directories[id(source)]

    @cached_property
    def _directories(self) -> dict[int, str]:
        return {id(own.source): self.spot.directory_at(own.slots.start) for own in self.scope.jobs}

    def jobs(self, slots: Ids) -> str:
        """Return the flat names of jobs, for a PARENT line."""
        return " ".join(self.names[slot] for slot in slots.tolist())
