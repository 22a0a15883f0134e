"""Permissions of files, and a limit of their size for a while."""

import resource
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@contextmanager
def files_limited_to(size: int) -> Iterator[None]:
    """Let the system refuse to write more than *size* bytes to a file, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
