"""What blocks look like, in bulk: the kernels `block_shapes` and `block_spines` and their twins."""

from dataclasses import fields

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from icsched import Dag, _native
from icsched._native import BlockShapes
from icsched.families import random_tree_sum
from icsched.orders import prioritize
from icsched.theory import decompose, without_shortcuts
from icsched.theory.blocks import Kind
from tests.strategies import dags
from tests.theory.samples import shuffled

FIELDS = [field.name for field in fields(BlockShapes)]


def shape_of(block: Dag) -> BlockShapes:
    """One block as `icsched._native.block_shapes` describes it."""
    down, up = block.out_degrees[block.sources], block.in_degrees[block.sinks]
    sizes = np.array([len(down), len(up), len(block)], np.int32)
    degrees = np.array([down.min(), down.max(), up.min(), up.max()], np.int32)
    bipartite = np.array([block.is_bipartite], np.uint8)
    return BlockShapes(
        *(sizes[:1], sizes[1:2], sizes[2:]),
        *(degrees[:1], degrees[1:2], degrees[2:3], degrees[3:]),
        bipartite,
    )


def spine_of(block: Dag) -> list[int]:
    """Degrees along the spine, as the kernel `block_spines` finds them.

    The degree of a sink is negative.
    """
    degree = block.in_degrees + block.out_degrees
    beside = {
        task: [n for n in (*block.parent_rows[task], *block.child_rows[task]) if degree[n] > 1]
        for task in np.flatnonzero(degree > 1).tolist()
    }
    spine = [next(task for task, near in beside.items() if len(near) < 2)]
    while len(spine) < len(beside):
        spine.append(next(n for n in beside[spine[-1]] if n not in spine[-2:]))
    spine = max(spine, spine[::-1], key=lambda tasks: degree[tasks].tolist())  # one name a strand
    return [int(degree[task]) if block.out_degrees[task] else -int(degree[task]) for task in spine]


def shapes_by_kernel(dag: Dag) -> dict[str, list[int]]:
    shapes = _native.block_shapes(dag.child_rows, decompose(dag).blocks)
    return {name: getattr(shapes, name).tolist() for name in FIELDS}


def shapes_by_twin(dag: Dag) -> dict[str, list[int]]:
    parts = decompose(dag)
    shapes = [shape_of(parts.block(block)) for block in range(len(parts))]
    return {name: [int(getattr(shape, name)[0]) for shape in shapes] for name in FIELDS}


def test_a_fork_above_a_join_has_these_shapes():
    """0 -> 1, 2, 3 and 1, 2, 3 -> 4: a source of 3 children; a sink of 3 parents."""
    dag = Dag.from_arcs(5, [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)])

    assert shapes_by_kernel(dag) == {
        "sources": [1, 3],
        "sinks": [3, 1],
        "members": [4, 4],
        "least_out": [3, 1],
        "most_out": [3, 1],
        "least_in": [1, 3],
        "most_in": [1, 3],
        "bipartite": [1, 1],
    }


@given(dags())
def test_shapes_are_those_of_the_blocks_one_by_one(dag):
    reduced = without_shortcuts(dag)

    assert shapes_by_kernel(reduced) == shapes_by_twin(reduced)


@given(st.integers(1, 8), st.integers(0, 10_000))
def test_shapes_of_strands_are_those_of_the_blocks_one_by_one(trees, seed):
    dag = shuffled(random_tree_sum(trees, seed=seed), seed=seed)

    assert shapes_by_kernel(dag) == shapes_by_twin(dag)


def check_spines(dag: Dag) -> None:
    """All planar trees of two arcs or more, asked for from the last to the first."""
    analysis = prioritize(dag, "prio").analysis
    parts, orders = analysis.parts, analysis.orders
    trees = np.flatnonzero((orders.kind == Kind.TREE) & (orders.arcs > 1))[::-1].astype(np.int32)
    spines = _native.block_spines(parts.dag.child_rows, parts.blocks, trees)
    rows = np.split(spines.targets, spines.offsets[1:-1]) if len(trees) else []

    assert [row.tolist() for row in rows] == [spine_of(parts.block(b)) for b in trees.tolist()]


def test_a_spine_that_reads_the_same_both_ways_begins_at_the_smaller_id():
    """N(2): 0 -> 2, 3 and 1 -> 3 has the spine 0, 3, which begins at a source.

    With the ids turned round, 3 -> 0, 1 and 2 -> 0, the spine 0, 3 begins at a sink.
    """
    for arcs, spine in (
        ([(0, 2), (0, 3), (1, 3)], [2, -2]),
        ([(3, 0), (3, 1), (2, 0)], [-2, 2]),
    ):
        dag = Dag.from_arcs(4, arcs)
        found = _native.block_spines(dag.child_rows, decompose(dag).blocks, np.zeros(1, np.int32))
        assert found.targets.tolist() == spine == spine_of(dag)


@given(dags())
def test_spines_are_those_of_the_blocks_one_by_one(dag):
    check_spines(dag)


@given(st.integers(1, 8), st.integers(0, 10_000))
def test_spines_of_strands_are_those_of_the_blocks_one_by_one(trees, seed):
    check_spines(shuffled(random_tree_sum(trees, seed=seed), seed=seed))
