"""Files of any kind that tell of past runs: which kind, and what they say.

An engine's logs have a reader of their own, which makes a `PastRun` of them. Tables of run times
are read here.
"""

import csv
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from itertools import chain

from icsched import files
from icsched.arrays import LONGEST, SHORTEST, expected_time
from icsched.errors import ArgumentError, FormatError
from icsched.history import condor_run
from icsched.history.condor_events import has_text_event
from icsched.history.past_run import PastRun
from icsched.run_times import RunTimeTable

Path = str | os.PathLike[str]


class Content(Enum):
    """What a file is, by its content."""

    LOG = auto()
    HISTORY = auto()
    TABLE = auto()


_LOOKED_AT = 1 << 16  # bytes at the beginning that tell what a file is
_JSON = re.compile(rb"\s*(?:\[\s*[{\]]|\{)")
_XML = re.compile(rb"\s*<(?:\?xml|!|c>|classads>)")


def content_of(path: str, data: bytes) -> Content:
    """Return what the file is; raises FormatError for XML."""
    start = data[:_LOOKED_AT].removeprefix(b"\xef\xbb\xbf")
    if _XML.match(start):
        raise FormatError(path, 1, "expected text or JSON, got XML")
    if has_text_event(start) or b'"EventTypeNumber"' in start:
        return Content.LOG
    return Content.HISTORY if _JSON.match(start) else Content.TABLE


def read_log(paths: Path | Iterable[Path]) -> PastRun:
    """Return what HTCondor's logs or its history at *paths* say about a past run.

    Each file is a job event log, as text or JSON, or what `condor_history -json` or `-jsonl`
    wrote. The order of the files does not matter: they are read by the time of their first event,
    so that rotated logs follow each other. An event that is in two files counts once, with the
    finer of its stamps. Broken and unknown events are passed over. Takes O(bytes) time.

    Raises FormatError for a file that cannot be read, or that is no log; ArgumentError without
    any path.
    """
    listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not listed:
        raise ArgumentError("paths: expected at least one file")
    named = [os.fspath(path) for path in listed]
    return parsed_run([(path, files.read_bytes(path)) for path in named])


def parsed_run(sources: Sequence[tuple[str, bytes]]) -> PastRun:
    """Return what files say, given as paths with their content; see `read_log`."""
    logs = []
    for path, data in sources:
        content = content_of(path, data)
        if content is Content.TABLE:
            raise FormatError(path, None, "expected an event log or a history of HTCondor")
        logs.append(condor_run.Log(path, data, is_history=content is Content.HISTORY))
    return condor_run.run_of(logs)


def read_run_times(*paths: Path) -> RunTimeTable:
    """Return the run times that the files at *paths* have.

    Each file is a job event log of HTCondor, what `condor_history -json` wrote, or a table with a
    job and its seconds on each line; its content says which. From logs and histories, taken
    together, the seconds of a job are the mean of its successful attempts. What a table says
    replaces that, and a later table replaces an earlier one. Jobs may be missing.

    Raises FormatError for a file that cannot be read, with the line where there is one;
    ArgumentError without any path.
    """
    if not paths:
        raise ArgumentError("paths: expected at least one file")
    read = [(os.fspath(path), files.read_bytes(path)) for path in paths]
    tables = [pair for pair in read if content_of(*pair) is Content.TABLE]
    logs = [pair for pair in read if pair not in tables]
    by_name: dict[str, float] = {}
    by_pattern: dict[str, float] = {}
    if logs:
        measured = parsed_run(logs).run_times()
        by_name = dict(zip(measured.names, measured.seconds.tolist(), strict=True))
    for path, data in tables:
        for name, seconds in _table(path, files.text_of(path, data)).items():
            (by_pattern if _PATTERN.search(name) else by_name)[name] = seconds
    return RunTimeTable(by_name, [*by_name.values()], by_pattern)


# Tables

_NAME_COLUMNS = ("job", "node", "name", "task", "rule")
_TIME_COLUMNS = ("seconds", "time", "run_time", "runtime", "duration", "wall")
_PATTERN = re.compile(r"[*?\[]")
_MARKED_ROW = re.compile(r"#[^\s,;]+[\s,;]\s*([^\s,;]+)")
_OWN_ORIGINS = ("measured", "pattern", "")
_EXPECTED = "a number of seconds, 0 or more"
_MOST_SHOWN = 200  # characters of a line in an error message

Row = tuple[int, list[str]]  # with its line


def _table(path: str, text: str) -> dict[str, float]:
    """Return seconds by name or pattern, as *text* has them; raises FormatError with the line.

    A first line without a number in its time column has the names of the columns; if it does not
    know them, the first two columns count. A column called origin, as `icsched learn` writes it,
    leaves out the rows that are means: these are made again.
    """
    rows = _rows(path, text.removeprefix("\ufeff"))
    first = next(rows, None)
    if first is None:
        raise FormatError(path, None, "expected run times, got an empty file")
    columns = _columns(first[1])
    origin = _column(first[1], ["origin"]) if columns else None
    found: dict[str, tuple[int, float]] = {}  # the line of each name, and its seconds
    for line, cells in rows if columns else chain([first], rows):
        if columns is None and len(cells) > 2:  # a name and a time
            problem = f"expected two columns, or a header that names them, got {len(cells)}"
            raise FormatError(path, line, problem)
        if origin is None or origin >= len(cells) or cells[origin].strip() in _OWN_ORIGINS:
            _add(found, path, (line, cells), columns or (0, 1))
    if not found:
        raise _no_time(path, first)
    return {name: seconds for name, (_, seconds) in found.items()}


def _columns(cells: Sequence[str]) -> tuple[int, int] | None:
    """Return the columns of names and times that a header names; None if *cells* is no header."""
    name, time = _column(cells, _NAME_COLUMNS), _column(cells, _TIME_COLUMNS)
    if name is None or time is None:
        if len(cells) < 2 or _number(cells[1]) is not None:  # a name and a time
            return None
        name = int(time == 0) if name is None else name
        time = int(name == 0) if time is None else time
    return name, time


def _column(cells: Sequence[str], known: Sequence[str]) -> int | None:
    """Return the column with the first of the *known* headings that there is."""
    words = [cell.strip().lower().replace(" ", "_") for cell in cells]
    return next((words.index(word) for word in known if word in words), None)


def _add(
    found: dict[str, tuple[int, float]], path: str, row: Row, columns: tuple[int, int]
) -> None:
    line, cells = row
    if len(cells) <= max(columns):
        raise _no_time(path, row)
    name, word = cells[columns[0]].strip(), cells[columns[1]].strip()
    if name in found:
        raise FormatError(
            path, line, f"job {_shortened(name)!r} is already on line {found[name][0]}"
        )
    value = _number(word)
    if not name or value is None or not (value == 0 or SHORTEST <= value <= LONGEST):
        expected = _EXPECTED if value is None else f"a number of seconds, {expected_time(value)}"
        problem = f"job {_shortened(name)!r}: expected {expected}, got {_shortened(word)!r}"
        raise FormatError(path, line, problem)
    found[name] = line, value


def _no_time(path: str, row: Row) -> FormatError:
    line, cells = row
    return FormatError(
        path, line, f"expected a job and {_EXPECTED}, got {_shortened(','.join(cells))!r}"
    )


def _number(word: str) -> float | None:
    try:
        return float(word) if "_" not in word else None
    except ValueError:
        return None


def _rows(path: str, text: str) -> Iterator[Row]:
    """Yield the cells of each line that is neither blank nor a comment.

    Commas, tabs, semicolons or blanks separate the columns.
    """
    separator: str | None = ""  # not known yet; None for blanks
    for line, raw in enumerate(text.split("\n"), 1):
        content = raw.strip("\r ")
        if not content.strip() or (content.startswith("#") and not _is_row(content)):
            continue
        if separator == "":
            separator = next((sign for sign in "\t;," if sign in content), None)
        try:
            yield line, _cells(content, separator)
        except csv.Error as error:
            raise FormatError(path, line, f"expected cells, got {error}") from None


def _is_row(content: str) -> bool:
    """Whether a line that begins with # has a job of that name: two cells, one of them a number."""
    match = _MARKED_ROW.fullmatch(content)
    return match is not None and _number(match[1]) is not None


def _cells(line: str, separator: str | None) -> list[str]:
    if '"' in line:
        by_csv = csv.reader([line], delimiter=separator or " ", skipinitialspace=True)
        cells = next(by_csv, [])
    else:
        cells = line.split(separator)
    if separator == ";":  # a comma in a number is a decimal point
        pointed = [cell.replace(",", ".") for cell in cells]
        cells = [a if _number(b) is None else b for a, b in zip(cells, pointed, strict=True)]
    return cells


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
