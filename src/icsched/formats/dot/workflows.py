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
from icsched.workflow import Workflow

_PLAIN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|true")


def read_dot(paths: Sequence[str], _options: NoOptions) -> Workflow:
    """Return the workflow in a Graphviz file: one digraph, edges from parents to children.

    An edge to or from a subgraph stands for edges of all its nodes. The attributes `run_time`,
    `size`, `priority`, `done` and `command` of nodes are read, and the first line of the label as
    the kind of the task. Raises FormatError with file and line for what Graphviz would refuse.
    """
    [path] = paths
    found = Found(path, read_text(path))
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
    edits = [_edit(task, wanted[task], spots, workflow) for task in sorted(wanted)]
    before = text[: spots.end].rstrip(" \t")
    if any(words.endswith("\n") for *_, words in edits) and not before.endswith("\n"):
        edits.insert(0, (spots.end, spots.end, "\n"))
    return [Change(path, text.encode(), edited(text, edits).encode())]


def _edit(task: int, priority: int, spots: Spots, workflow: Workflow) -> Edit[str]:
    """Return the smallest edit that gives a task its priority."""
    if task in spots.values:
        start, end = spots.values[task]
        return start, end, str(priority)
    if task in spots.lists:
        place, has_others = spots.lists[task]
        return place, place, f"{', ' if has_others else ''}priority={priority}"
    if task in spots.bare:
        return spots.bare[task], spots.bare[task], f" [priority={priority}]"
    line = f"  {quoted(str(workflow.names[task]))} [priority={priority}];\n"
    return spots.end, spots.end, line


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
