"""What commands share: options of output, and progress on a terminal while work goes on."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from icsched.answers.signs import Signs, Tell
from icsched.cli.printing import screen_of
from icsched.files.terminal import escaped
from icsched.render.words import counted

if TYPE_CHECKING:
    from rich.progress import Progress

Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Json = Annotated[bool, Parameter(name="--json", negative="", show_default=False)]


def _check_named(_type: object, value: str | None) -> None:
    if value == "":
        raise ValueError("expected a name, got ''")  # the complaint names the option


WRITTEN = Parameter(validator=_check_named)  # for every option that names what is written
OutputName = Parameter(name=["--output", "-o"], validator=_check_named)

_PATIENCE_S = 1.0  # before a bar appears
_MEMORY_S = 600  # the time over which the speed is estimated: a cell of a study may take long


class Terminal(Signs):
    """Progress on standard error, if that is a terminal."""

    @contextmanager
    def working(self, doing: str, jobs: int | None = None) -> Iterator[None]:
        """Show a spinner while the work goes on."""
        if not sys.stderr.isatty():
            yield
            return
        from rich.console import Console  # slow to import, and only terminals need it

        spinner = "line" if screen_of(sys.stderr).is_ascii else "dots"
        with Console(stderr=True).status(_escaped(doing, jobs), spinner=spinner):
            yield

    @contextmanager
    def progress(self, doing: str, jobs: int | None = None) -> Iterator[Tell]:
        """Show a bar after one second, with an estimate of the time left."""
        if not sys.stderr.isatty():
            yield lambda _done, _expected: None
            return
        from rich.console import Console
        from rich.progress import Progress

        screen = Console(stderr=True)
        bar = Progress(console=screen, transient=True, speed_estimate_period=_MEMORY_S)
        task = bar.add_task(_escaped(doing, jobs), total=None)
        with _later(bar):
            yield lambda done, expected: bar.update(task, completed=done, total=expected)


SIGNS = Terminal()


def _escaped(doing: str, jobs: int | None) -> str:
    from rich.markup import escape

    what = doing if jobs is None else f"{doing} {counted(jobs, 'job')}"
    return escape(escaped(what))


@contextmanager
def _later(bar: "Progress") -> Iterator[None]:
    """Start *bar* after a second, and stop it at the end."""
    starter = Timer(_PATIENCE_S, bar.start)
    starter.daemon = True
    starter.start()
    try:
        yield
    finally:
        starter.cancel()
        starter.join()  # otherwise it could start the bar after it was stopped
        bar.stop()
