"""What is out of date in the section that icsched wrote into a workflow's file earlier."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from icsched.formats.dagman.source import Source
from icsched.formats.dagman.workflow import Workflow

_BEGIN = re.compile(rb"^# icsched: begin\.", re.MULTILINE)
_END = re.compile(rb"^# icsched: end\.", re.MULTILINE)
_SAID = re.compile(
    rb'^(PRIORITY|VARS) ([^ \t\n]+) (?:jobpriority=")?(-?[0-9]{1,10})"?[ \t\r]*$', re.MULTILINE
)
_INCLUDED = re.compile(rb"^INCLUDE ([^\n]+?)[ \t\r]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Section:
    """A section of icsched's in a file of the user's."""

    path: str
    line: int
    jobs: int  # that it gives a priority
    problems: tuple[str, ...]  # why it is out of date; none if it is not


def sections(workflow: Workflow) -> list[Section]:
    """Return the sections in the files that the user named, with what is out of date in each."""
    found = []
    for number, root in enumerate(workflow.roots):
        begin = _BEGIN.search(root.raw)
        if begin:
            end = _END.search(root.raw, begin.end())
            text = root.raw[begin.end() : end.start() if end else len(root.raw)]
            prefix = f"{number}." if len(workflow.roots) > 1 else ""
            said = _said(text, prefix)
            problems = tuple(_problems(workflow, root, prefix, said, text))
            line = root.raw.count(b"\n", 0, begin.start()) + 1
            found.append(Section(root.path, line, len(said), problems))
    return found


def _said(text: bytes, prefix: str) -> dict[str, tuple[int, bool]]:
    """Return the number that a section gives each job, and whether DAGMan itself goes by it."""
    return {
        prefix + name.decode(errors="surrogateescape"): (int(value), word == b"PRIORITY")
        for word, name, value in _SAID.findall(text)
    }


def _problems(
    workflow: Workflow,
    root: Source,
    prefix: str,
    said: dict[str, tuple[int, bool]],
    text: bytes,
) -> Iterator[str]:
    names = dict(zip(workflow.names, workflow.has_priority.tolist(), strict=True))
    gone = [name for name in said if name not in names]
    if gone:
        yield f"it names {_jobs(gone)} that the workflow no longer has, so DAGMan refuses the file"
    new = [name for name, kept in names.items() if name not in said and not kept]
    new = [name for name in new if name.startswith(prefix)]
    if new:
        yield f"it lacks {_jobs(new)}"
    early = _before_parents(workflow, said)
    if early:
        yield f"it puts {_jobs(early)} before a parent"
    if workflow.joins and _is_above_joins(workflow, said):
        yield "its numbers make DAGMan's own join nodes wait"
    for match in _INCLUDED.finditer(text):
        start = os.path.dirname(root.path) if workflow.use_dag_directory else workflow.directory
        included = os.path.join(start, os.fsdecode(match[1]))
        if not os.path.exists(included):
            yield f"{included} is missing, so DAGMan refuses the file"


def _jobs(names: list[str]) -> str:
    first = names[0] if names[0].isprintable() else ascii(names[0])
    return f"job {first}" if len(names) == 1 else f"{len(names):,} jobs ({first}, ...)"


def _before_parents(workflow: Workflow, said: dict[str, tuple[int, bool]]) -> list[str]:
    """Return the jobs left to run that a section puts before one of their parents.

    Every order of icsched's puts parents first, so the dependencies have changed since.
    """
    dag = workflow.dag
    kept = set(np.array(workflow.names, object)[workflow.has_priority].tolist())
    names = [str(name) for name in dag.names]
    known = np.array([name in said and name not in kept for name in names], bool)
    value = np.array([said[name][0] if name in said else 0 for name in names], np.int64)
    parents, children = dag.arcs[:, 0], dag.arcs[:, 1]
    wrong = known[parents] & known[children] & (value[parents] < value[children])
    return [names[child] for child in np.unique(children[wrong]).tolist()]


def _is_above_joins(workflow: Workflow, said: dict[str, tuple[int, bool]]) -> bool:
    kept = zip(workflow.names, workflow.has_priority.tolist(), strict=True)
    ours = (said[name] for name, is_kept in kept if name in said and not is_kept)
    return any(by_dagman and value >= workflow.lowest for value, by_dagman in ours)
