"""What commands share: printing, and progress on a terminal while work goes on."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Annotated, TextIO, TypeVar

from cyclopts import Parameter

from icsched.answers.signs import Signs, Tell
from icsched.cli.screen import screen_of
from icsched.render.colours import coloured
from icsched.render.layout import shown_on, wrapped
from icsched.render.visible import escaped, json_ascii, json_text
from icsched.render.words import counted

if TYPE_CHECKING:
    from rich.progress import Progress

Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Json = Annotated[bool, Parameter(name="--json", negative="", show_default=False)]
A = TypeVar("A")  # an answer

STANDARD_OUTPUT = "/dev/stdout"
OutputName = Parameter(name=["--output", "-o"])

_PATIENCE_S = 1.0  # before a bar appears
_MEMORY_S = 600  # the time over which the speed is estimated: a cell of a study may take long


def say(text: str, *, stream: TextIO | None = None, wraps: bool = True) -> None:
    """Write text for people, to standard output by default, as the terminal can show it.

    Text that is copied, as a command or a diff, must not be wrapped.
    """
    stream = stream or sys.stdout
    screen = screen_of(stream)
    shown = escaped(text)
    with shown_on(screen):
        shown = wrapped(shown) if wraps else shown
    if screen.is_ascii:
        shown = shown.encode("ascii", "backslashreplace").decode()
    stream.write(coloured(shown) if screen.has_colour else shown)


def report(
    found: A, text: Callable[[A], str], *, stream: TextIO | None = None, wraps: bool = True
) -> None:
    """Write what was found as a report that is laid out for the stream."""
    with shown_on(screen_of(stream or sys.stdout)):
        made = text(found)
    say(made, stream=stream, wraps=wraps)


def put(
    found: A,
    text: Callable[[A], str],
    keys: Callable[[A], dict[str, object]],
    *,
    as_json: bool,
    wraps: bool = True,
) -> None:
    """Print what was found, as a report or as one JSON object alone on its line."""
    if as_json:
        put_json(keys(found))
    else:
        report(found, text, wraps=wraps)


def put_json(keys: dict[str, object]) -> None:
    """Print one JSON object alone on its line, in any encoding of standard output."""
    text = json_text(keys)
    if (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
        text = json_ascii(text)
    sys.stdout.write(text)


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
