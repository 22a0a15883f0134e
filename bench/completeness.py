"""How much of what is IC-optimal icsched finds and proves without the referee.

For each of 14 classes of random dags with 9 tasks: of the dags that have an IC-optimal order, the
share whose order is IC-optimal ("found"), and the share where icsched also proves it. The referee
decides which dags have an IC-optimal order, and helps with nothing else.

    python bench/completeness.py [--dags 500] [--tasks 9]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from icsched import Dag, pebble
from icsched.theory.recursion import FULL, QUICK, Effort, bounded_order

Rng = np.random.Generator
Arcs = list[tuple[int, int]]


def _random(rng: Rng, tasks: int, density: float) -> Arcs:
    return [tuple(pair) for pair in np.argwhere(np.triu(rng.random((tasks, tasks)) < density, 1))]


def sparse(rng: Rng, tasks: int) -> Arcs:
    return _random(rng, tasks, 0.2)


def dense(rng: Rng, tasks: int) -> Arcs:
    return _random(rng, tasks, 0.4)


def layered(rng: Rng, tasks: int) -> Arcs:
    """Three layers; each task has one to three parents in the layer before."""
    layer = np.sort(rng.integers(3, size=tasks))
    return [
        (int(parent), child)
        for child in range(tasks)
        if len(above := np.flatnonzero(layer == layer[child] - 1))
        for parent in rng.permutation(above)[: rng.integers(1, 4)]
    ]


def bipartite(rng: Rng, tasks: int) -> Arcs:
    sources = int(rng.integers(3, tasks - 2))
    return [(a, b) for a, b in _random(rng, tasks, 0.4) if a < sources <= b]


def bipartite_tree(rng: Rng, tasks: int) -> Arcs:
    """Return a tree whose tasks are sources at even depth and sinks at odd depth."""
    above = [int(rng.integers(child)) for child in range(1, tasks)]
    depth = [0]
    for parent in above:
        depth.append(depth[parent] + 1)
    pairs = [(parent, child) for child, parent in enumerate(above, 1)]
    return [(a, b) if depth[a] % 2 == 0 else (b, a) for a, b in pairs]


def tree_sum(rng: Rng, tasks: int) -> Arcs:
    cut = int(rng.integers(3, tasks - 2))
    return bipartite_tree(rng, cut) + _shifted(bipartite_tree(rng, tasks - cut), cut)


def out_tree(rng: Rng, tasks: int) -> Arcs:
    return [(int(rng.integers(child)), child) for child in range(1, tasks)]


def in_tree(rng: Rng, tasks: int) -> Arcs:
    return _turned(out_tree(rng, tasks), tasks)


def series_parallel(rng: Rng, tasks: int) -> Arcs:
    """Two pieces in series, complete or by one task, or side by side, and so on."""
    if tasks < 3:
        return [(0, 1)] if tasks == 2 and rng.random() < 0.7 else []
    cut = int(rng.integers(1, tasks))
    first, second = series_parallel(rng, cut), series_parallel(rng, tasks - cut)
    both = first + _shifted(second, cut)
    return both + _junction(first, cut, second, tasks - cut) if rng.random() < 0.5 else both


def bottleneck(rng: Rng, tasks: int) -> Arcs:
    """Two random pieces with one task between them."""
    cut = int(rng.integers(2, tasks - 2))
    first, second = _random(rng, cut, 0.4), _random(rng, tasks - cut - 1, 0.4)
    arcs = first + _junction(first, cut, [], 1) + _shifted(second, cut + 1)
    return arcs + _shifted(_junction([], 1, second, tasks - cut - 1), cut)


def near_bottleneck(rng: Rng, tasks: int) -> Arcs:
    arcs = bottleneck(rng, tasks)
    arcs.pop(int(rng.integers(len(arcs))))
    return arcs


def junction(rng: Rng, tasks: int) -> Arcs:
    """Two random pieces; all sinks of the first are parents of all sources of the second."""
    cut = int(rng.integers(2, tasks - 1))
    first, second = _random(rng, cut, 0.4), _random(rng, tasks - cut, 0.4)
    return first + _shifted(second, cut) + _junction(first, cut, second, tasks - cut)


def sum_across_levels(rng: Rng, tasks: int) -> Arcs:
    """Trees, some hanging from sinks of an earlier one by a source, some beside it."""
    first, size = int(rng.integers(3, tasks - 3)), 0
    arcs, size = bipartite_tree(rng, first), first
    while size < tasks:
        more = min(int(rng.integers(2, 5)), tasks - size)
        tree = bipartite_tree(rng, more + 1)
        sinks = [task for task in range(first) if all(parent != task for parent, _ in arcs)]
        hang = sinks[int(rng.integers(len(sinks)))] if sinks and rng.random() < 0.6 else None
        new = [hang, *range(size, size + more)]
        arcs += [(new[a], new[b]) for a, b in tree if hang is not None or 0 not in (a, b)]
        size += more
    return arcs


def composition(rng: Rng, tasks: int) -> Arcs:
    """Bipartite pieces, each on top of all or some sinks of the one before."""
    cuts = [0, *sorted(rng.choice(np.arange(2, tasks - 1), 2, replace=False).tolist()), tasks]
    return [
        (a, b)
        for low, middle, high in zip(cuts, cuts[1:], cuts[2:], strict=False)
        for a in range(low, middle)
        for b in range(middle, high)
        if rng.random() < 0.5
    ]


def _shifted(arcs: Arcs, by: int) -> Arcs:
    return [(a + by, b + by) for a, b in arcs]


def _turned(arcs: Arcs, tasks: int) -> Arcs:
    return [(tasks - 1 - b, tasks - 1 - a) for a, b in arcs]


def _junction(first: Arcs, size: int, second: Arcs, other: int) -> Arcs:
    sinks = set(range(size)) - {a for a, _ in first}
    sources = set(range(other)) - {b for _, b in second}
    return [(a, size + b) for a in sorted(sinks) for b in sorted(sources)]


CLASSES: tuple[Callable[[Rng, int], Arcs], ...] = (
    *(sparse, dense, layered, bipartite, bipartite_tree, tree_sum, out_tree, in_tree),
    *(series_parallel, bottleneck, near_bottleneck, junction, sum_across_levels, composition),
)


def random_dag(kind: Callable[[Rng, int], Arcs], tasks: int, seed: int) -> Dag:
    """Return a dag of a class, with its tasks numbered at random."""
    rng = np.random.default_rng([seed, tasks])
    arcs = np.array(kind(rng, tasks), np.int64).reshape(-1, 2)
    return Dag.from_arcs(tasks, rng.permutation(tasks)[arcs])


def completeness(dags: list[Dag], effort: Effort) -> tuple[int, float, float]:
    """Return how many of *dags* have IC-optimal orders, the share found, the share proved."""
    optimal = found = proved = 0
    for dag in dags:
        if pebble.ic_optimal_order(dag) is None:
            continue
        optimal += 1
        bounded = bounded_order(dag, effort)
        whole = np.append(bounded.order, dag.sinks)
        found += pebble.verify(dag, whole).ic_optimal
        proved += bounded.is_met
    return optimal, found / max(optimal, 1), proved / max(optimal, 1)


def main() -> None:
    """Print a row for each class."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--dags", type=int, default=300)
    arguments.add_argument("--tasks", type=int, default=9)
    given = arguments.parse_args()
    efforts = {"quick": replace(QUICK, sets=0), "full": replace(FULL, sets=0)}
    print(f"{'class':<20}{'optimal':>8}" + "".join(f"{n + ' found, proved':>24}" for n in efforts))
    rows = []
    for kind in CLASSES:
        dags = [random_dag(kind, given.tasks, seed) for seed in range(given.dags)]
        results = [completeness(dags, effort) for effort in efforts.values()]
        rows.append([share for _, *shares in results for share in shares])
        cells = "".join(f"{found:>16.3f}{proved:>8.3f}" for _, found, proved in results)
        print(f"{kind.__name__:<20}{results[0][0]:>8}{cells}")
    means = np.mean(rows, axis=0).reshape(-1, 2)
    print(f"{'mean':<28}" + "".join(f"{found:>16.3f}{proved:>8.3f}" for found, proved in means))


if __name__ == "__main__":
    main()
