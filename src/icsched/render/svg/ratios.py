"""Times of orders over the time of a baseline: a dot for each order, with its interval."""

from collections.abc import Mapping
from itertools import cycle

import numpy as np

from icsched.render.svg.frame import Frame
from icsched.render.svg.looks import COLOURS
from icsched.render.svg.shapes import Dots, Drawing, Segments, Shape, Text, fitted
from icsched.sim import Ratio

_LEFT, _ROW, _TOP, _BOTTOM = 130.0, 24.0, 8.0, 40.0


def ratios_drawing(baseline: str, found: Mapping[str, Ratio], *, width: float = 460.0) -> Drawing:
    """Draw the ratio of times of each order to *baseline*, which is a line at 1.

    >>> drawing = ratios_drawing("fifo", {"prio": Ratio(0.75, 0.5, 1.0, 0.75, 0.1)})
    >>> drawing.words
    'Time over the time of fifo, for prio'
    """
    low = min([1.0, *(ratio.low for ratio in found.values())])
    high = max([1.0, *(ratio.high for ratio in found.values())])
    space = 0.08 * (high - low) or 0.01
    size = width - _LEFT - 14, _ROW * max(1, len(found))
    frame = Frame(_LEFT, _TOP, *size, (low - space, high + space), (0, max(1, len(found))))
    one = frame.x([1.0])
    edge = np.array([frame.top]), np.array([frame.bottom])
    shapes: list[Shape] = [
        *frame.across(f"time over the time of {baseline}"),
        Segments(one, edge[0], one, edge[1], opacity=0.5, name="baseline"),
    ]
    rows = zip(found.items(), cycle(COLOURS[1:]), strict=False)
    for place, ((name, ratio), colour) in enumerate(rows):
        shapes.extend(_row(frame, name, ratio, colour, frame.top + _ROW * (place + 0.5)))
    words = f"Time over the time of {baseline}, for {', '.join(found)}"
    return Drawing(words, width, frame.bottom + _BOTTOM, shapes)


def _row(frame: Frame, name: str, ratio: Ratio, colour: str, y: float) -> list[Shape]:
    ends, level = frame.x([ratio.low, ratio.high]), np.array([y])
    middle, radius = frame.x([ratio.median]), np.array([4.0])
    told = f"{name}: {ratio.median:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"
    return [
        Segments(ends[:1], level, ends[1:], level, colour, 2.0, name=f"interval {name}"),
        Dots(middle, level, radius, [colour], [told], f"median {name}"),
        Text(_LEFT - 8, y + 4, fitted(name, _LEFT - 16, 11) or "…", 11, "end"),
    ]
