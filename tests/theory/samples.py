"""Dags for the tests of the theory: renumbered, random and tangled ones, all by seed."""

from collections.abc import Iterator

import numpy as np

from icsched import Dag


def renumbered(dag: Dag, new_id: np.ndarray) -> Dag:
    """Return *dag* with the task of id v called new_id[v].

    >>> renumbered(Dag.from_arcs(2, [(0, 1)]), np.array([1, 0])).arcs.tolist()
    [[1, 0]]
    """
    return Dag.from_arcs(len(dag), new_id[dag.arcs])


def shuffled(dag: Dag, *, seed: int) -> Dag:
    """Return *dag* with its tasks numbered at random."""
    return renumbered(dag, np.random.default_rng(seed).permutation(len(dag)))


def random_dag(tasks: int, density: float, *, seed: int) -> Dag:
    """Return a dag with each possible arc present by chance; ids in no particular order."""
    rng = np.random.default_rng(seed)
    pairs = np.argwhere(np.triu(rng.random((tasks, tasks)) < density, k=1))
    return Dag.from_arcs(tasks, rng.permutation(tasks)[pairs])


def random_dags(count: int, *, most_tasks: int = 14, seed: int) -> Iterator[Dag]:
    """Yield dags of 1 to *most_tasks* tasks, from nearly empty to dense.

    >>> len(list(random_dags(3, seed=1)))
    3
    """
    rng = np.random.default_rng(seed)
    for number in range(count):
        tasks, density = int(rng.integers(1, most_tasks + 1)), float(rng.uniform(0.05, 0.5))
        yield random_dag(tasks, density, seed=seed * 1_000_003 + number)


def chain(tasks: int) -> Dag:
    """Return the dag 0 -> 1 -> ... -> tasks - 1.

    >>> chain(3).arcs.tolist()
    [[0, 1], [1, 2]]
    """
    return Dag.from_arcs(tasks, np.column_stack([np.arange(tasks - 1), np.arange(1, tasks)]))
