"""`icsched convert`: write a workflow in another format."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from cyclopts import Parameter

from icsched.commands.inputs import Reading, check_output
from icsched.commands.options import (
    STANDARD_INPUT,
    STANDARD_OUTPUT,
    USUAL,
    FileOptions,
    PathName,
    names_of,
)
from icsched.commands.terminal import (
    QUIET,
    SIGNS,
    WRITTEN,
    Flag,
    Json,
    Signs,
    put,
    put_content,
    report,
)
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError
from icsched.files import encoded, would_replace, write_text
from icsched.formats import FORMATS, Format
from icsched.formats.facts import NO_RUN_TIME, NO_SIZE, Column, said
from icsched.formats.port import KEPT, WorkflowText
from icsched.formats.table import format_by_suffix
from icsched.messages import named
from icsched.words import counted, size
from icsched.workflow import Remark, Workflow

_OF_COMMANDS = {"commands", "streams", "environment", "directories"}
_UNSAFE = re.compile(r"[^0-9A-Za-z_.-]+")


@dataclass(frozen=True, eq=False)
class ConvertAnswer:
    """A workflow that was converted.

    `lost` has the words of `KEPT` for what the workflow has and the new format cannot hold.
    `renamed` has old and new names of the tasks that got another one. `unreadable` says why
    icsched could not find out what tasks run, or not write it, if the commands are lost for that
    reason.
    """

    file: str
    output: str
    from_format: str
    to_format: str
    tasks: int
    arcs: int
    lost: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    remarks: tuple[Remark, ...]
    text: str
    unreadable: str | None = None


def convert_answer(
    file: str,
    output: str,
    to: str | None,
    *,
    reading: Reading,
    force: bool = False,
    signs: Signs = QUIET,
) -> ConvertAnswer:
    """Read a workflow, and return it in the format called *to* or of *output*'s suffix.

    Nothing is written. Raises ArgumentError for an unknown format or if *output* is a file of the
    workflow, FormatError for a file that cannot be read or a workflow that cannot be written, and
    for an *output* that is there already, unless *force* is set.
    """
    chosen = _format(output, to)
    if chosen.text is None:
        raise chosen.cannot("text", output)
    workflow = reading.read([file], signs=signs)
    check_output(workflow, output)
    if not force and would_replace(output):
        raise FormatError(output, None, "file exists: --force replaces it")
    workflow, unreadable = _with_known_commands(workflow, chosen)
    known = _known(workflow)
    named, renamed = _renamed(workflow, chosen.takes_name)
    text, named, unwritable = _written(named, chosen.text, output)
    keeps = chosen.keeps if unwritable is None else chosen.keeps - _OF_COMMANDS
    return ConvertAnswer(
        file,
        output,
        workflow.format,
        chosen.name,
        len(workflow.whole),
        workflow.whole.arc_count,
        tuple(
            w for w in KEPT if (w in known and w not in keeps) or (w == "commands" and unreadable)
        ),
        renamed,
        _remarks(named, chosen, output),
        text,
        unreadable or unwritable,
    )


def _format(output: str, to: str | None) -> Format:
    if to is not None:
        return FORMATS.find(to, asked_by="--to")
    chosen = format_by_suffix(output)
    if chosen is None:
        raise ArgumentError(f"{output}: no format has this suffix: name one by --to")
    return chosen


def _remarks(workflow: Workflow, chosen: Format, output: str) -> tuple[Remark, ...]:
    """Return the remarks of the reader, and on tasks without commands.

    What the reader fills in is not written, so the remarks on that are left out.
    """
    read = [remark for remark in workflow.remarks if remark.text not in (NO_RUN_TIME, NO_SIZE)]
    return (*read, *_idle(workflow, chosen, output), *_placeholder(workflow, chosen, output))


def _placeholder(workflow: Workflow, chosen: Format, output: str) -> list[Remark]:
    """Return a remark on the file that all tasks run, if the format needs one."""
    if not (chosen.placeholder and len(workflow.whole)) or workflow.find_commands is not None:
        return []
    told = f"no commands are known: every task runs {chosen.placeholder}, which is yours to write"
    return [Remark(output, 0, told, 1)]


def _idle(workflow: Workflow, chosen: Format, output: str) -> list[Remark]:
    """Return a remark on tasks that are done, but will run, if only to do nothing."""
    if "done" in chosen.keeps or "commands" not in chosen.keeps or workflow.all_commands is None:
        return []
    pairs = zip(workflow.done.tolist(), workflow.all_commands, strict=True)
    count = sum(is_done and command is None for is_done, command in pairs)
    return [Remark(output, 0, "tasks that are done have no command", count)] if count else []


def _written(
    workflow: Workflow, text: WorkflowText, output: str
) -> tuple[str, Workflow, str | None]:
    """Return the text and what is in it, without commands if one cannot be written; and why."""
    try:
        found = text(workflow, path=output)
        encoded(output, found)
    except FormatError as error:
        if workflow.find_commands is None:
            raise
        bare = replace(workflow, find_commands=None)
        return text(bare, path=output), bare, error.problem
    return found, workflow, None


def _with_known_commands(workflow: Workflow, chosen: Format) -> tuple[Workflow, str | None]:
    """Return the workflow without commands, and why, if they are wanted but cannot be found out."""
    if "commands" not in chosen.keeps:
        return workflow, None
    try:
        _ = workflow.all_commands
    except FormatError as error:
        return replace(workflow, find_commands=None), str(error)
    return workflow, None


def _known(workflow: Workflow) -> list[str]:
    """Return the words of `KEPT` for what is known of the workflow."""
    columns: tuple[Column, ...] = ("run_times", "sizes", "priorities")
    has = {
        "done": bool(workflow.done.any()),
        "commands": workflow.find_commands is not None,
        **{name: any(value is not None for value in said(workflow, name)) for name in columns},
        **_kinds_of_commands(workflow),
    }
    return [word for word in KEPT if has[word]]


def _kinds_of_commands(workflow: Workflow) -> dict[str, bool]:
    """Return whether commands have files for their streams, directories or an environment."""
    try:
        commands = [command for command in workflow.all_commands or () if command]
    except FormatError:  # the new format holds no commands
        commands = []
    return {
        "streams": any((one.stdin, one.stdout, one.stderr) != (None,) * 3 for one in commands),
        "environment": any(one.environment for one in commands),
        "directories": any(one.directory is not None for one in commands),
    }


# Names that the new format can hold


def _renamed(
    workflow: Workflow, takes_name: Callable[[str], bool] | None
) -> tuple[Workflow, tuple[tuple[str, str], ...]]:
    """Return the workflow with names that the format takes, and the pairs of old and new names."""
    names = [str(name) for name in workflow.names]
    if takes_name is None or all(map(takes_name, names)):
        return workflow, ()
    safe = safe_names(names, takes_name)
    whole = Dag.from_arcs(len(names), workflow.whole.arcs, names=safe)
    changed = tuple(pair for pair in zip(names, safe, strict=True) if pair[0] != pair[1])
    return replace(workflow, whole=whole), changed


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
        safe.append(name if keep else _fresh(_candidates(name, number), takes_name, taken, counts))
    return safe


def _candidates(name: str, number: int) -> list[str]:
    plain = _UNSAFE.sub("_", name)
    bare = plain if plain.strip("_") else ""
    return [word for word in (bare, f"task_{bare}" if bare else "", f"task_{number}") if word]


def _fresh(
    candidates: Iterable[str],
    takes_name: Callable[[str], bool],
    taken: set[str],
    counts: dict[str, int],
) -> str:
    """Return the first candidate that the format takes, with a number if it is taken."""
    name = base = next((word for word in candidates if takes_name(word)), "task")
    while name in taken:
        counts[base] = counts.get(base, 1) + 1
        name = f"{base}_{counts[base]}"
    taken.add(name)
    return name


_MOST_NAMES = 5  # that are shown; --json has all


def text(found: ConvertAnswer) -> str:
    """Return what was written, and what was not, one sentence on each line."""
    return "".join(f"{line}\n" for line in _lines(found))


def _lines(found: ConvertAnswer) -> Iterator[str]:
    pair = f"{found.from_format} to {found.to_format}"
    what = f"{size(found.tasks, found.arcs)}, {pair}"
    yield f"{named(found.output)}: {what}"
    for word in found.lost:
        reason = f": {found.unreadable}" if word == "commands" and found.unreadable else ""
        held = "" if reason else f", which format {found.to_format} cannot hold"
        yield f"not kept: {KEPT[word]}{held}{reason}"
    if found.renamed:
        yield from _renamed_tasks(found)
    for remark in found.remarks:
        place = f"{remark.path}:{remark.line}" if remark.line else remark.path
        more = f" ({remark.count:,} times)" if remark.count > 1 else ""
        yield f"{place}: {remark.text}{more}"


def _renamed_tasks(found: ConvertAnswer) -> Iterator[str]:
    names = counted(len(found.renamed), "name")
    yield f"{names} changed, because format {found.to_format} cannot hold them:"
    for old, new in found.renamed[:_MOST_NAMES]:
        yield f"  {named(repr(old))} -> {named(new)}"
    if len(found.renamed) > _MOST_NAMES:
        yield "  ... (--json lists all)"


def keys(found: ConvertAnswer) -> dict[str, object]:
    """Return the answer for JSON."""
    return {
        "file": found.file,
        "output": found.output,
        "from": found.from_format,
        "to": found.to_format,
        "tasks": found.tasks,
        "arcs": found.arcs,
        "lost": list(found.lost),
        "commands_unreadable": found.unreadable,
        "renamed": dict(found.renamed),
        "remarks": [
            {"path": one.path, "line": one.line, "text": one.text, "count": one.count}
            for one in found.remarks
        ],
    }


FormatWord = Annotated[str | None, Parameter(completer=names_of(FORMATS))]


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
    found = convert_answer(
        file, name, to, reading=Reading(reading, format_), force=force or is_stream, signs=SIGNS
    )
    if is_stream:
        put_content(encoded("standard output", found.text))
        report(replace(found, output="standard output"), text, stream=sys.stderr)
        return
    write_text(output, found.text)
    put(found, text, keys, as_json=json_)
