"""Dask as an engine of `icsched run`: the workers of a cluster run commands."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

from icsched.errors import ArgumentError, EngineError, not_installed
from icsched.messages import problem_of
from icsched.run.crew import Attempt, Outcome, Terms
from icsched.run.dask_client import check_workers, connected
from icsched.run.descendants import GRACE_S, adopt, end_below, kill_with_descendants
from icsched.run.processes import open_log, run_command, stopped_at
from icsched.run.records import WorkerRecorder

if TYPE_CHECKING:
    from distributed import Client, Future

AHEAD = 2  # attempts in flight beyond the number of threads, so that no worker waits for the loop
REFRESH_S = 0.5  # interval at which the crew asks for the size of the cluster
SILENT_S = 10.0  # after this silence a worker counts as unable to stop its attempts
MOST_LOG = 8 * 2**20  # a worker sends at most this many bytes of a log, the last ones
RUN = "ICSCHED_RUN"  # environment variable that marks the commands of a run
ATTEMPT = "ICSCHED_ATTEMPT"  # environment variable that marks the commands of an attempt
_ANSWER_S = 5.0  # timeout for answers of workers or the scheduler
_NO_ANSWER = (CancelledError, OSError, RuntimeError)  # raised if the client is closed meanwhile

Mark: TypeAlias = tuple[int, int]  # inode and time of a log, before anything is printed
Report: TypeAlias = tuple[Outcome, bytes]  # the outcome and the output


class DaskCrew:
    """The workers of a cluster. Each of their threads runs one attempt at a time."""

    def __init__(self, client: Client, terms: Terms) -> None:
        self._client = client
        self._shell = terms.shell
        self._is_own = terms.address is None  # we started the cluster, on this machine
        # Workers elsewhere do not share the files of this machine, or not their locks.
        self._recorder = terms.recorder if self._is_own else None
        self._session = uuid4().hex
        self._run = terms.recorder.run if terms.recorder else self._session
        self._threads, self._counted = 0, float("-inf")  # the time of the last count
        self._flying: dict[int, tuple[Future[Report], Attempt]] = {}
        self._given_up: set[int] = set()
        self._ended: SimpleQueue[int] = SimpleQueue()

    @property
    def size(self) -> int:
        """Number of attempts to keep in flight now: the threads of the cluster and a few more."""
        return self.workers + AHEAD

    @property
    def workers(self) -> int:
        """Number of attempts that can run at once now: the threads of the cluster."""
        if time.monotonic() - self._counted > REFRESH_S:
            try:
                self._threads = self._client.scheduler_info(n_workers=0)["total_threads"]
            except (OSError, KeyError) as error:
                raise EngineError(f"dask: the scheduler is lost: {error}") from None
            self._counted = time.monotonic()
        return self._threads

    def start(self, attempt: Attempt, /) -> None:
        """Begin an attempt, and return at once."""
        number = attempt.number
        key = f"attempt-{number}-{self._session}"
        variables = (*attempt.work.environment, (ATTEMPT, key), (RUN, self._run))
        # An absolute path; links are not resolved.
        directory = os.path.abspath(attempt.work.directory or ".")  # noqa: PTH100
        work = replace(attempt.work, directory=directory, environment=variables)
        attempt.log.parent.mkdir(parents=True, exist_ok=True)
        open_log(attempt.log).close()
        sent = replace(attempt, work=work, log=attempt.log.absolute())
        request = sent, _mark_of(sent.log), key, self._shell, self._recorder
        future = self._client.submit(_portable("attempted"), request, key=key, fifo_timeout="0 ms")
        self._flying[number] = future, attempt
        future.add_done_callback(lambda _: self._ended.put(number))

    def ended(self, timeout: float | None, /) -> Sequence[Outcome]:
        """Wait until an attempt ends, and return all that ended; none after *timeout* seconds."""
        found: list[Outcome] = []
        with suppress(Empty):
            if self._flying:
                found += self._outcomes(self._ended.get(timeout=timeout))
            while True:
                found += self._outcomes(self._ended.get_nowait())
        return found

    def stop(self, number: int, /) -> None:
        """Stop an attempt, and kill its command."""
        if number not in self._flying:
            return
        future, _ = self._flying[number]
        self._client.cancel([future], reason="stopped")
        stop, given = _portable("stop"), (str(future.key),)
        self._asked(lambda: self._client.run(stop, given, on_error="ignore"))

    def give_up(self, number: int, /) -> None:
        """End an attempt of a worker that is silent; other workers enforce time limits themselves.

        A worker on this machine is killed with all processes of its command, and Dask starts
        another worker. A worker on another machine is removed from the scheduler.
        """
        if number not in self._flying:
            return
        future, _ = self._flying[number]

        async def forget(worker: str, dask_scheduler: Any) -> None:
            await dask_scheduler.remove_worker(worker, stimulus_id="icsched-time-limit")

        silent = _portable_silent()
        worker = self._asked(lambda: self._client.run_on_scheduler(silent, future.key, SILENT_S))
        if worker is None:  # the worker enforces the limit itself, or even the scheduler is silent
            return
        self._given_up.add(number)
        if self._is_own:
            for process in self._processes(worker):
                kill_with_descendants(process)
        else:
            self._client.cancel([future], reason="stopped")
            self._asked(lambda: self._client.run_on_scheduler(forget, worker))

    def end_leftovers(self) -> None:
        """Kill commands of this run that a killed server has left on the workers."""
        self._client.run(_portable("end_commands"), (RUN, self._run), on_error="ignore")

    def close(self) -> None:
        """Stop all running attempts, and on this machine all processes that they have started."""
        grace_s = 0.0 if self._flying else GRACE_S  # attempts that were stopped have it
        for number in list(self._flying):
            self.stop(number)
        if self._is_own:
            end_below(self._processes(), grace_s)

    def _processes(self, address: str | None = None) -> list[int]:
        """Return the processes of the workers on this machine, or of the one at *address*."""
        cluster: Any = self._client.cluster
        nannies = cluster.workers.values()
        return [one.pid for one in nannies if one.pid and address in (None, one.worker_address)]

    def _asked(self, ask: Callable[[], Any]) -> Any:
        """Return the answer of workers or of the scheduler; None if they are silent for a while."""
        answers: list[Any] = []

        def wait() -> None:
            with suppress(*_NO_ANSWER):
                answers.append(ask())

        thread = Thread(target=wait, daemon=True)
        thread.start()
        thread.join(_ANSWER_S)
        return answers[0] if answers else None

    def _outcomes(self, number: int) -> Iterator[Outcome]:
        """Yield the outcome of an attempt, once."""
        if number in self._flying:
            future, attempt = self._flying.pop(number)
            outcome = _outcome(attempt, future)
            if number in self._given_up and outcome.is_lost:
                outcome = Outcome(number, outcome.seconds, stopped_at(attempt.time_limit))
            yield outcome


def _portable(name: str) -> Callable[[tuple[Any, ...]], Any]:
    """Return a function for workers, which calls the function below with this name on a tuple.

    Its code is sent, so that a worker without icsched does not crash.
    """

    def call(given: tuple[Any, ...]) -> Any:
        from icsched.run import dask_crew

        return getattr(dask_crew, name)(*given)

    return call


def _portable_silent() -> Callable[..., str | None]:
    def silent(key: str, seconds: float, dask_scheduler: Any) -> str | None:
        """Return the address of the worker that has a task, if the worker is silent too long."""
        from distributed.metrics import time
        from distributed.scheduler import heartbeat_interval

        task = dask_scheduler.tasks.get(key)
        worker = task and task.processing_on
        if worker is None:
            return None
        patience = max(seconds, 3 * heartbeat_interval(len(dask_scheduler.workers)))
        return worker.address if time() - worker.last_seen > patience else None

    return silent


def _outcome(attempt: Attempt, future: Future[Report]) -> Outcome:
    from distributed import CancelledError
    from distributed.scheduler import KilledWorker

    try:
        outcome, printed = future.result()
    except CancelledError:
        return Outcome(attempt.number, 0.0, "stopped", is_lost=True)
    except KilledWorker:
        return Outcome(attempt.number, 0.0, "its worker died", is_lost=True)
    except Exception as error:  # for example, the disk of a worker is full
        return Outcome(attempt.number, 0.0, problem_of(error))
    finally:
        future.release()
    if printed:  # by a worker elsewhere, which cannot write to the log itself
        with open_log(attempt.log) as file:
            file.write(printed)
    return outcome


@contextmanager
def dask_workers(terms: Terms) -> Iterator[DaskCrew]:
    """Connect to the scheduler at `terms.address`, or start a cluster of processes here.

    A local cluster has one process for each of `terms.workers`, by default one for each core, and
    ends with the context. Raises EngineError if Dask is missing, or if the scheduler does not
    answer, has no workers, or has a worker without icsched; ArgumentError for terms that cannot be
    used together.
    """
    if terms.address is not None and terms.workers is not None:
        problem = "a number of workers cannot be used with an address"
        raise ArgumentError(f"engine dask: {problem}")
    with _client(terms) as client:
        check_workers(client)
        crew = DaskCrew(client, terms)
        crew.end_leftovers()
        try:
            yield crew
        finally:
            crew.close()


def _client(terms: Terms) -> AbstractContextManager[Client]:
    if terms.address is not None:
        return connected(terms.address, terms.tell)
    try:
        import distributed  # noqa: F401  the next line may have been imported before

        from icsched.run.dask_cluster import private_cluster
    except ImportError as error:
        raise not_installed("dask.distributed", "dask") from error
    return private_cluster(terms.count_workers())


# Functions for workers

_stopped: set[str] = set()  # attempts that must not start any more


def attempted(
    attempt: Attempt, mark: Mark | None, token: str, shell: bool, recorder: WorkerRecorder | None
) -> Report:
    """Run one attempt; return its outcome, and its output if its log is not on the worker.

    *mark* identifies the log that the sender made. A success is recorded with *recorder* before it
    is reported.
    """
    if token in _stopped:
        return Outcome(attempt.number, 0.0, "stopped"), b""
    if recorder is not None:
        adopt()  # a worker only for this run, which runs one command at a time
        recorder.begin()
        if recorder.is_completed(attempt.task):  # Dask lost the result together with the worker
            return Outcome(attempt.number, 0.0, "its worker died after its end", is_lost=True), b""
    with tempfile.TemporaryDirectory() as folder:
        is_shared = mark is not None and _mark_of(attempt.log) == mark
        place = attempt.log if is_shared else Path(folder, "log")
        seconds, problem = run_command(attempt.work, place, attempt.time_limit, shell)
        if recorder is not None and problem is None:
            recorder.end(attempt.number, seconds)
        return Outcome(attempt.number, seconds, problem), b"" if is_shared else _end_of(place)


def stop(token: str) -> None:
    """Kill the command of an attempt, now or when it starts; returns at once."""
    _stopped.add(token)
    Thread(target=end_commands, args=(ATTEMPT, token, GRACE_S), daemon=True).start()


def end_commands(variable: str, value: str, start_s: float = 0.0) -> None:
    """End the commands of this worker that have a variable: SIGTERM, SIGKILL after `GRACE_S`.

    A command that is about to start may have no process yet, so look for *start_s* at least.
    """
    asked: set[int] = set()
    began = time.monotonic()
    while (found := set(_groups(variable, value))) or time.monotonic() - began < start_s:
        is_late = time.monotonic() - began > GRACE_S
        for group in found if is_late else found - asked:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL if is_late else signal.SIGTERM)
        asked |= found
        time.sleep(0.1)


def _groups(variable: str, value: str) -> Iterator[int]:
    """Yield the commands of this worker that have a variable; each leads a process group."""
    import psutil  # type: ignore[import-untyped]  # Dask needs it too

    for child in psutil.Process().children():
        with suppress(psutil.Error):
            is_own = child.environ().get(variable) == value
            if is_own and os.getpgid(child.pid) == child.pid:
                yield child.pid


def _mark_of(log: Path) -> Mark | None:
    """Return a mark that identifies a file; None if there is no file."""
    with suppress(OSError):
        status = log.stat()
        return status.st_ino, status.st_mtime_ns
    return None


def _end_of(log: Path) -> bytes:
    if not log.exists():
        return b""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - MOST_LOG))
        return file.read()
