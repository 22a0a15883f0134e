"""The local engine: worker processes of this machine, by concurrent.futures."""

import os
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from queue import Empty, SimpleQueue

from icsched.errors import ArgumentError, EngineError
from icsched.files.reading import reason
from icsched.machine import adopt_orphans, adopts_orphans
from icsched.messages import problem_of
from icsched.run import local_worker
from icsched.run.crew import Attempt, Outcome, Terms
from icsched.run.descendants import GRACE_S, below, kill_below
from icsched.run.processes import start_tracker, stopped_at

_PATIENCE_S = GRACE_S + 2  # after a request to stop; then the worker itself is killed
_SWEEP_S = 5.0  # for a process that was killed to end
_DIED = "its worker died"


class _Worker:
    """A pool of one process. If that process dies, no other worker is disturbed."""

    def __init__(self) -> None:
        self._open()

    def _open(self) -> None:
        self.pool = ProcessPoolExecutor(1, get_context("spawn"), initializer=local_worker.prepare)
        self._ready: Future[int] = self.pool.submit(local_worker.ready)
        self.stop_by: float | None = None
        self.time_limit: float | None = None  # of its attempt
        self.is_given_up = False

    @property
    def pid(self) -> int:
        """Number of the process; waits until it works. Raises EngineError if it never does."""
        try:
            return self._ready.result()
        except BrokenProcessPool as error:
            problem = "a worker process ended before it could work"
            raise EngineError(f"engine local: {problem}") from error

    def submit(self, attempt: Attempt, terms: Terms) -> "Future[local_worker.Ended]":
        """Begin an attempt, in a new process if the old one is gone."""
        given = (attempt.number, attempt.task, attempt.work, attempt.log, attempt.time_limit)
        try:
            return self.pool.submit(local_worker.work_on, *given, terms.shell, terms.recorder)
        except BrokenProcessPool:
            self.pool.shutdown()
            self._open()
            assert self.pid  # noqa: S101  asking waits until it works
            return self.pool.submit(local_worker.work_on, *given, terms.shell, terms.recorder)

    def kill(self, number: int) -> None:
        """Send a signal to the process, if it is there."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)


class LocalCrew:
    """As many worker processes as there are attempts at once."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self.size = self.workers = count_workers(terms)
        self._workers: list[_Worker] = []
        self._idle: list[_Worker] = []
        self._at: dict[int, _Worker] = {}
        self._ended: SimpleQueue[Outcome] = SimpleQueue()
        self._own: set[int] = set()  # children of this process that were there before the crew
        self._adopted_before = adopts_orphans()
        self._adopts = False

    def open(self) -> None:
        """Start all processes, and wait until they work; raises EngineError if one does not.

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
        for one in self._workers:
            assert one.pid  # noqa: S101  asking waits until it works
        self._idle = list(reversed(self._workers))

    def start(self, attempt: Attempt, /) -> None:
        """Begin an attempt, and return at once."""
        one = self._idle.pop()
        self._at[attempt.number] = one
        one.time_limit = attempt.time_limit
        began = time.perf_counter()
        future = one.submit(attempt, self._terms)

        def note(done: "Future[local_worker.Ended]") -> None:
            self._ended.put(_outcome(attempt.number, done, time.perf_counter() - began))

        future.add_done_callback(note)

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
        """Free the worker of an attempt that has ended; end what the attempt has left behind."""
        one = self._at.pop(outcome.number)
        self._idle.append(one)
        is_given_up, one.is_given_up, one.stop_by = one.is_given_up, False, None
        if outcome.problem != _DIED:
            return outcome
        one.pool.shutdown()  # waits for the end of the process: now its orphans are ours
        self._sweep(one.pid for one in self._workers)
        if is_given_up:
            return Outcome(outcome.number, outcome.seconds, stopped_at(one.time_limit))
        return outcome

    def _sweep(self, workers: Iterable[int] = ()) -> None:
        """Kill what commands of dead workers have started: all that is not below *workers*."""
        if self._adopts:
            kill_below(os.getpid(), self._own.union(workers), patience=_SWEEP_S)

    def stop(self, number: int, /) -> None:
        """Stop an attempt. It ends as lost, or as it ended before it could be stopped."""
        one = self._at.get(number)
        if one is not None and one.stop_by is None:
            one.stop_by = time.monotonic() + _PATIENCE_S
            one.kill(signal.SIGTERM)

    def _press(self) -> None:
        """Ask again for a stop, as the attempt may not have begun before; kill who is deaf."""
        for one in self._at.values():
            if one.stop_by is not None:
                is_late = time.monotonic() > one.stop_by
                one.kill(signal.SIGKILL if is_late else signal.SIGTERM)

    def give_up(self, number: int, /) -> None:
        """Kill the worker of an attempt, which fails at its time limit."""
        one = self._at.get(number)
        if one is not None and not one.is_given_up:
            one.is_given_up = True
            one.kill(signal.SIGKILL)

    def close(self) -> None:
        """End all processes; attempts that still run are killed, with all that they started."""
        for one in self._idle:
            one.kill(signal.SIGCONT)  # a stopped one would not end
        for one in self._at.values():
            one.kill(signal.SIGKILL)
        for one in self._workers:
            one.pool.shutdown(wait=True, cancel_futures=True)
        self._sweep()
        if self._adopts and not self._adopted_before:
            adopt_orphans(yes=False)


def count_workers(terms: Terms) -> int:
    """Return how many workers there will be, by default one for each core; ArgumentError."""
    if terms.address is not None:
        problem = "an address cannot be used, because the workers are on this machine"
        raise ArgumentError(f"engine local: {problem}")
    return terms.count_workers()


def _outcome(number: int, done: "Future[local_worker.Ended]", seconds: float) -> Outcome:
    error = done.exception()
    if error is None:
        return Outcome(number, *done.result())
    if isinstance(error, BrokenProcessPool):
        return Outcome(number, seconds, _DIED, is_lost=True)
    return Outcome(number, seconds, problem_of(error))


@contextmanager
def local_workers(terms: Terms) -> Iterator[LocalCrew]:
    """Start worker processes, by default one for each core; they end with the context.

    Raises ArgumentError for terms that make no sense here, EngineError if no process starts.
    """
    start_tracker()
    crew = LocalCrew(terms)
    try:
        crew.open()
        yield crew
    finally:
        crew.close()
