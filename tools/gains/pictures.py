"""The figures of docs/gains.md."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from icsched.report.figures import FAINT, INK, blank, style
from tools.gains.cells import CellFound
from tools.gains.sums import Value, geometric, ratio

# Colours that most people can tell apart.
LOOKS: Mapping[str, tuple[Value, str, str]] = {
    "critical-path, no run times": (ratio("nothing", "critical-path"), "#e69f00", "o"),
    "prio, no run times": (ratio("nothing", "prio"), FAINT, "o"),
    "auto, mean of each kind": (ratio("kinds", "auto"), "#009e73", "s"),
    "critical-path, run times": (ratio("exact", "critical-path"), "#0072b2", "D"),
    "auto, run times": (ratio("exact", "auto"), INK, "|"),
}


def workflows_figure(cells: Sequence[CellFound]) -> Figure:
    """Draw the time over fifo of each workflow as dots, the largest gain on top."""
    by_name: dict[str, list[CellFound]] = {}
    for cell in cells:
        by_name.setdefault(cell.workflow, []).append(cell)
    last = LOOKS["auto, run times"][0]
    names = sorted(by_name, key=lambda name: -geometric(by_name[name], last).mean)
    with style():
        figure = blank(7, 0.6 + 0.22 * len(names))
        axes = figure.subplots()
        axes.axvline(1, color=FAINT, linewidth=0.8)
        for label, (value, colour, mark) in LOOKS.items():
            means = [geometric(by_name[name], value).mean for name in names]
            look = {"color": colour, "markersize": 9 if mark == "|" else 4, "label": label}
            axes.plot(means, range(len(names)), mark, **look)
        axes.set_yticks(range(len(names)), names)
        axes.set_xlabel("time over fifo, geometric mean over all pools")
        axes.grid(axis="y", color=FAINT, linewidth=0.2)
        axes.legend(loc="lower left", frameon=False)
    return figure


def cells_figure(cells: Sequence[CellFound]) -> Figure:
    """Draw the ratios of all cells in ascending order: over fifo, and over critical path."""
    with style():
        figure = blank(7, 3.4)
        left, right = figure.subplots(1, 2)
        for label, (value, colour, _) in LOOKS.items():
            _draw_ascending(left, [value(cell) for cell in cells], color=colour, label=label)
        left.legend(frameon=False, fontsize=6)
        left.set_ylabel("time over fifo")
        for known, colour in {"nothing": FAINT, "kinds": "#009e73", "exact": INK}.items():
            mine, rival = ratio(known, "auto"), ratio(known, "critical-path")
            ratios = [mine(cell) / rival(cell) for cell in cells]
            words = {"nothing": "no run times", "kinds": "mean of each kind", "exact": "run times"}
            _draw_ascending(right, ratios, color=colour, label=f"auto, {words[known]}")
        right.legend(frameon=False, fontsize=6)
        right.set_ylabel("time over critical-path, same knowledge")
    return figure


def _draw_ascending(axes: Axes, values: Sequence[float], **look: str) -> None:
    axes.axhline(1, color=FAINT, linewidth=0.5)
    shares = (np.arange(len(values)) + 0.5) / len(values)
    axes.plot(shares, np.sort(values), linewidth=1, **look)
    axes.set_xlabel("share of cells")
