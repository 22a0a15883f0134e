r"""Text in messages: escapes for terminals, close names, and numbers in words.

An escape sequence in a path could rename a terminal's window or hide a line. A mark of direction
could make a name look like another one. Such characters are shown as Python writes them, `\x1b` or
`\u202e`.
"""

import re
from collections.abc import Iterable

# Control characters except the newline; line separators, marks of direction, lone surrogates.
HIDDEN = re.compile(
    "[\0-\t\v-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
_CLOSE = 0.75  # similarity from 0 to 1 from which a word counts as a misspelling of another
_MOST = 3  # names to suggest
_HUGE = 1e9  # larger numbers get six digits
_NO_TIME = 1e-90  # a task that takes no time is simulated as 1e-100
_BYTES = ("B", "kB", "MB", "GB", "TB", "PB")


def escaped(text: str) -> str:
    r"""Return *text* with an escape for each character that would act on a terminal.

    >>> print(escaped("a\x1b[31mb\x9bc\u202ed\te"))
    a\x1b[31mb\x9bc\u202ed\te
    """
    return HIDDEN.sub(lambda found: repr(found[0])[1:-1], text)


def named(*words: str) -> str:
    r"""Return *words* joined by blanks on one line; line breaks in words are escaped.

    >>> print(named("a.dag", "b\n.dag"))
    a.dag b\n.dag
    """
    return escaped(" ".join(words)).replace("\n", "\\n")


def content_for(data: bytes, *, is_terminal: bool) -> bytes:
    """Return *data* as it is written to standard output or a file, escaped on a terminal."""
    if not is_terminal:
        return data
    return escaped(data.decode(errors="surrogateescape")).encode()


def storable(text: str) -> str:
    r"""Return *text* with escapes for bytes of file names that are not UTF-8.

    >>> storable("caf\udce9")
    'caf\\udce9'
    """
    return text.encode(errors="backslashreplace").decode()


def problem_of(error: BaseException) -> str:
    r"""Return the type and the text of an error on one line.

    >>> problem_of(ValueError("two\nlines")), problem_of(KeyError())
    ('ValueError: two lines', 'KeyError')
    """
    said = f"{type(error).__name__}: {error}"
    return storable(" ".join(said.split()).removesuffix(":"))


def close_names(word: str, names: Iterable[str]) -> list[str]:
    """Return at most three *names* that are close to *word*, the closest first.

    Only letters and digits are compared, without regard to case.

    >>> close_names("Critical_path", ["critical-path", "fifo"]), close_names("best", ["fifo"])
    (['critical-path'], [])
    """
    from difflib import get_close_matches  # slow to import, and only needed after a misspelling

    by_letters = {_letters(name): name for name in names}
    close = get_close_matches(_letters(word), by_letters, n=_MOST, cutoff=_CLOSE)
    return [by_letters[letters] for letters in close]


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return a question with the names that are close to *word*; empty if no name is close.

    >>> did_you_mean("pio", ["prio", "fifo"]), did_you_mean("best", ["prio"])
    ('did you mean prio?', '')
    """
    close = close_names(word, names)
    return f"did you mean {' or '.join(close)}?" if close else ""


def _letters(word: str) -> str:
    return "".join(sign for sign in word.lower() if sign.isalnum())


def size(jobs: int, arcs: int) -> str:
    """Say how large a workflow is."""
    dependencies = counted(arcs, "dependency", "dependencies")
    return f"{counted(jobs, 'job')}, {dependencies}"


def counted(count: float, one: str, many: str | None = None) -> str:
    """Return a count with its noun in singular or plural.

    >>> counted(1, "job"), counted(1200, "job"), counted(2, "dependency", "dependencies")
    ('1 job', '1,200 jobs', '2 dependencies')
    """
    digits = f"{count:,}" if isinstance(count, int) else number(count)
    return f"{digits} {one if count == 1 else many or one + 's'}"


def number(value: float, decimals: int | None = None) -> str:
    """Return a number with *decimals* decimals, by default all; a huge number with six digits.

    >>> number(1.0), number(1234567.5), number(1234.5678, 1), number(1e30, 8)
    ('1', '1,234,567.5', '1,234.6', '1e+30')
    """
    if abs(value) >= _HUGE:
        return f"{value:g}"
    return f"{value:,.10g}" if decimals is None else f"{value:,.{decimals}f}"


def visible_time(value: float) -> float:
    """Return a simulated time, or 0 if it is the time of tasks that take no time.

    >>> visible_time(3e-98), visible_time(0.25)
    (0.0, 0.25)
    """
    return 0.0 if abs(value) < _NO_TIME else value


def short(value: float) -> str:
    """Return a number with four digits, or all digits before the decimal point.

    >>> short(12345.6), short(0.123456), short(2.0), short(1e-99)
    ('12,346', '0.1235', '2', '0')
    """
    return number(value, 0) if value >= 1000 else f"{visible_time(value):.4g}"


def rounded(value: float) -> str:
    """Return a time with three digits, or all digits before the decimal point.

    >>> rounded(50725.69231), rounded(100.5), rounded(0.25), rounded(9.996), rounded(1e30)
    ('50,726', '100', '0.25', '10', '1e+30')
    """
    return number(value, 0) if value >= 100 else f"{visible_time(value):.3g}"


def in_bytes(count: int) -> str:
    """Return a number of bytes with three digits and a unit such as kB.

    >>> in_bytes(1), in_bytes(12_345), in_bytes(999_499), in_bytes(999_500), in_bytes(10**19)
    ('1 B', '12.3 kB', '999 kB', '1 MB', '10,000 PB')
    """
    power = 0
    while power < len(_BYTES) - 1 and count >= 999.5 * 1000**power:  # 999.5 would be shown as 1000
        power += 1
    return f"{number(float(f'{count / 1000**power:.3g}'))} {_BYTES[power]}"


def in_unit(digits: str, unit: str) -> str:
    """Return a number with its unit, which is "s", "run times" or empty.

    >>> in_unit("1", "run times"), in_unit("2", "run times"), in_unit("1", "s"), in_unit("1", "")
    ('1 run time', '2 run times', '1 s', '1')
    """
    is_one = digits == "1" and unit != "s"
    return f"{digits} {unit.removesuffix('s') if is_one else unit}".rstrip()
