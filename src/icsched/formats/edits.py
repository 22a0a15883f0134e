"""Small edits of a user's text: all else stays as it is, to the last byte."""

from collections.abc import Iterable
from typing import TypeAlias

Edit: TypeAlias = tuple[int, int, str]  # the text from start to end is replaced by these words


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return *text* after *edits*, which do not overlap; edits of one place keep their order.

    >>> edited("nice=3 a", [(5, 6, "12"), (8, 8, " b"), (8, 8, " c")])
    'nice=12 a b c'
    """
    parts, place = [], 0
    for start, end, words in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[place:start], words]
        place = end
    return "".join([*parts, text[place:]])
