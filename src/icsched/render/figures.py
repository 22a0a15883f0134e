"""The figures of a study, drawn with matplotlib (the extra ``plot``).

They follow Malewicz et al. 2007, "A Tool for Prioritizing DAGMan Jobs and its
Evaluation". Figures are made without pyplot, so no global state changes. The same cells give the
same bytes of SVG.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from icsched.compare import METRICS
from icsched.errors import not_installed
from icsched.files import write_bytes
from icsched.pebble import Profile
from icsched.sim import Mean, Ratio
from icsched.study.cells import Cell, CellResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Scale = Callable[[ArrayLike], ArrayLike]
Curve: TypeAlias = Sequence[tuple[float, Mean | Ratio]]  # points, from left to right

TITLES = {
    "time": "execution time",
    "stall": "probability of stalling",
    "utilisation": "utilisation",
}
MOST_POINTS = 2000  # of a line: a page cannot show more

_GAP = 1.5  # columns between two sections
INK, FAINT = "#1a1a1a", "#999999"
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "icsched",
    "path.simplify": False,
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "text.parse_math": False,  # a name may have dollars
}


def ratio_figure(
    title: str, cells: Sequence[Cell], results: Sequence[CellResult], ordered_by: str = "prio"
) -> Figure:
    """Draw an order over FIFO in each cell: execution time, stalling, utilisation, top to bottom.

    Each section of a plot is one mean interval; inside it the batch size grows from left to right.
    Dots are medians and segments are intervals. A cell without a result or interval stays empty.
    Raises EngineError without matplotlib.

    >>> [axes.get_ylabel() for axes in ratio_figure("wf", [Cell(1, 16)], []).axes][1:]
    ['probability of stalling, prio / FIFO', 'utilisation, prio / FIFO']
    """
    with style():
        figure = blank(9, 8)
        figure.suptitle(title)
        place = _places(cells)
        for axes, metric in zip(figure.subplots(len(METRICS), sharex=True), METRICS, strict=True):
            _draw_ratios(axes, place, metric, results)
            axes.set_ylabel(f"{TITLES[metric]}, {ordered_by} / FIFO")
            _draw_sections(axes, place)
            axes.tick_params(axis="x", bottom=metric == METRICS[-1])
        _label_batches(axes, place)
    return figure


def eligible_figure(title: str, ours: Profile, fifo: Profile, ordered_by: str = "prio") -> Figure:
    """Draw by how many eligible jobs one profile is ahead of the other.

    This is figure 4 of Malewicz et al. 2007. The left scale is relative to the number of all jobs,
    the right scale counts jobs. Raises EngineError without matplotlib.

    >>> figure = eligible_figure("wf", np.array([2, 2, 1, 1, 0]), np.array([2, 1, 1, 1, 0]))
    >>> figure.axes[0].lines[1].get_ydata().tolist()
    [0.0, 0.25, 0.0, 0.0]
    """
    jobs = max(1, len(ours) - 1)
    steps, ahead = _outline(ours - fifo)
    with style():
        figure = blank(6, 3.2)
        axes = figure.subplots()
        axes.axhline(0, color=FAINT, linewidth=0.8)
        axes.plot(steps, ahead / jobs, color=INK, linewidth=0.8, gid="difference")
        axes.set(title=title, xlabel="jobs executed", ylabel="difference / jobs")
        absolute = axes.secondary_yaxis("right", functions=_scales(jobs))
        absolute.set_ylabel(f"eligible jobs, {ordered_by} - FIFO")
    return figure


def write_figure(figure: Figure, stem: str, suffixes: Sequence[str]) -> list[str]:
    """Write *figure* to *stem* with each of *suffixes*, svg or png; return the paths.

    Raises FormatError if a file cannot be written.

    >>> import tempfile
    >>> figure = ratio_figure("wf", [Cell(1, 16)], [])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     paths = write_figure(figure, f"{directory}/wf", ["svg", "png"])
    ...     [Path(path).name for path in paths if Path(path).exists()]
    ['wf.svg', 'wf.png']
    """
    paths = []
    for suffix in suffixes:
        paths.append(f"{stem}.{suffix}")
        write_bytes(Path(paths[-1]), _rendered(figure, suffix))
    return paths


def style() -> AbstractContextManager[None]:
    """Return the style of all figures, to draw in; raises EngineError without matplotlib."""
    try:
        import matplotlib as mpl  # an extra, and slow to import
    except ImportError:
        raise not_installed("matplotlib", "plot") from None
    return mpl.rc_context(_STYLE)


def blank(width: float, height: float) -> Figure:
    """Return an empty figure of this size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _rendered(figure: Figure, suffix: str) -> bytes:
    unstamped = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
    data = BytesIO()
    with style():
        figure.savefig(data, format=suffix, metadata=unstamped[suffix], dpi=150)
    return data.getvalue()


def _scales(jobs: int) -> tuple[Scale, Scale]:
    """Return the function from shares of all jobs to jobs, and its inverse."""

    def to_jobs(parts: ArrayLike) -> ArrayLike:
        return np.asarray(parts) * jobs

    def to_parts(counts: ArrayLike) -> ArrayLike:
        return np.asarray(counts) / jobs

    return to_jobs, to_parts


def _places(cells: Sequence[Cell]) -> dict[Cell, float]:
    """Return the place of each cell on the horizontal axis, one section after another."""
    sections = sorted({cell.interval for cell in cells})
    columns = sorted({cell.batch for cell in cells})
    width = len(columns) - 1 + 2 * _GAP
    return {
        Cell(interval, batch): section * width + _GAP + column
        for section, interval in enumerate(sections)
        for column, batch in enumerate(columns)
    }


def _draw_ratios(
    axes: Axes, place: dict[Cell, float], metric: str, results: Sequence[CellResult]
) -> None:
    found = [
        (place[result.cell], ratio)
        for result in results
        if (ratio := getattr(result.ratio, metric)) is not None
    ]
    axes.axhline(1, color=FAINT, linewidth=0.8)
    draw_intervals(axes, found, color=INK, gid=f"intervals-{metric}")
    at, medians = [x for x, _ in found], [ratio.median for _, ratio in found]
    axes.plot(at, medians, "o", color=INK, markersize=2.6, gid=f"medians-{metric}")


def draw_intervals(axes: Axes, curve: Curve, **look: Any) -> None:
    """Draw the intervals of *curve* as segments."""
    # One line with gaps: the SVG has a tenth of the size that a line for each segment would take.
    at = np.array([[x, x, np.nan] for x, _ in curve]).ravel()
    ends = np.array([[found.low, found.high, np.nan] for _, found in curve]).ravel()
    axes.plot(at, ends, linewidth=0.8, **look)


def _draw_sections(axes: Axes, place: dict[Cell, float]) -> None:
    columns = len({cell.batch for cell in place})
    width = columns - 1 + 2 * _GAP
    intervals = sorted({cell.interval for cell in place})
    axes.set_xlim(0, width * len(intervals))
    for section, interval in enumerate(intervals):
        if section:
            axes.axvline(section * width, color=FAINT, linewidth=0.8)
        label = f"interval {interval:g}"
        middle = (section + 0.5) / len(intervals)
        axes.text(middle, 1.02, label, transform=axes.transAxes, ha="center", fontsize=7)


def _label_batches(axes: Axes, place: dict[Cell, float]) -> None:
    """Write two batch sizes under each section, because more would overlap."""
    batches = sorted({cell.batch for cell in place})
    named = {batches[len(batches) // 4], batches[len(batches) * 3 // 4]}
    ticks = {x: f"{cell.batch:,g}" for cell, x in place.items() if cell.batch in named}
    axes.set_xticks(list(ticks), list(ticks.values()), fontsize=6)
    axes.set_xlabel("mean batch size")


def _outline(line: Profile) -> tuple[Profile, Profile]:
    """Return the steps and values to draw: both ends and the bends, or as many as a page can show.

    >>> steps, values = _outline(np.array([0, 1, 2, 3, 3]))
    >>> steps.tolist(), values.tolist()
    ([0, 3, 4], [0, 3, 3])
    """
    bends = np.diff(line, n=2, prepend=line[0] - 1, append=line[-1] - 1) != 0
    bends[[0, -1]] = True
    steps = np.flatnonzero(bends)
    if len(steps) > MOST_POINTS:
        inner = np.array_split(steps[1:-1], MOST_POINTS // 2 - 1)
        parts = [steps[:1], *inner, steps[-1:]]
        extremes = [{part[np.argmin(line[part])], part[np.argmax(line[part])]} for part in parts]
        steps = np.array([step for both in extremes for step in sorted(both)])
    return steps, line[steps]
