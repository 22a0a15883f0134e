"""A format as the rest of icsched sees it: what it reads and writes, and what its files say."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from icsched.arrays import Floats
from icsched.errors import FormatError
from icsched.files import Change, read_bytes
from icsched.workflow import Note, Remark, Workflow

_DOES = {  # by field of Format
    "read": "read a workflow",
    "changes": "write an order into a workflow's files",
    "removals": "remove an order from a workflow's files",
    "text": "write a workflow",
    "write_clusters": "write clusters",
}

# What a file may say of its tasks: fields of Workflow, and three kinds of fields of Command.
KEPT = {
    "done": "which tasks are done",
    "run_times": "run times",
    "sizes": "sizes of results",
    "commands": "commands",
    "priorities": "priorities",
    "streams": "files for the standard streams of commands",
    "environment": "environment variables of commands",
    "directories": "directories of commands",
}


@dataclass(frozen=True)
class Later:
    """A function by its module and name, such as "icsched.dag:read".

    The module is imported at the first call, so that a user of one format waits for no other.
    """

    place: str

    def __call__(self, *given: Any, **named: Any) -> Any:
        """Return what the function returns."""
        from importlib import import_module

        module, _, name = self.place.partition(":")
        return getattr(import_module(module), name)(*given, **named)


@dataclass(frozen=True)
class NoOptions:
    """The options of a format that has none."""


class WorkflowText(Protocol):
    """Returns a workflow as the text of a file."""

    def __call__(self, workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
        """Return the text; *title* is for people, *path* for the message of a FormatError.

        The file has all tasks, also those that are done.
        """


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


class WorkflowFiles:
    """The files that a workflow was read from, and what they say beside the workflow.

    This class knows nothing of any file. A format whose files say more has a class that extends it.
    *ask* returns the settings of the engine around the workflow, if somebody knows them.
    """

    after_writing = ""  # what to do once an order is written
    after_inner = ""  # the same if inner workflows got orders

    def __init__(
        self, workflow: Workflow, ask: Callable[[], Settings | None] = unknown_settings
    ) -> None:
        self.workflow, self._ask = workflow, ask

    @cached_property
    def settings(self) -> Settings | None:
        """The settings of the engine around the workflow; None if nobody knows them."""
        return self._ask()

    def named(self) -> Sequence[str]:
        """Return the files that the user named, without those that they name in turn."""
        return [*self.workflow.files]

    def sections(self) -> Sequence[Section]:
        """Return the sections of icsched's in the files that the user named."""
        return ()

    def has_order(self, data: bytes) -> bool:  # noqa: ARG002  no file has one
        """Whether *data* has a section of icsched's, or a part of one."""
        return False

    def line_of_order(self, data: bytes) -> int | None:  # noqa: ARG002  no file has one
        """Return the line where a section of icsched's begins in *data*; None if there is none."""
        return None

    def own_priorities(self) -> Floats | None:
        """Return the priorities that the user's own lines give.

        A task without one has NaN. Returns None if the files have no lines for that.
        """
        return None

    def priorities(self, order: Sequence[int]) -> dict[str, int]:
        """Return the number that each task gets in the files, for an order of ``workflow.dag``."""
        names = [str(self.workflow.dag.names[task]) for task in order]
        return {name: len(names) - step for step, name in enumerate(names)}

    def refusing(self) -> Remark | None:
        """Return the setting by which the engine refuses a second priority of a task."""
        return None

    def refusal_notes(self) -> list[Note]:
        """Return a note about that setting, if the files have priorities for it to refuse."""
        return []

    def remarks(self) -> Sequence[Remark]:
        """Return everything that may disturb an order; this may read other files."""
        return self.workflow.remarks

    def inner_workflows(self) -> Sequence[str]:
        """Return the tasks that are workflows themselves."""
        return ()

    def inner_files(self, seen: set[str]) -> Iterable[InnerFile]:  # noqa: ARG002  there are none
        """Yield the files of inner workflows that are not *seen* yet, and add them to these."""
        return ()

    def unsimulated(self) -> str:
        """Return what icsched does not simulate in this workflow, "" if there is nothing."""
        return ""

    def other_names(self) -> Iterable[str]:
        """Return names that logs may have, and that are not tasks."""
        return ()

    def changes(
        self, priorities: dict[str, int], options: Any, path: str | None = None
    ) -> Sequence[Change]:
        """Return the changes that write *priorities*, or make *path* a copy with them.

        Only a format with `order_options` is asked for these. *options* are an instance of that.
        """
        raise NotImplementedError

    def without_order(self, options: Any) -> bytes:  # noqa: ARG002  nothing depends on them
        """Return the only file of the workflow without an order of icsched's."""
        return read_bytes(self.named()[0])

    def other_removals(self) -> Sequence[Change]:
        """Return the changes that remove what icsched wrote into files that nobody named."""
        return ()

    def order_notes(
        self,
        priorities: dict[str, int],  # noqa: ARG002  nothing depends on them
        options: Any,  # noqa: ARG002
        path: str | None,  # noqa: ARG002
    ) -> Iterable[Note]:
        """Return notes about an order in the files; raises FormatError if they cannot have it."""
        return ()


@dataclass(frozen=True)
class Format:
    """A file format, as `FORMATS` holds it: a name and what icsched can do with these files.

    A field is None if icsched cannot do that. Options are fields of the dataclass `options`. Each
    has a default, and a sentence for help in its metadata under "help".

    | field | does |
    | --- | --- |
    | `label` | what messages call the format, such as "DAGMan"; by default its name |
    | `read(paths, options)` | returns the Workflow that the files make together |
    | `several` | whether several files can make one workflow |
    | `changes(workflow, order)` | returns the changes that write an order into its files |
    | `removals(paths)` | returns the changes that remove what icsched wrote into files |
    | `text(workflow, title=, path=)` | returns a workflow, even a bare dag, as the text of a file |
    | `keeps` | what `text` writes beside names and arcs: words of `KEPT` |
    | `takes_name(name)` | whether `text` can write this name; None means that it can write all |
    | `placeholder` | the file that tasks run in what `text` writes, if no command is known |
    | `write_clusters(workflow, clusters, path)` | writes clusters as tasks; returns the files |
    | `advice(workflow)` | returns all remarks; it may read other files for that |
    | `files(workflow, ask)` | returns what else the files say, as a `WorkflowFiles` |
    | `order_options` | a dataclass of the options of `icsched prio` that the format takes |
    | `names_others(path)` | whether what icsched wrote into a file is in others, too |
    """

    name: str
    sentence: str
    suffixes: tuple[str, ...] = ()  # lower case, with the dot
    options: type = NoOptions
    several: bool = False
    # Any, because each format reads its own dataclass of options.
    read: Callable[[Sequence[str], Any], Workflow[str]] | None = None
    changes: Callable[[Workflow, Sequence[int]], Sequence[Change]] | None = None
    removals: Callable[[Sequence[str]], Sequence[Change]] | None = None
    text: WorkflowText | None = None
    keeps: frozenset[str] = frozenset()
    takes_name: Callable[[str], bool] | None = None
    placeholder: str = ""
    write_clusters: Callable[[Workflow, Sequence[Sequence[int]], str], list[str]] | None = None
    advice: Callable[[Workflow], Sequence[Remark]] | None = None
    label: str = ""
    files: type[WorkflowFiles] = WorkflowFiles
    order_options: type = NoOptions
    names_others: Callable[[str], bool] | None = None

    @property
    def abilities(self) -> list[str]:
        """What icsched can do with files of this format, in words."""
        return [words for field, words in _DOES.items() if getattr(self, field) is not None]

    def cannot(self, field: str, path: str) -> FormatError:
        """Return the error for a *field* that is None; *path* is the file of the request."""
        can = " and ".join(self.abilities) or "do nothing with it"
        problem = f"format {self.name}: icsched can {can}, but not {_DOES[field]}"
        return FormatError(path, None, problem)
