"""One command in a process of its own, with its limits, its log, and a sure end."""

import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import resource_tracker
from pathlib import Path
from typing import IO, Any

from icsched.files.owned import open_owned
from icsched.machine import die_with_parent
from icsched.messages import storable
from icsched.run.descendants import awaited, end_all, end_rest
from icsched.workflow import Command


def start_tracker() -> None:
    """Start Python's watch over semaphores, which must not complain if this process is killed."""
    quiet = "ignore:resource_tracker"
    sys.warnoptions.append(quiet)  # a new interpreter is told the options of this one
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(quiet)


def run_command(
    work: Command,
    log: Path,
    time_limit: float | None = None,
    shell: bool = False,
) -> tuple[float, str | None]:
    """Run a command; return its seconds, and what went wrong in one line, None if nothing did.

    What the command prints goes to its own files, or else is appended to *log*. Its input is empty
    unless the command says otherwise. The command leads a process group of its own. On Linux it is
    killed when the thread that calls this function dies. If the call is interrupted by an exception
    or by *time_limit* (seconds), the command and what it has started get SIGTERM, and SIGKILL after
    `GRACE_S`. What outlives the command is ended, too, if this process adopts orphans
    (`descendants.adopt`). Paths that are not absolute are relative to the working directory of this
    process.
    """
    start = time.perf_counter()
    try:
        problem = _ended(work, log, time_limit, shell=shell)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        problem = storable(f"cannot start: {where}{error.strerror}")
    return time.perf_counter() - start, problem


def open_log(log: Path) -> IO[bytes]:
    """Open a log to append to it; raises OSError if another user may have put it there."""
    return os.fdopen(open_owned(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab")


def _ended(work: Command, log: Path, time_limit: float | None, *, shell: bool) -> str | None:
    # Else a request to stop could come before anyone knows the process of the command.
    with ExitStack() as stack, held_signal(signal.SIGTERM) as mask:
        streams = _streams(stack, work, log)
        child = _started(work, streams, mask, shell=shell)
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            code = awaited(child, time_limit)
            end_rest()
            return _problem(code)
        except subprocess.TimeoutExpired:
            end_all(child)
            return stopped_at(time_limit)
        except BaseException:
            end_all(child)
            raise


@contextmanager
def held_signal(number: int) -> Iterator[set[int]]:
    """Hold a signal back in this thread, and in all that it starts; yield the mask from before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {number})
    try:
        yield {int(one) for one in before}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _streams(stack: ExitStack, work: Command, log: Path) -> dict[str, Any]:
    def opened(name: str | None, mode: str) -> IO[bytes]:
        return stack.enter_context(open(name or os.devnull, mode))  # noqa: PTH123

    told = stack.enter_context(open_log(log))
    out = opened(work.stdout, "wb") if work.stdout else told
    if work.stderr and work.stderr == work.stdout:
        error = out
    else:
        error = opened(work.stderr, "wb") if work.stderr else told
    return {"stdin": opened(work.stdin, "rb"), "stdout": out, "stderr": error}


def _started(
    work: Command, streams: dict[str, Any], mask: set[int], *, shell: bool
) -> subprocess.Popen[bytes]:
    server = os.getpid()

    def before_exec() -> None:
        """Die with the worker, and meet the signals as any new process does."""
        die_with_parent()
        if os.getppid() != server:  # it died before the line above
            os._exit(1)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask - {signal.SIGTERM, signal.SIGINT})

    words = ["/bin/sh", "-c", work.line] if shell else list(work.argv)
    with warnings.catch_warnings():
        # Python warns of forks beside other threads; what runs after this one takes no locks.
        warnings.simplefilter("ignore", DeprecationWarning)
        return subprocess.Popen(  # noqa: S603  the user's commands are what a run is for
            words,
            cwd=work.directory,
            env={**os.environ, **dict(work.environment)},
            start_new_session=True,
            preexec_fn=before_exec,
            **streams,
        )


def stopped_at(time_limit: float | None) -> str:
    """Say that an attempt was stopped, because it has reached its time limit."""
    return f"stopped at its time limit of {time_limit:g} s"


def _problem(code: int) -> str | None:
    """Return how a command went wrong, by its exit code."""
    if code == 0:
        return None
    if code > 0:
        return f"exit code {code}"
    return f"killed by signal {-code}"
