"""`icsched convert`: write a workflow in another format."""

import sys
from dataclasses import replace
from typing import Annotated

from icsched.answers.convert import convert_answer
from icsched.answers.reading import Reading
from icsched.answers.streams import STANDARD_INPUT, STANDARD_OUTPUT
from icsched.cli.inputs import USUAL, FileOptions, FormatWord
from icsched.cli.output import SIGNS, WRITTEN, Flag, Json, OutputName
from icsched.cli.printing import put, put_content, report
from icsched.errors import ArgumentError
from icsched.files import encoded, write_text
from icsched.render import convert as render


def convert(
    file: str,
    output: Annotated[str | None, WRITTEN] = None,
    /,
    *,
    output_: Annotated[str | None, OutputName] = None,
    to: FormatWord = None,
    force: Flag = False,
    reading: FileOptions = USUAL,
    json_: Json = False,
) -> None:
    """Write a workflow in another format, and say what that format cannot hold.

    Parameters
    ----------
    file
        Workflow file; - for standard input.
    output
        File to write; - for standard output, with --to.
    output_
        File to write, given as an option instead of OUTPUT; one of the two must be given.
    to
        Format of OUTPUT; by default its suffix decides.
    force
        Replace OUTPUT if there is a file of that name.
    json_
        Print one JSON object instead of a report.

    """
    given = _only(output, output_)
    is_stream = given in (STANDARD_INPUT, STANDARD_OUTPUT)  # a lone hyphen is either
    if is_stream and (to is None or json_):
        raise ArgumentError("- as OUTPUT needs --to, and cannot be used with --json")
    name = STANDARD_OUTPUT if is_stream else given
    found = convert_answer(
        file, name, to, reading=Reading(reading), force=force or is_stream, signs=SIGNS
    )
    if is_stream:
        put_content(encoded("standard output", found.text))
        report(replace(found, output="standard output"), render.text, stream=sys.stderr)
        return
    write_text(given, found.text)
    put(found, render.text, render.keys, as_json=json_)


def _only(output: str | None, option: str | None) -> str:
    """Return the file to write; raises ArgumentError unless it is given once."""
    given = [name for name in (output, option) if name is not None]
    if len(given) != 1:
        raise ArgumentError(f"expected OUTPUT or -o, got {'both' if given else 'neither'}")
    return given[0]
