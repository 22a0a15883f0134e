"""`icsched doctor`: what is installed, and what this machine can do."""

import sys

from icsched.answers.doctor import doctor_answer
from icsched.cli.output import Json, put
from icsched.cli.screen import screen_of
from icsched.render import doctor as render


def doctor(*, json_: Json = False) -> int:
    """Say which versions, extras and engines are there, and what the terminal can show.

    Parameters
    ----------
    json_
        Print one JSON object instead of a report.

    """
    screen = screen_of(sys.stdout)
    found = doctor_answer(
        {
            "terminal": sys.stdout.isatty(),
            "columns": screen.columns,
            "colour": screen.has_colour,
            "encoding": sys.stdout.encoding,
            "ascii": screen.is_ascii,
        }
    )
    put(found, render.text, render.keys, as_json=json_)
    return 0 if found.problem is None else 1
