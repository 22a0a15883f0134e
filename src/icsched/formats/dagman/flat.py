"""A workflow written as one DAGMan file without splices and includes.

The job ``S+p`` of a splice is called ``S-p``, because DAGMan does not accept ``+`` in a JOB line.
The same holds for descriptions. Categories keep the names that DAGMan gives them.
"""

import os
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TypeAlias

import numpy as np

from icsched.arrays import ranks_of
from icsched.errors import FormatError
from icsched.formats.dagman.scope import Arcs
from icsched.formats.dagman.source import IS_INLINE, Kind, Source, Statement
from icsched.formats.dagman.statements import Category, Modifier, Node
from icsched.formats.dagman.submission import Place, Submission

_MOST_LINES = 10_000_000  # about jobs: one ALL_NODES line makes a line for each job
# condor_submit_dag reads these only in the file that it is given.
_IN_ROOT = {"CONFIG", "SET_JOB_ATTR", "ENV"}
# DAGMan follows these in that file and in the files that it includes, but not in splices.
_OUTSIDE = {"DOT", "NODE_STATUS_FILE", "JOBSTATE_LOG"}
Lines: TypeAlias = Iterator[str]


def flattened(workflow: Submission, *, priorities: bool = True) -> list[str]:
    """Return the lines of one DAGMan file that says what the files say, perhaps with *priorities*.

    Jobs come in DAGMan's order. Raises FormatError as `Flat` does.
    """
    flat = Flat(workflow)
    return [
        *flat.directives(),
        *flat.jobs(),
        *flat.dependencies(),
        *flat.about_jobs(priorities=priorities),
    ]


def as_file(lines: Iterable[str]) -> bytes:
    """Return the bytes of a file with these lines."""
    return "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")


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


class Flat:
    """A workflow in the words of one file: the lines of each part of that file.

    Raises FormatError if two jobs or two submit descriptions would get one name, and for what
    cannot be said in one file.
    """

    def __init__(self, workflow: Submission) -> None:
        self._workflow = workflow
        self._places = workflow.places
        self._jobs = [flat_name(name) for name in workflow.scope.names]  # by slot
        special = (p.prefix + name for p in self._places for name in p.scope.special)
        self._special = [flat_name(name) for name in special]
        descriptions = list(self._each_description())
        self._check_names("job", self.names)
        self._check_names("description", descriptions)
        self._descriptions = set(descriptions)

    @property
    def names(self) -> list[str]:
        """The names of all jobs and of all special nodes."""
        return self._jobs + self._special

    def _check_names(self, what: str, names: Sequence[str]) -> None:
        """Raise FormatError if a name would mean two jobs or descriptions."""
        name, count = max(Counter(names).items(), key=itemgetter(1), default=("", 1))
        if count > 1:
            problem = f"two {what}s would be called {name} in one file: rename one of them"
            raise FormatError(self._workflow.roots[0].path, None, problem)

    def _each_description(self) -> Lines:
        """Yield the names of all submit descriptions, including inline ones."""
        for place in self._places:
            prefix = flat_name(place.prefix)
            yield from (prefix + name for name in sorted(place.scope.descriptions))
            for statement, slot in place.statements(int(IS_INLINE)):
                if not statement.node.submit:
                    yield description_name(self._jobs[place.first + slot])
            for statement in place.scope.directives:
                command = statement.command
                if isinstance(command, Node) and not command.submit:
                    yield description_name(prefix + command.name)

    def directives(self) -> Lines:
        """Yield what is said about the whole workflow, and its special nodes."""
        for place in self._places:
            for statement in place.scope.directives:
                yield from self._directive(place, statement)
            if not place.prefix:
                for category, limit in place.scope.limits.items():
                    yield f"MAXJOBS {category} {limit}"

    def _directive(self, place: Place, statement: Statement) -> Lines:
        command, prefix = statement.command, flat_name(place.prefix)
        if isinstance(command, Node):
            if prefix:
                problem = f"{command.kind} in a splice cannot be written into one file"
                what = "take it out, because DAGMan does not run it in a splice"
                raise statement.error(f"{problem}: {what}")
            yield from self._node(place, statement, command.name, 0, is_done=False)
        elif isinstance(command, Modifier):
            before, after = command.around_name
            yield f"{before}{prefix}{command.name}{after}"
        elif command.keyword == "SUBMIT_DESCRIPTION":
            yield command.text.description(prefix + statement.argument)
        elif command.keyword in _IN_ROOT:
            if statement.source is self._workflow.roots[0]:
                yield command.text.head
        elif command.keyword != "MAXJOBS" and not (prefix and command.keyword in _OUTSIDE):
            yield command.text.head

    def jobs(self, only: Container[str] | None = None) -> Lines:
        """Yield the jobs in *only*, or all in DAGMan's order, which decides between equals."""
        found = [
            (place.first + slot, place, statement, slot)
            for place in self._places
            for statement, slot in place.statements()
            if only is None or self._jobs[place.first + slot] in only
        ]
        if only is None:
            rank = ranks_of(self._workflow.scope.reachable())
            found.sort(key=lambda job: rank[job[0]])
        for at, place, statement, slot in found:
            name, is_done = self._jobs[at], bool(self._workflow.scope.is_done[at])
            if re.search(r"[ \t]", name):
                problem = (
                    f"job {name} has a blank in its name, so it cannot be written into one file"
                )
                raise statement.error(f"{problem}: rename it")
            yield from self._node(place, statement, name, slot, is_done=is_done)

    def _node(
        self, place: Place, statement: Statement, name: str, slot: int, *, is_done: bool
    ) -> Lines:
        node = statement.node
        directory = os.path.join(place.directory_at(slot), node.directory)
        directory = directory.removesuffix("/") or directory  # of the root directory, / stays
        options = f" DIR {_quoted(directory, statement)}" if directory else ""
        options += " NOOP" if node.noop else ""
        options += " DONE" if is_done else ""
        kind = "SUBDAG EXTERNAL" if node.kind == "SUBDAG" else node.kind
        submit = node.submit
        if not submit:  # old versions ignore options after an inline description
            submit = description_name(name)
            yield node.text.description(submit)
        elif submit in place.scope.descriptions and node.kind != "SUBDAG":
            submit = flat_name(place.prefix) + submit
        elif submit in self._descriptions or submit.startswith(("{", "@=")):  # still a file
            submit = f"./{submit}" if not os.path.isabs(submit) else f"/.{submit}"
        yield f"{kind} {name} {_quoted(submit, statement)}{options}"

    def dependencies(self) -> Lines:
        """Yield PARENT lines for all dependencies."""
        known = self._made_twice()
        for place, arcs, words in self._arcs():
            ends = np.cumsum(arcs.counts)
            for word, start, stop in zip(words, ends - arcs.counts, ends, strict=True):
                parents = (place.first + np.unique(arcs.parents[start:stop])).tolist()
                children = (place.first + np.unique(arcs.children[start:stop])).tolist()
                if word == "CONNECT":
                    yield from self._connections(parents, children, known)
                else:
                    yield f"{word} {self._row(parents)} CHILD {self._row(children)}"

    def _arcs(self) -> Iterator[tuple[Place, Arcs, list[str]]]:
        """Yield all arcs; for each statement that makes some: PARENT, WEAK PARENT or CONNECT."""
        for place in self._places:
            for arcs in place.scope.arcs:
                yield place, arcs, [_word(arcs.source, n) for n in arcs.statements.tolist()]

    def _made_twice(self) -> set[int]:
        """Return the dependencies that both PARENT and CONNECT lines make, each as a number."""
        if not any(place.prefix and place.scope.pins["PIN_OUT"] for place in self._places):
            return set()
        keys = {"PARENT": [np.empty(0, np.int64)], "CONNECT": [np.empty(0, np.int64)]}
        for place, arcs, words in self._arcs():
            parents = (place.first + arcs.parents).astype(np.int64)
            numbers = parents * len(self._jobs) + place.first + arcs.children
            for word, found in keys.items():
                found.append(numbers[np.repeat(np.array(words) == word, arcs.counts)])
        by_parent, by_connect = map(np.concatenate, keys.values())
        return set(np.intersect1d(by_parent, by_connect).tolist())

    def _connections(self, parents: list[int], children: list[int], known: set[int]) -> Lines:
        """Yield a line for each parent, so that DAGMan makes no join node and no dependency twice.

        DAGMan accepts a dependency that pins make twice, but may abort if two PARENT lines make it.
        """
        for parent in parents:
            first = parent * len(self._jobs)
            fresh = [child for child in children if first + child not in known]
            known.update(first + child for child in fresh)
            if fresh:
                yield f"PARENT {self._jobs[parent]} CHILD {self._row(fresh)}"

    def _row(self, slots: list[int]) -> str:
        return " ".join(self._jobs[slot] for slot in slots)

    def about_jobs(self, only: Container[str] | None = None, *, priorities: bool = True) -> Lines:
        """Yield what is said about jobs, or those in *only*; with or without their priorities."""
        left_out = {"DONE"} if priorities else {"DONE", "PRIORITY"}
        lines = 0
        for place in reversed(self._places):
            for statement, slots in place.statements_about_jobs():
                if statement.keyword in left_out:
                    continue
                lines += len(slots)
                if lines > _MOST_LINES:
                    problem = f"ALL_NODES lines would make more than {_MOST_LINES:,} lines"
                    raise statement.error(f"{problem}: name the jobs instead")
                before, after = _around_name(place, statement)
                for name in (self._jobs[place.first + slot] for slot in slots):
                    if only is None or name in only:
                        yield f"{before}{name}{after}"


def _quoted(path: str, statement: Statement) -> str:
    """Return a path as one word; raises FormatError unless all versions of DAGMan can read it."""
    if not re.search(r"[ \t']|\\$", path):
        return path
    if re.search(r'["\\]', path):
        problem = f"path {path} has a blank or quote, and a double quote or backslash"
        raise statement.error(f"{problem}, so it cannot be written into one file")
    return f'"{path}"'


def _word(source: Source, statement: int) -> str:
    if source.scan.kind[statement] == Kind.PARENT:
        return "PARENT"
    keyword = Statement(source, statement).keyword
    return "WEAK PARENT" if keyword == "WEAK" else keyword


def _around_name(place: Place, statement: Statement) -> tuple[str, str]:
    modifier = statement.modifier
    if isinstance(modifier, Category):
        return "CATEGORY ", f" {place.category(modifier.category)}"
    before, after = modifier.around_name
    if statement.keyword == "SAVE_POINT_FILE" and not after:  # DAGMan names the file by these
        after = f" {modifier.name}-{os.path.basename(statement.source.path)}.save"
    return before, after
