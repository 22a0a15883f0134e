"""The kernels of memory.hpp do what their plain twins do, and keep their promises."""

import time

import numpy as np
import pytest

from icsched import Dag, _native, eligibility_profile, families, prioritize
from icsched.families import fft, tree
from icsched.pebble import fifo_order, memory_profile, random_order
from tests.theory import memory_twins as twins
from tests.theory.samples import random_dag, random_dags, shuffled

DAGS = [
    *random_dags(120, most_tasks=11, seed=11),
    *(random_dag(14, 0.1, seed=seed) for seed in range(100)),
    shuffled(tree(3), seed=1),
    shuffled(fft(2), seed=2),
    shuffled(families.out_tree(3), seed=3),
    shuffled(families.montage(2, 2), seed=4),
    Dag({}),
]


def sizes_of(dag: Dag, seed: int) -> np.ndarray:
    """All 1 for even seeds, mixed and with zeros for odd ones."""
    ones = np.ones(len(dag), np.int64)
    return np.random.default_rng(seed).integers(0, 4, len(dag)) if seed % 2 else ones


def rows(dag: Dag):
    return dag.child_rows, dag.parent_rows


def test_depth_first_order_is_its_twin():
    for seed, dag in enumerate(DAGS):
        sizes = sizes_of(dag, seed)
        order = _native.depth_first_order(*rows(dag), dag.fifo_order, sizes)
        assert order.tolist() == twins.depth_first_order(dag, sizes.tolist())


def test_exchange_pieces_is_its_twin_and_keeps_the_profile():
    for seed, dag in enumerate(DAGS):
        sizes = sizes_of(dag, seed)
        for order in (prioritize(dag, "prio").order, random_order(dag, seed=seed)):
            ranks = np.random.default_rng(seed).permutation(len(dag)).astype(np.int32)
            moved = _native.exchange_pieces(*rows(dag), order, ranks, sizes)
            plain = twins.exchange_pieces(dag, order.tolist(), ranks.tolist(), sizes.tolist())
            assert moved.tolist() == plain
            profiles = [eligibility_profile(dag, o).tolist() for o in (moved, order)]
            assert profiles[0] == profiles[1]


def test_pieces_that_block_each_other_are_taken_back():
    r"""
       a1        big       a1 and a2 enable two, big, b1 and b2 one. After big, a2 takes no
      /  \        |        memory and a1 does, so a2 would go first; but then neither b1 nor
    b1    b2      a2       b2 can follow. So a1 and b1 run as given.
    |     |      /  \
    c1    c2    x    y
    """
    dag = Dag(
        {
            "big": [],
            "a1": [],
            "b1": ["a1"],
            "b2": ["a1"],
            "a2": ["big"],
            "x": ["a2"],
            "y": ["a2"],
            "c1": ["b1"],
            "c2": ["b2"],
        }
    )
    order = [dag.id_of(name) for name in ("big", "a1", "b1", "a2", "b2", "c1", "c2", "x", "y")]
    ranks, sizes = np.arange(9, dtype=np.int32), np.ones(9, np.int64)
    moved = _native.exchange_pieces(*rows(dag), np.array(order, np.int32), ranks, sizes)

    assert twins.pieces(dag, order) == [[task] for task in order]
    assert moved.tolist() == order


@pytest.mark.parametrize("patience", [1, 2, 8])
def test_pull_forward_is_its_twin_and_keeps_within_the_limit(patience):
    for seed, dag in enumerate(DAGS):
        sizes = sizes_of(dag, seed)
        base = _native.depth_first_order(*rows(dag), dag.fifo_order, sizes)
        ranks = np.random.default_rng(seed).permutation(len(dag)).astype(np.int32)
        least = int(memory_profile(dag, base, sizes=sizes).max())
        for limit in (least, least + 1):
            order = _native.pull_forward(*rows(dag), base, ranks, sizes, limit, patience)
            plain = twins.pull_forward(
                dag, base.tolist(), ranks.tolist(), sizes.tolist(), limit, patience
            )
            assert order.tolist() == plain
            assert memory_profile(dag, order, sizes=sizes).max() <= limit


def test_without_a_limit_pull_forward_follows_the_ranks():
    for seed, dag in enumerate(DAGS):
        order = random_order(dag, seed=seed)
        ranks = np.argsort(order).astype(np.int32)
        ones = np.ones(len(dag), np.int64)
        base = fifo_order(dag)
        pulled = _native.pull_forward(*rows(dag), base, ranks, ones, len(dag), 8)
        assert pulled.tolist() == order.tolist()


def test_large_dags_keep_profile_and_limit():
    """Past the reach of the twins, the promises still hold."""
    for seed in range(4):
        dag = random_dag(700, 0.01, seed=seed)
        sizes = sizes_of(dag, seed)
        order = prioritize(dag, "prio").order
        ranks = np.argsort(order).astype(np.int32)
        moved = _native.exchange_pieces(*rows(dag), order, ranks, sizes)
        assert np.array_equal(eligibility_profile(dag, moved), eligibility_profile(dag, order))
        base = _native.depth_first_order(*rows(dag), dag.fifo_order, sizes)
        most = int(memory_profile(dag, base, sizes=sizes).max())
        pulled = _native.pull_forward(*rows(dag), base, ranks, sizes, most, 8)
        assert memory_profile(dag, pulled, sizes=sizes).max() <= most


@pytest.mark.parametrize("height", range(1, 11))
def test_depth_first_order_needs_the_least_memory_on_trees(height):
    """However they are numbered: h + 1 (Rosenberg and Yurkewych 2005, Lemma 4.2)."""
    dag = shuffled(tree(height), seed=height)
    ones = np.ones(len(dag), np.int64)
    order = _native.depth_first_order(*rows(dag), dag.fifo_order, ones)

    assert memory_profile(dag, order).max() == height + 1


def test_a_long_piece_is_not_read_again_for_each_task_that_it_could_close():
    """Tasks 0 .. q-1 each have two children: one alone, and one of the q parents of a join.

    These parents are one piece. It is ready all the time that the lone children run, each of
    which leaves the piece one more task to close.
    """
    q = 200_000
    first = np.arange(q)
    arcs = [(first, q + first), (first, 2 * q + first), (2 * q + first, np.full(q, 3 * q))]
    dag = Dag.from_arcs(3 * q + 1, np.concatenate([np.stack(pair, axis=1) for pair in arcs]))
    order = np.arange(len(dag), dtype=np.int32)
    start = time.process_time()

    moved = _native.exchange_pieces(*rows(dag), order, order, np.ones(len(dag), np.int64))

    assert moved.tolist() == order.tolist()
    assert time.process_time() - start < 20
