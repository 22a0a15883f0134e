"""A workflow as the text of a WfFormat file of version 1.5, which all tools for WfFormat read."""

import re
from itertools import pairwise

import msgspec

from icsched.arrays import Rows
from icsched.commands import Command
from icsched.formats.found import written_names
from icsched.workflow import Workflow

VERSION = "1.5"
_TASK_ID = re.compile(r"[0-9a-zA-Z_.#:/-]+")
_NEVER = "1970-01-01T00:00:00+00:00"  # the schema wants a time of execution


def is_task_id(name: str) -> bool:
    """Whether WfFormat takes *name* as the id of a task."""
    return _TASK_ID.fullmatch(name) is not None


def wfformat_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    """Return *workflow* as JSON.

    The bytes of a task's result become one file, which its children read. Raises FormatError,
    naming *path*, for a name that the schema does not take.

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
    return msgspec.json.format(msgspec.json.encode(whole), indent=1).decode() + "\n"


def _specification(workflow: Workflow, names: list[str]) -> dict[str, object]:
    parents, children = (
        _named(workflow.whole.parent_rows, names),
        _named(workflow.whole.child_rows, names),
    )
    tasks: list[dict[str, object]] = [
        {"name": name, "id": name, "parents": above, "children": below}
        for name, above, below in zip(names, parents, children, strict=True)
    ]
    if workflow.sizes is None:
        return {"tasks": tasks}
    sizes = dict(zip(names, workflow.spread(workflow.sizes.tolist()), strict=True))
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
    columns = {
        "runtimeInSeconds": workflow.run_times,
        "priority": workflow.priorities,
    }
    values = {key: column.tolist() for key, column in columns.items() if column is not None}
    if workflow.commands is not None:
        values["command"] = [_command(command) for command in workflow.commands]
    if not values:
        return None
    spread = {key: workflow.spread(column) for key, column in values.items()}
    tasks = [
        {"id": name, **{key: row[task] for key, row in spread.items() if row[task] is not None}}
        for task, name in enumerate(names)
    ]
    total = float(workflow.run_times.sum()) if workflow.run_times is not None else 0.0
    return {"makespanInSeconds": total, "executedAt": _NEVER, "tasks": tasks}


def _command(command: Command | None) -> dict[str, object] | None:
    if command is None:
        return None
    return {"program": command.program, "arguments": list(command.argv[1:])}
