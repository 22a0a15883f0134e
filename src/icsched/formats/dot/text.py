"""Dags as Graphviz files."""

import re
from collections.abc import Sequence

from icsched.dag import Dag

_BAD_BACKSLASH = re.compile(r'\\(?:["\r\n]|\Z)')


def dot_text(dag: Dag, *, name: str = "dag", groups: Sequence[Sequence[int]] = ()) -> str:
    r"""Return *dag* as a Graphviz digraph, arcs from parents to children.

    Each of *groups*, lists of task ids, gets a box, numbered from 1.

    >>> print(dot_text(Dag({"a": [], "b": ["a"]}), groups=[[0]]), end="")
    digraph "dag" {
      subgraph "cluster 1" {
        label="1";
        "a";
      }
      "b";
      "a" -> "b";
    }
    """
    names = [quoted(str(task)) for task in dag.names]
    grouped = {task for group in groups for task in group}
    boxes = [_box(number, [names[t] for t in group]) for number, group in enumerate(groups, 1)]
    tasks = [f"  {quoted};\n" for task, quoted in enumerate(names) if task not in grouped]
    arcs = [f"  {names[parent]} -> {names[child]};\n" for parent, child in dag.arcs.tolist()]
    return f"digraph {quoted(name)} {{\n{''.join(boxes + tasks + arcs)}}}\n"


def _box(number: int, names: Sequence[str]) -> str:
    # Graphviz draws a box only around subgraphs whose names begin with "cluster".
    tasks = "".join(f"    {name};\n" for name in names)
    return f'  subgraph "cluster {number}" {{\n    label="{number}";\n{tasks}  }}\n'


def quoted(name: str) -> str:
    r"""Return *name* as a string of the DOT language.

    Graphviz has no way to write some names with a backslash (see `takes_name`). In these names all
    backslashes are doubled.

    >>> print(quoted('say "a"'), quoted(r"a\b"), quoted("a\\"))
    "say \"a\"" "a\b" "a\\"
    """
    safe = name if takes_name(name) else name.replace("\\", "\\\\")
    return '"' + safe.replace('"', '\\"') + '"'


def takes_name(name: str) -> bool:
    r"""Whether Graphviz can hold this name: no backslash before a quote, a line end or the end.

    >>> takes_name(r"C:\data"), takes_name("ends in \\")
    (True, False)
    """
    return _BAD_BACKSLASH.search(name) is None and "\0" not in name
