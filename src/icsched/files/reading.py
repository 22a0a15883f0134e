"""Reading whole files, up to a size limit."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from icsched.errors import FormatError

_MOST_BYTES = 2**31 - 1  # offsets into the file then fit into 32 bits


def read_bytes(path: str | os.PathLike[str], most: int = _MOST_BYTES) -> bytes:
    """Return the bytes of the file at *path*, at most *most*, by default less than 2 GiB.

    Raises FormatError if the file cannot be read or has more.
    """
    # Standard input may be a socket, which has no name to open.
    source = 0 if os.fspath(path) == "/dev/stdin" else path
    with naming(path), open(source, "rb", closefd=source != 0) as file:
        return _bounded(file, most)


def _bounded(file: BufferedReader, most: int) -> bytes:
    """Return what *file* holds; raises OSError if *file* is too large or has no end."""
    status = os.fstat(file.fileno())
    is_ordinary = stat.S_ISREG(status.st_mode)
    if is_ordinary and status.st_size <= most:
        return file.read()
    data = bytearray()
    while not is_ordinary and len(data) <= most:
        part = file.read(1 << 20)
        if not part:
            return bytes(data)
        data += part
    limit = most + 1
    size = f"{limit >> 30} GiB" if limit >= 1 << 30 else f"{limit >> 20} MiB"
    raise OSError(errno.EFBIG, f"Expected less than {size}")


def read_if_there(path: str | os.PathLike[str]) -> bytes | None:
    """Return the bytes of the file at *path*, or None if there is no file.

    Raises FormatError as `read_bytes` does, and also for a pipe or a device, which may have no end.
    """
    if is_special(path) and not Path(path).is_dir():
        raise FormatError(os.fspath(path), None, "expected an ordinary file")
    try:
        return read_bytes(path)
    except FormatError as error:
        if isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
            return None
        raise


def is_special(path: str | os.PathLike[str]) -> bool:
    """Whether *path* exists but is not an ordinary file, so that reading it may never end."""
    try:
        status = Path(path).stat()  # once: a second look may fail, and say that nothing is there
    except (OSError, ValueError):
        return False  # reading it says why
    return not stat.S_ISREG(status.st_mode)


def read_text(path: str | os.PathLike[str], most: int = _MOST_BYTES) -> str:
    """Return the text of the file at *path*, at most *most* bytes.

    Raises FormatError if the file cannot be read, has more bytes or is not UTF-8 text.
    """
    return text_of(path, read_bytes(path, most))


def text_of(path: str | os.PathLike[str], data: bytes) -> str:
    """Return the text that the file at *path* has as *data*; raises FormatError as `read_text`."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"expected UTF-8 text, got byte 0x{data[error.start]:02x}"
        raise FormatError(os.fspath(path), line, problem) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FormatError(os.fspath(path), line, "expected text, got a NUL byte")
    return text


def is_own_file(path: str | os.PathLike[str], files: Iterable[str]) -> bool:
    """Whether *path* is one of the *files* of a workflow, under any name.

    Raises FormatError if the system cannot tell.
    """
    try:
        return os.path.realpath(path) in set(map(os.path.realpath, files))
    except OSError as error:  # for example, the working directory was removed
        problem = "cannot tell whether it is one of the workflow's own files"
        raise FormatError(os.fspath(path), None, f"{problem}: {error.strerror}") from error


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an OSError inside into a FormatError that names *path*; also for an impossible name."""
    problem = _name_problem(path)
    if problem:
        raise FormatError(os.fspath(path), None, problem)
    try:
        yield
    except OSError as error:
        raise FormatError(os.fspath(path), None, reason(error)) from error


def _name_problem(path: str | os.PathLike[str]) -> str | None:
    try:
        has_nul = b"\0" in os.fsencode(path)
    except UnicodeEncodeError:
        return "expected a name that this system can hold"
    return "expected a name without a NUL byte" if has_nul else None


def reason(error: OSError) -> str:
    """Return the system's text for *error*, as a clause of a message."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]
