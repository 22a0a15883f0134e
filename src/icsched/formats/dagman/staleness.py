"""What is out of date in a section that icsched wrote into a workflow's file earlier."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from zlib import crc32

import numpy as np

from icsched import _native
from icsched.arrays import Floats, Ids, Mask, Sizes, mask_of
from icsched.formats.dagman import section
from icsched.formats.dagman.source import Kind, Source
from icsched.formats.dagman.submission import Submission
from icsched.workflow import Section


@dataclass(frozen=True, slots=True)
class _Said:
    """What a section says about the workflow's jobs, in DAGMan's order of jobs."""

    text: bytes
    gone: list[str]  # jobs that the workflow does not have
    is_told: Mask  # whether the section gives a job a number
    is_told_dagman: Mask  # whether it does so by PRIORITY, which DAGMan itself follows
    value: Sizes


def sections(workflow: Submission) -> list[Section]:
    """Return the sections in the files that the user named, with what is out of date in each."""
    found = []
    for number, root, said in _all_said(workflow):
        problems = list(_problems(workflow, number, said))
        stamp = section.stamp_in(said.text)
        if not problems and stamp and stamp != root_stamp(workflow, number):
            problems.append("dependencies changed since icsched wrote it")
        line = root.raw.count(b"\n", 0, root.raw.find(said.text)) + 1
        jobs = int(said.is_told.sum()) + len(said.gone)
        found.append(Section(root.path, line, jobs, tuple(problems)))
    return found


def present_priorities(workflow: Submission) -> Floats:
    """Return the priority that the files, sections included, give each job; NaN if none."""
    values = np.where(workflow.has_priority, workflow.priorities, np.nan)
    for _, _, said in _all_said(workflow):
        told = said.value[said.is_told]
        values[said.is_told] = told.clip(-(2**31), 2**31 - 1)  # anyone can edit a section
    return values


def _all_said(workflow: Submission) -> Iterator[tuple[int, Source, _Said]]:
    """Yield the user's files that have a section: number, file, what the section says."""
    for number, root in enumerate(workflow.roots):
        text = section.text(root.path, root.raw)
        if text is not None:
            yield number, root, _said(workflow, text, root_prefix(workflow, number))


def _said(workflow: Submission, text: bytes, prefix: str) -> _Said:
    """Read a section in bulk; only lines that the scan does not find plain are read one by one."""
    scan = _native.scan_dagman(text)
    is_plain = scan.kind == Kind.PRIORITY
    others = [section.priority_at(text, begin) for begin in scan.begin[~is_plain].tolist()]
    lines = [line for line in others if line]
    names = scan.names.decode(errors="surrogateescape").split("\n") + [job for job, _, _ in lines]
    place = {name: at for at, name in enumerate(workflow.names)}
    known = np.array([place.get(prefix + name, -1) for name in names], np.int64)
    ids = np.append(scan.name[is_plain], np.arange(len(names) - len(lines), len(names)))
    values = np.append(scan.value[is_plain], np.array([one[1] for one in lines], np.int64))
    by_priority = np.append(np.ones(is_plain.sum(), bool), [one[2] for one in lines])
    jobs, is_there, count = known[ids], known[ids] >= 0, len(workflow.names)
    gone = [prefix + names[at] for at in ids[~is_there].tolist()]
    is_told, is_told_dagman = mask_of(jobs[is_there], count), np.zeros(count, bool)
    value = np.zeros(count, np.int64)  # of several lines about a job, the last counts
    is_told_dagman[jobs[is_there]], value[jobs[is_there]] = by_priority[is_there], values[is_there]
    return _Said(text, gone, is_told, is_told_dagman, value)


def _problems(workflow: Submission, number: int, said: _Said) -> Iterator[str]:
    if said.gone:
        what = "that the workflow no longer has, so DAGMan refuses the file"
        yield f"it names {_jobs(said.gone)} {what}"
    new = ~said.is_told & ~workflow.has_priority & is_of_root(workflow, number)
    if new.any():
        yield f"it gives {_jobs(list(compress(workflow.names, new)))} no priority"
    early = _before_parents(workflow, said)
    if early.any():
        yield f"it puts {_jobs(list(compress(workflow.names, early)))} before a parent"
    ours = said.is_told_dagman & ~workflow.has_priority
    if workflow.scope.joins and (said.value[ours] >= workflow.scope.lowest).any():
        yield "its numbers make DAGMan's own join nodes wait"
    companion = section.companion_in(said.text)
    if companion:
        included = os.path.join(workflow.start_of(workflow.roots[number]), companion)
        if not os.path.exists(included):
            yield f"{included} is missing, so DAGMan refuses the file"


def _jobs(names: Sequence[str]) -> str:
    first = names[0] if names[0].isprintable() else ascii(names[0])
    return f"job {first}" if len(names) == 1 else f"{len(names):,} jobs ({first}, ...)"


def _before_parents(workflow: Submission, said: _Said) -> Mask:
    """Whether each job is left to run and a section puts it before one of its parents.

    Every order of icsched puts parents first. So the dependencies have changed since.
    """
    counts = said.is_told & ~workflow.has_priority & ~workflow.done
    arcs = workflow.dag.arcs
    parents, children = arcs[:, 0], arcs[:, 1]
    wrong = counts[parents] & counts[children] & (said.value[parents] < said.value[children])
    return mask_of(children[wrong], len(counts))


def root_prefix(workflow: Submission, number: int) -> str:
    """Return the prefix of the names of all jobs in one of the user's files."""
    return f"{number}." if len(workflow.roots) > 1 else ""


def is_of_root(workflow: Submission, number: int) -> Mask:
    """Whether each job is in one of the user's files, or in a file inside that file."""
    prefix = root_prefix(workflow, number)
    if not prefix:
        return np.ones(len(workflow.names), bool)
    return np.array([name.startswith(prefix) for name in workflow.names], bool)


def root_stamp(workflow: Submission, number: int) -> str:
    """Return the stamp of one of the user's files; it covers jobs that are done, too."""
    arcs, length = workflow.dag.arcs, len(root_prefix(workflow, number))
    own = is_of_root(workflow, number)
    names = [name[length:] for name in workflow.names] if length else workflow.names
    return arcs_stamp(names, arcs[own[arcs[:, 0]]])


def arcs_stamp(names: Sequence[str], arcs: Ids) -> str:
    """Return a digest of dependencies that does not depend on the order of jobs and lines.

    >>> arcs_stamp(["a", "b"], np.array([[0, 1]])) == arcs_stamp(["b", "a"], np.array([[1, 0]]))
    True
    >>> arcs_stamp(["a", "b"], np.array([[0, 1]])) == arcs_stamp(["a", "b"], np.array([[1, 0]]))
    False
    """
    lines = "\n".join(names).encode(errors="surrogateescape").split(b"\n")
    codes = np.array(list(map(crc32, lines)), np.uint64)
    mixed = codes[arcs[:, 0]] << np.uint64(32) | codes[arcs[:, 1]]
    for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):  # those of splitmix64
        mixed = (mixed ^ mixed >> np.uint64(31)) * np.uint64(factor)
    return f"{int(mixed.sum(dtype=np.uint64)):016x}"
