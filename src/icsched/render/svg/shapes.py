"""What a picture is made of. Lengths are in pixels, from the upper left corner.

A picture is drawn once, as these shapes; `writing` makes SVG of them, `painting` makes PNG.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from icsched.arrays import Floats
from icsched.render.layout import columns_of
from icsched.render.visible import named

TEXT = "ink"  # the colour of text: what surrounds the picture may choose it
Anchor = Literal["start", "middle", "end"]
_LETTER = 0.65  # mean width of a letter over its size; wider than most fonts have it
_TITLE = 13.0  # size of a title


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points; `name` tells lines apart."""

    x: Floats
    y: Floats
    colour: str
    width: float = 1.0
    name: str = ""


@dataclass(frozen=True, eq=False)
class Segments:
    """Straight lines from (x0, y0) to (x1, y1) that look the same."""

    x0: Floats
    y0: Floats
    x1: Floats
    y1: Floats
    colour: str = TEXT
    width: float = 1.0
    opacity: float = 1.0
    name: str = ""


@dataclass(frozen=True, eq=False)
class Boxes:
    """Rectangles of one colour, given by their upper left corners and sizes."""

    x: Floats
    y: Floats
    width: Floats
    height: Floats
    colour: str
    name: str = ""


def box(x: float, y: float, width: float, height: float, colour: str, name: str = "") -> Boxes:
    """Return one rectangle."""
    left, top, wide, high = np.array([[x], [y], [width], [height]], float)
    return Boxes(left, top, wide, high, colour, name)


@dataclass(frozen=True, eq=False)
class Dots:
    """Circles, each with its colour; `titles` are shown when a pointer rests on them."""

    x: Floats
    y: Floats
    radius: Floats
    colours: Sequence[str]
    titles: Sequence[str] = ()
    name: str = ""


@dataclass(frozen=True)
class Text:
    """Words at a place; `is_upright` turns them by a quarter."""

    x: float
    y: float
    words: str
    size: float = 11.0
    anchor: Anchor = "start"
    is_upright: bool = False


Shape: TypeAlias = Line | Segments | Boxes | Dots | Text


@dataclass(frozen=True, eq=False)
class Drawing:
    """A picture; `words` says in a sentence what it shows, also to people who cannot see it."""

    words: str
    width: float
    height: float
    shapes: Sequence[Shape]


def title_text(title: str, left: float, width: float) -> Text:
    """Return the title of a picture of this *width*, cut if it is longer."""
    return Text(left, 18, fitted(title, width - 2 * left, _TITLE), _TITLE)


def text_width(words: str, size: float) -> float:
    """Return about how wide *words* are; Chinese letters take twice the width of Latin ones."""
    return _LETTER * size * columns_of(words)


def fitted(words: str, room: float, size: float) -> str:
    """Return *words*, cut in the middle if they are longer than *room*; empty if that is short.

    The end of a name often has the number that tells tasks apart.

    >>> fitted("generate_12", 72, 10), fitted("generate_12", 50, 10), fitted("generate_12", 15, 10)
    ('generate_12', 'gen…_12', '')
    >>> fitted("漢字漢字", 52, 10), fitted("漢字漢字", 46, 10)
    ('漢字漢字', '漢…字')
    """
    words = named(words)  # what will be shown: escapes are longer
    letters = int(room / (_LETTER * size))
    if columns_of(words) <= letters:
        return words
    kept = letters - 1
    if kept <= 2:
        return ""
    end = _begin(words[::-1], kept // 2)[::-1]
    return f"{_begin(words, kept - kept // 2)}…{end}"


def _begin(words: str, columns: int) -> str:
    """Return the longest beginning of *words* that takes at most this many columns."""
    words = words[:columns]
    while columns_of(words) > columns:
        words = words[:-1]
    return words
