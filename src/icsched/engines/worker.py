"""A worker process of the local engine. It imports little, so that it starts quickly."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import parent_process
from pathlib import Path
from threading import Lock, Thread
from types import FrameType
from typing import TYPE_CHECKING

from icsched.commands import Command
from icsched.engines.processes import run_command
from icsched.failures import Failure, storable

if TYPE_CHECKING:
    from icsched.engines.entry import Recorder

NO_LOG = Path("/dev/stdout")  # what a call prints stays where the server prints
Ended = tuple[float, str | None, bool, object]  # seconds, problem, is it lost, value or Failure

_busy = Lock()  # held while an attempt runs


class Stopped(BaseException):
    """The server wants this attempt to stop."""


class _OverTime(BaseException):
    """A Python call has reached its time limit."""


class _Interrupter:
    """Turns signals into exceptions, but only while there is something to interrupt."""

    is_on = False

    def __call__(self, number: int, _frame: FrameType | None) -> None:
        if self.is_on:
            self.is_on = False  # once is enough: what follows must not be interrupted again
            raise _OverTime if number == signal.SIGALRM else Stopped

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
    signal.signal(signal.SIGALRM, _interrupter)
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
    work: Command | Callable[[], object],
    log: Path,
    time_limit: float | None,
    shell: bool,
    recorder: "Recorder | None",
) -> Ended:
    """Run one attempt, and record its success before the server hears of it."""
    with _busy:
        if recorder is not None:
            recorder.begin()
        if not _server_is_there():  # asked after `begin`: a new server waits for what has begun
            os._exit(0)
        seconds, problem, is_lost, value = _worked(work, log, time_limit, shell=shell)
        if recorder is not None and problem is None:
            recorder.end(number, task, seconds, value)
        if not _server_is_there():
            os._exit(0)
        return seconds, problem, is_lost, value


def _worked(
    work: Command | Callable[[], object], log: Path, time_limit: float | None, *, shell: bool
) -> Ended:
    start = time.perf_counter()
    try:
        with _interrupter.listening():
            if isinstance(work, Command):
                return *run_command(work, log, time_limit, shell), False, None
            return _called(work, log, time_limit)
    except Stopped:
        return time.perf_counter() - start, "stopped", True, None


def _called(call: Callable[[], object], log: Path, time_limit: float | None) -> Ended:
    start = time.perf_counter()
    problem, value = None, None
    try:
        with _printing_to(log), _limited(time_limit):
            value = call()
    except _OverTime:
        problem = f"stopped at its time limit of {time_limit:g} s"
    except (Exception, SystemExit) as error:  # a user's function may raise anything
        problem, value = problem_of(error), Failure.of(error)
    return time.perf_counter() - start, problem, False, value


def problem_of(error: BaseException) -> str:
    r"""Return an error on one line: its type, and what it says, unless saying it fails.

    >>> problem_of(ValueError("two\nlines")), problem_of(KeyError())
    ('ValueError: two lines', 'KeyError')
    """
    name = type(error).__name__
    try:
        said = f"{name}: {error}"
    except Exception:  # what a user's class raises cannot be foreseen
        said = name
    return storable(" ".join(said.split()).removesuffix(":"))


@contextmanager
def _limited(seconds: float | None) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_REAL, seconds or 0.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


@contextmanager
def _printing_to(log: Path) -> Iterator[None]:
    """Send what is printed to *log*, also by other processes and libraries."""
    if log == NO_LOG:
        yield
        return
    kept = [os.dup(1), os.dup(2)]
    with ExitStack() as stack:
        for handle in kept:
            stack.callback(os.close, handle)
        stack.callback(_redirect, kept)
        with log.open("ab") as file:
            _redirect([file.fileno()] * 2)
        try:
            yield
        except (Exception, SystemExit):
            sys.excepthook(*sys.exc_info())
            raise


def _redirect(handles: list[int]) -> None:
    try:
        for stream in (sys.stdout, sys.stderr):  # a function may have put anything there
            flush = getattr(stream, "flush", None)
            if flush is not None and not getattr(stream, "closed", False):
                flush()
    finally:
        for number, handle in zip((1, 2), handles, strict=True):
            os.dup2(handle, number)
