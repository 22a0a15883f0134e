"""Dags as Graphviz files."""

from icsched.dag import Dag


def dot_text(dag: Dag, *, name: str = "dag") -> str:
    r"""Return *dag* as a Graphviz digraph, arcs from parents to children.

    >>> print(dot_text(Dag({"a": [], "b": ["a"]})), end="")
    digraph "dag" {
      "a";
      "b";
      "a" -> "b";
    }
    """
    names = [_quoted(task) for task in dag.names]
    tasks = [f"  {task};\n" for task in names]
    arcs = [f"  {names[parent]} -> {names[child]};\n" for parent, child in dag.arcs.tolist()]
    return f"digraph {_quoted(name)} {{\n{''.join(tasks)}{''.join(arcs)}}}\n"


def _quoted(name: object) -> str:
    text = str(name).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
