"""What `icsched study` prints and draws."""

from collections.abc import Sequence
from pathlib import Path

from icsched.answers.study import Studied, StudyAnswer, StudyBegun
from icsched.render import figures as draw
from icsched.render.notes import done_sentence, sentence
from icsched.render.visible import named
from icsched.render.words import counted, number
from icsched.study import CellResult

SUFFIXES = ("svg", "png")


def beginning(begun: StudyBegun) -> str:
    """Say which workflows have jobs that are done already, and where run times come from."""
    lines = []
    for workflow in begun.workflows:
        if workflow.resumed:
            lines.append(f"{workflow.name}: {done_sentence(workflow.resumed, 'simulate')}\n")
        if workflow.timed:
            lines.append(f"{workflow.name}: {sentence(workflow.timed)}\n")
    return "".join(lines)


def there_already(workflow: str, there: int, cells: int) -> str:
    """Say how many cells need not be computed again."""
    return f"{workflow}: {there:,} of {counted(cells, 'cell')} were there already\n"


def text(found: StudyAnswer) -> str:
    """Return a sentence for each workflow."""
    cells = len(found.begun.cells)
    return "".join(
        _sentence(w.name, found.begun.terms.ordered_by, found.rows[w.name], cells)
        for w in found.begun.workflows
    )


def _sentence(name: str, ordered_by: str, results: Sequence[CellResult], cells: int) -> str:
    """Say how many cells are finished, how many are precise, and where the gain is largest."""
    there = counted(len(results), "cell")
    if len(results) < cells:
        there = f"{len(results):,} of {counted(cells, 'cell')}"
    rough = sum(not result.precise for result in results)
    if rough:
        there += f" ({rough:,} less precise than asked for)"
    found = [(result.ratio.time, result.cell) for result in results if result.ratio.time]
    if not found:
        return f"{name}: {there}\n"
    best, cell = min(found, key=lambda pair: (pair[0].median, pair[1]))
    return (
        f"{name}: {there}; at best {ordered_by} takes {best.median:.3f}"
        f" [{best.low:.3f}, {best.high:.3f}] of fifo's time,"
        f" at interval {number(cell.interval)} and batch {number(cell.batch)}\n"
    )


def write_figures(found: StudyAnswer) -> list[str]:
    """Draw the figures of each workflow; return their files. Raises EngineError if that fails."""
    return [path for workflow in found.begun.workflows for path in _written(found, workflow)]


def _written(found: StudyAnswer, workflow: Studied) -> list[str]:
    name, compared, title = workflow.name, workflow.compared, named(workflow.name)
    ordered_by = named(found.begun.terms.ordered_by)
    figures = {
        name: draw.ratio_figure(title, found.begun.cells, found.rows[name], ordered_by),
        f"{name}-eligible": draw.eligible_figure(
            title, compared.eligible, compared.fifo_eligible, ordered_by
        ),
    }
    return [
        path
        for stem, figure in figures.items()
        for path in draw.write_figure(figure, str(Path(found.begun.directory, stem)), SUFFIXES)
    ]
