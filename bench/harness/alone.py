"""Measures of an act in a process of its own, so that no other act leaves memory behind."""

import multiprocessing
import resource
import sys
from collections.abc import Callable
from pathlib import Path

from harness import seconds


def peak_mb() -> float:
    """Return the most memory that this process has used so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def measure(make: Callable[[Path], Callable[[], object]], path: Path) -> tuple[float, float]:
    """Return the seconds of the best of three, and the most MB that the process used."""
    return seconds(make(path)), peak_mb()


def measure_alone(make: Callable[[Path], Callable[[], object]], path: Path) -> tuple[float, float]:
    """Return the same for a new process."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, (make, path))
