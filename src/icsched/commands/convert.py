"""`icsched convert`: write a workflow in another format."""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from icsched.commands.inputs import USUAL, FileOptions, check_output
from icsched.commands.options import WRITTEN, Flag, Json, PathName, known_in, names_of
from icsched.commands.terminal import STANDARD_INPUT, STANDARD_OUTPUT, put, put_content, report
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError
from icsched.files import encoded, would_replace, write_text
from icsched.formats import FORMATS, Format
from icsched.formats.facts import NO_RUN_TIME, NO_SIZE, Column, said
from icsched.formats.port import KEPT, WorkflowText
from icsched.formats.table import format_by_suffix
from icsched.frames import NOT_IN_JSON, json_by
from icsched.messages import counted, named, size
from icsched.workflow import Remark, Workflow, WorkflowSource

_OF_COMMANDS = {"commands", "streams", "environment", "directories"}
# Words of `KEPT` for needs.
_NEEDS = {"cores": "cores", "memory_bytes": "memory", "disk_bytes": "disk", "gpus": "gpus"}
_OTHERS = "resources"
_UNSAFE = re.compile(r"[^0-9A-Za-z_.-]+")
_MOST_NAMES = 5  # that are shown; --json has all


@dataclass(frozen=True)
class ConvertAnswer:
    """A workflow that was converted.

    `lost` has the words of `KEPT` for what the workflow has and the new format cannot hold.
    `left_out` has what icsched converts to no format, in the words of the old one, such as RETRY.
    `commands_unreadable` says why icsched could not find out what tasks run, or not write it, if
    the commands are lost for that reason. `renamed` has old and new names of the tasks that got
    another one.
    """

    file: str
    output: str
    from_: str
    to: str
    tasks: int
    arcs: int
    lost: tuple[str, ...]
    left_out: tuple[str, ...]
    commands_unreadable: str | None
    renamed: tuple[tuple[str, str], ...] = field(metadata=json_by(dict))
    remarks: tuple[Remark, ...]
    text: str = field(metadata=NOT_IN_JSON)


def convert_answer(
    file: str,
    output: str,
    to: str | None,
    from_: str | None,
    reading: FileOptions = USUAL,
    *,
    force: bool = False,
) -> ConvertAnswer:
    """Read a workflow, and return it in the format called *to* or of *output*'s suffix.

    Nothing is written. Raises ArgumentError for an unknown format or if *output* is a file of the
    workflow, FormatError for a file that cannot be read or a workflow that cannot be written, and
    for an *output* that is there already, unless *force* is set.
    """
    chosen = format_by_suffix(output) if to is None else FORMATS.find(to)
    if chosen is None:
        raise ArgumentError(f"{output}: no format has this suffix: name one by --to")
    if chosen.text is None:
        raise chosen.cannot("text", output)
    workflow = reading.read([file], format_=from_)
    check_output(workflow, output)
    if would_replace(output) and not force:
        raise FormatError(output, None, "file exists: --force replaces it")
    return _converted(workflow, file, output, chosen)


def _converted(workflow: Workflow, file: str, output: str, chosen: Format) -> ConvertAnswer:
    """Return the workflow in a format; raises FormatError if it cannot be written."""
    left_out = tuple(workflow.source.left_out())
    has, problem = _contents(workflow)
    if "commands" not in chosen.keeps:
        problem = None
    elif problem is not None:
        workflow = replace(workflow, source=WorkflowSource())
    workflow, renamed = _renamed(workflow, chosen.takes_name)
    assert chosen.text is not None  # noqa: S101  `convert_answer` has checked it
    text, workflow, unwritable = _written(workflow, chosen.text, output)
    problem = problem or unwritable
    keeps = chosen.keeps if problem is None else chosen.keeps - _OF_COMMANDS
    return ConvertAnswer(
        file=file,
        output=output,
        from_=workflow.format,
        to=chosen.name,
        tasks=len(workflow.dag),
        arcs=workflow.dag.arc_count,
        lost=tuple(word for word in KEPT if has[word] and word not in keeps),
        left_out=left_out,
        commands_unreadable=problem,
        renamed=renamed,
        remarks=_remarks(workflow, chosen, output),
        text=text,
    )


def _contents(workflow: Workflow) -> tuple[dict[str, bool], str | None]:
    """Return which words of `KEPT` a workflow has, and why its commands cannot be found out."""
    problem = None
    try:
        commands = [command for command in workflow.commands or () if command]
    except FormatError as error:
        commands, problem = [], str(error)
    columns: tuple[Column, ...] = ("run_times", "sizes", "priorities")
    has = {
        "done": bool(workflow.done.any()),
        "commands": workflow.source.has_commands,
        "streams": any((one.stdin, one.stdout, one.stderr) != (None,) * 3 for one in commands),
        "environment": any(one.environment for one in commands),
        "directories": any(one.directory is not None for one in commands),
    }
    for name in columns:
        has[name] = any(value is not None for value in said(workflow, name))
    has |= dict.fromkeys([*_NEEDS.values(), _OTHERS], False)
    for resource, amounts in workflow.needs.items():
        has[_NEEDS.get(resource, _OTHERS)] |= not np.isnan(amounts).all()
    return has, problem


def _written(
    workflow: Workflow, text: WorkflowText, output: str
) -> tuple[str, Workflow, str | None]:
    """Return the text and what is in it, without commands if one cannot be written; and why."""
    try:
        found = text(workflow, path=output)
        encoded(output, found)
    except FormatError as error:
        if not workflow.source.has_commands:
            raise
        bare = replace(workflow, source=WorkflowSource())
        return text(bare, path=output), bare, error.problem
    return found, workflow, None


def _remarks(workflow: Workflow, chosen: Format, output: str) -> tuple[Remark, ...]:
    """Return the remarks of the reader, and on tasks without commands.

    What the reader fills in is not written, so the remarks on that are left out.
    """
    found = [remark for remark in workflow.remarks if remark.text not in (NO_RUN_TIME, NO_SIZE)]
    found += [hidden.remark for hidden in workflow.hidden_needs]
    if "done" not in chosen.keeps and "commands" in chosen.keeps and workflow.commands:
        pairs = zip(workflow.done.tolist(), workflow.commands, strict=True)
        idle = sum(is_done and command is None for is_done, command in pairs)
        if idle:  # they will run, if only to do nothing
            found.append(Remark(output, 0, "tasks that are done have no command", idle))
    if chosen.placeholder and len(workflow.dag) and not workflow.source.has_commands:
        runs = f"every task runs {chosen.placeholder}, which is yours to write"
        found.append(Remark(output, 0, f"no commands are known: {runs}", 1))
    return tuple(found)


# Names that the new format can hold


def _renamed(
    workflow: Workflow, takes_name: Callable[[str], bool] | None
) -> tuple[Workflow, tuple[tuple[str, str], ...]]:
    """Return the workflow with names that the format takes, and the pairs of old and new names."""
    names = [str(name) for name in workflow.names]
    if takes_name is None or all(map(takes_name, names)):
        return workflow, ()
    safe = safe_names(names, takes_name)
    dag = Dag.from_arcs(len(names), workflow.dag.arcs, names=safe)
    changed = tuple(pair for pair in zip(names, safe, strict=True) if pair[0] != pair[1])
    return replace(workflow, dag=dag), changed


def safe_names(names: Sequence[str], takes_name: Callable[[str], bool]) -> list[str]:
    """Return *names* with a new one for each that *takes_name* refuses; no two are the same.

    >>> safe_names(["a b", "a_b", "a+b", "+"], str.isidentifier)
    ['a_b_2', 'a_b', 'a_b_3', 'task_4']
    """
    is_kept = [takes_name(name) for name in names]
    taken = {name for name, keep in zip(names, is_kept, strict=True) if keep}
    counts: dict[str, int] = {}
    safe = []
    for number, (name, keep) in enumerate(zip(names, is_kept, strict=True), 1):
        if keep:
            safe.append(name)
            continue
        bare = _UNSAFE.sub("_", name)
        likes = [bare, f"task_{bare}"] if bare.strip("_") else []
        base = next((word for word in [*likes, f"task_{number}"] if takes_name(word)), "task")
        fresh = base
        while fresh in taken:
            counts[base] = counts.get(base, 1) + 1
            fresh = f"{base}_{counts[base]}"
        taken.add(fresh)
        safe.append(fresh)
    return safe


def text(found: ConvertAnswer) -> str:
    """Return what was written, and what was not, one sentence on each line."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: ConvertAnswer) -> Iterator[str]:
    head = f"{size(found.tasks, found.arcs)}, {found.from_} to {found.to}"
    yield f"{named(found.output)}: {head}"
    for word in found.lost:
        why = f", which format {found.to} cannot hold"
        if word == "commands" and found.commands_unreadable:
            why = f" of all tasks, because of this: {found.commands_unreadable}"
        yield f"not kept: {KEPT[word]}{why}"
    if found.left_out:
        yield f"not kept: {', '.join(found.left_out)}, which icsched does not convert"
    if found.renamed:
        names = counted(len(found.renamed), "name")
        yield f"{names} changed, because format {found.to} cannot hold them:"
    for old, new in found.renamed[:_MOST_NAMES]:
        yield f"  {named(repr(old))} -> {named(new)}"
    if len(found.renamed) > _MOST_NAMES:
        yield "  ... (--json lists all)"
    for remark in found.remarks:
        place = f"{remark.path}:{remark.line}" if remark.line else remark.path
        more = f" ({remark.count:,} times)" if remark.count > 1 else ""
        yield f"{place}: {remark.text}{more}"


FormatWord = Annotated[
    str | None, Parameter(completer=names_of(FORMATS), validator=known_in(FORMATS))
]


def convert(
    file: PathName,
    output: Annotated[PathName, WRITTEN],
    /,
    *,
    format_: Annotated[FormatWord, Parameter(name="--format")] = None,
    to: FormatWord = None,
    force: Flag = False,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Write a workflow in another format, and say what that format cannot hold.

    Parameters
    ----------
    file
        Workflow file; - for standard input.
    output
        File to write; - for standard output, with --to.
    format_
        Format of FILE; by default its suffix decides.
    to
        Format of OUTPUT; by default its suffix decides.
    force
        Replace OUTPUT if there is a file of that name.
    json_
        Print one JSON object instead of a report.

    """
    is_stream = output in (STANDARD_INPUT, STANDARD_OUTPUT)  # a lone hyphen is either
    if is_stream and (to is None or json_):
        raise ArgumentError("- as OUTPUT needs --to, and cannot be used with --json")
    name = STANDARD_OUTPUT if is_stream else output
    found = convert_answer(file, name, to, format_, reading, force=force or is_stream)
    if is_stream:
        put_content(encoded("standard output", found.text))
        report(replace(found, output="standard output"), text, stream=sys.stderr)
        return
    write_text(output, found.text)
    put(found, text, as_json=json_)
