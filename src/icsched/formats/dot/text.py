"""Dags as Graphviz files."""

import re

from icsched.dag import Dag

_BAD_BACKSLASH = re.compile(r'\\(?:["\r\n]|\Z)')


def dot_text(dag: Dag, *, name: str = "dag") -> str:
    r"""Return *dag* as a Graphviz digraph, arcs from parents to children.

    >>> print(dot_text(Dag({"a": [], "b": ["a"]})), end="")
    digraph "dag" {
      "a";
      "b";
      "a" -> "b";
    }
    """
    names = [quoted(str(task)) for task in dag.names]
    tasks = [f"  {task};\n" for task in names]
    arcs = [f"  {names[parent]} -> {names[child]};\n" for parent, child in dag.arcs.tolist()]
    return f"digraph {quoted(name)} {{\n{''.join(tasks + arcs)}}}\n"


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
