"""What is out of date in a section that icsched wrote into a workflow's file earlier."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from icsched import _native
from icsched.arrays import mask_of
from icsched.formats.dagman import section
from icsched.formats.dagman.source import Kind, Source
from icsched.formats.dagman.stamp import is_of_root, root_prefix, root_stamp
from icsched.formats.dagman.submission import Submission
from icsched.formats.port import Section


@dataclass(frozen=True, slots=True)
class _Said:
    """What a section says about the workflow's jobs, in DAGMan's order of jobs."""

    gone: list[str]  # jobs that the workflow does not have
    is_told: NDArray[np.bool_]  # whether the section gives a job a number
    is_told_dagman: NDArray[np.bool_]  # whether it does so by PRIORITY, which DAGMan itself follows
    value: NDArray[np.int64]


def sections(workflow: Submission) -> list[Section]:
    """Return the sections in the files that the user named, with what is out of date in each."""
    found = []
    for number, root in enumerate(workflow.roots):
        text = section.text(root.path, root.raw)
        if text is not None:
            said = _said(workflow, text, root_prefix(workflow, number))
            problems = [*_problems(workflow, number, said), *_missing(workflow, root, text)]
            stamp = section.stamp_in(text)
            if not problems and stamp and stamp != root_stamp(workflow, number):
                problems.append("dependencies changed since icsched wrote it")
            line = root.raw.count(b"\n", 0, root.raw.find(text)) + 1
            jobs = int(said.is_told.sum()) + len(said.gone)
            found.append(Section(root.path, line, jobs, tuple(problems)))
    return found


def present_priorities(workflow: Submission) -> NDArray[np.float64]:
    """Return the priority of each job as the files give it now, by a section of icsched's too.

    A job without a priority has NaN.
    """
    values = np.where(workflow.has_priority, workflow.priorities, np.nan)
    for number, root in enumerate(workflow.roots):
        text = section.text(root.path, root.raw)
        if text is not None:
            said = _said(workflow, text, root_prefix(workflow, number))
            told = said.value[said.is_told]
            values[said.is_told] = told.clip(-(2**31), 2**31 - 1)  # anyone can edit a section
    return values


def _said(workflow: Submission, text: bytes, prefix: str) -> _Said:
    """Read a section in bulk; only lines that the scan does not find plain are read one by one."""
    scan = _native.scan_dagman(text)
    is_plain = scan.kind == Kind.PRIORITY
    ids, values = scan.name[is_plain], scan.value[is_plain].astype(np.int64)
    names = scan.names.decode(errors="surrogateescape").split("\n")
    count = len(workflow.names)
    place = dict(zip(workflow.names, range(count), strict=True))
    known = np.array([place.get(prefix + name, -1) for name in names], np.int64)
    said = _Said([], np.zeros(count, bool), np.zeros(count, bool), np.zeros(count, np.int64))
    _note(said, known[ids], values)
    said.gone.extend(prefix + names[at] for at in ids[known[ids] < 0].tolist())
    for begin in scan.begin[~is_plain].tolist():
        if line := section.line_at(text, begin):
            name = prefix + line.job
            _note(
                said, np.array([place.get(name, -1)]), line.value, is_told_dagman=line.is_priority
            )
            said.gone.extend([] if name in place else [name])
    return said


def _note(
    said: _Said,
    jobs: NDArray[np.int64],
    values: NDArray[np.int64] | int,
    *,
    is_told_dagman: bool = True,
) -> None:
    is_there = jobs >= 0
    jobs = jobs[is_there]
    said.is_told[jobs] = True
    said.is_told_dagman[jobs] = is_told_dagman
    said.value[jobs] = values if isinstance(values, int) else values[is_there]


def _problems(workflow: Submission, number: int, said: _Said) -> Iterator[str]:
    if said.gone:
        what = "that the workflow no longer has, so DAGMan refuses the file"
        yield f"it names {_jobs(said.gone)} {what}"
    new = ~said.is_told & ~workflow.has_priority & is_of_root(workflow, number)
    if new.any():
        yield f"it gives {_jobs(_names(workflow, new))} no priority"
    early = _before_parents(workflow, said)
    if early.any():
        yield f"it puts {_jobs(_names(workflow, early))} before a parent"
    ours = said.is_told_dagman & ~workflow.has_priority
    if workflow.joins and (said.value[ours] >= workflow.lowest).any():
        yield "its numbers make DAGMan's own join nodes wait"


def _missing(workflow: Submission, root: Source, text: bytes) -> Iterator[str]:
    companion = section.companion_in(text)
    if companion:
        start = os.path.dirname(root.path) if workflow.use_dag_directory else workflow.directory
        included = os.path.join(start, companion)
        if not os.path.exists(included):
            yield f"{included} is missing, so DAGMan refuses the file"


def _names(workflow: Submission, are_meant: NDArray[np.bool_]) -> list[str]:
    return [workflow.names[at] for at in np.flatnonzero(are_meant).tolist()]


def _jobs(names: list[str]) -> str:
    first = names[0] if names[0].isprintable() else ascii(names[0])
    return f"job {first}" if len(names) == 1 else f"{len(names):,} jobs ({first}, ...)"


def _before_parents(workflow: Submission, said: _Said) -> NDArray[np.bool_]:
    """Whether each job is left to run and a section puts it before one of its parents.

    Every order of icsched puts parents first. So the dependencies have changed since.
    """
    counts = said.is_told & ~workflow.has_priority & ~workflow.done
    arcs = workflow.whole.arcs
    parents, children = arcs[:, 0], arcs[:, 1]
    wrong = counts[parents] & counts[children] & (said.value[parents] < said.value[children])
    return mask_of(children[wrong], len(counts))
