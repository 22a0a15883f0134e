"""Pictures of `icsched plot`: SVG, PNG, PDF, and DOT for Graphviz."""

from pathlib import Path

from icsched.answers.plot import CurvesFound, DagFound, Found, LanesFound, StudyFound
from icsched.errors import ArgumentError
from icsched.files import write_bytes, write_text
from icsched.formats.dot.drawn import drawn_text
from icsched.render.figures import ratio_figure, rendered
from icsched.render.svg import Drawing, curves_drawing, dag_drawing, lanes_drawing, svg_text
from icsched.render.svg.looks import scale_colour
from icsched.render.visible import named
from icsched.render.words import counted

DOT = ("dot", "gv")
_PICTURES = ("svg", "png", "pdf")
SUFFIXES = {"curves": _PICTURES, "dag": (*_PICTURES, *DOT)}  # others are as of curves


def suffix_of(picture: str, output: str) -> str:
    """Return what *output* ends in; raises ArgumentError if no such picture can be written.

    >>> suffix_of("dag", "wf.GV"), suffix_of("lanes", "wf.png")
    ('gv', 'png')
    """
    usable = SUFFIXES.get(picture, SUFFIXES["curves"])
    suffix = Path(output).suffix[1:].lower()
    if suffix not in usable:
        names = ", ".join(f".{one}" for one in usable)
        raise ArgumentError(f"-o: expected a file whose name ends in {names}, got {output!r}")
    return suffix


def write_picture(found: Found, output: str, suffix: str) -> str:
    """Write a picture, and return a sentence that says what it shows.

    Raises FormatError if the file cannot be written, EngineError if it needs matplotlib and that
    is not installed.
    """
    if isinstance(found, StudyFound):
        return _write_study(found, output, suffix)
    if isinstance(found, DagFound) and suffix in DOT:
        write_text(output, dot_text(found))
        return f"{named(found.title)}: the dag for Graphviz"
    drawing = drawing_of(found)
    if suffix == "svg":
        write_text(output, svg_text(drawing))
    else:
        from icsched.render.svg.painting import painted  # brings matplotlib

        write_bytes(Path(output), rendered(painted(drawing), suffix))
    return drawing.words


def drawing_of(found: CurvesFound | DagFound | LanesFound) -> Drawing:
    """Return the picture of a workflow."""
    match found:
        case CurvesFound():
            return curves_drawing(found.title, found.profiles, found.ceiling)
        case DagFound():
            title = f"{found.title}, in the order {found.plan.ordered_by}"
            return dag_drawing(title, found.picture, found.plan.schedule.ranks)
        case LanesFound():
            unit = " s" if found.is_timed else ""
            return lanes_drawing(found.title, found.runs, found.kind, found.kinds, unit=unit)


def dot_text(found: DagFound) -> str:
    """Return the dag as a digraph with labels, priorities and colours."""
    ranks = found.plan.schedule.ranks.tolist()
    last = max(1, len(ranks) - 1)
    colours = [scale_colour(rank / last) for rank in ranks]
    return drawn_text(found.workflow, found.plan.priorities_by_id, colours, title=found.title)


def _write_study(found: StudyFound, output: str, suffix: str) -> str:
    cells = [result.cell for result in found.results]
    labels = {order: named(order) for order in found.orders}
    figure = ratio_figure(named(found.title), cells, found.results, labels)
    write_bytes(Path(output), rendered(figure, suffix))
    return f"{named(found.title)}: orders over fifo in {counted(len(cells), 'cell')} of a study"
