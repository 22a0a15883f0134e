"""Dask (the extra ``dask``): its order to compare with, and a cluster to compute a study on."""

from __future__ import annotations

import logging
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, replace
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.errors import EngineError, not_installed
from icsched.orders import NamedOrder

if TYPE_CHECKING:
    from distributed import Client

    from icsched.study.cells import Cell, CellResult, CellRunner, Results, Subject, Terms

    Shipment = tuple[Subject, Terms, dict[str, str]]
    Place = tuple[float | None, float | None, int | None]
    PortableCell = Callable[[bytes, Place], CellResult]

CONNECT_S = 10  # how long to wait for a scheduler to answer
WORKERS_S = 60  # how long to wait for a cluster to have workers
ALIKE = ("icsched", "numpy")  # must have the same version everywhere, or cells may differ

Key = TypeVar("Key", str, int)


def dask_order(dag: Dag) -> Ids:
    """Return the order in which Dask would prefer to run the tasks of *dag*.

    The order is that of ``dask.order`` on tasks named by their ids, because Dask breaks ties by
    hash, and numbers have the same hash in every process. Raises EngineError without dask.

    >>> dask_order(Dag({"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]})).tolist()[::3]
    [0, 3]
    """
    graph = dask_graph({task: dag.parent_rows[task].tolist() for task in range(len(dag))})
    from dask.order import order

    ranks = order(graph)
    return np.array(sorted(ranks, key=ranks.__getitem__), np.int32)


DASK_ORDER = NamedOrder("dask", "as Dask would order the jobs", dask_order, extra="dask")


def dask_graph(parents_of: Mapping[Key, Iterable[Key]]) -> dict[Key, Any]:
    """Return tasks and their parents as a graph for Dask; raises EngineError without dask.

    >>> list(dask_graph({"a": [], "b": ["a"]})["b"].dependencies)
    ['a']
    """
    try:
        from dask.task_spec import Task, TaskRef
    except ImportError as error:
        raise not_installed("dask", "dask") from error

    return {task: Task(task, max, *map(TaskRef, above)) for task, above in parents_of.items()}


@contextmanager
def study_cluster(address: str) -> Iterator[CellRunner]:
    """Connect to the scheduler at *address*; yield what computes cells on its workers.

    The dag is sent once for all cells. If a worker is lost, Dask computes its cells on another.
    Closing an iterator of cells cancels the cells that wait. A cell that a worker is computing
    cannot be stopped, and ends by itself. Raises EngineError if Dask is missing, or if the
    scheduler does not answer, is lost or has no workers. Raises it too if a worker, even one that
    joins later, has no icsched or has other versions than this process. Dask logs nothing
    meanwhile.
    """
    with _connected(address) as client:
        yield partial(_cells, client)


@contextmanager
def _connected(address: str) -> Iterator[Client]:
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
        from distributed.versions import VersionMismatchWarning
    except ImportError as error:
        raise not_installed("dask.distributed", "dask") from error
    with _silence():
        try:
            get_address_host_port(address)  # else a half-made client complains at exit
            with warnings.catch_warnings():
                # Versions are checked where cells run, and a difference is an error there.
                warnings.simplefilter("ignore", VersionMismatchWarning)
                client = Client(address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError) as error:
            raise EngineError(f"dask: no scheduler at {address}: {error}") from None
        with client:
            try:
                client.wait_for_workers(1, timeout=WORKERS_S)
            except TimeoutError:
                raise EngineError(f"dask: no worker at {address} after {WORKERS_S} s") from None
            _check_workers(client)
            yield client


@contextmanager
def _silence() -> Iterator[None]:
    """Keep Dask from logging: it prints a traceback before we get the error."""
    names = [
        name for name in logging.root.manager.loggerDict if f"{name}.".startswith("distributed.")
    ]
    levels = {name: logging.getLogger(name).level for name in names}
    for name in names:  # some have levels of their own
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def _check_workers(client: Client) -> None:
    """Raise EngineError if a worker lacks icsched, before cells are sent, naming the worker.

    The function that a worker runs for this must not need icsched.
    """
    found = client.run(version, "icsched", on_error="return")
    for worker, answer in sorted(found.items()):
        if isinstance(answer, Exception):
            raise EngineError(f"dask: worker {worker}: expected icsched installed, got {answer}")


def _cells(client: Client, subject: Subject, cells: Iterable[Cell], terms: Terms) -> Results:
    from distributed import as_completed

    # A task, not scattered data: scattered data is gone once the last worker that holds it is lost.
    shipment = client.submit(bytes, _packed(subject, terms), pure=False)
    run = _portable_cell()
    waiting = [client.submit(run, shipment, astuple(cell), pure=False) for cell in cells]
    try:
        for future in as_completed(waiting, loop=client.loop):
            yield _result(future)
    finally:
        client.cancel([*waiting, shipment])


def _packed(subject: Subject, terms: Terms) -> bytes:
    """Return what cells need, without names: they may be long, or of types that workers lack."""
    nameless = Dag.from_arcs(len(subject.dag), subject.dag.arcs)
    shipment: Shipment = replace(subject, dag=nameless), terms, _versions()
    return pickle.dumps(shipment)


def _portable_cell() -> PortableCell:
    """Return the function that workers run; it is sent as code, because it has no name to import.

    A worker without icsched can receive it and its arguments. A worker that cannot receive a task
    dies.
    """

    def cell(shipment: bytes, place: Place) -> CellResult:
        from icsched.engines.dask import received_cell

        return received_cell(shipment, place)

    return cell


def received_cell(shipment: bytes, place: Place) -> CellResult:
    """Compute a cell on a worker; raises EngineError if its versions differ from the sender's."""
    from icsched.study.cells import Cell, run_cell  # help loads this module for its order alone

    subject, terms, expected = pickle.loads(shipment)  # noqa: S301  as Dask itself does
    found = _versions()
    for package, wanted in expected.items():
        if found[package] != wanted:
            problem = f"expected {package} {wanted}, as here, got {found[package]}"
            raise EngineError(f"dask: a worker: {problem}")
    return run_cell(subject, Cell(*place), terms)


def _versions() -> dict[str, str]:
    return {package: version(package) for package in ALIKE}


def _result(future: Any) -> CellResult:
    from concurrent.futures import CancelledError

    from distributed.scheduler import KilledWorker

    try:
        result: CellResult = future.result()
    except ImportError as error:
        raise EngineError(f"dask: a worker: expected icsched installed, got {error}") from None
    except (CancelledError, KilledWorker) as error:
        reason = " ".join(str(error).split())  # on one line
        raise EngineError(f"dask: a cell was lost: {reason}") from None
    return result
