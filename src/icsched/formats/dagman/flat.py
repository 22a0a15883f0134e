"""A workflow written as one DAGMan file without splices and includes."""

import os
import re
from collections.abc import Container, Iterator, Sequence
from operator import itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids, ranks_of
from icsched.formats.dagman.commands import Connect, Directive, Modifier, Node
from icsched.formats.dagman.limits import limits
from icsched.formats.dagman.place import Place, description_name, places
from icsched.formats.dagman.said import Sentence, sentences
from icsched.formats.dagman.scope import Arcs
from icsched.formats.dagman.source import Kind, Source, split
from icsched.formats.dagman.submission import Submission

_MOST_LINES = 10_000_000  # about jobs: ALL_NODES says one for each
# condor_submit_dag reads these, in the file that it is given alone.
_IN_ROOT = {"CONFIG", "SET_JOB_ATTR", "ENV"}
# DAGMan follows these in that file and in those that it includes, not in splices.
_OUTSIDE = {"DOT", "NODE_STATUS_FILE", "JOBSTATE_LOG"}
_SCRIPT_NAME = re.compile(
    r"([^ \t]+(?:[ \t]+(?:DEFER|DEBUG)[ \t]+[^ \t]+[ \t]+[^ \t]+)*[ \t]+(?:PRE|POST|HOLD)[ \t]+)"
    r"[^ \t]+",
    re.IGNORECASE,
)
_NAME = re.compile(r"([^ \t]+[ \t]+)[^ \t]+")

Lines: TypeAlias = Iterator[str]


def flattened(workflow: Submission, *, priorities: bool = True) -> list[str]:
    """Return the lines of one DAGMan file that says what the workflow's files say together.

    With or without the jobs' *priorities*.

    The job ``S+p`` of a splice is called ``S-p``, because DAGMan takes no ``+`` in a JOB line, and
    descriptions likewise; categories keep the names that DAGMan gives them. Jobs stand in
    DAGMan's order. Jobs that are done, by whatever file, are marked so.
    Raises FormatError where two things would get one name, and for what only a splice can say.
    """
    everywhere = places(workflow)
    return [
        *(line for place in everywhere for line in directive_lines(place)),
        *_jobs_in_order(everywhere),
        *_dependencies(everywhere),
        *modifier_lines(everywhere, priorities=priorities),
    ]


def _jobs_in_order(everywhere: Sequence[Place]) -> Lines:
    """Yield all jobs as DAGMan lists them: of equal priority, the first goes first."""
    layout = everywhere[0].scope.reachable()
    rank = ranks_of(layout)
    found = [
        (rank[place.first + slot], place, source, statement, slot)
        for place in everywhere
        for source, statement, slot in place.statements
    ]
    for _, place, source, statement, slot in sorted(found, key=itemgetter(0)):
        yield from _job(place, source, statement, slot)


def directive_lines(place: Place) -> Lines:
    """Yield what is said about the whole workflow, and its nodes that are no jobs."""
    for source, statement in place.scope.directives:
        command = source.command(statement)
        text = source.text(statement)
        if isinstance(command, Node):
            if place.prefix:
                problem = f"{command.kind} in a splice cannot be written into one file"
                what = "take it out, because DAGMan does not run it in a splice"
                raise source.error(statement, f"{problem}: {what}")
            yield from _node_lines(place, source, statement, command.name, is_done=False)
        elif isinstance(command, Modifier):
            before, after = _around_name(split(text)[0], command)
            yield f"{before}{place.prefix}{command.name}{after}"
        elif isinstance(command, Directive) and command.command == "SUBMIT_DESCRIPTION":
            yield _description(text, place.prefix + command.argument)
        elif _counts(place, source, _first_word(text)):
            yield split(text)[0]
    if not place.prefix:
        for category, limit in limits(place.scope).items():
            yield f"MAXJOBS {category} {limit}"


def _counts(place: Place, source: Source, command: str) -> bool:
    """Whether DAGMan heeds a statement about the whole workflow where it stands."""
    if command in _IN_ROOT:
        return source is place.root
    return command != "MAXJOBS" and not (place.prefix and command in _OUTSIDE)


def _first_word(text: str) -> str:
    return text.split(None, 1)[0].upper().replace("-", "_")


def job_lines(place: Place, only: Container[str]) -> Lines:
    """Yield the jobs whose flat names are in *only*."""
    for source, statement, slot in place.statements:
        if place.names[slot] in only:
            yield from _job(place, source, statement, slot)


def _job(place: Place, source: Source, statement: int, slot: int) -> Lines:
    name = place.names[slot]
    if re.search(r"[ \t]", name):
        problem = f"job {name} has a blank in its name, so it cannot be written into one file"
        raise source.error(statement, f"{problem}: rename it")
    return _node_lines(place, source, statement, name, is_done=place.is_done[slot])


def _node_lines(place: Place, source: Source, statement: int, name: str, *, is_done: bool) -> Lines:
    node = source.node(statement)
    directory = os.path.join(place.directory_of(source), node.directory).removesuffix("/")
    options = f" DIR {_quoted(directory, source, statement)}" if directory else ""
    options += " NOOP" if node.noop else ""
    options += " DONE" if is_done else ""
    kind = "SUBDAG EXTERNAL" if node.kind == "SUBDAG" else node.kind
    submit = node.submit
    if not submit:  # old versions heed no options after an inline description
        submit = description_name(name)
        yield _description(source.text(statement), submit)
    elif submit in place.scope.descriptions and node.kind != "SUBDAG":
        submit = place.prefix + submit
    elif submit in place.descriptions or submit.startswith(("{", "@=")):  # a file all the same
        submit = f"./{submit}" if not os.path.isabs(submit) else f"/.{submit}"
    yield f"{kind} {name} {_quoted(submit, source, statement)}{options}"


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


def _quoted(path: str, source: Source, statement: int) -> str:
    """Return a path as one word; raises FormatError if not all versions of DAGMan could read it."""
    if not re.search(r"[ \t']|\\$", path):
        return path
    if re.search(r'["\\]', path):
        problem = f"path {path} has a blank or quote, and a double quote or backslash"
        raise source.error(statement, f"{problem}, so it cannot be written into one file")
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
    """Yield a line for each parent, so that DAGMan makes no join node, and no dependency twice.

    DAGMan takes a dependency twice by pins, but may abort at one in two PARENT lines.
    """
    for parent in parents.tolist():
        fresh = children[seen.is_new(place.first + parent, place.first + children)]
        if len(fresh):
            yield f"PARENT {place.names[parent]} CHILD {place.jobs(fresh)}"


class _Seen:
    """The dependencies that PARENT lines make, and CONNECT lines so far, as numbers."""

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
        """Whether each dependency on *parent* is new; it is not from now on."""
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
    if isinstance(source.command(statement), Connect):
        return "CONNECT"
    return "WEAK PARENT" if _first_word(split(source.text(statement))[0]) == "WEAK" else "PARENT"


def modifier_lines(
    everywhere: Sequence[Place], only: Container[str] | None = None, *, priorities: bool = True
) -> Lines:
    """Yield what is said about jobs, or those in *only*; with or without their priorities.

    Raises FormatError where ALL_NODES makes too many lines.
    """
    unsaid = {"DONE"} if priorities else {"DONE", "PRIORITY"}
    lines = 0
    for place in reversed(everywhere):
        for sentence, slots in sentences(place):
            if sentence.command.command in unsaid:
                continue
            lines += len(slots)
            if lines > _MOST_LINES:
                problem = f"ALL_NODES lines would make more than {_MOST_LINES:,} lines"
                raise sentence.error(f"{problem}: name the jobs instead")
            before, after = _flat_words(place, sentence)
            for name in (place.names[slot] for slot in slots):
                if only is None or name in only:
                    yield f"{before}{name}{after}"


def _flat_words(place: Place, sentence: Sentence) -> tuple[str, str]:
    """Return what a statement says before and after the name of a job."""
    command = sentence.command
    if command.command == "CATEGORY":
        return "CATEGORY ", f" {place.category(command.detail)}"
    before, after = _around_name(sentence.head, command)
    if command.command == "SAVE_POINT_FILE" and not after:  # DAGMan names the file by these
        after = f" {command.name}-{os.path.basename(sentence.source.path)}.save"
    return before, after


def _around_name(head: str, command: Modifier) -> tuple[str, str]:
    """Return a statement's text before the name of its job, and after it."""
    pattern = _SCRIPT_NAME if command.command == "SCRIPT" else _NAME
    match = pattern.match(head)
    assert match  # noqa: S101  so the parser found
    return match[1], head[match.end() :]
