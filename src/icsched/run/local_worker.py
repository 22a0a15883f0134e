"""A worker process of the local engine. It imports little, so that it starts quickly."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process
from pathlib import Path
from threading import Lock, Thread
from types import FrameType
from typing import TYPE_CHECKING

from icsched.run.descendants import adopt
from icsched.run.processes import run_command
from icsched.workflow import Command

if TYPE_CHECKING:
    from icsched.run.records import WorkerRecorder

Ended = tuple[float, str | None, bool]  # seconds, problem, is it lost

_busy = Lock()  # held while an attempt runs


class Stopped(BaseException):
    """The server wants this attempt to stop."""


class _Interrupter:
    """Turns a signal into an exception, but only while there is something to interrupt."""

    is_on = False

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        if self.is_on:
            self.is_on = False  # once is enough: what follows must not be interrupted again
            raise Stopped

    @contextmanager
    def listening(self) -> Iterator[None]:
        self.is_on = True
        try:
            yield
        finally:
            self.is_on = False


_interrupter = _Interrupter()


def prepare() -> None:
    """Make a new process a worker: it outlives the server only while an attempt runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's business
    signal.signal(signal.SIGTERM, _interrupter)
    adopt()
    Thread(target=_leave_with_server, daemon=True).start()


def ready() -> int:
    """Return the number of this process, which shows that it works."""
    return os.getpid()


def _server_is_there() -> bool:
    server = parent_process()
    return server is not None and server.is_alive()


def _leave_with_server() -> None:
    server = parent_process()
    if server is not None:
        server.join()
        with _busy:
            os._exit(0)


def work_on(
    number: int,
    task: int,
    work: Command,
    log: Path,
    time_limit: float | None,
    shell: bool,
    recorder: "WorkerRecorder | None",
) -> Ended:
    """Run one attempt, and record its success before the server hears of it."""
    with _busy:
        if recorder is not None:
            recorder.begin()
        if not _server_is_there():  # asked after `begin`: a new server waits for what has begun
            os._exit(0)
        seconds, problem, is_lost = _worked(work, log, time_limit, shell=shell)
        if recorder is not None and problem is None:
            recorder.end(number, task, seconds)
        if not _server_is_there():
            os._exit(0)
        return seconds, problem, is_lost


def _worked(work: Command, log: Path, time_limit: float | None, *, shell: bool) -> Ended:
    start = time.perf_counter()
    try:
        with _interrupter.listening():
            return *run_command(work, log, time_limit, shell), False
    except Stopped:
        return time.perf_counter() - start, "stopped", True
