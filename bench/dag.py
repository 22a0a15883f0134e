"""Building a dag from arrays, against networkx and rustworkx on the same arcs."""

import networkx as nx
import numpy as np
import rustworkx as rx
from harness import seconds, show

from icsched import Dag


def random_arcs(tasks: int, arcs: int) -> np.ndarray:
    pairs = np.random.default_rng(0).integers(0, tasks, (arcs, 2))
    return np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)


def build_rustworkx(tasks: int, arcs: list[tuple[int, int]]) -> rx.PyDiGraph:
    graph = rx.PyDiGraph()
    graph.add_nodes_from(range(tasks))
    graph.add_edges_from_no_data(arcs)
    rx.topological_sort(graph)
    return graph


def build_networkx(tasks: int, arcs: list[tuple[int, int]]) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(tasks))
    graph.add_edges_from(arcs)
    list(nx.topological_sort(graph))
    return graph


def main() -> None:
    rows = []
    for tasks in (10_000, 100_000, 1_000_000):
        arcs = random_arcs(tasks, 3 * tasks)
        pairs = [tuple(pair) for pair in arcs.tolist()]
        ours = seconds(lambda n=tasks, a=arcs: Dag.from_arcs(n, a))
        peers = [
            seconds(lambda b=build, n=tasks, p=pairs: b(n, p), repeat=1)
            for build in (build_rustworkx, build_networkx)
        ]
        rows.append([tasks, len(arcs), ours, *(peer / ours for peer in peers)])
    head = ["tasks", "arcs", "icsched s", "rustworkx x", "networkx x"]
    show(
        "build and check for cycles: seconds, and how many times longer the peers take", head, rows
    )


if __name__ == "__main__":
    main()
