"""The tables of a study: a row for each cell of each workflow, as CSV and as JSON."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from io import StringIO
from pathlib import Path

import msgspec

from icsched.compare import METRICS
from icsched.files import write_bytes, write_text
from icsched.sim import Mean, Ratio
from icsched.study.cells import BASELINE, CellResult, Terms

Rows = Mapping[str, Sequence[CellResult]]  # by the workflow's name

_RATIO = ("median", "low", "high")
_MEAN = ("mean", "low", "high")


def write_tables(directory: str, rows: Rows, terms: Terms) -> list[str]:
    """Write study.csv and study.json to *directory*; return their paths.

    Both have the rows in the order given. A ratio has no interval if its denominator may be 0; its
    fields are then empty, or null. Raises FormatError if the files cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     paths = write_tables(directory, {"wf": []}, Terms(seed=4))
    ...     msgspec.json.decode(Path(paths[1]).read_bytes())["seed"]
    4
    """
    table, document = (str(Path(directory, name)) for name in ("study.csv", "study.json"))
    write_text(table, csv_text(rows, terms.ordered_by))
    write_bytes(document, msgspec.json.format(msgspec.json.encode(_document(rows, terms))) + b"\n")
    return [table, document]


def csv_text(rows: Rows, ordered_by: str) -> str:
    """Return the table as CSV; *ordered_by* names the order that is compared with fifo.

    >>> csv_text({}, "prio").split(",")[:6]
    ['workflow', 'interval', 'batch', 'runs', 'precise', 'ratio_time_median']
    """
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_header(ordered_by))
    for workflow, results in rows.items():
        writer.writerows([workflow, *_numbers(result, ordered_by)] for result in results)
    return text.getvalue()


def _header(ordered_by: str) -> list[str]:
    ratios = [f"ratio_{metric}_{part}" for metric in METRICS for part in _RATIO]
    means = [
        f"{order}_{metric}_{part}"
        for order in (ordered_by, BASELINE)
        for metric in METRICS
        for part in _MEAN
    ]
    return ["workflow", "interval", "batch", "runs", "precise", *ratios, *means]


def _numbers(result: CellResult, ordered_by: str) -> Iterator[object]:
    yield from (result.interval, result.batch, result.runs, int(result.precise))
    for metric in METRICS:
        yield from _parts(getattr(result.ratio, metric), _RATIO)
    for order in (ordered_by, BASELINE):
        for metric in METRICS:
            yield from _parts(getattr(result.orders[order], metric), _MEAN)


def _parts(found: Ratio | Mean | None, names: Sequence[str]) -> list[object]:
    return [None if found is None else getattr(found, name) for name in names]


def _document(rows: Rows, terms: Terms) -> dict[str, object]:
    return {
        "schema": 1,
        "ordered_by": terms.ordered_by,
        "batch_law": terms.batch_law,
        "seed": terms.seed,
        "sampling": {"method": type(terms.sampling).__name__, **asdict(terms.sampling)},
        "cells": [
            {"workflow": workflow, **asdict(result)}
            for workflow, results in rows.items()
            for result in results
        ],
    }
