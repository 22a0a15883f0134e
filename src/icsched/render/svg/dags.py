"""A dag in layers: parents above their children, the first tasks to run in the lightest colour."""

import numpy as np

from icsched.arrays import Floats, Ids
from icsched.pictures import DagPicture
from icsched.render.layout import columns_of
from icsched.render.svg.looks import COLOURS, SCALE, scale_colour
from icsched.render.svg.shapes import (
    Dots,
    Drawing,
    Segments,
    Shape,
    Text,
    box,
    fitted,
    text_width,
    title_text,
)
from icsched.render.words import counted

_MOST_WIDE, _MOST_HIGH = 1600.0, 1200.0
_LEAST_WIDE = 320.0  # so that the scale has room
_WIDE, _HIGH = 90.0, 70.0  # pixels that a node gets if there is room
_SMALL = 10.0
_FEWEST = 5  # letters of a name that was cut; fewer tell nothing
_MARGIN, _HEAD, _FOOT = 10.0, 26.0, 24.0
_WIDEST_ARC = 4.0


def dag_drawing(
    title: str,
    picture: DagPicture,
    ranks: Ids | None = None,
    *,
    most_wide: float = _MOST_WIDE,
    most_high: float = _MOST_HIGH,
    word: str = "job",
) -> Drawing:
    """Draw *picture* in at most this many pixels; *ranks* has the place of each task in an order.

    Nodes are coloured by the order, or by their kinds if there are no *ranks*. Names are written
    where they have room. In any case each node shows its name under a pointer.
    """
    head, foot = (_HEAD if title else 0.0), (_FOOT if ranks is not None else 0.0)
    wide = min(max(picture.width * _WIDE, _LEAST_WIDE), most_wide)
    high = min(picture.height * _HIGH, most_high - head - foot)
    x = _MARGIN + picture.x * (wide / picture.width)
    y = _MARGIN + head + picture.y * (high / picture.height)
    room = wide / picture.width, high / picture.height
    radius = _radius(picture, min(room))
    shapes: list[Shape] = [
        *_arcs(picture, x, y),
        Dots(x, y, radius, _colours(picture, ranks), _titles(picture, word), "tasks"),
        *_labels(picture, x, y + radius + _SMALL, room, radius),
    ]
    height = high + head + foot + 2 * _MARGIN
    if title:
        shapes.append(title_text(title, _MARGIN, wide + 2 * _MARGIN))
    if ranks is not None:
        shapes.extend(_scale(height - 10))
    return Drawing(_words(title, picture, word), wide + 2 * _MARGIN, height, shapes)


def _words(title: str, picture: DagPicture, word: str) -> str:
    count = counted(int(picture.tasks.sum()), word)
    grouped = f", in {counted(len(picture), 'group')}" if picture.is_grouped else ""
    return f"{title}{': ' if title else ''}the dag of {count}{grouped}, parents above children"


def _radius(picture: DagPicture, room: float) -> Floats:
    """Return the radius of each node; the area of a group grows with its tasks."""
    largest = min(12.0, max(1.2, 0.3 * room))
    share = np.sqrt(picture.tasks / max(1, int(picture.tasks.max(initial=1))))
    smallest = min(2.0, largest)
    return smallest + (largest - smallest) * share if picture.is_grouped else largest * share


def _colours(picture: DagPicture, ranks: Ids | None) -> list[str]:
    if ranks is None:
        usable = COLOURS[1:]
        return [usable[kind % len(usable)] for kind in picture.kind.tolist()]
    shares = picture.mean_of(ranks) / max(1, len(picture.node) - 1)
    return [scale_colour(share) for share in shares.tolist()]


def _titles(picture: DagPicture, word: str) -> list[str]:
    if not picture.is_grouped:
        return list(picture.label)
    pairs = zip(picture.label, picture.tasks.tolist(), strict=True)
    return [f"{label}: {counted(tasks, word)}" for label, tasks in pairs]


def _arcs(picture: DagPicture, x: Floats, y: Floats) -> list[Shape]:
    """Return the arcs; those that stand for more are wider, in steps of a pixel."""
    width = np.ceil(np.minimum(1 + np.log10(np.maximum(picture.count, 1)), _WIDEST_ARC))
    opacity = 0.5 if len(picture.count) < 500 else 0.25
    shapes: list[Shape] = []
    for wide in np.unique(width).tolist():
        above, below = picture.parent[width == wide], picture.child[width == wide]
        ends = x[above], y[above], x[below], y[below]
        shapes.append(Segments(*ends, width=0.8 * wide, opacity=opacity, name="arcs"))
    return shapes


def _labels(
    picture: DagPicture, x: Floats, y: Floats, room: tuple[float, float], radius: Floats
) -> list[Shape]:
    """Return the labels, below the nodes; a level's nodes share its width."""
    if room[1] < 2 * float(radius.max(initial=0)) + _SMALL + 4:
        return []
    beside = picture.width / np.bincount(picture.level)[picture.level] * room[0]
    names = (
        f"{label} x {tasks:,}" if tasks > 1 else label
        for label, tasks in zip(picture.label, picture.tasks.tolist(), strict=True)
    )
    places = zip(x.tolist(), y.tolist(), names, beside.tolist(), strict=True)
    found = ((a, b, _label(name, space - 4)) for a, b, name, space in places)
    return [Text(a, b, words, _SMALL, "middle") for a, b, words in found if words]


def _label(name: str, room: float) -> str:
    """Return *name*, cut so that wide letters have room too; empty if too little of it is left.

    >>> _label("fit_00", 40), _label("mDiff_00", 34), _label("mmm_mmm_mmm_00", 80)
    ('fit_00', '', 'mmm_…m_00')
    """
    words = fitted(name, room, _SMALL)
    while words and text_width(words, _SMALL) + _excess(words) > room:
        words = fitted(name, text_width(words, _SMALL) - 1, _SMALL)
    return words if words == name or columns_of(words) >= _FEWEST else ""


def _excess(words: str) -> float:
    """Return about how much wider *words* are than as many usual letters."""
    return 0.35 * _SMALL * sum(letter in "mwMW@%…" for letter in words)


def _scale(y: float) -> list[Shape]:
    """Return what the colours mean."""
    steps = 5 * len(SCALE)
    boxes: list[Shape] = [
        box(70 + 6.0 * at, y - 9, 6.0, 10.0, scale_colour(at / (steps - 1)), "scale")
        for at in range(steps)
    ]
    end = 70 + 6.0 * steps
    return [Text(_MARGIN, y, "runs first", 11), *boxes, Text(end + 6, y, "runs last", 11)]
