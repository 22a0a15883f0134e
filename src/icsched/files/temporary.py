"""Temporary files and directories, beside the files that they will replace.

The process that makes a file locks it. The lock ends with the process, even if the process is
killed. So a leftover of a killed icsched is not locked, but a file that another icsched is writing
is. The next icsched that writes into the same directory removes leftovers. On a file system without
locks leftovers stay.
"""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

PREFIX = ".icsched-tmp-"
_OURS = re.compile(re.escape(PREFIX) + r"[a-z0-9_]{8}")  # matches names made by the module tempfile


def temporary_file(directory: Path) -> AbstractContextManager[tuple[int, Path]]:
    """Make an empty file in *directory* that only this user can read; yield its handle and path.

    The caller renames the file. After an error in the block the file is removed, unless another
    file has its name by then. Raises OSError.
    """
    return _temporary(_new_file, directory)


def temporary_directory(directory: Path) -> AbstractContextManager[tuple[int, Path]]:
    """Make an empty directory in *directory*, as `temporary_file` makes a file."""
    return _temporary(_new_directory, directory)


@contextmanager
def _temporary(
    make: Callable[[Path], tuple[int, Path]], directory: Path
) -> Iterator[tuple[int, Path]]:
    sweep(directory)
    handle, path = _locked(make, directory)
    try:
        yield handle, path
    except BaseException:
        if is_at(path, handle):
            _remove(path)
        raise
    finally:
        os.close(handle)


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Lock a directory that is about to get a temporary name, so that nobody removes it."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        lock(handle)
        yield
    finally:
        os.close(handle)


def _new_file(directory: Path) -> tuple[int, Path]:
    try:
        handle, name = tempfile.mkstemp(dir=directory, prefix=PREFIX)
    except PermissionError as error:
        problem = "Cannot write into its directory: permission denied"
        raise OSError(error.errno, problem) from error
    return handle, Path(name)


def _new_directory(directory: Path) -> tuple[int, Path]:
    while True:
        path = Path(tempfile.mkdtemp(dir=directory, prefix=PREFIX))
        try:
            return os.open(path, os.O_RDONLY | os.O_DIRECTORY), path
        except FileNotFoundError:
            continue  # another icsched removed it before it was locked
        except BaseException:
            path.rmdir()
            raise


def _locked(make: Callable[[Path], tuple[int, Path]], directory: Path) -> tuple[int, Path]:
    """Make a file or directory and lock it; retry if another icsched removed it before the lock."""
    while True:
        handle, path = make(directory)
        try:
            if lock(handle) is not False and path.exists():
                return handle, path
        except BaseException:
            os.close(handle)
            _remove(path)
            raise
        os.close(handle)


def sweep(directory: Path) -> None:
    """Remove leftovers of dead processes from *directory*; only once in each process, for speed."""
    _sweep(directory, os.getpid())


def is_at(path: Path, handle: int) -> bool:
    """Whether *path* names an open file; a link to the file does not."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def lock(handle: int, kind: int = fcntl.LOCK_EX) -> bool | None:
    """Lock an open file or directory; False if another process holds it, None without locks."""
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@lru_cache(maxsize=1024)
def _sweep(directory: Path, _process: int) -> None:
    with suppress(OSError):
        with os.scandir(directory) as entries:
            names = sorted(entry.name for entry in entries if _OURS.fullmatch(entry.name))
        for name in names:
            with suppress(OSError):
                _remove_if_dead(directory / name)


def _remove_if_dead(path: Path) -> None:
    # Some file systems lock only files that are open for writing. Opening a file for writing may
    # break a lease of another icsched, so this is tried last.
    for access in (os.O_RDONLY, os.O_RDWR):
        handle = os.open(path, access | os.O_NOFOLLOW | os.O_NONBLOCK)  # do not wait for a pipe
        try:
            is_locked = is_at(path, handle) and lock(handle)  # it may have been renamed
            if is_locked:
                _remove(path)
            if is_locked is not None:
                return
        finally:
            os.close(handle)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    elif path.is_file():
        path.unlink()
