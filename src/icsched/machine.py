"""Features of this machine. macOS has neither `prctl` nor a set of usable cores."""

import ctypes
import os
import signal

# PR_... of Linux
_SET_DEATH_SIGNAL, _SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 1, 36, 37
# Looked up at import, because a lookup after a fork may wait for a lock forever.
_PRCTL = getattr(ctypes.CDLL(None), "prctl", None)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def die_with_parent() -> None:
    """Have this process killed when the thread that started it dies; only on Linux."""
    if _PRCTL is not None:
        _PRCTL(_SET_DEATH_SIGNAL, signal.SIGKILL)


def adopt_orphans(*, yes: bool = True) -> bool:
    """Have orphaned descendants become children of this process; return False if not supported."""
    return _PRCTL is not None and _PRCTL(_SET_CHILD_SUBREAPER, int(yes), 0, 0, 0) == 0


def adopts_orphans() -> bool:
    """Whether orphaned descendants become children of this process."""
    found = ctypes.c_int(0)
    return (
        _PRCTL is not None
        and _PRCTL(_GET_CHILD_SUBREAPER, ctypes.byref(found), 0, 0, 0) == 0
        and bool(found.value)
    )
