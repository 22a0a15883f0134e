"""What readers of several formats do with what files say about tasks."""

from collections.abc import Iterable, Sequence
from typing import AnyStr

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Floats, Ids
from icsched.run_times import RunTimeTable
from icsched.workflow import Remark, Workflow

Number = int | float | None


class Remarks:
    """Collects remarks about a file, one for each kind of thing."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._found: list[Remark] = []

    def add(self, text: str, count: int, line: int = 0) -> None:
        """Note *text*, unless nothing is *count*ed."""
        if count:
            self._found.append(Remark(self._path, line, text, count))

    def tuple(self) -> tuple[Remark, ...]:
        """Return all remarks."""
        return tuple(self._found)


def whole_priorities(given: Sequence[Number], remarks: Remarks) -> Ids | None:
    """Return priorities, 0 for a task that has none; None if no task has one.

    If one is not a whole number of 32 bits, all are ignored.
    """
    missing = sum(value is None for value in given)
    if missing == len(given):
        return None
    strange = sum(v is not None and (v != v // 1 or not -(2**31) <= v < 2**31) for v in given)
    if strange:
        remarks.add("priorities are not whole numbers of 32 bits: icsched ignores all", strange)
        return None
    remarks.add("tasks without a priority get 0", missing)
    return np.array([int(value or 0) for value in given], np.int32)


def known_seconds(seconds: Floats, remarks: Remarks) -> Floats | None:
    """Return *seconds* if all are known; note how many are not known (NaN), if some are."""
    missing = np.isnan(seconds)
    if missing.any() and not missing.all():
        remarks.add("tasks without a run time get the mean of their kind", int(missing.sum()))
    return None if missing.any() or not len(seconds) else seconds


def with_means(workflow: Workflow, seconds: Floats) -> Workflow:
    """Return the workflow with means for the run times that are not known, if some are."""
    known = np.flatnonzero(~np.isnan(seconds)).tolist()
    if not known or len(known) == len(seconds):
        return workflow
    names = tuple(str(workflow.names[task]) for task in known)
    return workflow.with_run_times(RunTimeTable(names, seconds[known]))


def arcs_by_files(
    inputs: Iterable[Sequence[str]], outputs: Iterable[Sequence[str]], remarks: Remarks
) -> NDArray[np.int32]:
    """Return an arc from the first task that writes a file to each other task that reads it."""
    writers: dict[str, int] = {}
    for task, names in enumerate(outputs):
        for name in names:
            writers.setdefault(name, task)
    arcs = [
        (writers[name], task)
        for task, names in enumerate(inputs)
        for name in names
        if writers.get(name, task) != task
    ]
    remarks.add("dependencies come from the files that tasks write and read", len(arcs))
    return np.array(arcs, np.int32).reshape(-1, 2)


def edited(text: AnyStr, edits: Iterable[tuple[int, int, AnyStr]]) -> AnyStr:
    """Return *text* with *edits*: where each begins and ends, and what comes there instead.

    >>> edited("abc", [(3, 3, "!"), (1, 2, "X")])
    'aXc!'
    """
    parts: list[AnyStr] = []
    at = 0
    for start, stop, new in sorted(edits):
        parts.extend((text[at:start], new))
        at = stop
    parts.append(text[at:])
    return text[:0].join(parts)
