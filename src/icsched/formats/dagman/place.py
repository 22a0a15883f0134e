"""The scopes of a workflow in their places, and the names that one file has for what is in them."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter

import numpy as np

from icsched.arrays import Ids
from icsched.errors import FormatError
from icsched.formats.dagman.commands import Node
from icsched.formats.dagman.limits import category_name
from icsched.formats.dagman.scope import Scope
from icsched.formats.dagman.source import IS_INLINE, Kind, Source
from icsched.formats.dagman.submission import Submission


def places(workflow: Submission) -> list["Place"]:
    """Return the scopes of a workflow in their places, outer ones before inner ones.

    Raises FormatError where two things would get one name.
    """
    names = [flat_name(name) for name in workflow.scope.names]
    done = {workflow.names[at] for at in np.flatnonzero(workflow.done).tolist()}
    is_done = [name in done for name in workflow.scope.names]
    directory, root = workflow.directory, workflow.roots[0]
    top = Place(workflow.scope, names, is_done, "", "", directory, directory, root)
    everywhere = [top, *_inside(top)]
    jobs = [*names, *(p.prefix + name for p in everywhere for name in p.scope.special)]
    descriptions = [name for place in everywhere for name in _descriptions(place)]
    _check_names(root.path, "job", jobs)
    _check_names(root.path, "description", descriptions)
    top.descriptions.update(descriptions)
    return everywhere


def _check_names(path: str, what: str, names: Sequence[str]) -> None:
    """Raise FormatError if a name would mean two jobs or descriptions."""
    name, count = max(Counter(names).items(), key=itemgetter(1), default=("", 1))
    if count > 1:
        problem = f"two {what}s would be called {name} in one file: rename one of them"
        raise FormatError(path, None, problem)


def _descriptions(place: "Place") -> Iterator[str]:
    """Yield the names of submit descriptions that stand in the scope's files, inline ones too."""
    yield from (place.prefix + name for name in sorted(place.scope.descriptions))
    for own in place.scope.jobs:
        scan = own.source.scan
        is_inline = (scan.value[own.statements] & IS_INLINE).astype(bool)
        maybe = is_inline | (scan.kind[own.statements] != Kind.JOB)
        for at in np.flatnonzero(maybe).tolist():
            if not own.source.node(int(own.statements[at])).submit:
                yield description_name(place.names[own.slots[at]])
    for source, statement in place.scope.directives:
        command = source.command(statement)
        if isinstance(command, Node) and not command.submit:
            yield description_name(place.prefix + command.name)


def flat_name(name: str) -> str:
    """Return the name of a job in a flattened file.

    >>> flat_name("outer+inner+job")
    'outer-inner-job'
    """
    return name.replace("+", "-")


def description_name(job: str) -> str:
    """Return what the description of a job is called: a word that opens no brace and no quote.

    >>> description_name("S-p"), description_name("{")
    ('S-p.description', 'u7b.description')
    """
    return re.sub(r"[^\w.-]", lambda match: f"u{ord(match[0]):x}", job) + ".description"


@dataclass(frozen=True)
class Place:
    """A scope in its place in the workflow."""

    scope: Scope
    names: list[str]  # flat names by slot
    is_done: list[bool]
    prefix: str  # of flat names
    full_prefix: str  # of DAGMan's names
    around: str  # directory of the scope around it
    directory: str
    root: Source  # the file that the user named
    first: int = 0  # slot of its first job in the outermost scope
    descriptions: set[str] = field(default_factory=set)  # flat names of all in the workflow

    @property
    def statements(self) -> Iterator[tuple[Source, int, int]]:
        """The statements that define the scope's own jobs, each with its file and slot."""
        for own in self.scope.jobs:
            for statement, slot in zip(own.statements.tolist(), own.slots, strict=True):
                yield own.source, statement, slot

    def category(self, name: str) -> str:
        """Return what DAGMan calls a category of this scope."""
        return category_name(self.full_prefix, name)

    def directory_of(self, source: Source) -> str:
        """Return the directory of the jobs that a file of this scope defines."""
        return self.around if id(source) in self._late_files else self.directory

    @cached_property
    def _late_files(self) -> set[int]:
        """Files whose jobs DAGMan does not put into the splice's directory."""
        late = (own for own in self.scope.jobs if self.scope.is_late(own.slots.start))
        return {id(own.source) for own in late}

    def jobs(self, slots: Ids) -> str:
        """Return the flat names of jobs, for a PARENT line."""
        return " ".join(self.names[slot] for slot in slots.tolist())


def _inside(place: Place) -> Iterator[Place]:
    for instance in place.scope.instances:
        around = place.around if place.scope.is_late(instance.first) else place.directory
        inner = Place(
            instance.scope,
            place.names[instance.slots.start : instance.slots.stop],
            place.is_done[instance.slots.start : instance.slots.stop],
            f"{place.prefix}{flat_name(instance.name)}-",
            f"{place.full_prefix}{instance.name}+",
            around,
            os.path.join(around, instance.directory),
            place.root,
            place.first + instance.first,
            place.descriptions,
        )
        yield inner
        yield from _inside(inner)
