"""Priorities for Dask's own scheduler: an approximation of an order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any

from icsched.engines.dask.graphs import seconds_of, tasks_of
from icsched.orders import prioritize
from icsched.pebble import Order, RunTimes


def static_priorities(
    graph: Any, *, order: str | Order = "auto", run_times: RunTimes | None = None
) -> Callable[[Hashable], int]:
    """Return a function from keys of *graph* to priorities, bigger first; 0 for all other keys.

    Give it to Dask: ``client.compute(delayed, priority=...)``, or ``client.get(graph, keys,
    priority=...)``. *graph*, *order* and *run_times* are as for `compute`. Dask follows priorities
    only in part, and only if its scheduler was started with the setting
    ``distributed.scheduler.rootish-taskgroup: 0``. `compute` keeps the order. Dask cannot fuse
    arrays that have a priority by key.

    >>> graph = {"a": (int, 1), "b": (int, 2), "c": (abs, "b"), "d": (abs, "b")}
    >>> priority = static_priorities(graph, order="prio")
    >>> sorted(graph, key=priority, reverse=True), priority("other")
    (['b', 'a', 'c', 'd'], 0)
    """
    tasks = tasks_of(graph)
    seconds = seconds_of(tasks, run_times)
    plan = prioritize(tasks.dag(), order, run_times=seconds)
    # The scheduler calls it, and may have no icsched.
    priorities: defaultdict[Any, int] = defaultdict(int, plan.priorities)
    return priorities.__getitem__
