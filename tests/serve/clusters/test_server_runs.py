"""Random runs of a ClusterServer: workers come, report, and get lost in any order."""

from collections.abc import Iterator
from itertools import cycle as forever

import numpy as np
import pytest

from icsched import Cluster, ClusterServer, Dag
from icsched.errors import ClusterError
from icsched.families import cycle, m, mesh, n, out_tree, random_linear_composition, w
from tests.theory.samples import random_dags

RUNS = 10_000


def samples() -> Iterator[Dag]:
    """Dags of every kind: random, compositions of blocks, donors."""
    yield from random_dags(40, most_tasks=9, seed=4)
    yield from (random_linear_composition(2, seed=seed) for seed in range(10))
    yield from (mesh(3), mesh(3).dual(), out_tree(2), cycle(2) + m(1, 2), n(2) + w(2, 2))


def check_run(dag: Dag, clusterer: str, rng: np.random.Generator) -> None:
    """Serve workers at random until all is done, and check what every one of them gets."""
    server = ClusterServer(dag, clusterer=clusterer)
    done: set[int] = set()
    out: list[list[int]] = []
    while len(done) < len(dag):
        assert server.is_active()
        act = rng.integers(5)
        if act < 2:
            handed = done.union(*out)
            assert server.left == len(dag) - len(handed)
            taken = server.take(rng.integers(1, 6))
            if not taken:
                assert not can_start(dag, handed, done)
                continue
            check_cluster(dag, taken, handed, done)
            out.append(list(taken))
        elif out:
            report(server, dag, out.pop(int(rng.integers(len(out)))), done, out, rng)
    assert (server.is_active(), server.left) == (False, 0)
    assert not server.take(1)


def report(
    server: ClusterServer,
    dag: Dag,
    tasks: list[int],
    done: set[int],
    out: list[list[int]],
    rng: np.random.Generator,
) -> None:
    """Let a worker report its tasks done or lost: all of them, or the first or last ones."""
    cut = int(rng.integers(1, len(tasks) + 1))
    if rng.integers(2):
        server.done(*tasks[:cut])
        done.update(tasks[:cut])
        left = tasks[cut:]
    else:
        server.lost(tasks[cut - 1])
        back = {tasks[cut - 1]}
        for task in tasks:  # in execution order, so that all who wait for it are found
            if back.intersection(dag.parents(task).tolist()):
                back.add(task)
        left = [task for task in tasks if task not in back]
        if rng.integers(2):  # too late: the result of a task that was lost
            late = [task for task in back if done.issuperset(dag.parents(task).tolist())]
            server.done(*late)
            done.update(late)
    if left:
        out.append(left)


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


@pytest.mark.parametrize("clusterer", ["auto", "direct", "lean", "staggered", "donor"])
def test_ten_thousand_random_runs_keep_all_the_rules(clusterer):
    """Interleavings of take, done and lost, whole or in part, of capacities 1 to 5; seeded."""
    applicable = [dag for dag in samples() if applies(dag, clusterer)]
    rng = np.random.default_rng(9)

    assert len(applicable) >= 5
    for _, dag in zip(range(RUNS // 5), forever(applicable), strict=False):
        check_run(dag, clusterer, rng)


def applies(dag: Dag, clusterer: str) -> bool:
    try:
        ClusterServer(dag, clusterer=clusterer)
    except ClusterError:
        return False
    return True
