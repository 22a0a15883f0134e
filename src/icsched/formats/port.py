"""A format as the rest of icsched sees it: what it reads, and what it writes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from icsched.errors import FormatError
from icsched.files import Change
from icsched.workflow import Note, Remark, Workflow

_DOES = {  # by field of Format
    "read": "read a workflow",
    "changes": "write an order into a workflow's files",
    "removals": "remove an order from a workflow's files",
    "text": "write a workflow",
    "write_clusters": "write clusters",
}

# What a file may say of its tasks: fields of Workflow, three kinds of fields of Command, and needs.
KEPT = {
    "done": "which tasks are done",
    "run_times": "run times",
    "sizes": "sizes of results",
    "commands": "commands",
    "priorities": "priorities",
    "streams": "files for the standard streams of commands",
    "environment": "environment variables of commands",
    "directories": "directories of commands",
    "cores": "cores that tasks need",
    "memory": "memory that tasks need",
    "disk": "disk space that tasks need",
    "gpus": "GPUs that tasks need",
    "resources": "other resources that tasks need",
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


@dataclass(frozen=True)
class Writing:
    """How an order is written. A format with more options has a class that extends this one.

    `output` is a copy that gets the order; if it is None, the files themselves get the order.
    """

    output: str | None = None


class WorkflowText(Protocol):
    """Returns a workflow as the text of a file."""

    def __call__(self, workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
        """Return the text; *title* is for people, *path* for the message of a FormatError.

        The file has all tasks, also those that are done.
        """


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
    | `changes(workflow, order, options)` | returns the changes that write an order into its files |
    | `order_options` | a class that extends `Writing`; `changes` then makes copies itself |
    | `order_notes(workflow, order, options)` | what users should know if an order is written |
    | `order_line(data)` | the line where icsched's lines begin in *data*; None if there are none |
    | `without_order(workflow, options)` | a copy of the files without what icsched wrote |
    | `removals(paths, workflow)` | returns the changes that remove what icsched wrote into files |
    | `names_others(path)` | whether icsched wrote into other files, too, which *workflow* names |
    | `after_writing`, `after_inner` | what to do once an order, or orders of inner workflows, are
    written |
    | `text(workflow, title=, path=)` | returns a workflow, even a bare dag, as the text of a file |
    | `keeps` | what `text` writes beside names and arcs: words of `KEPT` |
    | `takes_name(name)` | whether `text` can write this name; None means that it can write all |
    | `placeholder` | the file that tasks run in what `text` writes, if no command is known |
    | `write_clusters(workflow, clusters, path)` | writes clusters as tasks; returns the files |
    | `advice(workflow)` | returns all that may disturb an order; it may read other files |
    """

    name: str
    sentence: str
    suffixes: tuple[str, ...] = ()  # lower case, with the dot
    options: type = NoOptions
    several: bool = False
    # Any, because each format reads its own dataclass of options.
    read: Callable[[Sequence[str], Any], Workflow[str]] | None = None
    changes: Callable[[Workflow, Sequence[int], Any], Sequence[Change]] | None = None
    removals: Callable[[Sequence[str], Workflow | None], Sequence[Change]] | None = None
    text: WorkflowText | None = None
    keeps: frozenset[str] = frozenset()
    takes_name: Callable[[str], bool] | None = None
    placeholder: str = ""
    write_clusters: Callable[[Workflow, Sequence[Sequence[int]], str], list[str]] | None = None
    advice: Callable[[Workflow], Sequence[Remark]] | None = None
    label: str = ""
    order_options: type[Writing] = Writing
    order_notes: Callable[[Workflow, Sequence[int], Any], Iterable[Note]] | None = None
    order_line: Callable[[bytes], int | None] | None = None
    without_order: Callable[[Workflow, Any], bytes] | None = None
    names_others: Callable[[str], bool] | None = None
    after_writing: str = ""
    after_inner: str = ""

    @property
    def abilities(self) -> list[str]:
        """What icsched can do with files of this format, in words."""
        return [words for field, words in _DOES.items() if getattr(self, field) is not None]

    def cannot(self, field: str, path: str) -> FormatError:
        """Return the error for a *field* that is None; *path* is the file of the request."""
        can = " and ".join(self.abilities) or "do nothing with it"
        problem = f"format {self.name}: icsched can {can}, but not {_DOES[field]}"
        return FormatError(path, None, problem)
