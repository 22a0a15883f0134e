"""The axes of a picture: places of numbers, ticks, labels and a legend."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np
from numpy.typing import ArrayLike

from icsched.arrays import Floats
from icsched.render.svg.shapes import Line, Segments, Shape, Text, fitted, text_width

SMALL = 10.0  # size of the labels of ticks, in pixels
_SIZE = 11.0  # of other text
_SAMPLE, _SPACE = 22.0, 18.0  # of a legend: the length of a line, the space between two entries


@dataclass(frozen=True)
class Frame:
    """A rectangle in pixels, and the numbers at its ends; y grows upwards."""

    left: float
    top: float
    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height

    def x(self, values: ArrayLike) -> Floats:
        """Return the places of numbers across."""
        low, high = self.x_range
        return self.left + (np.asarray(values, float) - low) * (self.width / (high - low))

    def y(self, values: ArrayLike) -> Floats:
        """Return the places of numbers from the top."""
        low, high = self.y_range
        return self.bottom - (np.asarray(values, float) - low) * (self.height / (high - low))

    def shapes(self, x_label: str, y_label: str) -> list[Shape]:
        """Return the ticks with their numbers and faint lines, and what the axes show."""
        return [
            *self.across(x_label),
            *self._grid(ticks(*self.y_range, most=int(self.height / 35))),
            Text(self.left - 42, self.top + self.height / 2, y_label, 11, "middle", True),
        ]

    def across(self, label: str) -> list[Shape]:
        """Return the lower axis alone."""
        marks = ticks(*self.x_range, most=int(self.width / 70))
        at, below = self.x(marks), np.full(len(marks), self.bottom)
        edge = np.array([self.left]), np.array([self.bottom])
        return [
            Segments(*edge, edge[0] + self.width, edge[1], name="axis"),
            Segments(at, below, at, below + 4, name="ticks"),
            *_numbers(marks, at, self.bottom + 15),
            Text(self.left + self.width / 2, self.bottom + 30, label, 11, "middle"),
        ]

    def _grid(self, marks: Sequence[float]) -> list[Shape]:
        at = self.y(marks)
        left, right = np.full(len(marks), self.left), np.full(len(marks), self.left + self.width)
        numbers = (
            Text(self.left - 6, float(y) + 3.5, tick_text(mark), SMALL, "end")
            for mark, y in zip(marks, at, strict=True)
        )
        return [Segments(left, at, right, at, width=0.5, opacity=0.3, name="grid"), *numbers]


def _numbers(marks: Sequence[float], at: Floats, y: float) -> list[Shape]:
    pairs = zip(marks, at.tolist(), strict=True)
    return [Text(x, y, tick_text(mark), SMALL, "middle") for mark, x in pairs]


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers from *low* to *high*: about *most*, at least two if there are two.

    >>> ticks(0, 345, 4), ticks(0, 3, 10)
    ([0.0, 100.0, 200.0, 300.0], [0.0, 1.0, 2.0, 3.0])
    >>> ticks(0.78, 1.01, 6), ticks(0, 3e-12, 3)
    ([0.8, 0.85, 0.9, 0.95, 1.0], [0.0, 1e-12, 2e-12, 3e-12])
    """
    step = _round_step((high - low) / max(2, most))
    if float(low).is_integer() and float(high).is_integer():
        step = max(1, ceil(step))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [float(f"{number * step:.10g}") for number in range(first, last + 1)]


def _round_step(least: float) -> float:
    power: float = 10.0 ** floor(log10(least))
    return next(power * by for by in (1, 2, 5, 10) if power * by >= least * (1 - 1e-9))


def tick_text(mark: float) -> str:
    """Return the number at a tick.

    >>> tick_text(12000), tick_text(0.85), tick_text(1e12)
    ('12,000', '0.85', '1e+12')
    """
    return f"{mark:,.10g}" if abs(mark) < 1e9 else f"{mark:g}"


def legend(entries: Iterable[Line], left: float, y: float, width: float) -> list[Shape]:
    """Return a sample of each line with its name; names are cut if *width* is short."""
    lines = list(entries)
    room = width - len(lines) * (_SAMPLE + _SPACE)
    is_short = sum(text_width(line.name, _SIZE) for line in lines) > room
    each = room / max(1, len(lines)) if is_short else room
    shapes: list[Shape] = []
    for line in lines:
        words = fitted(line.name, each, _SIZE) or "…"
        ends, level = np.array([left, left + _SAMPLE]), np.array([y - 4, y - 4])
        shapes.append(Line(ends, level, line.colour, line.width))
        shapes.append(Text(left + _SAMPLE + 7, y, words, _SIZE))
        left += _SAMPLE + _SPACE + text_width(words, _SIZE)
    return shapes
