"""Reading whole text files and writing them all or not at all."""

import os
import tempfile
from pathlib import Path

from icsched.errors import FormatError


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of the file at *path*.

    Raises FormatError if it cannot be read or is not UTF-8 text.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise FormatError(os.fspath(path), None, _reason(error)) from error
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


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write *text* to *path* so that a reader sees the old file or the new, never a part.

    A file that is there already keeps its permissions, and a link keeps pointing at it.
    Raises FormatError if it cannot be written.
    """
    try:
        data = text.encode()
        if _is_special(path):
            Path(path).write_bytes(data)
        else:
            _replace(_target(path), data)
    except OSError as error:
        raise FormatError(os.fspath(path), None, _reason(error)) from error
    except UnicodeEncodeError as error:
        problem = f"expected text that UTF-8 can hold, got {text[error.start]!r}"
        raise FormatError(os.fspath(path), None, problem) from error


def _target(path: str | os.PathLike[str]) -> Path:
    """Follow links from *path* to the file behind it, which need not be there."""
    try:
        return Path(os.path.realpath(path, strict=True))
    except FileNotFoundError:
        return Path(os.path.realpath(path))


def _is_special(path: str | os.PathLike[str]) -> bool:
    """Whether *path* is to be written into, not replaced: a stream of ours, a pipe, a device."""
    name = os.path.abspath(path)  # noqa: PTH100  Path.absolute keeps ".."
    ours = name in ("/dev/stdout", "/dev/stderr") or name.startswith(("/dev/fd/", "/proc/"))
    return ours or (Path(path).exists() and not Path(path).is_file())


def _replace(target: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".icsched-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(_mode(target))
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """Permissions of the file to replace, or those a new file gets."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
