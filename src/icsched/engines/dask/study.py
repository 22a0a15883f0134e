"""Cells of a study on a cluster of Dask."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, replace
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from icsched.dag import Dag
from icsched.engines.dask.connect import check_workers, connected
from icsched.errors import EngineError

if TYPE_CHECKING:
    from distributed import Client

    from icsched.study.cells import Cell, CellResult, CellRunner, Results, Subject, Terms

    Shipment = tuple[Subject, Terms, dict[str, str]]
    Place = tuple[float | None, float | None, int | None]
    PortableCell = Callable[[bytes, Place], CellResult]

ALIKE = ("icsched", "numpy")  # must have the same version everywhere, or cells may differ


@contextmanager
def study_cluster(
    address: str, *, tell: Callable[[str], None] = lambda _: None
) -> Iterator[CellRunner]:
    """Connect to the scheduler at *address*; yield what computes cells on its workers.

    The dag is sent once for all cells. If a worker is lost, Dask computes its cells on another.
    Closing an iterator of cells cancels the cells that wait. A cell that a worker is computing
    cannot be stopped, and ends by itself. *tell* gets one line if the connection is not
    authenticated. Raises EngineError if Dask is missing, or if the scheduler does not answer, is
    lost or has no workers. Raises it too if a worker, even one that joins later, has no icsched or
    has other versions than this process. Dask logs nothing meanwhile.
    """
    with connected(address, tell) as client:
        check_workers(client)
        yield partial(_cells, client)


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
        from icsched.engines.dask.study import received_cell

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
