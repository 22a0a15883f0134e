"""`icsched convert`: write a workflow in another format."""

import sys
from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter

from icsched.answers.convert import convert_answer
from icsched.answers.reading import Reading
from icsched.answers.streams import STANDARD_INPUT, STANDARD_OUTPUT
from icsched.cli.inputs import USUAL, FileOptions, PathName
from icsched.cli.names import names_of
from icsched.cli.output import SIGNS, WRITTEN, Flag, Json
from icsched.cli.printing import put, put_content, report
from icsched.errors import ArgumentError
from icsched.files import encoded, write_text
from icsched.formats import FORMATS
from icsched.render import convert as render

FormatWord = Annotated[str | None, Parameter(completer=names_of(FORMATS))]


def convert(
    file: PathName,
    output: Annotated[PathName, WRITTEN],
    /,
    *,
    format_: Annotated[FormatWord, Parameter(name="--format")] = None,
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
    format_
        Format of FILE; by default its suffix decides.
    to
        Format of OUTPUT; by default its suffix decides.
    force
        Replace OUTPUT if there is a file of that name.
    json_
        Print one JSON object instead of a report.

    """
    is_stream = output in (STANDARD_INPUT, STANDARD_OUTPUT)  # a lone hyphen is either
    if is_stream and (to is None or json_):
        raise ArgumentError("- as OUTPUT needs --to, and cannot be used with --json")
    name = STANDARD_OUTPUT if is_stream else output
    found = convert_answer(
        file, name, to, reading=Reading(reading, format_), force=force or is_stream, signs=SIGNS
    )
    if is_stream:
        put_content(encoded("standard output", found.text))
        report(replace(found, output="standard output"), render.text, stream=sys.stderr)
        return
    write_text(output, found.text)
    put(found, render.text, render.keys, as_json=json_)
