"""Small edits of a user's file: all else stays as it is, to the last byte."""

from collections.abc import Iterable
from typing import AnyStr, TypeAlias

Edit: TypeAlias = tuple[int, int, AnyStr]  # what comes instead of the text from start to end


def edited(text: AnyStr, edits: Iterable[Edit[AnyStr]]) -> AnyStr:
    """Return *text* after *edits*, which do not overlap; edits of one place keep their order.

    >>> edited("nice=3 a", [(5, 6, "12"), (8, 8, " b"), (8, 8, " c")])
    'nice=12 a b c'
    """
    parts: list[AnyStr] = []
    place = 0
    for start, end, words in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[place:start], words]
        place = end
    parts.append(text[place:])
    return text[:0].join(parts)
