"""`icsched demo`: the guided tour."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated

from icsched.answers.demo import TOUR, WORKERS, made
from icsched.answers.pools import GivenPool
from icsched.answers.report import Reported, report_answer
from icsched.cli.inputs import PathName, refuse
from icsched.cli.output import SIGNS, OutputName
from icsched.cli.printing import report, say
from icsched.cli.typed import program
from icsched.errors import FormatError
from icsched.files import write_text
from icsched.render import demo as render
from icsched.render.report import report_keys, report_page
from icsched.sim import Workers


def demo(*, output_: Annotated[PathName | None, OutputName] = None) -> None:
    """Make a workflow, order it, prove the order, simulate it, and write the files.

    Parameters
    ----------
    output_
        Directory for the files of the tour, which must be empty or new; by default a new directory
        for temporary files.

    """
    directory = None if output_ is None else _empty(output_)
    for stop in TOUR:
        with SIGNS.working("computing"):
            found = stop()
        report(found, render.text)
        sys.stdout.flush()
    written = _written(directory or _temporary())
    say(render.ending(written, program()), wraps=False)


def _empty(given: str) -> Path:
    """Return the directory *given*, made if need be; what is in a directory is never replaced."""
    directory = Path(given)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        is_empty = not any(directory.iterdir())
    except OSError as error:
        raise FormatError(given, None, str(error.strerror)) from error
    refuse({f"-o: expected an empty directory, got {given}": not is_empty})
    return directory


def _temporary() -> Path:
    try:
        return Path(tempfile.mkdtemp(prefix="icsched-demo-"))
    except OSError as error:
        raise FormatError(tempfile.gettempdir(), None, str(error.strerror)) from error


def _written(directory: Path) -> list[str]:
    """Write the files of the tour; return their paths, the workflow and its run times first."""
    texts = {str(directory / name): text for name, text in made().texts.items()}
    for path, text in texts.items():
        write_text(path, text)
    page = str(directory / "report.html")
    write_text(page, _report(*texts))
    return [*texts, page]


def _report(workflow: str, times: str) -> str:
    """Return the report page of the workflow that the tour made."""
    wanted = Reported(GivenPool(Workers(WORKERS)), run_times=[times])
    found = report_answer([workflow], wanted, signs=SIGNS)
    return report_page(report_keys(found))
