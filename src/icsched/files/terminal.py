r"""Characters that act on a terminal, shown by name wherever text reaches a terminal.

An escape sequence in a path could rename a terminal's window or hide a line. A mark of direction
could make a name look like another one. Such characters are shown as Python writes them, `\x1b` or
`\u202e`.
"""

import re

# Control characters except the newline; line separators, marks of direction, lone surrogates.
HIDDEN = re.compile(
    "[\0-\t\v-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def escaped(text: str) -> str:
    r"""Return *text* with an escape for each character that would act on a terminal.

    >>> print(escaped("a\x1b[31mb\x9bc\u202ed\te"))
    a\x1b[31mb\x9bc\u202ed\te
    """
    return HIDDEN.sub(lambda found: repr(found[0])[1:-1], text)


def content_for(data: bytes, *, is_terminal: bool) -> bytes:
    """Return what standard output or a file gets of *data*: every byte, escaped on a terminal."""
    if not is_terminal:
        return data
    return escaped(data.decode(errors="surrogateescape")).encode()
