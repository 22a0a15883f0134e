"""A user's file changed in place, with a backup beside it."""

import os
from functools import partial
from pathlib import Path

from icsched.errors import FormatError
from icsched.files.attributes import are_alike, take_after
from icsched.files.reading import naming
from icsched.files.temporary import temporary_file
from icsched.files.writing import read_only_problem, replace, target_of


def rewrite(
    path: str | os.PathLike[str], old: bytes, new: bytes, *, keep: bytes | None = None
) -> str | None:
    """Replace the file at *path*, which held *old*, by *new*; write *keep* to a file beside it.

    Whatever happens, the file is the old one or the new one, as a whole, with the same owner,
    permissions and attributes. The same holds for its backup. Returns the name of the file that
    holds *keep*: ``path.bak``, or ``path.bak2`` and so on if that name is taken.
    Raises FormatError if the file changed meanwhile, cannot be written, or cannot keep its owner,
    permissions and attributes.
    """
    with naming(path):
        target = _ordinary(path)
        check_still = partial(_check_still, os.fspath(path), target, old)
        check_still()  # before a backup is made of a file that has changed
        backup = None if keep is None else _keep(target, keep)
        replace(target, new, check_still)
    return None if backup is None else _backup_name(path, target, backup)


def back_up(path: str | os.PathLike[str]) -> str:
    """Keep what the file at *path* holds in a file beside it; return the name, as `rewrite` does.

    Raises FormatError if the file cannot be read, or its backup cannot be written.
    """
    with naming(path):
        target = _ordinary(path)
        return _backup_name(path, target, _keep(target, target.read_bytes()))


def _backup_name(path: str | os.PathLike[str], target: Path, backup: Path) -> str:
    if Path(path).is_symlink():  # the backup is beside the file that the link points at
        return os.fspath(backup)
    return os.fspath(path) + backup.name[len(target.name) :]


def check_rewritable(path: str | os.PathLike[str]) -> list[str]:
    """Try with an empty file whether `rewrite` can replace the file at *path*.

    Returns clauses that say why the user may not want `rewrite` to change the file. Raises
    FormatError as `rewrite` does.
    """
    with naming(path):
        target = _ordinary(path)
        with temporary_file(target.parent) as (handle, trial):
            take_after(handle, target)
            trial.unlink()
        status = target.stat()
    return _surprises(status)


def _ordinary(path: str | os.PathLike[str]) -> Path:
    """Follow links from *path* to an ordinary file; raises FormatError if there is none."""
    target = target_of(path)
    if not target.is_file():
        raise FormatError(os.fspath(path), None, "expected an ordinary file to change")
    return target


def _surprises(status: os.stat_result) -> list[str]:
    found = []
    if status.st_nlink > 1:
        found.append("it has other hard links, which keep the old content")
    if problem := read_only_problem(status):
        found.append(problem)
    return found


def _keep(target: Path, original: bytes) -> Path:
    """Make sure that a backup of *target* holds *original*; never change another backup."""
    number = 1
    while True:
        backup = target.with_name(f"{target.name}.bak{number if number > 1 else ''}")
        try:
            backup.lstat()  # not lexists, which takes any error to mean that there is no file
        except FileNotFoundError:
            replace(backup, original, model=target)
            return backup
        if backup.is_file() and backup.read_bytes() == original:
            if not _is_linked(backup) and not are_alike(backup, target):
                replace(backup, original, model=target)
            return backup
        number += 1


def _is_linked(path: Path) -> bool:
    """Whether the file at *path* is a link or has other names."""
    return path.is_symlink() or path.stat().st_nlink > 1


def _check_still(path: str, target: Path, expected: bytes) -> None:
    """Raise FormatError unless *target* holds what it held when it was read."""
    if target.read_bytes() != expected:
        problem = "it changed while icsched was at work and was left as it is: run it again"
        raise FormatError(path, None, problem)
