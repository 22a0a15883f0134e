"""Files that commands read: workflows, lists of jobs, and what is known of jobs beforehand."""

import os
import re
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from cyclopts import Parameter
from numpy.typing import NDArray

from icsched import files, formats
from icsched.commands.terminal import STANDARD_INPUT, working
from icsched.dag import Dag
from icsched.errors import ArgumentError, FormatError, GameError
from icsched.files import check_replaceable, is_own_file
from icsched.formats.access import read_inputs
from icsched.formats.table import ReadOptions, format_by_suffix
from icsched.frames import NOT_IN_JSON
from icsched.messages import counted
from icsched.run_times import Origin, RunTimeTable
from icsched.workflow import Workflow


@Parameter(name="*", negative="", show_default=False)
@dataclass(frozen=True)
class FileOptions(ReadOptions):
    """How files are read; the class that it extends has the options and their help."""

    def read(
        self, files: Sequence[str], *, directory: str = "", format_: str | None = None
    ) -> Workflow:
        """Read a workflow; raises ArgumentError without a file, FormatError for a bad one."""
        check_given(files)
        with working(f"reading {files[0]}"):
            chosen = formats.format_of(files[0], format_)
            return read_inputs(chosen, files, self, directory=directory)

    def read_to_run(self, files: Sequence[str]) -> Workflow:
        """Read a workflow; raises FormatError also if no job is left to run."""
        workflow = self.read(files)
        if workflow.done.all():
            by = f"; all are done by {workflow.done_by}" if workflow.done_by else ""
            problem = f"expected at least one job that is left to run{by}"
            raise FormatError(files[0], None, problem)
        return workflow


USUAL = FileOptions()  # as condor_submit_dag reads files without options


def check_given(files: Sequence[str]) -> None:
    """Raise ArgumentError without a file."""
    if not files:
        raise ArgumentError("expected a workflow file")


def check_output(workflow: Workflow, path: str, *inputs: str, instead: str = "") -> None:
    """Raise ArgumentError if *path*, which is to be written, is of the workflow or of *inputs*.

    Raises FormatError if there is a file that is read-only: before work that may take long.
    """
    is_file = os.path.isfile(path)  # noqa: PTH113  also False for a name that no file can have
    if is_file and is_own_file(path, inputs):
        raise ArgumentError(f"{path} is a file that is read: use another name{instead}")
    if is_file and is_own_file(path, workflow.files):
        raise ArgumentError(f"{path} is a file of the workflow: use another name{instead}")
    check_replaceable(path)


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
    return _listed(option, text, float, "numbers")


def whole_numbers(option: str, text: str) -> list[int]:
    """Return the whole numbers that an option lists; raises ArgumentError for anything else.

    >>> whole_numbers("--capacities", "4,16,64")
    [4, 16, 64]
    """
    return _listed(option, text, int, "whole numbers")


def _listed(option: str, text: str, number: Callable[[str], Number], what: str) -> list[Number]:
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
    """Return the order in the file at *path*, one name on each line, as ids of ``workflow.dag``.

    Jobs that are done may be in the file, and are left out. Raises FormatError with the line.
    """
    dag = workflow.residual.dag
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
    return [workflow.dag.ids[name] for name in line_of if name in dag.ids]


def read_sizes(workflow: Workflow, path: str) -> NDArray[np.int64]:
    """Return the bytes of each job, from lines with a name and a number; 0 for one that is done.

    Blanks or a comma separate the two. Jobs that are done may have a line too. Raises FormatError
    for a wrong line, with its number, and for a job that is left without a line.
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
    _check_all_there(workflow.residual.dag, found, path)
    return np.array([found.get(name, 0) for name in workflow.names], np.int64)


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


# Run times

_WORKFLOW_KEY = re.compile(rb'"workflow"\s*:')
_TABLES = "csv"  # the format of workflows whose files are tables of run times, too


def is_workflow(path: str, data: bytes) -> bool:
    """Whether a file is a workflow: it has no events, and a suffix of a format or no JSON.

    A history is JSON too, and may have the suffix of workflows in JSON.
    """
    has_suffix = format_by_suffix(path) is not None
    if has_suffix and data.lstrip().startswith(b"<"):  # no log is XML
        return True
    from icsched import history  # slow to import

    content = history.content_of(path, data)
    if content is history.Content.HISTORY and path.lower().endswith(".json"):
        # No history is an object with this key.
        return has_suffix and data.lstrip()[:1] == b"{" and bool(_WORKFLOW_KEY.search(data))
    return has_suffix if content is history.Content.HISTORY else content is history.Content.TABLE


def is_trace(path: str) -> bool:
    """Whether a file with run times is a workflow, by its suffix; a table of any kind is not.

    Only JSON is looked into, because a history may have the same suffix.
    """
    chosen = format_by_suffix(path)
    if chosen is None or chosen.name == _TABLES:
        return False
    return not path.lower().endswith(".json") or is_workflow(path, files.read_bytes(path))


def with_run_times(workflow: Workflow, paths: Sequence[str]) -> Workflow:
    """Return the workflow with run times from the files at *paths*; the same without any file.

    Raises FormatError for a file that cannot be read, or if all of them are of another workflow.
    """
    return timed(workflow, _table(paths), paths) if paths else workflow


def _table(paths: Sequence[str]) -> RunTimeTable:
    """Return the run times in logs, tables and workflows; logs and tables replace workflows'."""
    from icsched.history import read_run_times

    traces = [path for path in paths if is_trace(path)]
    others = [path for path in paths if path not in traces]
    known = {name: seconds for path in traces for name, seconds in _own_times(path).items()}
    patterns: Mapping[str, float] = {}
    if others:
        table = read_run_times(*others)
        known.update(zip(table.names, table.seconds.tolist(), strict=True))
        patterns = table.patterns
    return RunTimeTable(tuple(known), np.array([*known.values()]), patterns)


def _own_times(path: str) -> dict[str, float]:
    """Return the seconds that a workflow file itself has; raises FormatError if it has none."""
    from icsched.formats.facts import said  # slow to import

    trace = formats.read(path)
    pairs = zip(map(str, trace.names), said(trace, "run_times"), strict=True)
    known = {name: seconds for name, seconds in pairs if seconds is not None}
    if not known:
        instead = "give a trace of a run, a log, or a table of jobs and seconds"
        raise FormatError(path, None, f"this workflow has no run times: {instead}")
    return known


def timed(workflow: Workflow, table: RunTimeTable, paths: Sequence[str]) -> Workflow:
    """Return the workflow with the run times of a table, which is from the files at *paths*."""
    if not len(workflow.dag):
        return workflow
    try:
        return workflow.with_run_times(table)
    except ArgumentError as error:
        raise FormatError(", ".join(paths), None, str(error)) from error


@dataclass(frozen=True)
class TimesKnown:
    """How many jobs have run times of which origin, and how many given names fit no job.

    `is_own` is true if all run times are those of the workflow file, and means of these.
    """

    measured: int
    pattern: int
    kind: int
    all: int
    unused: int
    is_own: bool = field(default=False, metadata=NOT_IN_JSON)


def times_known(workflow: Workflow, *, is_own: bool = False) -> TimesKnown | None:
    """Return where the run times come from; *is_own* if the user gave no file with run times.

    Returns None without run times, and if the workflow file has all of them.
    """
    if workflow.run_time_origins is None:
        return None
    origins = workflow.run_time_origins[~workflow.done]
    measured, pattern, kind, of_all = np.bincount(origins, minlength=len(Origin)).tolist()
    unused = workflow.unused_run_times
    return TimesKnown(measured, pattern, kind, of_all, unused, is_own=is_own)


def done_sentence(workflow: Workflow, aim: str) -> str:
    """Say how many jobs are done, by which file, and how many are left to *aim*; "" if none is."""
    done = int(workflow.done.sum())
    if not done:
        return ""
    by = f"by {workflow.done_by or 'DONE in the files'}"
    left = counted(len(workflow.dag) - done, "job")
    return f"{counted(done, 'job')} done {by}; {left} left to {aim}"


def done_line(workflow: Workflow, aim: str) -> str:
    """Return a line for a report, with the option that ignores the rescue file; "" if none is."""
    sentence = done_sentence(workflow, aim)
    option = " (--no-rescue ignores that file)" if workflow.done_by else ""
    return f"{sentence}{option}\n" if sentence else ""


def times_sentence(note: TimesKnown) -> str:
    """Say how many jobs have run times of which origin, or how many lack one in their own file."""
    if not note.is_own:
        return f"run times: {times_counts(note)}"
    lacking = counted(note.kind + note.all, "job")
    return f"{lacking} without a run time in the file: icsched takes the mean of other jobs"


def times_counts(note: TimesKnown) -> str:
    """Return how many jobs have run times of which origin."""
    counts = {
        "measured": note.measured,
        "given by pattern": note.pattern,
        "mean of their kind": note.kind,
        "mean of all": note.all,
    }
    told = ", ".join(f"{count:,} {words}" for words, count in counts.items() if count)
    unused = counted(note.unused, "name fits", "names fit") + " no job"
    return told + (f"; {unused}" if note.unused else "")


def times_line(note: TimesKnown | None) -> str:
    """Return a line for a report; "" for None."""
    return "" if note is None else f"{times_sentence(note)}\n"
