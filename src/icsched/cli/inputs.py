"""What commands read: workflows, lists of numbers and names, orders, and numbers of each job."""

import math
import os
import re
from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from cyclopts import Parameter, Token
from numpy.typing import NDArray

from icsched import files
from icsched.cli.output import Flag, working
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError, GameError
from icsched.formats.dagman import Submission, read_submission

Number = TypeVar("Number", int, float)

_NAME_AND_NUMBER = re.compile(r"(\S+?)(?:\s*,\s*|\s+)([^\s,]+)")
_MOST_SHOWN = 200  # characters of a line, in a complaint about it
_MOST_DIGITS = 18  # of bytes: many such numbers add up within 64 bits


@Parameter(name="*")
@dataclass(frozen=True)
class FileOptions:
    """How the files of a workflow are read.

    Parameters
    ----------
    lenient
        Skip unknown commands instead of refusing them.
    usedagdir
        Take names of files from the directory of the DAGMan file, as condor_submit_dag -usedagdir.
    no_rescue
        Take all jobs, also those that the newest rescue file says are done.

    """

    lenient: Flag = False
    usedagdir: Flag = False
    no_rescue: Flag = False

    def read(self, files: Sequence[str], *, directory: str = "") -> Submission:
        """Read a workflow; raises ArgumentError without a file, FormatError for a bad one."""
        if not files:
            raise ArgumentError("expected a DAGMan file")
        with working(f"reading {files[0]}"):
            workflow = read_submission(
                files,
                rescue=not self.no_rescue,
                lenient=self.lenient,
                use_dag_directory=self.usedagdir,
                directory=directory,
            )
            _ = workflow.dag  # a cycle is an error of the file
            return workflow

    def read_to_run(self, files: Sequence[str]) -> Submission:
        """Read a workflow; raises FormatError also if no job of it is left to run."""
        workflow = self.read(files)
        if not len(workflow.dag):
            by = f"; all are done by {workflow.rescue}" if workflow.rescue else ""
            problem = f"expected at least one job that is left to run{by}"
            raise FormatError(files[0], None, problem)
        return workflow


USUAL = FileOptions()  # as condor_submit_dag reads without options


def check_not_own(workflow: Submission, path: str, *, instead: str = "") -> None:
    """Raise ArgumentError if *path*, which is to be written, is a file that the workflow reads."""
    if not os.path.isfile(path):  # noqa: PTH113  false of a name that no file can have, too
        return
    if os.path.realpath(path) in set(map(os.path.realpath, workflow.files())):
        raise ArgumentError(f"{path} is a file of the workflow: expected another{instead}")


# Whole numbers, one or a list with commas between


def _whole_number(_type: object, tokens: Sequence[Token]) -> int:
    """Return the whole number that an option says; cyclopts itself would round fractions."""
    word = tokens[0].value
    try:
        return int(word)
    except ValueError:  # cyclopts names the option
        raise ValueError(f"expected a whole number, got {word!r}") from None


WHOLE = Parameter(converter=_whole_number)  # of every option that is an int


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
        problem = f"expected {what} with commas between, got {text!r}"
        raise ArgumentError(f"{option}: {problem}") from None


def named_jobs(workflow: Submission, option: str, text: str) -> list[str]:
    """Return the jobs that an option lists, or with @FILE a file, a name a line.

    Raises FormatError with its place, or GameError, for a job that the workflow does not have.
    """
    known = set(workflow.names)
    if text.startswith("@"):
        return [name for _, name in _names(text[1:], known)]
    listed = [name for word in text.split(",") if (name := word.strip())]
    for name in listed:
        if name not in known:
            raise GameError(f"{option}: unknown job {name!r}")
    return listed


# Files with a line for each job


def read_order(workflow: Submission, path: str) -> list[int]:
    """Return the order in the file at *path*, a name a line; raises FormatError with its place.

    Jobs that are done may stand in it and are left out.
    """
    dag = workflow.dag
    line_of: dict[str, int] = {}
    for line, name in _names(path, set(workflow.names)):
        _note(name, line, line_of, path)
    tasks = [dag.ids[name] for name in line_of if name in dag.ids]
    _check_all_there(dag, line_of, path)
    for task in tasks:
        for parent in dag.parents(task).tolist():
            here, above = line_of[str(dag.names[task])], line_of[str(dag.names[parent])]
            if above > here:
                names = f"{dag.names[task]!r} comes before its parent {dag.names[parent]!r}"
                raise FormatError(path, here, f"job {names} (line {above})")
    return tasks


def read_run_times(workflow: Submission, path: str) -> NDArray[np.float64]:
    """Return the seconds of each job left to run; see `_read_numbers`."""
    seconds = _read_numbers(workflow, path, _seconds, "a positive number of seconds")
    return np.array(seconds, np.float64)


def read_sizes(workflow: Submission, path: str) -> NDArray[np.int64]:
    """Return the bytes of each job left to run; see `_read_numbers`."""
    sizes = _read_numbers(workflow, path, _bytes, "a number of bytes from 0 to 10^18 - 1")
    return np.array(sizes, np.int64)


def _read_numbers(
    workflow: Submission, path: str, number: Callable[[str], Number | None], expected: str
) -> list[Number]:
    """Return the number of each job left to run, from lines of a name and a number.

    Between them stand blanks or a comma. Jobs that are done may have a line too. Raises
    FormatError with its place for a line that is not right, or a job without one.
    """
    known = set(workflow.names)
    line_of: dict[str, int] = {}
    found: dict[Hashable, Number] = {}
    for line, text in _lines(path):
        match = _NAME_AND_NUMBER.fullmatch(text)
        if text.startswith("#") and not (match and match[1] in known):
            continue
        if match is None:
            raise FormatError(path, line, f"expected a job and {expected}, got {_start(text)!r}")
        name, word = match.groups()
        _check_known(name, line, known, path)
        _note(name, line, line_of, path)
        value = number(word)
        if value is None:
            problem = f"job {name!r}: expected {expected}, got {_start(word)!r}"
            raise FormatError(path, line, problem)
        found[name] = value
    _check_all_there(workflow.dag, found, path)
    return [found[name] for name in workflow.dag.names]


def _seconds(word: str) -> float | None:
    try:
        value = float(word)
    except ValueError:
        return None
    return value if 0 < value < math.inf else None


def _bytes(word: str) -> int | None:
    is_number = word.isascii() and word.isdigit() and len(word) <= _MOST_DIGITS
    return int(word) if is_number else None


def _names(path: str, known: Container[Hashable]) -> Iterator[tuple[int, str]]:
    """Yield the names in a file, one a line, with their lines; raises FormatError if unknown."""
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
    """Return *text*, or its start if a complaint about it would fill the terminal."""
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def _note(name: str, line: int, line_of: dict[str, int], path: str) -> None:
    """Take note of a job's line; raises FormatError if it has one already."""
    if name in line_of:
        raise FormatError(path, line, f"job {name!r} is already on line {line_of[name]}")
    line_of[name] = line


def _check_all_there(dag: Dag, found: Container[Hashable], path: str) -> None:
    missing = [name for name in dag.names if name not in found]
    if missing:
        got = len(dag) - len(missing)
        problem = f"expected all {len(dag)} jobs, got {got}; {missing[0]!r} is missing"
        raise FormatError(path, None, problem)
