"""A workflow: a dag with what is known about its tasks, whatever files it came from."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Generic, Self

import numpy as np
from numpy.typing import NDArray

from icsched import checks
from icsched.arrays import Floats, Ids, Mask, Sizes, ids_where, mask_of
from icsched.dag import Dag, Graph
from icsched.errors import ArgumentError, FormatError
from icsched.frames import Shown, brief
from icsched.graph_inputs import NetworkxGraph, T, T_co
from icsched.pebble import checked_run_times, checked_sizes
from icsched.pebble.residual import Residual
from icsched.run_times import Origin, RunTimeTable, fit, kinds_of


def seen_from_file(file: str | None, directory: str | None) -> str | None:
    """Return the file of a stream, which a job sees from its *directory*, as `Command` names it.

    >>> seen_from_file("in.txt", "data"), seen_from_file("/in.txt", "data")
    ('data/in.txt', '/in.txt')
    """
    is_seen_from_here = not file or not directory or file.startswith("/")
    return file if is_seen_from_here else f"{directory}/{file}"


@dataclass(frozen=True, slots=True)
class Command:
    """A program with its arguments. No shell reads them.

    `directory` is where the program runs. It is relative to the directory of the workflow file, and
    so are `stdin`, `stdout` and `stderr`, the files of its standard streams; None means that the
    workflow does not say. `environment` has variables that are set in addition to those of the
    run.

    >>> Command(("sort", "-n", "in.txt")).program
    'sort'
    """

    argv: tuple[str, ...]  # the program comes first
    directory: str | None = None
    environment: tuple[tuple[str, str], ...] = ()
    stdin: str | None = None
    stdout: str | None = None
    stderr: str | None = None

    @property
    def line(self) -> str:
        """What a shell reads, where one is asked to: the words as they are, with blanks between.

        >>> Command(("echo", "$HOME", "a b")).line
        'echo $HOME a b'
        """
        return " ".join(self.argv)

    @property
    def program(self) -> str:
        """The program that runs."""
        return self.argv[0]

    def as_seen_inside(self, file: str | None, path: str) -> str | None:
        """Return the file of a stream as `directory` sees it; *path* is that of the workflow file.

        >>> Command(("sort",), "data", stdin="data/in.txt").as_seen_inside("data/in.txt", "wf.dag")
        'in.txt'
        """
        if not file or not self.directory or file.startswith("/"):
            return file
        rest = file.removeprefix(f"{self.directory}/")
        if rest != file and rest and not rest.startswith("/"):
            return rest
        return str(Path(path).absolute().parent / file)


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a user may want to know about a line of a file."""

    path: str
    line: int  # 0 if the remark is about the whole file
    text: str
    count: int = 1  # lines like this one in the file


@dataclass(frozen=True)
class Note:
    """A sentence without a full stop, and the code of what it is about."""

    code: str
    text: str


@dataclass(frozen=True)
class Setting:
    """A setting of an engine, and where it is said; line 0 if that is not a line of a file."""

    path: str
    line: int
    text: str  # as it is written there
    value: str


Settings = Mapping[str, Setting]  # by name


def unknown_settings() -> Settings | None:
    """Return the settings around a workflow that nobody knows."""
    return None


@dataclass(frozen=True, eq=False)
class HiddenNeed:
    """A need that the files state, but not as a number: only the engine can work it out."""

    resource: str  # "" if all needs of the tasks are hidden
    tasks: Ids
    remark: Remark  # says where, once for all these tasks

    def of(self, tasks: Ids) -> "HiddenNeed":
        """Return the hidden need of some tasks of the workflow, in ascending order, by new ids.

        >>> hidden = HiddenNeed("cores", np.array([1, 4]), Remark("a.sub", 3, "$$(Cpus)"))
        >>> hidden.of(np.array([0, 4, 5])).tasks.tolist()
        [1]
        """
        return replace(self, tasks=ids_where(np.isin(tasks, self.tasks)))


@dataclass(frozen=True, slots=True)
class Section:
    """What icsched wrote into a file of the user's earlier."""

    path: str
    line: int
    jobs: int  # to which it gives a priority
    problems: tuple[str, ...]  # why it is out of date; empty if it is not


@dataclass(frozen=True, slots=True)
class InnerFile:
    """A file of a workflow that is a task of another."""

    path: str
    directory: str  # in which it runs
    task: str
    is_there: bool


@dataclass(frozen=True)
class SubmitLines:
    """What a submit description says of the slots for its jobs.

    `line` is where the description begins if it is inside a workflow file; 0 for a file of its own.
    """

    path: str
    line: int
    holds_nothing: bool  # has keep_claim_idle = 0
    is_exact: bool  # has requirements by which jobs take only slots of the cores they ask for
    has_requirements: bool


@dataclass(frozen=True)
class SlotSettings:
    """What the files of a workflow say of the slots of HTCondor in which its tasks run.

    Each of `dagman` has the name of a field of `HTCondor` or `Machines`. A field that the files do
    not set is missing.
    """

    dagman: Mapping[str, float]
    submits: Sequence[SubmitLines]

    @property
    def holds_nothing(self) -> bool:
        """Whether no idle slot is held for a job."""
        return self.dagman.get("hold") == 0 or self._all(one.holds_nothing for one in self.submits)

    @property
    def is_exact(self) -> bool:
        """Whether each job takes only slots of the cores that it asks for."""
        return self._all(one.is_exact for one in self.submits)

    def _all(self, facts: Iterable[bool]) -> bool:
        return bool(self.submits) and all(facts)


class WorkflowSource:
    """What the reader of a format keeps of the files: what they say beside the columns.

    This class knows nothing of any file. A format whose files say more has a class that extends it.
    """

    has_commands = False  # whether the files say what tasks run
    ask: Callable[[], Settings | None] = staticmethod(unknown_settings)

    # What the files say of each task

    def descriptions(self) -> Sequence[str] | None:
        """Return what each task is submitted by: for DAGMan the submit description.

        A task that runs nothing has "". Returns None if the files do not say it.
        """
        return None

    def commands(self) -> Sequence[Command | None]:
        """Return what each task runs, None for nothing; only asked for if `has_commands`.

        This may read other files. Raises FormatError for a command that icsched cannot run.
        """
        raise NotImplementedError

    def lines(self) -> Sequence[Command | None]:
        """Return the commands for a run in which a shell reads them.

        All words of a command are one line of text, if the file has it so.
        """
        return self.commands()

    def outputs(self) -> Sequence[Sequence[str]]:
        """Return the files that each task writes, as its command sees them from its directory.

        Files of standard streams may be left out. The result is empty if the files do not say it.
        """
        return ()

    def left_out(self) -> Sequence[str]:
        """Return what the files say and no column holds, in the words of their format."""
        return ()

    def needs(self) -> Mapping[str, Floats]:
        """Return `Workflow.needs`; this may read other files. Raises FormatError."""
        return {}

    def hidden_needs(self) -> Sequence[HiddenNeed]:
        """Return the needs that the files do not say as numbers; this may read other files."""
        return ()

    def without_submit_file(self) -> Sequence[str]:
        """Return the tasks whose needs are in a file that does not exist."""
        return ()

    # What the files say of the workflow

    def asking(self, ask: Callable[[], Settings | None]) -> Self:
        """Return the source with what returns the settings of the engine around the workflow."""
        other = copy(self)
        other.ask = ask
        other.__dict__.pop("settings", None)  # the answer of another
        return other

    @cached_property
    def settings(self) -> Settings | None:
        """The settings of the engine around the workflow; None if nobody knows them."""
        return self.ask()

    def named(self) -> Sequence[str]:
        """Return the files that the user named, without those that they name in turn."""
        return ()

    def sections(self) -> Sequence[Section]:
        """Return the sections of icsched's in the files that the user named."""
        return ()

    def own_priorities(self) -> Floats | None:
        """Return the priorities that the user's own lines give.

        A task without one has NaN. Returns None if the files have no lines for that.
        """
        return None

    def priorities(self, workflow: "Workflow", order: Sequence[int]) -> dict[str, int]:
        """Return the number that each task gets in the files, for an order of ``workflow.dag``."""
        names = [str(workflow.names[task]) for task in order]
        return {name: len(names) - step for step, name in enumerate(names)}

    def refusing(self) -> Remark | None:
        """Return the setting by which the engine refuses a second priority of a task."""
        return None

    def refusal_notes(self) -> list[Note]:
        """Return a note about that setting, if the files have priorities for it to refuse."""
        return []

    def inner_workflows(self) -> Sequence[str]:
        """Return the tasks that are workflows themselves."""
        return ()

    def inner_files(self, seen: set[str]) -> Iterable[InnerFile]:  # noqa: ARG002  there are none
        """Yield the files of inner workflows that are not *seen* yet, and add them to these."""
        return ()

    def unsimulated(self) -> str:
        """Return what icsched does not simulate in this workflow, "" if there is nothing."""
        return ""

    def categories(self) -> tuple[Ids, Ids] | None:
        """Return the category of each task, -1 for none, and how many tasks of each may run.

        A task runs from its submission to its end. Returns None if the files limit no category.
        """
        return None

    def slot_settings(self) -> SlotSettings | None:
        """Return what the files say of HTCondor's slots; None if HTCondor does not run the tasks.

        This may read other files.
        """
        return None

    def command(
        self,
        options: Sequence[str],  # noqa: ARG002  nobody knows the command
        path: str | None = None,  # noqa: ARG002
    ) -> str | None:
        """Return the command of a shell that submits the workflow, or its copy at *path*.

        None if nobody knows the command.
        """
        return None

    def is_running(self) -> str | None:
        """Return the file that says that the engine runs the workflow now, or None."""
        return None

    def other_names(self) -> Iterable[str]:
        """Return names that logs may have, and that are not tasks."""
        return ()


@dataclass(eq=False)
class OwnSource(WorkflowSource):
    """What a program says of the tasks of a workflow that no file has: any of these columns.

    >>> commands = Workflow(Dag({"a": []}), source=OwnSource([Command(("sort",))])).commands
    >>> [command.program for command in commands or () if command]
    ['sort']
    """

    own_commands: Sequence[Command | None] | None = None
    own_outputs: Sequence[Sequence[str]] = ()
    own_descriptions: Sequence[str] | None = None

    def __post_init__(self) -> None:
        self.has_commands = self.own_commands is not None

    def commands(self) -> Sequence[Command | None]:
        """Return the commands."""
        return self.own_commands or ()

    def outputs(self) -> Sequence[Sequence[str]]:
        """Return the files that each task writes."""
        return self.own_outputs

    def descriptions(self) -> Sequence[str] | None:
        """Return what each task is submitted by."""
        return self.own_descriptions


@dataclass
class _Part(WorkflowSource):
    """Some tasks of another workflow: only their kinds are asked for."""

    whole: WorkflowSource
    tasks: Ids

    def descriptions(self) -> Sequence[str] | None:
        found = self.whole.descriptions()
        return None if found is None else [found[task] for task in self.tasks.tolist()]

    def categories(self) -> tuple[Ids, Ids] | None:
        found = self.whole.categories()
        return None if found is None else (found[0][self.tasks], found[1])

    def hidden_needs(self) -> Sequence[HiddenNeed]:
        cut = (hidden.of(self.tasks) for hidden in self.whole.hidden_needs())
        return [hidden for hidden in cut if len(hidden.tasks)]


class _Needs(Mapping[str, Floats]):
    """Needs that are found out at the first look, because that may read many files."""

    def __init__(self, ask: Callable[[], Mapping[str, Floats]]) -> None:
        self._ask = ask

    @cached_property
    def _found(self) -> dict[str, Floats]:
        return dict(self._ask())

    def of(self, tasks: Ids) -> "_Needs":
        """Return the needs of some tasks."""
        return _Needs(partial(self._cut, tasks))

    def _cut(self, tasks: Ids) -> dict[str, Floats]:
        return {resource: amounts[tasks] for resource, amounts in self._found.items()}

    def __getitem__(self, resource: str) -> Floats:
        return self._found[resource]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return repr(self._found)


# Columns that the residual of a workflow has, too.
_COLUMNS = ("run_times", "sizes", "run_time_origins", "priorities")


@dataclass(frozen=True, eq=False)
class Workflow(Shown, Generic[T_co]):
    """A dag with what is known about its tasks: which are done, how long they take, what they run.

    Each column has one value for each task of `dag`. `done` says whether a task is done; by default
    nothing is. `run_times` are in seconds, `sizes` are the bytes of each result, and a task with a
    larger one of `priorities` runs first. A column is None if the files do not say it for all
    tasks that are left. The value of a task that is done may be 0 because nobody knows it.
    `remarks` lists what may disturb an order. `files` are the files that the workflow reads or
    names. Nobody should overwrite these. `done_by` is the file that says which tasks are done, if
    there is one.
    `format` is a name of `FORMATS`. `source` is what the reader of that format keeps of the files:
    it says what tasks run, and what else only that format knows.

    Tasks of one description and of the same name up to its digits are of one kind.
    `run_time_origins` has an `Origin` for each of `run_times`. `unused_run_times` counts the names
    of a table that fit no task. `stated` has what the files themselves say of each task, under
    "run_times", "sizes" and "priorities": NaN where they say nothing, and the reader took a mean
    or 0. `needs` has what each task needs while it runs, by resource: "cores", "memory_bytes",
    "disk_bytes", "gpus", and other resources by their names in small letters. A number is NaN where
    the files say nothing, or where only the engine can work it out. Submit files are read for this
    at the first look, which raises FormatError for a number that cannot be.

    Raises ArgumentError if an array has the wrong length, or holds something other than nonnegative
    numbers; priorities are whole numbers of 32 bits.

    >>> import numpy as np
    >>> chain = Dag({"a": [], "b": ["a"], "c": ["b"]})
    >>> workflow = Workflow(chain, done=np.array([True, False, False]))
    >>> workflow
    Workflow(tasks=3, arcs=2, done=1, format='', knows=[])
    >>> workflow.residual.names
    ('b', 'c')
    >>> Workflow(chain, needs={"cores": np.array([1, 4, np.nan])}).needs["cores"].tolist()
    [1.0, 4.0, nan]
    """

    dag: Dag[T_co]
    done: Mask = None  # type: ignore[assignment]  # always an array, once it was checked
    run_times: Floats | None = None
    sizes: Sizes | None = None
    remarks: tuple[Remark, ...] = ()
    files: Iterable[str] = ()
    done_by: str | None = None
    format: str = ""
    source: WorkflowSource = field(default_factory=WorkflowSource)
    run_time_origins: NDArray[np.uint8] | None = None
    unused_run_times: int = 0
    priorities: Ids | None = None
    stated: Mapping[str, Floats] = field(default_factory=dict)
    needs: Mapping[str, Floats] = None  # type: ignore[assignment]  # then those of the source

    def __post_init__(self) -> None:
        if not isinstance(self.dag, Dag):
            raise ArgumentError(f"dag: expected a Dag, got {self.dag!r}")
        vars(self)["done"] = _checked_done(self.done, len(self.dag))  # the class is frozen
        for name in _COLUMNS:
            if getattr(self, name) is not None:
                checks.one_per_task(name, getattr(self, name), len(self.dag))
        if self.run_times is not None:
            vars(self)["run_times"] = checked_run_times(self.dag, self.run_times)
        if self.sizes is not None:
            vars(self)["sizes"] = checked_sizes(self.dag, self.sizes)
        if self.priorities is not None:
            vars(self)["priorities"] = _checked_priorities(self.priorities)
        if not isinstance(self.needs, _Needs):
            given = self.needs
            known = None if given is None else _checked_needs(given, len(self.dag))
            vars(self)["needs"] = _Needs(self.source.needs if known is None else known.copy)

    def __repr__(self) -> str:
        told = ("run_times", "sizes", "priorities")
        return brief(
            self,
            tasks=len(self.dag),
            arcs=len(self.dag.arcs),
            done=int(self.done.sum()),
            format=self.format,
            knows=[name for name in told if getattr(self, name) is not None],
        )

    @classmethod
    def from_networkx(cls, graph: NetworkxGraph[T_co], *, run_times: str | None = None) -> Self:
        """Build from a networkx DiGraph; the node attribute called *run_times* has run times.

        Raises GraphError for another graph, ArgumentError for a node without that attribute.
        """
        dag = Dag.from_networkx(graph)
        known = None if run_times is None else dict(graph.nodes(data=run_times))
        missing = [name for name, value in (known or {}).items() if value is None]
        if missing:
            raise ArgumentError(f"run_times: expected {run_times!r} of node {missing[0]!r}")
        return cls(dag, run_times=None if known is None else checked_run_times(dag, known))

    @property
    def names(self) -> Sequence[T_co]:
        """The names of all tasks, including those that are done."""
        return self.dag.names

    # What is left to run

    @cached_property
    def residual(self) -> Self:
        """The workflow of the tasks that are left to run; the workflow itself if nothing is done.

        It has its own dag, with its own ids. Whatever orders or simulates a workflow takes that
        dag, and answers by the ids of `dag`, or by names.

        >>> chain = Dag({"a": [], "b": ["a"], "c": ["b"]})
        >>> done, run_times = np.array([True, False, False]), np.array([0.0, 2.0, 3.0])
        >>> left = Workflow(chain, done, run_times).residual
        >>> left.dag.arcs.tolist(), left.run_times.tolist()
        ([[0, 1]], [2.0, 3.0])
        """
        if not self.done.any():
            return self
        left = ids_where(~self.done)
        columns = {name: getattr(self, name) for name in _COLUMNS}
        cut: dict[str, Any] = {
            name: values[left] for name, values in columns.items() if values is not None
        }
        return replace(
            self,
            dag=self.dag.induced(left),
            done=np.zeros(len(left), bool),
            stated={name: values[left] for name, values in self.stated.items()},
            source=_Part(self.source, left),
            needs=self._needs.of(left),
            **cut,
        )

    # What the tasks run, and for how long

    @cached_property
    def commands(self) -> tuple[Command | None, ...] | None:
        """The command of each task; None if the files do not say what tasks run.

        Raises FormatError for a command that icsched cannot run.
        """
        return tuple(self.source.commands()) if self.source.has_commands else None

    @property
    def _needs(self) -> _Needs:
        assert isinstance(self.needs, _Needs)  # noqa: S101  `__post_init__` has made it so
        return self.needs

    @cached_property
    def hidden_needs(self) -> tuple[HiddenNeed, ...]:
        """The needs that the files do not say as numbers, such as an expression of HTCondor's."""
        return tuple(self.source.hidden_needs())

    @cached_property
    def kinds(self) -> Ids:
        """The kind of each task; kinds are numbered as they appear.

        >>> Workflow(Dag({"map_1": [], "map_2": [], "end": ["map_1"]})).kinds.tolist()
        [0, 0, 1]
        """
        columns: list[Iterable[str]] = [map(str, self.names)]
        if self._descriptions is not None:
            columns.append(self._descriptions)
        return kinds_of(*columns)

    @cached_property
    def _descriptions(self) -> Sequence[str] | None:
        return self.source.descriptions()

    def with_run_times(self, table: RunTimeTable) -> Self:
        """Return the workflow with run times from *table* for all its tasks.

        A task that the table does not name gets the seconds of the first pattern that fits; else
        the run time that the workflow has itself, the mean of its kind, or the mean of all.
        `run_time_origins` says which. Tasks that are done count in the means. A task that runs
        nothing takes no time, unless the table names it.

        Raises ArgumentError if the table is of another workflow: it has no name of a task, and of
        no kind. Raises LimitError for too many patterns.

        >>> work = Workflow(Dag({"map_1": [], "map_2": [], "end": ["map_1"]}))
        >>> timed = work.with_run_times(RunTimeTable(("map_1", "other"), [4.0, 9.0]))
        >>> timed.run_times.tolist(), [Origin(o).name for o in timed.run_time_origins]
        ([4.0, 4.0, 4.0], ['MEASURED', 'KIND', 'ALL'])
        >>> timed.unused_run_times
        1
        """
        known = None if self.run_times is None else np.where(self.done, np.nan, self.run_times)
        seconds, origins, unused = fit(table, [*map(str, self.names)], lambda: self.kinds, known)
        if (origins >= Origin.KIND).any() and self._descriptions is not None:
            is_instant = np.array([not word for word in self._descriptions], bool)
            is_instant &= origins >= Origin.KIND
            seconds[is_instant], origins[is_instant] = 0.0, Origin.KIND
        return replace(self, run_times=seconds, run_time_origins=origins, unused_run_times=unused)

    def to_dict(self) -> dict[str, object]:
        """Return the workflow as plain lists and numbers, which JSON can hold.

        Columns have the tasks that are left. "commands" is None if the files do not say what tasks
        run, or if icsched cannot run it. "needs" has no task whose need is unknown.

        >>> done, run_times = np.array([True, False]), np.array([0.0, 2.5])
        >>> pair = Workflow(Dag({"a": [], "b": ["a"]}), done, run_times)
        >>> pair.to_dict()["done"], pair.to_dict()["run_times"]
        (['a'], {'b': 2.5})
        """
        names = self.names
        return {
            "format": self.format,
            "files": list(self.files),
            "tasks": list(names),
            "arcs": [[names[parent], names[child]] for parent, child in self.dag.arcs.tolist()],
            "done": [names[task] for task in ids_where(self.done).tolist()],
            "done_by": self.done_by,
            "run_times": self._by_name(self.run_times),
            "sizes": self._by_name(self.sizes),
            "commands": self._argv(),
            "priorities": self._by_name(self.priorities),
            "needs": {
                resource: {
                    self.names[task]: float(amounts[task])
                    for task in ids_where(~self.done & ~np.isnan(amounts)).tolist()
                }
                for resource, amounts in self.needs.items()
            },
            "remarks": [asdict(remark) for remark in self.remarks],
        }

    def _argv(self) -> dict[T_co, list[str] | None] | None:
        try:
            commands = self.commands
        except FormatError:  # a workflow may be looked at where its commands cannot be run
            commands = None
        if commands is None:
            return None
        left = ids_where(~self.done).tolist()
        words = {task: commands[task] for task in left}
        return {
            self.names[task]: list(command.argv) if command else None
            for task, command in words.items()
        }

    def _by_name(self, values: Floats | Sizes | Ids | None) -> dict[T_co, object] | None:
        if values is None:
            return None
        return {self.names[task]: values[task].item() for task in ids_where(~self.done).tolist()}


def workflow_of(graph: Graph[T]) -> Workflow[T]:
    """Return *graph* as a workflow; another object with a dag may have run times, too.

    >>> workflow_of({"a": [], "b": ["a"]})
    Workflow(tasks=2, arcs=1, done=0, format='', knows=[])
    """
    if isinstance(graph, Workflow):
        return graph
    left = Residual.of(graph)
    done = ~mask_of(left.places, len(left.whole))
    has_dag = getattr(graph, "dag", None) is left.whole
    return Workflow(left.whole, done, getattr(graph, "run_times", None) if has_dag else None)


def _checked_done(done: object, tasks: int) -> Mask:
    """Return *done*, which may be a list of true and false, or of 1 and 0, as an array."""
    if done is None:
        return np.zeros(tasks, bool)
    try:
        values = np.asarray(done)
    except ValueError:  # rows of different lengths
        values = np.array(done, object)
    if values.ndim != 1 or (values.size and values.dtype.kind not in "biu"):
        raise ArgumentError(f"done: expected true or false for each task, got {done!r}")
    checks.one_per_task("done", values, tasks)
    return values.astype(bool, copy=False)


def _checked_priorities(given: object) -> Ids:
    """Return priorities as an array."""
    values = np.asarray(given)
    is_whole = values.ndim == 1 and (values.dtype.kind in "iu" or not values.size)
    if not is_whole or (values.size and not -(2**31) <= values.min() <= values.max() < 2**31):
        raise ArgumentError(f"priorities: expected whole numbers of 32 bits, got {given!r}")
    return values.astype(np.int32, copy=False)


def _checked_needs(given: object, tasks: int) -> dict[str, Floats]:
    """Return what a program says that tasks need, as arrays."""
    if not isinstance(given, Mapping):
        raise ArgumentError(f"needs: expected numbers by resource, got {given!r}")
    needs = {}
    for resource, values in given.items():
        what = f"needs of {resource!r}"
        if not isinstance(resource, str):
            raise ArgumentError(f"needs: expected names of resources, got {resource!r}")
        checks.one_per_task(what, values, tasks)
        try:
            amounts = np.array(values, np.float64)
        except (TypeError, ValueError):
            raise ArgumentError(f"{what}: expected numbers, got {values!r}") from None
        wrong = ids_where(~(np.isnan(amounts) | ((amounts >= 0) & np.isfinite(amounts))))
        if amounts.ndim != 1 or len(wrong):
            got = amounts[wrong[0]] if len(wrong) else values
            raise ArgumentError(f"{what}: expected finite numbers of 0 or more, got {got!r}")
        needs[resource] = amounts
    return needs
