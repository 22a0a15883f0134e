"""Run times from any files that have some."""

import os

import numpy as np

from icsched import files
from icsched.errors import ArgumentError
from icsched.logs.reading import Content, Path, content_of, parsed_run
from icsched.logs.tables import Table, parse_table
from icsched.run_times import RunTimeTable


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
