"""An order in a Pegasus file: the condor profile "priority" of each job, and nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from icsched.errors import ArgumentError, FormatError
from icsched.files import Change
from icsched.formats.edits import Edit, edited
from icsched.formats.found import priorities_of
from icsched.formats.pegasus.document import events
from icsched.formats.pegasus.reader import Parsed
from icsched.workflow import Workflow

_MARK = "\ufeff"
_KEYS = ("profiles", "condor", "priority")


@dataclass
class _Place:
    """A mapping on the way from a job to its priority; `first` is where its first key begins."""

    begins: Any  # the event
    first: Any = None  # the mark
    inner: dict[str, Any] = field(default_factory=dict)  # by key: a _Place, or the event of a word


def changes(workflow: Workflow, order: Sequence[int]) -> list[Change]:
    """Return the change that gives the first task of *order* the largest priority, the last 1.

    Raises ArgumentError if the workflow was not read from a Pegasus file, FormatError for a job
    whose profiles cannot be edited.
    """
    parsed = workflow.parsed
    if not isinstance(parsed, Parsed):
        raise ArgumentError("expected a workflow that was read from a Pegasus file")
    wanted = priorities_of(workflow, order).items()
    numbers = {str(workflow.names[task]): priority for task, priority in wanted}
    text = parsed.data.decode()
    mark = _MARK if text.startswith(_MARK) else ""
    text = text.removeprefix(_MARK)
    editor = _Editor(parsed.path, text)
    edits = [editor.edit(job, numbers[job.inner["id"].value]) for job in _jobs(parsed.path, text)]
    new = edited(text, [edit for edit in edits if edit])
    return [Change(parsed.path, parsed.data, (mark + new).encode())]


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
        return at, at, whole[column:]  # the first line begins where the first key did


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
    """Yield events; an alias of a word gets that word as its value."""
    words: dict[str, str] = {}
    for event in stream:
        name = type(event).__name__
        if name == "AliasEvent":
            event.value = words[event.anchor]
        elif name == "ScalarEvent" and event.anchor is not None:
            words[event.anchor] = event.value
        yield event


def _place(begins: Any, stream: Iterator[Any], wanted: Sequence[str]) -> _Place:
    """Return a mapping, with what is at the *wanted* keys."""
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
    """Pass over the rest of what *event* begins."""
    depth = 0
    while True:
        name = type(event).__name__
        depth += name.endswith("StartEvent") - name.endswith("EndEvent")
        if depth <= 0:
            return
        event = next(stream)
