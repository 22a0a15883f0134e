"""The work of `icsched doctor`, by what comes with Python: every other package may be broken."""

import sys

from icsched.answers.doctor import doctor_answer
from icsched.cli.printing import report, screen_of
from icsched.render import doctor as render
from icsched.render.visible import slow_json_text


def checkup(*, as_json: bool) -> int:
    """Print what is installed and what is broken; return the exit code."""
    screen = screen_of(sys.stdout)
    found = doctor_answer(
        {
            "terminal": sys.stdout.isatty(),
            "columns": screen.columns,
            "encoding": sys.stdout.encoding,
            "ascii": screen.is_ascii,
        }
    )
    if as_json:
        sys.stdout.write(slow_json_text(render.keys(found)))
    else:
        report(found, render.text)
    return 0 if found.problem is None else 1
