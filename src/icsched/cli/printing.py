"""How commands print; this module needs no other package, so that `icsched doctor` can use it."""

import os
import sys
from collections.abc import Callable
from typing import TextIO, TypeVar

from icsched.files.terminal import content_for, escaped
from icsched.render.layout import Screen, shown_on, wrapped
from icsched.render.visible import json_ascii, json_text

A = TypeVar("A")  # an answer

_USUAL_COLUMNS = 80  # if a terminal does not say
_BLOCKS = "▁█"  # what charts are made of


def screen_of(stream: TextIO) -> Screen:
    """Return what *stream* can show; only a terminal has a width."""
    return Screen(_columns(stream) if stream.isatty() else None, _is_ascii(stream))


def _columns(stream: TextIO) -> int:
    """Return the width of a terminal; the variable COLUMNS comes first, as elsewhere."""
    word = os.environ.get("COLUMNS", "")
    if word.isascii() and word.isdigit() and int(word):
        return int(word)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
    except OSError:
        return _USUAL_COLUMNS


def _is_ascii(stream: TextIO) -> bool:
    """Whether the encoding of *stream* lacks the characters of charts."""
    try:
        _BLOCKS.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def say(text: str, *, stream: TextIO | None = None, wraps: bool = True) -> None:
    """Write text for people, to standard output by default, as the terminal can show it.

    Text that is copied, as a command or a diff, must not be wrapped.
    """
    stream = stream or sys.stdout
    screen = screen_of(stream)
    shown = escaped(text)
    with shown_on(screen):
        shown = wrapped(shown) if wraps else shown
    if screen.is_ascii:
        shown = shown.encode("ascii", "backslashreplace").decode()
    stream.write(shown)


def tell_user(line: str) -> None:
    """Write one line for people about what happens, to standard error."""
    say(f"icsched: {line}\n", stream=sys.stderr)


def report(
    found: A, text: Callable[[A], str], *, stream: TextIO | None = None, wraps: bool = True
) -> None:
    """Write what was found as a report that is laid out for the stream."""
    with shown_on(screen_of(stream or sys.stdout)):
        made = text(found)
    say(made, stream=stream, wraps=wraps)


def put(
    found: A,
    text: Callable[[A], str],
    keys: Callable[[A], dict[str, object]],
    *,
    as_json: bool,
    wraps: bool = True,
) -> None:
    """Print what was found, as a report or as one JSON object alone on its line."""
    if as_json:
        put_json(keys(found))
    else:
        report(found, text, wraps=wraps)


def put_json(keys: dict[str, object]) -> None:
    """Print one JSON object alone on its line, in any encoding of standard output."""
    text = json_text(keys)
    if (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
        text = json_ascii(text)
    sys.stdout.write(text)


def put_content(data: bytes) -> None:
    """Write what a file would hold to standard output: every byte, or escaped on a terminal."""
    sys.stdout.buffer.write(content_for(data, is_terminal=sys.stdout.isatty()))
