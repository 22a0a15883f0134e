"""Two files change names, so that none is lost; and whether anybody can still write a file."""

import ctypes
import errno
import fcntl
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from icsched.files.temporary import temporary_file

_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE
_REFUSED = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)  # by the kernel, or by the file system


def exchange(one: Path, other: Path) -> bool:
    """Let the file *one* and the file *other* beside it change names.

    Linux does this in one step on most file systems. Elsewhere *other* gets a second name first,
    and is then replaced: whatever another program puts in its place between these steps is lost.
    If the file system refuses second names too, *other* is replaced at once and False is returned:
    its file is gone, and so is the name *one*. Raises OSError.
    """
    if _exchange_at_once(one, other):
        return True
    with temporary_file(one.parent) as (_, second):
        second.unlink()
        try:
            os.link(other, second, follow_symlinks=False)
        except (FileNotFoundError, FileExistsError):
            raise
        except OSError:
            one.replace(other)
            return False
        try:
            one.replace(other)
            second.replace(one)
        except BaseException:
            if not os.path.lexists(one):
                second.replace(other)  # does nothing if both are names of the old file
            second.unlink(missing_ok=True)
            raise
    return True


def _exchange_at_once(one: Path, other: Path) -> bool:
    """Exchange two files in one step; return False if the system or the file system cannot."""
    rename = _renameat2()
    if rename is None:
        return False
    if rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in _REFUSED:
        return False
    raise OSError(number, os.strerror(number), os.fspath(one), None, os.fspath(other))


@cache
def _renameat2() -> Callable[..., int] | None:
    """Return the function of the C library, which macOS and old libraries do not have."""
    if sys.platform != "linux":
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


@contextmanager
def lease(handle: int, *, is_writable: bool = False) -> Iterator[Callable[[], bool | None]]:
    """Make others that open a file for writing wait for the end of the block.

    Yields a function. It returns True if nobody else has the file open for writing or waits for
    that, False if another process may, and None if the file system has no leases. If the handle
    *is_writable*, the same holds for reading.
    """
    if sys.platform != "linux":
        yield lambda: None
        return
    kind = fcntl.F_WRLCK if is_writable else fcntl.F_RDLCK
    try:
        # By default, the signal that another process wants the file would end this process.
        fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, kind)
    except OSError as error:
        answer = None if error.errno in _REFUSED else False
        yield lambda: answer
        return
    try:
        yield lambda: fcntl.fcntl(handle, fcntl.F_GETLEASE) == kind
    finally:
        with suppress(OSError):  # the system has ended the lease
            fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
