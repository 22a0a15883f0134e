"""What the terminal of a stream is like: its width, its colours, its characters."""

import os
from typing import TYPE_CHECKING, TextIO

from icsched.render.layout import Screen

if TYPE_CHECKING:
    from rich.console import Console

_USUAL_COLUMNS = 80  # if a terminal does not say
_PLAIN = ("C", "POSIX")  # locales of ASCII


def screen_of(stream: TextIO) -> Screen:
    """Return what *stream* can show; only a terminal has a width."""
    is_terminal = stream.isatty()
    columns = _columns(stream) if is_terminal else None
    return Screen(columns, _is_ascii(stream), _has_colour(is_terminal=is_terminal))


def help_console() -> "Console | None":
    """Return a console that writes help in ASCII, if the locale wants that; else None."""
    if not _wants_ascii():
        return None
    from rich.console import Console

    file = open(1, "w", encoding="ascii", errors="backslashreplace", closefd=False)  # noqa: SIM115
    return Console(file=file)


def _columns(stream: TextIO) -> int:
    """Return the width of a terminal; the variable COLUMNS comes first, as elsewhere."""
    word = os.environ.get("COLUMNS", "")
    if word.isascii() and word.isdigit() and int(word):
        return int(word)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
    except OSError:
        return _USUAL_COLUMNS


def _has_colour(*, is_terminal: bool) -> bool:
    """Whether to colour: NO_COLOR forbids it, FORCE_COLOR and CLICOLOR_FORCE ask for it."""
    if os.environ.get("NO_COLOR"):
        return False
    forced = (os.environ.get(name, "") for name in ("FORCE_COLOR", "CLICOLOR_FORCE"))
    if any(word not in ("", "0") for word in forced):
        return True
    return is_terminal and os.environ.get("TERM", "") not in ("", "dumb", "unknown")


def _is_ascii(stream: TextIO) -> bool:
    """Whether the stream cannot take every name, or the locale does not want them."""
    try:
        "█".encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return _wants_ascii()


def _wants_ascii() -> bool:
    """Whether the user chose a locale of ASCII, and no other encoding for Python.

    In such a locale Python itself writes UTF-8, and may set LC_CTYPE to C.UTF-8. A system without
    any locale is not taken for one: its terminals usually show UTF-8.
    """
    if os.environ.get("PYTHONIOENCODING") or os.environ.get("PYTHONUTF8") == "1":
        return False
    chosen = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG")
    if chosen == "C.UTF-8" and not os.environ.get("LC_ALL"):
        chosen = os.environ.get("LANG") or chosen  # Python may have set LC_CTYPE
    return chosen in _PLAIN
