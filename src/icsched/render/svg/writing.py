"""Shapes as SVG: text stays text, and nothing outside the file is needed."""

from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from icsched.render.svg.looks import INK
from icsched.render.svg.shapes import TEXT, Boxes, Dots, Drawing, Line, Segments, Shape, Text
from icsched.render.visible import named

_FONT = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
_MOST_TITLES = 3000
_NO_CHARACTERS = dict.fromkeys((0xFFFE, 0xFFFF), "?")  # XML cannot hold them


def svg_text(drawing: Drawing, *, is_inline: bool = False) -> str:
    """Return the picture as SVG, on white; *is_inline* is for a part of an HTML page.

    An inline picture has no background, and its text has the colour of the page's text, so that it
    can be read on a light page and on a dark one.

    >>> svg_text(Drawing("a <b>", 8, 9, []), is_inline=True).splitlines()[1]
    '<title>a &lt;b&gt;</title>'
    """
    size = f'width="{_short(drawing.width)}" height="{_short(drawing.height)}"'
    box = f'viewBox="0 0 {_short(drawing.width)} {_short(drawing.height)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img"'
    look = f'font-family="{_FONT}" style="max-width:100%;height:auto"'
    colour = "" if is_inline else f' color="{INK}"'
    back = "" if is_inline else f'<rect {size} fill="#ffffff"/>\n'
    body = "".join(f"{_written(shape)}\n" for shape in drawing.shapes)
    return (
        f"{head} {look}{colour}>\n<title>{safe_text(drawing.words)}</title>\n{back}{body}</svg>\n"
    )


def _written(shape: Shape) -> str:
    match shape:
        case Line():
            return _line(shape)
        case Segments():
            return _segments(shape)
        case Boxes():
            return _boxes(shape)
        case Dots():
            return _dots(shape)
        case Text():
            return _text(shape)


def _line(line: Line) -> str:
    look = f'fill="none" stroke="{_colour(line.colour)}" stroke-width="{_short(line.width)}"'
    points = " ".join(f"{x},{y}" for x, y in zip(_all(line.x), _all(line.y), strict=True))
    return f'<polyline{_name(line.name)} {look} stroke-linejoin="round" points="{points}"/>'


def _segments(shape: Segments) -> str:
    ends = zip(*map(_all, (shape.x0, shape.y0, shape.x1, shape.y1)), strict=True)
    path = "".join(f"M{a} {b}L{c} {d}" for a, b, c, d in ends)
    look = f'stroke="{_colour(shape.colour)}" stroke-width="{_short(shape.width)}"'
    return f'<path{_name(shape.name)} {look} stroke-opacity="{shape.opacity:g}" d="{path}"/>'


def _boxes(shape: Boxes) -> str:
    corners = zip(*map(_all, (shape.x, shape.y, shape.width, shape.height)), strict=True)
    path = "".join(f"M{x} {y}h{w}v{h}h-{w}z" for x, y, w, h in corners)
    return f'<path{_name(shape.name)} fill="{_colour(shape.colour)}" d="{path}"/>'


def _dots(shape: Dots) -> str:
    places = zip(*map(_all, (shape.x, shape.y, shape.radius)), shape.colours, strict=True)
    titles = list(shape.titles) if len(shape.titles) <= _MOST_TITLES else []
    dots = [
        f'<circle cx="{x}" cy="{y}" r="{r}" fill="{_colour(colour)}"' for x, y, r, colour in places
    ]
    if titles:
        pairs = zip(dots, titles, strict=True)
        body = "".join(f"{dot}><title>{safe_text(title)}</title></circle>" for dot, title in pairs)
    else:
        body = "".join(f"{dot}/>" for dot in dots)
    return f'<g{_name(shape.name)} stroke="currentColor" stroke-width="0.6">{body}</g>'


def _text(text: Text) -> str:
    x, y = _short(text.x), _short(text.y)
    turned = f' transform="rotate(-90 {x} {y})"' if text.is_upright else ""
    look = f'font-size="{text.size:g}" text-anchor="{text.anchor}" fill="currentColor"'
    return f'<text x="{x}" y="{y}" {look}{turned}>{safe_text(text.words)}</text>'


def _name(name: str) -> str:
    return f" data-name={quoteattr(_shown(name))}" if name else ""


def safe_text(words: str) -> str:
    """Return *words* as XML and HTML can have them; no character of a name can act on the page."""
    return escape(_shown(words), {'"': "&quot;", "'": "&#39;"})


def _shown(words: str) -> str:
    return named(words).translate(_NO_CHARACTERS)


def _colour(colour: str) -> str:
    return "currentColor" if colour == TEXT else colour


def _all(values: Iterable[float]) -> list[str]:
    return [_short(value) for value in np.asarray(values, float).tolist()]


def _short(value: float) -> str:
    """Return a length to a hundredth of a pixel.

    >>> _short(3.0), _short(0.456), _short(-0.001)
    ('3', '0.46', '0')
    """
    return f"{round(value, 2) + 0.0:.2f}".rstrip("0").rstrip(".")
