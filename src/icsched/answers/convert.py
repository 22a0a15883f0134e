"""A workflow in another format: what is written, what cannot be kept, and new names."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from icsched.answers.reading import Reading, check_output
from icsched.answers.signs import QUIET, Signs
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError
from icsched.files import encoded, would_replace
from icsched.formats import FORMATS, Format
from icsched.formats.entry import KEPT, WorkflowText
from icsched.formats.known import NO_RUN_TIME, NO_SIZE
from icsched.formats.stated import Column, said
from icsched.formats.table import format_by_suffix
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
