"""A YAML file as plain dicts, lists and words, straight from the events of PyYAML's C parser.

An alias of a word is that word. An alias of a list or a mapping is refused: files that are small
could otherwise mean something huge, or contain themselves.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from icsched.errors import FormatError, not_installed

MOST_LEVELS = 64  # libyaml takes quadratic time for deep files; Pegasus needs 8
LINE = 0  # key of the line of a mapping in a list of the top level; other keys are words
_NO_KEY = object()


def parser_of(data: bytes | str) -> Any:
    """Return the C parser of PyYAML; raises EngineError if it is not installed."""
    try:
        from yaml import CSafeLoader
    except ImportError:
        raise not_installed("PyYAML with libyaml", "yaml") from None
    return CSafeLoader(data)


def events(path: str, data: bytes | str) -> Iterator[Any]:
    """Yield the events of the only document in a file; raises FormatError for what is no YAML."""
    parser = parser_of(data)
    import yaml

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


@contextmanager
def without_collections() -> Iterator[None]:
    """Pause the collector of cycles: a million new lists and mappings have none, and it looks."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def read_document(path: str, data: bytes) -> object:
    """Return what a file says; raises FormatError for what is no YAML, or has other aliases."""
    import yaml

    scalar, start_map, start_list = (
        yaml.ScalarEvent,
        yaml.MappingStartEvent,
        yaml.SequenceStartEvent,
    )
    ends = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
    top: list[object] = []
    container: Any = top
    key: object = _NO_KEY
    stack: list[tuple[Any, object]] = []
    words: dict[str, str] = {}  # by anchor
    for event in events(path, data):
        kind = type(event)
        if kind is scalar:
            value = event.value
            if event.anchor is not None:
                words[event.anchor] = value
            if key is not _NO_KEY:  # the usual cases first: this loop sees every word of the file
                container[key] = value
                key = _NO_KEY
                continue
            if type(container) is dict:
                key = value
                continue
            container.append(value)
            continue
        if kind in ends:
            container, key = stack.pop()
            continue
        if kind is start_map or kind is start_list:
            value = {} if kind is start_map else []
            if kind is start_map and len(stack) == 2:
                value[LINE] = event.start_mark.line + 1
        elif kind is yaml.AliasEvent:
            value = _word(path, event, words)
        elif kind is yaml.DocumentStartEvent and top:
            raise FormatError(path, event.start_mark.line + 1, "expected one document, got another")
        else:
            continue
        if type(container) is list:
            container.append(value)
        elif key is _NO_KEY:
            if kind is not yaml.AliasEvent:
                raise FormatError(path, event.start_mark.line + 1, "expected a word as key")
            key = value
            continue
        else:
            container[key] = value
            key = _NO_KEY
        if kind is start_map or kind is start_list:
            stack.append((container, key))
            container, key = value, _NO_KEY
            if len(stack) > MOST_LEVELS:
                problem = f"expected at most {MOST_LEVELS} levels of lists and mappings"
                raise FormatError(path, event.start_mark.line + 1, problem)
    return top[0] if top else None


def _word(path: str, event: Any, words: dict[str, str]) -> str:
    try:
        return words[event.anchor]
    except KeyError:
        problem = f"expected no alias of a list or a mapping, got *{event.anchor}"
        raise FormatError(path, event.start_mark.line + 1, problem) from None
