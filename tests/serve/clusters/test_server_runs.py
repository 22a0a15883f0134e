"""Random runs of a ClusterServer: workers come, report, and get lost in any order."""

from collections.abc import Iterator
from itertools import cycle as forever

import numpy as np
import pytest

from icsched import Cluster, ClusterError, ClusterServer, Dag
from icsched.families import cycle, m, mesh, n, out_tree, random_linear_composition, w
from tests.theory.samples import random_dags

RUNS = 10_000


def samples() -> Iterator[Dag]:
    """Dags of every kind: random, compositions of blocks, donors."""
    yield from random_dags(40, most_tasks=9, seed=4)
    yield from (random_linear_composition(2, seed=seed) for seed in range(10))
    yield from (mesh(3), mesh(3).dual(), out_tree(2), cycle(2) + m(1, 2), n(2) + w(2, 2))


def check_run(dag: Dag, strategy: str, rng: np.random.Generator) -> None:
    """Serve workers at random until all is done, and check what every one of them gets."""
    server = ClusterServer(dag, strategy=strategy)
    done: set[int] = set()
    out: list[Cluster] = []
    while len(done) < len(dag):
        act = rng.integers(4)
        if act < 2:
            taken = server.arrive(rng.integers(1, 6))
            handed = done.union(*(other.tasks for other in out))
            if taken is None:
                assert not can_start(dag, handed, done)
                continue
            check_cluster(dag, taken, handed, done)
            out.append(taken)
        elif out:
            taken = out.pop(int(rng.integers(len(out))))
            if act == 2:
                server.done(taken)
                done.update(taken.tasks)
            else:
                server.lost(taken)
    assert (server.is_done, server.left) == (True, 0)
    assert server.arrive(1) is None


def can_start(dag: Dag, handed: set[int], done: set[int]) -> bool:
    return any(
        task not in handed and done.issuperset(dag.parents(task).tolist())
        for task in range(len(dag))
    )


def check_cluster(dag: Dag, taken: Cluster, handed: set[int], done: set[int]) -> None:
    assert handed.isdisjoint(taken.tasks)
    assert len(set(taken.tasks)) == taken.size > 0
    have = set(done)
    for task in taken.tasks:
        assert have.issuperset(dag.parents(task).tolist())
        have.add(task)
    outside = [c for t in taken.tasks for c in dag.children(t).tolist() if c not in taken.tasks]
    assert taken.cut_arcs == len(outside)


@pytest.mark.parametrize("strategy", ["auto", "direct", "lean", "staggered", "donor"])
def test_ten_thousand_random_runs_keep_all_the_rules(strategy):
    """Interleavings of arrive, done and lost, of capacities 1 to 5; seeded."""
    applicable = [dag for dag in samples() if applies(dag, strategy)]
    rng = np.random.default_rng(9)

    assert len(applicable) >= 5
    for _, dag in zip(range(RUNS // 5), forever(applicable), strict=False):
        check_run(dag, strategy, rng)


def applies(dag: Dag, strategy: str) -> bool:
    try:
        ClusterServer(dag, strategy=strategy)
    except ClusterError:
        return False
    return True
