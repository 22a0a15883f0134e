"""One command in a process of its own, with its limits, its log, and a sure end."""

import os
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from multiprocessing import resource_tracker
from pathlib import Path
from typing import IO, Any

from icsched.commands import Command
from icsched.engines.descendants import awaited, end_all, end_rest
from icsched.failures import storable
from icsched.files import open_owned
from icsched.machine import die_with_parent

_LONGEST_NAME = 200  # bytes of a file's name that leave room for the name of its `.part` file
_HELD = {signal.SIGTERM}


@dataclass(frozen=True, slots=True)
class OneOfSeveral(Command):
    """A command of which other attempts may run at once; `number` is that of the attempt.

    Its own files get their names when it has succeeded, so that no attempt spoils another's.
    """

    number: int = 0


def one_of_several(work: Command, number: int) -> OneOfSeveral:
    """Return a command as attempt *number* of several."""
    kept = {field.name: getattr(work, field.name) for field in fields(Command)}
    return OneOfSeveral(**kept, number=number)


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

    What the command prints goes to its own files, or else is appended to *log*; so is what
    a `OneOfSeveral` that failed has printed. Its input is empty unless the command says otherwise.
    The command leads a process group of its own. On Linux it is killed when the thread that calls
    this function dies. If the call is interrupted by an exception or by *time_limit* (seconds), the
    command and what it has started get SIGTERM, and SIGKILL after `GRACE_S`. What outlives the
    command is ended, too, if this process adopts orphans (`descendants.adopt`). Paths that are not
    absolute are relative to the working directory of this process.
    """
    start = time.perf_counter()
    try:
        if isinstance(work, OneOfSeveral):
            problem = _ended_apart(work, log, time_limit, shell=shell)
        else:
            problem = _ended(work, log, time_limit, shell=shell)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        problem = storable(f"cannot start: {where}{error.strerror}")
    return time.perf_counter() - start, problem


def _ended_apart(
    work: OneOfSeveral, log: Path, time_limit: float | None, *, shell: bool
) -> str | None:
    """Run a command with files apart, which get their names if it succeeds."""
    files = {name: _Apart(name, work.number) for name in (work.stdout, work.stderr) if name}
    out, error = (files[name].place if name else None for name in (work.stdout, work.stderr))
    try:
        for one in files.values():
            one.make()
        problem = _ended(replace(work, stdout=out, stderr=error), log, time_limit, shell=shell)
        with _held_signals():  # a stop must not come between two files
            for one in files.values():
                one.settle(log if problem else None)
        return problem
    finally:
        for one in files.values():
            one.remove()


def open_log(log: Path) -> IO[bytes]:
    """Open a log to append to it; raises OSError if another user may have put it there."""
    return os.fdopen(open_owned(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab")


def remove_parts(work: Command, number: int) -> None:
    """Remove the files that attempt *number* has left if its worker was killed."""
    for name in (work.stdout, work.stderr):
        if name:
            _Apart(name, number).remove()


class _Apart:
    """A file for one attempt, beside its name; what is not a plain file is used as it is."""

    def __init__(self, name: str, number: int) -> None:
        self._name, self.place = os.path.realpath(name), name
        if os.path.isfile(name) or not os.path.exists(name):  # noqa: PTH110, PTH113
            folder, own = os.path.split(self._name)
            if len(os.fsencode(own)) > _LONGEST_NAME:
                own = sha256(os.fsencode(own)).hexdigest()
            self.place = os.path.join(folder, f".{own}.icsched-{number}.part")  # noqa: PTH118
        self._is_apart = self.place != name

    def make(self) -> None:
        """Make the file, with the permissions of the file that it will replace, if there is one."""
        if self._is_apart:
            Path(self.place).touch()
            if os.path.isfile(self._name):  # noqa: PTH113
                shutil.copymode(self._name, self.place)

    def settle(self, log: Path | None) -> None:
        """Give the file its name, or append it to *log*."""
        if self._is_apart and Path(self.place).exists():  # two names may be of one file
            if log is None:
                Path(self.place).replace(self._name)
                return
            with Path(self.place).open("rb") as source, open_log(log) as target:
                shutil.copyfileobj(source, target)
            self.remove()

    def remove(self) -> None:
        """Remove the file, if it has not got its name."""
        if self._is_apart:
            Path(self.place).unlink(missing_ok=True)


def _ended(work: Command, log: Path, time_limit: float | None, *, shell: bool) -> str | None:
    with ExitStack() as stack, _held_signals() as mask:
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
def _held_signals() -> Iterator[set[int]]:
    """Hold back the signals by which a worker is told to stop; yield the mask from before.

    Otherwise a stop could come after the command has started and before anyone knows its process.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
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
        signal.pthread_sigmask(signal.SIG_SETMASK, mask - _HELD - {signal.SIGINT})

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
