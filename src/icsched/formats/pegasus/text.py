"""A workflow as the text of a Pegasus file."""

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import PurePosixPath

from icsched.dag import Dag
from icsched.formats.found import written_names
from icsched.formats.stated import said
from icsched.workflow import Command, Workflow

NOTHING = Command(("/bin/true",))  # of a task that runs nothing
UNKNOWN = "task"  # the transformation of jobs whose program is not known
_JOB_ID = re.compile(r"[-0-9a-zA-Z_]+")
# What YAML wants escaped and JSON does not: its own line breaks, controls and byte order marks.
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def is_job_id(name: str) -> bool:
    """Whether Pegasus takes *name* as the id of a job."""
    return _JOB_ID.fullmatch(name) is not None


def pegasus_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    """Return *workflow* as YAML; a task without a program becomes a job called "task".

    Raises FormatError, naming *path*, for a name that Pegasus does not take as an id.
    """
    names = written_names(workflow, path, is_job_id, "letters, digits, - and _")
    called = re.sub(r"[^-0-9a-zA-Z_]+", "_", title).strip("_") or "workflow"
    lines = ['pegasus: "5.0"', f"name: {called}"]
    known = workflow.all_commands
    commands = None if known is None else [one or NOTHING for one in known]
    programs = _programs([one for one in commands or () if one])
    lines += _catalog(programs) if commands is not None else []
    lines.append("jobs:" if names else "jobs: []")
    priorities, seconds = said(workflow, "priorities"), said(workflow, "run_times")
    sizes = said(workflow, "sizes")
    for task, name in enumerate(names):
        command = commands[task] if commands else None
        lines += [
            "- type: job",
            f"  name: {_quoted(programs[command.program] if command else UNKNOWN)}",
            f"  id: {_quoted(name)}",
        ]
        lines += _command(command, path)
        lines += _profiles(command, priorities[task], seconds[task])
        lines += _uses(workflow.whole, names, sizes, task)
    return "\n".join([*lines, *_dependencies(workflow, names)]) + "\n"


def _quoted(word: str) -> str:
    text = json.dumps(word, ensure_ascii=False)
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _programs(commands: list[Command]) -> dict[str, str]:
    """Return the name of the transformation of each program."""
    names: dict[str, str] = {}
    taken = {UNKNOWN}
    for program in dict.fromkeys(command.program for command in commands):
        base = re.sub(r"[^0-9A-Za-z_.-]+", "_", PurePosixPath(program).name) or UNKNOWN
        name, number = base, 1
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        taken.add(name)
        names[program] = name
    return names


def _catalog(programs: dict[str, str]) -> Iterator[str]:
    yield "transformationCatalog:"
    yield "  transformations:" if programs else "  transformations: []"
    for program, name in programs.items():
        yield f"  - name: {_quoted(name)}"
        yield f"    sites: [{{name: local, type: installed, pfn: {_quoted(program)}}}]"


def _command(command: Command | None, path: str) -> Iterator[str]:
    words = [_quoted(word) for word in command.argv[1:]] if command else []
    yield f"  arguments: [{', '.join(words)}]"
    for key in ("stdin", "stdout", "stderr"):
        if command and getattr(command, key) is not None:
            file = command.as_seen_inside(getattr(command, key), path)
            yield f"  {key}: {_quoted(file or '')}"


def _profiles(
    command: Command | None, priority: int | None, seconds: float | None
) -> Iterator[str]:
    found = []
    if command and command.environment:
        pairs = ", ".join(f"{_quoted(key)}: {_quoted(value)}" for key, value in command.environment)
        found.append(f"    env: {{{pairs}}}")
    condor = {}
    if command and command.directory is not None:
        condor["initialdir"] = _quoted(command.directory)
    if priority is not None:
        condor["priority"] = str(priority)
    if condor:
        found.append("\n".join(["    condor:", *(f"      {k}: {v}" for k, v in condor.items())]))
    if seconds is not None:
        found.append(f"    pegasus:\n      runtime: {seconds!r}")
    if found:
        yield "  profiles:"
        yield from found


def _uses(dag: Dag, names: list[str], sizes: list[int | None], task: int) -> Iterator[str]:
    if sizes[task] is None:
        yield "  uses: []"
        return
    yield "  uses:"
    for parent in dag.parent_rows[task].tolist():
        if sizes[parent] is not None:
            yield f"  - {{lfn: {names[parent]}.output, type: input}}"
    yield f'  - {{lfn: {names[task]}.output, type: output, size: "{sizes[task]}", stageOut: false}}'


def _dependencies(workflow: Workflow, names: list[str]) -> Iterator[str]:
    rows = workflow.whole.child_rows
    offsets, targets = rows.offsets.tolist(), rows.targets.tolist()
    if targets:
        yield "jobDependencies:"
    for task, (start, stop) in enumerate(pairwise(offsets)):
        if start < stop:
            children = ", ".join(_quoted(names[child]) for child in targets[start:stop])
            yield f"- id: {_quoted(names[task])}\n  children: [{children}]"
