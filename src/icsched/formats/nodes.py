"""The tasks of an XML file while it is read, and where their priorities are in the file."""

import math
import re
import shlex
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from icsched.commands import Command
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError
from icsched.files import Change
from icsched.formats.markup import Document, Edit, is_text
from icsched.run_times import RunTimeTable
from icsched.workflow import Remark, Workflow

KEEPS = frozenset({"run_times", "sizes", "commands", "priorities"})
_STREAMS = ("directory", "stdin", "stdout", "stderr")
# What GraphML and GEXF files say about a task, as attributes with these names.
FACTS = ("run_time", "size", "priority", "command", "environment", *_STREAMS)
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_LIMITS = {"size": (0, 2**53 - 1), "priority": (-(2**31), 2**31 - 1)}


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
        order: Sequence[int],
        new: Callable[[int, int], Edit],
        more: Iterable[Edit] = (),
    ) -> Change:
        """Return the change that gives task t of *order* its priority; the first gets the largest.

        *new* returns the edit for a task without a priority.
        """
        edits = list(more)
        for place, task in enumerate(order):
            value = len(order) - place
            start, stop = self.starts[task], self.stops[task]
            edits.append((start, stop, str(value)) if start >= 0 else new(task, value))
        return self.document.changed(edits)


def places_of(workflow: Workflow) -> Places:
    """Return where the tasks of *workflow* are; raises ArgumentError if no XML file has them."""
    if not isinstance(workflow.parsed, Places):
        raise ArgumentError(f"expected a workflow that was read from a file, got {workflow!r}")
    return workflow.parsed


class Nodes:
    """Collects tasks, arcs and facts, in the order of the file."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.ids: dict[str, int] = {}
        self.labels: dict[int, str] = {}
        self.tags, self.leads = array("q"), array("q")
        self.starts, self.stops = array("q"), array("q")
        self.facts: dict[str, dict[int, str]] = {}
        self.run_times: dict[int, float] = {}
        self.whole: dict[str, dict[int, int]] = {"size": {}, "priority": {}}
        self._arcs: list[tuple[str, str, int]] = []

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, name: str | None, at: int, what: str) -> int:
        """Add a task; *what* says what it is called in the file, such as "node"."""
        if not name:
            raise self.document.error(at, f"expected an id of the {what}")
        task = self.ids.setdefault(name, len(self.ids))
        if task < len(self.tags):
            first = self.document.line(self.tags[task])
            problem = f"{what} {name!r} is in line {first} already"
            raise self.document.error(at, problem)
        self.tags.append(at)
        for offsets in (self.leads, self.starts, self.stops):
            offsets.append(-1)
        return task

    def add_arc(self, parent: str | None, child: str | None, at: int) -> None:
        """Add an arc between tasks that the file may name later."""
        if parent is None or child is None:
            raise self.document.error(at, "expected two tasks, got one")
        self._arcs.append((parent, child, at))

    def tell(self, fact: str, task: int, text: str, at: int) -> None:
        """Take what the file says about a task; raises FormatError for a wrong number."""
        if fact == "run_time":
            self.run_times[task] = self._seconds(text, at)
        elif fact in self.whole:
            self.whole[fact][task] = self._whole(fact, text.strip(), at)
        else:
            self.facts.setdefault(fact, {})[task] = text

    def tell_rest(self, fact: str, text: str, at: int) -> None:
        """Take the default of a fact, for all tasks of which the file says nothing else."""
        known: Mapping[int, object] = (
            self.run_times
            if fact == "run_time"
            else self.whole.get(fact) or self.facts.get(fact, {})
        )
        for task in [task for task in range(len(self.ids)) if task not in known]:
            self.tell(fact, task, text, at)

    def _seconds(self, text: str, at: int) -> float:
        try:
            seconds = float(text)
        except ValueError:
            seconds = -1.0
        if not (math.isfinite(seconds) and seconds >= 0):
            raise self.document.error(at, f"expected a run time in seconds, got {text!r}")
        return seconds

    def _whole(self, fact: str, text: str, at: int) -> int:
        low, high = _LIMITS[fact]
        value = int(text) if _WHOLE.fullmatch(text) else low - 1
        if not low <= value <= high:
            expected = f"expected a {fact} from {low} to {high}"
            raise self.document.error(at, f"{expected}, got {text[:40]!r}")
        return value

    def workflow(
        self,
        form: str,
        places: Places,
        remarks: Sequence[Remark],
        find_commands: Callable[[], Sequence[Command | None]] | None = None,
    ) -> Workflow:
        """Return the workflow; raises FormatError for an arc of an unknown task.

        *find_commands* is that of the Workflow; by default the facts have the commands.
        """
        if find_commands is None and "command" in self.facts:
            find_commands = self._commands
        arcs = [(self._known(a, at), self._known(b, at)) for a, b, at in self._arcs]
        dag = Dag.from_arcs(len(self.ids), arcs, names=tuple(self.ids))
        try:
            return self._told(form, dag, places, remarks, find_commands)
        except ArgumentError as error:  # sizes with too large a sum, or too small a run time
            raise FormatError(self.document.path, None, str(error)) from error

    def _known(self, name: str, at: int) -> int:
        task = self.ids.get(name)
        if task is None:
            raise self.document.error(at, f"expected a task of the file, got {name!r}")
        return task

    def _told(
        self,
        form: str,
        dag: Dag,
        places: Places,
        remarks: Sequence[Remark],
        find_commands: Callable[[], Sequence[Command | None]] | None,
    ) -> Workflow:
        missing = [*self._missing("run_time", self.run_times), *self._missing("size")]
        workflow = Workflow(
            dag,
            np.zeros(len(dag), bool),
            sizes=self._filled("size"),
            priorities=self._filled("priority"),
            remarks=(*remarks, *missing),
            files=(self.document.path,),
            format=form,
            parsed=places,
            describe=self._descriptions if self.labels else None,
            find_commands=find_commands,
        )
        if not self.run_times:
            return workflow
        names = tuple(self.ids)
        told = [names[task] for task in self.run_times]
        return workflow.with_run_times(
            RunTimeTable(tuple(told), np.array([*self.run_times.values()]))
        )

    def _missing(self, fact: str, known: Mapping[int, object] | None = None) -> list[Remark]:
        """Return a remark if the file says this of some tasks only."""
        found = self.whole[fact] if known is None else known
        lacking = len(self.ids) - len(found)
        if not found or not lacking:
            return []
        means = "the mean of similar tasks" if fact == "run_time" else "0"
        text = f"a task has no {fact.replace('_', ' ')}: icsched takes {means}"
        return [Remark(self.document.path, 0, text, lacking)]

    def _filled(self, fact: str) -> Any:
        known = self.whole[fact]
        if not known:
            return None
        filled = np.zeros(len(self.ids), np.int64)
        filled[[*known]] = [*known.values()]
        return filled

    def _descriptions(self) -> list[str]:
        names = list(self.ids)
        return [self.labels.get(task) or names[task] for task in range(len(names))]

    def _commands(self) -> list[Command | None]:
        return [self._command(task) for task in range(len(self.ids))]

    def _command(self, task: int) -> Command | None:
        said = {fact: values[task] for fact, values in self.facts.items() if task in values}
        argv = self._words(said.get("command", ""), task)
        if not argv:
            return None
        pairs = [word.partition("=") for word in self._words(said.get("environment", ""), task)]
        return Command(
            tuple(argv),
            environment=tuple((name, value) for name, _, value in pairs),
            **{stream: said.get(stream) for stream in _STREAMS},
        )

    def _words(self, text: str, task: int) -> list[str]:
        try:
            return shlex.split(text)
        except ValueError as error:
            problem = f"expected words as a shell reads them, got {text!r}: {error}"
            raise self.document.error(self.tags[task], problem) from error


def facts_of(workflow: Workflow) -> dict[str, list[str | None]]:
    """Return what is known about each task of ``workflow.whole``, by words of `FACTS`, as text.

    >>> facts_of(Workflow(Dag({"a": []}), [False], run_times=[2.5], priorities=[7]))
    {'run_time': ['2.5'], 'priority': ['7']}
    """
    columns: dict[str, list[object]] = {}
    for fact, values in (
        ("run_time", workflow.run_times),
        ("size", workflow.sizes),
        ("priority", workflow.priorities),
    ):
        if values is not None:
            columns[fact] = workflow.spread(values.tolist())
    if workflow.commands is not None:
        columns |= _command_columns(workflow.spread(workflow.commands))
    return {
        fact: [None if value is None else str(value) for value in values]
        for fact, values in columns.items()
    }


def _command_columns(commands: Sequence[Command | None]) -> dict[str, list[object]]:
    columns: dict[str, list[object]] = {
        "command": [shlex.join(c.argv) if c else None for c in commands],
        "environment": [
            shlex.join(f"{name}={value}" for name, value in c.environment) if c else None
            for c in commands
        ],
    }
    for stream in _STREAMS:
        columns[stream] = [getattr(c, stream) if c else None for c in commands]
    return {fact: values for fact, values in columns.items() if fact == "command" or any(values)}


def written_names(workflow: Workflow, path: str, takes: Callable[[str], bool]) -> list[str]:
    """Return the names as text; raises FormatError for a name that the format cannot hold."""
    names = [str(name) for name in workflow.names]
    strange = next((name for name in names if not takes(name)), None)
    if strange is not None:
        raise FormatError(path, None, f"task {strange!r}: the format cannot hold this name")
    if len(set(names)) < len(names):
        raise FormatError(path, None, "two tasks have the same name once written as text")
    return names


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


def told_of(
    name: str, task: int, facts: Mapping[str, Sequence[str | None]], path: str
) -> dict[str, str]:
    """Return what is known about one task; raises FormatError for what XML cannot hold."""
    told = {fact: value for fact, values in facts.items() if (value := values[task]) is not None}
    strange = next((fact for fact, value in told.items() if not is_text(value)), None)
    if strange is not None:
        problem = f"task {name!r}: XML cannot hold its {strange} {told[strange]!r}"
        raise FormatError(path, None, problem)
    return told
