"""`icsched doctor`: what is installed, and what this machine can do."""

from icsched.cli.checkup import checkup
from icsched.cli.output import Json


def doctor(*, json_: Json = False) -> int:
    """Say which versions, extras and engines are there, and what the terminal can show.

    Parameters
    ----------
    json_
        Print one JSON object instead of a report.

    """
    return checkup(as_json=json_)
