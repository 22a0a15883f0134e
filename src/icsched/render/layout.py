"""How text is laid out: the only place that knows how wide a screen is and what it can show.

A report is made for a `Screen`. Without one, a report has lines of any length, as
files and pipes get it. `cli/printing.py` finds out what the user's terminal is like.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from textwrap import fill
from unicodedata import east_asian_width

_NARROWEST = 20  # columns; no narrower screen is believed
_LONGEST_LINE = 88  # of prose, where a screen is wider or has no width
_UNLIMITED = 10_000  # columns for a table where lines may have any length
_HANGING = 2  # columns by which the rest of a long line is further in


@dataclass(frozen=True)
class Screen:
    """Where a report is shown: its columns, None if lines may have any length; what it can show."""

    columns: int | None = None
    is_ascii: bool = False

    @property
    def width(self) -> int | None:
        """The columns that a line may use."""
        return None if self.columns is None else max(self.columns, _NARROWEST)


_screen: ContextVar[Screen] = ContextVar("screen", default=Screen())  # noqa: B039  it is frozen


@contextmanager
def shown_on(screen: Screen) -> Iterator[None]:
    """Lay out for *screen* what is made inside."""
    token = _screen.set(screen)
    try:
        yield
    finally:
        _screen.reset(token)


def paragraph(text: str) -> str:
    r"""Return *text* as lines of at most 88 characters, or as many as the screen has columns.

    >>> paragraph("one two")
    'one two\n'
    """
    return f"{_filled(text, min(_LONGEST_LINE, _screen.get().width or _LONGEST_LINE), 0)}\n"


def wrapped(text: str) -> str:
    r"""Return *text* with each line that is too long for the screen broken between words.

    The rest of a long line is further in than its beginning. A word that is longer than the screen
    stays whole.

    >>> with shown_on(Screen(columns=20)):
    ...     print(wrapped("  about twenty columns\nshort\n"), end="")
      about twenty
        columns
    short
    """
    width = _screen.get().width
    if width is None:
        return text
    return "\n".join(_filled(line, width, _further_in(line)) for line in text.split("\n"))


def _further_in(line: str) -> int:
    return len(line) - len(line.lstrip(" ")) + _HANGING


def _filled(line: str, width: int, hanging: int) -> str:
    """Return *line* broken between words, with *hanging* blanks before the rest."""
    if len(line) <= width:
        return line
    kept = {"break_long_words": False, "break_on_hyphens": False}
    return fill(line, width, subsequent_indent=" " * hanging, **kept)  # type: ignore[arg-type]


def columns_of(text: str) -> int:
    """Return how many columns *text* takes.

    >>> columns_of("ab"), columns_of("漢")
    (2, 2)
    """
    if text.isascii():
        return len(text)
    return len(text) + sum(east_asian_width(character) in "WF" for character in text)


def table(rows: Sequence[Sequence[str]], *, indent: str = "", right: Collection[int] = ()) -> str:
    """Return lines with aligned columns; the first row says what they are.

    If the table is too wide for the screen, long cells take several lines. *right* are the columns
    that are aligned to the right.

    >>> rows = [["order", "what it does"], ["prio", "frees jobs"], ["fifo", "takes the first job"]]
    >>> print(table(rows), end="")
    order  what it does
    prio   frees jobs
    fifo   takes the first job
    >>> with shown_on(Screen(columns=20)):
    ...     print(table(rows, indent="  "), end="")
             what it
      order  does
      prio   frees jobs
      fifo   takes the
             first job
    """
    from rich.console import Console  # slow to import
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="none")
    for place, title in enumerate(rows[0]):
        made.add_column(Text(title), justify="right" if place in right else "left", overflow="fold")
    for row in rows[1:]:
        made.add_row(*map(Text, row))
    console = Console(width=_screen.get().width or _UNLIMITED, color_system=None)
    with console.capture() as lines:
        console.print(Padding(made, (0, 0, 0, len(indent)), expand=False))
    return "".join(f"{line.rstrip()}\n" for line in lines.get().split("\n")[:-1])


def listing(rows: Sequence[tuple[str, str]], *, indent: str = "") -> str:
    """Return names with a sentence beside each one.

    It uses nothing but what comes with Python, so that `icsched doctor` can use it.

    >>> print(listing([("a", "first"), ("bc", "second")]), end="")
    a   first
    bc  second
    """
    beside = max(columns_of(name) for name, _ in rows) + 2
    width = _screen.get().width
    lines = [f"{indent}{name}{' ' * (beside - columns_of(name))}{text}" for name, text in rows]
    if width is not None:
        hanging = len(indent) + (beside if 2 * beside < width else _HANGING)
        lines = [_filled(line, width, hanging) for line in lines]
    return "".join(f"{line}\n" for line in lines)
