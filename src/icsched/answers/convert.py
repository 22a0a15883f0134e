"""A workflow in another format: what is written, what cannot be kept, and new names."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from icsched.answers.reading import Reading, check_not_own
from icsched.answers.signs import QUIET, Signs
from icsched.dag import Dag
from icsched.errors import FormatError
from icsched.formats import Format, format_of
from icsched.formats.entry import KEPT
from icsched.workflow import Remark, Workflow

_UNSAFE = re.compile(r"[^0-9A-Za-z_.-]+")


@dataclass(frozen=True, eq=False)
class ConvertAnswer:
    """A workflow that was converted.

    `lost` has the words of `KEPT` for what the workflow has and the new format cannot hold.
    `renamed` has old and new names of the tasks that got another one. `unreadable` says why
    icsched could not find out what tasks run, if the commands are lost for that reason.
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
    file: str, output: str, to: str | None, *, reading: Reading, signs: Signs = QUIET
) -> ConvertAnswer:
    """Read a workflow, and return it in the format called *to* or of *output*'s suffix.

    Nothing is written. Raises ArgumentError for an unknown format or if *output* is a file of the
    workflow, FormatError for a file that cannot be read or a workflow that cannot be written.
    """
    chosen = format_of(output, to)
    if chosen.text is None:
        raise chosen.cannot("text", output)
    workflow = reading.read([file], signs=signs)
    check_not_own(workflow, output)
    workflow, unreadable = _with_known_commands(workflow, chosen)
    lost = tuple(word for word in _known(workflow, unreadable) if word not in chosen.keeps)
    named, renamed = _renamed(workflow, chosen.takes_name)
    return ConvertAnswer(
        file,
        output,
        workflow.format,
        chosen.name,
        len(workflow.whole),
        workflow.whole.arc_count,
        lost if unreadable is None else (*lost, "commands"),
        renamed,
        workflow.remarks,
        chosen.text(named, path=output),
        unreadable,
    )


def _with_known_commands(workflow: Workflow, chosen: Format) -> tuple[Workflow, str | None]:
    """Return the workflow without commands, and why, if they are wanted but cannot be found out."""
    if "commands" not in chosen.keeps:
        return workflow, None
    try:
        _ = workflow.commands
    except FormatError as error:
        return replace(workflow, find_commands=None), str(error)
    return workflow, None


def _known(workflow: Workflow, unreadable: str | None) -> list[str]:
    """Return the words of `KEPT` for what is known of the workflow."""
    has = {
        "done": bool(workflow.done.any()),
        "run_times": workflow.run_times is not None,
        "sizes": workflow.sizes is not None,
        "commands": workflow.find_commands is not None and unreadable is None,
        "priorities": workflow.priorities is not None,
        **_kinds_of_commands(workflow),
    }
    return [word for word in KEPT if has[word]]


def _kinds_of_commands(workflow: Workflow) -> dict[str, bool]:
    """Return whether commands have files for their streams, directories or an environment."""
    try:
        commands = [command for command in workflow.commands or () if command]
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
