"""A user's file changed in place, with a backup beside it."""

import ctypes
import errno
import fcntl
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from icsched.errors import FormatError
from icsched.files.attributes import are_alike, take_after
from icsched.files.reading import naming, reason
from icsched.files.temporary import is_at, lock, sweep, temporary_file
from icsched.files.writing import (
    read_only_problem,
    remove,
    replace,
    sync_directory,
    target_of,
    write_bytes,
    written_beside,
)

_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE
_REFUSED = (
    errno.EINVAL,
    errno.ENOSYS,
    errno.ENOTSUP,
)  # unsupported by the kernel or file system
_CHANGED = "it changed while icsched was at work and was left as it is"


def rewrite(
    path: str | os.PathLike[str], old: bytes, new: bytes, *, keep: bytes | None = None
) -> str | None:
    """Replace the file at *path*, which held *old*, by *new*; write *keep* to a file beside it.

    Even after an error or a crash, the file and its backup are complete, old or new, with the same
    owner, permissions and attributes. Returns the name of the backup: ``path.bak``, or
    ``path.bak2`` and so on if that name is taken. If *keep* is *old*, the backup is the old file
    itself, so a program that has it open writes into the backup. Otherwise the old file is removed,
    unless a program may still write into it. Then the old file is renamed like a backup, and this
    name is returned. Raises FormatError if the file changed meanwhile, cannot be written, or cannot
    keep its owner, permissions and attributes.
    """
    with naming(path):
        target = _ordinary(path)
        with _opened(target) as was:
            swap = _Swap(target, was, old, new)
            swap.check()  # before a backup is made of a file that has changed
            backup = None if keep is None else _keep(target, keep)
            with written_beside(target, new) as (made, aside):
                swap.check()
                backup = swap.make(aside, made, backup, is_same=keep == old)
        sync_directory(target.parent)
    return None if backup is None else _backup_name(path, target, backup)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """Open a file, and lock it so that no other icsched removes it as a leftover."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        lock(handle, fcntl.LOCK_SH)
        yield handle
    finally:
        os.close(handle)


@dataclass(frozen=True)
class _Swap:
    """A file and its new content, which are exchanged so that no edit of the file is lost."""

    target: Path
    was: int  # the old file, open for reading
    old: bytes
    new: bytes

    def check(self) -> None:
        """Raise OSError if the old file has changed since it was read."""
        if _content(self.was) != self.old:
            raise OSError(0, f"{_CHANGED}: run it again")

    def make(self, aside: Path, made: int, backup: Path | None, *, is_same: bool) -> Path | None:
        """Exchange the file with the new one at *aside*; return the backup.

        The old file becomes the *backup* if that has the same content. If another program changed
        the file, the file is put back, and OSError is raised.
        """
        try:
            if is_same:
                os.fsync(self.was)  # another program may have written it without fsync
            if not exchange(aside, self.target):
                return backup  # the old file is gone
            if not is_at(aside, self.was):  # another file was put in its place
                raise OSError(0, f"{_CHANGED}: run it again")
            return self._put_away(aside, backup if is_same else None) or backup
        except BaseException:
            self._take_back(aside, made)
            raise

    def _put_away(self, aside: Path, backup: Path | None) -> Path | None:
        """Make the old file the *backup*, remove it or rename it; return its new name."""
        has_links = os.fstat(self.was).st_nlink > 1
        if backup is not None and not has_links and not _is_linked(backup):
            self.check()
            aside.replace(backup)
            return backup
        with lease(self.was) as is_sole:
            self.check()
            if has_links or is_sole() is not False:
                aside.unlink()
                return None
        return _set_aside(aside, self.target)

    def _take_back(self, aside: Path, made: int) -> None:
        """Undo the exchange; a version that another program has written meanwhile is kept."""
        if is_at(aside, made) or not os.path.lexists(aside):
            return  # nothing was exchanged, or the old file is the backup
        try:
            exchange(aside, self.target)
            if not is_at(aside, made):  # another program has replaced our file: its file stays
                exchange(aside, self.target)
        except OSError as error:
            kept = _set_aside(aside, self.target).name
            problem = f"{reason(error)}; another version of it is in {kept}"
            raise OSError(error.errno, problem) from error
        if not self._is_untouched(aside, made):
            kept = _set_aside(aside, self.target).name
            raise OSError(0, f"{_CHANGED}; another version of it is in {kept}: run it again")

    def _is_untouched(self, aside: Path, made: int) -> bool:
        """Whether the new file is at *aside*, and no program has changed it or may change it."""
        with lease(made, is_writable=True) as is_sole:
            return is_at(aside, made) and _content(made) == self.new and is_sole() is not False


def _content(handle: int) -> bytes:
    with open(handle, "rb", closefd=False) as file:
        file.seek(0)
        return file.read()


def back_up(path: str | os.PathLike[str]) -> str:
    """Copy the file at *path* to a backup beside it; return the name, as `rewrite` does.

    Raises FormatError if the file cannot be read, or its backup cannot be written.
    """
    with naming(path):
        target = _ordinary(path)
        return _backup_name(path, target, _keep(target, target.read_bytes()))


def _backup_name(path: str | os.PathLike[str], target: Path, backup: Path) -> str:
    if Path(path).is_symlink():  # the backup is beside the target of the link
        return os.fspath(backup)
    return os.fspath(path) + backup.name[len(target.name) :]


def check_rewritable(path: str | os.PathLike[str]) -> list[str]:
    """Test with an empty file whether `rewrite` can replace the file at *path*.

    Returns clauses that say why the user may not want `rewrite` to change the file. Raises
    FormatError as `rewrite` does.
    """
    with naming(path):
        target = _ordinary(path)
        with temporary_file(target.parent) as (handle, trial):
            take_after(handle, target)
            trial.unlink()
        status = target.stat()
    links = "it has other hard links, which keep the old content"
    problems = [links if status.st_nlink > 1 else None, read_only_problem(status)]
    return [problem for problem in problems if problem]


def _ordinary(path: str | os.PathLike[str]) -> Path:
    """Follow links from *path* to an ordinary file; raises FormatError if there is none."""
    target = target_of(path)
    if not target.is_file():
        raise FormatError(os.fspath(path), None, "expected an ordinary file to change")
    return target


def _keep(target: Path, original: bytes) -> Path:
    """Make sure that a backup of *target* holds *original*; never change another backup."""
    for backup in _backups(target):
        if _is_free(backup):
            replace(backup, original, model=target)
            return backup
        if backup.is_file() and backup.read_bytes() == original:
            if not _is_linked(backup) and not are_alike(backup, target):
                replace(backup, original, model=target)
            return backup
    raise AssertionError("there is always another number")


def _set_aside(path: Path, target: Path) -> Path:
    """Give the file at *path* a new name: the first free one of a backup of *target*."""
    backup = next(filter(_is_free, _backups(target)))
    return path.rename(backup)


def _backups(target: Path) -> Iterator[Path]:
    """Yield the names of backups."""
    for number in count(1):
        yield target.with_name(f"{target.name}.bak{number if number > 1 else ''}")


def _is_free(path: Path) -> bool:
    try:
        path.lstat()  # not lexists, which returns False for every error
    except FileNotFoundError:
        return True
    return False


def _is_linked(path: Path) -> bool:
    """Whether the file at *path* is a link or has other names."""
    return path.is_symlink() or path.stat().st_nlink > 1


# Exchange of two files, and leases, which tell whether another process can still write a file


def exchange(one: Path, other: Path) -> bool:
    """Exchange the names of the file *one* and the file *other* beside it.

    Linux does this in one step on most file systems. Elsewhere *other* gets a second name first,
    and is then replaced. A file that another program puts there between these steps is lost. If the
    file system refuses second names too, *one* replaces *other* at once, and False is returned: the
    file *other* is lost. Raises OSError.
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
    """Make other processes that open a file for writing wait for the end of the block.

    Yields a function. It returns False if another process may have the file open for writing or
    wait for that, otherwise True, and None if the file system has no leases. If the handle
    *is_writable*, reading counts, too.
    """
    if sys.platform != "linux":
        yield lambda: None
        return
    kind = fcntl.F_WRLCK if is_writable else fcntl.F_RDLCK
    try:
        # By default this process would die of the signal that another process wants the file.
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


@dataclass(frozen=True)
class Change:
    """The content of a file before and after a change; None means that there is no file."""

    path: str
    old: bytes | None
    new: bytes | None

    @property
    def is_none(self) -> bool:
        """Whether the file has the wanted content already."""
        return self.new == self.old

    def original(self) -> bytes | None:
        """Return the content for the backup: the user's version of the file."""
        return self.old

    def check(self) -> list[str]:
        """Raise FormatError if `make` cannot replace the file; return possible surprises.

        Leftovers of a killed icsched beside the file are removed, even if nothing has to change.
        """
        if self.is_none and self.old is not None:
            with naming(self.path):
                sweep(target_of(self.path).parent)
        is_rewritten = self.old is not None and self.new is not None and not self.is_none
        return check_rewritable(self.path) if is_rewritten else []

    def make(self) -> str | None:
        """Change the file in place; return the name of the backup, if one was made.

        Raises FormatError if the file changed since it was read, or cannot be written.
        """
        if self.new is None:
            remove(self.path)
        elif self.old is None:
            write_bytes(self.path, self.new)
        else:
            original = self.original()
            keep = None if original == self.new else original
            return rewrite(self.path, self.old, self.new, keep=keep)
        return None
