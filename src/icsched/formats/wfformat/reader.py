"""WfFormat files as workflows."""

import math
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids, Sizes, expected_time, wrong_times
from icsched.errors import FormatError
from icsched.files import read_bytes
from icsched.formats.draft import arcs_by_files, dag_of
from icsched.formats.facts import (
    MOST_BYTES,
    WHOLE,
    Number,
    Remarks,
    is_priority,
    known_seconds,
    or_nan,
    or_zero,
    output_sizes,
    with_means,
)
from icsched.formats.port import NoOptions
from icsched.formats.requests import COUNT
from icsched.formats.wfformat import schema
from icsched.formats.wfformat.schema import Document, decoded
from icsched.workflow import Command, Workflow, WorkflowSource

NEWEST = (1, 6)
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})")


@dataclass(frozen=True, eq=False)
class Parsed(Document):
    """A file, and the names of its tasks in the order of the file."""

    names: Sequence[str]
    is_old: bool


@dataclass
class _Columns:
    """The facts of a file of either layout; one entry for each task."""

    names: list[str]
    titles: list[str]
    parents: list[list[str]]
    children: list[list[str]]
    inputs: Iterable[Sequence[str]]
    outputs: Iterable[Sequence[str]]
    file_sizes: dict[str, Number]
    seconds: Floats  # NaN if unknown
    priorities: list[Number]
    cores: Floats  # NaN if unknown
    other_ids: list[str | None] = field(default_factory=list)  # of old layouts
    strangers: int = 0  # tasks of the execution that are not in the specification
    repeated: int = 0  # repeated tasks of the execution


def read_wfformat(paths: Sequence[str], options: NoOptions) -> Workflow[str]:  # noqa: ARG001  no options
    """Return the workflow in a file; raises FormatError if it is not WfFormat or has a cycle."""
    (path,) = paths
    raw = read_bytes(path)
    data = raw.removeprefix(BOM_UTF8)
    document = Document(path, data, raw[: len(raw) - len(data)])
    instance = decoded(document, schema.Instance)
    content, remarks = instance.workflow, Remarks(path)
    _note_version(instance.schema_version, remarks)
    old = content.tasks if content.tasks is not None else content.jobs
    if content.specification is not None:
        columns = _new_columns(content.specification, content.execution)
    elif old is not None:
        columns = _old_columns(old)
    else:
        expected = "expected workflow.specification.tasks or workflow.tasks, got neither"
        raise FormatError(path, None, expected)
    parsed = Parsed(path, data, document.mark, columns.names, content.specification is None)
    return _workflow(columns, parsed, remarks)


# The two layouts


def _new_columns(
    specification: schema.Specification, execution: schema.Execution | None
) -> _Columns:
    tasks = specification.tasks
    names = [task.id for task in tasks]
    measured = execution.tasks if execution else []
    rows = _rows(names, measured)
    known = rows[rows >= 0]
    priorities: list[Number] = [None] * len(names)
    for row, task in zip(rows.tolist(), measured, strict=True):
        if row >= 0:
            priorities[row] = task.priority
    return _Columns(
        names=names,
        titles=[task.name for task in tasks],
        parents=[task.parents for task in tasks],
        children=[task.children for task in tasks],
        inputs=map(attrgetter("input_files"), tasks),
        outputs=[task.output_files for task in tasks],
        file_sizes={file.id: file.size_in_bytes for file in specification.files},
        seconds=_spread(rows, (task.runtime_in_seconds for task in measured), len(names)),
        priorities=priorities,
        cores=_spread(rows, (task.core_count for task in measured), len(names)),
        strangers=len(rows) - len(known),
        repeated=len(known) - len(np.unique(known)),
    )


def _rows(names: list[str], measured: Sequence[schema.Executed]) -> Ids:
    """Return the task of each measurement, -1 for an unknown task."""
    ids = [task.id for task in measured]
    if ids == names:
        return np.arange(len(names), dtype=np.int32)
    known = {name: row for row, name in enumerate(names)}
    return np.fromiter((known.get(name, -1) for name in ids), np.int32, len(ids))


def _spread(rows: Ids, values: Iterable[float | None], tasks: int) -> Floats:
    """Return the values by task; NaN for a task without a value."""
    given = np.fromiter((math.nan if v is None else v for v in values), np.float64, len(rows))
    spread = np.full(tasks + 1, np.nan)  # the last entry is for values of unknown tasks
    spread[rows] = given
    return spread[:tasks]


def _old_columns(tasks: Sequence[schema.OldTask]) -> _Columns:
    names = [task.name for task in tasks]
    ids = [task.id for task in tasks]
    if len(set(names)) < len(names) and None not in ids and len(set(ids)) == len(ids):
        names, ids = [str(task.id) for task in tasks], [*names]
    every = np.arange(len(tasks), dtype=np.int32)
    files: dict[str, Number] = {}
    for file in chain.from_iterable(task.files for task in tasks):
        files[_file(file)] = files.get(_file(file)) if _size(file) is None else _size(file)
    return _Columns(
        names=names,
        titles=[task.name for task in tasks],
        parents=[task.parents for task in tasks],
        children=[task.children for task in tasks],
        inputs=[_files(task, is_input=True) for task in tasks],
        outputs=[_files(task, is_input=False) for task in tasks],
        file_sizes=files,
        seconds=_spread(every, map(_seconds, tasks), len(tasks)),
        priorities=[task.priority for task in tasks],
        cores=_spread(every, (task.cores for task in tasks), len(tasks)),
        other_ids=ids,
    )


def _file(file: schema.OldFile) -> str:
    return file.path + file.name


def _size(file: schema.OldFile) -> Number:
    return file.size if file.size_in_bytes is None else file.size_in_bytes


def _files(task: schema.OldTask, *, is_input: bool) -> list[str]:
    return [_file(file) for file in task.files if (file.link.lower() == "input") == is_input]


def _seconds(task: schema.OldTask) -> float | None:
    return task.runtime if task.runtime_in_seconds is None else task.runtime_in_seconds


# From columns to a workflow


def _workflow(columns: _Columns, parsed: Parsed, remarks: Remarks) -> Workflow[str]:
    arcs, tellers = _arcs(columns, parsed, remarks)
    dag = dag_of(columns.names, arcs, lambda arc, told: parsed.error(int(tellers[arc]), told))
    remarks.add("tasks of the execution that the specification does not have", columns.strangers)
    remarks.add("tasks that the execution has again: the last one counts", columns.repeated)
    remarks.add(
        "tasks that use several cores: icsched counts each task as one",
        int((columns.cores > 1).sum()),
    )
    sizes = _sizes(columns, remarks)
    _check_numbers(columns, parsed)
    is_known = not np.isnan(columns.cores).all()
    done, priorities = np.zeros(len(dag), bool), or_nan(columns.priorities)
    seconds = known_seconds(columns.seconds, done, remarks)
    titles = [title or name for title, name in zip(columns.titles, columns.names, strict=True)]
    workflow = Workflow(
        dag,
        done,
        seconds,
        sizes,
        remarks=remarks.tuple(),
        files=(parsed.path,),
        format="wfformat",
        source=WfformatSource(parsed, titles),
        priorities=or_zero(priorities, np.int32),
        stated={"run_times": columns.seconds, "priorities": priorities},
        needs={"cores": columns.cores} if is_known else {},
    )
    return with_means(workflow)


def _arcs(columns: _Columns, parsed: Parsed, remarks: Remarks) -> tuple[NDArray[np.int32], Ids]:
    """Return the arcs, and for each arc the task whose part of the file has it.

    Raises FormatError for a name that occurs twice or is missing.
    """
    names = columns.names
    ids = {name: task for task, name in enumerate(names)}
    if len(ids) < len(names):
        twice = next(name for task, name in enumerate(names) if ids[name] > task)
        raise parsed.error(ids[twice], f"expected each task once, got {twice!r} twice")
    if "" in ids:
        raise parsed.error(ids[""], "expected a word as id of the task, got ''")
    for task, other in enumerate(columns.other_ids):  # old files name parents by id or by name
        if other is not None:
            ids.setdefault(other, task)
    parents, heirs = _ends(columns.parents, ids, parsed, "parent")
    children, heads = _ends(columns.children, ids, parsed, "child")
    if not len(parents) and not len(children):
        arcs = arcs_by_files(columns.inputs, columns.outputs, remarks)
        return arcs, arcs[:, 1]
    ends = [np.concatenate([parents, heads]), np.concatenate([heirs, children])]
    return np.column_stack(ends), np.concatenate([heirs, heads])


def _ends(rows: list[list[str]], ids: dict[str, int], parsed: Parsed, what: str) -> tuple[Ids, Ids]:
    """Return the ids of the tasks named in the rows, and for each the task that has the row."""
    counts = np.fromiter(map(len, rows), np.int64, len(rows))
    found = list(map(ids.get, chain.from_iterable(rows)))
    owners = np.repeat(np.arange(len(rows), dtype=np.int32), counts)
    if None in found:
        task = int(owners[found.index(None)])
        name = next(name for name in rows[task] if name not in ids)
        problem = f"expected a task as {what}, got {name!r}, which the file does not have"
        raise parsed.error(task, problem)
    return np.array(found, np.int32), owners


def _check_numbers(columns: _Columns, parsed: Parsed) -> None:
    """Raise FormatError for a priority, cores or a run time that icsched does not take."""
    for task, value in enumerate(columns.priorities):
        if value is not None and not is_priority(value):
            problem = f"priority of {columns.names[task]!r}: expected {WHOLE}, got {value!r}"
            raise parsed.error(task, problem)
    for task in np.flatnonzero(columns.cores < 0).tolist():
        got = f"{float(columns.cores[task]):g}"
        problem = f"cores of {columns.names[task]!r}: expected {COUNT}, got {got}"
        raise parsed.error(task, problem)
    for task in wrong_times(np.nan_to_num(columns.seconds)).tolist():
        seconds = float(columns.seconds[task])
        expected = f"expected {expected_time(seconds)}, got {seconds:g}"
        raise parsed.error(task, f"run time of {columns.names[task]!r}: {expected}")


def _sizes(columns: _Columns, remarks: Remarks) -> Sizes | None:
    """Return the bytes that each task writes; None if the file gives no sizes."""
    known = {name: size for name, size in columns.file_sizes.items() if size is not None}
    for name, size in known.items():
        if not 0 <= size < MOST_BYTES:
            problem = f"size of file {name!r}: expected 0 to {MOST_BYTES - 1:,} bytes, got {size}"
            raise FormatError(remarks.path, None, problem)
    return output_sizes([[known.get(name) for name in row] for row in columns.outputs], remarks)


# Commands


@dataclass(eq=False)
class WfformatSource(WorkflowSource):
    """A file of WfFormat, and the titles of its tasks."""

    parsed: Parsed
    titles: Sequence[str]

    @cached_property
    def has_commands(self) -> bool:  # type: ignore[override]
        """Whether the file says what tasks run."""
        word = b'"arguments"' if self.parsed.is_old else b'"command"'
        return word in self.parsed.data or b'"command"' in self.parsed.data

    def descriptions(self) -> Sequence[str]:
        """Return the title of each task."""
        return self.titles

    def commands(self) -> list[Command | None]:
        """Return what each task runs."""
        return _commands(self.parsed)

    def outputs(self) -> list[list[str]]:
        """Return the files that each task writes."""
        return _outputs(self.parsed)


def _commands(parsed: Parsed) -> list[Command | None]:
    """Return the command of each task; the file is decoded again for this."""
    content = decoded(parsed, schema.Commands).workflow
    if parsed.is_old:
        listed = content.tasks if content.tasks is not None else content.jobs or []
        return [_command(one) for one in listed]
    executed = content.execution.tasks if content.execution else []
    by_name = {one.id: _command(one) for one in executed}
    return [by_name.get(name) for name in parsed.names]


def _outputs(parsed: Parsed) -> list[list[str]]:
    """Return the files that each task writes; the file is decoded again for this."""
    content = decoded(parsed, schema.Instance).workflow
    if content.specification is not None:
        return [task.output_files for task in content.specification.tasks]
    old = content.tasks if content.tasks is not None else content.jobs or []
    return [_files(task, is_input=False) for task in old]


def _command(one: schema.CommandOf) -> Command | None:
    """Return a command; versions 1.0 and 1.1 have the program only in the name of the task."""
    if one.command is not None and one.command.program:
        return Command((one.command.program, *one.command.arguments))
    if one.command is None and one.arguments:
        program = one.name.split("_ID" if "_ID" in one.name else "_")[0]
        return Command((program, *one.arguments)) if program else None
    return None


def _note_version(version: str, remarks: Remarks) -> None:
    """Remark on a version that icsched does not know."""
    match = _VERSION.match(version)
    newest = ".".join(map(str, NEWEST))
    if match is None:
        remarks.add(f"no version of WfFormat: icsched reads it as up to {newest}", 1)
    elif (int(match[1]), int(match[2])) > NEWEST:
        remarks.add(f"version {match[0]} of WfFormat is newer than {newest}, the last known", 1)
