"""`icsched convert`: write a workflow in another format."""

import sys
from dataclasses import replace

from icsched.answers.convert import convert_answer
from icsched.answers.reading import Reading
from icsched.cli.inputs import STANDARD_INPUT, USUAL, FileOptions, FormatWord
from icsched.cli.output import SIGNS, STANDARD_OUTPUT, Flag, Json, put, report
from icsched.errors import ArgumentError
from icsched.files import write_text
from icsched.render import convert as render


def convert(
    file: str,
    output: str,
    /,
    *,
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
        file, name, to, reading=Reading(reading), force=force or is_stream, signs=SIGNS
    )
    if is_stream:
        sys.stdout.write(found.text)
        report(replace(found, output="standard output"), render.text, stream=sys.stderr)
        return
    write_text(output, found.text)
    put(found, render.text, render.keys, as_json=json_)
