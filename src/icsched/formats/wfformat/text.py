"""A workflow as the text of a WfFormat file of version 1.5, which all tools for WfFormat read."""

import re
from itertools import pairwise
from typing import Any

import msgspec

from icsched.arrays import Rows
from icsched.errors import FormatError
from icsched.formats.found import written_names
from icsched.formats.stated import said
from icsched.workflow import Command, Workflow

VERSION = "1.5"
_TASK_ID = re.compile(r"[0-9a-zA-Z_.#:/-]+")
_NEVER = "1970-01-01T00:00:00+00:00"  # the schema wants a time of execution


def is_task_id(name: str) -> bool:
    """Whether WfFormat takes *name* as the id of a task."""
    return _TASK_ID.fullmatch(name) is not None


def wfformat_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    """Return *workflow* as JSON.

    The bytes of a task's result become one file, which its children read. Raises FormatError,
    naming *path*, for a name that the schema does not take, and for text that is not UTF-8.

    >>> from icsched import Dag
    >>> text = wfformat_text(Workflow.bare(Dag({"a": [], "b": ["a"]})), title="pair")
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
        _named(workflow.whole.parent_rows, names),
        _named(workflow.whole.child_rows, names),
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
    """Return what is known of the tasks beside files; None if nothing is."""
    seconds = said(workflow, "run_times")
    columns: dict[str, list[Any]] = {
        "runtimeInSeconds": seconds,
        "priority": said(workflow, "priorities"),
        "command": [_command(command) for command in workflow.all_commands or ()],
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
