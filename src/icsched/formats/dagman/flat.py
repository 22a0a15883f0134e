"""A workflow written as one DAGMan file without splices and includes."""

import os
import re
from collections.abc import Container, Iterator, Sequence
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, ranks_of
from icsched.formats.dagman.commands import (
    Category,
    Done,
    Modifier,
    Node,
    Parent,
    Priority,
    SavePoint,
    SubmitDescription,
)
from icsched.formats.dagman.limits import category_limits
from icsched.formats.dagman.modifiers import statements_with_slots
from icsched.formats.dagman.place import Place, description_name, places
from icsched.formats.dagman.scope import Arcs
from icsched.formats.dagman.source import Kind, Source, Statement
from icsched.formats.dagman.submission import Submission

_MOST_LINES = 10_000_000  # about jobs: one ALL_NODES line makes a line for each job
# condor_submit_dag reads these only in the file that it is given.
_IN_ROOT = {"CONFIG", "SET_JOB_ATTR", "ENV"}
# DAGMan follows these in that file and in the files that it includes, but not in splices.
_OUTSIDE = {"DOT", "NODE_STATUS_FILE", "JOBSTATE_LOG"}
Lines: TypeAlias = Iterator[str]


def flattened(workflow: Submission, *, priorities: bool = True) -> list[str]:
    """Return the lines of one DAGMan file that says what the workflow's files say together.

    The jobs' *priorities* are written or left out.

    The job ``S+p`` of a splice is called ``S-p``, because DAGMan does not accept ``+`` in a JOB
    line. The same holds for descriptions. Categories keep the names that DAGMan gives them. Jobs
    come in DAGMan's order. Jobs that are done, by any file, are marked as done.
    Raises FormatError if two things would get one name, and for what only a splice can say.
    """
    everywhere = places(workflow)
    return [
        *(line for place in everywhere for line in directive_lines(place)),
        *_jobs_in_order(everywhere),
        *_dependencies(everywhere),
        *modifier_lines(everywhere, priorities=priorities),
    ]


def _jobs_in_order(everywhere: Sequence[Place]) -> Lines:
    """Yield all jobs as DAGMan lists them: of equal priorities, the first one goes first."""
    layout = everywhere[0].scope.reachable()
    rank = ranks_of(layout)
    found = [
        (rank[place.first + slot], place, statement, slot)
        for place in everywhere
        for statement, slot in place.statements
    ]
    for _, place, statement, slot in sorted(found, key=itemgetter(0)):
        yield from _job(place, statement, slot)


def directive_lines(place: Place) -> Lines:
    """Yield what is said about the whole workflow, and its special nodes, which are not jobs."""
    for statement in place.scope.directives:
        command = statement.command
        if isinstance(command, Node):
            if place.prefix:
                problem = f"{command.kind} in a splice cannot be written into one file"
                what = "take it out, because DAGMan does not run it in a splice"
                raise statement.error(f"{problem}: {what}")
            yield from _node_lines(place, statement, command, command.name, is_done=False)
        elif isinstance(command, Modifier):
            before, after = command.around_name
            yield f"{before}{place.prefix}{command.name}{after}"
        elif isinstance(command, SubmitDescription):
            yield command.text.description(place.prefix + command.argument)
        elif _counts(place, statement):
            yield command.text.head
    if not place.prefix:
        for category, limit in category_limits(place.scope).items():
            yield f"MAXJOBS {category} {limit}"


def _counts(place: Place, statement: Statement) -> bool:
    """Whether DAGMan follows a statement about the whole workflow at this place."""
    command = statement.command.command
    if command in _IN_ROOT:
        return statement.source is place.root
    return command != "MAXJOBS" and not (place.prefix and command in _OUTSIDE)


def job_lines(place: Place, only: Container[str]) -> Lines:
    """Yield the jobs whose flat names are in *only*."""
    for statement, slot in place.statements:
        if place.names[slot] in only:
            yield from _job(place, statement, slot)


def _job(place: Place, statement: Statement, slot: int) -> Lines:
    name = place.names[slot]
    if re.search(r"[ \t]", name):
        problem = f"job {name} has a blank in its name, so it cannot be written into one file"
        raise statement.error(f"{problem}: rename it")
    node = statement.source.node(statement.number)
    return _node_lines(place, statement, node, name, is_done=place.is_done[slot])


def _node_lines(
    place: Place, statement: Statement, node: Node, name: str, *, is_done: bool
) -> Lines:
    directory = os.path.join(place.directory_of(statement.source), node.directory)
    directory = directory.removesuffix("/") or directory  # of the root directory, the slash stays
    options = f" DIR {_quoted(directory, statement)}" if directory else ""
    options += " NOOP" if node.noop else ""
    options += " DONE" if is_done else ""
    kind = "SUBDAG EXTERNAL" if node.kind == "SUBDAG" else node.kind
    submit = node.submit
    if not submit:  # old versions ignore options after an inline description
        submit = description_name(name)
        yield node.text.description(submit)
    elif submit in place.scope.descriptions and node.kind != "SUBDAG":
        submit = place.prefix + submit
    elif submit in place.descriptions or submit.startswith(("{", "@=")):  # still a file
        submit = f"./{submit}" if not os.path.isabs(submit) else f"/.{submit}"
    yield f"{kind} {name} {_quoted(submit, statement)}{options}"


def _quoted(path: str, statement: Statement) -> str:
    """Return a path as one word; raises FormatError unless all versions of DAGMan can read it."""
    if not re.search(r"[ \t']|\\$", path):
        return path
    if re.search(r'["\\]', path):
        problem = f"path {path} has a blank or quote, and a double quote or backslash"
        raise statement.error(f"{problem}, so it cannot be written into one file")
    return f'"{path}"'


def _dependencies(everywhere: Sequence[Place]) -> Lines:
    seen = _Seen(everywhere)
    for place in everywhere:
        for arcs in place.scope.arcs:
            ends = np.cumsum(arcs.counts)
            rows = zip(arcs.statements.tolist(), ends - arcs.counts, ends, strict=True)
            for statement, start, stop in rows:
                word = _word(arcs.source, statement)
                parents = np.unique(arcs.parents[start:stop])
                children = np.unique(arcs.children[start:stop])
                if word == "CONNECT":
                    yield from _connections(place, parents, children, seen)
                else:
                    yield f"{word} {place.jobs(parents)} CHILD {place.jobs(children)}"


def _connections(place: Place, parents: Ids, children: Ids, seen: "_Seen") -> Lines:
    """Yield one line for each parent, so that DAGMan makes no join node and no dependency twice.

    DAGMan accepts a dependency that pins make twice, but may abort if two PARENT lines make it.
    """
    for parent in parents.tolist():
        fresh = children[seen.is_new(place.first + parent, place.first + children)]
        if len(fresh):
            yield f"PARENT {place.names[parent]} CHILD {place.jobs(fresh)}"


class _Seen:
    """The dependencies of the PARENT lines, and of the CONNECT lines so far, as numbers."""

    def __init__(self, everywhere: Sequence[Place]) -> None:
        self._jobs = len(everywhere[0].names)
        self._connected: set[int] = set()
        keys = [np.empty(0, np.int64)]
        if any(i.scope.pins[True] for place in everywhere for i in place.scope.instances):
            keys += [self._keys(place, arcs) for place in everywhere for arcs in place.scope.arcs]
        self._parent_lines = np.unique(np.concatenate(keys))

    def _keys(self, place: Place, arcs: Arcs) -> NDArray[np.int64]:
        words = [_word(arcs.source, statement) for statement in arcs.statements.tolist()]
        counts = np.repeat(np.array(words) == "PARENT", arcs.counts)
        parents, children = place.first + arcs.parents[counts], place.first + arcs.children[counts]
        keys: NDArray[np.int64] = parents.astype(np.int64) * self._jobs + children
        return keys

    def is_new(self, parent: int, children: Ids) -> NDArray[np.bool_]:
        """Whether each dependency on *parent* is new; from now on it is not."""
        keys = parent * self._jobs + children.astype(np.int64)
        at = np.searchsorted(self._parent_lines, keys)
        said = np.append(self._parent_lines, -1)[at] == keys
        connected = np.array([key in self._connected for key in keys.tolist()], bool)
        self._connected.update(keys.tolist())
        is_new: NDArray[np.bool_] = ~(said | connected)
        return is_new


def _word(source: Source, statement: int) -> str:
    """Return PARENT, WEAK PARENT or CONNECT."""
    if source.scan.kind[statement] == Kind.PARENT:
        return "PARENT"
    command = source.command(statement)
    if isinstance(command, Parent):
        return "WEAK PARENT" if command.is_weak else "PARENT"
    return "CONNECT"


def modifier_lines(
    everywhere: Sequence[Place], only: Container[str] | None = None, *, priorities: bool = True
) -> Lines:
    """Yield what is said about jobs, or about those in *only*; with or without their priorities.

    Raises FormatError if ALL_NODES makes too many lines.
    """
    left_out = (Done,) if priorities else (Done, Priority)
    lines = 0
    for place in reversed(everywhere):
        for statement, slots in statements_with_slots(place):
            if isinstance(statement.command, left_out):
                continue
            lines += len(slots)
            if lines > _MOST_LINES:
                problem = f"ALL_NODES lines would make more than {_MOST_LINES:,} lines"
                raise statement.error(f"{problem}: name the jobs instead")
            before, after = _flat_words(place, statement)
            for name in (place.names[slot] for slot in slots):
                if only is None or name in only:
                    yield f"{before}{name}{after}"


def _flat_words(place: Place, statement: Statement) -> tuple[str, str]:
    """Return what a statement says before and after the name of a job."""
    modifier = statement.modifier
    if isinstance(modifier, Category):
        return "CATEGORY ", f" {place.category(modifier.category)}"
    before, after = modifier.around_name
    if isinstance(modifier, SavePoint) and not after:  # DAGMan names the file by these
        after = f" {modifier.name}-{os.path.basename(statement.source.path)}.save"
    return before, after
