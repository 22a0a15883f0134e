"""A workflow written as one DAGMan file without splices and includes."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
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
_SCRIPT_NAME = re.compile(r"((?:^|[ \t])(?:PRE|POST|HOLD)[ \t]+)([^ \t]+)", re.IGNORECASE)
_NAME = re.compile(r"(^[^ \t]+[ \t]+)([^ \t]+)")

Lines: TypeAlias = Iterator[str]


def flattened(workflow: Workflow) -> list[str]:
    """Return the lines of one DAGMan file that says what the workflow's files say together.

    The job ``S+p`` of a splice is called ``S-p``, for DAGMan takes no ``+`` in a JOB line.
    Raises FormatError where two jobs would get one name.
    """
    names = [flat_name(name) for name in workflow.scope.names]
    if len(set(names)) < len(names):
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise FormatError(workflow.roots[0].path, None, f"two jobs would be called {twice}")
    top = _Place(workflow.scope, names, "", workflow.directory)
    places = [top, *_inside(top)]
    writers = (_directives, _jobs, _dependencies, _modifiers)
    return [line for write in writers for place in places for line in write(place)]


def flat_name(name: str) -> str:
    """Return the name of a job in a flattened file.

    >>> flat_name("outer+inner+job")
    'outer-inner-job'
    """
    return name.replace("+", "-")


@dataclass(frozen=True, slots=True)
class _Place:
    """A scope in its place in the workflow."""

    scope: Scope
    names: list[str]  # flat names by slot
    prefix: str
    directory: str

    def renamed(self, name: str) -> str:
        """Return a name of this scope that is no job's: a description's or a category's."""
        return name if name.startswith("+") else self.prefix + name

    def jobs(self, slots: Ids) -> str:
        return " ".join(self.names[slot] for slot in slots.tolist())


def _inside(place: _Place) -> Iterator[_Place]:
    for instance in place.scope.instances:
        names = place.names[instance.slots.start : instance.slots.stop]
        prefix = f"{place.prefix}{flat_name(instance.name)}-"
        directory = os.path.join(place.directory, instance.directory)
        inner = _Place(instance.scope, names, prefix, directory)
        yield inner
        yield from _inside(inner)


def _directives(place: _Place) -> Lines:
    for source, statement in place.scope.directives:
        command = source.command(statement)
        text = source.text(statement)
        if isinstance(command, Node):
            yield _node_text(place, source, statement, place.prefix + command.name)
        elif isinstance(command, Modifier):
            yield _renamed(split(text)[0], command, place.prefix + command.name)
        elif isinstance(command, Directive) and command.command == "SUBMIT_DESCRIPTION":
            yield _with_head(text, f"SUBMIT-DESCRIPTION {place.renamed(command.argument)}", "")
        elif isinstance(command, Directive) and command.command == "MAXJOBS":
            yield f"MAXJOBS {place.renamed(command.argument)} {command.number}"
        elif not place.prefix or _first_word(text) not in _OUTSIDE:
            yield split(text)[0]


def _first_word(text: str) -> str:
    return text.split(None, 1)[0].upper().replace("-", "_")


def _jobs(place: _Place) -> Lines:
    for own in place.scope.jobs:
        for statement, slot in zip(own.statements.tolist(), own.slots, strict=True):
            yield _node_text(place, own.source, statement, place.names[slot])


def _node_text(place: _Place, source: Source, statement: int, name: str) -> str:
    node = source.node(statement)
    directory = os.path.join(place.directory, node.directory).removesuffix("/")
    options = f" DIR {_quoted(directory)}" if directory else ""
    options += " NOOP" if node.noop else ""
    options += " DONE" if node.done and not place.prefix else ""  # forgotten in splices
    kind = "SUBDAG EXTERNAL" if node.kind == "SUBDAG" else node.kind
    if not node.submit:
        return _with_head(source.text(statement), f"{kind} {name}", options)
    described = node.submit in place.scope.descriptions
    submit = place.renamed(node.submit) if described else node.submit
    return f"{kind} {name} {_quoted(submit)}{options}"


def _with_head(text: str, head: str, options: str) -> str:
    """Return a statement with an inline description under another head."""
    old_head, _ = split(text)
    opening = re.split(r"[ \t]+", old_head, maxsplit=2)[2]
    lines = text.split("\n")
    start = 0
    while lines[start].rstrip().endswith("\\"):  # the head goes on, after comments and blank lines
        rest = range(start + 1, len(lines))
        start = next(at for at in rest if not re.match(r"\s*(?:#|//|$)", lines[at]))
    closing = "}" if opening.startswith("{") else f"@{opening.split()[0][2:]}"
    return "\n".join(
        [f"{head} {opening.split()[0]}", *lines[start + 1 : -1], f"{closing}{options}"]
    )


def _quoted(path: str) -> str:
    return f'"{path}"' if re.search(r"[ \t]", path) else path


def _dependencies(place: _Place) -> Lines:
    for arcs in place.scope.arcs:
        ends = np.cumsum(arcs.counts)
        for start, stop in zip(ends - arcs.counts, ends, strict=True):
            parents = np.unique(arcs.parents[start:stop])
            children = np.unique(arcs.children[start:stop])
            yield f"PARENT {place.jobs(parents)} CHILD {place.jobs(children)}"


def _modifiers(place: _Place) -> Lines:
    # What is plain and what is not was noted apart; for DAGMan the last word counts.
    for _, one_file in groupby(place.scope.said, key=lambda said: id(said.source)):
        said = [about for part in one_file for about in _about(place.scope, part)]
        for source, statement, slot in sorted(said, key=itemgetter(1)):
            command = source.command(statement)
            assert isinstance(command, Modifier)  # noqa: S101  so the reader found
            if command.command == "CATEGORY":
                yield f"CATEGORY {place.names[slot]} {place.renamed(command.detail)}"
            elif command.command != "DONE" or not place.prefix:
                head, _ = split(source.text(statement))
                yield _renamed(head, command, place.names[slot])


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
