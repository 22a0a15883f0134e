"""The command line as the user typed it, to be typed again with a change."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar

_WORDS: ContextVar[tuple[str, ...]] = ContextVar("words", default=())


def remember(words: Sequence[str]) -> None:
    """Keep the words after `icsched`."""
    _WORDS.set(tuple(words))


def again(instead: Mapping[str, str]) -> str:
    """Return the command that the user typed, for a shell, with other options *instead* of some."""
    words = [instead.get(word.partition("=")[0], word) for word in _WORDS.get()]
    return shlex.join([program(), *words])


def program() -> str:
    """Return what starts icsched from a shell: its name if that is on the PATH, else its path."""
    folder, name = os.path.split(sys.argv[0])
    return sys.argv[0] if name == "icsched" and folder not in os.get_exec_path() else "icsched"
