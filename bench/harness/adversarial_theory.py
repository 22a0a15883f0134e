"""Cases for shortcuts and decompose; bench/adversarial.py says what a case is."""

import numpy as np

from icsched import Dag, families

# 0 -> 2 -> 6 and 1 -> 3, with 4 below 0 and 3, and 5 below 1 and 2: one general block of the
# sources 0 and 1, which leaves 6 outside.
_CROSSED = ((0, 2), (1, 3), (0, 4), (3, 4), (1, 5), (2, 5), (2, 6))


def random_pairs_of_degree_5(tasks: int) -> Dag:
    """Five arcs per task between any two tasks: most long arcs are not shortcuts."""
    return _sorted_pairs(tasks, _rng().integers(tasks, size=(5 * tasks, 2)))


def random_parents_of_degree_5(tasks: int) -> Dag:
    """Five parents per task anywhere before it: early tasks lead to most others."""
    child = np.repeat(np.arange(1, tasks), 5)
    return Dag.from_arcs(tasks, np.column_stack([_rng().integers(0, child), child]))


def near_pairs_of_degree_5(tasks: int) -> Dag:
    """Five arcs per task to one of the next thousand."""
    parent = np.repeat(np.arange(tasks), 5)
    child = parent + _rng().integers(1, 1000, len(parent))
    inside = child < tasks
    return Dag.from_arcs(tasks, np.column_stack([parent, child])[inside])


def layers_with_skips(tasks: int) -> Dag:
    """Layers of 1,000 tasks, three arcs to the next layer, and one per task to any later one."""
    layer = np.arange(tasks) // 1000
    parent = np.repeat(np.arange(tasks), 3)
    child = (layer[parent] + 1) * 1000 + _rng().integers(0, 1000, len(parent))
    arcs = np.column_stack([parent, child])[child < tasks]
    skips = _rng().integers(tasks, size=(tasks, 2))
    skips = skips[layer[skips[:, 0]] != layer[skips[:, 1]]]
    return _sorted_pairs(tasks, np.concatenate([arcs, skips]))


def thin_layers_with_skips(tasks: int) -> Dag:
    """Layers of 30 tasks with up to five parents in the 40 layers before."""
    return families.random_layered(tasks, 30, 5, 40, seed=1)


def wide_layers_with_long_skips(tasks: int) -> Dag:
    """Twenty layers, with up to five parents anywhere before."""
    return families.random_layered(tasks, max(1, tasks // 20), 5, 20, seed=1)


def star_with_shortcuts(tasks: int) -> Dag:
    """One source above pairs of a child and a grandchild, with arcs to all of them."""
    child = np.arange(1, (tasks + 1) // 2)
    grandchild = child + len(child)
    arcs = [np.column_stack([child, grandchild])]
    arcs += [np.column_stack([np.zeros_like(below), below]) for below in (child, grandchild)]
    return Dag.from_arcs(2 * len(child) + 1, np.concatenate(arcs))


def general_blocks_in_a_row(tasks: int) -> Dag:
    """General blocks, each with one source from the block before."""
    return _crossed_row(tasks, own_sources=False)


def general_blocks_with_sources_of_their_own(tasks: int) -> Dag:
    """General blocks, each with one source from the block before and one of its own."""
    return _crossed_row(tasks, own_sources=True)


def general_blocks_last_first(tasks: int) -> Dag:
    """General blocks with sources of their own, numbered from the last block to the first."""
    dag = _crossed_row(tasks, own_sources=True)
    return Dag.from_arcs(len(dag), len(dag) - 1 - dag.arcs)


def general_blocks_that_free_bipartite_ones(tasks: int) -> Dag:
    """General blocks with sources of their own, each with a fork below one of its sinks."""
    row = _crossed_row(tasks // 2, own_sources=True)
    blocks = (len(row) - 1) // 6
    forks = len(row) + np.arange(3 * blocks)
    below = np.column_stack([np.repeat(6 * np.arange(blocks) + 4, 3), forks])
    return Dag.from_arcs(len(row) + 3 * blocks, np.concatenate([row.arcs, below]))


def short_pairs_of_degree_2(tasks: int) -> Dag:
    """Two arcs per task to one of the next eleven: many small general blocks."""
    parent = np.repeat(np.arange(tasks), 2)
    child = parent + _rng().integers(1, 12, len(parent))
    inside = child < tasks
    return Dag.from_arcs(tasks, np.column_stack([parent, child])[inside])


def _crossed_row(tasks: int, *, own_sources: bool) -> Dag:
    """Blocks of six tasks: task 6 of each is task 0 of the next."""
    blocks = max(1, (tasks - 1) // 6)
    first = 6 * np.arange(blocks)[:, None, None]
    arcs = (first + np.array(_CROSSED)).reshape(-1, 2)
    if not own_sources:
        into = first[1:, 0, 0]
        arcs = np.concatenate([arcs, np.column_stack([into - 1, into + 1])])
    return Dag.from_arcs(6 * blocks + 1, arcs)


def _sorted_pairs(tasks: int, pairs: np.ndarray) -> Dag:
    return Dag.from_arcs(tasks, np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1))


def _rng() -> np.random.Generator:
    return np.random.default_rng(1)
