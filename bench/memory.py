"""Memory: the time and area that low-memory orders and limits cost, beside dask and depth first.

Times are the best of three and include the order of `prioritize` if a function needs it. Memory is
the largest number of open results. Area is the sum of the eligible counts, divided by that of
`prioritize`. Dask orders Task objects with string keys, under one hash seed, in a process of its
own that is stopped after a time. All its tasks run, by its priorities. Nothing is asserted.
"""

import argparse
import multiprocessing
from collections.abc import Mapping, Sequence

import numpy as np
from harness import seconds, show
from order import SPARSE, limit_memory, parents_by_name

from icsched import Dag, Schedule, families, order_within, prioritize
from icsched.errors import MemoryLimitError
from icsched.theory import lean_order
from icsched.theory.memory import depth_first_order

DASK_S = 15
FAMILIES = {
    **SPARSE,
    "mesh": lambda tasks: families.mesh(round((2 * tasks) ** 0.5)),
    "fft": lambda tasks: families.fft(int(np.log2(tasks / np.log2(tasks)))),
    "tree": lambda tasks: families.tree(int(np.log2(tasks)) - 1),
}


def dask_order(dag: Dag) -> list[int] | None:
    """Tasks by dask's priority; None if it takes too long or too much memory."""
    with multiprocessing.get_context("fork").Pool(1, limit_memory) as pool:
        try:
            return pool.apply_async(dask_order_here, (dag,)).get(DASK_S)
        except (multiprocessing.TimeoutError, MemoryError):
            return None


def dask_order_here(dag: Dag) -> list[int]:
    from dask.order import order  # here, so that the other processes do not load dask
    from dask.task_spec import Task, TaskRef

    by_name = parents_by_name(dag)
    graph = {name: Task(name, max, *map(TaskRef, above)) for name, above in by_name.items()}
    place = order(graph)
    return sorted(range(len(dag)), key=lambda task: place[f"task-{task}"])


def orders(dag: Dag, *, dask: bool) -> Mapping[str, Sequence[int] | None]:
    best = prioritize(dag, "prio").order
    ones = np.ones(len(dag), np.int64)
    return {
        "prio": best,
        "lean": lean_order(dag, best),
        "half": half(dag).order,
        "fifo": dag.fifo_order,
        "depth-first": depth_first_order(dag, ones),
        "dask": dask_order(dag) if dask else None,
    }


def half(dag: Dag):
    """Order within half of what the low-memory order needs, or the least that is found."""
    limit = max(1, Schedule(dag, lean_order(dag, prioritize(dag, "prio").order)).peak_memory // 2)
    try:
        return order_within(dag, limit)
    except MemoryLimitError as error:
        return order_within(dag, error.least)


def show_orders(tasks: int, *, dask: bool) -> None:
    rows = []
    for family, make in FAMILIES.items():
        dag = make(tasks)
        row: list[object] = [family, len(dag)]
        known = orders(dag, dask=dask)
        full = Schedule(dag, known["prio"]).area
        for order in known.values():
            if order is None:
                row += ["", ""]
            else:
                schedule = Schedule(dag, order)
                row += [schedule.peak_memory, schedule.area / full]
        rows.append(row)
    head = [cell for name in known for cell in (name, "area")]
    show(f"memory and area at {tasks:,} tasks", ["dag", "tasks", *head], rows)


def show_times(sizes: Sequence[int]) -> None:
    rows = []
    for family, make in FAMILIES.items():
        for tasks in sizes:
            dag = make(tasks)
            best = prioritize(dag, "prio").order
            limit = half(dag).limit
            prio_s = seconds(lambda d=dag: prioritize(d, "prio"))
            lean_s = seconds(lambda d=dag, o=best: lean_order(d, o))
            within_s = seconds(lambda d=dag, m=limit: order_within(d, m))
            rows.append([family, len(dag), dag.arc_count, prio_s, lean_s, limit, within_s])
    head = ["dag", "tasks", "arcs", "prio s", "lean s", "limit", "within s"]
    show("seconds; `within` has the order of prio in it", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute")
    quick = parser.parse_args().quick
    show_orders(1_000 if quick else 10_000, dask=True)
    if not quick:
        show_orders(100_000, dask=True)
    show_times((1_000, 10_000) if quick else (10_000, 100_000, 1_000_000))


if __name__ == "__main__":
    main()
