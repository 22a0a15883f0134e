"""Workflows in Graphviz files, and orders written into them."""

import re
from collections.abc import Sequence

from icsched.errors import ArgumentError
from icsched.files import Change, read_text
from icsched.formats.dot.parser import Parser, Spots
from icsched.formats.dot.text import quoted, takes_name
from icsched.formats.edits import Edit, edited
from icsched.formats.entry import NoOptions
from icsched.formats.found import Found, facts_of, priorities_of, written_names
from icsched.formats.known import MOST_READ
from icsched.workflow import Workflow

_PLAIN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|true")


def read_dot(paths: Sequence[str], _options: NoOptions) -> Workflow[str]:
    """Return the workflow in a Graphviz file: one digraph, edges from parents to children.

    An edge to or from a subgraph stands for edges of all its nodes. The attributes `run_time`,
    `size`, `priority`, `done` and `command` of nodes are read, and the first line of the label as
    the kind of the task. Raises FormatError with file and line for what Graphviz would refuse.
    """
    [path] = paths
    found = Found(path, read_text(path, MOST_READ))
    parser = Parser(found)
    parser.parse()
    return found.workflow("dot", (found.text, parser.spots))


def changes(workflow: Workflow, order: Sequence[int]) -> Sequence[Change]:
    """Return the change that writes the attribute `priority` of each node that is left."""
    if not isinstance(workflow.parsed, tuple):
        raise ArgumentError("expected a workflow that was read from a DOT file")
    text, spots = workflow.parsed
    [path] = workflow.files
    wanted = priorities_of(workflow, order)
    here = [task for task in sorted(wanted) if spots.has(task)]
    absent = [task for task in sorted(wanted) if not spots.has(task)]
    edits = [_edit(task, wanted[task], spots) for task in here]
    lines = [_line(task, wanted[task], spots, workflow) for task in absent]
    if lines:  # after all edits of what stands at once before the brace
        is_new = text[: spots.end].rstrip(" \t").endswith("\n")
        edits.append((spots.end, spots.end, ("" if is_new else "\n") + "".join(lines)))
    return [Change(path, text.encode(), edited(text, edits).encode())]


def _edit(task: int, priority: int, spots: Spots) -> Edit[str]:
    """Return the smallest edit that gives a task its priority; one of *spots* has the task."""
    if spots.starts[task] >= 0:
        return spots.starts[task], spots.stops[task], str(priority)
    place = spots.lists[task]
    if place >= 0:
        return place, place, f"{'' if task in spots.finished else ', '}priority={priority}"
    return spots.bare[task], spots.bare[task], f" [priority={priority}]"


def _line(task: int, priority: int, spots: Spots, workflow: Workflow) -> str:
    """Return a new statement, with the name as the file spells it if it is an odd one."""
    name = spots.odd.get(task) or quoted(str(workflow.names[task]))
    return f"  {name} [priority={priority}];\n"


def workflow_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    """Return a workflow as a digraph whose nodes have the attributes that `read_dot` reads."""
    expected = "no backslash before a quote or at the end"
    names = [quoted(name) for name in written_names(workflow, path, takes_name, expected)]
    tasks = [
        f"  {name}{_attributes(facts)};\n"
        for name, facts in zip(names, facts_of(workflow), strict=True)
    ]
    arcs = [f"  {names[p]} -> {names[c]};\n" for p, c in workflow.whole.arcs.tolist()]
    return f"digraph {quoted(title or 'dag')} {{\n{''.join(tasks + arcs)}}}\n"


def _attributes(facts: dict[str, str]) -> str:
    if not facts:
        return ""
    return f" [{', '.join(f'{key}={_value(words)}' for key, words in facts.items())}]"


def _value(words: str) -> str:
    if _PLAIN.fullmatch(words):
        return words
    safe = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe}"'
