"""Compare ways to hand out tasks to unequal workers when every assignment costs an overhead.

Usage: allocation.py. It compares one task at a time, batches of eligible tasks, and clusters, for
each dag and each overhead. All ways see the same random draws. It prints the tables of
docs/allocation.md and draws its figures, in some minutes. That page describes the model.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from icsched import (
    BatchServer,
    ClusterServer,
    Dag,
    Plan,
    Pool,
    Simulation,
    Workers,
    families,
    prioritize,
    simulate,
)
from icsched.compare import Estimates, Paired
from icsched.render.figures import FAINT, INK, Curve, blank, draw_intervals, style, write_figure
from icsched.sim import Clustered, Mean, Ratio, Times

FIGURES = Path(__file__).parent.parent / "docs" / "allocation"
DAGS: dict[str, Callable[[], Dag]] = {
    "AIRSN(100)": partial(families.airsn, 100),
    "out-mesh(24)": partial(families.evolving_mesh, 24),
    "FFT(6)": partial(families.fft, 6),
    "Montage(8,8)": partial(families.montage, 8, 8),
    "Inspiral(40)": partial(families.inspiral, 40),
}
SPEEDS = (1.0,) * 4 + (0.5,) * 4 + (0.25,) * 4
OVERHEADS = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
SIZES = (4, 8, 16)  # capacity of a worker of speed 1
KINDS = ("batch", "direct", "lean", "staggered")  # what a worker gets
ALONE, FIFO, BEST = "prio", "fifo", "best task"  # one task at a time
TIMES = Times("normal", 0.1)  # as docs/allocation.md says
RUNS = Paired(half_width=0.01, most_runs=64)
STEPS = 5  # simulations that narrow down a crossover

POOL_DAGS: dict[str, Callable[[], Dag]] = {
    "Montage(8,8)": DAGS["Montage(8,8)"],
    "Inspiral(40)": DAGS["Inspiral(40)"],
    **{
        f"layered 300/{width}, seed {seed}": partial(families.random_layered, 300, width, seed=seed)
        for width, seed in ((20, 1), (40, 2), (40, 3))
    },
}
POOL_BATCHES = (4, 16, 64)
POOL_RUNS = Paired(half_width=0.01, most_runs=500)
# Colours that most people can tell apart; a dashed curve lets a curve below it show through.
LOOKS = (
    (INK, "-"),
    (FAINT, "-"),
    ("#e69f00", "-"),
    ("#0072b2", "-"),
    ("#d55e00", "-"),
    ("#009e73", "--"),
    ("#cc79a7", "--"),
)

Found = Mapping[tuple[str, float], tuple[Mapping[str, Estimates], Mapping[str, Ratio]]]
Point = tuple[float, Ratio]  # an overhead, and a time over the time of one task at a time


def main() -> None:
    """Run both experiments on all cores; print the tables, draw the figures."""
    with ProcessPoolExecutor() as cores:
        grid = [(name, overhead) for name in DAGS for overhead in OVERHEADS]
        found = dict(zip(grid, cores.map(cell, *zip(*grid, strict=True)), strict=True))
        draw(found)
        print_times(found)
        print_utilisation(found)
        rows = [(name, way, points_of(found, name, way)) for name in DAGS for way in ways(name)]
        crossed = cores.map(crossover_of, *zip(*rows, strict=True))
        named = {row[:2]: crossing for row, crossing in zip(rows, crossed, strict=True)}
        print_crossovers(named)
        batches = [(name, batch) for name in POOL_DAGS for batch in POOL_BATCHES]
        gains = cores.map(pool_cell, *zip(*batches, strict=True))
        print_gains(dict(zip(batches, gains, strict=True)))


# One dag at one overhead


@cache
def planned(name: str) -> Plan:
    """Return the plan of the dag called *name*."""
    return prioritize(DAGS[name](), "prio")


@cache
def auto(name: str) -> str:
    """Return the clusterer that "auto" is for the dag called *name*."""
    return ClusterServer(planned(name).dag, order=planned(name)).clusterer


def ways(name: str, sizes: Iterable[int] = SIZES) -> list[str]:
    """Return the ways to give several tasks at a time that apply to the dag called *name*.

    Donor clusters are left out: they are lean clusters with a stronger promise.
    """
    kinds = [kind for kind in KINDS if kind != "staggered" or auto(name) == kind]
    return [f"{kind} {size}" for size in sizes for kind in kinds]


def way_to_play(name: str, way: str) -> Plan | str | partial[BatchServer] | Clustered:
    """Return what `simulate` takes for the way called *way* on the dag called *name*."""
    plan = planned(name)
    if way in (ALONE, FIFO, BEST):
        return {ALONE: plan, FIFO: FIFO, BEST: partial(BatchServer, order=plan.order)}[way]
    kind, size = way.split()
    if kind == "batch":
        return Clustered(partial(BatchServer, order=plan.order), capacities(int(size)))
    make = partial(ClusterServer, clusterer=kind, order=plan)
    return Clustered(make, capacities(int(size)))


def capacities(size: int) -> list[int]:
    """Return how many tasks each worker takes: *size* times its speed."""
    return [max(1, int(size * speed)) for speed in SPEEDS]


def compared(name: str, overhead: float, chosen: Sequence[str]) -> Simulation:
    """Simulate one dag with one overhead: *chosen* against prio, one task at a time."""
    orders = {way: way_to_play(name, way) for way in (ALONE, *chosen)}
    pool = Workers(len(SPEEDS), SPEEDS, overhead=overhead)
    terms = {"pool": pool, "times": TIMES, "baseline": ALONE, "sampling": RUNS, "threads": 1}
    return simulate(planned(name).dag, orders, **terms)


def cell(name: str, overhead: float) -> tuple[dict[str, Estimates], dict[str, Ratio]]:
    """Return the estimates for each way, and its time over the time of one task at a time."""
    found = compared(name, overhead, [FIFO, BEST, *ways(name)])
    ratios = {way: ratio_of(found, way) for way in found.orders if way != ALONE}
    return dict(found.orders), ratios


def ratio_of(found: Simulation, way: str) -> Ratio:
    """Return the time of *way* over the time of one task at a time."""
    ratio = found.ratio[f"{way}_over_{ALONE}"].time
    assert ratio is not None, "times are not 0"  # noqa: S101
    return ratio


# Crossovers


@dataclass(frozen=True)
class Crossover:
    """Where an allocation begins to take less time than one task at a time.

    `worse` is the largest overhead at which it clearly takes longer. From `better` on it always
    clearly takes less. Clearly means that the interval of the ratio does not contain 1. Between
    the two nothing is clear. None means that no such overhead was tried.
    """

    worse: float | None
    better: float | None

    def __str__(self) -> str:
        if self.better is None:
            return "never"
        if self.worse is None:
            return "always" if self.better == 0 else f"up to {self.better:.2g}"
        return f"{self.worse:.2g} to {self.better:.2g}"


def crossover(points: Iterable[Point]) -> Crossover:
    """Return between which overheads of *points* the ratio falls below 1 for good."""
    worse = better = None
    for overhead, ratio in sorted(points, key=lambda point: point[0]):
        if ratio.low > 1:
            worse = overhead
        if ratio.high >= 1:
            better = None
        elif better is None:
            better = overhead
    return Crossover(worse, better)


def narrowed(points: Sequence[Point], measure: Callable[[float], Ratio], steps: int) -> Crossover:
    """Return the crossover after *measure* was called for *steps* more points around it.

    Each step halves the widest gap of the bracket.
    """
    known = dict(points)
    for _ in range(steps):
        found = crossover(known.items())
        if found.better is None or found.better == 0:
            break
        inside = sorted(at for at in known if (found.worse or 0) <= at <= found.better)
        _, low, high = max((b - a, a, b) for a, b in pairwise(inside))
        known[(low + high) / 2] = measure((low + high) / 2)
    return crossover(known.items())


def points_of(found: Found, name: str, way: str) -> list[Point]:
    """Return the ratios of one way on one dag."""
    return [(overhead, found[name, overhead][1][way]) for overhead in OVERHEADS]


def crossover_of(name: str, way: str, points: Sequence[Point]) -> Crossover:
    """Return where *way* begins to beat one task at a time on the dag called *name*."""

    def measure(overhead: float) -> Ratio:
        return ratio_of(compared(name, overhead, [way]), way)

    return narrowed(points, measure, STEPS)


# Batches of requests


def pool_cell(name: str, batch: int) -> dict[str, Ratio]:
    """Return times over that of prio as a static order, on a pool that asks in batches."""
    plan = prioritize(POOL_DAGS[name](), "prio")
    orders = {ALONE: plan, BEST: partial(BatchServer, order=plan.order), FIFO: FIFO}
    pool = Pool(interval=1.0, batch=batch)
    terms = {"pool": pool, "times": TIMES, "baseline": ALONE, "sampling": POOL_RUNS, "threads": 1}
    found = simulate(plan.dag, orders, **terms)
    return {way: ratio_of(found, way) for way in (BEST, FIFO)}


# Tables and figures


def print_times(found: Found) -> None:
    """Print times over the time of one task at a time, one table per dag."""
    for name in DAGS:
        print_dag(found, name)
        print_row("overhead", *(f"{overhead:g}" for overhead in OVERHEADS))
        print_row("---", *("---" for _ in OVERHEADS))
        times = (f"{found[name, overhead][0][ALONE].time.mean:.0f}" for overhead in OVERHEADS)
        print_row(f"{ALONE}: time", *times)
        for way in (FIFO, BEST, *ways(name)):
            print_row(way, *(f"{ratio.median:.2f}" for _, ratio in points_of(found, name, way)))


def print_dag(found: Found, name: str) -> None:
    """Print what to know about a dag."""
    plan = planned(name)
    eligible = plan.schedule.eligible
    ratios = [ratio for overhead in OVERHEADS for ratio in found[name, overhead][1].values()]
    proved = "ic-optimal" if plan.proof.is_ic_optimal else "unproved"
    print(f"\n== {name}: {plan.dag}, {proved}, auto is {auto(name)},", end=" ")
    print(f"eligible at most {eligible.max()}, on average {eligible[:-1].mean():.0f};", end=" ")
    print(f"intervals within {max(ratio.half_width for ratio in ratios):.1%}")


def print_crossovers(named: Mapping[tuple[str, str], Crossover]) -> None:
    """Print the brackets, a column per dag."""
    print("\n== from which overhead on less time than one task at a time")
    print_by_dag({key: str(crossing) for key, crossing in named.items()})


def print_utilisation(found: Found) -> None:
    """Print the share of the workers' time that went into tasks, without overhead."""
    print("\n== utilisation at overhead 0")
    cells = {name: found[name, 0.0][0] for name in DAGS}
    shares = {(name, way): row[way].utilisation for name, row in cells.items() for way in row}
    print_by_dag({key: f"{share.mean:.2f}" for key, share in shares.items()})


def print_by_dag(cells: Mapping[tuple[str, str], str]) -> None:
    """Print a table with a row per way and a column per dag."""
    print_row("", *DAGS)
    print_row("---", *("---" for _ in DAGS))
    for way in dict.fromkeys(way for _, way in cells):
        print_row(way, *(cells.get((name, way), "") for name in DAGS))


def print_gains(gains: Mapping[tuple[str, int], Mapping[str, Ratio]]) -> None:
    """Print what choosing batches gains over prio as a static order."""
    print("\n== batches of requests: time over that of prio as a static order")
    print_row("dag", "mean batch", "best batch", "fifo")
    print_row(*("---",) * 4)
    for (name, batch), found in gains.items():
        print_row(name, str(batch), *(shown(found[way]) for way in (BEST, FIFO)))


def print_row(*cells: str) -> None:
    """Print a row of a table."""
    print("|", " | ".join(cells), "|")


def shown(ratio: Ratio) -> str:
    """Return a ratio with its interval."""
    return f"{ratio.median:.3f} [{ratio.low:.3f}, {ratio.high:.3f}]"


def draw(found: Found) -> None:
    """Draw times over overheads: one row per dag, one column per size."""
    FIGURES.mkdir(exist_ok=True)
    panels = {
        f"{name}, {size} x speed at a time": curves(found, name, size)
        for name in DAGS
        for size in SIZES
    }
    figure = curves_figure(panels, columns=len(SIZES), labels=("overhead, in task times", "time"))
    write_figure(figure, str(FIGURES / "time"), ["svg"])


def curves(found: Found, name: str, size: int) -> dict[str, Curve]:
    """Return a curve for each way with clusters of one size, and for one task at a time."""
    chosen = {ALONE: ALONE, FIFO: FIFO, **{way.split()[0]: way for way in ways(name, [size])}}
    return {
        kind: [(overhead, found[name, overhead][0][way].time) for overhead in OVERHEADS]
        for kind, way in chosen.items()
    }


def curves_figure(
    panels: Mapping[str, Mapping[str, Curve]], *, columns: int, labels: tuple[str, str]
) -> Figure:
    """Draw one plot for each of *panels*, row by row, with one curve for each name.

    *labels* are those of the axes. A name has the same colour in all plots, and the plots of a row
    have the same scale. Segments are intervals. Both scales are logarithmic; below the smallest
    positive value the horizontal one is linear, so that 0 has a place, too.
    """
    names = list(dict.fromkeys(name for curves in panels.values() for name in curves))
    rows = -(-len(panels) // columns)
    with style():
        figure = blank(3 * columns, 2.3 * rows + 0.4)
        plots = figure.subplots(rows, columns, sharex=True, sharey="row", squeeze=False)
        for axes, (title, curves) in zip(plots.flat, panels.items(), strict=False):
            draw_curves(axes, curves, names)
            axes.set_title(title, fontsize=8)
        for axes in plots[-1]:
            axes.set_xlabel(labels[0])
        for axes in plots[:, 0]:
            axes.set_ylabel(labels[1])
        lines = {line.get_label(): line for axes in plots.flat for line in axes.get_lines()}
        shown = [lines[name] for name in names]
        figure.legend(handles=shown, loc="outside lower center", ncols=len(shown), frameon=False)
    return figure


def draw_curves(axes: Axes, curves: Mapping[str, Curve], names: Sequence[str]) -> None:
    """Draw curves into one plot; a name has its colour by its place in *names*."""
    for name, curve in curves.items():
        color, dash = LOOKS[names.index(name) % len(LOOKS)]
        at, middle = [x for x, _ in curve], [middle_of(found) for _, found in curve]
        axes.plot(at, middle, dash, color=color, linewidth=1, label=name, gid=f"curve-{name}")
        draw_intervals(axes, curve, color=color)
    ticks = sorted({x for curve in curves.values() for x, _ in curve})
    axes.set_xscale("symlog", linthresh=min((x for x in ticks if x > 0), default=1.0))
    axes.set_xticks(ticks, [f"{x:g}" for x in ticks], fontsize=6)
    axes.set_xticks([], minor=True)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")
    axes.grid(visible=True, color=FAINT, linewidth=0.3)


def middle_of(found: Mean | Ratio) -> float:
    """Return the point between the ends of an interval that a curve goes through."""
    return found.mean if isinstance(found, Mean) else found.median


if __name__ == "__main__":
    main()
