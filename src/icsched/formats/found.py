"""What a reader finds in a file, task by task, and the workflow that it makes of that."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats
from icsched.errors import FormatError
from icsched.formats.facts import STREAMS, Facts
from icsched.formats.known import NO_SIZE, Remarks, check_sum, dag_of, known_seconds, with_means
from icsched.formats.stated import Column, said
from icsched.formats.words import command_of, command_text
from icsched.workflow import Command, Workflow


@dataclass
class Found:
    """Tasks, arcs and facts of the file at `path`, in the order in which a reader meets them.

    `text` is the content of the file; the place of a fact is an offset into it.
    """

    path: str
    text: str
    ids: dict[str, int] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)
    kinds: dict[int, str] = field(default_factory=dict)  # see Workflow.describe
    _parents: "array[int]" = field(default_factory=lambda: array("i"))
    _children: "array[int]" = field(default_factory=lambda: array("i"))
    _places: "array[int]" = field(default_factory=lambda: array("q"))  # of arcs
    remarks: Remarks = field(init=False)

    def __post_init__(self) -> None:
        self.remarks = Remarks(self.path)

    # What a reader says

    def task(self, name: str) -> int:
        """Return the id of the task called *name*, a new one if it is met for the first time."""
        return self.ids.setdefault(name, len(self.ids))

    def arc(self, parent: int, child: int, place: int) -> None:
        """Add an arc."""
        self._parents.append(parent)
        self._children.append(child)
        self._places.append(place)

    def add(self, parents: NDArray[Any], children: NDArray[Any], places: NDArray[Any]) -> None:
        """Add several arcs."""
        self._parents.frombytes(parents.astype(np.intc).tobytes())
        self._children.frombytes(children.astype(np.intc).tobytes())
        self._places.frombytes(places.astype(np.int64).tobytes())

    def say(self, fact: str, task: int, words: str, place: int) -> None:
        """Note that the file gives *task* these *words* for one of `FACTS`."""
        self.facts.column(fact).say(task, words, place)

    def remark(self, text: str, place: int, rest: str = "") -> None:
        """Count a remark; the first place is the one that is told. For *rest* see `Remarks`."""
        told = self.remarks.kind(text, rest)
        self.remarks.add(told, 1, 0 if told in self.remarks else self.line(place))

    def line(self, place: int) -> int:
        """Return the number of the line of a place."""
        return self.text.count("\n", 0, place) + 1

    def error(self, place: int, problem: str) -> FormatError:
        """Return the error for a place of the file."""
        return FormatError(self.path, self.line(place), problem)

    # What comes of it

    def workflow(
        self,
        name: str,
        parsed: object = None,
        find_commands: Callable[[], Sequence[Command | None]] | None = None,
    ) -> Workflow[str]:
        """Return the workflow of the format called *name*; by default, facts have the commands.

        Raises FormatError for words that are not what a fact needs, and for a cycle.
        """
        arcs = np.column_stack([np.asarray(self._parents), np.asarray(self._children)])
        dag = dag_of(
            tuple(self.ids), arcs, lambda arc, problem: self.error(self._places[arc], problem)
        )
        done = self._numbers("done", 0).astype(bool)
        seconds = self._numbers("run_time", np.nan)
        workflow = Workflow(
            dag,
            done,
            known_seconds(seconds, done, self.remarks),
            self._sizes(done),
            priorities=self._left("priority", done, np.int32),
            files=(self.path,),
            format=name,
            parsed=parsed,
            describe=self._description if self.kinds else None,
            find_commands=find_commands or (self._commands if "command" in self.facts else None),
            find_lines=self._lines if not find_commands and "command" in self.facts else None,
            remarks=self.remarks.tuple(),
            stated={"run_times": seconds, **self._stated()},
        )
        return with_means(workflow, seconds)

    def _numbers(self, fact: str, default: float) -> Floats:
        """Return a number for each task; raises FormatError if the file has other words."""
        column = self.facts.numbers.get(fact)
        if column is None:
            return np.full(len(self.ids), default)
        for task, (expected, words, place) in column.wrong.items():
            of = f"{fact} of task {[*self.ids][task]!r}"
            raise self.error(place, f"{of}: expected {expected}, got {words[:80]!r}")
        numbers = column.array(len(self.ids))
        return numbers if np.isnan(default) else np.nan_to_num(numbers, nan=default)

    def _left(self, fact: str, done: NDArray[Any], kind: type) -> NDArray[Any] | None:
        """Return the numbers of the tasks that are left to run, 0 where the file says none."""
        return self._numbers(fact, 0)[~done].astype(kind) if fact in self.facts else None

    def _stated(self) -> dict[str, Floats]:
        """Return the numbers of all tasks, NaN where the file says none."""
        columns = {"sizes": "size", "priorities": "priority"}
        return {
            column: self._numbers(fact, np.nan)
            for column, fact in columns.items()
            if fact in self.facts
        }

    def _sizes(self, done: NDArray[Any]) -> NDArray[Any] | None:
        sizes = self._left("size", done, np.int64)
        if sizes is not None:
            check_sum(sizes, self.path)
            missing = np.isnan(self._numbers("size", np.nan)[~done])
            self.remarks.add(NO_SIZE, int(missing.sum()))
        return sizes

    def _description(self) -> list[str]:
        return [self.kinds.get(task, name) for name, task in self.ids.items()]

    def _commands(self) -> list[Command | None]:
        names = [*self.ids]
        commands: list[Command | None] = [None] * len(names)
        for task, words, place in self.facts.words["command"]:
            command = command_of(words)
            if command is None:
                told = f"command of task {names[task]!r}: expected plain words without shell syntax"
                raise self.error(place, f"{told}, got {words!r}")
            commands[task] = command if not command.argv else self._directed(task, command)
        return [command if command and command.argv else None for command in commands]

    def _lines(self) -> list[Command | None]:
        """Return the commands as text. A shell splits and expands the text itself."""
        commands: list[Command | None] = [None] * len(self.ids)
        for task, words, _ in self.facts.words["command"]:
            if words.strip():
                commands[task] = self._directed(task, Command((words,)))
        return commands

    def _directed(self, task: int, command: Command) -> Command:
        known = self.facts.words
        given = [known[fact].get(task) or None if fact in known else None for fact in STREAMS]
        directory, stdin, stdout, stderr = given
        return Command(command.argv, directory, command.environment, stdin, stdout, stderr)


# The way back: what a file says of each task


def facts_of(workflow: Workflow) -> list[dict[str, str]]:
    """Return for each task of ``workflow.whole`` the words of `FACTS` that are known of it.

    >>> from icsched import Dag
    >>> done = np.array([True, False])
    >>> work = Workflow(Dag({"a": [], "b": []}), done, run_times=np.array([2.0]))
    >>> facts_of(work)
    [{'done': 'true'}, {'run_time': '2'}]
    """
    rows: list[dict[str, str]] = [{"done": "true"} if done else {} for done in workflow.done]
    columns: dict[str, Column] = {
        "run_time": "run_times",
        "size": "sizes",
        "priority": "priorities",
    }
    for fact, column in columns.items():
        for row, value in zip(rows, said(workflow, column), strict=True):
            if value is not None:
                row[fact] = repr(value).removesuffix(".0")
    for row, command in zip(rows, workflow.all_commands or (), strict=False):
        if command is not None:
            row["command"] = command_text(command)
            given = {fact: getattr(command, fact) for fact in STREAMS}
            row.update({fact: words for fact, words in given.items() if words})
    return rows


def priorities_of(workflow: Workflow, order: Iterable[int]) -> dict[int, int]:
    """Return a priority for each task that is left: n for the first of *order*, 1 for the last.

    *order* has ids of ``workflow.dag``, the result those of ``workflow.whole``.

    >>> from icsched import Dag
    >>> done = np.array([True, False, False])
    >>> priorities_of(Workflow(Dag({"a": [], "b": [], "c": []}), done), [1, 0])
    {2: 2, 1: 1}
    """
    left = workflow.left.tolist()
    return {left[task]: len(left) - step for step, task in enumerate(order)}


def written_names(
    workflow: Workflow, path: str, takes: Callable[[str], bool], expected: str
) -> list[str]:
    """Return the names of tasks as text; raises FormatError for one that a format cannot hold."""
    names = [str(name) for name in workflow.names]
    strange = next((name for name in names if not takes(name)), None)
    if strange is not None:
        raise FormatError(path, None, f"name of a task: expected {expected}, got {strange!r}")
    if len(set(names)) < len(names):
        raise FormatError(path, None, "two tasks have the same name once written as text")
    return names
