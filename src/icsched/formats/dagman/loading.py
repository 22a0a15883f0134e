"""The files of a workflow, each loaded once, whatever names statements use for it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from icsched.errors import FormatError
from icsched.formats.dagman.source import Source, Statement, identity, load

_MOST_DEPTH = 50  # files inside files


class Files:
    """The files that have been loaded, and those that are being read."""

    def __init__(self) -> None:
        self._loaded: dict[str, Source] = {}
        self._known: dict[object, Source] = {}  # each under one of its names
        self._open: list[str] = []  # real paths

    @property
    def paths(self) -> list[str]:
        """The names of all files that were loaded."""
        return list(self._loaded)

    def load(self, path: str, *, named_by_user: bool) -> Source:
        """Return the file at *path*; raises FormatError if it cannot be loaded."""
        if path not in self._loaded:
            file = identity(path)
            known = self._known.get(file) if file else None
            source = known.under(path) if known else load(path, named_by_user=named_by_user)
            self._loaded[path] = self._known[file] = source
        return self._loaded[path]

    def follow(self, statement: Statement, file: str, directory: str) -> Source:
        """Return the file that an INCLUDE or SPLICE names; raises FormatError."""
        source, path = statement.source, os.path.join(directory, file)
        real = os.path.realpath(path)
        if real in self._open or real == os.path.realpath(source.path):
            raise statement.error(f"expected a file that is not inside itself, got {file}")
        if len(self._open) >= _MOST_DEPTH:
            raise statement.error(f"expected files nested at most {_MOST_DEPTH} deep")
        try:
            return self.load(path, named_by_user=False)
        except FormatError as error:
            if error.path != path or error.line is not None:
                raise
            problem = f"{path}: {error.problem}{beside(source, path, file)}"
            raise statement.error(problem) from error

    @contextmanager
    def inside(self, source: Source) -> Iterator[None]:
        """Treat *source* as open while a file that it names is read."""
        self._open.append(os.path.realpath(source.path))
        yield
        self._open.pop()


def beside(source: Source, path: str, file: str) -> str:
    """Return a hint if *file* is not at *path*, but beside the file *source* that names it."""
    other = os.path.join(os.path.dirname(source.path), file)
    if os.path.isabs(file) or os.path.exists(path) or not os.path.exists(other):
        return ""
    return (
        " (DAGMan looks from the directory you submit in; the file is beside the one that names"
        " it: go there, or give --usedagdir)"
    )
