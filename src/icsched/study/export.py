"""The tables of a study, as CSV and as JSON: the cells of each workflow, with each order."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path

import msgspec

from icsched.errors import FormatError
from icsched.files import read_if_there, write_bytes, write_text
from icsched.sim import METRICS
from icsched.study.cells import BASELINE, CellResult, Terms

Rows = Mapping[str, Sequence[CellResult]]  # by the workflow's name

SCHEMA = 2  # of study.json; version 1 had only one order

_RATIO = ("median", "low", "high", "mean", "deviation")
_MEAN = ("mean", "low", "high")


def write_tables(directory: str, rows: Rows, orders: Sequence[str], terms: Terms) -> list[str]:
    """Write study.csv and study.json to *directory*; return their paths.

    *orders* are compared with fifo. Both files have the cells in the order given. A ratio has no
    interval if its denominator may be 0; its fields are then empty, or null. Raises FormatError if
    the files cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     paths = write_tables(directory, {"wf": []}, ["prio"], Terms(seed=4))
    ...     msgspec.json.decode(Path(paths[1]).read_bytes())["seed"]
    4
    """
    table, document = (str(Path(directory, name)) for name in ("study.csv", "study.json"))
    write_text(table, csv_text(rows, orders))
    cells = [
        {"workflow": workflow, **asdict(result)}
        for workflow, results in rows.items()
        for result in results
    ]
    found = {"schema": SCHEMA, "orders": list(orders), **terms.to_dict(), "cells": cells}
    write_bytes(document, msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    return [table, document]


def csv_text(rows: Rows, orders: Sequence[str]) -> str:
    """Return the table as CSV, with a row for each cell and each of *orders*.

    >>> csv_text({}, ["prio"]).split(",")[:6]
    ['workflow', 'interval', 'batch', 'workers', 'order', 'runs']
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    ratios = [f"ratio_{metric}_{part}" for metric in METRICS for part in _RATIO]
    means = [f"{metric}_{part}" for metric in METRICS for part in _MEAN]
    cell = ["workflow", "interval", "batch", "workers", "order", "runs", "precise"]
    writer.writerow([*cell, *ratios, *means, *(f"{BASELINE}_{name}" for name in means)])
    for workflow, results in rows.items():
        for result in results:
            writer.writerows([workflow, *_numbers(result, order)] for order in orders)
    return text.getvalue()


def _numbers(result: CellResult, order: str) -> Iterator[object]:
    yield from (result.interval, result.batch, result.workers, order)
    yield from (result.runs, int(result.precise))
    for metric in METRICS:
        ratio = getattr(result.ratios(order), metric)
        yield from (ratio and getattr(ratio, part) for part in _RATIO)
    for name in (order, BASELINE):
        for metric in METRICS:
            mean = getattr(result.orders[name], metric)
            yield from (getattr(mean, part) for part in _MEAN)


@dataclass(frozen=True)
class _Row(CellResult):
    workflow: str


@dataclass(frozen=True)
class _Tables:
    schema: int
    orders: tuple[str, ...]
    cells: tuple[_Row, ...]


def read_tables(directory: str) -> tuple[tuple[str, ...], dict[str, list[CellResult]]]:
    """Return the orders and the cells of each workflow, as `write_tables` wrote them.

    Raises FormatError if *directory* has no study.json, or one that icsched did not write.
    """
    path = Path(directory, "study.json")
    data = read_if_there(path)
    if data is None:
        raise FormatError(directory, None, "no study there")
    try:
        found = msgspec.json.decode(data, type=_Tables)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FormatError(str(path), None, f"expected the tables of a study: {error}") from None
    if found.schema != SCHEMA:
        raise FormatError(str(path), None, f"expected schema {SCHEMA}, got {found.schema}")
    rows: dict[str, list[CellResult]] = {}
    for row in found.cells:
        rows.setdefault(row.workflow, []).append(row)
    if not rows:
        raise FormatError(str(path), None, "expected at least one finished cell")
    return found.orders, rows
