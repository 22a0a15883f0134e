"""Shapes as PNG and PDF, painted by matplotlib (the extra ``plot``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from icsched.render.figures import blank, style
from icsched.render.svg.looks import INK
from icsched.render.svg.shapes import TEXT, Boxes, Dots, Drawing, Line, Segments, Shape, Text
from icsched.render.visible import named

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_PIXELS = 96.0  # of an SVG in an inch
_POINTS = 72.0 / _PIXELS  # of a pixel
_SIDES = {"start": "left", "middle": "center", "end": "right"}


def painted(drawing: Drawing) -> Figure:
    """Return the picture as a figure of matplotlib; raises EngineError without matplotlib."""
    with style():
        figure = blank(drawing.width / _PIXELS, drawing.height / _PIXELS)
        figure.set_layout_engine("none")
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_axis_off()
        axes.set(xlim=(0, drawing.width), ylim=(drawing.height, 0))
        for above, shape in enumerate(drawing.shapes):
            _paint(axes, shape, above)
    return figure


def _paint(axes: Axes, shape: Shape, above: int) -> None:
    match shape:
        case Line():
            axes.plot(
                *(shape.x, shape.y),
                color=_colour(shape.colour),
                linewidth=shape.width * _POINTS,
                zorder=above,
            )
        case Segments():
            _paint_segments(axes, shape, above)
        case Boxes():
            _paint_boxes(axes, shape, above)
        case Dots():
            _paint_dots(axes, shape, above)
        case Text():
            axes.text(
                *(shape.x, shape.y, named(shape.words)),
                fontsize=shape.size * _POINTS,
                color=INK,
                ha=_SIDES[shape.anchor],
                va="baseline",
                rotation=90 if shape.is_upright else 0,
                rotation_mode="anchor",
                zorder=above,
            )


def _paint_segments(axes: Axes, shape: Segments, above: int) -> None:
    from matplotlib.collections import LineCollection

    ends = np.stack([[shape.x0, shape.y0], [shape.x1, shape.y1]]).transpose(2, 0, 1)
    colour, width = _colour(shape.colour), shape.width * _POINTS
    look = {"colors": colour, "linewidths": width, "alpha": shape.opacity}
    axes.add_collection(LineCollection(list(ends), zorder=above, **look))


def _paint_boxes(axes: Axes, shape: Boxes, above: int) -> None:
    from matplotlib.collections import PolyCollection

    left, top = np.asarray(shape.x), np.asarray(shape.y)
    right, bottom = left + shape.width, top + shape.height
    corners = np.stack([[left, right, right, left], [top, top, bottom, bottom]]).transpose(2, 1, 0)
    colour = _colour(shape.colour)
    axes.add_collection(
        PolyCollection(list(corners), zorder=above, facecolors=colour, linewidths=0)
    )


def _paint_dots(axes: Axes, shape: Dots, above: int) -> None:
    from matplotlib.collections import EllipseCollection

    across = 2 * np.asarray(shape.radius)
    axes.add_collection(
        EllipseCollection(
            *(across, across, np.zeros(len(across))),
            offsets=np.column_stack([shape.x, shape.y]),
            offset_transform=axes.transData,
            units="xy",
            facecolors=[_colour(colour) for colour in shape.colours],
            edgecolors=INK,
            linewidths=0.6 * _POINTS,
            zorder=above,
        )
    )


def _colour(colour: str) -> str:
    return INK if colour == TEXT else colour
