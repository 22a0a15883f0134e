"""What users list: numbers and names in options, and files with one line for each job."""

import re
from collections.abc import Callable, Container, Hashable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from icsched import files
from icsched.answers.streams import STANDARD_INPUT
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError, GameError
from icsched.workflow import Workflow

Number = TypeVar("Number", int, float)

_NAME_AND_NUMBER = re.compile(r"(\S+?)(?:\s*,\s*|\s+)([^\s,]+)")
_MOST_SHOWN = 200  # characters of a line in an error message
_MOST_DIGITS = 18  # of a number of bytes: the sum of many of them still fits into 64 bits
_BYTES = "a number of bytes from 0 to 10^18 - 1"


def numbers(option: str, text: str) -> list[float]:
    """Return the numbers that an option lists; raises ArgumentError for anything else.

    >>> numbers("--intervals", "0.1, 1,10")
    [0.1, 1.0, 10.0]
    """
    return _each(option, text, float, "numbers")


def whole_numbers(option: str, text: str) -> list[int]:
    """Return the whole numbers that an option lists; raises ArgumentError for anything else.

    >>> whole_numbers("--capacities", "4,16,64")
    [4, 16, 64]
    """
    return _each(option, text, int, "whole numbers")


def _each(option: str, text: str, number: Callable[[str], Number], what: str) -> list[Number]:
    try:
        return [number(word) for word in text.split(",")]
    except ValueError:
        problem = f"expected {what} separated by commas, got {text!r}"
        raise ArgumentError(f"{option}: {problem}") from None


def named_jobs(workflow: Workflow, option: str, text: str) -> list[str]:
    """Return the jobs that an option lists, or that @FILE lists, one name on each line.

    Raises FormatError with the line, or GameError, for a job that the workflow does not have.
    """
    known = set(workflow.names)
    if text.startswith("@"):
        return [name for _, name in _names(file_after_at(text), known)]
    listed = [name for word in text.split(",") if (name := word.strip())]
    for name in listed:
        if name not in known:
            raise GameError(f"{option}: unknown job {name!r}")
    return listed


# Files with one line for each job


def file_after_at(word: str) -> str:
    """Return the file that *word* names after @; a hyphen is standard input.

    >>> file_after_at("@order.txt"), file_after_at("@-")
    ('order.txt', '/dev/stdin')
    """
    path = word[1:]
    return STANDARD_INPUT if path == "-" else path


def read_order(workflow: Workflow, path: str) -> list[int]:
    """Return the order in the file at *path*, one name on each line.

    Jobs that are done may be in the file, and are left out. Raises FormatError with the line.
    """
    dag = workflow.dag
    line_of: dict[str, int] = {}
    for line, name in _names(path, set(workflow.names)):
        _note(name, line, line_of, path)
    tasks = [dag.ids[name] for name in line_of if name in dag.ids]
    _check_all_there(dag, line_of, path)
    for task in tasks:
        for parent in dag.parent_rows[task].tolist():
            here, above = line_of[str(dag.names[task])], line_of[str(dag.names[parent])]
            if above > here:
                names = f"{dag.names[task]!r} comes before its parent {dag.names[parent]!r}"
                raise FormatError(path, here, f"job {names} (line {above})")
    return tasks


def read_sizes(workflow: Workflow, path: str) -> NDArray[np.int64]:
    """Return the bytes of each job left to run, from lines with a name and a number.

    Blanks or a comma separate the two. Jobs that are done may have a line too. Raises FormatError
    for a wrong line, with its number, and for a job without a line.
    """
    known = set(workflow.names)
    line_of: dict[str, int] = {}
    found: dict[Hashable, int] = {}
    for line, text in _lines(path):
        match = _NAME_AND_NUMBER.fullmatch(text)
        if text.startswith("#") and not (match and match[1] in known):
            continue
        if match is None:
            raise FormatError(path, line, f"expected a job and {_BYTES}, got {_start(text)!r}")
        name, word = match.groups()
        _check_known(name, line, known, path)
        _note(name, line, line_of, path)
        if not (word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS):
            problem = f"job {name!r}: expected {_BYTES}, got {_start(word)!r}"
            raise FormatError(path, line, problem)
        found[name] = int(word)
    _check_all_there(workflow.dag, found, path)
    return np.array([found[name] for name in workflow.dag.names], np.int64)


def _names(path: str, known: Container[Hashable]) -> Iterator[tuple[int, str]]:
    """Yield the names in a file, one on each line, with line numbers; raises FormatError."""
    for line, text in _lines(path):
        if not text.startswith("#") or text in known:
            _check_known(text, line, known, path)
            yield line, text


def _lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers."""
    for line, text in enumerate(files.read_text(path).split("\n"), 1):
        if text.strip():
            yield line, text.strip()


def _check_known(name: str, line: int, known: Container[Hashable], path: str) -> None:
    if name not in known:
        raise FormatError(path, line, f"unknown job {_start(name)!r}")


def _start(text: str) -> str:
    """Return *text*, or only its start if it would fill the terminal."""
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def _note(name: str, line: int, line_of: dict[str, int], path: str) -> None:
    """Record the line of a job; raises FormatError if the job has a line already."""
    if name in line_of:
        raise FormatError(path, line, f"job {name!r} is already on line {line_of[name]}")
    line_of[name] = line


def _check_all_there(dag: Dag, found: Container[Hashable], path: str) -> None:
    missing = [name for name in dag.names if name not in found]
    if missing:
        got = len(dag) - len(missing)
        problem = f"expected all {len(dag)} jobs, got {got}; {missing[0]!r} is missing"
        raise FormatError(path, None, problem)
