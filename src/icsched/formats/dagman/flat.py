"""A workflow written as one DAGMan file without splices and includes."""

import os
import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

import numpy as np

from icsched._native import Ids
from icsched.errors import FormatError
from icsched.formats.dagman.commands import Directive, Modifier, Node
from icsched.formats.dagman.scope import Said, Scope
from icsched.formats.dagman.source import Source, split
from icsched.formats.dagman.workflow import Workflow

# DAGMan reads these only in the files that it is given, not in splices.
_OUTSIDE = {"CONFIG", "SET_JOB_ATTR", "ENV", "DOT", "NODE_STATUS_FILE", "JOBSTATE_LOG"}
_SCRIPT_NAME = re.compile(
    r"(\S+(?:[ \t]+(?:DEFER|DEBUG)[ \t]+\S+[ \t]+\S+)*[ \t]+(?:PRE|POST|HOLD)[ \t]+)(\S+)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(^[^ \t]+[ \t]+)([^ \t]+)")

Lines: TypeAlias = Iterator[str]


def flattened(workflow: Workflow) -> list[str]:
    """Return the lines of one DAGMan file that says what the workflow's files say together.

    The job ``S+p`` of a splice is called ``S-p``, for DAGMan takes no ``+`` in a JOB line, and
    descriptions and categories likewise. Jobs that are done, by whatever file, are marked so.
    Raises FormatError where two things would get one name, and for what only a splice can say.
    """
    everywhere = places(workflow)
    return [
        *(line for place in everywhere for line in directive_lines(place)),
        *(line for place in everywhere for line in job_lines(place)),
        *(line for place in everywhere for line in _dependencies(place)),
        *modifier_lines(everywhere),
    ]


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


def directive_lines(place: Place) -> Lines:
    """Yield what is said about the whole workflow, and its nodes that are no jobs."""
    for source, statement in place.scope.directives:
        command = source.command(statement)
        text = source.text(statement)
        if isinstance(command, Node):
            if place.prefix and command.kind != "FINAL":
                problem = f"expected no {command.kind} in a splice, for a file without splices"
                raise source.error(statement, problem)
            yield from _node_lines(place, source, statement, command.name, is_done=False)
        elif isinstance(command, Modifier):
            yield _renamed(split(text)[0], command, place.prefix + command.name)
        elif isinstance(command, Directive) and command.command == "SUBMIT_DESCRIPTION":
            yield _description(text, place.renamed(command.argument))
        elif isinstance(command, Directive) and command.command == "MAXJOBS":
            yield f"MAXJOBS {place.renamed(command.argument)} {command.number}"
        elif not place.prefix or _first_word(text) not in _OUTSIDE:
            yield split(text)[0]


def _first_word(text: str) -> str:
    return text.split(None, 1)[0].upper().replace("-", "_")


def job_lines(place: Place, only: Container[str] | None = None) -> Lines:
    """Yield the jobs, or those whose flat names are in *only*."""
    for source, statement, slot in place.statements:
        name = place.names[slot]
        if only is None or name in only:
            yield from _node_lines(place, source, statement, name, is_done=place.is_done[slot])


def _node_lines(place: Place, source: Source, statement: int, name: str, *, is_done: bool) -> Lines:
    node = source.node(statement)
    directory = os.path.join(place.directory, node.directory).removesuffix("/")
    options = f" DIR {_quoted(directory)}" if directory else ""
    options += " NOOP" if node.noop else ""
    options += " DONE" if is_done else ""
    kind = "SUBDAG EXTERNAL" if node.kind == "SUBDAG" else node.kind
    submit = node.submit
    if not submit:  # old versions heed no options after an inline description
        submit = f"{name}.description"
        yield _description(source.text(statement), submit)
    elif submit in place.scope.descriptions:
        submit = place.renamed(submit)
    yield f"{kind} {name} {_quoted(submit)}{options}"


def _description(text: str, name: str) -> str:
    """Return the inline description of a statement as one that is called *name*."""
    head, _ = split(text)
    opening = re.split(r"[ \t]+", head, maxsplit=2)[2].split()[0]
    closing = "}" if opening.startswith("{") else f"@{opening[2:]}"
    _, body = inline_body(text)
    return "\n".join([f"SUBMIT-DESCRIPTION {name} {opening}", *body, closing])


def inline_body(text: str) -> tuple[int, list[str]]:
    """Return the lines of a statement's inline description, and how many come before them."""
    lines = text.split("\n")
    start = 0
    while lines[start].rstrip().endswith("\\"):  # the head goes on, after comments and blank lines
        rest = range(start + 1, len(lines))
        start = next(at for at in rest if not re.match(r"\s*(?:#|//|$)", lines[at]))
    return start + 1, lines[start + 1 : -1]


def _quoted(path: str) -> str:
    return f'"{path}"' if re.search(r"[ \t]", path) else path


def _dependencies(place: Place) -> Lines:
    for arcs in place.scope.arcs:
        ends = np.cumsum(arcs.counts)
        for start, stop in zip(ends - arcs.counts, ends, strict=True):
            parents = np.unique(arcs.parents[start:stop])
            children = np.unique(arcs.children[start:stop])
            yield f"PARENT {place.jobs(parents)} CHILD {place.jobs(children)}"


def modifier_lines(
    everywhere: Sequence[Place], only: Container[str] | None = None, *, priorities: bool = True
) -> Lines:
    """Yield what is said about jobs, or those in *only*; with or without their priorities."""
    unsaid = {"DONE"} if priorities else {"DONE", "PRIORITY"}
    for said in statements_about_jobs(everywhere):
        name = said.name
        if only is not None and name not in only:
            continue
        command = said.command
        if command.command in unsaid:
            continue
        if command.command == "CATEGORY":
            yield f"CATEGORY {name} {said.place.renamed(command.detail)}"
        else:
            yield _renamed(said.head, command, name)


@dataclass(frozen=True)
class Statement:
    """A statement about one job, which may have said ALL_NODES."""

    place: Place
    source: Source
    statement: int
    slot: int

    @property
    def name(self) -> str:
        """Flat name of the job."""
        return self.place.names[self.slot]

    @cached_property
    def command(self) -> Modifier:
        """What it says."""
        command = self.source.command(self.statement)
        assert isinstance(command, Modifier)  # noqa: S101  so the reader found
        return command

    @property
    def head(self) -> str:
        """Its text on one line."""
        return split(self.source.text(self.statement))[0]


def statements_about_jobs(everywhere: Sequence[Place]) -> Iterator[Statement]:
    """Yield all that is said about jobs, so that of two words the last counts."""
    # What a splice says of its jobs comes before what is said around it.
    for place in reversed(everywhere):
        # What is plain and what is not was noted apart.
        for _, one_file in groupby(place.scope.said, key=lambda said: id(said.source)):
            said = [about for part in one_file for about in _about(place.scope, part)]
            for source, statement, slot in sorted(said, key=itemgetter(1)):
                yield Statement(place, source, statement, slot)


def _about(scope: Scope, said: Said) -> Iterator[tuple[Source, int, int]]:
    """Yield statements about jobs, each with the slot it is about."""
    slots = scope.reachable(said.slots)
    statements = np.broadcast_to(said.statements, len(slots))
    for statement, slot in zip(statements.tolist(), slots.tolist(), strict=True):
        yield said.source, statement, slot


def _renamed(head: str, command: Modifier, name: str) -> str:
    """Return a statement about one job as one about the job called *name*."""
    pattern = _SCRIPT_NAME if command.command == "SCRIPT" else _NAME
    return pattern.sub(lambda match: match[1] + name, head, count=1)
