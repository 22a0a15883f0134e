"""One command in its own process, with limits and a log; all its processes are ended."""

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
    """Start Python's tracker of semaphores, which must not complain if this process is killed."""
    quiet = "ignore:resource_tracker"
    sys.warnoptions.append(quiet)  # the options of this interpreter for a new one
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
    """Run a command; return its seconds, and its problem in one line (None for success).

    The output goes to the command's own files, or else is appended to *log*. Without an input file
    the input is empty. The command leads its own process group. On Linux the command is killed when
    the thread that calls this function dies. If the call is interrupted by an exception or by
    *time_limit* (seconds), the command and what it has started get SIGTERM, and SIGKILL after
    `GRACE_S`. Processes that outlive the command are ended, too, if this process adopts orphans
    (`descendants.adopt`). Relative paths start at the working directory of this process.
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
    # Otherwise a request to stop could come before the process of the command is known.
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
    """Block a signal in this thread and in its new threads and processes; yield the old mask."""
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
        """Die with the worker, and handle signals like any new process."""
        die_with_parent()
        if os.getppid() != server:  # the worker died before the line above
            os._exit(1)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask - {signal.SIGTERM, signal.SIGINT})

    words = ["/bin/sh", "-c", work.line] if shell else list(work.argv)
    with warnings.catch_warnings():
        # Python warns of forks beside other threads; the code after this fork takes no locks.
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
    """Return the problem of an attempt that was stopped at its time limit."""
    return f"stopped at its time limit of {time_limit:g} s"


def _problem(code: int) -> str | None:
    """Return the problem of a command from its exit code."""
    if code == 0:
        return None
    if code > 0:
        return f"exit code {code}"
    return f"killed by signal {-code}"
