"""Small grids, and what a study has written."""

import json
from pathlib import Path

GRID = ("--intervals", "0.1,1", "--batches", "1,4,16")
QUICK = (*GRID, "--runs", "500")


def cells(directory="out"):
    """Return the rows of study.json."""
    return json.loads(Path(directory, "study.json").read_text())["cells"]


def lines(directory="out"):
    return Path(directory, "cells.jsonl").read_bytes().splitlines(keepends=True)
