"""Runs on a cluster of Dask in an order of icsched: a loop that keeps few tasks in flight.

Dask has no setting that makes it keep an order (`docs/dask.md`). What it was not given yet it
cannot run too early, so the loop gives it a few tasks more than its workers can run at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from icsched import checks
from icsched.engines.dask.connect import REFRESH_S, Room, threads_of
from icsched.engines.dask.graphs import (
    Tasks,
    computed,
    is_mapping,
    seconds_of,
    tasks_of_expression,
    tasks_of_mapping,
)
from icsched.errors import ArgumentError, EngineError
from icsched.orders import ORDERS, Plan, prioritize
from icsched.pebble import Order, RunTimes
from icsched.serve import Sorter
from icsched.sim import Workers

if TYPE_CHECKING:
    from dask.typing import Key
    from distributed import Client, Future


def compute(
    graph: Any,
    client: Client | None = None,
    *,
    order: str | Order = "auto",
    run_times: RunTimes | None = None,
    workers: int | None = None,
    results: Iterable[Key] | None = None,
) -> Any:
    """Compute *graph* on a cluster of Dask, and start its tasks in the order of icsched.

    *graph* is a collection of Dask (delayed, array, bag, dataframe), a list or tuple of them, or a
    mapping of calls. A collection gives what `dask.compute` gives for it. A mapping gives a dict
    with *results*, by default the results of the tasks without children.

    *client* is the client of the cluster; by default the one opened last. *order* and *run_times*
    are as for `icsched.prioritize`. *run_times* by name may also name kinds of tasks: "inc" for
    all keys ``inc-...``. There are 2 tasks more in flight than the cluster has threads, or than
    *workers*. The cluster may grow and shrink meanwhile.

    Results stay on the workers. A result is released when its last child is done. If a worker is
    lost, Dask computes again what was lost with it. If a task fails, its error is raised with a
    note that names the task, and what is in flight is cancelled; so it is after Ctrl-C.

    Raises EngineError without Dask or if its scheduler is lost, ArgumentError for wrong arguments,
    GraphError for a graph that has a cycle.
    """
    has_names = is_mapping(graph)
    if results is not None and not has_names:
        raise ArgumentError("results cannot be used with a collection of Dask, only with a mapping")
    if workers is not None:
        workers = checks.whole_number("workers", workers, least=1)
    run = partial(_run, _client(client), order=order, run_times=run_times, workers=workers)
    if not has_names:
        return computed(graph, partial(_scheduled, run))
    tasks = tasks_of_mapping(graph, results)
    return dict(zip(tasks.wanted, run(tasks), strict=True))


def _scheduled(run: Any, expression: Any, keys: Iterable[Key], **_: object) -> list[Any]:
    """Compute *keys*: what `dask.compute` calls with an optimised expression."""
    keys = list(keys)
    tasks = tasks_of_expression(expression, keys)
    found = dict(zip(tasks.wanted, run(tasks), strict=True))
    return [found[key] for key in keys]


def _client(client: Client | None) -> Client:
    from distributed import Client, default_client

    if client is None:
        try:
            client = default_client()
        except ValueError:
            raise ArgumentError("client: none is given, and no Client of Dask is open") from None
    if not isinstance(client, Client) or client.asynchronous:
        raise ArgumentError("client: expected a Client of Dask that is not asynchronous")
    return client


def _run(
    client: Client,
    tasks: Tasks,
    *,
    order: str | Order,
    run_times: RunTimes | None,
    workers: int | None,
) -> list[Any]:
    """Run *tasks*; return what is wanted, in that order."""
    threads = threads_of(client) if workers is None else workers
    seconds = seconds_of(tasks, run_times)
    is_simulated = isinstance(order, str) and ORDERS.find(order).for_pool and threads > 0
    pool = Workers(threads) if is_simulated else None
    plan = prioritize(tasks.dag(), order, run_times=seconds, pool=pool)
    run = _Run(client, tasks, plan, workers)
    try:
        run.finish()
        return run.gathered()
    except BaseException:
        with suppress(OSError):  # if the scheduler is lost, nothing is in flight
            client.cancel(run.in_flight())
        raise
    finally:
        run.release()


class _Run:
    """One run of some tasks. `_futures` has the results that are held, and what is in flight."""

    def __init__(self, client: Client, tasks: Tasks, plan: Plan[Key], workers: int | None) -> None:
        self._client = client
        self._tasks = tasks
        self._wanted = frozenset(tasks.wanted)
        self._room = Room(client, workers)
        self._sorter: Sorter[Key] = Sorter(plan.dag, order=plan)
        self._keys = _unique_keys(tasks.nodes)
        self._names = {key: name for name, key in self._keys.items()}
        self._children = Counter(above for name in tasks.nodes for above in tasks.parents(name))
        self._futures: dict[Key, Future[Any]] = {}
        self._flying: set[Key] = set()
        self._ended: SimpleQueue[Future[Any]] = SimpleQueue()

    def finish(self) -> None:
        """Run all tasks."""
        self._sorter.prepare()
        while self._sorter.is_active():
            for name in self._sorter.take(max(0, self._room.now() - len(self._flying))):
                self._start(name)
            self._wait()

    def gathered(self) -> list[Any]:
        """Return what is wanted, once all tasks are done."""
        from distributed import Future

        held = [
            self._futures.get(name) or Future(name, self._client) for name in self._tasks.wanted
        ]
        found: list[Any] = self._client.gather(held)
        return found

    def in_flight(self) -> list[Future[Any]]:
        """Return the futures of tasks that were started and are not known to have ended."""
        return [self._futures[name] for name in self._flying]

    def release(self) -> None:
        """Let go of all results."""
        for future in self._futures.values():
            future.release()
        self._futures.clear()

    def _start(self, name: Key) -> None:
        keys, terms = self._keys, self._tasks.terms.get(name, {})
        node = self._tasks.nodes[name]
        node = node.substitute({above: keys[above] for above in self._tasks.parents(name)})
        function, arguments = _call(node)
        future = self._client.submit(
            function, *arguments, key=keys[name], fifo_timeout="0 ms", **terms
        )
        self._futures[name] = future
        self._flying.add(name)
        future.add_done_callback(self._ended.put)

    def _wait(self) -> None:
        """Wait until a task ends, or until it is time to look at the cluster again."""
        try:
            self._settle(self._ended.get(timeout=REFRESH_S))
            while True:
                self._settle(self._ended.get_nowait())
        except Empty:
            return

    def _settle(self, future: Future[Any]) -> None:
        name = self._names[future.key]
        # A result may be lost again by now: Dask then computes it before its children.
        if future.status in ("error", "cancelled"):
            raise _failure(name, future)
        self._flying.discard(name)
        self._sorter.done(name)
        for above in self._tasks.parents(name):
            self._children[above] -= 1
            self._release_unneeded(above)
        self._release_unneeded(name)

    def _release_unneeded(self, name: Key) -> None:
        if not self._children[name] and name not in self._wanted:
            self._futures.pop(name).release()


def _unique_keys(names: Iterable[Key]) -> dict[Key, Key]:
    """Return a key of this run alone for each task; a cluster may know the user's names already.

    Dask takes the words before the numbers as the kind of the task, as it does for its own keys.
    """
    from dask.utils import key_split

    run = uuid4().hex
    return {name: f"{key_split(name)}-{number}-{run}" for number, name in enumerate(names)}


def _call(node: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return a function and arguments for `Client.submit`.

    The task goes as an argument, which Dask computes before the call. `submit` would take named
    arguments of a task for its own, and look for tasks inside the arguments of a fused task. A
    coroutine is awaited only if Dask sees that the function is one.
    """
    from toolz import identity  # type: ignore[import-untyped]

    if node.is_coro:
        return node.func, node.args
    return identity, (node,)


def _failure(name: Key, future: Future[Any]) -> BaseException:
    """Return why a task has no result: the task's own error, with a note that names the task."""
    from distributed import CancelledError

    try:
        future.result()
    except CancelledError as error:
        reason = " ".join(str(error).split())
        return EngineError(f"dask: task {name!r} was lost: {reason}")
    except Exception as error:  # the user's, raised with its traceback
        error.add_note(f"dask: task {name!r} failed")
        return error
    return EngineError(f"dask: task {name!r} ended as {future.status}")
