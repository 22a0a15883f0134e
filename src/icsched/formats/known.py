"""What files say about tasks, as arrays and remarks: the same for all formats."""

import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import LONGEST, SHORTEST, Floats, Ids, Sizes, expected_time
from icsched.dag import Dag
from icsched.errors import CycleError, FormatError
from icsched.run_times import RunTimeTable
from icsched.workflow import Remark, Workflow

NO_RUN_TIME = "tasks without a run time get the mean of their kind"
NO_SIZE = "tasks without a size count as 0 bytes"
MOST_READ = 2**30 - 1  # bytes of a file; reading takes 10 times as much, short lines 30 times
MOST_BYTES = 2**53  # the sum of all sizes is less: floating point holds it exactly
MOST_BY_FILES = 10_000_000  # arcs from files that several tasks write
MOST_KINDS = 10  # of things with names, each with a remark
_MANY = 100  # arcs of one file that numpy makes faster than a loop
_LIMIT = 2**31  # of priorities
WHOLE = "a whole number of 32 bits"
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False, "": False}

Number = int | float | None


class Remarks:
    """Collects remarks about a file, one for each kind of thing.

    A file may have any number of names that icsched does not read. The first ten of a kind get a
    remark each, and all others one together, with the text *rest*.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._counts: Counter[str] = Counter()
        self._lines: dict[str, int] = {}
        self._named: Counter[str] = Counter()  # how many remarks there are, by what the rest gets

    def kind(self, text: str, rest: str) -> str:
        """Return *text*, or *rest* if there are enough remarks of this kind."""
        if not rest or text in self._counts:
            return text
        self._named[rest] += 1
        return text if self._named[rest] <= MOST_KINDS else rest

    def __contains__(self, text: str) -> bool:
        return text in self._counts

    def add(self, text: str, count: int = 1, line: int = 0) -> None:
        """Count *text*, unless nothing is *count*ed; the first line is the one that is told."""
        if count:
            self._counts[text] += count
            self._lines.setdefault(text, line)

    def tuple(self) -> tuple[Remark, ...]:
        """Return all remarks."""
        rows = self._counts.items()
        return tuple(Remark(self.path, self._lines[text], text, count) for text, count in rows)


# Words; a ValueError has what was expected


def seconds_in(words: str) -> float:
    """Return a run time. Only Python takes 1_000, or other digits than 0 to 9, for a number."""
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
    """Return whether something is so."""
    if words.strip().lower() not in _TRUTH:
        raise ValueError("true or false")
    return _TRUTH[words.strip().lower()]


# Arrays


def whole_priorities(
    given: Sequence[Number], wrong: Callable[[int, str, str], FormatError]
) -> Ids | None:
    """Return priorities as `filled_priorities` does; raises the error that *wrong* returns.

    *wrong* returns the error for the priority of a task; it takes what was expected, and the words
    of the file.
    """
    for task, value in enumerate(given):
        if value is not None and not (value == value // 1 and -_LIMIT <= value < _LIMIT):
            raise wrong(task, WHOLE, repr(value))
    return filled_priorities(given)


def filled_priorities(given: Sequence[Number]) -> Ids | None:
    """Return priorities, 0 for a task that has none; None if no task has one."""
    if all(value is None for value in given):
        return None
    return np.array([int(value or 0) for value in given], np.int32)


def or_nan(given: Sequence[Number]) -> Floats:
    """Return numbers as an array, NaN for None: see `Workflow.stated`."""
    return np.array([np.nan if value is None else value for value in given], np.float64)


def known_seconds(seconds: Floats, done: NDArray[np.bool_], remarks: Remarks) -> Floats | None:
    """Return the run times of the tasks that are left; None if one is not known (NaN)."""
    if np.isnan(seconds).all():
        return None
    missing = int(np.isnan(seconds[~done]).sum())
    remarks.add(NO_RUN_TIME, missing)
    return None if missing else seconds[~done]


def with_means(workflow: Workflow[str], seconds: Floats) -> Workflow[str]:
    """Return the workflow with means for the run times that are not known, if some are."""
    known = np.flatnonzero(~np.isnan(seconds)).tolist()
    if workflow.run_times is not None or not known:
        return workflow
    names = tuple(workflow.names[task] for task in known)
    return workflow.with_run_times(RunTimeTable(names, seconds[known]))


def output_sizes(rows: Sequence[Sequence[Number]], remarks: Remarks) -> Sizes | None:
    """Return the bytes that each task writes, from the sizes of its outputs; None if none has one.

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


def dag_of(
    names: Sequence[str], arcs: NDArray[np.int32], wrong: Callable[[int, str], FormatError]
) -> Dag[str]:
    """Return the dag of a file; *wrong* returns the error for a cycle, by the row of an arc."""
    try:
        return Dag.from_arcs(len(names), arcs, names=names)
    except CycleError as error:
        parent, child = (names.index(str(name)) for name in error.cycle[:2])
        arc = int(np.flatnonzero((arcs[:, 0] == parent) & (arcs[:, 1] == child))[0])
        raise wrong(arc, str(error)) from error


def arcs_by_files(
    inputs: Iterable[Sequence[str]], outputs: Iterable[Sequence[str]], remarks: Remarks
) -> NDArray[np.int32]:
    """Return arcs by which tasks wait for the tasks that write their files.

    A task that only reads a file waits for all that write it. A task that reads and writes it waits
    for the writers before it in the order of the tasks. So no file makes a cycle alone. A task that
    waits for a writer through a later one gets no arc from the first. Raises FormatError for more
    arcs than memory holds.

    >>> updated = arcs_by_files([[], ["f"], ["f"]], [["f"], ["f"], []], Remarks("wf.yml"))
    >>> updated.tolist()
    [[0, 1], [1, 2]]
    """
    readers, writers = _tasks_by_file(inputs), _tasks_by_file(outputs)
    arcs = array("i")
    several = many = 0
    for name in filter(readers.__contains__, writers):
        last = _chain(writers[name], readers[name], arcs)
        written = set(writers[name])
        targets = [task for task in readers[name] if task not in written]
        several += len(written) > 1
        many += len(last) * len(targets) if len(last) > 1 else 0
        if many > MOST_BY_FILES:
            most = f"at most {MOST_BY_FILES:,} dependencies by files that several tasks write"
            raise FormatError(remarks.path, None, f"expected {most}, got {many:,}")
        _join(last, targets, arcs)
    remarks.add("dependencies come from the files that tasks write and read", len(arcs) // 2)
    remarks.add(
        "files that several tasks write: a task that only reads one waits for all of them", several
    )
    return np.array(arcs, np.int32).reshape(-1, 2)


def _tasks_by_file(rows: Iterable[Sequence[str]]) -> dict[str, list[int]]:
    """Return the tasks of each file, each task once."""
    found: dict[str, list[int]] = {}
    for task, names in enumerate(rows):
        for name in names:
            tasks = found.setdefault(name, [])
            if not tasks or tasks[-1] != task:
                tasks.append(task)
    return found


def _chain(writers: list[int], readers: list[int], arcs: "array[int]") -> list[int]:
    """Add arcs between the writers of a file; return those that no other writer waits for."""
    if len(writers) == 1:
        return writers
    reads, last = set(readers), list[int]()
    for task in writers:
        if task in reads:
            _join(last, [task], arcs)
            last = [task]
        else:
            last.append(task)
    return last


def _join(sources: list[int], targets: list[int], arcs: "array[int]") -> None:
    """Add an arc from each of *sources* to each of *targets*."""
    if len(sources) * len(targets) > _MANY:
        ends = np.array(targets, np.intc)
        pairs = np.empty((len(sources), len(ends), 2), np.intc)
        pairs[:, :, 0], pairs[:, :, 1] = np.array(sources, np.intc)[:, None], ends
        arcs.frombytes(pairs.tobytes())
        return
    for source in sources:
        for target in targets:
            arcs.extend((source, target))
