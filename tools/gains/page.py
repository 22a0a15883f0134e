"""Writes the tables of docs/gains.md between their marks, and draws its figures."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from icsched.report.figures import write_figure
from tools.gains.cells import ORDERS, CellFound
from tools.gains.pictures import cells_figure, workflows_figure
from tools.gains.sums import (
    CLEAR,
    LARGE,
    Value,
    by_workflow,
    count,
    geometric,
    group_of,
    half_widths,
    ratio,
    regret,
    slowest,
)

DOCS = Path(__file__).parents[2] / "docs"
ALL_ORDERS = (*ORDERS, "auto")
KNOWN = {
    "nothing": "nothing",
    "kinds": "the mean of its kind",
    "wrong": "its time, wrong by half",
    "exact": "its mean time",
}
POOLS = ("W", "L", "P:1", "P:16", "P:64", "balanced W", "balanced P:16")

Cells = Sequence[CellFound]


def write_page(cells: Cells) -> None:
    """Write the tables and figures that *cells* are enough for."""
    traces = [cell for cell in cells if cell.source == "trace"]
    if not traces:
        print(families_table(cells))
        return
    page = DOCS / "gains.md"
    page.write_text(with_tables(page.read_text(), tables(cells)))
    (DOCS / "gains").mkdir(exist_ok=True)
    real = [cell for cell in traces if cell.times == "real"]
    write_figure(workflows_figure(real), str(DOCS / "gains" / "workflows"), ["svg"])
    write_figure(cells_figure(real), str(DOCS / "gains" / "cells"), ["svg"])
    print(f"wrote {page.relative_to(DOCS.parent)} and its figures")


def with_tables(page: str, made: dict[str, str]) -> str:
    """Return *page* with each table between its marks."""
    for name, table in made.items():
        marks = re.compile(rf"(<!-- {name} -->).*?(<!-- end -->)", re.DOTALL)
        page, found = marks.subn(lambda match, t=table: f"{match[1]}\n{t}\n{match[2]}", page)
        if found != 1:
            raise SystemExit(f"docs/gains.md: expected the marks of {name} once, got {found}")
    return page


def tables(cells: Cells) -> dict[str, str]:
    """Return all tables by name."""
    traces = [cell for cell in cells if cell.source == "trace"]
    real = [cell for cell in traces if cell.times == "real"]
    unit = [cell for cell in traces if cell.times == "unit"]
    return {
        "known": known_table(real),
        "real": pools_table(
            real,
            [("nothing", o) for o in ("critical-path", "prio")]
            + [("exact", o) for o in ALL_ORDERS],
        ),
        "unit": pools_table(unit, [("nothing", o) for o in ALL_ORDERS]),
        "against": against_table({"real": real, "unit": unit}),
        "auto": auto_table({"real": real, "unit": unit}),
        "workflows": workflows_table(real),
        "families": families_table(cells),
        "areas": areas_table(cells),
        "made": made_sentence(cells),
    }


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    columns = list(head)
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def title(known: str, order: str) -> str:
    """Return the head of a column."""
    return f"{order}, no run times" if known == "nothing" else f"{order}, run times"


def known_table(real: Cells) -> str:
    """Return the time over fifo by what is known of run times, on all pools and balanced ones."""
    balanced = [cell for cell in real if cell.pool.startswith("balanced")]
    rows = [
        [words, where, *(geometric(some, ratio(known, order)) for order in ALL_ORDERS)]
        for where, some in (("all", real), ("balanced", balanced))
        for known, words in KNOWN.items()
    ]
    return table(["known of each task", "pools", *ALL_ORDERS], rows)


def pools_table(cells: Cells, columns: Sequence[tuple[str, str]]) -> str:
    """Return the time over fifo by kind of pool."""
    rows = []
    for pool in POOLS:
        some = [cell for cell in cells if group_of(cell.pool) == pool]
        rows.append([pool, *(f"{geometric(some, ratio(*c)).mean:.3f}" for c in columns)])
    rows.append(["all", *(f"{geometric(cells, ratio(*c)).mean:.3f}" for c in columns)])
    return table(["pools", *(title(*column) for column in columns)], rows)


def against_table(worlds: dict[str, Cells]) -> str:
    """Return how often each order is better or worse than fifo, and than critical path."""
    head = [
        "times",
        "known of each task",
        "order",
        "cells",
        "over 5% faster than fifo",
        "over 1% slower",
        "slowest",
        "over 1% faster than critical-path",
        "over 1% slower",
    ]
    rows = [
        [times, KNOWN[known], order, len(cells), *_contest(cells, known, order)]
        for times, cells in worlds.items()
        for known in cells[0].ratios
        for order in ALL_ORDERS
    ]
    return table(head, rows)


def _contest(cells: Cells, known: str, order: str) -> list[object]:
    mine = ratio(known, order)
    worst, where = slowest(cells, mine)
    rival = over(mine, ratio(known, "critical-path"))
    return [
        count(cells, lambda cell: mine(cell) < 1 - LARGE),
        count(cells, lambda cell: mine(cell) > 1 + CLEAR),
        f"{worst:.3f} ({where})" if worst > 1 + CLEAR else f"{worst:.3f}",
        count(cells, lambda cell: rival(cell) < 1 - CLEAR),
        count(cells, lambda cell: rival(cell) > 1 + CLEAR),
    ]


def over(above: Value, below: Value) -> Callable[[CellFound], float]:
    """Return what takes one ratio over another out of a cell."""
    return lambda cell: above(cell) / below(cell)


def auto_table(worlds: dict[str, Cells]) -> str:
    """Return what choosing costs, and what is chosen."""
    rows = []
    for times, cells in worlds.items():
        for known in cells[0].ratios:
            costs = [regret(cell, known) for cell in cells]
            chosen = Counter(cell.chosen[known] for cell in cells)
            words = ", ".join(f"{name} {chosen[name]}" for name in sorted(chosen))
            rows.append([times, KNOWN[known], f"{np.mean(costs):.2%}", f"{max(costs):.1%}", words])
    head = ["times", "known of each task", "mean loss", "largest loss", "chosen, in cells"]
    return table(head, rows)


SHOWN = (("nothing", "critical-path"), ("nothing", "prio"), ("kinds", "auto"),
         ("exact", "critical-path"), ("exact", "prio"), ("exact", "auto"))  # fmt: skip


def workflows_table(real: Cells) -> str:
    """Return the time over fifo by workflow, the largest gain first."""
    by_name = by_workflow(real)
    exact = ratio("exact", "auto")
    names = sorted(by_name, key=lambda name: geometric(by_name[name], exact).mean)
    rows = [
        [name, *(f"{geometric(by_name[name], ratio(*c)).mean:.3f}" for c in SHOWN),
         f"{min(map(exact, by_name[name])):.3f} to {max(map(exact, by_name[name])):.3f}"]
        for name in names
    ]  # fmt: skip
    head = [f"{order}, {_short(known)}" for known, order in SHOWN]
    return table(["workflow", *head, "auto, run times: from best to worst pool"], rows)


def _short(known: str) -> str:
    return {"nothing": "no run times", "kinds": "kinds", "exact": "run times"}[known]


def families_table(cells: Cells) -> str:
    """Return the time over fifo of each known dag."""
    some = [cell for cell in cells if cell.source == "family"]
    names = dict.fromkeys(cell.workflow for cell in some)
    columns = [("unit", "nothing", order) for order in ("critical-path", "prio", "auto")]
    columns.append(("drawn", "nothing", "auto"))
    columns += [("drawn", "exact", order) for order in ("critical-path", "prio", "auto")]
    rows = []
    for name in names:
        by_times = {t: [c for c in some if (c.workflow, c.times) == (name, t)]
                    for t in ("unit", "drawn")}  # fmt: skip
        rows.append([name, *(f"{geometric(by_times[t], ratio(k, o)).mean:.3f}"
                             for t, k, o in columns)])  # fmt: skip
    words = {
        ("unit", "nothing"): "unit times",
        ("drawn", "nothing"): "drawn times, unknown",
        ("drawn", "exact"): "drawn times, known",
    }
    head = [f"{order}, {words[times, known]}" for times, known, order in columns]
    return table(["dag", *head], sorted(rows, key=lambda row: row[2]))


SMALL_AREA, LARGE_AREA = 1.3, 1.6  # over the area of first come, first served
AREAS: dict[str, Callable[[float], bool]] = {
    f"under {SMALL_AREA}": lambda area: area < SMALL_AREA,
    f"{SMALL_AREA} to {LARGE_AREA}": lambda area: SMALL_AREA <= area <= LARGE_AREA,
    f"above {LARGE_AREA}": lambda area: area > LARGE_AREA,
}


def areas_table(cells: Cells) -> str:
    """Return prio's time over fifo by area_ratio, with unit times on the balanced pools."""
    some = [cell for cell in cells if cell.times == "unit" and cell.pool.startswith("balanced")]
    rows = []
    for source, dags in (("trace", "traces"), ("family", "known dags")):
        for words, is_in in AREAS.items():
            group = [cell for cell in some if cell.source == source and is_in(cell.area_ratio)]
            if group:
                rows.append([dags, words, *_gained(group)])
    head = ["dags", "`area_ratio`", "number", "prio's time over fifo's", "from best to worst dag"]
    return table(head, rows)


def _gained(cells: Cells) -> list[object]:
    mine, named = ratio("nothing", "prio"), by_workflow(cells)
    means = [geometric(own, mine).mean for own in named.values()]
    return [len(named), geometric(cells, mine), f"{min(means):.3f} to {max(means):.3f}"]


def made_sentence(cells: Cells) -> str:
    """Say how many cells there are, and how precise they are."""
    widths = half_widths(cells)
    runs = sum(cell.runs for cell in cells)
    middle, most = np.quantile(widths, [0.5, 0.95]).tolist()
    return (
        f"There are {len(cells):,} cells, with {runs:,} runs of each order in all. Half of the\n"
        f"95% interval of a ratio is {middle:.2%} in the median, {most:.2%} at the 95th percentile."
    )
