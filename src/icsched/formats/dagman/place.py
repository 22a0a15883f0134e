"""The scopes of a workflow in their places, and the names that one file has for what is in them."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from icsched._native import Ids
from icsched.errors import FormatError
from icsched.formats.dagman.scope import Scope
from icsched.formats.dagman.source import Source
from icsched.formats.dagman.workflow import Workflow


def places(workflow: Workflow) -> list["Place"]:
    """Return the scopes of a workflow in their places, outer ones before inner ones.

    Raises FormatError where two things would get one name.
    """
    names = [flat_name(name) for name in workflow.scope.names]
    done = {workflow.names[at] for at in np.flatnonzero(workflow.done).tolist()}
    is_done = [name in done for name in workflow.scope.names]
    top = Place(workflow.scope, names, is_done, "", workflow.directory)
    everywhere = [top, *_inside(top)]
    _check_names(workflow.roots[0].path, everywhere)
    return everywhere


def _check_names(path: str, places: list["Place"]) -> None:
    """Raise FormatError if a name would mean two jobs, descriptions or categories."""
    jobs = [*places[0].names, *(p.prefix + name for p in places for name in p.scope.special)]
    descriptions = [p.renamed(name) for p in places for name in p.scope.descriptions]
    categories = [p.renamed(name) for p in places for name in p.scope.categories if name[0] != "+"]
    for what, names in {"job": jobs, "description": descriptions, "category": categories}.items():
        name, count = max(Counter(names).items(), key=itemgetter(1), default=("", 1))
        if count > 1:
            raise FormatError(path, None, f"{what} {name} would mean two of them in one file")


def flat_name(name: str) -> str:
    """Return the name of a job in a flattened file.

    >>> flat_name("outer+inner+job")
    'outer-inner-job'
    """
    return name.replace("+", "-")


@dataclass(frozen=True, slots=True)
class Place:
    """A scope in its place in the workflow."""

    scope: Scope
    names: list[str]  # flat names by slot
    is_done: list[bool]
    prefix: str
    directory: str
    first: int = 0  # slot of its first job in the outermost scope

    @property
    def statements(self) -> Iterator[tuple[Source, int, int]]:
        """The statements that define the scope's own jobs, each with its file and slot."""
        for own in self.scope.jobs:
            for statement, slot in zip(own.statements.tolist(), own.slots, strict=True):
                yield own.source, statement, slot

    def renamed(self, name: str) -> str:
        """Return a name of this scope that is no job's: a description's or a category's."""
        return name if name.startswith("+") else self.prefix + name

    def jobs(self, slots: Ids) -> str:
        """Return the flat names of jobs, for a PARENT line."""
        return " ".join(self.names[slot] for slot in slots.tolist())


def _inside(place: Place) -> Iterator[Place]:
    for instance in place.scope.instances:
        names = place.names[instance.slots.start : instance.slots.stop]
        prefix = f"{place.prefix}{flat_name(instance.name)}-"
        directory = os.path.join(place.directory, instance.directory)
        is_done = place.is_done[instance.slots.start : instance.slots.stop]
        first = place.first + instance.first
        inner = Place(instance.scope, names, is_done, prefix, directory, first)
        yield inner
        yield from _inside(inner)
