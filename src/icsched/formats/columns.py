"""Workflows as tables of comma- or tab-separated values."""

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from icsched.errors import FormatError
from icsched.files import read_text
from icsched.formats.draft import FACTS, Draft, facts_of
from icsched.formats.facts import MOST_READ, written_names
from icsched.formats.port import NoOptions
from icsched.workflow import Workflow

_BETWEEN = ";"  # separates the parents of a task
_EITHER = re.compile("[;,]")  # separates parents if semicolons separate cells
_SHAPES = "expected a header with the columns parent,child or task,parents"
_NEEDS_QUOTES = re.compile(r'[",\t\r\n]|^\s|\s$|^\ufeff')


class _Cell(NamedTuple):  # faster to make than a dataclass
    value: str
    start: int
    end: int


_Row = list[_Cell]


def read_columns(paths: Sequence[str], _options: NoOptions) -> Workflow[str]:
    """Return the workflow in a table whose first row names the columns.

    With the columns `parent` and `child`, each row is a dependency; if one cell is empty, the row
    is a single task. With `task` and `parents`, each row is a task. Semicolons separate its
    parents, or commas if semicolons separate the cells. Columns called as one of `FACTS` are read
    too. Other columns are ignored with a remark. Raises FormatError with file and line for other
    tables.
    """
    [path] = paths
    draft = Draft(path, read_text(path, MOST_READ))
    separator = _separator(draft.text)
    rows = _rows(draft, separator)
    header = next(rows, None)
    if header is None:
        raise FormatError(path, 1, f"{_SHAPES}, got an empty file")
    columns = _columns(header, draft)
    if "parent" in columns:
        _read_pairs(_checked(rows, header, columns, draft), columns, draft)
        return draft.workflow("csv")
    cells = _read_tasks(_checked(rows, header, columns, draft), columns, draft)
    _read_parents(cells, _EITHER if separator == _BETWEEN else re.compile(_BETWEEN), draft)
    return draft.workflow("csv")


# Cells


def _separator(text: str) -> str:
    """Return the separator of cells: tab, comma or semicolon, the first of these in the header."""
    first = text.partition("\n")[0].partition("\r")[0]
    return next((separator for separator in "\t,;" if separator in first), ",")


def _rows(draft: Draft, separator: str) -> Iterator[_Row]:
    """Yield the rows that are not empty; raises FormatError for a quote that does not end."""
    cell = re.compile(
        rf'"[^"]*+(?:""[^"]*+)*+"(?={separator}|\r|\n|\Z)|[^"{separator}\r\n][^{separator}\r\n]*+|'
    )
    text, row = draft.text, list[_Cell]()
    place = 1 if text.startswith("\ufeff") else 0
    while place <= len(text):
        match = cell.match(text, place)
        if match is None or (match.end() < len(text) and text[match.end()] == '"'):
            raise draft.error(place, f"expected a quoted cell to end before {separator!r}")
        row.append(_Cell(_value(match[0]), place, match.end()))
        place = match.end() + 1
        if text[match.end() : place] == separator:
            continue
        if text.startswith("\r\n", match.end()):
            place += 1
        if len(row) > 1 or row[0].value.strip():
            yield row
        row = []


def _value(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


def _columns(header: _Row, draft: Draft) -> dict[str, int]:
    """Return the position of each column that icsched reads."""
    names = [cell.value.strip().lower() for cell in header]
    is_pairs = {"parent", "child"} <= {*names}
    if not is_pairs and not {"task", "parents"} <= {*names}:
        raise draft.error(header[0].start, f"{_SHAPES}, got {', '.join(names)[:80]!r}")
    known = ("parent", "child") if is_pairs else ("task", "parents", *FACTS)
    counts, rest = Counter(names), "icsched does not read other columns"
    for name, cell in zip(names, header, strict=True):
        if name not in known:
            draft.remark(f"icsched does not read the column {cell.value!r}", cell.start, rest)
        elif counts[name] > 1:
            raise draft.error(cell.start, f"expected one column {name!r}, got {counts[name]}")
    return {name: place for place, name in enumerate(names) if name in known}


# The two shapes


def _checked(
    rows: Iterator[_Row], header: _Row, columns: dict[str, int], draft: Draft
) -> Iterator[_Row]:
    """Yield the rows; raises FormatError for a row with fewer or more cells than the header."""
    needed, most = max(columns.values()) + 1, len(header)
    for row in rows:
        if len(row) < needed:
            raise draft.error(row[0].start, f"expected {needed} cells, got {len(row)}")
        if len(row) > most:
            problem = f"expected {most} cells as in the header, got {len(row)}"
            raise draft.error(row[0].start, problem)
        yield row


def _read_pairs(rows: Iterator[_Row], columns: dict[str, int], draft: Draft) -> None:
    for row in rows:
        names = [row[columns["parent"]].value.strip(), row[columns["child"]].value.strip()]
        ids = [draft.task(name) for name in names if name]
        if not ids:
            raise draft.error(row[0].start, "expected a parent or a child, got two empty cells")
        if len(ids) == 2:
            draft.arc(ids[0], ids[1], row[0].start)


def _read_tasks(rows: Iterator[_Row], columns: dict[str, int], draft: Draft) -> "array[int]":
    """Read rows of tasks without their parents; return the position of each task's parents.

    The result has two entries for each task: start and end of the cell.
    """
    facts = {fact: columns[fact] for fact in FACTS if fact in columns}
    cells = array("q")
    for row in rows:
        cell = row[columns["task"]]
        name = cell.value.strip()
        if not name or name in draft.ids:
            problem = f"got {name!r} twice" if name else "got an empty cell"
            raise draft.error(cell.start, f"expected the name of another task, {problem}")
        task = draft.task(name)
        cells.extend(row[columns["parents"]][1:])
        for fact, column in facts.items():
            if row[column].value.strip():
                draft.say(fact, task, row[column].value, row[column].start)
    return cells


def _read_parents(cells: "array[int]", between: re.Pattern[str], draft: Draft) -> None:
    """Read the parents of all tasks from their *cells*; each parent must have a row."""
    for child, (start, end) in enumerate(zip(cells[::2], cells[1::2], strict=True)):
        for word in between.split(_value(draft.text[start:end])):
            name = word.strip()
            if name and name not in draft.ids:
                raise draft.error(start, f"expected parents that have a row, got {name!r}")
            if name:
                draft.arc(draft.ids[name], child, start)


# Writing


def takes_name(name: str) -> bool:
    """Whether a table can hold *name*, which must not be blank or contain a semicolon.

    >>> takes_name("map, 1"), takes_name("map; 1"), takes_name(" map")
    (True, False, False)
    """
    return bool(name) and name == name.strip() and _BETWEEN not in name and "\0" not in name


def columns_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:  # noqa: ARG001  a table has no place for a title
    r"""Return a workflow as a table with the columns task, parents and the known facts.

    The cells are separated by tabs if *path* ends in ``.tsv``.

    >>> from icsched.dag import Dag
    >>> columns_text(Workflow(Dag({"a": [], "b": ["a"]})))
    'task,parents\na,\nb,a\n'
    """
    names = written_names(workflow, path, takes_name, "text without ';'")
    facts = facts_of(workflow)
    shown = [fact for fact in FACTS if any(fact in row for row in facts)]
    rows = [["task", "parents", *shown]]
    for task, parents in enumerate(_parents(workflow)):
        told = _BETWEEN.join(names[parent] for parent in parents)
        rows.append([names[task], told, *(facts[task].get(fact, "") for fact in shown)])
    separator = "\t" if path.lower().endswith(".tsv") else ","
    return "".join(f"{separator.join(map(_spelled, row))}\n" for row in rows)


def order_text(priorities: Mapping[str, int]) -> str:
    r"""Return an order as a table: a row for each task, in the order of *priorities*.

    >>> order_text({"b": 2, "a, 1": 1})
    'task,priority\nb,2\n"a, 1",1\n'
    """
    rows = (f"{_spelled(name)},{priority}\n" for name, priority in priorities.items())
    return f"task,priority\n{''.join(rows)}"


def _parents(workflow: Workflow) -> Iterator[list[int]]:
    rows = workflow.dag.parent_rows
    return (rows[task].tolist() for task in range(len(workflow.dag)))


def _spelled(value: str) -> str:
    if not _NEEDS_QUOTES.search(value):
        return value
    doubled = value.replace('"', '""')
    return f'"{doubled}"'
