"""A YAML file as plain dicts, lists and words, straight from the events of PyYAML's C parser.

An alias of a word is that word. An alias of a list or a mapping is refused, because a small file
could otherwise expand to a huge one, or contain itself.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from sys import intern
from typing import Any

from icsched.errors import FormatError, not_installed

MOST_LEVELS = 64  # libyaml takes quadratic time for deep files; files of Pegasus have depth 8
LINE = 0  # key for the line number of a mapping in a top-level list; other keys are words
_NO_KEY = object()
_LEVEL_OF_JOBS = 2  # the mapping of the file, and a list
_TOP = 3  # levels above the keys of a file: the stream, the document and its mapping


def _pyyaml() -> Any:
    """Return the package yaml with its C parser; raises EngineError if it is not installed."""
    try:
        import yaml
        from yaml import CSafeLoader  # noqa: F401  PyYAML may be there without it
    except ImportError:
        raise not_installed("PyYAML with libyaml", "yaml") from None
    return yaml


def parser_of(data: bytes | str) -> Any:
    """Return the C parser of PyYAML; raises EngineError if it is not installed."""
    return _pyyaml().CSafeLoader(data)


def events(path: str, data: bytes | str) -> Iterator[Any]:
    """Yield the events of the only document in a file; raises FormatError if it is not YAML."""
    yaml, parser = _pyyaml(), parser_of(data)
    end = yaml.StreamEndEvent
    try:
        get = parser.get_event
        event = get()
        while type(event) is not end:
            yield event
            event = get()
    except yaml.reader.ReaderError as error:
        raise FormatError(path, None, f"expected YAML, got {error.reason}") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise FormatError(path, line, f"expected YAML: {error.problem}") from error
    finally:
        parser.dispose()


def first_line(path: str, data: bytes) -> int:
    """Return the line on which the content of a file begins; the file must not be empty."""
    _stream, _document, event = islice(events(path, data), 3)
    return int(event.start_mark.line) + 1


def line_of(key: str, path: str, data: bytes) -> int | None:
    """Return the line of a top-level key; None if the file does not have it."""
    depth, count = (
        0,
        -1,
    )  # count of keys and values, after the mapping itself
    for event in events(path, data):
        name = type(event).__name__
        depth += name.endswith("StartEvent") - name.endswith("EndEvent")
        if depth == _TOP:
            if count % 2 == 0 and getattr(event, "value", None) == key:
                return int(event.start_mark.line) + 1
            count += 1
    return None


@contextmanager
def without_collections() -> Iterator[None]:
    """Pause garbage collection, which would search a million new lists and mappings for cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def read_document(path: str, data: bytes) -> object:
    """Return the content of a file; raises FormatError if it is not YAML, or for other aliases."""
    yaml = _pyyaml()
    scalar, alias = yaml.ScalarEvent, yaml.AliasEvent
    starts = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
    ends = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
    top: list[object] = []
    container: Any = top
    key: object = _NO_KEY
    stack: list[Any] = []  # the enclosing containers
    words: dict[str, str] = {}  # by anchor
    for event in events(path, data):  # the hot loop: runs for every word of the file
        kind = type(event)
        if kind is scalar:
            value = event.value
            if event.anchor is not None:
                words[event.anchor] = value
        elif kind is alias:
            value = _word(path, event, words)
        elif kind in starts:
            inner = _opened(path, event, len(stack))
            _put(path, event, container, key, inner)
            stack.append(container)
            container, key = inner, _NO_KEY
            continue
        else:
            if kind in ends:
                container = stack.pop()
            elif kind is yaml.DocumentStartEvent and top:
                raise _wrong(path, event, "expected one document, got another")
            continue
        if key is not _NO_KEY:
            if key in container:
                raise _twice(path, event, key)
            container[key] = value
            key = _NO_KEY
        elif type(container) is dict:
            key = intern(value)  # interned, because all jobs have the same keys
        else:
            container.append(value)
    return top[0] if top else None


def _opened(path: str, event: Any, depth: int) -> Any:
    """Return the list or the mapping that an event begins, inside *depth* others."""
    if depth >= MOST_LEVELS:
        problem = f"expected at most {MOST_LEVELS} levels of lists and mappings, got more"
        raise _wrong(path, event, problem)
    if type(event).__name__ == "SequenceStartEvent":
        return []
    return {LINE: event.start_mark.line + 1} if depth == _LEVEL_OF_JOBS else {}


def _put(path: str, event: Any, container: Any, key: object, inner: object) -> None:
    """Put a list or a mapping where it belongs."""
    if type(container) is list:
        container.append(inner)
    elif key is _NO_KEY:
        raise _wrong(path, event, "expected a word as key, got a list or a mapping")
    elif key in container:
        raise _twice(path, event, key)
    else:
        container[key] = inner


def _twice(path: str, event: Any, key: object) -> FormatError:
    return _wrong(path, event, f"expected each key once, got {key!r} twice")


def _wrong(path: str, event: Any, problem: str) -> FormatError:
    return FormatError(path, event.start_mark.line + 1, problem)


def _word(path: str, event: Any, words: dict[str, str]) -> str:
    try:
        return words[event.anchor]
    except KeyError:
        problem = f"expected no alias of a list or a mapping, got *{event.anchor}"
        raise _wrong(path, event, problem) from None
