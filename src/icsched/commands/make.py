"""`icsched make`: write a known dag to a file."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from cyclopts import Parameter

from icsched import families, formats
from icsched.commands.options import WHOLE, Flag, OutputName, PathName, refuse
from icsched.commands.terminal import listing, put_content, report
from icsched.dag import Dag
from icsched.errors import FormatError
from icsched.families import FAMILIES
from icsched.families.registry import Family
from icsched.files import check_replaceable, would_replace, write_text
from icsched.messages import size
from icsched.workflow import Workflow


def text(dag: Dag, words: Sequence[str], path: str = "<text>") -> str:
    """Return a dag in the format of the file at *path*, under a title with the words that make it.

    Raises FormatError if the format cannot hold a dag.
    """
    chosen = formats.format_of(path)
    if chosen.text is None:
        raise chosen.cannot("text", path)
    title = f"icsched make {' '.join(words)}: {size(len(dag), dag.arc_count)}"
    return chosen.text(Workflow(dag), title=title, path=path)


def usages(families: Mapping[str, Family]) -> str:
    """Return the families, one on each line."""
    return listing([(family.usage, family.summary) for family in families.values()])


def _families(_context: object) -> dict[str, str]:
    return {name: family.summary for name, family in FAMILIES.items()}


def make(
    family: Annotated[str | None, Parameter(completer=_families)] = None,
    /,
    *arguments: str,
    output: Annotated[PathName | None, OutputName] = None,
    force: Flag = False,
    seed: Annotated[int | None, WHOLE] = None,
) -> None:
    """Make a dag of a known family and write it as a DAGMan file, or as its suffix says.

    Parameters
    ----------
    family
        Name of the family; without a name, icsched lists the families, one on each line.
    arguments
        The family's arguments.
    output
        File to write; standard output by default.
    force
        Replace OUTPUT if there is a file of that name.
    seed
        Seed of a random family; 0 by default.

    """
    if family is None:
        chosen = output is not None or seed is not None or force
        refuse({"expected the name of a family; `icsched make` lists them all": chosen})
        report(FAMILIES, usages)
        return
    refuse({"--force needs -o": force and output is None})
    dag = families.make(family, arguments, seed=seed)
    words = [family, *arguments, *([] if seed is None else ["--seed", str(seed)])]
    if output is None:
        put_content(text(dag, words).encode())
        return
    check_replaceable(output)
    if would_replace(output) and not force:
        raise FormatError(output, None, "file exists: --force replaces it")
    write_text(output, text(dag, words, output))
