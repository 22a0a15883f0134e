"""Atheris target: reading a DAGMan file gives a dag or a FormatError, whatever its bytes."""

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
    from icsched.formats import read_dagman

PATH = Path(tempfile.mkdtemp()) / "seed.dag"  # a name that the seeds know, for recursion


def read(data: bytes) -> None:
    """Read *data* as a file; raises what nobody foresaw."""
    PATH.write_bytes(data)
    with suppress(FormatError):
        read_dagman(PATH)


if __name__ == "__main__":
    atheris.Setup(sys.argv, read)
    atheris.Fuzz()
