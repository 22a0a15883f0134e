"""Dags as Graphviz files."""

from collections.abc import Sequence

from icsched.dag import Dag
from icsched.formats.entry import Format
from icsched.workflow import Workflow


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
    names = [_quoted(task) for task in dag.names]
    grouped = {task for group in groups for task in group}
    boxes = [_box(number, [names[t] for t in group]) for number, group in enumerate(groups, 1)]
    tasks = [f"  {quoted};\n" for task, quoted in enumerate(names) if task not in grouped]
    arcs = [f"  {names[parent]} -> {names[child]};\n" for parent, child in dag.arcs.tolist()]
    return f"digraph {_quoted(name)} {{\n{''.join(boxes + tasks + arcs)}}}\n"


def _box(number: int, names: Sequence[str]) -> str:
    # Graphviz draws a box only around subgraphs whose names begin with "cluster".
    tasks = "".join(f"    {name};\n" for name in names)
    return f'  subgraph "cluster {number}" {{\n    label="{number}";\n{tasks}  }}\n'


def _quoted(name: object) -> str:
    text = str(name).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'


def _text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:  # noqa: ARG001  any name is written
    return dot_text(workflow.whole, name=title or "dag")


DOT = Format("dot", "graphs for Graphviz to draw", suffixes=(".dot", ".gv"), text=_text)
