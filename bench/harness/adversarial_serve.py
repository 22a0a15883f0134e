"""What is hard for clusters, batches and orders within memory, by number of tasks.

Each public function makes a dag and returns what to time on it.
"""

from collections.abc import Callable

import numpy as np

from icsched import BatchServer, Dag, best_batch, order_within, plan_clusters
from icsched.theory import lean_order

Act = Callable[[], object]


def _fork_join(tasks: int) -> Dag:
    """One wide fork-join: all but two tasks are one block."""
    middle = np.arange(1, tasks - 1)
    return Dag.from_arcs(tasks, np.concatenate([_pairs(0, middle), _pairs(middle, tasks - 1)]))


def _fork_join_of_pairs(tasks: int) -> Dag:
    """Return the same, with every second middle task below one of the others.

    A cluster then skips tasks of the wide block that wait, and these tasks stay behind.
    """
    half = (tasks - 2) // 2
    first, second = np.arange(1, half + 1), np.arange(half + 1, 2 * half + 1)
    arcs = [_pairs(0, first), _pairs(first, second), _pairs(second, 2 * half + 1)]
    return Dag.from_arcs(2 * half + 2, np.concatenate(arcs))


def _hubs(tasks: int) -> Dag:
    """One source with half of the tasks as children, beside chains of four tasks."""
    half = tasks // 2
    hub = _pairs(0, np.arange(1, half))
    heads = np.arange(half, tasks - 3, 4)
    links = [_pairs(heads + i, heads + i + 1) for i in range(3)]
    return Dag.from_arcs(tasks, np.concatenate([hub, *links]))


def _armed_hub(tasks: int) -> Dag:
    """One source with a third of the tasks as children; each has a child; beside chains of four."""
    third = tasks // 3
    ids = np.arange(1, third + 1)
    heads = np.arange(2 * third + 1, tasks - 3, 4)
    links = [_pairs(heads + i, heads + i + 1) for i in range(3)]
    return Dag.from_arcs(tasks, np.concatenate([_pairs(0, ids), _pairs(ids, ids + third), *links]))


def _fan_in(tasks: int) -> Dag:
    """One join of half of the tasks, every second of which has a child of its own."""
    sources = tasks // 2
    own = np.arange(0, sources - 1, 2)
    arcs = [_pairs(np.arange(sources), sources), _pairs(own, sources + 1 + np.arange(len(own)))]
    return Dag.from_arcs(sources + 1 + len(own), np.concatenate(arcs))


def _steep_fan_in(tasks: int) -> Dag:
    """One join; a few of its sources have many children each, so that its rate keeps falling."""
    sources, rich = tasks // 2, int((tasks / 2) ** 0.5)
    owners = np.repeat(np.arange(rich), tasks // 2 // rich)
    arcs = [
        _pairs(np.arange(sources), sources),
        _pairs(owners, sources + 1 + np.arange(len(owners))),
    ]
    return Dag.from_arcs(sources + 1 + len(owners), np.concatenate(arcs))


def _star_of_pairs(tasks: int) -> Dag:
    """One source shares a child with each of the others, and these have children of their own."""
    others = tasks // 3
    ids = np.arange(1, others + 1)
    arcs = [_pairs(0, ids + others), _pairs(ids, ids + others), _pairs(ids, ids + 2 * others)]
    return Dag.from_arcs(3 * others + 1, np.concatenate(arcs))


def _crossed_joins(tasks: int) -> Dag:
    """Return joins of as many sources as there are joins; *tasks* counts the arcs."""
    side = int(tasks**0.5)
    sources, joins = np.divmod(np.arange(side * side), side)
    kept = (sources * 7 + joins) % side > 0
    shared = _pairs(sources[kept], side + joins[kept])
    own = _pairs(np.arange(side), 2 * side + np.arange(side))
    return Dag.from_arcs(3 * side, np.concatenate([shared, own]))


def _long_piece(tasks: int) -> Dag:
    """Return a wide join; each of its parents waits for a task that has a lone child too."""
    quarter = tasks // 4
    first = np.arange(quarter)
    arcs = [_pairs(first, quarter + first), _pairs(first, 2 * quarter + first)]
    arcs.append(_pairs(2 * quarter + first, 3 * quarter))
    return Dag.from_arcs(3 * quarter + 1, np.concatenate(arcs))


def _pairs(parents: object, children: object) -> np.ndarray:
    return np.stack(np.broadcast_arrays(parents, children), axis=1)


def clusters_of_a_fork_join(tasks: int) -> Act:
    dag = _fork_join(tasks)
    return lambda: plan_clusters(dag, [10])


def clusters_of_a_fork_join_of_pairs(tasks: int) -> Act:
    dag = _fork_join_of_pairs(tasks)
    return lambda: plan_clusters(dag, [10])


def clusters_by_bytes_beside_a_hub(tasks: int) -> Act:
    dag = _hubs(tasks)
    return lambda: plan_clusters(dag, [10], clusterer="lean", sizes=np.full(len(dag), 1000))


def clusters_by_bytes_beside_an_empty_hub(tasks: int) -> Act:
    dag = _armed_hub(tasks)
    sizes = np.ones(len(dag), np.int64)
    sizes[0] = 0
    order = np.arange(len(dag))
    return lambda: plan_clusters(dag, [10], clusterer="lean", sizes=sizes, order=order)


def batch_of_a_fan_in(tasks: int) -> Act:
    return _half_of(_fan_in(tasks))


def batch_of_a_steep_fan_in(tasks: int) -> Act:
    return _half_of(_steep_fan_in(tasks))


def batch_of_a_star(tasks: int) -> Act:
    return _half_of(_star_of_pairs(tasks))


def batch_of_crossed_joins(tasks: int) -> Act:
    return _half_of(_crossed_joins(tasks))


def served_batch_of_a_fan_in(tasks: int) -> Act:
    return _served(_fan_in(tasks))


def served_batch_of_a_star(tasks: int) -> Act:
    return _served(_star_of_pairs(tasks))


def lean_order_of_a_long_piece(tasks: int) -> Act:
    dag = _long_piece(tasks)
    return lambda: lean_order(dag, np.arange(len(dag)))  # the long piece last


def order_within_memory_of_a_long_piece(tasks: int) -> Act:
    dag = _long_piece(tasks)
    return lambda: order_within(dag, len(dag))


def _half_of(dag: Dag) -> Act:
    return lambda: best_batch(dag, [], len(dag.sources) // 2, method="greedy")


def _served(dag: Dag) -> Act:
    """Return the first take of a hundredth of the sources."""
    server = BatchServer(dag, order=dag.fifo_order)
    return lambda: server.take(max(1, len(dag.sources) // 100))
