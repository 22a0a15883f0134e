"""A cluster of Dask on this machine that no other user can enter.

Everybody who connects to a scheduler, a worker or a nanny of Dask can make it run code. So all of
them require the certificate of this cluster, whose key is only in the memory of their processes.
Dask's HTTP servers do not require a certificate, so this cluster does not start them. Python
imports modules from the directory in which Dask keeps files, so this cluster has a private
directory.
"""

from __future__ import annotations

import logging
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import dask
from distributed import Client, Nanny, Scheduler, Security, SpecCluster, Worker
from distributed.system import MEMORY_LIMIT

from icsched.errors import EngineError, not_installed
from icsched.files.temporary import temporary_directory
from icsched.run.dask_client import client_of, hush, silence
from icsched.run.processes import held_signal, start_tracker

_DIRECTORY = "temporary-directory"  # Dask's setting for where its servers keep files


class QuietScheduler(Scheduler):
    """A scheduler without an HTTP server, which Dask starts even without a dashboard."""

    def start_http_server(self, *_: object, **__: object) -> None:
        """Start nothing."""


class QuietWorker(Worker):
    """A worker without an HTTP server."""

    def start_http_server(self, *_: object, **__: object) -> None:
        """Start nothing."""


@contextmanager
def private_cluster(workers: int) -> Iterator[Client]:
    """Start a scheduler in this process, and *workers* processes of one thread each.

    Raises EngineError if the package cryptography is missing, or if no directory can be made.
    """
    try:
        security = Security.temporary()
    except ImportError as error:
        raise not_installed("cryptography", "dask") from error
    shared = {"host": "127.0.0.1", "protocol": "tls://", "security": security}
    own: dict[str, Any] = {"worker_class": QuietWorker, "nthreads": 1, "silence_logs": logging.WARN}
    worker = {"cls": Nanny, "options": shared | own | {"memory_limit": MEMORY_LIMIT // workers}}
    # The loop counts losses, so Dask must not restart an attempt.
    settings = {"distributed.scheduler.allowed-failures": 0}
    with silence(), dask.config.set(settings), private_files():
        start_tracker()  # otherwise the starting thread receives Ctrl-C again
        # A terminal also sends SIGINT to the workers, which would print tracebacks; the loop
        # handles it.
        with held_signal(signal.SIGINT):
            cluster = SpecCluster(
                scheduler={"cls": QuietScheduler, "options": {**shared, "dashboard": False}},
                workers=dict.fromkeys(range(workers), worker),
                worker=worker,
                security=security,
                silence_logs=logging.WARN,
            )
        with cluster, client_of(cluster) as client:
            client.register_worker_callbacks(hush)  # a stopped worker complains
            yield client


@contextmanager
def private_files() -> Iterator[None]:
    """Make Dask keep files in a new private directory; raises EngineError.

    The directory is removed afterwards.
    """
    above = Path(dask.config.get(_DIRECTORY) or tempfile.gettempdir())
    made = ExitStack()
    try:
        above.mkdir(parents=True, exist_ok=True)
        _, folder = made.enter_context(temporary_directory(above))
    except OSError as error:
        raise EngineError(f"dask: cannot make a directory in {above}: {error.strerror}") from None
    with made:
        try:
            with dask.config.set({_DIRECTORY: str(folder)}):
                yield
        finally:
            shutil.rmtree(folder, ignore_errors=True)
