"""What commands read besides their arguments: workflows, orders, and measured run times."""

import math
import re
from collections.abc import Container, Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray

from icsched import formats
from icsched.cli import output
from icsched.cli.output import Flag
from icsched.dag import Dag
from icsched.errors import FormatError
from icsched.formats import Workflow

_RUN_TIME = re.compile(r"(\S.*?)(?:\s*,\s*|\s+)([^\s,]+)")


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

    def read(self, files: Sequence[str], *, directory: str = "") -> Workflow:
        """Read a workflow; raises UsageError without a file, FormatError for a bad one."""
        return output.read(
            files,
            lenient=self.lenient,
            usedagdir=self.usedagdir,
            rescue=not self.no_rescue,
            directory=directory,
        )


USUAL = FileOptions()  # as condor_submit_dag reads without options


def read_order(dag: Dag, path: str) -> list[int]:
    """Return the order in the file at *path*, a name a line; raises FormatError with its place."""
    line_of: dict[str, int] = {}
    for line, text in _lines(path):
        if not text.startswith("#") or text in dag.ids:
            _note(text, line, line_of, dag.ids, path)
    tasks = [dag.ids[name] for name in line_of]
    _check_all_there(dag, line_of, path)
    for task in tasks:
        for parent in dag.parents(task).tolist():
            here, above = line_of[str(dag.names[task])], line_of[str(dag.names[parent])]
            if above > here:
                names = f"{dag.names[task]!r} comes before its parent {dag.names[parent]!r}"
                raise FormatError(path, here, f"job {names} (line {above})")
    return tasks


def read_run_times(workflow: Workflow, path: str) -> NDArray[np.float64]:
    """Return the run time of each job left, from lines of a name and a number of seconds.

    Between them stand blanks or a comma. Jobs that are done may have a line too. Raises
    FormatError with its place for a line that is not right, or a job without one.
    """
    known = set(workflow.names)
    line_of: dict[str, int] = {}
    found: dict[Hashable, float] = {}
    for line, text in _lines(path):
        match = _RUN_TIME.fullmatch(text)
        if text.startswith("#") and not (match and match[1] in known):
            continue
        if match is None:
            raise FormatError(path, line, f"expected a job and its seconds, got {text!r}")
        _note(match[1], line, line_of, known, path)
        found[match[1]] = _seconds(match[2], path, line)
    _check_all_there(workflow.dag, found, path)
    return np.array([found[name] for name in workflow.dag.names])


def _lines(path: str) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not blank, with their numbers."""
    for line, text in enumerate(formats.read_text(path).split("\n"), 1):
        if text.strip():
            yield line, text.strip()


def _note(
    name: str, line: int, line_of: dict[str, int], known: Container[Hashable], path: str
) -> None:
    """Take note of a job's line; raises FormatError for one unknown or already there."""
    if name not in known:
        raise FormatError(path, line, f"unknown job {name!r}")
    if name in line_of:
        raise FormatError(path, line, f"job {name!r} is already on line {line_of[name]}")
    line_of[name] = line


def _check_all_there(dag: Dag, found: Container[Hashable], path: str) -> None:
    missing = [name for name in dag.names if name not in found]
    if missing:
        got = len(dag) - len(missing)
        problem = f"expected all {len(dag)} jobs, got {got}; {missing[0]!r} is missing"
        raise FormatError(path, None, problem)


def _seconds(word: str, path: str, line: int) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise FormatError(path, line, f"expected a positive number of seconds, got {word!r}")
    return value
