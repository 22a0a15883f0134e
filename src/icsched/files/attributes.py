"""Attributes of a file: owner, group, permissions and extended attributes."""

import errno
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

# Attributes that people and their systems set, such as access control lists. Other attributes say
# how a file system stores a file (lustre.lov, btrfs.compression) and are kept if possible.
_KEPT = ("user.", "system.", "security.")
_AS_OWNER = "run this as its owner or as root, or write to another file"
_AS_ROOT = "run this as root, or write to another file"
_OF_CONTENTS = {"security.ima", "security.evm"}  # checksums computed by the kernel


def take_after(handle: int, model: Path) -> None:
    """Give an open file the owner, group, permissions and attributes of *model*.

    Without a *model*, the file gets those of a new file. Call this after the file is written,
    because writing drops some permissions. Raises OSError if an attribute cannot be kept.
    """
    try:
        status = model.stat()
    except FileNotFoundError:
        os.fchmod(handle, 0o666 & ~mask())
        return
    _take_owner(handle, model, status)
    if sys.platform == "linux":
        _take_attributes(handle, model)
    os.fchmod(handle, stat.S_IMODE(status.st_mode))
    new = os.fstat(handle)
    if stat.S_IMODE(new.st_mode) != stat.S_IMODE(status.st_mode):
        raise _unkept(f"its permissions {stat.S_IMODE(status.st_mode):04o}", _AS_ROOT)


def are_alike(one: Path, other: Path) -> bool:
    """Whether two files have the same owner, group, permissions and attributes."""
    return _everything(one) == _everything(other)


def _everything(path: Path) -> tuple[object, ...]:
    status = path.stat()
    attributes = _attributes(path) if sys.platform == "linux" else {}
    return status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode), attributes


def mask() -> int:
    """Return the permissions that new files do not get (the umask)."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _unkept(what: str, remedy: str) -> OSError:
    return OSError(errno.EPERM, f"Cannot keep {what}: {remedy}")


def _take_owner(handle: int, model: Path, status: os.stat_result) -> None:
    wanted = status.st_uid, status.st_gid
    if _owner(handle) != wanted:
        with suppress(PermissionError):
            os.fchown(handle, *wanted)
    owner, group = _owner(handle)  # some file systems silently keep another owner
    if owner != wanted[0] and not os.access(model, os.W_OK):
        raise OSError(errno.EACCES, f"You may not write it: {_AS_OWNER}")
    if owner != wanted[0]:
        raise _unkept(f"its owner {wanted[0]}", _AS_OWNER)
    if group != wanted[1]:
        raise _unkept(f"its group {wanted[1]}", "you are not in that group")


def _owner(handle: int) -> tuple[int, int]:
    status = os.fstat(handle)
    return status.st_uid, status.st_gid


if sys.platform == "linux":

    def _take_attributes(handle: int, model: Path) -> None:
        """Give the file the extended attributes of *model*, and no others."""
        ours, theirs = _attributes(handle), _attributes(model)
        for name in sorted(ours.keys() | theirs.keys()):
            if ours.get(name) == theirs.get(name):
                continue
            try:
                if name in theirs:
                    os.setxattr(handle, name, theirs[name])
                else:
                    os.removexattr(handle, name)
            except OSError as error:
                if name.startswith(_KEPT):
                    raise _unkept(f"its attribute {name}", _AS_ROOT) from error

    def _attributes(file: int | Path) -> dict[str, bytes]:
        try:
            names = os.listxattr(file)
        except OSError as error:
            if error.errno in (
                errno.ENOTSUP,
                errno.ENOSYS,
            ):  # not supported by the file system
                return {}
            raise
        found = {}
        for name in names:
            if name not in _OF_CONTENTS:
                try:
                    found[name] = os.getxattr(file, name)
                except OSError as error:
                    if name.startswith(_KEPT):
                        raise _unkept(f"its attribute {name}", _AS_ROOT) from error
        return found
