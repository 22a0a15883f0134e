"""Workflows as Pegasus files, and orders written into files.

An order changes the condor profile "priority" of each job, and nothing else.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Any

from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError
from icsched.files import Change
from icsched.formats.facts import Edit, edited, said, written_names
from icsched.formats.pegasus.document import events
from icsched.formats.pegasus.reader import PegasusSource
from icsched.formats.port import Writing
from icsched.formats.requests import needs_by_task, needs_profiles
from icsched.workflow import Command, Workflow

NOTHING = Command(("/bin/true",))  # transformation of a task that runs nothing
UNKNOWN = "task"  # the transformation of jobs whose program is not known
_MARK = "\ufeff"
_KEYS = ("profiles", "condor", "priority")
_JOB_ID = re.compile(r"[-0-9a-zA-Z_]+")
# Characters that YAML escapes and JSON does not: line breaks, controls and byte order marks.
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
    known = workflow.commands
    commands = None if known is None else [one or NOTHING for one in known]
    programs = _programs([one for one in commands or () if one])
    lines += _catalog(programs) if commands is not None else []
    lines.append("jobs:" if names else "jobs: []")
    priorities, seconds = said(workflow, "priorities"), said(workflow, "run_times")
    sizes, needs = said(workflow, "sizes"), needs_by_task(workflow)
    for task, name in enumerate(names):
        command = commands[task] if commands else None
        lines += [
            "- type: job",
            f"  name: {_quoted(programs[command.program] if command else UNKNOWN)}",
            f"  id: {_quoted(name)}",
        ]
        lines += _command(command, path)
        lines += _profiles(command, priorities[task], seconds[task], needs[task])
        lines += _uses(workflow.dag, names, sizes, task)
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
    command: Command | None,
    priority: int | None,
    seconds: float | None,
    needs: Mapping[str, float],
) -> Iterator[str]:
    found = []
    if command and command.environment:
        pairs = ", ".join(f"{_quoted(key)}: {_quoted(value)}" for key, value in command.environment)
        found.append(f"    env: {{{pairs}}}")
    own: dict[str, dict[str, str]] = {"condor": {}, "pegasus": {}}
    for space, key, words in needs_profiles(needs):
        own[space][_quoted(key)] = words
    condor = own["condor"]
    if command and command.directory is not None:
        condor["initialdir"] = _quoted(command.directory)
    if priority is not None:
        condor["priority"] = str(priority)
    if seconds is not None:
        own["pegasus"]["runtime"] = repr(seconds)
    for space, pairs_of in own.items():
        if pairs_of:
            found.append(
                "\n".join([f"    {space}:", *(f"      {k}: {v}" for k, v in pairs_of.items())])
            )
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
    rows = workflow.dag.child_rows
    offsets, targets = rows.offsets.tolist(), rows.targets.tolist()
    if targets:
        yield "jobDependencies:"
    for task, (start, stop) in enumerate(pairwise(offsets)):
        if start < stop:
            children = ", ".join(_quoted(names[child]) for child in targets[start:stop])
            yield f"- id: {_quoted(names[task])}\n  children: [{children}]"


# An order in a file


@dataclass
class _Place:
    """A mapping on the path from a job to its priority; `first` is the place of its first key."""

    begins: Any  # the event
    first: Any = None  # the mark
    inner: dict[str, Any] = field(default_factory=dict)  # a _Place or the event of a word


def changes(workflow: Workflow, order: Sequence[int], _options: Writing) -> list[Change]:
    """Return the change that gives the first task of *order* the largest priority, the last 1.

    Raises ArgumentError if the workflow was not read from a Pegasus file, FormatError for a job
    whose profiles cannot be edited.
    """
    source = workflow.source
    if not isinstance(source, PegasusSource):
        raise ArgumentError("expected a workflow that was read from a Pegasus file")
    numbers = workflow.source.priorities(workflow, order)
    text = source.data.decode()
    mark = _MARK if text.startswith(_MARK) else ""
    text = text.removeprefix(_MARK)
    path = source.reader.path
    editor = _Editor(path, text)
    edits = [editor.edit(job, numbers[job.inner["id"].value]) for job in _jobs(path, text)]
    new = edited(text, [edit for edit in edits if edit])
    return [Change(path, source.data, (mark + new).encode())]


@dataclass(frozen=True)
class _Editor:
    path: str
    text: str

    def edit(self, job: _Place, number: int) -> Edit[str] | None:
        """Return the edit that gives a job its priority; None if it has that priority."""
        place, keys = job, list(_KEYS)
        while isinstance(place.inner.get(keys[0]), _Place):
            place = place.inner[keys.pop(0)]
        found = place.inner.get(keys[0])
        if found is None:
            return self._inserted(place, keys, number)
        problem = _problem(keys[0], found)
        if problem:
            told = f"cannot write a priority: {problem}"
            raise FormatError(self.path, found.start_mark.line + 1, told)
        start, stop = found.start_mark.index, found.end_mark.index
        quote = self.text[start] if self.text[start : start + 1] in ("'", '"') else ""
        new = f"{quote}{number}{quote}"
        return None if self.text[start:stop] == new else (start, stop, new)

    def _inserted(self, place: _Place, keys: list[str], number: int) -> Edit[str]:
        """Return the edit that puts new keys before the first key of a mapping."""
        if place.begins.flow_style or place.first is None:
            at = self.text.index("{", place.begins.start_mark.index) + 1
            inner = f"priority: {number}"
            for key in reversed(keys[:-1]):
                inner = f"{key}: {{{inner}}}"
            return at, at, inner + (", " if place.first is not None else "")
        at, column = place.first.index, place.first.column
        if "?" in self.text[place.begins.start_mark.index : at]:  # "? key", then ": value"
            problem = "cannot write a priority: expected a first key without '?'"
            raise FormatError(self.path, place.first.line + 1, problem)
        end = "\r\n" if "\r\n" in self.text else "\n"
        lines = [f"{' ' * (column + 2 * depth)}{key}:" for depth, key in enumerate(keys)]
        whole = f"{end.join(lines)} {number}{end}{' ' * column}"
        return at, at, whole[column:]  # the first line is already indented


def _problem(key: str, found: Any) -> str:
    """Return why the word at *key* cannot get another value, "" if it can."""
    if key != "priority":
        return f"expected keys inside {key}, or no {key} at all, got {found.value!r}"
    if found.anchor is not None or found.tag is not None:
        return "expected a number without an anchor, an alias or a tag"
    return ""


def _jobs(path: str, text: str) -> Iterator[_Place]:
    """Yield the jobs of a file with the places of their profiles."""
    stream = _resolved(events(path, text))
    for event in stream:
        if type(event).__name__ == "MappingStartEvent":
            break
    for key in stream:
        if type(key).__name__ == "MappingEndEvent":
            return
        event = next(stream)
        if key.value == "jobs":
            for job in stream:
                if type(job).__name__ == "SequenceEndEvent":
                    break
                yield _place(job, stream, ("id", *_KEYS))
        else:
            _skip(event, stream)


def _resolved(stream: Iterator[Any]) -> Iterator[Any]:
    """Yield events; each alias of a word gets the word as its value."""
    words: dict[str, str] = {}
    for event in stream:
        name = type(event).__name__
        if name == "AliasEvent":
            event.value = words[event.anchor]
        elif name == "ScalarEvent" and event.anchor is not None:
            words[event.anchor] = event.value
        yield event


def _place(begins: Any, stream: Iterator[Any], wanted: Sequence[str]) -> _Place:
    """Return a mapping with the values of the *wanted* keys."""
    place = _Place(begins)
    for key in stream:
        if type(key).__name__ == "MappingEndEvent":
            break
        if place.first is None:
            place.first = key.start_mark
        event = next(stream)
        if key.value in wanted and type(event).__name__ == "MappingStartEvent":
            place.inner[key.value] = _place(event, stream, wanted)
        else:
            if key.value in wanted:
                place.inner[key.value] = event
            _skip(event, stream)
    return place


def _skip(event: Any, stream: Iterator[Any]) -> None:
    """Skip the rest of the value that *event* begins."""
    depth = 0
    while True:
        name = type(event).__name__
        depth += name.endswith("StartEvent") - name.endswith("EndEvent")
        if depth <= 0:
            return
        event = next(stream)
