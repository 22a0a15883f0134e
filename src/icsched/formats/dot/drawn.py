"""Workflows as Graphviz files to look at: labels, priorities and colours."""

from collections.abc import Sequence

import numpy as np

from icsched.arrays import Ids
from icsched.formats.dot.text import quoted, takes_name
from icsched.formats.found import written_names
from icsched.workflow import Workflow

_DONE = "#dddddd"
_DARK = 128  # colours with less light have white text on them


def drawn_text(
    workflow: Workflow,
    priorities: Ids,
    colours: Sequence[str],
    *,
    title: str = "",
    path: str = "<text>",
) -> str:
    """Return a workflow as a digraph that Graphviz draws with labels and colours.

    *priorities* and *colours* have an entry for each task that is left. A label has the name and
    below it the priority. Tasks that are done are grey. `read_dot` reads the attributes `priority`
    and `done` back. Raises FormatError for a name that Graphviz cannot hold.
    """
    expected = "no backslash before a quote or at the end"
    given = written_names(workflow, path, takes_name, expected)
    left = dict(zip(workflow.left.tolist(), range(len(colours)), strict=True))
    names, ranks = [quoted(name) for name in given], np.asarray(priorities).tolist()
    tasks = [
        f"  {names[task]} [{_task(name, left.get(task), ranks, colours)}];\n"
        for task, name in enumerate(given)
    ]
    arcs = [f"  {names[p]} -> {names[c]};\n" for p, c in workflow.whole.arcs.tolist()]
    look = '  node [shape=box, style="rounded,filled", fontname="sans-serif"];\n'
    return f"digraph {quoted(title or 'dag')} {{\n{look}{''.join(tasks + arcs)}}}\n"


def _task(name: str, at: int | None, priorities: Sequence[int], colours: Sequence[str]) -> str:
    if at is None:
        return f'label="{_label(name)}\\ndone", done=true, fillcolor="{_DONE}"'
    light = sum(bytes.fromhex(colours[at][1:])) / 3
    text = ', fontcolor="#ffffff"' if light < _DARK else ""
    words = f"{_label(name)}\\n{priorities[at]}"
    return f'label="{words}", priority={priorities[at]}, fillcolor="{colours[at]}"{text}'


def _label(name: str) -> str:
    """Return *name* as a part of a label, in which a backslash begins an escape."""
    return name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
