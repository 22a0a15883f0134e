"""What a file has beside its bytes: owner, group, permissions and extended attributes."""

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

# Attributes that people and their systems set; access control lists are among them. Others tell
# how a file system stores a file (lustre.lov, btrfs.compression) and are kept where they can be.
_KEPT = ("user.", "system.", "security.")
_OF_CONTENTS = {"security.ima", "security.evm"}  # checksums, which the kernel makes


def take_after(handle: int, model: Path) -> None:
    """Give an open file all that *model* has, or what a new file gets if there is no *model*.

    To be called when the file is written: writing drops some permissions. Raises OSError if
    something cannot be kept.
    """
    try:
        status = model.stat()
    except FileNotFoundError:
        os.fchmod(handle, 0o666 & ~mask())
        return
    _take_owner(handle, status)
    if sys.platform == "linux":
        _take_attributes(handle, model)
    os.fchmod(handle, stat.S_IMODE(status.st_mode))
    new = os.fstat(handle)
    if stat.S_IMODE(new.st_mode) != stat.S_IMODE(status.st_mode):
        raise _UnkeptError(f"its permissions {stat.S_IMODE(status.st_mode):04o}")


def mask() -> int:
    """Return the permissions that new files are not to have."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


class _UnkeptError(OSError):
    """Something of a file cannot be kept."""

    def __init__(self, what: str) -> None:
        problem = f"Cannot keep {what}: let its owner or root do this, or write another file"
        super().__init__(errno.EPERM, problem)


def _take_owner(handle: int, status: os.stat_result) -> None:
    wanted = status.st_uid, status.st_gid
    if _owner(handle) != wanted:
        with suppress(PermissionError):
            os.fchown(handle, *wanted)
    if _owner(handle) != wanted:  # some file systems do not say so
        raise _UnkeptError(f"its owner {wanted[0]} and group {wanted[1]}")


def _owner(handle: int) -> tuple[int, int]:
    status = os.fstat(handle)
    return status.st_uid, status.st_gid


if sys.platform == "linux":

    def _take_attributes(handle: int, model: Path) -> None:
        """Make the extended attributes those of *model*; the directory may have given others."""
        ours, theirs = _attributes(handle), _attributes(model)
        for name in sorted(ours.keys() | theirs.keys()):
            if ours.get(name) == theirs.get(name):
                continue
            try:
                _set_attribute(handle, name, theirs.get(name))
            except OSError as error:
                if name.startswith(_KEPT):
                    raise _UnkeptError(f"its attribute {name}") from error

    def _set_attribute(handle: int, name: str, value: bytes | None) -> None:
        if value is None:
            os.removexattr(handle, name)
        else:
            os.setxattr(handle, name, value)

    def _attributes(file: int | Path) -> dict[str, bytes]:
        try:
            names = os.listxattr(file)
        except OSError as error:
            if error.errno in (errno.ENOTSUP, errno.ENOSYS):  # the file system has none
                return {}
            raise
        found = {}
        for name in names:
            if name not in _OF_CONTENTS:
                try:
                    found[name] = os.getxattr(file, name)
                except OSError as error:
                    if name.startswith(_KEPT):
                        raise _UnkeptError(f"its attribute {name}") from error
        return found
