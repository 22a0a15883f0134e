"""Every static picture, drawn with matplotlib (the extra ``plot``): workflows, runs and studies.

Figures are made without pyplot, so no global state changes. The same input gives the same bytes.
The figures of a study follow Malewicz et al. 2007, "A Tool for Prioritizing DAGMan Jobs and its
Evaluation".
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from io import BytesIO
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

import numpy as np

from icsched.arrays import Floats, Ids, Mask
from icsched.errors import not_installed
from icsched.files import write_bytes
from icsched.messages import counted, named, number, visible_time
from icsched.pebble import Profile
from icsched.report.curves import curve_of
from icsched.report.lanes import Lanes
from icsched.report.scene import DagPicture, few_kinds
from icsched.sim import METRICS
from icsched.study.cells import BASELINE, Cell, CellResult

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

INK, QUIET, FAINT, BAND = "#1a1a1a", "#555555", "#999999", "#bbbbbb"
# Most people can tell these colours apart, and each can be read on white.
COLOURS = (INK, "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
MARKERS = "os^DvPX"
CEILING = "ceiling: no order has more"
TITLES = {
    "time": "execution time",
    "stall": "probability of stalling",
    "utilisation": "utilisation",
}
MOST_POINTS = 2000  # of a line: a page cannot show more

PRIO = {"prio": "prio"}  # the usual order, with its label

_THIN, _WIDER, _WIDEST = 1.0, 1.1, 4.5  # points: curves above, each below, the first at most
_BAND = 4.0  # points by which the ceiling is wider than the widest curve
_NODE, _LEVEL = 0.94, 0.73  # inches that a node of a dag has across and down, if there is room
_LEAST = 3.3  # inches across of a dag, so that the scale of its colours has room
_FRAME, _LINE = 0.1, 0.26  # inches around a dag, and of a line of text above or below it
_AT_ONCE = 500  # arcs of a dag that are drawn as one line
_FEWEST = 5  # columns of a name that was cut; fewer tell nothing
_LANE, _MOST_LANES, _ACROSS = 0.146, 4.4, 9.4  # inches: a lane, all lanes of an order, their width
_GAP = 1.5  # columns between two sections
_BESIDE = 0.8  # columns that the orders of one cell take
_LABEL_POINTS = 6.0  # size of the labels below a ratio figure
_WIDTH, _MARGIN = 9.0, 0.9  # of a ratio figure: inches, and the share of them that has columns
_SIZE, _TITLE, _NAME = 8.0, 10.0, 7.6  # points: of text, of titles, of the names in a dag

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "icsched",
    "path.simplify": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": _SIZE,
    "text.parse_math": False,  # a name may have dollars
}


def curves_figure(
    title: str,
    profiles: Mapping[str, Profile],
    ceiling: Profile | None = None,
    *,
    size: tuple[float, float] = (7.5, 4.2),
    word: str = "job",
) -> Figure:
    """Draw the eligible tasks of each of *profiles*, by the names of the orders.

    All have a value for each of 0, 1, ... executed tasks. *ceiling* is a grey band. A curve below
    another is wider. *size* is in inches, *word* is what a task is called. Raises EngineError
    without matplotlib.

    >>> figure = curves_figure("wf", {"prio": np.array([1, 2, 1, 0])})
    >>> [line.get_label() for line in figure.axes[0].lines]
    ['prio']
    """
    with style():
        figure = blank(*size)
        axes = figure.subplots()
        lines = list(zip(profiles.values(), _line_looks(profiles, "curve"), strict=True))
        if ceiling is not None:  # a band below the curves
            width = lines[0][1]["linewidth"] + _BAND
            band = {"color": BAND, "label": CEILING, "gid": "ceiling", "linewidth": width}
            lines.insert(0, (ceiling, band))
        for values, look in lines:
            axes.plot(*curve_of(values, MOST_POINTS), clip_on=False, **look)
        axes.set_xlim(0, max(1.0, axes.dataLim.x1))
        axes.set_ylim(0, max(1.0, axes.dataLim.y1))
        axes.set(xlabel=f"{word}s executed", ylabel=f"eligible {word}s")
        axes.set_title(fitted(title, 72 * size[0] - 60, _TITLE), loc="left", fontsize=_TITLE)
        axes.locator_params(integer=True)
        axes.grid(axis="y", color=FAINT, linewidth=0.3)
        axes.spines[["left", "right", "top"]].set_visible(False)
        axes.tick_params(axis="y", length=0)
        _count(axes.xaxis, axes.yaxis)
        _add_legend(figure, *axes.get_legend_handles_labels())
    return figure


def _line_looks(labels: Iterable[str], what: str) -> Iterator[dict[str, Any]]:
    """Yield how the line of each label is drawn; the lowest is the widest, so that none is hidden.

    `gid` is the name of the line in the SVG.
    """
    names = list(map(shown, labels))
    wider = min(_WIDER, (_WIDEST - _THIN) / max(1, len(names) - 1))
    for below, (name, colour) in enumerate(zip(names, cycle(COLOURS), strict=False), 1):
        width = round(_THIN + wider * (len(names) - below), 3)
        yield {"color": colour, "linewidth": width, "label": name, "gid": f"{what}-{name}"}


def dag_figure(
    title: str,
    picture: DagPicture,
    ranks: Ids | None = None,
    *,
    most: tuple[float, float] = (16.7, 12.5),
) -> Figure:
    """Draw *picture* in at most this many inches; *ranks* has the place of each task in an order.

    Parents are above their children. Nodes are coloured by the order, from light to dark, or by
    their kinds if there are no *ranks*. Names are written where they have room. The area of a group
    grows with its tasks. Raises EngineError without matplotlib.
    """
    head, foot = (_LINE if title else 0.0), (_LINE if ranks is not None else 0.0)
    wide = min(max(picture.width * _NODE, _LEAST), most[0])
    high = min(picture.height * _LEVEL, most[1] - head - foot)
    room = wide / picture.width, high / picture.height  # inches from one node to the next
    with style():
        figure = blank(wide + 2 * _FRAME, high + head + foot + 2 * _FRAME)
        figure.set_layout_engine("none")
        width, height = figure.get_size_inches()
        axes = figure.add_axes(
            (_FRAME / width, (_FRAME + foot) / height, wide / width, high / height),
            xlim=(0, picture.width),
            ylim=(picture.height, 0),
        )
        axes.set_axis_off()
        radius = _radius(picture, 72 * min(room))
        _draw_arcs(axes, picture)
        axes.scatter(
            *(picture.x, picture.y, (2 * radius) ** 2),
            c=_node_colours(picture, ranks),
            edgecolors=INK,
            linewidths=0.5,
            clip_on=False,
            zorder=3,
            gid="tasks",
        )
        _write_names(axes, picture, radius, room)
        words = fitted(title, 72 * wide, _TITLE)
        figure.text(_FRAME / width, 1 - _FRAME / height, words, va="top", fontsize=_TITLE)
        if ranks is not None:
            _add_scale(figure)
    return figure


def _radius(picture: DagPicture, room: float) -> Floats:
    """Return the radius of each group, or of all tasks; *room* is from one node to the next."""
    largest = min(9.0, max(0.9, 0.3 * room))
    if not picture.is_grouped:
        return np.array([largest])
    share: Floats = np.sqrt(picture.tasks / picture.tasks.max(initial=1))
    smallest = min(1.5, largest)
    return smallest + (largest - smallest) * share


def _node_colours(picture: DagPicture, ranks: Ids | None) -> Any:
    from matplotlib import colormaps

    if ranks is None:
        usable = COLOURS[1:]
        return [usable[kind % len(usable)] for kind in picture.kind.tolist()]
    return colormaps["viridis_r"](picture.mean_of(ranks) / max(1, len(picture.node) - 1))


def _draw_arcs(axes: Axes, picture: DagPicture) -> None:
    """Draw the arcs; those that stand for more are wider."""
    width = np.ceil(np.minimum(1 + np.log10(np.maximum(picture.count, 1)), 4.0))
    thin = 0.6 if len(width) < _AT_ONCE else 0.3
    for wide in np.unique(width).tolist():
        arcs = np.flatnonzero(width == wide)
        # Few at once: a PNG of one line with all of them takes gigabytes.
        for part in np.split(arcs, range(_AT_ONCE, len(arcs), _AT_ONCE)):
            above, below = picture.parent[part], picture.child[part]
            ends = (_with_gaps(at[above], at[below]) for at in (picture.x, picture.y))
            look = {"color": FAINT, "linewidth": thin * wide, "gid": f"arcs-{part[0]}"}
            axes.plot(*ends, zorder=1, clip_on=False, **look)


def _with_gaps(begin: Floats, end: Floats) -> Floats:
    """Return the ends of segments in turn, with a gap after each.

    One line with gaps makes an SVG a tenth of the size that a line for each segment would make.
    """
    return np.stack([begin, end, np.full(len(begin), np.nan)], axis=-1).ravel()


def _write_names(
    axes: Axes, picture: DagPicture, radius: Floats, room: tuple[float, float]
) -> None:
    """Write names below the nodes, unless they have no room; the nodes of a level share its width.

    White below a name hides the arcs that it is written on.
    """
    if 72 * room[1] < 2 * float(radius.max(initial=0)) + _SIZE + 4:
        return
    back = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.4}
    beside = 72 * room[0] * picture.width / np.bincount(picture.level)[picture.level] - 2
    below = picture.y + (radius + 2) / (72 * room[1])
    rows = zip(picture.x, below, beside, picture.label, picture.tasks.tolist(), strict=True)
    for x, y, space, label, tasks in rows:
        name = f"{label} x {tasks:,}" if tasks > 1 else label
        if words := fitted(name, space, _NAME):
            axes.text(x, y, words, ha="center", va="top", fontsize=_NAME, bbox=back, zorder=2)


def _add_scale(figure: Figure) -> None:
    """Say what the colours of an order mean."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable

    width, height = figure.get_size_inches()
    axes = figure.add_axes((0.8 / width, _FRAME / height, 1.5 / width, 0.1 / height))
    scale = ScalarMappable(cmap=colormaps["viridis_r"].resampled(25))
    figure.colorbar(scale, cax=axes, orientation="horizontal", ticks=[])
    axes.text(-0.05, 0.4, "runs first", ha="right", va="center", transform=axes.transAxes)
    axes.text(1.05, 0.4, "runs last", ha="left", va="center", transform=axes.transAxes)


def lanes_figure(
    title: str, runs: Mapping[str, Lanes], kind: Ids, kinds: Sequence[str], *, unit: str = ""
) -> Figure:
    """Draw *runs*, by the names of their orders, below each other and on one scale of time.

    Each worker is a row, each task that it ran a bar. Bars have the colour of the task's kind:
    *kind* is an index into *kinds* for each task. Only the first kinds have colours of their own.
    What gave no result is grey. A line marks the end of each run. Raises EngineError without
    matplotlib.
    """
    kind, names = few_kinds(kind, tuple(kinds), len(COLOURS) - 1)
    end = visible_time(max(lanes.end for lanes in runs.values())) or 1.0
    heights = [min(_MOST_LANES, _LANE * max(1, lanes.workers)) for lanes in runs.values()]
    looks = [*zip(map(shown, names), COLOURS[1:], strict=False), ("no result", FAINT)]
    with style():
        figure = blank(_ACROSS, sum(heights) + 0.5 * len(runs) + 0.8)
        words = fitted(title, 72 * _ACROSS - 20, _TITLE)
        figure.suptitle(words, x=0.01, ha="left", fontsize=_TITLE)
        plots = figure.subplots(len(runs), height_ratios=heights, squeeze=False)[:, 0]
        legend: dict[int, Artist] = {}
        for axes, (order, lanes) in zip(plots, runs.items(), strict=True):
            has_result = lanes.ending == lanes.endings.index("result")
            look = np.where(has_result, kind[lanes.task], len(names))
            for at in np.unique(look).tolist():
                name, colour = looks[at]
                drawn = {"facecolor": colour, "label": name, "gid": f"{shown(order)}: {name}"}
                legend[at] = _draw_bars(axes, lanes, look == at, end, **drawn)
            axes.axvline(lanes.end, color=INK, linewidth=1.2, clip_on=False)
            axes.set(xlim=(0, end), ylim=(max(1, lanes.workers), 0), yticks=[])
            axes.set_title(_run_words(order, lanes, unit), loc="left", fontsize=_SIZE)
            axes.spines[["left", "right", "top"]].set_visible(False)
            _count(axes.xaxis)
        axes.set_xlabel(f"time, in {unit}" if unit else "time")
        in_turn = sorted(legend)
        _add_legend(figure, [legend[at] for at in in_turn], [looks[at][0] for at in in_turn])
    return figure


def _run_words(order: str, lanes: Lanes, unit: str) -> str:
    """Say when a run ends, and how many workers it has."""
    time = number(float(f"{visible_time(lanes.end):.4g}"))
    cut = f", the first {counted(len(lanes), 'bar')} of more" if lanes.is_cut else ""
    ends = f"ends at {time} {unit}".rstrip()
    return f"{shown(order)}: {ends}, {counted(lanes.workers, 'worker')}{cut}"


def _draw_bars(axes: Axes, lanes: Lanes, of: Mask, end: float, **look: Any) -> Artist:
    """Draw the bars *of* one colour as one path, with a thin gap after each."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Outline

    gap = end / (72 * _ACROSS) / 4
    left, top = lanes.start[of], lanes.lane[of].astype(float)
    right, bottom = np.maximum(lanes.stop[of] - gap, left + gap), top + 0.85
    corners = np.stack([[left, right, right, left], [top, top, bottom, bottom]]).transpose(2, 1, 0)
    outline = Outline.make_compound_path_from_polys(corners)
    return axes.add_patch(PathPatch(outline, linewidth=0, **look))


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
        panels = _Panels(cells, results, orders)
        for axes, metric in zip(figure.subplots(len(METRICS), sharex=True), METRICS, strict=True):
            panels.draw_ratios(axes, metric)
            panels.draw_sections(axes)
            panels.explain_gaps(axes, metric)
            axes.set_ylabel(f"{TITLES[metric]}, {_who(orders.values())} / FIFO")
            axes.ticklabel_format(axis="y", useOffset=False)
            axes.tick_params(axis="x", bottom=metric == METRICS[-1])
        panels.label_columns(axes)
        if len(orders) > 1:
            _add_legend(figure, *axes.get_legend_handles_labels())
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
        looks = _line_looks(profiles, "difference")
        for ours, look in zip(profiles.values(), looks, strict=True):
            steps, ahead = curve_of(ours - fifo, MOST_POINTS)
            axes.plot(steps, ahead / jobs, **look)
        axes.set(title=title, xlabel="jobs executed", ylabel="difference / jobs")
        scales = partial(np.multiply, jobs), lambda counts: np.asarray(counts) / jobs
        absolute = axes.secondary_yaxis("right", functions=scales)
        absolute.set_ylabel(f"eligible jobs, {_who(profiles)} - FIFO")
        if len(profiles) > 1:
            _add_legend(figure, *axes.get_legend_handles_labels())
    return figure


def _who(labels: Iterable[str]) -> str:
    """Return the label of the only order; a legend has the labels of several."""
    first, *others = labels
    return "order" if others else first


def _add_legend(figure: Figure, handles: Iterable[Artist], labels: Iterable[str]) -> None:
    """Write a legend below the plots; long labels are cut."""
    room, beside = 72 * figure.get_figwidth() - 10, 4.8 * _SIZE
    words = [fitted(label, room / 2 - beside) or "…" for label in labels]
    wide = [text_width(one) + beside for one in words]
    columns = len(words) if sum(wide) <= room else int(room / max(wide))
    figure.legend(list(handles), words, loc="outside lower center", ncols=columns, frameon=False)


def _count(*along: Axis) -> None:
    """Write the numbers along axes in full, with a comma after the thousands."""
    for axis in along:
        axis.set_major_formatter("{x:,.10g}")


def shown(words: str) -> str:
    """Return *words* with control characters by name, and without what XML cannot hold."""
    return named(words).translate(dict.fromkeys((0xFFFE, 0xFFFF), "?"))


def text_width(words: str, size: float = _SIZE) -> float:
    """Return about how wide *words* are, rather too wide; Chinese letters take two columns.

    A program that shows an SVG may have another font.
    """
    wide = sum(letter in "mwMW@%…" for letter in words)
    return size * (0.65 * _columns(words) + 0.35 * wide)


def _columns(words: str) -> int:
    return sum(1 + (east_asian_width(letter) in "WF") for letter in words)


def fitted(words: str, room: float, size: float = _SIZE) -> str:
    """Return *words*, cut in the middle if they are longer than *room*; empty if that is short.

    The end of a name often has the number that tells tasks apart.

    >>> fitted("generate_12", 72, 10), fitted("generate_12", 50, 10), fitted("generate_12", 35, 10)
    ('generate_12', 'gen…_12', '')
    >>> fitted("漢字漢字", 52, 10), fitted("漢字漢字", 46, 10)
    ('漢字漢字', '漢…字')
    """
    words = shown(words)  # what will be seen: escapes are longer
    if text_width(words, size) <= room:
        return words
    most = min(len(words), int(room / (0.65 * size)))
    for kept in range(most - 1, 1, -1):
        cut = f"{words[: kept - kept // 2]}…{words[len(words) - kept // 2 :]}"
        if text_width(cut, size) <= room:
            return cut if _columns(cut) >= _FEWEST else ""
    return ""


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


def _place(cell: Cell) -> tuple[float, float]:
    """Return the section of a cell and its column, which is 0 for the only pool."""
    return cell.interval or 0.0, float(cell.workers or cell.batch or 0)


class _Panels:
    """The plots of a ratio figure: sections side by side, each with a column for each pool."""

    def __init__(
        self, cells: Sequence[Cell], results: Sequence[CellResult], orders: Mapping[str, str]
    ) -> None:
        self.results, self.orders = results, orders
        self.has_workers = any(cell.workers is not None for cell in cells)
        self.sections = sorted({_place(cell)[0] for cell in cells})
        self.columns = sorted({_place(cell)[1] for cell in cells})
        self.width = len(self.columns) - 1 + 2 * _GAP
        # The points from one column to the next.
        self.room = _WIDTH * _MARGIN * 72 / (self.width * max(1, len(self.sections)))
        self.across = {
            cell: self.sections.index(section) * self.width + _GAP + self.columns.index(column)
            for cell in cells
            for section, column in [_place(cell)]
        }

    def draw_ratios(self, axes: Axes, metric: str) -> None:
        """Draw a dot and a segment for each ratio."""
        axes.axhline(1, color=FAINT, linewidth=0.8)
        orders = self.orders
        size = min(2.6, max(1.6, self.room * _BESIDE / len(orders)))  # hides no neighbour
        looks = zip(orders.items(), cycle(COLOURS), cycle(MARKERS), strict=False)
        for nth, ((order, label), colour, marker) in enumerate(looks):
            beside = _BESIDE * ((nth + 0.5) / len(orders) - 0.5)  # so that segments do not overlap
            found = [
                (self.across[result.cell] + beside, ratio.low, ratio.high, ratio.median)
                for result in self.results
                if (ratio := getattr(result.ratios(order), metric)) is not None
            ]
            at, lows, highs, medians = np.array(found, float).reshape(-1, 4).T
            ends = _with_gaps(at, at), _with_gaps(lows, highs)
            axes.plot(*ends, linewidth=0.8, color=colour, gid=f"intervals-{metric}-{label}")
            (dots,) = axes.plot(at, medians, marker, markersize=size, color=colour)
            dots.set(label=shown(label), gid=f"medians-{metric}-{shown(label)}")

    def draw_sections(self, axes: Axes) -> None:
        """Draw a line between sections, and write above each one which interval it has."""
        axes.set_xlim(0, self.width * len(self.sections))
        for section, interval in enumerate(self.sections):
            if section:
                axes.axvline(section * self.width, color=FAINT, linewidth=0.8)
            label = f"interval {interval:g}" if interval else ""
            middle = (section + 0.5) / len(self.sections)
            axes.text(middle, 1.02, label, transform=axes.transAxes, ha="center", fontsize=7)

    def label_columns(self, axes: Axes) -> None:
        """Write as many batch sizes, or numbers of workers, below each section as have room."""
        is_alone = self.columns == [0.0]
        longest = max(len(f"{column:,g}") for column in self.columns)
        is_upright = self.room < 0.7 * _LABEL_POINTS * longest
        each = math.ceil(1.3 * _LABEL_POINTS / self.room) if is_upright else 1
        labelled = set(self.columns[::each])
        places = ((across, _place(cell)[1]) for cell, across in self.across.items())
        told = {across: f"{column:,g}" for across, column in places if column in labelled}
        axes.set_xticks(
            list(told),
            [""] * len(told) if is_alone else told.values(),
            fontsize=_LABEL_POINTS,
            rotation=90 if is_upright else 0,
        )
        words = "workers" if self.has_workers else "mean batch size"
        axes.set_xlabel("the pool" if is_alone else words)

    def explain_gaps(self, axes: Axes, metric: str) -> None:
        """Say in each section without a dot why there is none; once, if no section has one."""
        found = [[r for r in self.results if _place(r.cell)[0] == s] for s in self.sections]
        gaps = {
            at: there
            for at, there in enumerate(found)
            if not any(getattr(r.ratios(order), metric) for r in there for order in self.orders)
        }
        if len(gaps) == len(found):
            _write_inside(axes, 0.5, self._why_empty(self.results).replace("\n", " "))
            axes.set_yticks([1.0])
            return
        for section, there in gaps.items():
            _write_inside(axes, (section + 0.5) / len(found), self._why_empty(there))

    def _why_empty(self, results: Sequence[CellResult]) -> str:
        """Say why no result has a ratio of stalls: both means must not be 0, FIFO's clearly so."""
        if not results:
            return "not simulated\nyet"
        labels = {**self.orders, BASELINE: "FIFO"}
        never = [
            label
            for order, label in labels.items()
            if not any(result.orders[order].stall.mean for result in results)
        ]
        if len(never) == len(labels):
            return "never stalled"
        return f"{', '.join(never)}\nnever stalled" if never else "stalls too rare\nfor a ratio"


def _write_inside(axes: Axes, across: float, words: str) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "pad": 2}
    place: dict[str, Any] = {"transform": axes.transAxes, "bbox": box}
    axes.text(across, 0.5, words, ha="center", va="center", fontsize=7, color=QUIET, **place)
