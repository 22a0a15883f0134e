"""A workflow: a dag with what is known about its tasks, whatever files it came from."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Generic, Self

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids, Mask, Sizes, ids_where
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError
from icsched.frames import Shown, brief
from icsched.graph_inputs import NetworkxGraph, T_co
from icsched.pebble import checked_run_times, checked_sizes
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


@dataclass(frozen=True, eq=False)
class Workflow(Shown, Generic[T_co]):
    """A dag with what is known about its tasks: which are done, how long they take, what they run.

    `whole` has all tasks, and `done` says of each whether it is done. `dag` has the tasks that
    are left to run. `run_times` (seconds), `sizes` (bytes of each result) and `priorities` (larger
    runs first) have one value for each task of `dag`; None means that the files do not say.
    `remarks` lists what may disturb an order. `files` are the files that the workflow reads or
    names. Nobody should overwrite these. `done_by` is the file that says which tasks are done, if
    there is one.
    `format` is a name of `FORMATS`. `parsed` is what the reader of that format made of the files.

    `describe`, if there is one, returns what each task of `whole` is submitted by: for DAGMan the
    submit description, "" for a task that runs nothing. Tasks of one description and of the same
    name up to its digits are of one kind. `run_time_origins` has an `Origin` for each of
    `run_times`. `unused_run_times` counts the names of a table that fit no task. `stated` has what
    the files themselves say of each task of `whole`, under "run_times", "sizes" and "priorities":
    NaN where they say nothing, and the reader took a mean or 0.

    `find_commands`, if there is one, returns the `Command` of each task of `whole`, None for a task
    that runs nothing. `commands` asks it. It may read other files, and raises FormatError for a
    command that icsched cannot run. `find_lines`, if there is one, does the same for a run in which
    a shell reads the commands: all words of a command are one line of text, as the file has it.
    `find_outputs`, if there is one, returns the names of the files that each task of `whole`
    writes, as its command sees them from its directory. Files of standard streams may be left out.

    Raises ArgumentError if an array has the wrong length, or holds something other than nonnegative
    numbers; priorities are whole numbers of 32 bits.

    >>> import numpy as np
    >>> chain = Dag({"a": [], "b": ["a"], "c": ["b"]})
    >>> workflow = Workflow(chain, done=np.array([True, False, False]))
    >>> workflow.dag.names, workflow.left.tolist()
    (('b', 'c'), [1, 2])
    >>> workflow
    Workflow(tasks=3, arcs=2, done=1, format='', knows=[])
    """

    whole: Dag[T_co]
    done: Mask
    run_times: Floats | None = None
    sizes: Sizes | None = None
    remarks: tuple[Remark, ...] = ()
    files: Iterable[str] = ()
    done_by: str | None = None
    format: str = ""
    parsed: object = None
    describe: Callable[[], Sequence[str]] | None = None
    run_time_origins: NDArray[np.uint8] | None = None
    unused_run_times: int = 0
    priorities: Ids | None = None
    find_commands: Callable[[], Sequence[Command | None]] | None = None
    stated: Mapping[str, Floats] = field(default_factory=dict)
    find_lines: Callable[[], Sequence[Command | None]] | None = None
    find_outputs: Callable[[], Sequence[Sequence[str]]] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.whole, Dag):
            raise ArgumentError(f"whole: expected a Dag, got {self.whole!r}")
        self._set("done", _checked_done(self.done, len(self.whole)))
        left = len(self.whole) - int(self.done.sum())
        for name in ("run_times", "sizes", "run_time_origins", "priorities"):
            if getattr(self, name) is not None:
                _check_length(name, getattr(self, name), left)
        if self.run_times is not None:
            self._set("run_times", checked_run_times(self.dag, self.run_times))
        if self.sizes is not None:
            self._set("sizes", checked_sizes(self.dag, self.sizes))
        if self.priorities is not None:
            self._set("priorities", _checked_priorities(self.priorities))

    def __repr__(self) -> str:
        told = ("run_times", "sizes", "priorities")
        return brief(
            self,
            tasks=len(self.whole),
            arcs=len(self.whole.arcs),
            done=int(self.done.sum()),
            format=self.format,
            knows=[name for name in told if getattr(self, name) is not None],
        )

    def _set(self, name: str, values: object) -> None:
        object.__setattr__(self, name, values)  # the way to set a field of a frozen class

    @classmethod
    def bare(cls, dag: Dag[T_co]) -> Self:
        """Return a workflow of which nothing but the dag is known.

        >>> Workflow.bare(Dag({"a": [], "b": ["a"]})).dag.names
        ('a', 'b')
        """
        return cls(dag, np.zeros(len(dag), bool))

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
        weights = None if known is None else checked_run_times(dag, known)
        return cls(dag, np.zeros(len(dag), bool), weights)

    @property
    def names(self) -> Sequence[T_co]:
        """The names of all tasks, including those that are done."""
        return self.whole.names

    @property
    def left(self) -> Ids:
        """The ids in `whole` of the tasks that are left to run."""
        return ids_where(~self.done)

    @cached_property
    def dag(self) -> Dag[T_co]:
        """The tasks that are left to run, in the order of `whole`."""
        return self.whole.induced(self.left) if self.done.any() else self.whole

    @cached_property
    def commands(self) -> tuple[Command | None, ...] | None:
        """The command of each task of `dag`; None if the files do not say what tasks run.

        Raises FormatError for a command that icsched cannot run.
        """
        found = self.all_commands
        return None if found is None else tuple(found[task] for task in self.left.tolist())

    @cached_property
    def all_commands(self) -> tuple[Command | None, ...] | None:
        """The command of each task of `whole`; see `commands`."""
        return None if self.find_commands is None else tuple(self.find_commands())

    @cached_property
    def kinds(self) -> Ids:
        """The kind of each task of `dag`; kinds of `whole` are numbered as they appear.

        >>> Workflow.bare(Dag({"map_1": [], "map_2": [], "end": ["map_1"]})).kinds.tolist()
        [0, 0, 1]
        """
        kinds: Ids = self._all_kinds[self.left]
        return kinds

    @cached_property
    def _descriptions(self) -> Sequence[str] | None:
        return self.describe() if self.describe else None

    @cached_property
    def _all_kinds(self) -> Ids:
        """The kind of each task of `whole`."""
        columns: list[Iterable[str]] = [map(str, self.names)]
        if self._descriptions is not None:
            columns.append(self._descriptions)
        return kinds_of(*columns)

    def with_run_times(self, table: RunTimeTable) -> Self:
        """Return the workflow with run times from *table* for all its tasks.

        A task that the table does not name gets the seconds of the first pattern that fits; else
        the run time that the workflow has itself, the mean of its kind, or the mean of all.
        `run_time_origins` says which. Tasks that are done count in the means. A task that runs
        nothing takes no time, unless the table names it.

        Raises ArgumentError if the table is of another workflow: it has no name of a task, and of
        no kind. Raises LimitError for too many patterns.

        >>> work = Workflow.bare(Dag({"map_1": [], "map_2": [], "end": ["map_1"]}))
        >>> timed = work.with_run_times(RunTimeTable(("map_1", "other"), [4.0, 9.0]))
        >>> timed.run_times.tolist(), [Origin(o).name for o in timed.run_time_origins]
        ([4.0, 4.0, 4.0], ['MEASURED', 'KIND', 'ALL'])
        >>> timed.unused_run_times
        1
        """
        known = np.full(len(self.whole), np.nan)
        if self.run_times is not None:
            known[self.left] = self.run_times
        names = [*map(str, self.names)]
        seconds, origins, unused = fit(table, names, lambda: self._all_kinds, known)
        if (origins >= Origin.KIND).any() and self._descriptions is not None:
            is_instant = np.array([not word for word in self._descriptions], bool)
            is_instant &= origins >= Origin.KIND
            seconds[is_instant], origins[is_instant] = 0.0, Origin.KIND
        return replace(
            self,
            run_times=seconds[self.left],
            run_time_origins=origins[self.left],
            unused_run_times=unused,
        )

    def to_dict(self) -> dict[str, object]:
        """Return the workflow as plain lists and numbers, which JSON can hold.

        "commands" is None if the files do not say what tasks run, or if icsched cannot run it.

        >>> import numpy as np
        >>> pair = Workflow(Dag({"a": [], "b": ["a"]}), np.array([True, False]), np.array([2.5]))
        >>> pair.to_dict()["done"], pair.to_dict()["run_times"]
        (['a'], {'b': 2.5})
        """
        names = self.names
        return {
            "format": self.format,
            "files": list(self.files),
            "tasks": list(names),
            "arcs": [[names[parent], names[child]] for parent, child in self.whole.arcs.tolist()],
            "done": [names[task] for task in ids_where(self.done).tolist()],
            "done_by": self.done_by,
            "run_times": self._by_name(self.run_times),
            "sizes": self._by_name(self.sizes),
            "commands": self._argv(),
            "priorities": self._by_name(self.priorities),
            "remarks": [asdict(remark) for remark in self.remarks],
        }

    def _argv(self) -> dict[T_co, list[str] | None] | None:
        try:
            commands = self.commands
        except FormatError:  # a workflow may be looked at where its commands cannot be run
            commands = None
        if commands is None:
            return None
        words = [list(command.argv) if command else None for command in commands]
        return dict(zip(self.dag.names, words, strict=True))

    def _by_name(self, values: Floats | Sizes | Ids | None) -> dict[T_co, object] | None:
        if values is None:
            return None
        return dict(zip(self.dag.names, values.tolist(), strict=True))


def _checked_done(done: object, tasks: int) -> Mask:
    """Return *done*, which may be a list of true and false, or of 1 and 0, as an array."""
    try:
        values = np.asarray(done)
    except ValueError:  # rows of different lengths
        values = np.array(done, object)
    if values.ndim != 1 or (values.size and values.dtype.kind not in "biu"):
        raise ArgumentError(f"done: expected true or false for each task, got {done!r}")
    _check_length("done", values, tasks)
    return values.astype(bool, copy=False)


def _checked_priorities(given: object) -> Ids:
    """Return priorities as an array."""
    values = np.asarray(given)
    is_whole = values.ndim == 1 and (values.dtype.kind in "iu" or not values.size)
    if not is_whole or (values.size and not -(2**31) <= values.min() <= values.max() < 2**31):
        raise ArgumentError(f"priorities: expected whole numbers of 32 bits, got {given!r}")
    return values.astype(np.int32, copy=False)


def _check_length(name: str, values: object, expected: int) -> None:
    if not isinstance(values, Sized):
        raise ArgumentError(f"{name}: expected one for each task, got {values!r}")
    if len(values) != expected:
        counts = f"expected {expected:,} values, one for each task, got {len(values):,}"
        raise ArgumentError(f"{name}: {counts}")
