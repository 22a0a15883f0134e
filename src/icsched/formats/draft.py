"""A workflow while a reader builds it, task by task."""

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Mask, Sizes
from icsched.dag import Dag
from icsched.errors import CycleError, FormatError
from icsched.formats.command_line import command_of, command_text
from icsched.formats.facts import (
    NO_SIZE,
    Column,
    Remarks,
    check_sum,
    known_seconds,
    or_zero,
    priority_in,
    said,
    seconds_in,
    size_in,
    truth_in,
    with_means,
)
from icsched.formats.requests import amounts_by_task, bytes_in, count_in, needs_by_task
from icsched.workflow import Command, HiddenNeed, Remark, Workflow, WorkflowSource

STREAMS = ("directory", "stdin", "stdout", "stderr")
_PARSERS: dict[str, Callable[[str], float]] = {
    "run_time": seconds_in,
    "size": size_in,
    "priority": priority_in,
    "done": truth_in,
    "cores": count_in,
    "memory": bytes_in,
    "disk": bytes_in,
    "gpus": count_in,
}
FACTS = (*_PARSERS, "command", *STREAMS)
_COLUMNS: dict[str, Column] = {"run_time": "run_times", "size": "sizes", "priority": "priorities"}
_RESOURCES = {"cores": "cores", "memory": "memory_bytes", "disk": "disk_bytes", "gpus": "gpus"}
_MOST_BY_FILES = 10_000_000  # arcs from files that several tasks write
_MANY = 100  # from this many arcs of one file on, numpy is faster than a loop


class _Words:
    """Words of each task, with their place in the file; later words replace earlier ones."""

    def __init__(self) -> None:
        self._words: list[str | None] = []
        self._places = array("q")

    def say(self, task: int, words: str, place: int) -> None:
        """Note the words of a task."""
        missing = task + 1 - len(self._words)
        if missing > 0:
            self._words.extend([None] * missing)
            self._places.extend([0] * missing)
        self._words[task], self._places[task] = words, place

    def get(self, task: int) -> str | None:
        """Return the words of a task; None if there are none, or empty ones."""
        return self._words[task] or None if task < len(self._words) else None

    def __iter__(self) -> Iterator[tuple[int, str, int]]:
        """Yield the tasks that have words, with the words and their place."""
        for task, words, place in zip(count(), self._words, self._places, strict=False):
            if words is not None:
                yield task, words, place


@dataclass(eq=False)
class Draft(WorkflowSource):
    """Tasks, arcs and facts of the file at `path`, in the order in which a reader meets them.

    `text` is the content of the file; the place of a fact is an offset into it.
    """

    path: str
    text: str
    ids: dict[str, int] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)  # what tasks are submitted by
    _words: defaultdict[str, _Words] = field(default_factory=lambda: defaultdict(_Words))
    _needs: defaultdict[str, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    _hidden: dict[tuple[str, str], tuple[int, list[int]]] = field(default_factory=dict)
    _parents: "array[int]" = field(default_factory=lambda: array("i"))
    _children: "array[int]" = field(default_factory=lambda: array("i"))
    _places: "array[int]" = field(default_factory=lambda: array("q"))  # of arcs
    remarks: Remarks = field(init=False)

    def __post_init__(self) -> None:
        self.remarks = Remarks(self.path)

    # Calls for readers

    def task(self, name: str) -> int:
        """Return the id of the task called *name*; a new name gets a new id."""
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
        self._words[fact].say(task, words, place)

    def need(self, resource: str, task: int, amount: float) -> None:
        """Note how much of a resource a task needs."""
        self._needs[resource][task] = amount

    def hide(self, resource: str, task: int, text: str, place: int) -> None:
        """Note that the file does not say as a number what a task needs; *text* says why."""
        self.need(resource, task, nan)
        self._hidden.setdefault((resource, text), (place, []))[1].append(task)

    def remark(self, text: str, place: int, rest: str = "") -> None:
        """Count a remark, which names its first place. For *rest* see `Remarks`."""
        self.remarks.add(text, 1, partial(self.line, place), rest=rest)

    def line(self, place: int) -> int:
        """Return the number of the line of a place."""
        return self.text.count("\n", 0, place) + 1

    def error(self, place: int, problem: str) -> FormatError:
        """Return the error for a place of the file."""
        return FormatError(self.path, self.line(place), problem)

    # The finished workflow

    def workflow(self, name: str) -> Workflow[str]:
        """Return the workflow of the format called *name*.

        Raises FormatError for words that do not fit their fact, and for a cycle.
        """
        arcs = np.column_stack([np.asarray(self._parents), np.asarray(self._children)])
        dag = dag_of(
            tuple(self.ids), arcs, lambda arc, problem: self.error(self._places[arc], problem)
        )
        done = np.nan_to_num(self._array("done")).astype(bool)
        stated: dict[str, Floats] = {column: self._array(fact) for fact, column in _COLUMNS.items()}
        is_needed = self.has_commands or bool(self.kinds) or type(self) is not Draft
        workflow = Workflow(
            dag,
            done,
            known_seconds(stated["run_times"], done, self.remarks),
            self._sizes(stated["sizes"], done),
            priorities=or_zero(stated["priorities"], np.int32),
            files=(self.path,),
            format=name,
            source=self if is_needed else WorkflowSource(),
            remarks=self.remarks.tuple(),
            stated=stated,
            needs=self.needs(),
        )
        return with_means(workflow)

    def needs(self) -> dict[str, Floats]:
        """Return what each task needs; raises FormatError for words that are not amounts."""
        said = {of: self._array(fact) for fact, of in _RESOURCES.items() if fact in self._words}
        return said | {
            of: amounts_by_task(len(self.ids), self._needs[of]) for of in sorted(self._needs)
        }

    def hidden_needs(self) -> list[HiddenNeed]:
        """Return the needs that the file does not say as numbers."""
        return [
            HiddenNeed(of, np.array(tasks, np.int32), Remark(self.path, self.line(place), text))
            for (of, text), (place, tasks) in self._hidden.items()
        ]

    def _array(self, fact: str) -> Floats:
        """Return a number for each task; raises FormatError for words that are not numbers."""
        numbers = array("d", [nan]) * len(self.ids)
        for task, words, place in self._words[fact]:
            try:
                numbers[task] = _PARSERS[fact](words)
            except ValueError as error:
                of = f"{fact} of task {[*self.ids][task]!r}"
                problem = f"{of}: expected {error}, got {words[:80]!r}"
                raise self.error(place, problem) from None
        return np.asarray(numbers)

    def _sizes(self, stated: Floats, done: Mask) -> Sizes | None:
        sizes = or_zero(stated, np.int64)
        if sizes is not None:
            check_sum(sizes, self.path)
            self.remarks.add(NO_SIZE, int(np.isnan(stated[~done]).sum()))
        return sizes

    def descriptions(self) -> list[str] | None:
        """Return the kind of each task, by default its name; None if the file has no kinds."""
        if not self.kinds:
            return None
        return [self.kinds.get(task, name) for name, task in self.ids.items()]

    @property
    def has_commands(self) -> bool:  # type: ignore[override]
        """Whether the file says what tasks run."""
        return "command" in self._words

    def commands(self) -> list[Command | None]:
        """Return what each task runs."""
        return self._each_command(self._parsed)

    def lines(self) -> list[Command | None]:
        """Return the commands as text. A shell splits and expands the text itself."""
        return self._each_command(lambda _, words, __: Command((words,) if words.strip() else ()))

    def _parsed(self, task: int, words: str, place: int) -> Command:
        command = command_of(words)
        if command is None:
            name = [*self.ids][task]
            told = f"command of task {name!r}: expected plain words without shell syntax"
            raise self.error(place, f"{told}, got {words!r}")
        return command

    def _each_command(self, parse: Callable[[int, str, int], Command]) -> list[Command | None]:
        commands: list[Command | None] = [None] * len(self.ids)
        for task, words, place in self._words["command"]:
            command = parse(task, words, place)
            if command.argv:
                given: dict[str, Any] = {f: self._words[f].get(task) for f in STREAMS}
                commands[task] = replace(command, **given)
        return commands


# Facts for writers


def facts_of(workflow: Workflow) -> list[dict[str, str]]:
    """Return the known `FACTS` of each task of *workflow*, as words.

    >>> from icsched import Dag
    >>> done, run_times = np.array([True, False]), np.array([0.0, 2.0])
    >>> facts_of(Workflow(Dag({"a": [], "b": []}), done, run_times))
    [{'done': 'true'}, {'run_time': '2'}]
    """
    rows: list[dict[str, str]] = [{"done": "true"} if done else {} for done in workflow.done]
    for fact, column in _COLUMNS.items():
        for row, value in zip(rows, said(workflow, column), strict=True):
            if value is not None:
                row[fact] = repr(value).removesuffix(".0")
    facts = {resource: fact for fact, resource in _RESOURCES.items()}
    for row, needs in zip(rows, needs_by_task(workflow), strict=True):
        known = ((facts[of], amount) for of, amount in needs.items() if of in facts)
        row.update({fact: repr(amount).removesuffix(".0") for fact, amount in known})
    for row, command in zip(rows, workflow.commands or (), strict=False):
        if command is not None:
            row["command"] = command_text(command)
            given = {fact: getattr(command, fact) for fact in STREAMS}
            row.update({fact: words for fact, words in given.items() if words})
    return rows


# Parts of a workflow that readers share


def dag_of(
    names: Sequence[str], arcs: NDArray[np.int32], wrong: Callable[[int, str], FormatError]
) -> Dag[str]:
    """Return the dag of a file; *wrong* returns the error for a cycle, by the row of an arc."""
    try:
        return Dag.from_arcs(len(names), arcs, names=names)
    except CycleError as error:
        parent, child = (names.index(str(name)) for name in error.cycle[:2])
        arc = int(np.flatnonzero((arcs[:, 0] == parent) & (arcs[:, 1] == child))[0])
        raise wrong(arc, str(error)) from error


def arcs_by_files(
    inputs: Iterable[Sequence[str]], outputs: Iterable[Sequence[str]], remarks: Remarks
) -> NDArray[np.int32]:
    """Return arcs by which tasks wait for the tasks that write their files.

    A task that only reads a file waits for all tasks that write the file. A task that reads and
    writes it waits for the writers with smaller ids. So one file alone cannot make a cycle. Arcs
    that follow from other arcs of the file are left out. Raises FormatError if there are too many
    arcs for memory.

    >>> updated = arcs_by_files([[], ["f"], ["f"]], [["f"], ["f"], []], Remarks("wf.yml"))
    >>> updated.tolist()
    [[0, 1], [1, 2]]
    """
    readers, writers = _tasks_by_file(inputs), _tasks_by_file(outputs)
    arcs = array("i")
    several = many = 0
    for name in filter(readers.__contains__, writers):
        last = _chain(writers[name], readers[name], arcs)
        written = set(writers[name])
        targets = [task for task in readers[name] if task not in written]
        several += len(written) > 1
        many += len(last) * len(targets) if len(last) > 1 else 0
        if many > _MOST_BY_FILES:
            most = f"at most {_MOST_BY_FILES:,} dependencies by files that several tasks write"
            raise FormatError(remarks.path, None, f"expected {most}, got {many:,}")
        _join(last, targets, arcs)
    remarks.add("dependencies come from the files that tasks write and read", len(arcs) // 2)
    remarks.add(
        "files that several tasks write: a task that only reads one waits for all of them", several
    )
    return np.array(arcs, np.int32).reshape(-1, 2)


def _tasks_by_file(rows: Iterable[Sequence[str]]) -> dict[str, list[int]]:
    """Return the tasks of each file, each task once."""
    found: dict[str, list[int]] = {}
    for task, names in enumerate(rows):
        for name in names:
            tasks = found.setdefault(name, [])
            if not tasks or tasks[-1] != task:
                tasks.append(task)
    return found


def _chain(writers: list[int], readers: list[int], arcs: "array[int]") -> list[int]:
    """Add arcs between the writers of a file; return the writers that no other writer waits for."""
    if len(writers) == 1:
        return writers
    reads, last = set(readers), list[int]()
    for task in writers:
        if task in reads:
            _join(last, [task], arcs)
            last = [task]
        else:
            last.append(task)
    return last


def _join(sources: list[int], targets: list[int], arcs: "array[int]") -> None:
    """Add an arc from each of *sources* to each of *targets*."""
    if len(sources) * len(targets) > _MANY:
        ends = np.array(targets, np.intc)
        pairs = np.empty((len(sources), len(ends), 2), np.intc)
        pairs[:, :, 0], pairs[:, :, 1] = np.array(sources, np.intc)[:, None], ends
        arcs.frombytes(pairs.tobytes())
        return
    for source in sources:
        for target in targets:
            arcs.extend((source, target))
