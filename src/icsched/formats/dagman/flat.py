"""A workflow written as one DAGMan file without splices and includes."""

import os
import re
from collections.abc import Container, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from icsched.formats.dagman.commands import Directive, Modifier, Node
from icsched.formats.dagman.place import Place, places
from icsched.formats.dagman.said import statements_about_jobs
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


def _renamed(head: str, command: Modifier, name: str) -> str:
    """Return a statement about one job as one about the job called *name*."""
    pattern = _SCRIPT_NAME if command.command == "SCRIPT" else _NAME
    return pattern.sub(lambda match: match[1] + name, head, count=1)
