"""Dags and workflows as Graphviz files."""

import re
from collections.abc import Iterable, Sequence

from icsched.dag import Dag
from icsched.formats.facts import written_names
from icsched.workflow import Workflow

_BAD_BACKSLASH = re.compile(r'\\(?:["\r\n]|\Z)')
_PLAIN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|true")


def dot_text(dag: Dag, *, name: str = "dag") -> str:
    r"""Return *dag* as a Graphviz digraph, arcs from parents to children.

    >>> print(dot_text(Dag({"a": [], "b": ["a"]})), end="")
    digraph "dag" {
      "a";
      "b";
      "a" -> "b";
    }
    """
    tasks = [str(task) for task in dag.names]
    return _digraph(dag, name, tasks, ({} for _ in tasks))


def workflow_text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    """Return a workflow as a digraph whose nodes have the attributes that `read_dot` reads."""
    from icsched.formats.draft import facts_of  # `dot_text` does not need it

    names = written_names(workflow, path, takes_name, "no backslash before a quote or at the end")
    return _digraph(workflow.dag, title or "dag", names, facts_of(workflow))


def _digraph(dag: Dag, title: str, names: Sequence[str], facts: Iterable[dict[str, str]]) -> str:
    words = list(map(quoted, names))
    tasks = [f"  {word}{_attributes(known)};\n" for word, known in zip(words, facts, strict=True)]
    arcs = [f"  {words[parent]} -> {words[child]};\n" for parent, child in dag.arcs.tolist()]
    return f"digraph {quoted(title)} {{\n{''.join(tasks + arcs)}}}\n"


def quoted(name: str) -> str:
    r"""Return *name* as a string of the DOT language.

    Graphviz cannot write some names with a backslash (see `takes_name`). In such names all
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


def _attributes(facts: dict[str, str]) -> str:
    if not facts:
        return ""
    return f" [{', '.join(f'{key}={_value(words)}' for key, words in facts.items())}]"


def _value(words: str) -> str:
    if _PLAIN.fullmatch(words):
        return words
    safe = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe}"'
