"""A million tasks through get_ready/done: Sorter against graphlib in the same run.

The graph has layers of equal width; each task has three parents in the layer before. Each round
takes all that is ready and finishes it. The width matters: narrow graphs measure the cost of a
call, wide graphs the cost of a task.
"""

import graphlib
import time

import numpy as np
from harness import show

from icsched import Dag, Sorter

TASKS = 1_000_000


def layered(width: int) -> dict[str, list[str]]:
    names = [f"task{i}" for i in range(TASKS)]
    draws = np.random.default_rng(0).integers(0, width, (TASKS, 3)).tolist()
    return {
        name: [names[i - i % width - width + p] for p in set(draws[i])] if i >= width else []
        for i, name in enumerate(names)
    }


def phases(make: object, graph: object) -> tuple[float, float]:
    """Seconds to make and prepare a sorter, and to run it to the end."""
    start = time.perf_counter()
    sorter = make(graph)
    sorter.prepare()
    prepared = time.perf_counter()
    while sorter.is_active():
        sorter.done(*sorter.get_ready())
    return prepared - start, time.perf_counter() - prepared


def main() -> None:
    rows = []
    for width in (1, 10, 100, 1_000, 100_000):
        graph = layered(width)
        dag = Dag(graph)
        order = dag.fifo_order
        peer = phases(graphlib.TopologicalSorter, graph)
        for label, make, source in (
            ("mapping", Sorter, graph),
            ("Dag", Sorter, dag),
            ("Dag, ranked", lambda d, o=order: Sorter(d, order=o), dag),
        ):
            ours = phases(make, source)
            rows.append(
                [f"{width} from {label}", *peer, *ours, peer[1] / ours[1], sum(peer) / sum(ours)]
            )
    head = [
        "width",
        "graphlib prepare s",
        "loop s",
        "Sorter prepare s",
        "loop s",
        "loop x",
        "all x",
    ]
    show(f"{TASKS:,} tasks through get_ready/done", head, rows)


if __name__ == "__main__":
    main()
