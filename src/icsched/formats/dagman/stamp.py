"""A short digest of the dependencies for which icsched wrote a section."""

from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from icsched.arrays import Ids
from icsched.formats.dagman.submission import Submission

_ROOT_SIGN = "."  # after the number of a file, if several files make one workflow


def root_prefix(workflow: Submission, number: int) -> str:
    """Return the prefix of the names of all jobs in one of the user's files."""
    return f"{number}{_ROOT_SIGN}" if len(workflow.roots) > 1 else ""


def is_of_root(workflow: Submission, number: int) -> NDArray[np.bool_]:
    """Whether each job is in one of the user's files, or in a file inside that file."""
    prefix = root_prefix(workflow, number)
    if not prefix:
        return np.ones(len(workflow.names), bool)
    return np.array([name.startswith(prefix) for name in workflow.names], bool)


def root_stamp(workflow: Submission, number: int) -> str:
    """Return the stamp of one of the user's files; it covers jobs that are done, too."""
    arcs, length = workflow.whole.arcs, len(root_prefix(workflow, number))
    if not length:
        return arcs_stamp(workflow.names, arcs)
    own = is_of_root(workflow, number)
    return arcs_stamp([name[length:] for name in workflow.names], arcs[own[arcs[:, 0]]])


def arcs_stamp(names: Sequence[str], arcs: Ids) -> str:
    """Return a digest of dependencies that does not depend on the order of jobs and lines.

    >>> arcs_stamp(["a", "b"], np.array([[0, 1]])) == arcs_stamp(["b", "a"], np.array([[1, 0]]))
    True
    >>> arcs_stamp(["a", "b"], np.array([[0, 1]])) == arcs_stamp(["a", "b"], np.array([[1, 0]]))
    False
    """
    lines = "\n".join(names).encode(errors="surrogateescape").split(b"\n")
    codes = np.array(list(map(crc32, lines)), np.uint64)
    mixed = codes[arcs[:, 0]] << np.uint64(32) | codes[arcs[:, 1]]
    for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):  # those of splitmix64
        mixed = (mixed ^ mixed >> np.uint64(31)) * np.uint64(factor)
    return f"{int(mixed.sum(dtype=np.uint64)):016x}"
