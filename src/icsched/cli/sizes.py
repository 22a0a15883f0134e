"""The file of result sizes: a line `name bytes` for every job."""

import numpy as np
from numpy.typing import NDArray

from icsched import formats
from icsched.errors import FormatError
from icsched.formats import Workflow


def read_sizes(workflow: Workflow, path: str) -> NDArray[np.int64]:
    """Return the bytes of each job left to run; jobs that are done may be in the file too.

    Raises FormatError, with the line, for lines that are not `name bytes`, unknown jobs and jobs
    named twice, and for a job left to run that the file does not name.
    """
    size_of: dict[str, int] = {}
    known = workflow.whole.ids
    for line, text in enumerate(formats.read_text(path).split("\n"), 1):
        words = text.split()
        if not words or (words[0].startswith("#") and words[0] not in known):
            continue
        if len(words) != 2:
            raise FormatError(path, line, f"expected `name bytes`, got {text.strip()!r}")
        name, size = words
        if name not in known:
            raise FormatError(path, line, f"unknown job {name!r}")
        if name in size_of:
            raise FormatError(path, line, f"job {name!r} has a size already")
        if not (size.isascii() and size.isdigit()) or len(size) > 18:
            problem = f"size of job {name!r}: expected bytes, 0 or more, got {size!r}"
            raise FormatError(path, line, problem)
        size_of[name] = int(size)
    missing = [name for name in workflow.dag.names if name not in size_of]
    if missing:
        raise FormatError(path, None, f"expected a size for every job; {missing[0]!r} has none")
    return np.array([size_of[str(name)] for name in workflow.dag.names], np.int64)
