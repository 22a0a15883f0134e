"""Batches: greedy at a million eligible tasks, exact on trees, and a server's takes.

Times are the best of three. For greedy, the time is that of the whole call on a fresh state, with
nothing executed. Trees are W and M (chains) and random trees; their time is that of the exact
kernel alone. The server plays a whole dag in batches; every batch is done before the next.
"""

import argparse
import time

import numpy as np
from harness import seconds, show

import icsched
from icsched import BatchServer, Dag, families
from icsched.theory.batch import fast, pieces, state_of

MOST_STEPS = 2_000_000_000  # of sources * r for a tree in the bench


def pairs(sources: int, first: np.ndarray, second: np.ndarray) -> Dag:
    """Sinks with two parents each."""
    sinks = sources + np.arange(len(first))
    arcs = np.concatenate([np.column_stack([first, sinks]), np.column_stack([second, sinks])])
    return Dag.from_arcs(sources + len(first), arcs)


def chain(sources: int) -> Dag:
    return pairs(sources, np.arange(sources - 1), np.arange(1, sources))


def near(sources: int, rng: np.random.Generator) -> Dag:
    """Each sink waits for a source and one of the next hundred."""
    first = np.arange(sources)
    return pairs(sources, first, (first + rng.integers(1, 100, sources)) % sources)


def anywhere(sources: int, rng: np.random.Generator) -> Dag:
    return pairs(sources, np.arange(sources), rng.permutation(sources))


def random_tree(sources: int, rng: np.random.Generator) -> Dag:
    return pairs(sources, rng.integers(0, np.arange(1, sources)), np.arange(1, sources))


def show_greedy(sources: int) -> None:
    rng = np.random.default_rng(1)
    dags = {
        "chain": chain(sources),
        "forks of 3": families.w(sources, 3),
        "pairs nearby": near(sources, rng),
        "pairs anywhere": anywhere(sources, rng),
    }
    rows = []
    for name, dag in dags.items():
        for r in (16, 1_000, sources // 10):
            whole = seconds(lambda d=dag, n=r: icsched.best_batch(d, [], n, method="greedy"))
            front = seconds(lambda d=dag: state_of(d, [], []))
            rows.append([name, r, 1e3 * front, 1e3 * whole])
    title = f"greedy, {sources:,} eligible tasks (bar: 50 ms)"
    show(title, ["dag", "r", "state ms", "whole ms"], rows)


def show_trees(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    rows = []
    for size in sizes:
        trees = {
            "W(s,2)": families.w(size, 2),
            "M(s,3)": families.m(size // 2, 3),
            "random tree": random_tree(size, rng),
        }
        for name, dag in trees.items():
            front = state_of(dag, [], []).front
            for r in (16, size // 100, size // 10, int(rng.integers(1, size)), size // 2):
                if size * r > MOST_STEPS:
                    continue
                took = seconds(lambda f=front, n=r: pieces(f, n, most_work=2**62), repeat=1)
                exact = pieces(front, r, most_work=2**62)
                share = fast(front, r).enabled / max(1, exact.enabled)
                rows.append([name, size, r, took, share])
    head = ["tree", "sources", "r", "seconds", "greedy enables"]
    show("exact on trees, and the share of it that greedy enables", head, rows)


def play(dag: Dag, r: int, method: str) -> tuple[int, float]:
    """Play a dag to its end; return the number of takes and the milliseconds per take."""
    server = BatchServer(dag, order=dag.fifo_order, method=method)
    takes, spent = 0, 0.0
    while server.is_active():
        start = time.perf_counter()
        taken = server.take(r)
        spent += time.perf_counter() - start
        takes += 1
        server.done(*taken)
    return takes, 1e3 * spent / takes


def show_server(tasks: int) -> None:
    side = round((tasks / 6) ** 0.5)
    dags = {
        "AIRSN": families.airsn(tasks // 3),
        "montage": families.montage(side, side),
        "random layers": families.random_layered(tasks, max(2, tasks // 20), seed=1),
    }
    rows = [
        [name, len(dag), r, method, *play(dag, r, method)]
        for name, dag in dags.items()
        for r in (1, 16)
        for method in ("auto", "greedy")
    ]
    show("a server's takes", ["dag", "tasks", "r", "method", "takes", "ms a take"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, a few seconds")
    quick = parser.parse_args().quick
    show_greedy(100_000 if quick else 1_000_000)
    show_trees((1_000, 10_000) if quick else (1_000, 10_000, 100_000))
    show_server(2_000 if quick else 10_000)


if __name__ == "__main__":
    main()
