"""One run of each order as lanes: each worker is a row, each task that it ran a bar."""

from collections.abc import Mapping, Sequence

import numpy as np

from icsched.arrays import Ids
from icsched.pictures import Lanes, few_kinds
from icsched.render.svg.frame import Frame, tick_text
from icsched.render.svg.looks import COLOURS, FAINT
from icsched.render.svg.shapes import (
    Boxes,
    Drawing,
    Segments,
    Shape,
    Text,
    box,
    fitted,
    text_width,
    title_text,
)
from icsched.render.words import counted, visible_time

_LEFT, _RIGHT = 14.0, 14.0
_TALLEST, _MOST_HIGH = 14.0, 420.0  # of a lane, and of all lanes of an order
_THINNEST = 0.3
_BESIDE, _LONGEST_NAME = 28.0, 130.0  # of an entry of the legend: box and spaces, its name


def lanes_drawing(
    title: str,
    runs: Mapping[str, Lanes],
    kind: Ids,
    kinds: Sequence[str],
    *,
    width: float = 900.0,
    unit: str = "",
    word: str = "job",
) -> Drawing:
    """Draw *runs*, by the names of their orders, below each other and on one scale of time.

    Bars have the colour of the task's kind: *kind* is an index into *kinds* for each task. Only
    the first kinds have colours of their own. What gave no result is grey. A line marks the end of
    each run.
    """
    shown, names = few_kinds(kind, tuple(kinds), len(COLOURS) - 1)
    end = visible_time(max([lanes.end for lanes in runs.values()], default=0.0)) or 1.0
    top, shapes = (
        48.0,
        [
            title_text(title, _LEFT, width),
            *_legend(names, 36.0, width, has_lost=any(map(_has_lost, runs.values()))),
        ],
    )
    for order, lanes in runs.items():
        high = min(_MOST_HIGH, _TALLEST * max(1, lanes.workers))
        frame = Frame(_LEFT, top + 18, width - _LEFT - _RIGHT, high, (0.0, end), (0.0, 1.0))
        cut = f", the first {counted(len(lanes), 'bar')} of more" if lanes.is_cut else ""
        ends = f"ends at {tick_text(float(f'{visible_time(lanes.end):.4g}'))}{unit}"
        head = f"{order}: {ends}, {counted(lanes.workers, 'worker')}{cut}"
        shapes.append(Text(_LEFT, top + 12, head))
        shapes.extend(_bars(frame, lanes, shown, names, order))
        shapes.extend(frame.across(f"time{unit and f', in{unit}'}"))
        top = frame.bottom + 40
    words = f"{title}: who ran which {word} when, for {', '.join(runs)}"
    return Drawing(words, width, top, shapes)


def _has_lost(lanes: Lanes) -> bool:
    return bool((lanes.ending != lanes.endings.index("result")).any())


def _legend(names: Sequence[str], y: float, width: float, *, has_lost: bool) -> list[Shape]:
    lost = [("no result", FAINT)] if has_lost else []
    entries = [*zip(names, COLOURS[1:], strict=False), *lost]
    room = min(_LONGEST_NAME, (width - _LEFT - _RIGHT) / max(1, len(entries)) - _BESIDE)
    shapes, left = list[Shape](), _LEFT
    for name, colour in entries:
        words = fitted(name, room, 11)
        shapes.append(box(left, y - 9, 10.0, 10.0, colour))
        shapes.append(Text(left + 14, y, words))
        left += _BESIDE + text_width(words, 11)
    return shapes


def _bars(frame: Frame, lanes: Lanes, kind: Ids, names: Sequence[str], order: str) -> list[Shape]:
    row = frame.height / max(1, lanes.workers)
    y, left = frame.top + lanes.lane * row, frame.x(lanes.start)
    wide = np.maximum(frame.x(lanes.stop) - left - _THINNEST, _THINNEST)
    high = np.full(len(lanes), 0.85 * row)
    known = np.where(lanes.task < 0, len(names), kind[lanes.task])
    colour = np.where(lanes.ending == lanes.endings.index("result"), known, len(names))
    shapes: list[Shape] = []
    for number, name in enumerate([*names, "no result"]):
        of = colour == number
        look = FAINT if number == len(names) else COLOURS[1:][number]
        if of.any():
            shapes.append(Boxes(left[of], y[of], wide[of], high[of], look, f"{order}: {name}"))
    end = frame.x([lanes.end])
    edge = np.array([frame.top - 2]), np.array([frame.bottom])
    return [*shapes, Segments(end, edge[0], end, edge[1], width=1.5, name=f"{order}: end")]
