"""What `icsched study` prints and draws."""

from collections.abc import Sequence
from pathlib import Path

from icsched.answers.study import Studied, StudyAnswer, StudyBegun
from icsched.render import figures as draw
from icsched.render.known import done_sentence, times_sentence
from icsched.render.visible import named
from icsched.render.words import counted, number
from icsched.study import Cell, CellResult

SUFFIXES = ("svg", "png")


def beginning(begun: StudyBegun) -> str:
    """Say which workflows have jobs that are done already, and where run times come from."""
    lines = []
    for workflow in begun.workflows:
        if workflow.resumed:
            lines.append(f"{workflow.name}: {done_sentence(workflow.resumed, 'simulate')}\n")
        if workflow.timed:
            lines.append(f"{workflow.name}: {times_sentence(workflow.timed)}\n")
    return "".join(lines)


def there_already(workflow: str, there: int, cells: int) -> str:
    """Say how many cells need not be computed again."""
    were = "was" if there == 1 else "were"
    return f"{workflow}: {there:,} of {counted(cells, 'cell')} {were} there already\n"


def text(found: StudyAnswer) -> str:
    """Return a line for each order of each workflow."""
    return "".join(_sentences(found, workflow.name) for workflow in found.begun.workflows)


def _sentences(found: StudyAnswer, name: str) -> str:
    results = found.rows[name]
    there = f"{name}: {_finished(results, len(found.begun.cells))}"
    gains = [gain for order in found.begun.orders if (gain := _gain(results, order))]
    return "".join(f"{there}; {gain}\n" for gain in gains) or f"{there}\n"


def _finished(results: Sequence[CellResult], cells: int) -> str:
    """Say how many cells are finished, and how many are precise."""
    there = counted(len(results), "cell")
    if len(results) < cells:
        there = f"{len(results):,} of {counted(cells, 'cell')}"
    rough = sum(not result.precise for result in results)
    return there + (f" ({rough:,} less precise than asked for)" if rough else "")


def _gain(results: Sequence[CellResult], order: str) -> str:
    """Say where the gain of *order* is largest, and whether it may be chance."""
    if not results:
        return ""
    ratios = [(result.ratios(order).time, result.cell) for result in results]
    gains = [(ratio, cell) for ratio, cell in ratios if ratio.high < 1]
    best, cell = min(gains or ratios, key=lambda pair: (pair[0].median, pair[1]))
    took = f"takes {best.median:.3f} [{best.low:.3f}, {best.high:.3f}] of fifo's time"
    return f"at best {order} {took}{_place(cell)}" + ("" if gains else ": no cell shows a gain")


def _place(cell: Cell) -> str:
    if cell.workers is not None:
        return f", with {counted(cell.workers, 'worker')}"
    if cell.interval is None or cell.batch is None:
        return ""  # the only pool
    return f", at interval {number(cell.interval)} and batch {number(cell.batch)}"


def write_figures(found: StudyAnswer) -> list[str]:
    """Draw the figures of each workflow; return their files. Raises EngineError if that fails."""
    return [path for workflow in found.begun.workflows for path in _written(found, workflow)]


def _written(found: StudyAnswer, workflow: Studied) -> list[str]:
    name, title = workflow.name, named(workflow.name)
    labels = {order: named(order) for order in found.begun.orders}
    profiles = {labels[order]: one.eligible for order, one in workflow.compared.items()}
    fifo = next(iter(workflow.compared.values())).fifo_eligible
    figures = {
        name: draw.ratio_figure(title, found.begun.cells, found.rows[name], labels),
        f"{name}-eligible": draw.eligible_figure(title, profiles, fifo),
    }
    return [
        path
        for stem, figure in figures.items()
        for path in draw.write_figure(figure, str(Path(found.begun.directory, stem)), SUFFIXES)
    ]
