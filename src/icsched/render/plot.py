"""Pictures of `icsched plot`: SVG, PNG and PDF."""

from pathlib import Path
from typing import TYPE_CHECKING

from icsched.answers.plot import CurvesFound, DagFound, Found, LanesFound
from icsched.errors import ArgumentError
from icsched.files import write_bytes
from icsched.pictures import DagPicture
from icsched.render import figures as draw
from icsched.render.visible import named
from icsched.render.words import counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SUFFIXES = ("svg", "png", "pdf")


def suffix_of(output: str) -> str:
    """Return what *output* ends in; raises ArgumentError if no such picture can be written.

    >>> suffix_of("wf.SVG"), suffix_of("wf.png")
    ('svg', 'png')
    """
    suffix = Path(output).suffix[1:].lower()
    if suffix not in _SUFFIXES:
        names = ", ".join(f".{one}" for one in _SUFFIXES)
        raise ArgumentError(f"-o: expected a file whose name ends in {names}, got {output!r}")
    return suffix


def write_picture(found: Found, output: str, suffix: str) -> str:
    """Write a picture, and return a sentence that says what it shows.

    Raises FormatError if the file cannot be written, EngineError without matplotlib.
    """
    write_bytes(Path(output), draw.rendered(figure_of(found), suffix))
    return f"{named(found.title)}: {_words(found)}"


def figure_of(found: Found) -> "Figure":
    """Return the picture as a figure of matplotlib; raises EngineError without matplotlib."""
    match found:
        case CurvesFound():
            return draw.curves_figure(found.title, found.profiles, found.ceiling)
        case DagFound():
            title = f"{found.title}, in the order {found.plan.ordered_by}"
            return draw.dag_figure(title, found.picture, found.plan.schedule.ranks)
        case LanesFound():
            unit = "s" if found.is_timed else ""
            return draw.lanes_figure(found.title, found.runs, found.kind, found.kinds, unit=unit)
    cells = [result.cell for result in found.results]
    labels = {order: named(order) for order in found.orders}
    return draw.ratio_figure(named(found.title), cells, found.results, labels)


def _words(found: Found) -> str:
    """Say in a sentence what a picture shows."""
    match found:
        case CurvesFound():
            return f"eligible jobs after each step, for {named(', '.join(found.profiles))}"
        case DagFound():
            return f"the dag of {_size(found.picture)}, parents above children"
        case LanesFound():
            return f"who ran which job when, for {named(', '.join(found.runs))}"
    return f"orders over fifo in {counted(len(found.results), 'cell')} of a study"


def _size(picture: DagPicture) -> str:
    jobs = counted(int(picture.tasks.sum()), "job")
    return f"{jobs}, in {counted(len(picture), 'group')}" if picture.is_grouped else jobs
