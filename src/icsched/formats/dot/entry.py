"""DOT in the table of formats."""

from collections.abc import Sequence

from icsched.errors import ArgumentError
from icsched.files import Change, read_text
from icsched.formats.dot.parser import Parser, Spots
from icsched.formats.dot.text import quoted, takes_name, workflow_text
from icsched.formats.edits import Edit, edited
from icsched.formats.entry import KEPT, Format, NoOptions
from icsched.formats.found import Found, priorities_of
from icsched.workflow import Workflow


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


def _changes(workflow: Workflow, order: Sequence[int]) -> Sequence[Change]:
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


def _edit(task: int, priority: int, spots: Spots, workflow: Workflow) -> Edit:
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


DOT = Format(
    "dot",
    "digraphs of Graphviz, and what Snakemake and Nextflow draw",
    suffixes=(".dot", ".gv"),
    read=read_dot,
    changes=_changes,
    text=workflow_text,
    keeps=frozenset(KEPT),
    takes_name=takes_name,
)
