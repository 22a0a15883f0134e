"""Finished cells of studies, one line of JSON each, so that a stopped study can go on.

Each line carries the fingerprint of its study. Cells of other studies stay in the file and are
never used for this study. When a cell is done, its line is appended and synced. An incomplete line
after a crash is dropped, and its cell is computed again. A file that icsched did not write is never
changed.
"""

import errno
import fcntl
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import msgspec

from icsched.errors import FormatError
from icsched.files import naming, read_if_there, sync_directory
from icsched.study.cells import Cell, CellResult

CELLS = "cells.jsonl"

Cells = dict[Cell, CellResult]

_BEGINNING = b'{"study":"'  # prefix of each of our lines
_NO_LOCKS = (errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP)  # some network file systems cannot lock


@dataclass(frozen=True)
class _Line:
    study: str  # a fingerprint
    cell: CellResult


class Store:
    """The cells in a directory, open for more; where locks work, by only one process at a time.

    Makes the directory. Raises FormatError if it cannot be written, if it holds a cells.jsonl that
    icsched did not write, or while another process has it open.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory, Store(directory) as store:
    ...     store.cells("some fingerprint")
    {}
    """

    def __init__(self, directory: str) -> None:
        self._path = str(Path(directory, CELLS))
        with naming(self._path):
            self._new_directories = _make_directory(directory)
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            sync_directory(Path(directory))  # otherwise a power cut may lose the new file's name
        try:
            self._lock()
            data = read_if_there(self._path) or b""
            self._lines = _decoded(self._path, data)
            with naming(self._path):  # an incomplete line must not run into the next line
                os.ftruncate(self._handle, _whole(data))
        except BaseException:
            os.close(self._handle)
            raise

    def cells(self, fingerprint: str) -> Cells:
        """Return the cells that were in the file when the store was opened, or were added since."""
        return _of(self._lines, fingerprint)

    def add(self, fingerprint: str, result: CellResult) -> None:
        """Write *result* durably: after the return, neither a crash nor a power cut loses it.

        A power cut may still lose it if the file system says "synced" too early.
        """
        line = _Line(fingerprint, result)
        with naming(self._path):
            _write(self._handle, msgspec.json.encode(line) + b"\n")
            os.fsync(self._handle)
        self._lines.append(line)

    def _lock(self) -> None:
        with naming(self._path):
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise FormatError(self._path, None, "another study is writing to it") from None
            except OSError as error:
                if error.errno not in _NO_LOCKS:
                    raise
            if not Path(self._path).exists():  # another study failed and has just removed it
                raise FormatError(self._path, None, "another study is writing to it")

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            # A study that failed, but not by Ctrl-C, leaves neither a file without lines nor new
            # directories.
            if isinstance(error, Exception) and os.fstat(self._handle).st_size == 0:
                Path(self._path).unlink()
                for made in self._new_directories:
                    made.rmdir()  # fails if another file was added
        os.close(self._handle)  # which releases the lock


def is_study(directory: str) -> bool:
    """Return whether a study was begun in *directory*.

    >>> is_study("there is no such directory")
    False
    """
    return Path(directory, CELLS).exists()


def read_cells(directory: str, fingerprint: str) -> Cells:
    """Return the cells of a study that are in *directory*; the study may still be running.

    Raises FormatError for a cells.jsonl that icsched did not write.

    >>> read_cells("there is no such directory", "some fingerprint")
    {}
    """
    path = str(Path(directory, CELLS))
    return _of(_decoded(path, read_if_there(path) or b""), fingerprint)


def _of(lines: list[_Line], fingerprint: str) -> Cells:
    return {line.cell.cell: line.cell for line in lines if line.study == fingerprint}


def _decoded(path: str, data: bytes) -> list[_Line]:
    decoder = msgspec.json.Decoder(_Line)
    lines = []
    texts = data[: _whole(data)].splitlines()
    for number, text in enumerate(texts, 1):
        try:
            lines.append(decoder.decode(text))
        except msgspec.DecodeError as error:
            advice = "in a study of yours, remove that line"
            problem = f"expected a cell of a study: {error}; {advice}"
            raise FormatError(path, number, problem) from None
    # The rest has no line end, and must begin like one of our lines.
    tail = data[_whole(data) :]
    begun = tail.rstrip(b"\0")[: len(_BEGINNING)]  # a power cut may leave zeros
    if not _BEGINNING.startswith(begun):
        got = tail[:40].decode(errors="backslashreplace")
        raise FormatError(path, len(texts) + 1, f"expected a cell of a study, got {got!r}")
    return lines


def _whole(data: bytes) -> int:
    """Return the length of *data* up to the end of its last complete line."""
    return data.rfind(b"\n") + 1


def _write(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def _make_directory(directory: str) -> list[Path]:
    """Make the directory; return all new directories, the innermost first."""
    path = Path(directory)
    new = [made for made in (path, *path.parents) if not made.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise FormatError(directory, None, "expected a directory, got a file") from None
    for made in new:
        sync_directory(made.parent)
    return new
