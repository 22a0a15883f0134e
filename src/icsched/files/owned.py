"""Directories that only this user can write, so that no other user can plant a file or a link.

icsched writes into the directory of a run, and trusts its content. On a shared machine another user
may have made that directory first. As git does, icsched uses only its own.
"""

import errno
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from icsched.errors import FormatError
from icsched.files.reading import naming

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_LINK = "it is a link, which icsched does not follow here"
_SHARED = "expected a directory that only its owner may write into"


@contextmanager
def owned_directory(directory: Path) -> Iterator[int]:
    """Open a directory, and yield its handle, for `open_owned`.

    Raises FormatError unless this user owns the directory and its entries, and only this user may
    write to them. Entries must be ordinary files and directories; files must have only one name.
    """
    with naming(directory):
        _check(directory, directory.lstat())
        handle = os.open(directory, _FOLDER)
    try:
        with naming(directory):
            _check(directory, os.fstat(handle))
            with os.scandir(handle) as entries:
                for entry in entries:
                    with suppress(FileNotFoundError):  # another icsched may have removed it
                        _check(directory / entry.name, entry.stat(follow_symlinks=False))
        yield handle
    finally:
        os.close(handle)


def check_owned(directory: Path) -> None:
    """Raise FormatError as `owned_directory` does, unless there is nothing at *directory*."""
    if os.path.lexists(directory):
        with owned_directory(directory):
            pass


def open_owned(path: str | Path, flags: int, directory: int | None = None) -> int:
    """Open a file of this user, or make one that only this user may open; return its handle.

    *path* may be relative to the handle of a *directory*. Raises OSError unless it is an ordinary
    file of this user with one name; a link is not.
    """
    try:
        handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600, dir_fd=directory)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, _LINK, str(path)) from error
        raise
    problem = _problem(os.fstat(handle))
    if problem:
        os.close(handle)
        raise OSError(errno.EPERM, problem, str(path))
    return handle


def _check(path: Path, status: os.stat_result) -> None:
    problem = _problem(status)
    if problem:
        raise FormatError(str(path), None, f"{problem}: {_remedy(status)}")


def _remedy(status: os.stat_result) -> str:
    if status.st_uid != os.geteuid():
        return "use --journal DIR for a directory of your own"
    if stat.S_ISDIR(status.st_mode):
        return "if you trust what is in it, use chmod go-w"
    return "remove it, or use --journal DIR"


def _problem(status: os.stat_result) -> str | None:
    """Return why other users may have access to a file or directory; None if they have not."""
    mode, user = status.st_mode, os.geteuid()
    if stat.S_ISLNK(mode):
        return _LINK
    if status.st_uid != user:
        return f"it belongs to user {_name(status.st_uid)}, not to {_name(user)}"
    if stat.S_ISDIR(mode):
        return _SHARED if mode & _OTHERS_WRITE else None
    if not stat.S_ISREG(mode):
        return "expected an ordinary file or a directory"
    return "expected a file with one name, got one with hard links" if status.st_nlink > 1 else None


def _name(user: int) -> str:
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)
