"""Workflows as flowcharts of Mermaid."""

import re
from collections.abc import Sequence

from icsched.files import read_text
from icsched.formats.entry import NoOptions
from icsched.formats.found import Found, written_names
from icsched.formats.known import MOST_READ
from icsched.formats.mermaid.parser import Parser
from icsched.workflow import Workflow

_PLAIN = re.compile(r"[A-Za-z0-9_]+")
_WORDS = """
end graph flowchart subgraph style class classDef click linkStyle direction default href call
accTitle accDescr
"""
_RESERVED = frozenset(_WORDS.split())


def read_mermaid(paths: Sequence[str], _options: NoOptions) -> Workflow[str]:
    """Return the workflow in a flowchart of Mermaid, links from parents to children.

    The text of a node is the kind of its task. A link to or from a subgraph stands for links of
    all its nodes. Raises FormatError with file and line, also for a link without a direction.
    """
    [path] = paths
    found = Found(path, read_text(path, MOST_READ))
    Parser(found).parse()
    return found.workflow("mermaid")


def takes_name(name: str) -> bool:
    """Whether Mermaid takes *name* as the id of a node: letters, digits and _, no word of its own.

    >>> takes_name("map_1"), takes_name("map 1"), takes_name("end")
    (True, False, False)
    """
    return _PLAIN.fullmatch(name) is not None and name not in _RESERVED


def mermaid_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    r"""Return a workflow as a flowchart; raises FormatError for a name that is not a plain word.

    >>> from icsched.dag import Dag
    >>> mermaid_text(Workflow.bare(Dag({"a": [], "b": ["a"]})))
    'flowchart TD\n    a\n    b\n    a --> b\n'
    """
    names = written_names(workflow, path, takes_name, "letters, digits and _")
    arcs = workflow.whole.arcs.tolist()
    lines = [*(f"%% {line}" for line in title.replace("{", "(").splitlines()), "flowchart TD"]
    lines += [f"    {name}" for name in names]
    lines += [f"    {names[parent]} --> {names[child]}" for parent, child in arcs]
    return "".join(f"{line}\n" for line in lines)
