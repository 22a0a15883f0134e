r"""Text in messages: escapes for terminals, errors as one line, and names that are close.

An escape sequence in a path could rename a terminal's window or hide a line. A mark of direction
could make a name look like another one. Such characters are shown as Python writes them, `\x1b` or
`\u202e`.
"""

import re
from collections.abc import Iterable

# Control characters except the newline; line separators, marks of direction, lone surrogates.
HIDDEN = re.compile(
    "[\0-\t\v-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_CLOSE = 0.75  # how alike two words must be, from 0 to 1, that one is taken for a slip of the other
_MOST = 3  # names to suggest


def escaped(text: str) -> str:
    r"""Return *text* with an escape for each character that would act on a terminal.

    >>> print(escaped("a\x1b[31mb\x9bc\u202ed\te"))
    a\x1b[31mb\x9bc\u202ed\te
    """
    return HIDDEN.sub(lambda found: repr(found[0])[1:-1], text)


def named(*words: str) -> str:
    r"""Return *words* with blanks between them, on one line whatever characters they have.

    >>> print(named("a.dag", "b\n.dag"))
    a.dag b\n.dag
    """
    return escaped(" ".join(words)).replace("\n", "\\n")


def content_for(data: bytes, *, is_terminal: bool) -> bytes:
    """Return what standard output or a file gets of *data*: every byte, escaped on a terminal."""
    if not is_terminal:
        return data
    return escaped(data.decode(errors="surrogateescape")).encode()


def storable(text: str) -> str:
    r"""Return *text* as UTF-8 can hold it; file names may have bytes that are not UTF-8.

    >>> storable("caf\udce9")
    'caf\\udce9'
    """
    return text.encode(errors="backslashreplace").decode()


def problem_of(error: BaseException) -> str:
    r"""Return an error on one line: its type, and what it says.

    >>> problem_of(ValueError("two\nlines")), problem_of(KeyError())
    ('ValueError: two lines', 'KeyError')
    """
    said = f"{type(error).__name__}: {error}"
    return storable(" ".join(said.split()).removesuffix(":"))


def close_names(word: str, names: Iterable[str]) -> list[str]:
    """Return those of *names* that are close to *word*, the closest first; at most three.

    Only letters and digits count, and small letters are as good as capitals.

    >>> close_names("Critical_path", ["critical-path", "fifo"]), close_names("best", ["fifo"])
    (['critical-path'], [])
    """
    from difflib import get_close_matches  # needed after a slip alone

    by_letters = {_letters(name): name for name in names}
    close = get_close_matches(_letters(word), by_letters, n=_MOST, cutoff=_CLOSE)
    return [by_letters[letters] for letters in close]


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return a question with the names that are close to *word*; empty if no name is close.

    >>> did_you_mean("pio", ["prio", "fifo"]), did_you_mean("best", ["prio"])
    ('did you mean prio?', '')
    """
    close = close_names(word, names)
    return f"did you mean {' or '.join(close)}?" if close else ""


def _letters(word: str) -> str:
    return "".join(sign for sign in word.lower() if sign.isalnum())
