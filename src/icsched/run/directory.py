"""The directory of a run: its owner, its lock, and reserved disk space."""

import errno
import fcntl
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from icsched.errors import FormatError
from icsched.files.owned import open_owned, owned_directory
from icsched.files.temporary import is_at
from icsched.run.records import FILE, WORKERS

RESERVE = "reserve"
_SERVER = "server.lock"
_RESERVED = 2**18  # bytes
_LOCK = os.O_RDWR | os.O_CREAT


@contextmanager
def sole_server(directory: Path, tell: Callable[[str], None]) -> Iterator[int]:
    """Hold the lock of the server in *directory*, once no worker of a killed server is left.

    Yields a handle of the directory. *tell* receives a line before this process waits for workers.
    A missing directory is made, and removed again after an error before the first attempt. Raises
    FormatError, and leaves the directory alone, if another server has the lock, or if another user
    may have put something there.
    """
    with ExitStack() as stack:
        handle, is_made = _lock(directory, stack)
        try:
            _wait_for_workers(handle, tell)
            yield handle
        except BaseException:
            if is_made and not _has_begun(directory):
                _remove(directory)
            raise


def _lock(directory: Path, stack: ExitStack) -> tuple[int, bool]:
    """Take the lock of the server; return the directory, and whether this process made it."""
    is_made = False
    while True:
        with suppress(FileExistsError):
            directory.mkdir(0o700, parents=True)
            is_made = True
        handle = stack.enter_context(owned_directory(directory))
        server = open_owned(_SERVER, _LOCK, handle)
        stack.callback(os.close, server)
        try:
            fcntl.flock(server, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            problem = "another icsched runs this workflow now"
            raise FormatError(str(directory), None, problem) from None
        if is_at(directory / _SERVER, server):  # a lock on a removed file has no effect
            return handle, is_made


def _wait_for_workers(directory: int, tell: Callable[[str], None]) -> None:
    workers = open_owned(WORKERS, _LOCK, directory)
    try:
        fcntl.flock(workers, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        tell("jobs of the run that was killed are still running: waiting for them")
        fcntl.flock(workers, fcntl.LOCK_EX)
    finally:
        os.close(workers)


def _remove(directory: Path) -> None:
    with suppress(OSError):
        # The lock last: the next owner of the lock must not find files that are about to be
        # removed.
        for path in sorted(directory.iterdir(), key=lambda path: path.name == _SERVER):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        directory.rmdir()


def _has_begun(directory: Path) -> bool:
    """Whether the journal has an attempt, or a completed task without a command."""
    try:
        with closing(sqlite3.connect(directory / FILE)) as journal:
            query = "SELECT task FROM attempts UNION SELECT task FROM completed LIMIT 1"
            return journal.execute(query).fetchone() is not None
    except sqlite3.Error:
        return False  # the journal was never made


def reserve(directory: int, writers: int) -> None:
    """Reserve disk space for the last records."""
    file = open_owned(RESERVE, _LOCK, directory)
    try:
        os.posix_fallocate(file, 0, _RESERVED * (1 + writers // 16))
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            os.unlink(RESERVE, dir_fd=directory)
            raise
    finally:
        os.close(file)
