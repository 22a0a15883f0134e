"""`icsched make`: write a known dag to a file."""

from typing import Annotated

from cyclopts import Parameter

from icsched.answers.make import make_answer
from icsched.cli.inputs import WHOLE, refuse
from icsched.cli.output import Flag, OutputName
from icsched.cli.printing import put_content, report
from icsched.errors import ArgumentError, FormatError
from icsched.families import FAMILIES
from icsched.files import check_replaceable, would_replace, write_text
from icsched.render import make as render


def _families(_context: object) -> dict[str, str]:
    return {name: family.summary for name, family in FAMILIES.items()}


def make(
    family: Annotated[str | None, Parameter(completer=_families)] = None,
    /,
    *arguments: str,
    output: Annotated[str | None, OutputName] = None,
    force: Flag = False,
    seed: Annotated[int | None, WHOLE] = None,
    list_: Annotated[Flag, Parameter(name="--list")] = False,
) -> None:
    """Make a dag of a known family and write it as a DAGMan file, or as its suffix says.

    Parameters
    ----------
    family
        Name of the family; `icsched make --list` shows all.
    arguments
        The family's arguments.
    output
        File to write; standard output by default.
    force
        Replace OUTPUT if there is a file of that name.
    seed
        Seed of a random family; 0 by default.
    list_
        List the families, one on each line.

    """
    if list_:
        refuse(
            {
                "--list cannot be used with a family": family is not None,
                "--list cannot be used with -o": output is not None,
                "--list cannot be used with --seed": seed is not None,
                "--list cannot be used with --force": force,
            }
        )
        report(FAMILIES, render.listing)
        return
    if family is None:
        raise ArgumentError("expected the name of a family; `icsched make --list` shows all")
    refuse({"--force needs -o": force and output is None})
    found = make_answer(family, arguments, seed=seed)
    if output is None:
        put_content(render.text(found).encode())
    else:
        check_replaceable(output)
        if would_replace(output) and not force:
            raise FormatError(output, None, "file exists: --force replaces it")
        write_text(output, render.text(found, output))
