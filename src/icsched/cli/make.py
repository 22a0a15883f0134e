"""`icsched make`: write a known dag to a file."""

from typing import Annotated

from cyclopts import Parameter

from icsched.answers.make import make_answer
from icsched.cli.inputs import WHOLE, PathName, refuse
from icsched.cli.output import Flag, OutputName
from icsched.cli.printing import put_content, report
from icsched.errors import FormatError
from icsched.families import FAMILIES
from icsched.files import check_replaceable, would_replace, write_text
from icsched.render import make as render


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
        report(FAMILIES, render.listing)
        return
    refuse({"--force needs -o": force and output is None})
    found = make_answer(family, arguments, seed=seed)
    if output is None:
        put_content(render.text(found).encode())
    else:
        check_replaceable(output)
        if would_replace(output) and not force:
            raise FormatError(output, None, "file exists: --force replaces it")
        write_text(output, render.text(found, output))
