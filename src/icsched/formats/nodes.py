"""The tasks of an XML file while it is read, and where their priorities are in the file."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from icsched.commands import Command
from icsched.errors import ArgumentError, FormatError
from icsched.files import Change
from icsched.formats.facts import FACTS
from icsched.formats.found import Found, facts_of, priorities_of, written_names
from icsched.formats.markup import Document, Edit, is_text
from icsched.workflow import Remark, Workflow

# The types that an attribute may have in GraphML and GEXF, so that it is meant as icsched does.
_WHOLE = frozenset({"int", "integer", "long", "string"})
_NUMBER = _WHOLE | {"float", "double"}
_ACCEPTED = {"run_time": _NUMBER, "size": _WHOLE, "priority": _NUMBER}
_ACCEPTED["done"] = frozenset({"boolean", "string"})


@dataclass(frozen=True)
class Places:
    """Where the tasks of a file are: what the order of a plan is written with.

    `tags` has the offset of each task's start tag. `starts` and `stops` say where its priority is,
    -1 if it has none. A new priority comes at `leads`, or at once after the tag if that is -1.
    """

    document: Document
    tags: Sequence[int] = field(repr=False)
    starts: Sequence[int] = field(repr=False)
    stops: Sequence[int] = field(repr=False)
    leads: Sequence[int] = field(repr=False)
    prefix: str = ""  # of the names of elements
    key: str = ""  # the id of the attribute "priority"
    has_key: bool = False  # whether the file declares this attribute
    head: int = -1  # the offset of the element where attributes are declared

    def change(
        self,
        workflow: Workflow,
        order: Sequence[int],
        new: Callable[[int, int], Edit],
        more: Iterable[Edit] = (),
    ) -> Change:
        """Return the change that gives each task of *order* its priority.

        *new* returns the edit for a task without a priority.
        """
        edits = list(more)
        for task, value in priorities_of(workflow, order).items():
            start, stop = self.starts[task], self.stops[task]
            edits.append((start, stop, str(value)) if start >= 0 else new(task, value))
        return self.document.changed(edits)


def places_of(workflow: Workflow) -> Places:
    """Return where the tasks of *workflow* are; raises ArgumentError if no XML file has them."""
    if not isinstance(workflow.parsed, Places):
        raise ArgumentError(f"expected a workflow that was read from a file, got {workflow!r}")
    return workflow.parsed


class Nodes(Found):
    """Collects tasks, arcs and facts, in the order of the file."""

    def __init__(self, document: Document) -> None:
        super().__init__(document.path, "")
        self.document = document
        self.tags, self.leads = array("q"), array("q")
        self.starts, self.stops = array("q"), array("q")
        self._early: list[tuple[str, str, int]] = []  # arcs of tasks that come later

    def __len__(self) -> int:
        return len(self.ids)

    def line(self, place: int) -> int:
        """Return the line of an offset."""
        return self.document.line(place)

    def add(self, name: str | None, at: int, what: str) -> int:
        """Add a task; *what* says what it is called in the file, such as "node"."""
        if not name:
            raise self.error(at, f"expected an id of the {what}, got none")
        task = self.task(name)
        if task < len(self.tags):
            raise self.error(at, f"{what} {name!r} is in line {self.line(self.tags[task])} already")
        self.tags.append(at)
        for offsets in (self.leads, self.starts, self.stops):
            offsets.append(-1)
        return task

    def add_arc(self, parent: str | None, child: str | None, at: int) -> None:
        """Add an arc between tasks that the file may name later."""
        if parent is None or child is None:
            raise self.error(at, "expected two tasks, got one")
        if parent in self.ids and child in self.ids:
            self.arc(self.ids[parent], self.ids[child], at)
        else:
            self._early.append((parent, child, at))

    def add_arcs(self, arcs: NDArray[np.int32]) -> None:
        """Add arcs that the file does not write as such; the place of each is its child's tag."""
        self._add(arcs[:, 0], arcs[:, 1], np.asarray(self.tags)[arcs[:, 1]])

    def check_graph(self, at: int, *, is_directed: bool) -> None:
        """Raise FormatError unless a graph begins at *at*, and is directed or has directed edges.

        An edge may say itself that it is directed.
        """
        if at < 0:
            raise FormatError(self.path, None, "expected a graph, got none")
        if not is_directed and not self._parents and not self._early:
            raise self.error(at, "expected a directed graph, got an undirected one")

    def say_rest(self, fact: str, words: str, place: int) -> None:
        """Note the default of a fact, for all tasks of which the file says nothing else."""
        said = self.facts.column(fact)
        for task in range(len(self.ids)):
            if not said.has(task):
                said.say(task, words, place)

    def places(self, root: int) -> Places:
        """Return where the tasks are; the tag at *root* has the prefix of all elements."""
        prefix = self.document.tag(root).prefix
        offsets = self.tags, self.starts, self.stops, self.leads
        return Places(self.document, *offsets, prefix=prefix)

    def workflow(
        self,
        name: str,
        parsed: object = None,
        find_commands: Callable[[], Sequence[Command | None]] | None = None,
    ) -> Workflow[str]:
        """Return the workflow; raises FormatError for an arc of an unknown task."""
        for parent, child, at in self._early:
            self.arc(self._known(parent, at), self._known(child, at), at)
        return super().workflow(name, parsed, find_commands)

    def _known(self, name: str, at: int) -> int:
        task = self.ids.get(name)
        if task is None:
            raise self.error(at, f"expected a task of the file, got {name!r}")
        return task

    def remark_all(self, told: Iterable[Remark]) -> None:
        """Add remarks."""
        for remark in told:
            self.remarks.add(remark.text, remark.count, remark.line)


def is_fact(name: str, kind: str | None) -> bool:
    """Whether an attribute of nodes with this name and type is one of `FACTS`.

    >>> is_fact("size", "long"), is_fact("size", "double"), is_fact("colour", "string")
    (True, False, False)
    """
    return name in FACTS and kind in _ACCEPTED.get(name, {"string"})


def is_name(name: str) -> bool:
    """Whether a node of GraphML or GEXF can be called *name*."""
    return bool(name) and is_text(name)


def free_id(taken: Iterable[str]) -> str:
    """Return an id for the attribute "priority".

    >>> free_id({"priority", "priority2"})
    'priority3'
    """
    ids, number, name = set(taken), 1, "priority"
    while name in ids:
        number += 1
        name = f"priority{number}"
    return name


def written_rows(workflow: Workflow, path: str) -> list[tuple[str, dict[str, str]]]:
    """Return for each task its name and the words of `FACTS`; raises FormatError for controls."""
    names = written_names(workflow, path, is_name, "text without control characters")
    rows = list(zip(names, facts_of(workflow), strict=True))
    for name, facts in rows:
        strange = next((fact for fact, words in facts.items() if not is_text(words)), None)
        if strange is not None:
            problem = f"task {name!r}: XML cannot hold its {strange} {facts[strange]!r}"
            raise FormatError(path, None, problem)
    return rows
