"""How commands print; this module needs no other package, so that `icsched doctor` can use it."""

import sys
from collections.abc import Callable
from typing import TextIO, TypeVar

from icsched.cli.screen import screen_of
from icsched.files.terminal import content_for, escaped
from icsched.render.colours import coloured
from icsched.render.layout import shown_on, wrapped
from icsched.render.visible import json_ascii, json_text

A = TypeVar("A")  # an answer


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
    stream.write(coloured(shown) if screen.has_colour else shown)


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
