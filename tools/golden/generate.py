"""Texts of generated workflows, and of what belongs to them."""

from functools import cache

import icsched


@cache
def generated(expression: str) -> str:
    """Return the text that an expression of the tables stands for."""
    names = {one.__name__: one for one in (dagman, edges, times, names_of)}
    return str(eval(expression, {**names, "families": icsched.families}))  # noqa: S307  our tables


def dagman(dag: icsched.Dag) -> str:
    """Return a DAGMan file; jobs whose names begin alike have one submit file."""
    jobs = [f"JOB {name} {str(name).partition('_')[0]}.sub\n" for name in dag.names]
    return "".join(jobs + [f"PARENT {p} CHILD {c}\n" for p, c in _arcs(dag)])


def edges(dag: icsched.Dag) -> str:
    """Return a list of edges."""
    return "".join([f"{n}\n" for n in dag.names] + [f"{p} {c}\n" for p, c in _arcs(dag)])


def times(dag: icsched.Dag) -> str:
    """Return a table of run times."""
    return "".join(
        ["job,seconds\n", *(f"{name},{_seconds(at)}\n" for at, name in enumerate(dag.names))]
    )


def names_of(dag: icsched.Dag, *, backwards: bool = False) -> str:
    """Return the names, one on each line, parents first or last."""
    names = list(icsched.Sorter(dag, order=icsched.prioritize(dag, "fifo")).static_order())
    return "".join(f"{name}\n" for name in (names[::-1] if backwards else names))


def _arcs(dag: icsched.Dag) -> list[tuple[object, object]]:
    return [(dag.names[parent], dag.names[child]) for parent, child in dag.arcs.tolist()]


def _seconds(at: int) -> int:
    return 1 + at * 37 % 100
