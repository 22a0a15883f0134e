"""Facts of tasks in files: words, numbers and remarks."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import chain
from typing import Any, AnyStr, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import LONGEST, SHORTEST, Floats, Mask, Sizes, expected_time
from icsched.errors import FormatError
from icsched.run_times import Origin, RunTimeTable
from icsched.workflow import Remark, Workflow

NO_RUN_TIME = "tasks without a run time get the mean of their kind"
NO_SIZE = "tasks without a size count as 0 bytes"
INNER = "jobs that are workflows: icsched orders each as one job"
MOST_READ = 2**30 - 1  # bytes of a file; reading needs 10 to 30 times as much memory
MOST_BYTES = 2**53  # the sum of all sizes must be less, so that a float holds it exactly
MOST_KINDS = 10  # names of one kind that get a remark each
_LIMIT = 2**31  # of priorities
WHOLE = "a whole number of 32 bits"
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": False}

Number = int | float | None
Column = Literal["run_times", "sizes", "priorities"]
Edit: TypeAlias = tuple[int, int, AnyStr]  # start, end and the text that replaces this range


class Remarks:
    """Collects remarks about a file, one for each kind of thing.

    A file may have any number of names that icsched does not read. The first ten of a kind get one
    remark each. All others share one remark, with the text *rest*.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._counts: Counter[str] = Counter()
        self._lines: dict[str, int] = {}
        self._named: Counter[str] = Counter()  # number of remarks for each text *rest*

    def add(
        self, text: str, count: int = 1, line: Callable[[], int] = lambda: 0, *, rest: str = ""
    ) -> None:
        """Count the remark *text*, which names its first line; a *count* of 0 adds nothing."""
        if not count:
            return
        if rest and text not in self._counts:
            self._named[rest] += 1
            text = text if self._named[rest] <= MOST_KINDS else rest
        if text not in self._counts:
            self._lines[text] = line()
        self._counts[text] += count

    def tuple(self) -> tuple[Remark, ...]:
        """Return all remarks."""
        rows = self._counts.items()
        return tuple(Remark(self.path, self._lines[text], text, count) for text, count in rows)


# Words of a file as values; the text of a ValueError says what was expected


def seconds_in(words: str) -> float:
    """Return a run time. 1_000 and digits other than 0 to 9 are refused, unlike in Python."""
    try:
        seconds = float(words if words.isascii() and "_" not in words else "")
    except ValueError:
        raise ValueError("seconds") from None
    if seconds == 0 or SHORTEST <= seconds <= LONGEST:
        return abs(seconds)  # -0 is written as 0
    raise ValueError(expected_time(seconds))


def size_in(words: str) -> int:
    """Return the size of one result."""
    return whole_in(words, 0, MOST_BYTES - 1, f"a whole number of bytes below {MOST_BYTES:,}")


def priority_in(words: str) -> int:
    """Return a priority.

    >>> priority_in("5"), priority_in("-3.0"), priority_in("1e2")
    (5, -3, 100)
    """
    return whole_in(words, -_LIMIT, _LIMIT - 1)


def whole_in(words: str, least: int, most: int, expected: str = WHOLE) -> int:
    """Return a whole number in any decimal form: 100, 100.0 and 1e2 are the same number."""
    found = _DECIMAL.fullmatch(words.strip())
    value = Decimal(found[0]) if found else Decimal("NaN")
    if not found or not least <= value <= most or value != value.to_integral_value():
        raise ValueError(expected)
    return int(value)


def truth_in(words: str) -> bool:
    """Return a truth value, such as "true" or "no"."""
    if words.strip().lower() not in _TRUTH:
        raise ValueError("true or false")
    return _TRUTH[words.strip().lower()]


# Numbers of all tasks, NaN where the file has none


def or_nan(given: Sequence[Number]) -> Floats:
    """Return numbers as an array, NaN for None: see `Workflow.stated`."""
    return np.array([np.nan if value is None else value for value in given], np.float64)


def is_priority(value: float) -> bool:
    """Whether a number is a whole number of 32 bits."""
    return value == value // 1 and -_LIMIT <= value < _LIMIT


def or_zero(stated: Floats, kind: type) -> NDArray[Any] | None:
    """Return numbers with 0 for NaN; None if no task has one."""
    return None if np.isnan(stated).all() else np.nan_to_num(stated).astype(kind)


def known_seconds(seconds: Floats, done: Mask, remarks: Remarks) -> Floats | None:
    """Return the run times; None if one is unknown (NaN) and its task is not done."""
    if np.isnan(seconds).all():
        return None
    missing = int(np.isnan(seconds[~done]).sum())
    remarks.add(NO_RUN_TIME, missing)
    return None if missing else np.nan_to_num(seconds)


def with_means(workflow: Workflow[str]) -> Workflow[str]:
    """Return the workflow with means for missing run times; unchanged if all are missing."""
    seconds = workflow.stated["run_times"]
    known = np.flatnonzero(~np.isnan(seconds)).tolist()
    if workflow.run_times is not None or not known:
        return workflow
    names = tuple(workflow.names[task] for task in known)
    return workflow.with_run_times(RunTimeTable(names, seconds[known]))


def output_sizes(rows: Sequence[Sequence[Number]], remarks: Remarks) -> Sizes | None:
    """Return the bytes that each task writes, from the sizes of its outputs; None without sizes.

    >>> output_sizes([[1, 2.5], [], [None]], Remarks("wf.json"))
    array([4, 0, 0])
    """
    counts = np.fromiter(map(len, rows), np.int64, len(rows))
    found = list(chain.from_iterable(rows))
    unknown = found.count(None)
    if unknown == len(found):
        return None
    remarks.add("outputs without a size count as 0 bytes", unknown)
    values = np.fromiter((math.ceil(size or 0) for size in found), np.float64, len(found))
    check_sum(values, remarks.path)
    owners = np.repeat(np.arange(len(rows)), counts)
    return np.bincount(owners, values, len(rows)).astype(np.int64)


def check_sum(sizes: NDArray[np.generic], path: str) -> None:
    """Raise FormatError for sizes that are too large together."""
    total = float(np.asarray(sizes, np.float64).sum())
    if total >= MOST_BYTES:
        problem = f"sizes: expected a sum below {MOST_BYTES:,}, got {total:,.0f}"
        raise FormatError(path, None, problem)


# Values for writers


def said(workflow: Workflow, name: Column) -> list[Any]:
    """Return a column of *workflow*, with None for a task without a value of its own.

    Means of other run times, and 0 for a missing number, become None. Done tasks are included.

    >>> from icsched.dag import Dag
    >>> dag = Dag({"a": [], "b": [], "c": []})
    >>> done, priorities = np.array([True, False, False]), np.array([0, 0, 4], np.int32)
    >>> work = Workflow(dag, done, priorities=priorities)
    >>> said(work, "priorities")
    [None, 0, 4]
    >>> from dataclasses import replace
    >>> said(replace(work, stated={"priorities": np.array([7, np.nan, 4])}), "priorities")
    [7, None, 4]
    """
    column = np.full(len(workflow.dag), None)
    given, values = workflow.stated.get(name), getattr(workflow, name)
    if given is not None:
        is_said = workflow.done & ~np.isnan(given)
        column[is_said] = given[is_said].astype(float if name == "run_times" else np.int64)
    if values is not None:
        is_said = ~workflow.done & _is_own(workflow, name)
        column[is_said] = values[is_said]
    found: list[Any] = column.tolist()
    return found


def _is_own(workflow: Workflow, name: Column) -> Mask:
    """Return which tasks have a number of their own, not the mean of other tasks."""
    if name == "run_times" and workflow.run_time_origins is not None:
        return np.asarray(workflow.run_time_origins < Origin.KIND)
    if name != "run_times" and name in workflow.stated:
        return ~np.isnan(workflow.stated[name])
    return np.ones(len(workflow.dag), bool)


def written_names(
    workflow: Workflow, path: str, takes: Callable[[str], bool], expected: str
) -> list[str]:
    """Return the names of tasks as text; raises FormatError for one that a format cannot hold."""
    names = [str(name) for name in workflow.names]
    strange = next((name for name in names if not takes(name)), None)
    if strange is not None:
        raise FormatError(path, None, f"name of a task: expected {expected}, got {strange!r}")
    if len(set(names)) < len(names):
        raise FormatError(path, None, "two tasks have the same name once written as text")
    return names


def edited(text: AnyStr, edits: Iterable[Edit[AnyStr]]) -> AnyStr:
    """Return *text* after *edits*, which do not overlap; edits of one place keep their order.

    All else stays as it is, to the last byte.

    >>> edited("nice=3 a", [(5, 6, "12"), (8, 8, " b"), (8, 8, " c")])
    'nice=12 a b c'
    """
    parts: list[AnyStr] = []
    place = 0
    for start, end, words in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[place:start], words]
        place = end
    parts.append(text[place:])
    return text[:0].join(parts)
