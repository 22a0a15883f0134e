"""What this machine has. Systems differ: macOS has neither `prctl` nor a set of usable cores."""

import ctypes
import os
import signal

# PR_... of Linux
_SET_DEATH_SIGNAL, _SET_CHILD_SUBREAPER, _GET_CHILD_SUBREAPER = 1, 36, 37
# Found now: a lookup after a fork may wait for a lock forever.
_PRCTL = getattr(ctypes.CDLL(None), "prctl", None)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def die_with_parent() -> None:
    """Have this process killed when the thread that started it dies; Linux alone can do that."""
    if _PRCTL is not None:
        _PRCTL(_SET_DEATH_SIGNAL, signal.SIGKILL)


def adopt_orphans(*, yes: bool = True) -> bool:
    """Have orphans below this process become its children; return False where that is impossible.

    Linux alone can do that. Not *yes* ends it.
    """
    return _PRCTL is not None and _PRCTL(_SET_CHILD_SUBREAPER, int(yes), 0, 0, 0) == 0


def adopts_orphans() -> bool:
    """Whether orphans below this process become its children."""
    found = ctypes.c_int(0)
    return (
        _PRCTL is not None
        and _PRCTL(_GET_CHILD_SUBREAPER, ctypes.byref(found), 0, 0, 0) == 0
        and bool(found.value)
    )
