"""What a worker of Dask does for an engine: one attempt, with its log and its end."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

from icsched.run.descendants import GRACE_S, adopt
from icsched.run.processes import run_command
from icsched.workflow import Command

if TYPE_CHECKING:
    from icsched.run.records import WorkerRecorder

LOST = "its worker died after its end"
MOST_LOG = 8 * 2**20  # bytes of a log that a worker sends; the last ones count

Mark: TypeAlias = tuple[int, int]  # inode and time of a log, before anything is printed
Record: TypeAlias = (
    "tuple[WorkerRecorder, int, int]"  # with the number of the attempt, and its task
)
Request: TypeAlias = "tuple[Command, str, Mark | None, float | None, bool, str, Record | None]"
Report: TypeAlias = tuple[float, str | None, bytes]  # seconds, problem, what was printed

RUN = "ICSCHED_RUN"  # the variable by which the commands of a run are known again
ATTEMPT = "ICSCHED_ATTEMPT"  # the same for the commands of an attempt

_stopped: set[str] = set()  # attempts that must not start any more


def attempted(
    work: Command,
    log: str,
    mark: Mark | None,
    time_limit: float | None,
    shell: bool,
    token: str,
    record: Record | None = None,
) -> Report:
    """Run one attempt; return how it ended, and what it printed if *log* is not a file here.

    *mark* tells whether the file at *log* is the one that the sender made. A success is recorded
    with *record* before anyone hears of it.
    """
    if token in _stopped:
        return 0.0, "stopped", b""
    if record is not None:
        recorder, number, task = record
        adopt()  # a worker of the run alone, which runs one command at a time
        recorder.begin()
        if recorder.is_completed(task):  # Dask has lost the result with the worker that had it
            return 0.0, LOST, b""
    with tempfile.TemporaryDirectory() as folder:
        is_shared = mark is not None and mark_of(log) == mark
        place = Path(log) if is_shared else Path(folder, "log")
        seconds, problem = run_command(work, place, time_limit, shell)
        if record is not None and problem is None:
            recorder.end(number, task, seconds)
        return seconds, problem, b"" if is_shared else _end_of(place)


def stop(token: str) -> None:
    """Kill the command of an attempt, now or when it starts; returns at once."""
    _stopped.add(token)
    Thread(target=_kill, args=(token,), daemon=True).start()


def end_run(run: str) -> None:
    """Kill the commands that a killed server of the run has left on this worker, and wait."""
    end = time.monotonic() + GRACE_S
    while found := list(_processes(RUN, run)):
        for group in found:
            _signal(group, signal.SIGTERM if time.monotonic() < end else signal.SIGKILL)
        time.sleep(0.1)


def _kill(token: str) -> None:
    """Ask the processes of an attempt to end, and kill those that are left after a while.

    An attempt that is about to start may have no process yet, so look several times.
    """
    asked: set[int] = set()
    end = time.monotonic() + GRACE_S
    while time.monotonic() < end:
        found = set(_processes(ATTEMPT, token))
        for group in found - asked:
            _signal(group, signal.SIGTERM)
        asked |= found
        time.sleep(0.1)
    for group in _processes(ATTEMPT, token):
        _signal(group, signal.SIGKILL)


def _processes(variable: str, value: str) -> Iterator[int]:
    """Yield the commands that this worker runs with a variable; each leads a group."""
    import psutil  # type: ignore[import-untyped]  # Dask needs it too

    for child in psutil.Process().children():
        with suppress(psutil.Error):
            is_own = child.environ().get(variable) == value
            if is_own and os.getpgid(child.pid) == child.pid:
                yield child.pid


def _signal(group: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, number)


def mark_of(log: str) -> Mark | None:
    """Return what tells a file from all others; None if there is no file."""
    with suppress(OSError):
        status = Path(log).stat()
        return status.st_ino, status.st_mtime_ns
    return None


def _end_of(place: Path) -> bytes:
    if not place.exists():
        return b""
    with place.open("rb") as file:
        file.seek(max(0, place.stat().st_size - MOST_LOG))
        return file.read()
