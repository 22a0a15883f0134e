"""Curves with as many points as a page can show."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_POINTS = 1000  # of a curve: a page cannot show more

Line = NDArray[np.integer[Any]] | NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Curve:
    """A value at each of some steps, which ascend; between two steps a curve is drawn straight.

    Each value is exact: it is the value of the whole line at that step. The first and the last step
    of the line, its smallest and its largest value are always among them.
    """

    step: NDArray[np.int64]
    value: Line

    def __len__(self) -> int:
        return len(self.step)


def curve_of(line: Line, most: int = MOST_POINTS) -> Curve:
    """Return the curve of *line*, which has a value for each of the steps 0, 1, ...

    The steps are both ends and the bends, at which the line changes its slope. If there are more
    than *most* (at least 4), they are cut into pieces of equal length, and each piece keeps its
    smallest and its largest value. Takes O(length of the line) time.

    >>> curve = curve_of(np.array([0, 1, 2, 3, 3]))
    >>> curve.step.tolist(), curve.value.tolist()
    ([0, 3, 4], [0, 3, 3])
    """
    steps = _bends(line)
    if len(steps) > most:
        inner = np.array_split(steps[1:-1], max(1, most // 2 - 1))
        kept = [_extremes(line, part) for part in inner]
        steps = np.concatenate([steps[:1], *kept, steps[-1:]])
    return Curve(steps, line[steps])


def _bends(line: Line) -> NDArray[np.int64]:
    """Return both ends of *line*, and the steps at which its slope changes."""
    bends = np.zeros(len(line), bool)
    bends[[0, -1]] = True
    bends[1:-1] = np.diff(line, n=2) != 0
    return np.flatnonzero(bends).astype(np.int64)


def _extremes(line: Line, steps: NDArray[np.int64]) -> NDArray[np.int64]:
    values = line[steps]
    found: NDArray[np.int64] = steps[np.unique([np.argmin(values), np.argmax(values)])]
    return found
