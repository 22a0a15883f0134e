"""What users see: text laid out for a screen, JSON, progress; and the words that they typed.

It imports little: `icsched doctor` works without other packages.
"""

import os
import shlex
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from textwrap import fill
from threading import Timer
from typing import TextIO, TypeVar
from unicodedata import east_asian_width

from icsched.frames import keys_of
from icsched.messages import HIDDEN, content_for, counted, escaped

A = TypeVar("A")  # an answer
STANDARD_INPUT, STANDARD_OUTPUT = "/dev/stdin", "/dev/stdout"
Tell = Callable[[int, int], None]  # how much is done, of how much


SCHEMA = 1  # of every JSON object; it becomes 2 if a key is removed or changes its meaning


def json_safe(text: str) -> str:
    r"""Return JSON with the same meaning, without characters that act on a terminal.

    JSON itself requires escapes only for control characters below the blank.

    >>> print(json_safe('["a\x7fb\u202e"]'))
    ["a\u007fb\u202e"]
    """
    if text.isascii() and "\x7f" not in text:  # nearly always, and the text may be large
        return text
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def json_text(keys: dict[str, object]) -> str:
    """Return one JSON object, alone on its line; `schema` numbers the meaning of its keys."""
    import msgspec  # slow to import, and only needed for JSON

    try:
        text = msgspec.json.encode({"schema": SCHEMA, **keys}).decode()
    except UnicodeEncodeError:  # a name that is not UTF-8
        return slow_json_text(keys)
    return json_safe(text) + "\n"


def slow_json_text(keys: dict[str, object]) -> str:
    """Return the same as `json_text`, by what comes with Python."""
    import json

    text = json.dumps({"schema": SCHEMA, **keys}, separators=(",", ":"))
    return json_safe(text) + "\n"


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
_shows_progress: ContextVar[bool] = ContextVar("shows_progress", default=True)


@contextmanager
def _inside(variable: ContextVar[A], value: A) -> Iterator[None]:
    """Let *variable* have a value for what is done inside."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def shown_on(screen: Screen) -> AbstractContextManager[None]:
    """Lay out for *screen* what is made inside."""
    return _inside(_screen, screen)


def without_progress() -> AbstractContextManager[None]:
    """Show no progress of what is done inside, because something else shows more."""
    return _inside(_shows_progress, False)


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
    return "\n".join(
        _filled(line, width, len(line) - len(line.lstrip(" ")) + _HANGING)
        for line in text.split("\n")
    )


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


_USUAL_COLUMNS = 80  # if a terminal does not say
_BLOCKS = "▁█"  # what charts are made of


def screen_of(stream: TextIO) -> Screen:
    """Return what *stream* can show; only a terminal has a width."""
    try:
        _BLOCKS.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        is_ascii = True
    else:
        is_ascii = False
    return Screen(_columns(stream) if stream.isatty() else None, is_ascii)


def _columns(stream: TextIO) -> int:
    """Return the width of a terminal; the variable COLUMNS comes first, as elsewhere."""
    word = os.environ.get("COLUMNS", "")
    if word.isascii() and word.isdigit() and int(word):
        return int(word)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_COLUMNS
    except OSError:
        return _USUAL_COLUMNS


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
    stream.write(shown)


def tell_user(line: str) -> None:
    """Write one line for people about what happens, to standard error."""
    say(f"icsched: {line}\n", stream=sys.stderr)


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
    keys: Callable[[A], dict[str, object]] = keys_of,
    *,
    as_json: bool,
    wraps: bool = True,
) -> None:
    """Print what was found, as a report or as one JSON object alone on its line.

    The keys of the object are the fields of the dataclass that was found; see `frames`.
    """
    if as_json:
        put_json(keys(found))
    else:
        report(found, text, wraps=wraps)


def put_json(keys: dict[str, object]) -> None:
    """Print one JSON object alone on its line, in any encoding of standard output."""
    text = json_text(keys)
    if (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
        import json

        text = slow_json_text(json.loads(text))
    sys.stdout.write(text)


def put_content(data: bytes) -> None:
    """Write what a file would hold to standard output: every byte, or escaped on a terminal."""
    sys.stdout.buffer.write(content_for(data, is_terminal=sys.stdout.isatty()))


_PATIENCE_S = 1.0  # before a bar appears
_MEMORY_S = 600  # the time over which the speed is estimated: a cell of a study may take long


def _is_shown() -> bool:
    """Whether there is a terminal for progress."""
    return _shows_progress.get() and sys.stderr.isatty()


@contextmanager
def working(doing: str, jobs: int | None = None) -> Iterator[None]:
    """Show what is being done, to how many jobs, while work goes on whose end is not known."""
    if not _is_shown():
        yield
        return
    from rich.console import Console  # slow to import, and only terminals need it

    spinner = "line" if screen_of(sys.stderr).is_ascii else "dots"
    with Console(stderr=True).status(_escaped(doing, jobs), spinner=spinner):
        yield


@contextmanager
def progress(doing: str, jobs: int | None = None) -> Iterator[Tell]:
    """Show a bar after one second, with an estimate of the time left.

    Yields a function to say how much of the work is done.
    """
    if not _is_shown():
        yield lambda _done, _expected: None
        return
    from rich.console import Console
    from rich.progress import Progress

    screen = Console(stderr=True)
    bar = Progress(console=screen, transient=True, speed_estimate_period=_MEMORY_S)
    task = bar.add_task(_escaped(doing, jobs), total=None)
    starter = Timer(_PATIENCE_S, bar.start)
    starter.daemon = True
    starter.start()
    try:
        yield lambda done, expected: bar.update(task, completed=done, total=expected)
    finally:
        starter.cancel()
        starter.join()  # otherwise it could start the bar after it was stopped
        bar.stop()


def _escaped(doing: str, jobs: int | None) -> str:
    from rich.markup import escape

    what = doing if jobs is None else f"{doing} {counted(jobs, 'job')}"
    return escape(escaped(what))


_WORDS: ContextVar[tuple[str, ...]] = ContextVar("words", default=())


def remember(words: Sequence[str]) -> None:
    """Keep the words after `icsched`."""
    _WORDS.set(tuple(words))


def again(instead: Mapping[str, str]) -> str:
    """Return the command that the user typed, for a shell, with other options *instead* of some."""
    words = [instead.get(word.partition("=")[0], word) for word in _WORDS.get()]
    return shlex.join([program(), *words])


def program() -> str:
    """Return what starts icsched from a shell: its name if that is on the PATH, else its path."""
    folder, name = os.path.split(sys.argv[0])
    return sys.argv[0] if name == "icsched" and folder not in os.get_exec_path() else "icsched"
