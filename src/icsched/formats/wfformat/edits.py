"""An order in a WfFormat file: the priority of each task, and no other byte, is changed."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Raw, Struct

from icsched.errors import ArgumentError
from icsched.files import Change
from icsched.formats.edits import Edit, edited
from icsched.formats.found import priorities_of
from icsched.formats.wfformat.layout import Places
from icsched.formats.wfformat.reader import Parsed
from icsched.workflow import Workflow

_LOOK_BACK = 400  # bytes: an indentation is shorter, and a file may be one long line


class _ByName(Struct, gc=False):
    name: Raw
    priority: Raw = Raw()


class _ById(Struct, gc=False):
    id: Raw
    priority: Raw = Raw()


def changes(workflow: Workflow, order: Sequence[int]) -> list[Change]:
    """Return the change that gives the first task of *order* the largest priority, the last 1.

    Raises ArgumentError if the workflow was not read from a WfFormat file.
    """
    parsed = workflow.parsed
    if not isinstance(parsed, Parsed):
        raise ArgumentError("expected a workflow that was read from a WfFormat file")
    wanted = priorities_of(workflow, order).items()
    numbers = {str(workflow.names[task]): priority for task, priority in wanted}
    places = Places(parsed.path, parsed.data)
    edits = _old_edits(places, parsed, numbers) if parsed.is_old else _edits(places, numbers)
    mark, new = parsed.mark, edited(parsed.data, edits)
    return [Change(parsed.path, mark + parsed.data, mark + new)]


def _old_edits(places: Places, parsed: Parsed, numbers: dict[str, int]) -> Iterator[Edit[bytes]]:
    for name, part in zip(parsed.names, places.tasks(), strict=True):
        task = msgspec.json.decode(part, type=_ByName)
        yield from _edit(places, task.name, task.priority, numbers[name])


def _edits(places: Places, numbers: dict[str, int]) -> Iterator[Edit[bytes]]:
    """Yield the edits of the execution; a task that is not there comes at its end."""
    left = dict(numbers)
    execution = places.execution
    has_execution = bool(execution) and bytes(execution) != b"null"
    tasks = places.list_in(execution) if has_execution else Raw()
    for part in msgspec.json.decode(tasks, type=list[Raw]) if tasks else []:
        task = msgspec.json.decode(part, type=_ById)
        name = msgspec.json.decode(task.id, type=str)
        if name in numbers:
            left.pop(name, None)
            yield from _edit(places, task.id, task.priority, numbers[name])
    if not left:
        return
    items = b",\n".join(_item(name, number) for name, number in left.items())
    if tasks:
        yield _appended(places, tasks, items)
    elif has_execution:
        yield _appended(places, execution, b'"tasks": [\n' + items + b"\n]")
    else:
        whole = b'{"tasks": [\n' + items + b"\n]}"
        if execution:
            yield places.at(execution), places.at(execution) + len(bytes(execution)), whole
        else:
            yield _appended(places, places.workflow, b'"execution": ' + whole)


def _item(name: str, number: int) -> bytes:
    return msgspec.json.format(msgspec.json.encode({"id": name, "priority": number}), indent=0)


def _appended(places: Places, part: Raw, text: bytes) -> Edit[bytes]:
    """Return the edit that puts *text* last into a list or an object."""
    whole = bytes(part)
    inside = whole[:-1].rstrip()
    at = places.at(part) + len(inside)
    return at, at, (b"" if len(inside) == 1 else b",") + b"\n" + text


def _edit(places: Places, key: Raw, old: Raw, number: int) -> Iterator[Edit[bytes]]:
    """Yield the edit that gives a task its priority, if it does not have it."""
    new = str(number).encode()
    if old:
        at, was = places.at(old), bytes(old)
        if was != new:
            yield at, at + len(was), new
        return
    start = places.at(key)
    after = start + len(bytes(key))
    yield after, after, _separator(places.data, start) + b'"priority": ' + new


def _separator(data: bytes, at: int) -> bytes:
    """Return what comes before a new key: a comma, and a line of its own where others have one."""
    before = data[max(0, at - _LOOK_BACK) : at]
    line = before[before.rfind(b"\n") + 1 :]
    indent = line[: len(line) - len(line.lstrip(b" \t"))]
    if b"\n" not in before or not line.lstrip(b" \t").startswith(b'"'):
        return b", "
    end = b"\r\n" if before[: before.rfind(b"\n")].endswith(b"\r") else b"\n"
    return b"," + end + indent
