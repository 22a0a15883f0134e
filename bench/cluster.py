"""Clusters: arrivals a second at a million tasks, and arcs cut by each strategy.

A server is prepared once (the order, the blocks, whether the dag is a universal donor), then
workers arrive until the dag is done, each cluster being done before the next is asked for.
Cut arcs are those of whole plans, all clusters together.
"""

import argparse
import time
from collections.abc import Callable, Mapping

from harness import show
from order import SPARSE

from icsched import ClusterError, ClusterServer, Dag, families, plan_clusters

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
    "fig. 6": families.paper_000_fig6(),
}
STRATEGIES = ("direct", "staggered", "donor", "lean", "auto")


def served(dag: Dag, strategy: str, capacity: int, most_s: float) -> list[object]:
    """Seconds to prepare, arrivals (within *most_s*), arrivals and tasks a second."""
    start = time.perf_counter()
    server = ClusterServer(dag, strategy=strategy)
    prepared = time.perf_counter()
    arrivals = tasks = 0
    while time.perf_counter() < prepared + most_s and (taken := server.arrive(capacity)):
        server.done(taken)
        arrivals += 1
        tasks += taken.size
    took = time.perf_counter() - prepared
    return [server.strategy, prepared - start, arrivals, arrivals / took, tasks / took]


def cut(dag: Dag, strategy: str, capacity: int) -> int | str:
    try:
        plan = plan_clusters(dag, [capacity], strategy=strategy)
    except ClusterError:
        return ""
    return sum(taken.cut_arcs for taken in plan)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the tasks")
    options = parser.parse_args()
    tasks, most_s = (100_000, 1.0) if options.quick else (1_000_000, 5.0)
    rows = []
    for family, make in FAMILIES.items():
        dag = make(tasks)
        for strategy, capacity in (("direct", 100), ("lean", 100), ("auto", 10), ("auto", 1000)):
            result = served(dag, strategy, capacity, most_s)
            rows.append([family, len(dag), strategy, capacity, *result])
    head = ["dag", "tasks", "strategy", "capacity", "is", "prepare s", "arrivals"]
    show("arrivals", [*head, "arrivals/s", "tasks/s"], rows)
    rows = [
        [name, dag.arc_count, capacity, *(cut(dag, strategy, capacity) for strategy in STRATEGIES)]
        for name, dag in SCIENTIFIC.items()
        for capacity in (8, 64)
    ]
    show("arcs cut in all (empty: does not apply)", ["dag", "arcs", "capacity", *STRATEGIES], rows)


if __name__ == "__main__":
    main()
