"""What this machine has. Systems differ: macOS has neither `prctl` nor a set of usable cores."""

import ctypes
import os
import signal

_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of Linux
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
