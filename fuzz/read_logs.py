"""Atheris target: a log, a history or a table gives run times or a FormatError, whatever its bytes.

No time may be negative.
"""

import sys
import tempfile
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path

import atheris

# Ahead of the editable install's own finder, whose modules atheris cannot instrument.
sys.path.insert(0, str(Path(__file__).parent.parent / "src"))
sys.meta_path.insert(0, PathFinder)

with atheris.instrument_imports(include=["icsched"]):
    from icsched.errors import FormatError
    from icsched.history import read_log, read_run_times

PATH = Path(tempfile.mkdtemp()) / "log"


def read(data: bytes) -> None:
    """Read *data* as a file; raises what nobody foresaw, and for times that cannot be."""
    PATH.write_bytes(data)
    with suppress(FormatError):
        read_run_times(PATH)  # the table checks its own seconds
    with suppress(FormatError):
        past = read_log([PATH, PATH])
        times = (past.submitted, past.started, past.ended, past.suspended)
        if any((column < 0).any() for column in times) or len(past.run) != len(past):
            raise AssertionError(past)


if __name__ == "__main__":
    atheris.Setup(sys.argv, read)
    atheris.Fuzz()
