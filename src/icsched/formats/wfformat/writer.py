"""Workflows as WfFormat 1.5, which all tools read, and orders written into WfFormat files.

An order changes the priority of each task, and no other byte.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec
from msgspec import Raw, Struct

from icsched.arrays import Rows
from icsched.errors import ArgumentError, FormatError
from icsched.files import Change
from icsched.formats.facts import Edit, edited, said, written_names
from icsched.formats.port import Writing
from icsched.formats.requests import needs_by_task
from icsched.formats.wfformat.reader import Parsed, WfformatSource
from icsched.formats.wfformat.schema import Document
from icsched.workflow import Command, Workflow

VERSION = "1.5"
_TASK_ID = re.compile(r"[0-9a-zA-Z_.#:/-]+")
_LOOK_BACK = 400  # bytes to search for an indentation; a file may be one long line
_NEVER = "1970-01-01T00:00:00+00:00"  # placeholder: the schema requires a time of execution


def is_task_id(name: str) -> bool:
    """Whether WfFormat takes *name* as the id of a task."""
    return _TASK_ID.fullmatch(name) is not None


def wfformat_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    """Return *workflow* as JSON.

    The bytes of a task's result become one file, which its children read. Raises FormatError,
    naming *path*, for a name that the schema does not take, and for text that is not UTF-8.

    >>> from icsched import Dag
    >>> text = wfformat_text(Workflow(Dag({"a": [], "b": ["a"]})), title="pair")
    >>> msgspec.json.decode(text)["workflow"]["specification"]["tasks"][1]["parents"]
    ['a']
    """
    names = written_names(workflow, path, is_task_id, "letters, digits and -_.#:/")
    content = {"specification": _specification(workflow, names)}
    execution = _execution(workflow, names)
    if execution:
        content["execution"] = execution
    whole = {"name": title or "workflow", "schemaVersion": VERSION, "workflow": content}
    try:
        data = msgspec.json.encode(whole)
    except UnicodeEncodeError as error:
        problem = f"expected text that UTF-8 can hold, got {error.object!r}"
        raise FormatError(path, None, problem) from error
    return msgspec.json.format(data, indent=1).decode() + "\n"


def _specification(workflow: Workflow, names: list[str]) -> dict[str, object]:
    parents, children = (
        _named(workflow.dag.parent_rows, names),
        _named(workflow.dag.child_rows, names),
    )
    tasks: list[dict[str, object]] = [
        {"name": name, "id": name, "parents": above, "children": below}
        for name, above, below in zip(names, parents, children, strict=True)
    ]
    sizes = dict(zip(names, said(workflow, "sizes"), strict=True))
    if all(size is None for size in sizes.values()):
        return {"tasks": tasks}
    for task, above in zip(tasks, parents, strict=True):
        task["inputFiles"] = [_output(name) for name in above if sizes[name] is not None]
        is_known = sizes[str(task["id"])] is not None
        task["outputFiles"] = [_output(str(task["id"]))] if is_known else []
    known = [(name, size) for name, size in sizes.items() if size is not None]
    files = [{"id": _output(name), "sizeInBytes": size} for name, size in known]
    return {"tasks": tasks, "files": files}


def _output(name: str) -> str:
    return f"{name}.output"


def _named(rows: Rows, names: list[str]) -> list[list[str]]:
    offsets, targets = rows.offsets.tolist(), rows.targets.tolist()
    return [[names[task] for task in targets[start:stop]] for start, stop in pairwise(offsets)]


def _execution(workflow: Workflow, names: list[str]) -> dict[str, object] | None:
    """Return the known facts of tasks, except files; None if nothing is known."""
    seconds = said(workflow, "run_times")
    columns: dict[str, list[Any]] = {
        "runtimeInSeconds": seconds,
        "priority": said(workflow, "priorities"),
        "coreCount": [needs.get("cores") for needs in needs_by_task(workflow)],
        "command": [_command(command) for command in workflow.commands or ()],
    }
    values = {key: column for key, column in columns.items() if any(v is not None for v in column)}
    if workflow.commands is None and not values:
        return None
    tasks = [
        {"id": name, **{key: row[task] for key, row in values.items() if row[task] is not None}}
        for task, name in enumerate(names)
    ]
    total = float(sum(time for time in seconds if time is not None))
    return {"makespanInSeconds": total, "executedAt": _NEVER, "tasks": tasks}


def _command(command: Command | None) -> dict[str, object] | None:
    if command is None:
        return None
    return {"program": command.program, "arguments": list(command.argv[1:])}


# An order in a file


class _ByName(Struct, gc=False):
    name: Raw
    priority: Raw = Raw()


class _ById(Struct, gc=False):
    id: Raw
    priority: Raw = Raw()


def changes(workflow: Workflow, order: Sequence[int], _options: Writing) -> list[Change]:
    """Return the change that gives the first task of *order* the largest priority, the last 1.

    Raises ArgumentError if the workflow was not read from a WfFormat file.
    """
    if not isinstance(workflow.source, WfformatSource):
        raise ArgumentError("expected a workflow that was read from a WfFormat file")
    parsed = workflow.source.parsed
    numbers = workflow.source.priorities(workflow, order)
    edits = _old_edits(parsed, numbers) if parsed.is_old else _edits(parsed, numbers)
    mark, new = parsed.mark, edited(parsed.data, edits)
    return [Change(parsed.path, mark + parsed.data, mark + new)]


def _old_edits(parsed: Parsed, numbers: dict[str, int]) -> Iterator[Edit[bytes]]:
    for name, part in zip(parsed.names, parsed.tasks(), strict=True):
        task = msgspec.json.decode(part, type=_ByName)
        yield from _edit(parsed, task.name, task.priority, numbers[name])


def _edits(document: Document, numbers: dict[str, int]) -> Iterator[Edit[bytes]]:
    """Yield the edits of the execution; tasks that are missing in it are added at its end."""
    left = dict(numbers)
    execution = document.execution
    has_execution = bool(execution) and bytes(execution) != b"null"
    tasks = document.part(execution, "tasks") if has_execution else Raw()
    for part in msgspec.json.decode(tasks, type=list[Raw]) if tasks else []:
        task = msgspec.json.decode(part, type=_ById)
        name = msgspec.json.decode(task.id, type=str)
        if name in numbers:
            left.pop(name, None)
            yield from _edit(document, task.id, task.priority, numbers[name])
    if not left:
        return
    items = b",\n".join(_executed(name, number) for name, number in left.items())
    if tasks:
        yield _appended(document, tasks, items)
    elif has_execution:
        yield _appended(document, execution, b'"tasks": [\n' + items + b"\n]")
    else:
        whole = b'{"tasks": [\n' + items + b"\n]}"
        if execution:
            yield document.at(execution), document.at(execution) + len(bytes(execution)), whole
        else:
            yield _appended(document, document.workflow, b'"execution": ' + whole)


def _executed(name: str, number: int) -> bytes:
    return msgspec.json.format(msgspec.json.encode({"id": name, "priority": number}), indent=0)


def _appended(document: Document, part: Raw, text: bytes) -> Edit[bytes]:
    """Return the edit that appends *text* to a list or an object."""
    whole = bytes(part)
    inside = whole[:-1].rstrip()
    at = document.at(part) + len(inside)
    return at, at, (b"" if len(inside) == 1 else b",") + b"\n" + text


def _edit(document: Document, key: Raw, old: Raw, number: int) -> Iterator[Edit[bytes]]:
    """Yield the edit that sets a task's priority, unless the task has this priority already."""
    new = str(number).encode()
    if old:
        at, was = document.at(old), bytes(old)
        if was != new:
            yield at, at + len(was), new
        return
    start = document.at(key)
    after = start + len(bytes(key))
    yield after, after, _separator(document.data, start) + b'"priority": ' + new


def _separator(data: bytes, at: int) -> bytes:
    """Return the text before a new key: a comma, and a line break if other keys have one."""
    before = data[max(0, at - _LOOK_BACK) : at]
    line = before[before.rfind(b"\n") + 1 :]
    indent = line[: len(line) - len(line.lstrip(b" \t"))]
    if b"\n" not in before or not line.lstrip(b" \t").startswith(b'"'):
        return b", "
    end = b"\r\n" if before[: before.rfind(b"\n")].endswith(b"\r") else b"\n"
    return b"," + end + indent
