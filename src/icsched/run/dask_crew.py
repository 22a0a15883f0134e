"""Dask as an engine of `icsched run`: the workers of a cluster run commands."""

from __future__ import annotations

import os
import signal
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from icsched.errors import ArgumentError, not_installed
from icsched.messages import problem_of
from icsched.run.crew import Attempt, Outcome, Terms
from icsched.run.dask_client import (
    check_workers,
    client_of,
    connected,
    hush,
    silence,
    threads_of,
)
from icsched.run.dask_worker import ATTEMPT, LOST, RUN, mark_of
from icsched.run.descendants import GRACE_S, end_below, kill_with_descendants
from icsched.run.processes import open_log, start_tracker, stopped_at
from icsched.run.records import WorkerRecorder

if TYPE_CHECKING:
    from distributed import Client, Future

    from icsched.run.dask_worker import Report, Request

AHEAD = 2  # attempts in flight beyond the threads, so that no worker waits for the loop
REFRESH_S = 0.5  # how often the crew asks how large the cluster is
SILENT_S = 10.0  # since a worker was heard of; then it does not stop its attempts any more
_ANSWER_S = 5.0  # for workers, or a scheduler, to answer
_NO_ANSWER = (CancelledError, OSError, RuntimeError)  # if the client is closed meanwhile


class DaskCrew:
    """The workers of a cluster. Each thread of theirs runs one attempt at a time."""

    def __init__(self, client: Client, terms: Terms) -> None:
        self._client = client
        self._shell = terms.shell
        # Workers elsewhere do not share the files of this machine, or not with their locks.
        self._recorder = terms.recorder if terms.address is None else None
        self._session = uuid4().hex
        self._run = terms.recorder.run if terms.recorder else self._session
        self._threads, self._counted = 0, float("-inf")  # when they were counted
        self._flying: dict[int, tuple[Future[Report], Attempt]] = {}
        self._given_up: set[int] = set()
        self._ended: SimpleQueue[int] = SimpleQueue()
        self._is_own = terms.address is None  # the cluster, so that its workers are on this machine

    @property
    def size(self) -> int:
        """How many attempts to keep in flight now: some more than the cluster has threads."""
        return self.workers + AHEAD

    @property
    def workers(self) -> int:
        """How many attempts can run at once now: the threads of the cluster."""
        if monotonic() - self._counted > REFRESH_S:
            self._threads, self._counted = threads_of(self._client), monotonic()
        return self._threads

    def start(self, attempt: Attempt, /) -> None:
        """Begin an attempt, and return at once."""
        number = attempt.number
        key = f"attempt-{number}-{self._session}"
        request = _request(attempt, key, self._run, self._recorder, shell=self._shell)
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
        """End an attempt whose worker has been silent for a while; other workers keep their limits.

        A worker of this machine is killed with all that its command has started, and Dask starts
        another one. The scheduler forgets a worker of another machine.
        """
        if number not in self._flying:
            return
        future, _ = self._flying[number]
        silent, forget = _portable_silent(), _portable_forget()
        worker = self._asked(lambda: self._client.run_on_scheduler(silent, future.key, SILENT_S))
        if worker is None:  # it keeps its limit itself, or even the scheduler is silent
            return
        self._given_up.add(number)
        if self._is_own:
            for process in self._processes(worker):
                kill_with_descendants(process)
        else:
            self._client.cancel([future], reason="stopped")
            self._asked(lambda: self._client.run_on_scheduler(forget, worker))

    def end_leftovers(self) -> None:
        """Kill the commands of the same run that a killed server has left on the workers."""
        self._client.run(_portable("end_run"), (self._run,), on_error="ignore")

    def close(self) -> None:
        """Stop all attempts that still run, and on this machine all that attempts have started."""
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
            outcome = _outcome(number, future, attempt.log)
            if number in self._given_up and outcome.is_lost:
                outcome = Outcome(number, outcome.seconds, stopped_at(attempt.time_limit))
            yield outcome


def _request(
    attempt: Attempt, token: str, run: str, recorder: WorkerRecorder | None, *, shell: bool
) -> Request:
    """Return what a worker is told: paths without doubt, and how to know the log's file again."""
    work = replace(
        attempt.work,
        directory=os.path.abspath(attempt.work.directory or "."),  # noqa: PTH100  links stay
        environment=(*attempt.work.environment, (ATTEMPT, token), (RUN, run)),
    )
    attempt.log.parent.mkdir(parents=True, exist_ok=True)
    open_log(attempt.log).close()
    log = str(attempt.log.absolute())
    record = None if recorder is None else (recorder, attempt.number, attempt.task)
    return work, log, mark_of(log), attempt.time_limit, shell, token, record


def _portable(name: str) -> Callable[[tuple[Any, ...]], Any]:
    """Return what workers run: the function of `dask_worker` with that name, on a tuple.

    It is sent as code, so that a worker without icsched survives.
    """

    def call(given: tuple[Any, ...]) -> Any:
        from icsched.run import dask_worker

        return getattr(dask_worker, name)(*given)

    return call


def _portable_silent() -> Callable[..., str | None]:
    def silent(key: str, seconds: float, dask_scheduler: Any) -> str | None:
        """Return the address of the worker that has a task, if it has been silent for so long."""
        from distributed.metrics import time
        from distributed.scheduler import heartbeat_interval

        task = dask_scheduler.tasks.get(key)
        worker = task and task.processing_on
        if worker is None:
            return None
        patience = max(seconds, 3 * heartbeat_interval(len(dask_scheduler.workers)))
        return worker.address if time() - worker.last_seen > patience else None

    return silent


def _portable_forget() -> Callable[..., Any]:
    async def forget(worker: str, dask_scheduler: Any) -> None:
        await dask_scheduler.remove_worker(worker, stimulus_id="icsched-time-limit")

    return forget


def _outcome(number: int, future: Future[Report], log: Path) -> Outcome:
    from distributed import CancelledError
    from distributed.scheduler import KilledWorker

    try:
        seconds, problem, printed = future.result()
    except CancelledError:
        return Outcome(number, 0.0, "stopped", is_lost=True)
    except KilledWorker:
        return Outcome(number, 0.0, "its worker died", is_lost=True)
    except Exception as error:  # such as a worker's disk that is full
        return Outcome(number, 0.0, problem_of(error))
    finally:
        future.release()
    if printed:  # by a worker elsewhere, which cannot write to the log itself
        with open_log(log) as file:
            file.write(printed)
    return Outcome(number, seconds, problem, is_lost=problem == LOST)


@contextmanager
def dask_workers(terms: Terms) -> Iterator[DaskCrew]:
    """Connect to the scheduler at `terms.address`, or start a cluster of processes here.

    A cluster of its own has one process for each of `terms.workers`, by default one for each core.
    It ends with the context. Raises EngineError if Dask is missing, or if the scheduler does not
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
    return _cluster(terms) if terms.address is None else connected(terms.address, terms.tell)


@contextmanager
def _cluster(terms: Terms) -> Iterator[Client]:
    try:
        import dask
        import distributed  # noqa: F401  the next line may have been imported before

        from icsched.run.dask_cluster import private_cluster, private_files
    except ImportError as error:
        raise not_installed("dask.distributed", "dask") from error
    # The loop counts losses, so Dask must not start an attempt again on its own.
    settings: dict[str, Any] = {"distributed.scheduler.allowed-failures": 0}
    count = terms.count_workers()
    with silence(), dask.config.set(settings), private_files():
        with _deaf_to_ctrl_c():
            cluster = private_cluster(count)
        with cluster, client_of(cluster) as client:
            client.register_worker_callbacks(hush)  # a worker that is stopped complains
            yield client


@contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Hold Ctrl-C back in threads that are started meanwhile, and in all that these start.

    A terminal sends it to the workers too, which would print tracebacks; it is the loop's business.
    """
    start_tracker()  # else the thread that starts it hears Ctrl-C again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
