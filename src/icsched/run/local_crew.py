"""The local engine: worker processes on this machine, with concurrent.futures."""

import os
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from types import FrameType

from icsched.errors import ArgumentError, EngineError
from icsched.files.reading import reason
from icsched.machine import adopt_orphans, adopts_orphans
from icsched.messages import problem_of
from icsched.run.crew import Attempt, Outcome, Terms
from icsched.run.descendants import GRACE_S, adopt, below, kill_below
from icsched.run.processes import run_command, start_tracker, stopped_at
from icsched.run.records import WorkerRecorder

_PATIENCE_S = GRACE_S + 2  # after a request to stop, before the worker itself is killed
_SWEEP_S = 5.0  # timeout for the end of a killed process
_DIED = "its worker died"


class _Worker:
    """A pool of one process, whose death does not affect other workers."""

    def __init__(self) -> None:
        self._open()

    def _open(self) -> None:
        self.pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=_prepare)
        self._pid = self.pool.submit(os.getpid)

    @property
    def pid(self) -> int:
        """Number of the process; waits until the process works, or raises EngineError."""
        try:
            return self._pid.result()
        except BrokenProcessPool as error:
            problem = "a worker process ended before it could work"
            raise EngineError(f"engine local: {problem}") from error

    def submit(self, attempt: Attempt, terms: Terms) -> "Future[Outcome]":
        """Begin an attempt, in a new process if the old one has ended."""
        try:
            return self.pool.submit(_work_on, attempt, terms.shell, terms.recorder)
        except BrokenProcessPool:
            self.pool.shutdown()
            self._open()
            assert self.pid  # noqa: S101  asking waits until it works
            return self.submit(attempt, terms)

    def kill(self, number: int) -> None:
        """Send a signal to the process, if it exists."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)


@dataclass
class _Running:
    """An attempt and its worker, which is killed if the attempt has not stopped by `stop_by`."""

    attempt: Attempt
    worker: _Worker
    stop_by: float | None = None
    is_given_up: bool = False


class LocalCrew:
    """A crew of worker processes, each of which runs one attempt at a time."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self.size = self.workers = count_workers(terms)
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._running: dict[int, _Running] = {}
        self._ended: SimpleQueue[Outcome] = SimpleQueue()
        self._own: set[int] = set()  # children of this process that are older than the crew
        self._adopted_before = adopts_orphans()
        self._adopts = False

    def open(self) -> None:
        """Start all processes, and wait until they work; raises EngineError if one fails.

        On Linux this process adopts the orphans of workers that die.
        """
        living, zombies = below(os.getpid())
        self._own, self._adopts = {*living, *zombies}, adopt_orphans()
        try:
            while len(self._workers) < self.size:
                self._workers.append(_Worker())
        except OSError as error:
            problem = f"cannot start {self.size} workers: {reason(error)}: use fewer workers"
            raise EngineError(f"engine local: {problem}") from error
        for worker in self._workers:
            assert worker.pid  # noqa: S101  asking waits until it works
        self._idle = list(reversed(self._workers))

    def start(self, attempt: Attempt, /) -> None:
        """Begin an attempt, and return at once."""
        worker, began = self._idle.pop(), time.perf_counter()
        self._running[attempt.number] = _Running(attempt, worker)
        future = worker.submit(attempt, self._terms)
        future.add_done_callback(lambda done: self._ended.put(_outcome(attempt, done, began)))

    def ended(self, timeout: float | None, /) -> Sequence[Outcome]:
        """Wait until an attempt ends, and return all that ended; none after *timeout* seconds."""
        self._press()
        found: list[Outcome] = []
        with suppress(Empty):
            found.append(self._ended.get(timeout=timeout))
            while True:
                found.append(self._ended.get_nowait())
        return [self._settled(outcome) for outcome in found]

    def _settled(self, outcome: Outcome) -> Outcome:
        """Free the worker of an attempt that has ended; end all processes that the attempt left."""
        running = self._running.pop(outcome.number)
        self._idle.append(running.worker)
        if outcome.problem != _DIED:
            return outcome
        running.worker.pool.shutdown()  # wait for the end of the process: we adopt its orphans
        self._sweep(worker.pid for worker in self._workers)
        if running.is_given_up:
            problem = stopped_at(running.attempt.time_limit)
            return Outcome(outcome.number, outcome.seconds, problem)
        return outcome

    def _sweep(self, workers: Iterable[int] = ()) -> None:
        """Kill processes of dead workers' commands: all that do not descend from *workers*."""
        if self._adopts:
            kill_below(os.getpid(), self._own.union(workers), patience=_SWEEP_S)

    def stop(self, number: int, /) -> None:
        """Stop an attempt. It ends as lost, or as it ended before it could be stopped."""
        running = self._running.get(number)
        if running is not None and running.stop_by is None:
            running.stop_by = time.monotonic() + _PATIENCE_S
            running.worker.kill(signal.SIGTERM)

    def _press(self) -> None:
        """Repeat the request to stop, which may have come before the attempt; kill late workers."""
        for running in self._running.values():
            if running.stop_by is not None:
                is_late = time.monotonic() > running.stop_by
                running.worker.kill(signal.SIGKILL if is_late else signal.SIGTERM)

    def give_up(self, number: int, /) -> None:
        """Kill the worker of an attempt, which then fails at its time limit."""
        running = self._running.get(number)
        if running is not None and not running.is_given_up:
            running.is_given_up = True
            running.worker.kill(signal.SIGKILL)

    def close(self) -> None:
        """End all processes; running attempts are killed with all their processes."""
        for worker in self._idle:
            worker.kill(signal.SIGCONT)  # a stopped process would not end
        for running in self._running.values():
            running.worker.kill(signal.SIGKILL)
        for worker in self._workers:
            worker.pool.shutdown(wait=True, cancel_futures=True)
        self._sweep()
        if self._adopts and not self._adopted_before:
            adopt_orphans(yes=False)


def count_workers(terms: Terms) -> int:
    """Return the number of workers, by default one for each core; raises ArgumentError."""
    if terms.address is not None:
        problem = "an address cannot be used, because the workers are on this machine"
        raise ArgumentError(f"engine local: {problem}")
    return terms.count_workers()


def _outcome(attempt: Attempt, done: "Future[Outcome]", began: float) -> Outcome:
    error = done.exception()
    if error is None:
        return done.result()
    is_dead = isinstance(error, BrokenProcessPool)
    problem = _DIED if is_dead else problem_of(error)
    return Outcome(attempt.number, time.perf_counter() - began, problem, is_lost=is_dead)


@contextmanager
def local_workers(terms: Terms) -> Iterator[LocalCrew]:
    """Start worker processes, by default one for each core; they end with the context.

    Raises ArgumentError for terms that do not apply here, EngineError if no process starts.
    """
    start_tracker()
    crew = LocalCrew(terms)
    try:
        crew.open()
        yield crew
    finally:
        crew.close()


# Functions of a worker process

_busy = Lock()  # held while an attempt runs


class _Stopped(BaseException):
    """The server wants this attempt to stop."""


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the cleanup must not be interrupted again
    raise _Stopped


def _prepare() -> None:
    """Make a new process a worker, which outlives the server only while an attempt runs."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the server handles Ctrl-C
        signal.signal(number, signal.SIG_IGN)
    adopt()
    Thread(target=_leave_with_server, daemon=True).start()


def _leave_with_server() -> None:
    server = parent_process()
    if server is not None:
        server.join()
        with _busy:
            os._exit(0)


def _leave_without_server() -> None:
    server = parent_process()
    if server is None or not server.is_alive():
        os._exit(0)


def _work_on(attempt: Attempt, shell: bool, recorder: WorkerRecorder | None) -> Outcome:
    """Run one attempt, and record its success before reporting to the server."""
    with _busy:
        if recorder is not None:
            recorder.begin()
        _leave_without_server()  # after `begin`: a new server waits for attempts that have begun
        outcome = _worked(attempt, shell=shell)
        if recorder is not None and outcome.problem is None:
            recorder.end(attempt.number, outcome.seconds)
        _leave_without_server()
        return outcome


def _worked(attempt: Attempt, *, shell: bool) -> Outcome:
    start = time.perf_counter()
    try:
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            given = attempt.work, attempt.log, attempt.time_limit
            return Outcome(attempt.number, *run_command(*given, shell))
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
    except _Stopped:
        return Outcome(attempt.number, time.perf_counter() - start, "stopped", is_lost=True)
