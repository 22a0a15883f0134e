"""`icsched make`: write a known dag to a file."""

import sys
from typing import Annotated

from cyclopts import Parameter

from icsched import families, formats
from icsched.cli.inputs import WHOLE
from icsched.cli.output import OutputName
from icsched.errors import ArgumentError


def make(
    family: str | None = None,
    /,
    *arguments: str,
    output: Annotated[str | None, OutputName] = None,
    seed: Annotated[int | None, WHOLE] = None,
    list_: Annotated[bool, Parameter(name="--list", negative="", show_default=False)] = False,
) -> None:
    """Make a dag of a known family and write it as a DAGMan file.

    Parameters
    ----------
    family
        Name of the family; `icsched make --list` shows all.
    arguments
        The family's arguments.
    output
        File to write; standard output by default.
    seed
        Seed of a random family; 0 by default.
    list_
        List the families, one a line.

    """
    if list_:
        sys.stdout.write(_listing())
        return
    if family is None:
        raise ArgumentError("expected the name of a family; `icsched make --list` shows all")
    dag = families.make(family, arguments, seed=seed)
    words = " ".join([family, *arguments, *([] if seed is None else ["--seed", str(seed)])])
    title = f"icsched make {words}: {len(dag)} jobs, {dag.arc_count} dependencies"
    if output is None:
        sys.stdout.write(formats.dagman_text(dag, title=title))
    else:
        formats.write_dagman(dag, output, title=title)


def _listing() -> str:
    rows = [(family.usage, family.summary) for family in families.FAMILIES.values()]
    width = max(len(usage) for usage, _ in rows)
    return "".join(f"{usage:{width}}  {summary}\n" for usage, summary in rows)
