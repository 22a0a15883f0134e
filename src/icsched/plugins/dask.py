"""Dask (the extra ``dask``): its order, priorities for it, and cells of a study on its workers."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, replace
from functools import partial
from importlib.metadata import version
from numbers import Real
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from icsched.arrays import Ids
from icsched.dag import Dag
from icsched.errors import ArgumentError, EngineError, not_installed
from icsched.orders import NamedOrder, prioritize
from icsched.pebble import Order, RunTimes
from icsched.run.dask_client import check_workers, connected

if TYPE_CHECKING:
    from dask.task_spec import GraphNode
    from dask.typing import Key
    from distributed import Client

    from icsched.study.cells import Cell, CellResult, CellRunner, Results, Subject, Terms

    Nodes = Mapping[Key, GraphNode]
    Shipment = tuple[Subject, Terms, dict[str, str]]
    Place = tuple[float | None, float | None, int | None]
    PortableCell = Callable[[bytes, Place], CellResult]

_Task = TypeVar("_Task", str, int)
_MOST_NAMED = 12  # kinds of tasks, in a message
ALIKE = ("icsched", "numpy")  # must have the same version everywhere, or cells may differ


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


def dask_graph(parents_of: Mapping[_Task, Iterable[_Task]]) -> dict[_Task, Any]:
    """Return tasks and their parents as a graph for Dask; raises EngineError without dask.

    >>> list(dask_graph({"a": [], "b": ["a"]})["b"].dependencies)
    ['a']
    """
    try:
        from dask.task_spec import Task, TaskRef
    except ImportError as error:
        raise not_installed("dask", "dask") from error

    return {task: Task(task, max, *map(TaskRef, above)) for task, above in parents_of.items()}


def static_priorities(
    graph: Any, *, order: str | Order = "auto", run_times: RunTimes | None = None
) -> Callable[[Hashable], int]:
    """Return a function from keys of *graph* to priorities, bigger first; 0 for all other keys.

    Give it to Dask: ``client.compute(delayed, priority=...)``, or ``client.get(graph, keys,
    priority=...)``. *graph* is a collection of Dask (delayed, array, bag, dataframe), a list or
    tuple of them, or a graph of Dask. *order* and *run_times* are as for `icsched.prioritize`, and
    *run_times* by name may also name kinds of tasks: "inc" for all keys ``inc-...``.

    Dask follows priorities only in part, and only if its scheduler was started with the setting
    ``distributed.scheduler.rootish-taskgroup: 0``. Dask cannot fuse arrays that have a priority by
    key. Raises EngineError without Dask, ArgumentError for wrong arguments, CycleError for a graph
    that has a cycle.

    >>> graph = {"a": (int, 1), "b": (int, 2), "c": (abs, "b"), "d": (abs, "b")}
    >>> priority = static_priorities(graph, order="prio")
    >>> sorted(graph, key=priority, reverse=True), priority("other")
    (['b', 'a', 'c', 'd'], 0)
    """
    nodes = _nodes(graph)
    plan = prioritize(_dag(nodes), order, run_times=_seconds(nodes, run_times))
    # The scheduler calls it, and may have no icsched.
    return defaultdict(int, plan.priorities).__getitem__


def _nodes(graph: Any) -> Nodes:
    """Return the tasks of a graph, of a collection, or of a list of collections."""
    try:
        from dask._task_spec import convert_legacy_graph
        from dask.base import compute, is_dask_collection
    except ImportError as error:
        raise not_installed("dask.distributed", "dask") from error
    found: dict[Key, GraphNode] = {}
    if isinstance(graph, Mapping) and not is_dask_collection(graph):
        found.update(convert_legacy_graph(graph))
        return found
    if not (is_dask_collection(graph) or isinstance(graph, list | tuple)):
        expected = "a graph or a collection of Dask, or a list of collections"
        raise ArgumentError(f"graph: expected {expected}, got {type(graph).__name__}")

    def note(expression: Any, keys: Iterable[Key], **_: object) -> list[None]:
        found.update(convert_legacy_graph(expression.__dask_graph__()))
        return [None for _ in keys]

    compute(graph, scheduler=note)  # Dask optimises the collections, and computes nothing
    return found


def _dag(nodes: Nodes) -> Dag:
    """Return tasks as a dag, without results that a cluster has already; raises CycleError."""
    ids: dict[Any, int] = {name: number for number, name in enumerate(nodes)}
    # Dependencies are sets: the order of a set is another one in the next process.
    return Dag(
        {
            name: sorted((one for one in node.dependencies if one in ids), key=ids.__getitem__)
            for name, node in nodes.items()
        }
    )


def _seconds(nodes: Nodes, run_times: RunTimes | None) -> RunTimes | None:
    """Return the seconds of each task: its own, or those of its kind, as Dask names kinds.

    Only run times by name can name kinds; others are returned as they are. Data of the graph, and
    other names for results, take no time. Other tasks without run time get the mean of the given
    run times, because Dask makes tasks whose names a user does not know. Raises ArgumentError if
    the run times name neither a task nor a kind of the graph.
    """
    from dask.task_spec import Alias, DataNode
    from dask.utils import key_split

    if not isinstance(run_times, Mapping):
        return run_times
    found: dict[Hashable, float] = {}
    for name in nodes:
        seconds = run_times.get(name, run_times.get(key_split(name)))
        if seconds is not None:
            found[name] = seconds
    if nodes and not found:
        kinds = sorted({repr(key_split(name)) for name in nodes})
        expected = f"names of tasks, or of kinds: {_few(kinds)}"
        raise ArgumentError(f"run_times: expected {expected}; got {_few(map(repr, run_times))}")
    for task, seconds in found.items():
        if isinstance(seconds, Real) and not seconds >= 0:
            raise ArgumentError(f"run time of {task!r}: expected 0 or more, got {seconds}")
    numbers = [seconds for seconds in found.values() if isinstance(seconds, Real)]
    mean = fmean(numbers) if numbers else 0.0
    for name, node in nodes.items():
        found.setdefault(name, 0.0 if isinstance(node, Alias | DataNode) else mean)
    return found


def _few(words: Iterable[str]) -> str:
    """Return some words with commas."""
    listed = list(words)
    return ", ".join(listed[:_MOST_NAMED]) + (", ..." if len(listed) > _MOST_NAMED else "")


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
    # It has no names: they may be long, or of types that workers lack.
    nameless = Dag.from_arcs(len(subject.dag), subject.dag.arcs)
    sent: Shipment = replace(subject, dag=nameless), terms, _versions()
    shipment = client.submit(bytes, pickle.dumps(sent), pure=False)
    run = _portable_cell()
    waiting = [client.submit(run, shipment, astuple(cell), pure=False) for cell in cells]
    try:
        for future in as_completed(waiting, loop=client.loop):
            yield _result(future)
    finally:
        client.cancel([*waiting, shipment])


def _portable_cell() -> PortableCell:
    """Return the function that workers run; it is sent as code, because it has no name to import.

    A worker without icsched can receive it and its arguments. A worker that cannot receive a task
    dies.
    """

    def cell(shipment: bytes, place: Place) -> CellResult:
        from icsched.plugins.dask import received_cell

        return received_cell(shipment, place)

    return cell


def received_cell(shipment: bytes, place: Place) -> CellResult:
    """Compute a cell on a worker; raises EngineError if its versions differ from the sender's."""
    from icsched.study.cells import Cell, run_cell  # help loads this module only for its order

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

    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    try:
        result: CellResult = future.result()
    except ImportError as error:
        raise EngineError(f"dask: a worker: expected icsched installed, got {error}") from None
    except (CancelledError, KilledWorker) as error:
        reason = " ".join(str(error).split())  # on one line
        raise EngineError(f"dask: a cell was lost: {reason}") from None
    except CommClosedError as error:  # the scheduler ended while its answer came
        raise EngineError(f"dask: the scheduler is lost: {error}") from None
    return result
