"""Workflows in Graphviz files."""

import re
from collections.abc import Sequence

from icsched.files import read_text
from icsched.formats.dot.parser import Parser
from icsched.formats.dot.text import quoted, takes_name
from icsched.formats.entry import NoOptions
from icsched.formats.found import Found, facts_of, written_names
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
    Parser(found).parse()
    return found.workflow("dot")


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
