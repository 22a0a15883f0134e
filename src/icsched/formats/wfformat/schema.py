"""The two layouts of WfFormat files, and the places of their parts in a file.

In versions 1.0 to 1.4 each task has all its facts. Versions 1.5 and later have a specification,
with ids and files, and an execution, with measurements.
"""

import re
from dataclasses import dataclass
from typing import TypeVar

import msgspec
import numpy as np
from msgspec import Raw, Struct

from icsched.errors import FormatError
from icsched.files import text_of
from icsched.formats.facts import Number

T = TypeVar("T")


# Versions 1.5 and later


class Task(Struct, rename="camel", gc=False):
    """A task of a specification."""

    id: str
    name: str = ""
    parents: list[str] = []
    children: list[str] = []
    input_files: list[str] = []
    output_files: list[str] = []


class File(Struct, rename="camel", gc=False):
    """A file of a specification."""

    id: str
    size_in_bytes: Number = None


class Executed(Struct, rename="camel", gc=False):
    """A task of an execution."""

    id: str
    runtime_in_seconds: float | None = None
    priority: Number = None
    core_count: float | None = None


class Specification(Struct):
    """The tasks and files of a workflow."""

    tasks: list[Task]
    files: list[File] = []


class Execution(Struct):
    """The measurements of a run."""

    tasks: list[Executed] = []


# Versions 1.0 to 1.4


class OldFile(Struct, rename="camel", gc=False):
    """A file that a task reads or writes."""

    name: str
    path: str = ""
    link: str = ""
    size: Number = None
    size_in_bytes: Number = None


class OldTask(Struct, rename="camel", gc=False):
    """A task with all that is known about it."""

    name: str
    id: str | None = None
    parents: list[str] = []
    children: list[str] = []
    files: list[OldFile] = []
    runtime: float | None = None
    runtime_in_seconds: float | None = None
    priority: Number = None
    cores: float | None = None


# Whole files


class Content(Struct):
    """The workflow in either layout."""

    specification: Specification | None = None
    execution: Execution | None = None
    tasks: list[OldTask] | None = None
    jobs: list[OldTask] | None = None  # the name of tasks up to version 1.2


class Instance(Struct, rename="camel"):
    """A whole file."""

    workflow: Content
    schema_version: str = ""


# Commands, which are read only when needed


class Command(Struct, gc=False):
    """A command."""

    program: str | None = None
    arguments: list[str] = []


class CommandOf(Struct, gc=False):
    """The task of a command; only versions 1.0 and 1.1 have arguments without a command."""

    id: str | None = None
    name: str = ""
    command: Command | None = None
    arguments: list[str] = []


class _CommandList(Struct):
    tasks: list[CommandOf] = []


class _CommandContent(Struct):
    execution: _CommandList | None = None
    tasks: list[CommandOf] | None = None
    jobs: list[CommandOf] | None = None


class Commands(Struct):
    """The commands of a whole file."""

    workflow: _CommandContent


# Places in the file


@dataclass(frozen=True)
class Document:
    """A file whose parts are slices of its data; a part that is missing is empty."""

    path: str
    data: bytes
    mark: bytes  # the byte order mark before the data, if the file has one

    def at(self, part: Raw) -> int:
        """Return the offset of *part*, a slice of the data."""
        whole, piece = np.frombuffer(self.data, np.uint8), np.frombuffer(part, np.uint8)
        return int(piece.ctypes.data - whole.ctypes.data)

    @property
    def workflow(self) -> Raw:
        """The object of the workflow."""
        return self.part(Raw(self.data), "workflow")

    @property
    def execution(self) -> Raw:
        """The object of the execution."""
        return self.part(self.workflow, "execution")

    def part(self, whole: Raw, key: str) -> Raw:
        """Return the value of a key of an object, which may be missing."""
        if not whole or bytes(whole) == b"null":
            return Raw()
        return msgspec.json.decode(whole, type=dict[str, Raw]).get(key, Raw())

    def tasks(self) -> list[Raw]:
        """Return the tasks of the specification, or of an old layout."""
        found = self.part(self.part(self.workflow, "specification"), "tasks")
        for key in ("tasks", "jobs"):
            found = found or self.part(self.workflow, key)
        return msgspec.json.decode(found, type=list[Raw]) if found else []

    def line_at(self, offset: int) -> int:
        """Return the number of the line with the byte at *offset*."""
        return self.data.count(b"\n", 0, offset) + 1

    def error(self, task: int, problem: str) -> FormatError:
        """Return the error for the task with the id *task*, with the line where the task begins."""
        return FormatError(self.path, self.line_at(self.at(self.tasks()[task])), problem)


def decoded(document: Document, kind: type[T]) -> T:
    """Return the data of a file as *kind*.

    Raises FormatError for anything else, with the line if it is known.
    """
    try:
        return msgspec.json.decode(document.data, type=kind)
    except RecursionError:
        problem = "expected a workflow, got lists or objects that are nested too deeply"
        raise FormatError(document.path, None, problem) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        text_of(document.path, document.data)  # the error says which byte is not text
        raise FormatError(document.path, *_explained(document, error, kind)) from error


_WORDS = {"number out of range": "expected a number between -10^308 and 10^308, got one outside"}
_STEP = re.compile(r"(\w+)|\[(\d+)\]")  # path to a value


def _explained(document: Document, error: Exception, kind: type) -> tuple[int | None, str]:
    """Return the line of an error of msgspec, and the value that was expected there."""
    problem, _, where = str(error).partition(" - at `$")
    byte = re.search(r" \(byte (\d+)\)$", problem)
    if byte:
        line = document.line_at(int(byte[1]))
        return line, f"expected JSON, got {problem[: byte.start()].rpartition(': ')[2]}"
    if "truncated" in problem:
        return document.line_at(len(document.data)), "expected JSON, got the end of the file"
    inside = where.rstrip("`").lstrip(".")
    plain = problem.replace("`", "")
    plain = plain[:1].lower() + plain[1:]
    plain = _WORDS.get(plain, plain)
    if not inside:
        start = len(document.data) - len(document.data.lstrip())
        return document.line_at(start), f"expected a workflow in WfFormat: {plain}"
    return _line_of(document, inside, kind), f"{inside}: {plain}"


def _line_of(document: Document, inside: str, kind: type) -> int | None:
    """Return the line of the value at *inside*, a path of msgspec; None if it is unknown.

    If an object has a key twice, the last value is found; the error may be in the first.
    """
    part = Raw(document.data)
    try:
        for key, place in _STEP.findall(inside):
            part = (
                msgspec.json.decode(part, type=dict[str, Raw])[key]
                if key
                else msgspec.json.decode(part, type=list[Raw])[int(place)]
            )
    except (msgspec.DecodeError, RecursionError):
        return None
    at = document.at(part)
    return None if _has_error_before(at, document.data, kind) else document.line_at(at)


def _has_error_before(at: int, data: bytes, kind: type) -> bool:
    try:
        msgspec.json.decode(memoryview(data)[:at], type=kind)
    except msgspec.ValidationError:
        return True
    except msgspec.DecodeError:
        pass  # expected: the data is cut off
    return False
