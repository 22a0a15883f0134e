"""The figures of a study, drawn with matplotlib (the extra ``plot``).

They follow Malewicz et al. 2007, "A Tool for Prioritizing DAGMan Jobs and its
Evaluation". Figures are made without pyplot, so no global state changes. The same cells give the
same bytes of SVG.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from icsched.compare import METRICS
from icsched.errors import not_installed
from icsched.files import write_bytes
from icsched.pebble import Profile
from icsched.pictures import curve_of
from icsched.render.svg.looks import COLOURS, FAINT, QUIET, line_widths
from icsched.sim import Mean, Ratio
from icsched.study.cells import BASELINE, Cell, CellResult

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

PRIO = {"prio": "prio"}  # the usual order, with its label

_GAP = 1.5  # columns between two sections
_BESIDE = 0.8  # columns that the orders of one cell take
_LABEL_POINTS = 6.0  # size of the labels below a ratio figure
_WIDTH, _MARGIN = 9.0, 0.9  # of a ratio figure: inches, and the share of them that has columns


class _Look(NamedTuple):
    """How an order is drawn."""

    color: str
    marker: str


_LOOKS = tuple(map(_Look, COLOURS, "os^DvPX"))
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "icsched",
    "path.simplify": False,
    "font.family": "DejaVu Sans",
    "font.size": 8.0,
    "text.parse_math": False,  # a name may have dollars
}


def ratio_figure(
    title: str,
    cells: Sequence[Cell],
    results: Sequence[CellResult],
    orders: Mapping[str, str] = PRIO,
) -> Figure:
    """Draw orders over FIFO in each cell: execution time, stalling, utilisation, top to bottom.

    *orders* has the label of each order. Each section of a plot is one mean interval; inside it the
    batch size, or the number of workers, grows from left to right. Dots are medians and segments
    are intervals. A cell without a result or interval stays empty. Raises EngineError without
    matplotlib.

    >>> [axes.get_ylabel() for axes in ratio_figure("wf", [Cell(1, 16)], []).axes][1:]
    ['probability of stalling, prio / FIFO', 'utilisation, prio / FIFO']
    """
    with style():
        figure = blank(_WIDTH, 8)
        figure.suptitle(title)
        place = _places(cells)
        for axes, metric in zip(figure.subplots(len(METRICS), sharex=True), METRICS, strict=True):
            _draw_ratios(axes, place, metric, results, orders)
            axes.set_ylabel(f"{TITLES[metric]}, {_who(orders.values())} / FIFO")
            _draw_sections(axes, place)
            _explain_gaps(axes, place, metric, results, orders)
            axes.ticklabel_format(axis="y", useOffset=False)
            axes.tick_params(axis="x", bottom=metric == METRICS[-1])
        _label_columns(axes, place)
        _add_legend(figure, axes, orders)
    return figure


def eligible_figure(title: str, profiles: Mapping[str, Profile], fifo: Profile) -> Figure:
    """Draw by how many eligible jobs each of *profiles*, by their labels, is ahead of FIFO's.

    This is figure 4 of Malewicz et al. 2007. The left scale is relative to the number of all jobs,
    the right scale counts jobs. Raises EngineError without matplotlib.

    >>> ours = {"prio": np.array([2, 2, 1, 1, 0])}
    >>> figure = eligible_figure("wf", ours, np.array([2, 1, 1, 1, 0]))
    >>> figure.axes[0].lines[1].get_ydata().tolist()
    [0.0, 0.25, 0.0, 0.0]
    """
    jobs = max(1, len(fifo) - 1)
    with style():
        figure = blank(6, 3.2)
        axes = figure.subplots()
        axes.axhline(0, color=FAINT, linewidth=0.8)
        drawn = zip(cycle(_LOOKS), line_widths(len(profiles)), profiles.items(), strict=False)
        for look, width, (label, ours) in drawn:
            ahead = curve_of(ours - fifo, MOST_POINTS)
            drawn_as = _drawn(look, label, "difference")
            axes.plot(ahead.step, ahead.value / jobs, linewidth=width, **drawn_as)
        axes.set(title=title, xlabel="jobs executed", ylabel="difference / jobs")
        absolute = axes.secondary_yaxis("right", functions=_scales(jobs))
        absolute.set_ylabel(f"eligible jobs, {_who(profiles)} - FIFO")
        _add_legend(figure, axes, profiles)
    return figure


def _who(labels: Iterable[str]) -> str:
    """Return the label of the only order; a legend has the labels of several."""
    first, *others = labels
    return "order" if others else first


def _drawn(look: _Look, label: str, what: str) -> dict[str, Any]:
    """Return how a line is drawn; `gid` is its name in the SVG."""
    return {"color": look.color, "label": label, "gid": f"{what}-{label}"}


def _add_legend(figure: Figure, axes: Axes, orders: Collection[str]) -> None:
    if len(orders) > 1:
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)


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
        write_bytes(Path(paths[-1]), rendered(figure, suffix))
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


def rendered(figure: Figure, suffix: str) -> bytes:
    """Return *figure* as svg, png or pdf; the same figure always has the same bytes."""
    unstamped = {
        "svg": {"Date": None, "Creator": None},
        "png": {"Software": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    }
    data = BytesIO()
    with style(), warnings.catch_warnings():
        # An SVG leaves letters to the program that shows it; a PNG has boxes for those of no font.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.savefig(data, format=suffix, metadata=unstamped[suffix], dpi=150)
    return data.getvalue()


def _scales(jobs: int) -> tuple[Scale, Scale]:
    """Return the function from shares of all jobs to jobs, and its inverse."""

    def to_jobs(parts: ArrayLike) -> ArrayLike:
        return np.asarray(parts) * jobs

    def to_parts(counts: ArrayLike) -> ArrayLike:
        return np.asarray(counts) / jobs

    return to_jobs, to_parts


def _column(cell: Cell) -> float:
    """Return what grows from left to right: batch size or workers; 0 for the only pool."""
    return float(cell.workers or cell.batch or 0)


def _section(cell: Cell) -> float:
    return cell.interval or 0.0


def _places(cells: Sequence[Cell]) -> dict[Cell, float]:
    """Return the place of each cell on the horizontal axis, one section after another."""
    sections = {value: i for i, value in enumerate(sorted(set(map(_section, cells))))}
    columns = {value: i for i, value in enumerate(sorted(set(map(_column, cells))))}
    width = _section_width(cells)
    return {
        cell: sections[_section(cell)] * width + _GAP + columns[_column(cell)] for cell in cells
    }


def _section_width(cells: Iterable[Cell]) -> float:
    return len(set(map(_column, cells))) - 1 + 2 * _GAP


def _room(cells: Collection[Cell]) -> float:
    """Return the points from one column to the next."""
    columns = _section_width(cells) * len(set(map(_section, cells)))
    return _WIDTH * _MARGIN * 72 / columns


def _draw_ratios(
    axes: Axes,
    place: dict[Cell, float],
    metric: str,
    results: Sequence[CellResult],
    orders: Mapping[str, str],
) -> None:
    axes.axhline(1, color=FAINT, linewidth=0.8)
    size = min(2.6, max(1.6, _room(place) * _BESIDE / len(orders)))  # hides no neighbour
    for number, (order, label) in enumerate(orders.items()):
        look = _LOOKS[number % len(_LOOKS)]
        beside = _BESIDE * ((number + 0.5) / len(orders) - 0.5)  # so that segments do not overlap
        found = [
            (place[result.cell] + beside, ratio)
            for result in results
            if (ratio := getattr(result.ratios(order), metric)) is not None
        ]
        draw_intervals(axes, found, color=look.color, gid=f"intervals-{metric}-{label}")
        at, medians = [x for x, _ in found], [ratio.median for _, ratio in found]
        drawn = _drawn(look, label, f"medians-{metric}")
        axes.plot(at, medians, look.marker, markersize=size, **drawn)


def draw_intervals(axes: Axes, curve: Curve, **look: Any) -> None:
    """Draw the intervals of *curve* as segments."""
    # One line with gaps: the SVG has a tenth of the size that a line for each segment would take.
    at = np.array([[x, x, np.nan] for x, _ in curve]).ravel()
    ends = np.array([[found.low, found.high, np.nan] for _, found in curve]).ravel()
    axes.plot(at, ends, linewidth=0.8, **look)


def _draw_sections(axes: Axes, place: dict[Cell, float]) -> None:
    sections = sorted(set(map(_section, place)))
    width = _section_width(place)
    axes.set_xlim(0, width * len(sections))
    for section, interval in enumerate(sections):
        if section:
            axes.axvline(section * width, color=FAINT, linewidth=0.8)
        label = f"interval {interval:g}" if interval else ""
        middle = (section + 0.5) / len(sections)
        axes.text(middle, 1.02, label, transform=axes.transAxes, ha="center", fontsize=7)


def _label_columns(axes: Axes, place: dict[Cell, float]) -> None:
    """Write as many batch sizes, or numbers of workers, below each section as have room."""
    columns = sorted(set(map(_column, place)))
    is_alone = columns == [0.0]
    labels = [f"{column:,g}" for column in columns]
    room = _room(place)
    is_upright = room < 0.7 * _LABEL_POINTS * max(map(len, labels))
    each = math.ceil(1.3 * _LABEL_POINTS / room) if is_upright else 1
    named = set(columns[::each])
    ticks = {x: f"{_column(cell):,g}" for cell, x in place.items() if _column(cell) in named}
    axes.set_xticks(
        list(ticks),
        [""] * len(ticks) if is_alone else ticks.values(),
        fontsize=_LABEL_POINTS,
        rotation=90 if is_upright else 0,
    )
    has_workers = any(cell.workers is not None for cell in place)
    words = "workers" if has_workers else "mean batch size"
    axes.set_xlabel("the pool" if is_alone else words)


def _explain_gaps(
    axes: Axes,
    place: dict[Cell, float],
    metric: str,
    results: Sequence[CellResult],
    orders: Mapping[str, str],
) -> None:
    """Say in each section without a dot why there is none; once, if no section has one."""
    sections = sorted(set(map(_section, place)))
    found = [[result for result in results if _section(result.cell) == s] for s in sections]
    gaps = {i: one for i, one in enumerate(found) if not _has_ratio(one, metric, orders)}
    if len(gaps) == len(sections):
        _write_inside(axes, 0.5, _why_empty(results, orders).replace("\n", " "))
        axes.set_yticks([1.0])
        return
    for section, there in gaps.items():
        _write_inside(axes, (section + 0.5) / len(sections), _why_empty(there, orders))


def _has_ratio(results: Sequence[CellResult], metric: str, orders: Mapping[str, str]) -> bool:
    return any(getattr(result.ratios(order), metric) for result in results for order in orders)


def _why_empty(results: Sequence[CellResult], orders: Mapping[str, str]) -> str:
    """Say why no result has a ratio of stalls: both means must not be 0, FIFO's clearly so."""
    if not results:
        return "not simulated\nyet"
    labels = {**orders, BASELINE: "FIFO"}
    never = [
        label
        for order, label in labels.items()
        if all(result.orders[order].stall.mean == 0 for result in results)
    ]
    if not never:
        return "stalls too rare\nfor a ratio"
    return "never stalled" if len(never) == len(labels) else f"{', '.join(never)}\nnever stalled"


def _write_inside(axes: Axes, across: float, words: str) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "pad": 2}
    place: dict[str, Any] = {"transform": axes.transAxes, "bbox": box}
    axes.text(across, 0.5, words, ha="center", va="center", fontsize=7, color=QUIET, **place)
