"""Eligible tasks over steps: a curve for each order, under the ceiling that is certified."""

from collections.abc import Mapping
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icsched.pictures import curve_of
from icsched.render.svg.frame import Frame, legend
from icsched.render.svg.looks import BAND, COLOURS, line_widths
from icsched.render.svg.shapes import TEXT, Drawing, Line, Shape, title_text

Profile = NDArray[np.integer[Any]]
CEILING = "ceiling: no order has more"
_LINES = (TEXT, *COLOURS[1:])
_PIXELS = 1.4  # of a point
_BAND = 5.0  # by how much the ceiling is wider than the widest curve
_LEFT, _RIGHT, _BOTTOM = 64.0, 14.0, 40.0


def curves_drawing(
    title: str,
    profiles: Mapping[str, Profile],
    ceiling: Profile | None = None,
    *,
    width: float = 720.0,
    height: float = 400.0,
    word: str = "job",
) -> Drawing:
    """Draw the eligible tasks of each of *profiles*, by the names of the orders.

    All have a value for each of 0, 1, ... executed tasks. *ceiling* is a grey band. A curve below
    another is wider. *word* is what a task is called.

    >>> drawing = curves_drawing("wf", {"prio": np.array([1, 2, 1, 0])})
    >>> [shape.name for shape in drawing.shapes if isinstance(shape, Line) and shape.name]
    ['prio']
    """
    given = [*profiles.values(), *([] if ceiling is None else [ceiling])]
    steps, most = len(given[0]) - 1, max(int(profile.max()) for profile in given)
    top = 48.0 if title else 30.0
    size = width - _LEFT - _RIGHT, height - top - _BOTTOM
    frame = Frame(_LEFT, top, *size, (0, max(1, steps)), (0, max(1, most)))
    lines = _lines(frame, profiles, ceiling)
    shapes: list[Shape] = [
        *frame.shapes(f"{word}s executed", f"eligible {word}s"),
        *lines,
        *legend(lines, _LEFT, top - 12, size[0]),
    ]
    if title:
        shapes.append(title_text(title, _LEFT, width))
    words = f"Eligible {word}s after each step, for {', '.join(profiles)}"
    return Drawing(f"{title}: {words}" if title else words, width, height, shapes)


def _lines(frame: Frame, profiles: Mapping[str, Profile], ceiling: Profile | None) -> list[Line]:
    looks = zip(profiles.items(), cycle(_LINES), line_widths(len(profiles)), strict=False)
    lines = [_line(frame, *item, colour, _PIXELS * width) for item, colour, width in looks]
    if ceiling is not None:  # a band below the curves
        lines.insert(0, _line(frame, CEILING, ceiling, BAND, lines[0].width + _BAND))
    return lines


def _line(frame: Frame, name: str, values: Profile, colour: str, width: float) -> Line:
    curve = curve_of(values)
    return Line(frame.x(curve.step), frame.y(curve.value), colour, width, name=name)
