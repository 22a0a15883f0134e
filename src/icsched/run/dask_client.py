"""A connection to a scheduler of Dask, without log messages of Dask."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from icsched.errors import EngineError, not_installed

if TYPE_CHECKING:
    from distributed import Client

CONNECT_S = 30  # timeout for an answer of the scheduler, Dask's own; machines may be busy
WORKERS_S = 60  # timeout for the first worker of a cluster

_AUTHENTICATED = ("tls", "wss")  # protocols by which both sides show a certificate


@contextmanager
def connected(address: str, tell: Callable[[str], None]) -> Iterator[Client]:
    """Connect to the scheduler at *address*, and wait for its first worker.

    *tell* gets one line if the connection is not authenticated. Raises EngineError if Dask is
    missing, or if the scheduler does not answer or has no workers.
    """
    try:
        import distributed  # noqa: F401  parts of it may have been imported before
        from distributed.comm.addressing import get_address_host_port, normalize_address
        from distributed.security import Security
        from distributed.versions import VersionMismatchWarning
    except ImportError as error:
        raise not_installed("dask.distributed", "dask") from error
    with silence():
        try:
            # Before a client is made: an incomplete client complains at exit.
            get_address_host_port(address)
            has_certificates = Security().get_connection_args("client")["ssl_context"] is not None
            if address.startswith("tls://") and not has_certificates:
                where = "distributed.comm.tls of Dask's configuration"
                raise ValueError(f"expected certificates in {where}")
            with warnings.catch_warnings():
                # Versions are checked on the workers, where a difference is an error.
                warnings.simplefilter("ignore", VersionMismatchWarning)
                client = client_of(address, timeout=CONNECT_S)
        except (OSError, ValueError) as error:
            raise EngineError(f"dask: no scheduler at {address}: {error}") from None
        with client:
            _tell_of_protocol(normalize_address(address), tell)
            try:
                client.wait_for_workers(1, timeout=WORKERS_S)
            except TimeoutError:
                raise EngineError(f"dask: no worker at {address} after {WORKERS_S} s") from None
            yield client


def client_of(where: Any, **options: Any) -> Client:
    """Return a client of a cluster, or of the scheduler at an address.

    If Ctrl-C interrupts a client of Dask while it connects, the client is incomplete. When Python
    ends, the client would try to close, and wait for a thread that has ended.
    """
    from distributed import Client

    class Interruptible(Client):
        def start(self, **kwargs: Any) -> None:
            try:
                super().start(**kwargs)  # type: ignore[no-untyped-call]
            except BaseException:
                with suppress(TimeoutError):  # the first error counts
                    self.close()  # type: ignore[no-untyped-call]
                raise

    return Interruptible(where, set_as_default=False, **options)  # type: ignore[no-untyped-call]


def _tell_of_protocol(address: str, tell: Callable[[str], None]) -> None:
    """Warn that everybody can use a scheduler whose protocol does not require a certificate."""
    if address.partition("://")[0] not in _AUTHENTICATED:
        risk = "whoever reaches this cluster can run commands on it"
        hint = "set up TLS for Dask, and use a tls:// address"
        tell(f"dask: the connection to {address} is not authenticated: {risk}: {hint}")


@contextmanager
def silence() -> Iterator[None]:
    """Keep Dask from logging: it prints a traceback before icsched gets the error."""
    levels = hush()
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def hush() -> dict[str, int]:
    """Keep Dask from logging in this process; return the levels from before, by logger.

    Tornado runs Dask's callbacks, and logs a traceback if Ctrl-C comes when Dask starts to wait.
    """
    names = [
        name
        for name in logging.root.manager.loggerDict
        if f"{name}.".startswith("distributed.") or name == "tornado.application"
    ]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:  # some loggers have their own levels
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return levels


def check_workers(client: Client) -> None:
    """Raise EngineError if a worker lacks icsched, naming the worker.

    The function that a worker runs for this must not need icsched.
    """
    found = client.run(version, "icsched", on_error="return")
    for worker, answer in sorted(found.items()):
        if isinstance(answer, Exception):
            raise EngineError(f"dask: worker {worker}: expected icsched installed, got {answer}")
