"""How text is laid out: the only place that knows how wide a screen is and what it can show.

A report is made for a `Screen`. Without one, a report has lines of any length and no colour,
as files and pipes get it. `cli/screen.py` finds out what the user's terminal is like.
"""

import re
import textwrap
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from unicodedata import east_asian_width

_NARROWEST = 20  # columns; no narrower screen is believed
_LONGEST_LINE = 88  # of prose, where a screen is wider or has no width
_SHORTEST_NAME = 18  # columns that a name keeps when a table is too wide
_LONGEST_NAME = 24  # columns of names that have a sentence beside them; others have it below
_INTERVAL = re.compile(r"\[[^\[\] ]+ [^\[\] ]+\]")  # [low, high], which is never broken
# Commands that users copy: as far as the pattern sees them, they are not broken either.
_COMMAND = re.compile(
    r"pip install(?: -\S+)* \S+|condor_submit_dag(?: -\S+ [^\s,;]+)*"
    r"|icsched [a-z]+(?: [a-z]+ [0-9]+)?(?: (?:--?[a-z][a-z-]*(?: [0-9]+)?|[^\s;]*\.[^\s;]+))*"
    r"|--[a-z-]+ [A-Z]+\b"
)
_HANGING = 2  # columns by which the rest of a long line is further in


@dataclass(frozen=True)
class Screen:
    """Where a report is shown: its columns, None if lines may have any length; what it can show."""

    columns: int | None = None
    is_ascii: bool = False
    has_colour: bool = False

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
    width = min(_LONGEST_LINE, _screen.get().width or _LONGEST_LINE)
    return "".join(f"{line}\n" for line in _lines(text, width, ""))


def wrapped(text: str) -> str:
    r"""Return *text* with each line that is too long for the screen broken between words.

    The rest of a long line is further in than its beginning. A word that is longer than the screen,
    or a command such as `pip install ...`, stays whole, so that it can be copied.

    >>> with shown_on(Screen(columns=20)):
    ...     print(wrapped("  about twenty columns\nshort\n"), end="")
      about twenty
        columns
    short
    >>> with shown_on(Screen(columns=30)):
    ...     print(wrapped("not installed: pip install 'icsched[dask]'"), end="")
    not installed:
      pip install 'icsched[dask]'
    """
    width = _screen.get().width
    if width is None:
        return text
    broken = [_lines(line, width, _further_in(line)) for line in text.split("\n")]
    return "\n".join(line for part in broken for line in part)


def _further_in(line: str) -> str:
    return " " * (len(line) - len(line.lstrip(" ")) + _HANGING)


def _lines(line: str, width: int, indent: str) -> list[str]:
    padded = _padded(line)
    if len(padded) <= width:
        return [line]
    whole = padded
    for kept in (_INTERVAL, _COMMAND):
        whole = kept.sub(lambda found: found[0].replace(" ", "\1"), whole)
    found = textwrap.wrap(
        whole,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [part.replace("\0", "").replace("\1", " ") for part in found]


def columns_of(text: str) -> int:
    """Return how many columns *text* takes.

    >>> columns_of("ab"), columns_of("漢")
    (2, 2)
    """
    return len(_padded(text))


def _padded(text: str) -> str:
    r"""Return *text* with a \0 after each character that takes two columns, as of Chinese."""
    if text.isascii():
        return text
    return "".join(f"{c}\0" if east_asian_width(c) in "WF" else c for c in text)


def table(rows: Sequence[Sequence[str]], *, indent: str = "", right: Collection[int] = ()) -> str:
    """Return lines with aligned columns; the first row says what they are.

    If the table is too wide, its last column is broken, or long names in its first column are
    elided. If it is still too wide, each row becomes a short list. *right* are the columns that are
    aligned to the right.

    >>> rows = [["order", "time of the run"], ["prio", "9 s"], ["x" * 20, "8 s"]]
    >>> with shown_on(Screen(columns=36)):
    ...     print(table(rows), end="")
    order               time of the run
    prio                9 s
    xxxxxxxx...xxxxxxx  8 s
    >>> with shown_on(Screen(columns=20)):
    ...     print(table(rows[:2], indent="  "), end="")
      order prio
        time of the run: 9 s
    """
    width = _screen.get().width
    elided = [[_elided(row[0]), *row[1:]] for row in rows]
    for tried in (rows, elided):
        lines = _aligned(tried, indent, right)
        if width is None or max(columns_of(line) for line in lines) <= width:
            return "".join(f"{line}\n" for line in lines)
        beside = len(indent) + sum(_widths(rows)[:-1]) + 2 * (len(rows[0]) - 1)
        if width - beside >= _NARROWEST and len(rows[0]) - 1 not in right:
            broken = [_lines(line, width, " " * beside) for line in lines]
            return "".join(f"{line}\n" for part in broken for line in part)
    return "".join(f"{line}\n" for row in rows[1:] for line in _listed(rows[0], row, indent))


def listing(rows: Sequence[tuple[str, str]], *, indent: str = "") -> str:
    """Return names with a sentence beside each one, or below it if there is little room.

    >>> print(listing([("a", "first"), ("bc", "second")]), end="")
    a   first
    bc  second
    """
    width = _screen.get().width
    lengths = [columns_of(name) for name, _ in rows]
    if width is None:
        widest = max(lengths)
        return "".join(f"{indent}{_filled(name, widest)}  {text}\n" for name, text in rows)
    widest = max((length for length in lengths if length <= _LONGEST_NAME), default=0)
    beside = len(indent) + widest + 2
    if width - beside < _LONGEST_NAME:
        beside = len(indent) + _HANGING  # all sentences below their names
    return "".join(_entry(indent + name, text, beside, width) for name, text in rows)


def _entry(name: str, text: str, beside: int, width: int) -> str:
    """Return a name with its sentence, which begins after *beside* columns."""
    blanks = " " * beside
    if columns_of(name) > beside - 2:
        lines = [name, *_lines(blanks + text, width, blanks)]
    else:
        lines = _lines(f"{_filled(name, beside)}{text}", width, blanks)
    return "".join(f"{line}\n" for line in lines)


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(columns_of(cell) for cell in column) for column in zip(*rows, strict=True)]


def _aligned(rows: Sequence[Sequence[str]], indent: str, right: Collection[int]) -> list[str]:
    widths = _widths(rows)
    lines = []
    for row in rows:
        cells = [
            _filled(cell, width, right=place in right)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(indent + "  ".join(cells).rstrip())
    return lines


def _filled(cell: str, width: int, *, right: bool = False) -> str:
    blanks = " " * (width - columns_of(cell))
    return blanks + cell if right else cell + blanks


def _elided(name: str) -> str:
    """Return a long name without its middle: the ends tell names apart."""
    if columns_of(name) <= _SHORTEST_NAME:
        return name
    kept = _SHORTEST_NAME - 3
    return f"{name[: kept - kept // 2]}...{name[-(kept // 2) :]}"


def _listed(head: Sequence[str], row: Sequence[str], indent: str) -> list[str]:
    """Return a row as a list: its name, then each cell that is not empty, after its heading."""
    cells = [
        f"{indent}  {what}: {cell}" for what, cell in zip(head[1:], row[1:], strict=True) if cell
    ]
    return [f"{indent}{head[0]} {row[0]}", *cells]
