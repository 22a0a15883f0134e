"""Run times in files: tables with one job or pattern and its seconds on each line, and logs."""

import csv
import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from icsched import files
from icsched.arrays import LONGEST, SHORTEST, expected_time
from icsched.errors import ArgumentError, FormatError
from icsched.history.reading import Content, Path, content_of, parsed_run
from icsched.run_times import RunTimeTable

_NAME_COLUMNS = ("job", "node", "name", "task", "rule")
_TIME_COLUMNS = ("seconds", "time", "run_time", "runtime", "duration", "wall")
_PATTERN = re.compile(r"[*?\[]")
_MARKED_ROW = re.compile(r"#[^\s,;]+[\s,;]\s*([^\s,;]+)")
_OWN_ORIGINS = ("measured", "pattern", "")
_EXPECTED = "a number of seconds, 0 or more"
_MOST_SHOWN = 200  # characters of a line in an error message

Row = tuple[int, list[str]]  # with its line


@dataclass
class Table:
    """Seconds by exact name, and by pattern."""

    names: dict[str, float] = field(default_factory=dict)
    patterns: dict[str, float] = field(default_factory=dict)

    def update(self, other: "Table") -> None:
        """Take over what *other* says; it wins."""
        self.names.update(other.names)
        self.patterns.update(other.patterns)


def parse_table(path: str, text: str) -> Table:
    """Return what the lines of *text* say; raises FormatError with the line.

    Commas, tabs, semicolons or blanks separate the columns. After semicolons, a comma in a number
    is a decimal point. A first line without a number in its time column has the names of the
    columns; if it does not know them, the first two columns count. A column called origin, as
    `icsched learn` writes it, leaves out the rows that are means: these are made again.
    """
    rows = _rows(path, text.removeprefix("\ufeff"))
    first = next(rows, None)
    if first is None:
        raise FormatError(path, None, "expected run times, got an empty file")
    columns = _columns(first[1])
    origin = _origin_column(first[1]) if columns else None
    table, line_of = Table(), dict[str, int]()
    for row in rows if columns else chain([first], rows):
        if columns is None and len(row[1]) > 2:  # a name and a time
            problem = f"expected two columns, or a header that names them, got {len(row[1])}"
            raise FormatError(path, row[0], problem)
        if origin is None or origin >= len(row[1]) or row[1][origin].strip() in _OWN_ORIGINS:
            _add(table, path, row, columns or (0, 1), line_of)
    if not line_of:
        problem = f"expected a job and {_EXPECTED}, got {_start(','.join(first[1]))!r}"
        raise FormatError(path, first[0], problem)
    return table


def _origin_column(cells: Sequence[str]) -> int | None:
    words = [cell.strip().lower() for cell in cells]
    return words.index("origin") if "origin" in words else None


def _columns(cells: Sequence[str]) -> tuple[int, int] | None:
    """Return the columns of names and times that a header names; None if *cells* is no header."""
    words = [cell.strip().lower().replace(" ", "_") for cell in cells]
    name = next((words.index(word) for word in _NAME_COLUMNS if word in words), None)
    time = next((words.index(word) for word in _TIME_COLUMNS if word in words), None)
    if name is not None and time is not None:
        return name, time
    if len(cells) < 2 or _number(cells[1]) is not None:  # a name and a time
        return None
    if name is None and time is None:
        return 0, 1
    if name is None:
        return int(time == 0), time or 0
    return name, int(name == 0)


def _add(
    table: Table, path: str, row: Row, columns: tuple[int, int], line_of: dict[str, int]
) -> None:
    line, cells = row
    if len(cells) <= max(columns):
        problem = f"expected a job and {_EXPECTED}, got {_start(','.join(cells))!r}"
        raise FormatError(path, line, problem)
    name, word = cells[columns[0]].strip(), cells[columns[1]].strip()
    if name in line_of:
        raise FormatError(path, line, f"job {_start(name)!r} is already on line {line_of[name]}")
    value = _number(word)
    if not name or value is None or not _is_time(value):
        expected = _EXPECTED if value is None else f"a number of seconds, {expected_time(value)}"
        problem = f"job {_start(name)!r}: expected {expected}, got {_start(word)!r}"
        raise FormatError(path, line, problem)
    line_of[name] = line
    (table.patterns if _PATTERN.search(name) else table.names)[name] = value


def _is_time(seconds: float) -> bool:
    return seconds == 0 or SHORTEST <= seconds <= LONGEST


def _number(word: str) -> float | None:
    try:
        return float(word) if "_" not in word else None
    except ValueError:
        return None


# Lines and cells


def _rows(path: str, text: str) -> Iterator[Row]:
    """Yield the cells of each line that is neither blank nor a comment."""
    split: Callable[[str], list[str]] | None = None
    for line, raw in enumerate(text.split("\n"), 1):
        content = raw.strip("\r ")
        is_marked = content.startswith("#")
        if not content.strip() or (is_marked and not _is_row(content)):
            continue
        split = split or _splitter(content)
        try:
            yield line, split(content)
        except csv.Error as error:
            raise FormatError(path, line, f"expected cells, got {error}") from None


def _is_row(content: str) -> bool:
    """Whether a line that begins with # has a job of that name: two cells, one of them a number."""
    match = _MARKED_ROW.fullmatch(content)
    return match is not None and _number(match[1]) is not None


def _splitter(content: str) -> Callable[[str], list[str]]:
    """Return how to take lines apart that look like *content*."""
    separator = next((sign for sign in "\t;," if sign in content), None)

    def split(line: str) -> list[str]:
        if '"' in line:
            return next(csv.reader([line], delimiter=separator or " ", skipinitialspace=True), [])
        return line.split(separator)

    if separator != ";":
        return split
    return lambda line: [_decimal(cell) for cell in split(line)]


def _decimal(cell: str) -> str:
    pointed = cell.replace(",", ".")
    return cell if _number(pointed) is None else pointed


def _start(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


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
    logs = [pair for pair in read if content_of(*pair) is not Content.TABLE]
    table = Table()
    if logs:
        measured = parsed_run(logs).run_times()
        table.names.update(zip(measured.names, measured.seconds.tolist(), strict=True))
    for path, data in tables:
        table.update(parse_table(path, files.text_of(path, data)))
    return RunTimeTable(tuple(table.names), np.array([*table.names.values()]), table.patterns)
