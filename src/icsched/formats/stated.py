"""What the files of a workflow say of each task: what a writer writes, and nothing else."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from icsched.run_times import Origin
from icsched.workflow import Workflow

Column = Literal["run_times", "sizes", "priorities"]


def said(workflow: Workflow, name: Column) -> list[Any]:
    """Return a column of *workflow* by tasks of ``workflow.whole``, None where nothing is said.

    Neither means of other run times nor the 0 of a missing number are said. Done tasks are there.

    >>> from icsched.dag import Dag
    >>> done, now = np.array([True, False, False]), np.array([0, 4], np.int32)
    >>> work = Workflow(Dag({"a": [], "b": [], "c": []}), done, priorities=now)
    >>> said(work, "priorities")
    [None, 0, 4]
    >>> from dataclasses import replace
    >>> said(replace(work, stated={"priorities": np.array([7, np.nan, 4])}), "priorities")
    [7, None, 4]
    """
    found: list[Any] = [None] * len(workflow.whole)
    kind, given = (float if name == "run_times" else int), workflow.stated.get(name)
    if given is not None:
        for task in np.flatnonzero(workflow.done & ~np.isnan(given)).tolist():
            found[task] = kind(given[task])
    values = getattr(workflow, name)
    if values is not None:
        is_said = _is_said(workflow, name)
        for task, value in zip(workflow.left[is_said].tolist(), values[is_said], strict=True):
            found[task] = kind(value)
    return found


def _is_said(workflow: Workflow, name: Column) -> NDArray[np.bool_]:
    """Return which of the tasks that are left have a number of their own."""
    if name == "run_times":
        origins, given = workflow.run_time_origins, None
    else:
        origins, given = None, workflow.stated.get(name)
    if origins is not None:
        return np.asarray(origins < Origin.KIND)
    if given is not None:
        return ~np.isnan(given[workflow.left])
    return np.ones(len(workflow.dag), bool)
