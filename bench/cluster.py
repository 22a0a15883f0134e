"""Clusters: arrivals per second at a million tasks, and the arcs that each clusterer cuts.

A server is prepared once: the order, the blocks, and whether the dag is a universal donor. Then
workers of each power arrive for a while. Each cluster is done before the next is asked for.
Cut arcs are those of a whole plan, all clusters together.
"""

import argparse
import time
from collections.abc import Callable, Mapping

from harness import show
from order import SPARSE

from icsched import ClusterServer, Dag, families, plan_clusters
from icsched.errors import ClusterError

FAMILIES: Mapping[str, Callable[[int], Dag]] = {
    **SPARSE,
    "in-mesh": lambda tasks: families.mesh(int((2 * tasks) ** 0.5)),
    "out-mesh": lambda tasks: families.mesh(int((2 * tasks) ** 0.5)).dual(),
    "out-tree": lambda tasks: families.out_tree(tasks.bit_length() - 2),
}
SCIENTIFIC = {
    "airsn": families.airsn(),
    "inspiral": families.inspiral(),
    "montage": families.montage(),
    "sdss": families.sdss(200),
    "fft 9": families.fft(9),
    "in-mesh 60": families.mesh(60),
    "in-tree 11": families.tree(11),
    "fig. 6": families.cordasco2011_fig6(),
}
POWERS = (10, 100, 1000)
NAMES = ("direct", "staggered", "donor", "lean", "auto")


def served(dag: Dag, clusterer: str, most_s: float) -> list[object]:
    """Seconds to prepare, then arrivals per second at each capacity, for *most_s* seconds each."""
    start = time.perf_counter()
    server = ClusterServer(dag, clusterer=clusterer)
    prepare_s = time.perf_counter() - start
    return [server.clusterer, prepare_s, *(rate(server, capacity, most_s) for capacity in POWERS)]


def rate(server: ClusterServer, capacity: int, most_s: float) -> float | str:
    start, arrivals = time.perf_counter(), 0
    while time.perf_counter() < start + most_s and (taken := server.take(capacity)):
        server.done(*taken)
        arrivals += 1
    return arrivals / (time.perf_counter() - start) if arrivals else "all done"


def cut(dag: Dag, clusterer: str, capacity: int) -> int | str:
    try:
        plan = plan_clusters(dag, [capacity], clusterer=clusterer)
    except ClusterError:
        return ""
    return sum(taken.cut_arcs for taken in plan)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the tasks")
    options = parser.parse_args()
    tasks, most_s = (100_000, 0.1) if options.quick else (1_000_000, 1.0)
    rows = []
    for family, make in FAMILIES.items():
        dag = make(tasks)
        for clusterer in ("direct", "lean", "auto"):
            rows.append([family, len(dag), clusterer, *served(dag, clusterer, most_s)])
    head = ["dag", "tasks", "clusterer", "is", "prepare s", *(f"of {power}" for power in POWERS)]
    show("arrivals a second, clusters of 10, 100 and 1,000 tasks", head, rows)
    rows = [
        [name, dag.arc_count, capacity, *(cut(dag, clusterer, capacity) for clusterer in NAMES)]
        for name, dag in SCIENTIFIC.items()
        for capacity in (8, 64)
    ]
    show("arcs cut in all (empty: does not apply)", ["dag", "arcs", "capacity", *NAMES], rows)


if __name__ == "__main__":
    main()
