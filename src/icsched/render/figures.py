"""Figures drawn with matplotlib (the extra ``plot``): the figures of a study, and curves.

The figures of a study follow Malewicz et al. 2007, "A Tool for Prioritizing DAGMan Jobs and its
Evaluation". Figures are made without pyplot, so no global state changes. The same cells give the
same bytes of SVG.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from icsched.compare import METRICS
from icsched.errors import EngineError
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
_INK, _FAINT = "#1a1a1a", "#999999"
# Colours that most people can tell apart; a dashed curve lets a curve below it show through.
_LOOKS = (
    (_INK, "-"),
    (_FAINT, "-"),
    ("#e69f00", "-"),
    ("#0072b2", "-"),
    ("#d55e00", "-"),
    ("#009e73", "--"),
    ("#cc79a7", "--"),
)
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
    with _style():
        figure = _blank(9, 8)
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
    with _style():
        figure = _blank(6, 3.2)
        axes = figure.subplots()
        axes.axhline(0, color=_FAINT, linewidth=0.8)
        axes.plot(steps, ahead / jobs, color=_INK, linewidth=0.8, gid="difference")
        axes.set(title=title, xlabel="jobs executed", ylabel="difference / jobs")
        absolute = axes.secondary_yaxis("right", functions=_scales(jobs))
        absolute.set_ylabel(f"eligible jobs, {ordered_by} - FIFO")
    return figure


def curves_figure(
    panels: Mapping[str, Mapping[str, Curve]], *, columns: int, labels: tuple[str, str]
) -> Figure:
    """Draw one plot for each of *panels*, row by row, with one curve for each name.

    *labels* are those of the axes. A name has the same colour in all plots, and the plots of a row
    have the same scale. Segments are intervals. Both scales are logarithmic; below the smallest
    positive value the horizontal one is linear, so that 0 has a place, too.
    Raises EngineError without matplotlib.
    """
    names = list(dict.fromkeys(name for curves in panels.values() for name in curves))
    rows = -(-len(panels) // columns)
    with _style():
        figure = _blank(3 * columns, 2.3 * rows + 0.4)
        plots = figure.subplots(rows, columns, sharex=True, sharey="row", squeeze=False)
        for axes, (title, curves) in zip(plots.flat, panels.items(), strict=False):
            _draw_curves(axes, curves, names)
            axes.set_title(title, fontsize=8)
        for axes in plots[-1]:
            axes.set_xlabel(labels[0])
        for axes in plots[:, 0]:
            axes.set_ylabel(labels[1])
        lines = {line.get_label(): line for axes in plots.flat for line in axes.get_lines()}
        shown = [lines[name] for name in names]
        figure.legend(handles=shown, loc="outside lower center", ncols=len(shown), frameon=False)
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


def _style() -> AbstractContextManager[None]:
    try:
        import matplotlib as mpl  # an extra, and slow to import
    except ImportError:
        problem = "matplotlib is not installed; pip install 'icsched[plot]'"
        raise EngineError(problem) from None
    return mpl.rc_context(_STYLE)


def _blank(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _rendered(figure: Figure, suffix: str) -> bytes:
    unstamped = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
    data = BytesIO()
    with _style():
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
    axes.axhline(1, color=_FAINT, linewidth=0.8)
    _draw_intervals(axes, found, color=_INK, gid=f"intervals-{metric}")
    at, medians = [x for x, _ in found], [ratio.median for _, ratio in found]
    axes.plot(at, medians, "o", color=_INK, markersize=2.6, gid=f"medians-{metric}")


def _draw_intervals(axes: Axes, curve: Curve, **look: Any) -> None:
    # One line with gaps: the SVG has a tenth of the size that a line for each segment would take.
    at = np.array([[x, x, np.nan] for x, _ in curve]).ravel()
    ends = np.array([[found.low, found.high, np.nan] for _, found in curve]).ravel()
    axes.plot(at, ends, linewidth=0.8, **look)


def _draw_curves(axes: Axes, curves: Mapping[str, Curve], names: Sequence[str]) -> None:
    from matplotlib.ticker import LogLocator

    for name, curve in curves.items():
        color, dash = _LOOKS[names.index(name) % len(_LOOKS)]
        at, middle = [x for x, _ in curve], [_middle(found) for _, found in curve]
        axes.plot(at, middle, dash, color=color, linewidth=1, label=name, gid=f"curve-{name}")
        _draw_intervals(axes, curve, color=color)
    ticks = sorted({x for curve in curves.values() for x, _ in curve})
    axes.set_xscale("symlog", linthresh=min((x for x in ticks if x > 0), default=1.0))
    axes.set_xticks(ticks, [f"{x:g}" for x in ticks], fontsize=6)
    axes.set_xticks([], minor=True)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")
    axes.grid(visible=True, color=_FAINT, linewidth=0.3)


def _middle(found: Mean | Ratio) -> float:
    return found.mean if isinstance(found, Mean) else found.median


def _draw_sections(axes: Axes, place: dict[Cell, float]) -> None:
    columns = len({cell.batch for cell in place})
    width = columns - 1 + 2 * _GAP
    intervals = sorted({cell.interval for cell in place})
    axes.set_xlim(0, width * len(intervals))
    for section, interval in enumerate(intervals):
        if section:
            axes.axvline(section * width, color=_FAINT, linewidth=0.8)
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
