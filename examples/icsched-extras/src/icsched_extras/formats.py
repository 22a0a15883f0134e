r"""A format with one pair of tasks on each line: ``parent,child``.

A line with one name is a task; it may have no parents and no children. Empty lines, and lines
that start with ``#``, are comments. icsched writes an order as the last comment of the file::

    fetch,clean
    fetch,plot
    # order: fetch,clean,plot
"""

from collections.abc import Sequence

import numpy as np

from icsched import Dag, FormatError, Workflow
from icsched.errors import CycleError
from icsched.files import Change, read_bytes
from icsched.formats import Format

COMMENT = "#"
ORDER = "# order: "


def read(paths: Sequence[str], _options: object) -> Workflow[str]:
    """Return the workflow in the file; raises FormatError for a line that is not a pair.

    Tasks get their ids in the order in which the file names them.
    """
    [path] = paths
    parents: dict[str, list[str]] = {}
    for number, line in enumerate(_text(path, read_bytes(path)).splitlines(), 1):
        if not line.strip() or line.startswith(COMMENT):
            continue
        names = [name.strip() for name in line.split(",")]
        if len(names) > 2 or not all(names):
            raise FormatError(path, number, f"expected PARENT,CHILD or TASK, got {line!r}")
        for name in names:
            parents.setdefault(name, [])
        parents[names[-1]] += names[:-1]
    try:
        dag = Dag(parents)
    except CycleError as error:
        raise FormatError(path, None, str(error)) from error
    return Workflow(dag, done=np.zeros(len(dag), bool), files=(path,), format="pairs")


def _text(path: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        wrong = f"byte {data[error.start]:#x}"
        raise FormatError(path, None, f"expected UTF-8, got {wrong}") from error


def _without_order(data: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(line for line in lines if not line.startswith(ORDER.encode()))


class OrderChange(Change):
    """A change that keeps the user's own lines as a backup, without an earlier order."""

    def original(self) -> bytes | None:
        """Return the file as it was without an order."""
        return None if self.old is None else _without_order(self.old)


def changes(workflow: Workflow, order: Sequence[int], _options: object) -> list[Change]:
    """Return the file with *order* as its last comment, in place of an earlier order."""
    [path] = workflow.files
    old = read_bytes(path)
    own = _without_order(old)
    end = b"" if own.endswith(b"\n") or not own else b"\n"
    names = ",".join(str(workflow.dag.names[task]) for task in order)
    return [OrderChange(path, old, own + end + f"{ORDER}{names}\n".encode())]


def text(workflow: Workflow, *, title: str = "", path: str = "<text>") -> str:
    r"""Return a workflow as the text of a file; raises FormatError for a name with a comma.

    >>> text(Workflow(Dag({"a": [], "b": ["a"]})), title="pair")
    '# pair\na\nb\na,b\n'
    """
    dag = workflow.dag
    for name in map(str, dag.names):
        if name != name.strip() or not name or name.startswith(COMMENT) or set(name) & set(",\r\n"):
            raise FormatError(path, None, f"task {name!r} cannot be written: expected a plain name")
    lines = [f"# {title}"] if title else []
    lines += map(str, dag.names)
    lines += [f"{dag.names[parent]},{dag.names[child]}" for parent, child in dag.arcs.tolist()]
    return "".join(f"{line}\n" for line in lines)


PAIRS = Format(
    "pairs",
    "one pair of tasks on each line: parent,child",
    suffixes=(".pairs",),
    read=read,
    changes=changes,
    text=text,
)
